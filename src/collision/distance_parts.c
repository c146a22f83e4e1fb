/*
 * distance_parts.c - geometries of several convex parts, and surfaces of triangles: the least distance.
 *
 * Every pair of parts, but for those whose boxes are farther apart than the best so far; every part with a
 * surface (surface_distance.h), no farther than the best so far.
 *
 * Cost: a query of two convex shapes for each pair that is asked.
 */
#include "collision/placed_bounds.h"
#include "collision/surface_distance.h"
#include "geom/surface_kind.h"

/* The question in A's frame, and the best answer so far. */
typedef struct Search {
    const RgGeometry *a, *b;
    RgPose X_AB;
    RgPairCache *cache; /* of the best pair; may be NULL */
    RgDistance *best;
    RgStatus status;
    int32_t iterations;
} Search;

/* Asks one pair of parts; keeps the answer where it is nearer. */
static void ask_parts(Search *s, int32_t i, int32_t j)
{
    RgConvexPair pair = {&s->a->parts[i], &s->b->parts[j], s->X_AB};
    RgPairCache known = {.part_a = i, .part_b = j};
    if (s->cache != NULL && s->cache->part_a == i && s->cache->part_b == j)
        known = *s->cache;
    RgDistance found = {.distance = INFINITY};
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
    if (s->cache != NULL && s->cache->part_a >= 0 && s->cache->part_a < s->a->nparts && s->cache->part_b >= 0 &&
        s->cache->part_b < s->b->nparts) {
        known_a = s->cache->part_a;
        known_b = s->cache->part_b;
    }
    ask_parts(s, known_a, known_b);
    for (int32_t j = 0; j < s->b->nparts; j++) {
        RgBounds box = rg_bounds_turn(&s->X_AB, &s->b->part_bounds[j]);
        for (int32_t i = 0; i < s->a->nparts; i++)
            if ((i != known_a || j != known_b) &&
                gap2_within(boxes_gap2(&s->a->part_bounds[i], &box), fmax(RG_SURFACE_REACH_LEAST, s->best->distance)))
                ask_parts(s, i, j);
    }
}

/* Every part of A with the surface of B. */
static void ask_surface(Search *s)
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
        ask_surface(&s);
    else
        ask_all_parts(&s);
    out->iterations = s.iterations;
    return s.status;
}
