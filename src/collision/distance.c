/*
 * distance.c - signed distance of convex shapes, and of geometries made of several parts or of triangles.
 *
 * Convex pairs. A shape is a core grown by a ball. The distance of the cores comes from GJK where they are apart, from EPA
 * where they overlap; the two radii are taken off. Normal n, from A to B, unit:
 *
 *   d = min_B n.b - max_A n.a       point_a = core point + r_A n       point_b = point_a + d n
 *
 * Every n gives a lower bound, so the n that gives the largest d found is the answer.
 *
 * Geometries. The first in the order of rg_placed_after is A, whatever the caller says: swapped arguments give the same
 * bits. Parts: the least distance; pairs of parts whose boxes are farther apart than the best so far are left out. Surfaces: the least over
 * the triangles, each taken as a plate. Where the surface is one-sided and the least translation would push the
 * shape out behind a triangle, the triangle's own plane counts instead; a shape wholly behind its nearest triangle
 * is inside, at the negative distance that brings it before the plane.
 *
 * Cost: GJK some 100 ns, EPA some microseconds. Failure: RG_ERR_NOT_CONVERGED, bounds hold.
 */
#include "collision/distance.h"

#include "collision/epa.h"
#include "collision/pair_table.h"
#include "geom/shape_table.h"

#include <float.h>

/* Angle within which an edge or a face counts as lying in the touching plane: what round-off makes of flat ones, rad. */
#define FEATURE_ANGLE 1e-7
/* Promised accuracy as a part of the largest coordinate: apart, and overlapping. */
#define PROMISE_APART 1e-12
#define PROMISE_DEEP 1e-9

/* ------------------------------------------------------------------ convex pairs */

RgConvexPair rg_pair_swap(const RgConvexPair *pair)
{
    return (RgConvexPair){pair->b, pair->a, pose_inverse(pair->X_AB)};
}

static void points_swap(RgDistance *out)
{
    RgVec3 point = out->point_a;
    out->point_a = out->point_b;
    out->point_b = point;
    RgFeature feature = out->feature_a;
    out->feature_a = out->feature_b;
    out->feature_b = feature;
    int32_t part = out->part_a;
    out->part_a = out->part_b;
    out->part_b = part;
    out->normal = v3_neg(out->normal);
}

void rg_distance_swap(const RgPose *X_AB, RgDistance *out)
{
    out->point_a = pose_apply(*X_AB, out->point_a);
    out->point_b = pose_apply(*X_AB, out->point_b);
    out->normal = m3_apply(X_AB->R, out->normal);
    points_swap(out);
}

static double greatest_extent(const RgShape *shape)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    if (kind->support == NULL)
        return 0.0;
    double extent = 0.0;
    for (int i = 0; i < 3; i++) {
        RgVec3 d = {i == 0, i == 1, i == 2};
        double width = v3_dot(d, v3_sub(kind->support(shape, d), kind->support(shape, v3_neg(d))));
        extent = fmax(extent, width);
    }
    return extent;
}

double rg_pair_size(const RgConvexPair *pair)
{
    return fmax(greatest_extent(pair->a), greatest_extent(pair->b));
}

/* From the core of A out to the shapes. */
static void answer_grow(const RgDifference *d, RgVec3 core_point, double core_distance, RgDistance *out)
{
    const RgConvexPair *pair = d->pair;
    RgVec3 n = out->normal;
    out->distance = core_distance - (d->round_a + d->round_b);
    out->point_a = v3_axpy(d->round_a, n, core_point);
    out->point_b = v3_axpy(out->distance, n, out->point_a);
    out->feature_a = rg_shape_feature(pair->a, n, FEATURE_ANGLE);
    out->feature_b = rg_shape_feature(pair->b, v3_neg(m3_apply_t(pair->X_AB.R, n)), FEATURE_ANGLE);
}

static RgVec3 weigh_points(const RgSupport *point, const double *weight, int32_t count)
{
    RgVec3 a = v3_zero();
    for (int32_t i = 0; i < count; i++)
        a = v3_axpy(weight[i], point[i].a, a);
    return a;
}

/* Where EPA could not prove its answer: a bound from simple bodies in D. */
static void prove_depth(const RgDifference *d, RgVec3 a, RgEpa *e)
{
    RgVec3 b = a;
    for (int32_t i = 0; i < e->count; i++)
        b = v3_axpy(e->weight[i], e->point[i].w, b);
    e->lower = fmax(e->lower, rg_inner_depth(d->pair, a, b) - (d->shave_a + d->shave_b));
}

