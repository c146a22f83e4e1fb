/*
 * test_all_kinds.c - every question to every pair of kinds, surfaces and points without size among them.
 *
 * Whatever the pose (free, on a grid of quarters of a metre and right angles, at one place), a query answers, or
 * says that it does not know this pair; what it answers is finite and agrees with itself:
 *
 *   point_b - point_a = distance normal          |normal| = 1          swapped arguments: the same bits
 *   rg_within(margin) is distance <= margin, but for the stated error
 *   an impact at 0 is a pair within the gap now; the conservative time is no later than the exact one's bracket
 */
#include "check_near.h"
#include "draw.h"

#include <rigor/rigor.h>

#include <float.h>
#include <string.h>

/* The kinds, mesh in all its uses, and the smallest of some. */
#define KINDS(X)                                                                                                       \
    X(sphere)                                                                                                          \
    X(box)                                                                                                             \
    X(capsule)                                                                                                         \
    X(cylinder)                                                                                                        \
    X(ellipsoid)                                                                                                       \
    X(polytope)                                                                                                        \
    X(halfspace)                                                                                                       \
    X(hull) X(parts) X(closed_surface) X(open_surface) X(heightfield) X(point) X(segment) X(plate)

typedef enum Kind {
#define KIND_ENUM(name) KIND_##name,
    KINDS(KIND_ENUM)
#undef KIND_ENUM
        KIND_COUNT
} Kind;

#define KIND_NAME(name) #name,
static const char *const kind_names[KIND_COUNT] = {KINDS(KIND_NAME)};
#undef KIND_NAME

#define TRIALS 60
#define ROUND 1e-12
/* m: some contact point is as deep as the distance says, to within this. */
#define AS_DEEP 1e-4
/* m: what the two ways of finding an impact may differ by where shapes graze each other. */
#define GRAZE 1e-6

/* A cube and a roof over it, as two parts of 12 and 8 triangles. */
static const double solid_vertices[] = {-0.4, -0.3, -0.2, 0.4, -0.3, -0.2, 0.4, 0.3, -0.2, -0.4, 0.3, -0.2,
                                        -0.4, -0.3, 0.2,  0.4, -0.3, 0.2,  0.4, 0.3, 0.2,  -0.4, 0.3, 0.2,
                                        0.0,  0.0,  0.5,  0.6, 0.0,  0.6,  0.0, 0.5, 0.7,  0.0,  0.0, 1.0};
static const int32_t solid_faces[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5,  0, 5,  4,  1, 2,  6, 1, 6,  5,
                                      2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7, 8, 9, 11, 8, 11, 10, 8, 10, 9, 9, 10, 11};
static const int32_t solid_parts[] = {0, 12, 16};
static const double hills[] = {0.0, 0.1, 0.3, 0.2, -0.2, 0.1, 0.0, 0.25, 0.1, 0.1, 0.1, 0.1};

static RgShapeDef def_of(Kind kind)
{
    static const struct {
        RgShapeType type;
        double size[3];
        RgMeshUse use;
    } table[KIND_COUNT] = {
        [KIND_sphere] = {RG_SHAPE_sphere, {0.3}, RG_MESH_AUTO},
        [KIND_box] = {RG_SHAPE_box, {0.5, 0.25, 0.75}, RG_MESH_AUTO},
        [KIND_capsule] = {RG_SHAPE_capsule, {0.125, 0.5}, RG_MESH_AUTO},
        [KIND_cylinder] = {RG_SHAPE_cylinder, {0.25, 0.5}, RG_MESH_AUTO},
        [KIND_ellipsoid] = {RG_SHAPE_ellipsoid, {0.25, 0.5, 0.375}, RG_MESH_AUTO},
        [KIND_polytope] = {RG_SHAPE_polytope, {1.0, 1.0, 1.0}, RG_MESH_AUTO},
        [KIND_halfspace] = {RG_SHAPE_halfspace, {0.0}, RG_MESH_AUTO},
        [KIND_hull] = {RG_SHAPE_mesh, {1.0, 1.0, 1.0}, RG_MESH_HULL},
        [KIND_parts] = {RG_SHAPE_mesh, {1.0, 1.0, 1.0}, RG_MESH_PARTS},
        [KIND_closed_surface] = {RG_SHAPE_mesh, {1.0, 1.0, 1.0}, RG_MESH_SURFACE},
        [KIND_open_surface] = {RG_SHAPE_mesh, {1.0, 1.0, 1.0}, RG_MESH_SURFACE},
        [KIND_heightfield] = {RG_SHAPE_heightfield, {2.0, 1.5, 1.0}, RG_MESH_AUTO},
        [KIND_point] = {RG_SHAPE_sphere, {0.0}, RG_MESH_AUTO},
        [KIND_segment] = {RG_SHAPE_capsule, {0.0, 0.5}, RG_MESH_AUTO},
        [KIND_plate] = {RG_SHAPE_box, {0.5, 0.5, 0.0}, RG_MESH_AUTO},
    };
    RgShapeDef def = rg_shape_def_default();
    def.type = table[kind].type;
    memcpy(def.size, table[kind].size, sizeof def.size);
    def.mesh_use = table[kind].use;
    def.mesh = (RgMeshData){solid_vertices, solid_faces, 12, 16, NULL, 0};
    if (kind == KIND_polytope)
        def.mesh.nvertices = 8;
    if (kind == KIND_parts) {
        def.mesh.part_start = solid_parts;
        def.mesh.nparts = 2;
    }
    if (kind == KIND_open_surface)
        def.mesh.nfaces = 10;
    def.heights = hills;
    def.rows = 3;
    def.columns = 4;
    return def;
}

