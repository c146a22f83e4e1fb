/*
 * test_new_kind.c - a cone, added to the library by one file and one word, answers everything.
 *
 *   d(A, B) = max over unit n of  sep(n),   sep(n) = min_{b in B} n.b - max_{a in A} n.a
 *
 * Distances of convex pairs: sep(normal) is the distance found, and no other direction of many, each improved step
 * by step, has a larger one; apart, the two points lie on their shapes. Half-spaces, surfaces and geometries of
 * parts: closed forms, or the same from convex pieces. Manifolds, times of impact, rays: from distances, and from
 * points that are in the cone or not.
 */
#include "check_near.h"
#include "draw.h"

#include "geom/geometry.h"
#include "math/pose.h"
#include "math/unit.h"

#include <rigor/rigor.h>

#include <string.h>

#define CONE_R 0.3
#define CONE_L 0.7

#define TRIALS 200

typedef enum Other {
    SPHERE,
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    POLYTOPE,
    CONE,
    HULL,
    CONVEX_COUNT,
    HALFSPACE = CONVEX_COUNT,
    PARTS,
    SURFACE,
    HEIGHTFIELD,
    OTHER_COUNT
} Other;

static const char *const names[OTHER_COUNT] = {"sphere", "box",  "capsule",   "cylinder", "ellipsoid", "polytope",
                                               "cone",   "hull", "halfspace", "parts",    "surface",   "heightfield"};

/* Two boxes of 0.8 x 0.6 x 0.4, the second 1 m along x. */
static const double corners[] = {-0.4, -0.3, -0.2, 0.4, -0.3, -0.2, 0.4, 0.3, -0.2, -0.4, 0.3, -0.2,
                                 -0.4, -0.3, 0.2,  0.4, -0.3, 0.2,  0.4, 0.3, 0.2,  -0.4, 0.3, 0.2,
                                 0.6,  -0.3, -0.2, 1.4, -0.3, -0.2, 1.4, 0.3, -0.2, 0.6,  0.3, -0.2,
                                 0.6,  -0.3, 0.2,  1.4, -0.3, 0.2,  1.4, 0.3, 0.2,  0.6,  0.3, 0.2};
static const int32_t faces[] = {0, 2,  1,  0, 3,  2,  4,  5,  6,  4,  6,  7,  0,  1, 5,  0,  5,  4,
                                1, 2,  6,  1, 6,  5,  2,  3,  7,  2,  7,  6,  3,  0, 4,  3,  4,  7,
                                8, 10, 9,  8, 11, 10, 12, 13, 14, 12, 14, 15, 8,  9, 13, 8,  13, 12,
                                9, 10, 14, 9, 14, 13, 10, 11, 15, 10, 15, 14, 11, 8, 12, 11, 12, 15};
static const int32_t part_start[] = {0, 12, 24};
static const double heights[9] = {0.0};

static RgShapeDef def_of(Other other)
{
    static const struct {
        RgShapeType type;
        double size[3];
        RgMeshUse use;
    } table[OTHER_COUNT] = {
        [SPHERE] = {RG_SHAPE_sphere, {0.3}, RG_MESH_AUTO},
        [BOX] = {RG_SHAPE_box, {0.8, 0.6, 0.4}, RG_MESH_AUTO},
        [CAPSULE] = {RG_SHAPE_capsule, {0.125, 0.5}, RG_MESH_AUTO},
        [CYLINDER] = {RG_SHAPE_cylinder, {0.25, 0.5}, RG_MESH_AUTO},
        [ELLIPSOID] = {RG_SHAPE_ellipsoid, {0.25, 0.5, 0.375}, RG_MESH_AUTO},
        [POLYTOPE] = {RG_SHAPE_polytope, {1.0, 0.5, 1.0}, RG_MESH_AUTO},
        [CONE] = {RG_SHAPE_cone, {CONE_R, CONE_L}, RG_MESH_AUTO},
        [HULL] = {RG_SHAPE_mesh, {0.5, 1.0, 1.0}, RG_MESH_HULL},
        [HALFSPACE] = {RG_SHAPE_halfspace, {0.0}, RG_MESH_AUTO},
        [PARTS] = {RG_SHAPE_mesh, {1.0, 1.0, 1.0}, RG_MESH_PARTS},
        [SURFACE] = {RG_SHAPE_mesh, {1.0, 1.0, 1.0}, RG_MESH_SURFACE},
        [HEIGHTFIELD] = {RG_SHAPE_heightfield, {4.0, 4.0, 1.0}, RG_MESH_AUTO},
    };
    RgShapeDef def = rg_shape_def_default();
    def.type = table[other].type;
    memcpy(def.size, table[other].size, sizeof def.size);
    def.mesh_use = table[other].use;
    def.mesh = (RgMeshData){.vertices = corners, .faces = faces, .nvertices = 16, .nfaces = 24};
    if (other == PARTS) {
        def.mesh.part_start = part_start;
        def.mesh.nparts = 2;
    }
    if (other == POLYTOPE)
        def.mesh.nvertices = 8;
    if (other == SURFACE)
        def.mesh.nfaces = 12;
    def.heights = heights;
    def.rows = def.columns = 3;
    return def;
}

