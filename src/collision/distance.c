/*
 * distance.c - signed distance of convex shapes, and of geometries made of several parts or of triangles.
 *
 * Convex pairs. A shape is a core grown by a ball. The distance of the cores comes from GJK if they are separated, from
 * EPA if they overlap; the two radii are subtracted. Normal n, from A to B, unit:
 *
 *   d = min_B n.b - max_A n.a       point_a = core point + r_A n       point_b = point_a + d n
 *
 * Every n gives a lower bound, so the n with the largest d found is the result.
 *
 * Geometries. A is the first in the order of rg_placed_after, independently of the order of the arguments: swapped
 * arguments give the same bits. Several parts or triangles: distance_parts.c.
 *
 * The error is the difference of the upper and lower bounds, plus round-off. If the bounds of EPA are not close enough,
 * the depth is proven over all normals (epa_proof.c).
 *
 * Cost: GJK some 100 ns, EPA some microseconds, a proof some hundred. Failure: RG_ERR_NOT_CONVERGED, the bounds remain
 * valid.
 */
#include "collision/distance.h"

#include "collision/epa.h"
#include "collision/pair_table.h"
#include "collision/placed_bounds.h"
#include "geom/shape_table.h"

#include <float.h>

/* rad; an edge or a face within this angle of the contact plane counts as lying in it: round-off of flat contacts. */
#define FEATURE_ANGLE 1e-7
/* Fraction of the largest coordinate below which a depth cannot be distinguished from touching. */
#define TOUCH_ROUND 2e-14
/* Guaranteed accuracy as a fraction of the largest coordinate: separated, and overlapping. */
#define ACCURACY_APART 1e-12
#define ACCURACY_DEEP 1e-9

/* m; poses farther away than the largest shapes are rejected. */
#define FARTHEST 1e70

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

double rg_pair_size(const RgConvexPair *pair)
{
    return fmax(rg_shape_extent(pair->a), rg_shape_extent(pair->b));
}

static RgFeature feature_at(const RgShape *shape, int32_t vertex, RgVec3 n)
{
    if (shape->core != NULL && vertex >= 0)
        return rg_polytope_feature(shape->core, vertex, n, FEATURE_ANGLE);
    return rg_shape_feature(shape, n, FEATURE_ANGLE);
}

/* Result of the shapes from that of the cores. at: one of the points that support it. */
static void set_shape_result(const RgDifference *d, RgVec3 core_point, double core_distance, const RgSupport *at,
                             RgDistance *out)
{
    const RgConvexPair *pair = d->pair;
    RgVec3 n = out->normal;
    out->distance = core_distance - (d->round_a + d->round_b);
    out->point_a = v3_axpy(d->round_a, n, core_point);
    out->point_b = v3_axpy(out->distance, n, out->point_a);
    out->feature_a = feature_at(pair->a, at->va, n);
    out->feature_b = feature_at(pair->b, at->vb, v3_neg(m3_apply_t(pair->X_AB.R, n)));
}

static RgVec3 weighted_point(const RgSupport *point, const double *weight, int32_t count)
{
    RgVec3 a = v3_zero();
    for (int32_t i = 0; i < count; i++)
        a = v3_axpy(weight[i], point[i].a, a);
    return a;
}

/* Initial simplex and direction: the vertices of the cached result, else its axis, else from centre to centre. */
static RgVec3 initial_simplex(RgDifference *d, const RgPairCache *cache, RgSimplex *simplex)
{
    simplex->count = 0;
    if (cache == NULL || v3_norm2(cache->axis_A) == 0.0)
        return v3_norm2(d->pair->X_AB.p) > 0.0 ? d->pair->X_AB.p : v3(1.0, 0.0, 0.0);
    int32_t count = cache->count < 3 ? cache->count : 3;
    for (int32_t i = 0; i < count; i++)
        if (rg_difference_vertex(d, cache->vertex_a[i], cache->vertex_b[i], &simplex->point[simplex->count]))
            simplex->count++;
    if (simplex->count > 0) {
        d->hint_a = cache->vertex_a[0];
        d->hint_b = cache->vertex_b[0];
    }
    return cache->axis_A;
}

/* Stores the vertices that support the result for the next query. */
static void store_cache(RgPairCache *cache, RgVec3 normal, const RgSupport *point, int32_t count)
{
    if (cache == NULL)
        return;
    cache->axis_A = normal;
    cache->count = count;
    for (int32_t i = 0; i < count; i++) {
        cache->vertex_a[i] = point[i].va;
        cache->vertex_b[i] = point[i].vb;
    }
}

/* Distance of the nearest points of the simplex: an upper bound, whatever the normal. */
static double witness_distance(const RgSimplex *s)
{
    RgVec3 x = v3_zero();
    for (int32_t i = 0; i < s->count; i++)
        x = v3_axpy(s->weight[i], s->point[i].w, x);
    return v3_norm(x);
}

static RgStatus separated_result(const RgDifference *d, const RgGjk *g, RgPairCache *cache, RgDistance *out)
{
    const RgSimplex *s = &g->simplex;
    double scale = sqrt(d->scale2);
    out->normal = g->normal;
    out->error = fmax(fmax(g->upper, witness_distance(s)) - g->lower, 0.0) + RG_DIFFERENCE_ROUND * scale;
    out->iterations = d->calls;
    set_shape_result(d, weighted_point(s->point, s->weight, s->count), g->lower, &s->point[0], out);
    store_cache(cache, g->normal, s->point, s->count);
    return out->error <= ACCURACY_APART * scale ? RG_OK : RG_ERR_NOT_CONVERGED;
}