static RgGeometry *geometry_of(Kind kind)
{
    RgShapeDef def = def_of(kind);
    RgGeometry *geometry = NULL;
    RgError error;
    RgStatus status = rg_geometry_create(&def, NULL, &geometry, &error);
    cr_assert_eq(status, RG_OK, "%s: %s", kind_names[kind], error.text);
    return geometry;
}

/* A third free, a third on a grid, a third at one place. */
static RgPose draw_place(Draw *d, int trial)
{
    if (trial % 3 == 0)
        return draw_pose(d, 0.7);
    RgPose X = {mat_identity(), vec(0.0, 0.0, 0.0)};
    for (int turn = draw_below(d, 4); turn > 0; turn--)
        X.R = mat_mul(X.R, (RgMat3){{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}});
    for (int turn = draw_below(d, 4); turn > 0; turn--)
        X.R = mat_mul(X.R, (RgMat3){{{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}}});
    if (trial % 3 == 1)
        X.p = vec(0.25 * (draw_below(d, 5) - 2), 0.25 * (draw_below(d, 5) - 2), 0.25 * (draw_below(d, 5) - 2));
    return X;
}

static bool is_surface(Kind kind)
{
    return kind == KIND_closed_surface || kind == KIND_open_surface || kind == KIND_heightfield;
}

static bool may_refuse(Kind a, Kind b)
{
    return (is_surface(a) && is_surface(b)) || (a == KIND_halfspace && b == KIND_halfspace);
}

static bool answered(RgStatus status)
{
    return status == RG_OK || status == RG_ERR_NOT_CONVERGED;
}