static RgGeometry *geometry_of(Other other)
{
    RgShapeDef def = def_of(other);
    RgGeometry *g = NULL;
    RgError error;
    cr_assert_eq(rg_geometry_create(&def, NULL, &g, &error), RG_OK, "%s: %s", names[other], error.text);
    return g;
}

/* How far a point lies outside the cone, of its three planes: never more than the truth, and 0 inside. */
static double outside_cone(RgVec3 x)
{
    double slant = sqrt(CONE_R * CONE_R + CONE_L * CONE_L), side = sqrt(x.x * x.x + x.y * x.y);
    double above = (side * CONE_L + (x.z - 0.5 * CONE_L) * CONE_R) / slant;
    return fmax(0.0, fmax(above, -0.5 * CONE_L - x.z));
}

/* ------------------------------------------------------------------ distances */

typedef struct Pair {
    const RgGeometry *a, *b;
    RgPose X_AB;
} Pair;

static double separation(const Pair *pair, RgVec3 n)
{
    const RgShape *a = &pair->a->parts[0], *b = &pair->b->parts[0];
    RgVec3 top = rg_shape_kind(a->type)->support(a, n);
    RgVec3 low = rg_shape_kind(b->type)->support(b, v3_neg(m3_apply_t(pair->X_AB.R, n)));
    return v3_dot(n, v3_sub(pose_apply(pair->X_AB, low), top));
}

/* The largest separation that drawn steps from n find. */
static double climb(const Pair *pair, Draw *d, RgVec3 n)
{
    double best = separation(pair, n);
    for (double step = 0.3; step > 1e-9; step *= 0.7)
        for (int k = 0; k < 12; k++) {
            RgVec3 m;
            v3_unit(v3_axpy(step, draw_direction(d), n), n, &m);
            double found = separation(pair, m);
            if (found > best) {
                best = found;
                n = m;
            }
        }
    return best;
}

static double search(const Pair *pair, Draw *d, RgVec3 normal)
{
    double best = climb(pair, d, normal);
    for (int i = 0; i < 12; i++)
        best = fmax(best, climb(pair, d, draw_direction(d)));
    return best;
}

static double distance_of(const RgGeometry *a, RgPose X_WA, const RgGeometry *b, RgPose X_WB)
{
    RgDistance out;
    RgPlaced A = {a, X_WA}, B = {b, X_WB};
    RgStatus status = rg_distance(&A, &B, NULL, &out);
    cr_expect_eq(status, RG_OK, "%s and %s: %s, %g, error %g", rg_shape_type_name(a->type), rg_shape_type_name(b->type),
                 rg_status_text(status), out.distance, out.error);
    return out.distance;
}

/* Distance, status, and swapped arguments. */
static RgDistance ask(const RgPlaced *a, const RgPlaced *b, const char *name)
{
    RgDistance there, back;
    RgStatus status = rg_distance(a, b, NULL, &there);
    cr_assert_eq(status, RG_OK, "%s: %s", name, rg_status_text(status));
    cr_assert_eq(rg_distance(b, a, NULL, &back), RG_OK);
    cr_expect(there.distance == back.distance && memcmp(&there.point_a, &back.point_b, sizeof(RgVec3)) == 0,
              "%s: swapped arguments differ", name);
    return there;
}