/* A direction to begin with: from the last answer, else from centre to centre. */
static RgVec3 start_direction(const RgConvexPair *pair, const RgPairCache *cache)
{
    if (cache != NULL && v3_norm2(cache->axis_A) > 0.0)
        return cache->axis_A;
    if (v3_norm2(pair->X_AB.p) > 0.0)
        return pair->X_AB.p;
    return v3(1.0, 0.0, 0.0);
}

RgStatus rg_convex_distance_gjk(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    RgDifference d;
    if (!rg_difference_begin(&d, pair))
        return RG_ERR_UNSUPPORTED;
    RgVec3 start = start_direction(pair, cache);
    if (cache != NULL && v3_norm2(cache->axis_A) > 0.0) {
        d.hint_a = cache->vertex_a;
        d.hint_b = cache->vertex_b;
    }

    RgGjk g;
    g.simplex.count = 0;
    rg_gjk(&d, start, &g);
    double promise = PROMISE_APART;
    if (g.apart) {
        out->normal = g.normal;
        out->error = fmax(g.upper - g.lower, 0.0);
        answer_grow(&d, weigh_points(g.simplex.point, g.simplex.weight, g.simplex.count), g.lower, out);
    } else {
        RgEpa e;
        rg_epa(&d, &g.simplex, start, &e);
        RgVec3 a = weigh_points(e.point, e.weight, e.count);
        promise = PROMISE_DEEP;
        if (e.upper - e.lower > promise * sqrt(d.scale2))
            prove_depth(&d, a, &e);
        out->normal = e.normal;
        out->error = fmax(e.upper - e.lower, 0.0);
        answer_grow(&d, a, -e.upper, out);
    }
    out->error += rg_difference_noise(&d);
    out->iterations = d.calls;
    if (cache != NULL) {
        cache->axis_A = out->normal;
        cache->vertex_a = d.hint_a;
        cache->vertex_b = d.hint_b;
    }
    return out->error <= promise * (sqrt(d.scale2) + d.round_a + d.round_b) ? RG_OK : RG_ERR_NOT_CONVERGED;
}

/* Closed forms by kind of A, kind of B. */
static RgPairDistance *const pair_form[RG_SHAPE_COUNT][RG_SHAPE_COUNT] = {
#define PAIR_ENTRY(a, b) [RG_SHAPE_##a][RG_SHAPE_##b] = rg_pair_##a##_##b,
    RG_PAIR_LIST(PAIR_ENTRY)
#undef PAIR_ENTRY
};

/* The cache as the other side sees it. */
static void cache_swap(RgPairCache *cache, const RgMat3 *R_AB)
{
    cache->axis_A = v3_neg(m3_apply_t(*R_AB, cache->axis_A));
    int32_t vertex = cache->vertex_a;
    cache->vertex_a = cache->vertex_b;
    cache->vertex_b = vertex;
}

RgStatus rg_convex_distance(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    RgPairDistance *form = pair_form[pair->a->type][pair->b->type];
    if (form != NULL)
        return form(pair, cache, out);
    form = pair_form[pair->b->type][pair->a->type];
    if (form == NULL)
        return rg_convex_distance_gjk(pair, cache, out);

    RgConvexPair turned = rg_pair_swap(pair);
    if (cache != NULL)
        cache_swap(cache, &pair->X_AB.R);
    RgStatus status = form(&turned, cache, out);
    rg_distance_swap(&pair->X_AB, out);
    if (cache != NULL)
        cache_swap(cache, &turned.X_AB.R);
    return status;
}

/* ------------------------------------------------------------------ order */

static int compare_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_points(const RgVec3 *a, const RgVec3 *b, int32_t count)
{
    int order = 0;
    for (int32_t i = 0; i < count && order == 0; i++)
        order = compare_numbers((double[]){a[i].x, a[i].y, a[i].z}, (double[]){b[i].x, b[i].y, b[i].z}, 3);
    return order;
}

static int compare_shapes(const RgShape *a, const RgShape *b)
{
    int order = compare_numbers(a->size, b->size, 3);
    if (order != 0 || a->core == b->core || a->core == NULL || b->core == NULL)
        return order;
    if (a->core->nv != b->core->nv)
        return a->core->nv < b->core->nv ? -1 : 1;
    return compare_points(a->core->vertex, b->core->vertex, a->core->nv);
}

