/*
 * distance_parts.c - least distance of geometries of several convex parts, and of surfaces of triangles.
 *
 * Evaluates every pair of parts whose boxes are closer than the best distance so far, and every part against a surface
 * (surface_distance.h), up to the best distance so far.
 *
 * Cost: one query of two convex shapes per evaluated pair.
 */
#include "collision/placed_bounds.h"
#include "collision/surface_distance.h"
#include "geom/surface_kind.h"

/* The query in A's frame, and the best result so far. */
typedef struct Search {
    const RgGeometry *a, *b;
    RgPose X_AB;
    RgPairCache *cache; /* of the best pair; may be NULL */
    RgDistance *best;
    RgStatus status;
    int32_t iterations;
} Search;

/* Evaluates one pair of parts; stores the result if it is nearer. */
static void evaluate_pair(Search *s, int32_t i, int32_t j)
{
    RgConvexPair pair = {&s->a->parts[i], &s->b->parts[j], s->X_AB};
    RgPairCache cached = {.part_a = i, .part_b = j};
    if (s->cache != NULL && s->cache->part_a == i && s->cache->part_b == j)
        cached = *s->cache;
    RgDistance found = {.distance = INFINITY};
    RgStatus status = rg_convex_distance(&pair, &cached, &found);
    s->iterations += found.iterations;
    if (!(found.distance < s->best->distance))
        return;
    *s->best = found;
    s->best->part_a = i;
    s->best->part_b = j;
    s->status = status;
    if (s->cache != NULL)
        *s->cache = cached;
}

/* Evaluates all pairs of parts, the cached pair first. */
static void evaluate_all_pairs(Search *s)
{
    int32_t cached_a = 0, cached_b = 0;
    if (s->cache != NULL && s->cache->part_a >= 0 && s->cache->part_a < s->a->nparts && s->cache->part_b >= 0 &&
        s->cache->part_b < s->b->nparts) {
        cached_a = s->cache->part_a;
        cached_b = s->cache->part_b;
    }
    evaluate_pair(s, cached_a, cached_b);
    for (int32_t j = 0; j < s->b->nparts; j++) {
        RgBounds box = rg_bounds_rotate(&s->X_AB, &s->b->part_bounds[j]);
        for (int32_t i = 0; i < s->a->nparts; i++)
            if ((i != cached_a || j != cached_b) &&
                gap2_within(boxes_gap2(&s->a->part_bounds[i], &box), fmax(RG_SURFACE_REACH_LEAST, s->best->distance)))
                evaluate_pair(s, i, j);
    }
}

/* Evaluates every part of A against the surface of B. */
static void evaluate_surface(Search *s)
{
    for (int32_t i = 0; i < s->a->nparts; i++) {
        RgDistance found;
        double reach = fmax(RG_SURFACE_REACH_LEAST, s->best->distance);
        RgStatus status = rg_surface_distance(s->a, i, s->b->surface, &s->X_AB, reach, &found);
        s->iterations += found.iterations;
        if (!(found.distance < s->best->distance))
            continue;
        *s->best = found;
        s->status = status;
    }
}

RgStatus rg_distance_parts(const RgGeometry *a, const RgGeometry *b, const RgPose *X_AB, RgPairCache *cache,
                           RgDistance *out)
{
    *out = (RgDistance){.distance = INFINITY};
    if (a->surface != NULL || (!isfinite(a->radius) && !isfinite(b->radius)))
        return RG_ERR_UNSUPPORTED;
    Search s = {.a = a, .b = b, .X_AB = *X_AB, .cache = cache, .best = out};
    if (b->surface != NULL)
        evaluate_surface(&s);
    else
        evaluate_all_pairs(&s);
    out->iterations = s.iterations;
    return s.status;
}