static bool finite_vec(RgVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static void check_distance(const RgDistance *d, const char *names)
{
    cr_assert(isfinite(d->distance) && isfinite(d->error) && d->error >= 0.0, "%s: %g, error %g", names, d->distance,
              d->error);
    cr_assert(finite_vec(d->point_a) && finite_vec(d->point_b), "%s: points", names);
    cr_assert(fabs(vec_norm(d->normal) - 1.0) <= ROUND, "%s: normal", names);
    RgVec3 off = vec_sub(vec_sub(d->point_b, d->point_a), vec_scale(d->distance, d->normal));
    cr_assert(vec_norm(off) <= ROUND, "%s: points off by %g", names, vec_norm(off));
}

static bool same_vec(RgVec3 a, RgVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Two equal shapes at one pose are the same either way round: then no order tells their points apart. */
static void check_swap(const RgPlaced *a, const RgPlaced *b, const RgDistance *d, const char *names)
{
    RgDistance other;
    rg_distance(b, a, NULL, &other);
    bool alike = same_vec(a->X_WG.p, b->X_WG.p) && mat_distance(a->X_WG.R, b->X_WG.R) == 0.0;
    cr_assert(d->distance == other.distance && d->error == other.error &&
                  (alike || same_vec(d->point_a, other.point_b)),
              "%s: %.17g, swapped %.17g", names, d->distance, other.distance);
}

static void check_within(const RgPlaced *a, const RgPlaced *b, const RgDistance *d, const char *names)
{
    for (int k = -1; k <= 1; k++) {
        double margin = d->distance + 0.01 * k;
        bool within = false;
        RgStatus status = rg_within(a, b, margin, NULL, &within);
        cr_assert(answered(status), "%s: within %d", names, status);
        if (k != 0)
            cr_assert(within == (k > 0) || d->error >= 0.01, "%s: %g within %g: %d", names, d->distance, margin,
                      within);
    }
}

#define ROOM 512

static void check_manifold(const RgPlaced *a, const RgPlaced *b, const RgDistance *d, const char *names)
{
    static RgContactPoint points[ROOM];
    static RgManifold manifolds[ROOM];
    RgContactBuffer buffer = {points, manifolds, ROOM, ROOM, 0, 0, false, false};
    RgManifoldOptions options = rg_manifold_options_default();
    RgStatus status = rg_manifold(a, b, &options, NULL, &buffer);
    cr_assert(answered(status) && !buffer.overflow, "%s: manifold %d", names, status);
    double least = INFINITY;
    for (int i = 0; i < buffer.npoints; i++) {
        const RgContactPoint *p = &points[i];
        least = fmin(least, p->gap);
        cr_assert(finite_vec(p->point_a) && finite_vec(p->point_b) && p->gap <= options.margin, "%s: contact point %d",
                  names, i);
        cr_assert(fabs(vec_norm(p->normal) - 1.0) <= ROUND, "%s: normal", names);
    }
    cr_assert(buffer.npoints == 0 || least <= d->distance + d->error + AS_DEEP, "%s: least gap %g, distance %g", names,
              least, d->distance);
    cr_assert((buffer.npoints > 0) == (d->distance <= options.margin) ||
                  fabs(d->distance - options.margin) <= d->error + ROUND,
              "%s: %d points, distance %g", names, buffer.npoints, d->distance);
}

static void check_impact(const RgPlaced *a, const RgPlaced *b, const RgDistance *d, Draw *draw, bool walls,
                         const char *names)
{
    RgSweep sweep[2] = {{a->geometry, a->X_WG, a->X_WG.p, {draw_vec(draw, 1.0), draw_vec(draw, 1.0)}},
                        {b->geometry, b->X_WG, b->X_WG.p, {draw_vec(draw, 1.0), draw_vec(draw, 1.0)}}};
    RgImpactOptions options = rg_impact_options_default();
    options.gap = draw_chance(draw, 0.3) ? draw_between(draw, -0.03, 0.03) : 0.0;
    RgImpact exact, careful;
    RgStatus status = rg_time_of_impact(&sweep[0], &sweep[1], &options, &exact);
    cr_assert(answered(status), "%s: exact impact %d", names, status);
    options.method = RG_IMPACT_CONSERVATIVE;
    status = rg_time_of_impact(&sweep[0], &sweep[1], &options, &careful);
    cr_assert(answered(status), "%s: conservative impact %d", names, status);
    cr_assert(exact.time >= 0.0 && exact.time <= options.horizon && exact.latest >= exact.time, "%s: %g, %g", names,
              exact.time, exact.latest);
    double beyond = d->distance - options.gap;
    if (beyond > d->error + ROUND)
        cr_assert(exact.time > 0.0, "%s: %g beyond the gap, impact at once", names, beyond);
    if (beyond < -d->error - ROUND)
        cr_assert(exact.hit && exact.time == 0.0, "%s: %g within the gap, no impact at once", names, -beyond);
    cr_assert(careful.time <= exact.latest, "%s: conservative %g, exact %g ... %g", names, careful.time, exact.time,
              exact.latest);
    bool passed = walls && !exact.hit && careful.hit && careful.at.distance <= options.gap - GRAZE;
    cr_assert(!passed, "%s: gap %g, exact says none, conservative %g at %g s", names, options.gap, careful.at.distance,
              careful.time);
}

static void check_pair(Kind i, Kind j, const RgGeometry *a, const RgGeometry *b)
{
    char names[80];
    Draw draw = draw_seed(1000U * (unsigned)i + (unsigned)j + 7);
    for (int trial = 0; trial < TRIALS; trial++) {
        RgPlaced pa = {a, draw_place(&draw, trial)}, pb = {b, draw_place(&draw, trial)};
        if (trial % 3 == 2)
            pb.X_WG.p = pa.X_WG.p;
        snprintf(names, sizeof names, "%s and %s, trial %d", kind_names[i], kind_names[j], trial);
        RgDistance d;
        RgStatus status = rg_distance(&pa, &pb, NULL, &d);
        if (may_refuse(i, j)) {
            cr_assert_eq(status, RG_ERR_UNSUPPORTED, "%s", names);
            continue;
        }
        cr_assert(answered(status), "%s: distance %d", names, status);
        check_distance(&d, names);
        check_swap(&pa, &pb, &d, names);
        check_within(&pa, &pb, &d, names);
        check_manifold(&pa, &pb, &d, names);
        /* The solid under a field has no walls. */
        check_impact(&pa, &pb, &d, &draw, i != KIND_heightfield && j != KIND_heightfield, names);
    }
}

#define TEST_OF(name)                                                                                                  \
    Test(all_kinds, name)                                                                                              \
    {                                                                                                                  \
        RgGeometry *a = geometry_of(KIND_##name);                                                                      \
        for (int j = 0; j < KIND_COUNT; j++) {                                                                         \
            RgGeometry *b = geometry_of((Kind)j);                                                                      \
            check_pair(KIND_##name, (Kind)j, a, b);                                                                    \
            rg_geometry_destroy(b);                                                                                    \
        }                                                                                                              \
        rg_geometry_destroy(a);                                                                                        \
    }
KINDS(TEST_OF)