static int compare_geometries(const RgGeometry *a, const RgGeometry *b)
{
    if (a == b)
        return 0;
    if ((a->surface != NULL) != (b->surface != NULL))
        return a->surface == NULL ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->nparts != b->nparts)
        return a->nparts < b->nparts ? -1 : 1;
    int order = compare_points(&a->bounds.low, &b->bounds.low, 1);
    if (order == 0)
        order = compare_points(&a->bounds.high, &b->bounds.high, 1);
    for (int32_t i = 0; i < a->nparts && order == 0; i++)
        order = compare_shapes(&a->parts[i], &b->parts[i]);
    return order;
}

bool rg_placed_after(const RgPlaced *a, const RgPlaced *b)
{
    int order = compare_geometries(a->geometry, b->geometry);
    if (order == 0)
        order = compare_points(&a->X_WG.p, &b->X_WG.p, 1);
    if (order == 0)
        order = compare_numbers(&a->X_WG.R.m[0][0], &b->X_WG.R.m[0][0], 9);
    return order > 0;
}

/* ------------------------------------------------------------------ parts */

/* Least distance of two boxes along the same axes; 0 where they overlap. */
static double bounds_distance(const RgBounds *a, const RgBounds *b)
{
    RgVec3 gap = {fmax(0.0, fmax(b->low.x - a->high.x, a->low.x - b->high.x)),
                  fmax(0.0, fmax(b->low.y - a->high.y, a->low.y - b->high.y)),
                  fmax(0.0, fmax(b->low.z - a->high.z, a->low.z - b->high.z))};
    return v3_norm(gap);
}

/* Box along the axes of A round a box of B. */
static RgBounds bounds_turn(const RgPose *X_AB, const RgBounds *b)
{
    RgVec3 centre = pose_apply(*X_AB, v3_scale(0.5, v3_add(b->low, b->high)));
    RgVec3 half = v3_scale(0.5, v3_sub(b->high, b->low)), reach;
    const RgMat3 *R = &X_AB->R;
    reach.x = fabs(R->m[0][0]) * half.x + fabs(R->m[0][1]) * half.y + fabs(R->m[0][2]) * half.z;
    reach.y = fabs(R->m[1][0]) * half.x + fabs(R->m[1][1]) * half.y + fabs(R->m[1][2]) * half.z;
    reach.z = fabs(R->m[2][0]) * half.x + fabs(R->m[2][1]) * half.y + fabs(R->m[2][2]) * half.z;
    return (RgBounds){v3_sub(centre, reach), v3_add(centre, reach)};
}

/* The question in A's frame, and the best answer so far. */
typedef struct Search {
    const RgGeometry *a, *b;
    RgPose X_AB;
    RgPairCache *cache; /* of the best pair; may be NULL */
    RgDistance *best;
    RgStatus status;
    int32_t iterations;
    int32_t part_a; /* surfaces: the part of A that is asked */
} Search;

/* Asks one pair of parts; keeps the answer where it is nearer. */
static void ask_parts(Search *s, int32_t i, int32_t j)
{
    RgConvexPair pair = {&s->a->parts[i], &s->b->parts[j], s->X_AB};
    RgPairCache known = {.part_a = i, .part_b = j};
    if (s->cache != NULL && s->cache->part_a == i && s->cache->part_b == j)
        known = *s->cache;
    RgDistance found;
    RgStatus status = rg_convex_distance(&pair, &known, &found);
    s->iterations += found.iterations;
    if (!(found.distance < s->best->distance))
        return;
    *s->best = found;
    s->best->part_a = i;
    s->best->part_b = j;
    s->status = status;
    if (s->cache != NULL)
        *s->cache = known;
}

/* All pairs of parts; the pair known from last time first. */
static void ask_all_parts(Search *s)
{
    int32_t known_a = 0, known_b = 0;
    if (s->cache != NULL && s->cache->part_a < s->a->nparts && s->cache->part_b < s->b->nparts) {
        known_a = s->cache->part_a;
        known_b = s->cache->part_b;
    }
    ask_parts(s, known_a, known_b);
    for (int32_t j = 0; j < s->b->nparts; j++) {
        RgBounds box = bounds_turn(&s->X_AB, &s->b->part_bounds[j]);
        for (int32_t i = 0; i < s->a->nparts; i++)
            if ((i != known_a || j != known_b) &&
                bounds_distance(&s->a->part_bounds[i], &box) <= fmax(0.0, s->best->distance))
                ask_parts(s, i, j);
    }
}

/* ------------------------------------------------------------------ surfaces */