static RgStatus overlap_result(RgDifference *d, const RgGjk *g, RgVec3 guess, RgPairCache *cache, RgDistance *out)
{
    RgEpa e;
    rg_epa(d, &g->simplex, guess, &e);
    double accuracy = ACCURACY_DEEP * (sqrt(d->scale2) + d->round_a + d->round_b);
    if (e.upper - e.lower > accuracy)
        rg_epa_prove(d, 0.5 * accuracy, &e);
    if (!e.done)
        rg_epa_polish(d, &e);
    RgVec3 a = weighted_point(e.point, e.weight, e.count);
    out->normal = e.normal;
    out->error = fmax(e.upper - e.lower, 0.0) + TOUCH_ROUND * sqrt(d->scale2);
    out->iterations = d->calls;
    set_shape_result(d, a, -e.upper, &e.point[0], out);
    store_cache(cache, e.normal, e.point, e.count);
    return out->error <= accuracy ? RG_OK : RG_ERR_NOT_CONVERGED;
}

static RgStatus gjk_epa_distance(const RgConvexPair *pair, double limit, RgPairCache *cache, RgDistance *out)
{
    RgDifference d;
    if (!rg_difference_init(&d, pair))
        return RG_ERR_UNSUPPORTED;
    d.limit = limit;
    RgGjk g;
    RgVec3 start = initial_simplex(&d, cache, &g.simplex);
    rg_gjk(&d, start, &g);
    if (g.beyond) {
        *out = (RgDistance){.distance = g.lower - (d.round_a + d.round_b), .error = INFINITY, .normal = g.normal};
        return RG_OK;
    }
    return g.apart ? separated_result(&d, &g, cache, out) : overlap_result(&d, &g, start, cache, out);
}

RgStatus rg_convex_distance_gjk(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    return gjk_epa_distance(pair, 0.0, cache, out);
}

/* Closed forms by kind of A, then kind of B. */
static RgPairDistance *const pair_form[RG_SHAPE_COUNT][RG_SHAPE_COUNT] = {
#define PAIR_ENTRY(a, b) [RG_SHAPE_##a][RG_SHAPE_##b] = rg_pair_##a##_##b,
    RG_PAIR_LIST(PAIR_ENTRY)
#undef PAIR_ENTRY
#define HALFSPACE_ENTRY(a) [RG_SHAPE_##a][RG_SHAPE_halfspace] = rg_pair_any_halfspace,
        RG_SHAPE_LIST(HALFSPACE_ENTRY)
#undef HALFSPACE_ENTRY
};

/* The cache with A and B exchanged. */
static void cache_swap(RgPairCache *cache, const RgMat3 *R_AB)
{
    cache->axis_A = v3_neg(m3_apply_t(*R_AB, cache->axis_A));
    for (int i = 0; i < 3; i++) {
        int32_t vertex = cache->vertex_a[i];
        cache->vertex_a[i] = cache->vertex_b[i];
        cache->vertex_b[i] = vertex;
    }
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

RgStatus rg_convex_distance_within(const RgConvexPair *pair, double limit, RgPairCache *cache, RgDistance *out)
{
    if (limit > 0.0 && pair->a->type == RG_SHAPE_box && pair->b->type == RG_SHAPE_box)
        return rg_pair_box_box_within(pair, limit, out);
    bool closed = pair_form[pair->a->type][pair->b->type] != NULL || pair_form[pair->b->type][pair->a->type] != NULL;
    return closed ? rg_convex_distance(pair, cache, out) : gjk_epa_distance(pair, limit, cache, out);
}

/* ------------------------------------------------------------------ geometries */

/* Two single convex shapes. */
static RgStatus single_distance(const RgGeometry *a, const RgGeometry *b, const RgPose *X_AB, RgPairCache *cache,
                                RgDistance *out)
{
    RgConvexPair pair = {a->parts, b->parts, *X_AB};
    out->part_a = out->part_b = 0;
    return rg_convex_distance(&pair, cache, out);
}

bool rg_pose_reachable(const RgPose *X)
{
    return pose_finite(*X) && fabs(X->p.x) <= FARTHEST && fabs(X->p.y) <= FARTHEST && fabs(X->p.z) <= FARTHEST;
}

RgStatus rg_distance(const RgPlaced *a, const RgPlaced *b, RgPairCache *cache, RgDistance *out)
{
    if (!rg_pose_reachable(&a->X_WG) || !rg_pose_reachable(&b->X_WG)) {
        *out = (RgDistance){.distance = 0.0};
        return RG_ERR_NOT_FINITE;
    }
    bool swap = rg_placed_after(a, b);
    const RgPlaced *first = swap ? b : a, *second = swap ? a : b;
    const RgGeometry *ga = first->geometry, *gb = second->geometry;
    RgPose X_AB = pose_relative(first->X_WG, second->X_WG);
    RgStatus status;
    if (ga->nparts == 1 && gb->nparts == 1 && ga->radius < INFINITY)
        status = single_distance(ga, gb, &X_AB, cache, out);
    else
        status = rg_distance_parts(ga, gb, &X_AB, cache, out);
    out->point_a = pose_apply(first->X_WG, out->point_a);
    out->normal = m3_apply(first->X_WG.R, out->normal);
    out->point_b = v3_axpy(out->distance, out->normal, out->point_a);
    if (swap)
        points_swap(out);
    return status;
}