Test(new_kind, distance_to_every_convex_kind)
{
    Draw d = draw_seed(1);
    RgShapeDef point_def = def_of(SPHERE);
    point_def.size[0] = 0.0;
    RgGeometry *cone = geometry_of(CONE), *point = NULL;
    cr_assert_eq(rg_geometry_create(&point_def, NULL, &point, NULL), RG_OK);
    for (Other k = 0; k < CONVEX_COUNT; k++) {
        RgGeometry *other = geometry_of(k);
        int apart = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            RgPlaced a = {cone, draw_pose(&d, 0.4)}, b = {other, draw_pose(&d, 0.4)};
            RgDistance out = ask(&a, &b, names[k]);
            Pair pair = {cone, other, pose_relative(a.X_WG, b.X_WG)};
            RgVec3 n = m3_apply_t(a.X_WG.R, out.normal);
            double most = search(&pair, &d, n), promise = out.distance > 0.0 ? 1e-12 : 1e-9;
            CHECK_NEAR(separation(&pair, n), out.distance, promise, "m");
            cr_expect(most <= out.distance + promise, "%s: %.3g, but %.3g by search", names[k], out.distance, most);
            if (out.distance < 0.0)
                continue;
            apart++;
            CHECK_NEAR(outside_cone(pose_apply(pose_inverse(a.X_WG), out.point_a)), 0.0, 1e-12, "m");
            CHECK_NEAR(fmax(0.0, distance_of(point, (RgPose){m3_identity(), out.point_b}, other, b.X_WG)), 0.0, 1e-12,
                       "m");
        }
        cr_expect(apart > TRIALS / 10 && apart < TRIALS - TRIALS / 10, "%s: %d apart", names[k], apart);
        rg_geometry_destroy(other);
    }
    rg_geometry_destroy(cone);
    rg_geometry_destroy(point);
}

Test(new_kind, distance_to_what_is_not_one_bounded_part)
{
    Draw d = draw_seed(2);
    RgGeometry *cone = geometry_of(CONE), *box = geometry_of(BOX);
    for (Other k = CONVEX_COUNT; k < OTHER_COUNT; k++) {
        RgGeometry *other = geometry_of(k);
        for (int trial = 0; trial < 60; trial++) {
            RgPose X = draw_pose(&d, 1.0), here = pose_identity();
            RgPose far = {m3_identity(), v3(1.0, 0.0, 0.0)};
            RgPlaced a = {cone, X}, b = {other, here};
            RgDistance out = ask(&a, &b, names[k]);
            double rim = CONE_R * sqrt(X.R.m[2][0] * X.R.m[2][0] + X.R.m[2][1] * X.R.m[2][1]);
            double up = 0.5 * CONE_L * X.R.m[2][2], lowest = X.p.z + fmin(up, -up - rim);
            double to_box = distance_of(cone, X, box, here), to_both = distance_of(cone, X, box, far);
            if (k == HALFSPACE || (k == HEIGHTFIELD && lowest > 0.0))
                CHECK_NEAR(out.distance, lowest, 1e-12, "m");
            if (k == PARTS)
                CHECK_NEAR(out.distance, fmin(to_box, to_both), 1e-9, "m");
            if (k == SURFACE && to_box > 0.0)
                CHECK_NEAR(out.distance, to_box, 1e-12, "m");
            if (k == SURFACE)
                cr_expect_eq(out.distance < 0.0, to_box < 0.0);
        }
        rg_geometry_destroy(other);
    }
    rg_geometry_destroy(cone);
    rg_geometry_destroy(box);
}

/* ------------------------------------------------------------------ manifolds, motion */