/* The answer along the plane of a triangle (in B's frame), whatever the least translation is. */
static void answer_plane(const RgConvexPair *pair, RgVec3 vertex, RgVec3 normal, RgDistance *out)
{
    const RgShapeKind *kind = rg_shape_kind(pair->a->type);
    RgVec3 n = v3_neg(m3_apply(pair->X_AB.R, normal));
    out->point_a = kind->support(pair->a, n);
    out->distance = v3_dot(n, v3_sub(pose_apply(pair->X_AB, vertex), out->point_a));
    out->normal = n;
    out->point_b = v3_axpy(out->distance, n, out->point_a);
    out->feature_a = rg_shape_feature(pair->a, n, FEATURE_ANGLE);
    out->feature_b = (RgFeature){RG_FEATURE_FACE, 0};
}

static void ask_triangle(int32_t number, void *context, double *reach)
{
    Search *s = context;
    RgTriangle t;
    rg_surface_triangle(s->b->surface, number, &t);
    RgVec3 normal[2] = {t.normal, v3_neg(t.normal)};
    double offset[2] = {v3_dot(t.normal, t.vertex[0]), -v3_dot(t.normal, t.vertex[0])};
    RgPolytope plate = rg_polytope_triangle(t.vertex, normal, offset);
    RgShape shape = {.type = RG_SHAPE_polytope, .size = {1.0, 1.0, 1.0}, .core = &plate};
    RgConvexPair pair = {&s->a->parts[s->part_a], &shape, s->X_AB};
    RgDistance found;
    RgStatus status = rg_convex_distance_gjk(&pair, NULL, &found);
    s->iterations += found.iterations;

    /* Pushed out behind: by the plane instead. */
    RgVec3 out_A = m3_apply(s->X_AB.R, t.normal);
    if (found.distance < 0.0 && rg_surface_one_sided(s->b->surface) && v3_dot(found.normal, out_A) > 0.0)
        answer_plane(&pair, t.vertex[0], t.normal, &found);
    if (!(found.distance < s->best->distance))
        return;
    *s->best = found;
    s->best->part_a = s->part_a;
    s->best->part_b = number;
    s->status = status;
    *reach = fmax(0.0, found.distance);
}

/* A shape that touches nothing but lies behind its nearest triangle is inside. */
static void answer_inside(Search *s)
{
    RgTriangle t;
    rg_surface_triangle(s->b->surface, s->best->part_b, &t);
    RgVec3 out_A = m3_apply(s->X_AB.R, t.normal);
    if (s->best->distance < 0.0 || v3_dot(s->best->normal, out_A) <= 0.0 ||
        s->best->feature_b.kind != RG_FEATURE_FACE)
        return;
    RgConvexPair pair = {&s->a->parts[s->best->part_a], NULL, s->X_AB};
    answer_plane(&pair, t.vertex[0], t.normal, s->best);
}

static void ask_surface(Search *s)
{
    double reach = INFINITY;
    RgPose X_BA = pose_inverse(s->X_AB);
    for (s->part_a = 0; s->part_a < s->a->nparts; s->part_a++) {
        RgBounds box = bounds_turn(&X_BA, &s->a->part_bounds[s->part_a]);
        rg_surface_nearest(s->b->surface, &box, ask_triangle, s, &reach);
    }
    if (rg_surface_one_sided(s->b->surface))
        answer_inside(s);
}

RgStatus rg_distance(const RgPlaced *a, const RgPlaced *b, RgPairCache *cache, RgDistance *out)
{
    if (rg_placed_after(a, b)) {
        RgStatus status = rg_distance(b, a, cache, out);
        points_swap(out);
        return status;
    }
    *out = (RgDistance){.distance = INFINITY};
    const RgGeometry *ga = a->geometry, *gb = b->geometry;
    if (ga->surface != NULL || (ga->type == RG_SHAPE_halfspace && gb->type == RG_SHAPE_halfspace))
        return RG_ERR_UNSUPPORTED;

    Search s = {.a = ga, .b = gb, .X_AB = pose_relative(a->X_WG, b->X_WG), .cache = cache, .best = out};
    if (gb->surface != NULL)
        ask_surface(&s);
    else
        ask_all_parts(&s);
    out->iterations = s.iterations;
    out->point_a = pose_apply(a->X_WG, out->point_a);
    out->normal = m3_apply(a->X_WG.R, out->normal);
    out->point_b = v3_axpy(out->distance, out->normal, out->point_a);
    return s.status;
}