/* Sunk in by a millimetre along the normal found: there is a point as deep as the distance. */
Test(new_kind, manifold_with_every_kind)
{
    Draw d = draw_seed(3);
    RgGeometry *cone = geometry_of(CONE);
    for (Other k = 0; k < OTHER_COUNT; k++) {
        RgGeometry *other = geometry_of(k);
        for (int trial = 0; trial < 30; trial++) {
            RgPlaced a = {cone, draw_pose(&d, 1.0)}, b = {other, pose_identity()};
            RgDistance out = ask(&a, &b, names[k]);
            if (out.distance <= 0.0)
                continue;
            a.X_WG.p = v3_axpy(out.distance + 1e-3, out.normal, a.X_WG.p);
            out = ask(&a, &b, names[k]);
            RgContactPoint points[64];
            RgManifold manifolds[8];
            RgContactBuffer buffer = {
                .points = points, .point_capacity = 64, .manifolds = manifolds, .manifold_capacity = 8};
            RgStatus status = rg_manifold(&a, &b, NULL, NULL, &buffer);
            cr_assert_eq(status, RG_OK, "%s: %s", names[k], rg_status_text(status));
            cr_assert(buffer.npoints > 0 && !buffer.overflow, "%s: no points", names[k]);
            double deepest = INFINITY;
            for (int i = 0; i < buffer.npoints; i++)
                deepest = fmin(deepest, points[i].gap);
            bool right = k == SURFACE || k == HEIGHTFIELD ? deepest >= -1e-3 - 1e-9 && deepest < 0.0
                                                          : fabs(deepest - out.distance) <= 1e-9;
            cr_expect(right, "%s: %g, distance %g", names[k], deepest, out.distance);
        }
        rg_geometry_destroy(other);
    }
    rg_geometry_destroy(cone);
}

/* Base on the floor: the farthest point along the normal is one of the rim; apex and rim too. */
Test(new_kind, stands_on_a_floor)
{
    RgGeometry *cone = geometry_of(CONE), *floor = geometry_of(HALFSPACE);
    RgPlaced a = {cone, {m3_identity(), v3(0.0, 0.0, 0.5 * CONE_L - 1e-4)}}, b = {floor, pose_identity()};
    RgContactPoint points[8];
    RgManifold manifolds[2];
    RgContactBuffer buffer = {.points = points, .point_capacity = 8, .manifolds = manifolds, .manifold_capacity = 2};
    cr_assert_eq(rg_manifold(&a, &b, NULL, NULL, &buffer), RG_OK);
    cr_assert(buffer.npoints >= 1);
    CHECK_NEAR(points[0].gap, -1e-4, 1e-15, "m");
    cr_expect(outside_cone(pose_apply(pose_inverse(a.X_WG), points[0].point_a)) <= 1e-15);
    rg_geometry_destroy(cone);
    rg_geometry_destroy(floor);
}

Test(new_kind, time_of_impact_with_every_kind)
{
    Draw d = draw_seed(4);
    RgGeometry *cone = geometry_of(CONE);
    for (Other k = 0; k < OTHER_COUNT; k++) {
        RgGeometry *other = geometry_of(k);
        int hits = 0;
        for (int trial = 0; trial < 40; trial++) {
            RgSweep a = {.geometry = cone, .X_WG = draw_pose(&d, 0.5)};
            RgSweep b = {.geometry = other, .X_WG = pose_identity()};
            a.X_WG.p.z += 1.6;
            a.centre = a.X_WG.p;
            a.V = (RgMotion){.w = draw_vec(&d, 2.0), .v = v3(0.1, -0.1, -1.5)};
            RgImpact impact;
            RgStatus status = rg_time_of_impact(&a, &b, NULL, &impact);
            cr_assert_eq(status, RG_OK, "%s: %s", names[k], rg_status_text(status));
            double end = impact.hit ? impact.time : 1.0;
            for (int i = 0; i < 20; i++)
                cr_expect(distance_of(cone, rg_sweep_pose(&a, end * i / 20.0), other, b.X_WG) > -1e-9);
            if (!impact.hit)
                continue;
            hits++;
            CHECK_NEAR(distance_of(cone, rg_sweep_pose(&a, end), other, b.X_WG), 0.0, 1e-7, "m");
        }
        cr_expect(hits >= 5, "%s: %d hits", names[k], hits);
        rg_geometry_destroy(other);
    }
    rg_geometry_destroy(cone);
}

/* ------------------------------------------------------------------ rays, spaces, mass */

/* Against a march along the ray in steps of 1/2000 of a metre. */
Test(new_kind, rays)
{
    Draw d = draw_seed(5);
    RgGeometry *cone = geometry_of(CONE);
    int hits = 0;
    for (int trial = 0; trial < 2000; trial++) {
        RgPlaced placed = {cone, draw_pose(&d, 0.5)};
        RgRay ray = {draw_vec(&d, 0.5), draw_direction(&d), 4.0};
        RgPose X_GW = pose_inverse(placed.X_WG);
        double first = INFINITY;
        for (int i = 0; i <= 8000 && first == INFINITY; i++)
            if (outside_cone(pose_apply(X_GW, v3_axpy(5e-4 * i, ray.direction, ray.origin))) == 0.0)
                first = 5e-4 * i;
        RgRayHit hit = {0};
        bool met = rg_ray_cast(&placed, &ray, &hit);
        if (first < INFINITY)
            cr_assert(met && hit.distance <= first + 1e-12, "ray %d", trial);
        if (!met)
            continue;
        hits++;
        cr_expect(outside_cone(pose_apply(X_GW, hit.point)) <= 1e-13, "ray %d", trial);
        cr_expect(hit.distance > first - 5e-4 - 1e-12 || first == INFINITY, "ray %d", trial);
        cr_expect(v3_dot(hit.normal, ray.direction) <= 1e-12);
    }
    cr_expect(hits > 100);
    rg_geometry_destroy(cone);
}

Test(new_kind, overlaps_in_a_space)
{
    Draw d = draw_seed(6);
    RgSpaceDef space_def = rg_space_def_default();
    RgSpace *space = rg_space_create(&space_def);
    RgGeometry *cone = geometry_of(CONE), *box = geometry_of(BOX);
    RgPose place[40];
    for (int i = 0; i < 40; i++) {
        RgColliderDef def = rg_collider_def_default();
        RgColliderId id;
        def.geometry = cone;
        def.X_WG = place[i] = draw_pose(&d, 1.0);
        def.key = (uint64_t)i;
        cr_assert_eq(rg_space_add(space, &def, &id), RG_OK);
    }
    int total = 0;
    for (int trial = 0; trial < 50; trial++) {
        RgPlaced asked = {box, draw_pose(&d, 1.0)};
        RgColliderId found[40];
        int32_t count = rg_space_overlap(space, &asked, 0.01, UINT32_MAX, found, 40), expected = 0;
        for (int i = 0; i < 40; i++)
            expected += distance_of(cone, place[i], box, asked.X_WG) <= 0.01;
        cr_expect_eq(count, expected);
        total += count;
    }
    cr_expect(total > 20);
    rg_space_destroy(space);
    rg_geometry_destroy(cone);
    rg_geometry_destroy(box);
}

/* Against the sum of 100,000 discs. */
Test(new_kind, mass)
{
    RgShapeDef def = def_of(CONE);
    RgInertia out;
    cr_assert_eq(rg_shape_inertia(&def, 700.0, &out), RG_OK);
    double m = 0.0, mz = 0.0, Izz = 0.0, Ixx = 0.0;
    for (int i = 0; i < 100000; i++) {
        double z = CONE_L * ((i + 0.5) / 1e5 - 0.5), r = CONE_R * (0.5 - z / CONE_L);
        double disc = 700.0 * TEST_PI * r * r * CONE_L / 1e5;
        m += disc;
        mz += disc * z;
        Izz += 0.5 * disc * r * r;
        Ixx += disc * (0.25 * r * r + z * z);
    }
    CHECK_REL(out.mass, m, 1e-8, "kg");
    CHECK_REL(out.com.z, mz / m, 1e-8, "m");
    CHECK_REL(out.I.zz, Izz, 1e-8, "kg m^2");
    CHECK_REL(out.I.xx, Ixx - mz * mz / m, 1e-8, "kg m^2");
}

Test(new_kind, refused_by_its_own_check)
{
    RgShapeDef def = def_of(CONE);
    RgGeometry *g = NULL;
    RgError error;
    def.size[1] = 0.0;
    cr_expect_eq(rg_geometry_create(&def, NULL, &g, &error), RG_ERR_ARGUMENT);
    cr_expect_str_eq(error.text, "cone: a size is zero");
    cr_expect_null(g);
}
