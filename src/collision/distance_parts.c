/*
 * distance_parts.c - geometries of several convex parts, and surfaces of triangles: the least distance.
 *
 * Parts. Every pair of parts, but for those whose boxes are farther apart than the best so far.
 *
 * Surfaces. Every triangle, taken as a plate, whose box is nearer than the best so far. A one-sided surface
 * has the solid behind it, which decides what the depth is:
 *
 *   Where the least translation would push the shape out behind a triangle, the triangle's own plane counts
 *   instead.
 *   A shape that overlaps no triangle but lies behind its nearest one (behind both, at an edge) is inside the
 *   solid. Its distance is the negative one that brings it before the plane of that triangle.
 *
 * Cost: a query of two convex shapes for each pair that is asked.
 */
#include "collision/distance.h"

/* Angle within which a feature counts as lying in a triangle's plane, rad. */
#define PLANE_ANGLE 1e-7
/* What stays within reach once something overlaps: all that overlaps, m. A surface asks for a positive one
   with a square. */
#define REACH_LEAST 1e-100

/* Least distance of two boxes along the same axes; 0 where they overlap. */
static double bounds_distance(const RgBounds *a, const RgBounds *b)
{
    RgVec3 gap = {fmax(0.0, fmax(b->low.x - a->high.x, a->low.x - b->high.x)),
                  fmax(0.0, fmax(b->low.y - a->high.y, a->low.y - b->high.y)),
                  fmax(0.0, fmax(b->low.z - a->high.z, a->low.z - b->high.z))};
    return v3_norm(gap);
}

/* Box along the axes of A round a box of B. Without bound where that is. */
static RgBounds bounds_turn(const RgPose *X_AB, const RgBounds *b)
{
    RgVec3 far = {INFINITY, INFINITY, INFINITY};
    if (!v3_finite(b->low) || !v3_finite(b->high))
        return (RgBounds){v3_neg(far), far};
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
    bool one_sided;
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
    if (s->cache != NULL && s->cache->part_a >= 0 && s->cache->part_a < s->a->nparts &&
        s->cache->part_b >= 0 && s->cache->part_b < s->b->nparts) {
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

/* The answer along the plane of a triangle (in B's frame), whatever the least translation is. */
static void answer_plane(const RgConvexPair *pair, RgVec3 vertex, RgVec3 normal, RgDistance *out)
{
    const RgShapeKind *kind = rg_shape_kind(pair->a->type);
    RgVec3 n = v3_neg(m3_apply(pair->X_AB.R, normal));
    out->point_a = kind->support(pair->a, n);
    out->distance = v3_dot(n, v3_sub(pose_apply(pair->X_AB, vertex), out->point_a));
    out->normal = n;
    out->point_b = v3_axpy(out->distance, n, out->point_a);
    out->feature_a = rg_shape_feature(pair->a, n, PLANE_ANGLE);
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
    RgDistance found = {.distance = INFINITY};
    RgStatus status = rg_convex_distance(&pair, NULL, &found);
    s->iterations += found.iterations;

    /* Pushed out behind: by the plane instead. A half-space has but one way out. */
    RgVec3 out_A = m3_apply(s->X_AB.R, t.normal);
    if (found.distance < 0.0 && s->one_sided && v3_dot(found.normal, out_A) > 0.0)
        answer_plane(&pair, t.vertex[0], t.normal, &found);
    if (!(found.distance < s->best->distance))
        return;
    if (found.feature_b.kind == RG_FEATURE_FACE)
        found.feature_b.index = 0;
    *s->best = found;
    s->best->part_a = s->part_a;
    s->best->part_b = number;
    s->status = status;
    *reach = fmax(REACH_LEAST, found.distance);
}

/* Whether the nearest point of a surface is seen from behind: from behind both triangles at an edge. */
static bool is_behind(const Search *s, const RgTriangle *t)
{
    RgFeature at = s->best->feature_b;
    if (s->best->distance < 0.0 || v3_dot(s->best->normal, m3_apply(s->X_AB.R, t->normal)) <= 0.0)
        return false;
    if (at.kind == RG_FEATURE_EDGE)
        return !t->open[at.index] && v3_dot(s->best->normal, m3_apply(s->X_AB.R, t->across[at.index])) > 0.0;
    return at.kind == RG_FEATURE_FACE;
}

static void ask_surface(Search *s)
{
    double reach = INFINITY;
    RgPose X_BA = pose_inverse(s->X_AB);
    s->one_sided = rg_surface_one_sided(s->b->surface) && s->a->type != RG_SHAPE_halfspace;
    for (s->part_a = 0; s->part_a < s->a->nparts; s->part_a++) {
        RgBounds box = bounds_turn(&X_BA, &s->a->part_bounds[s->part_a]);
        rg_surface_nearest(s->b->surface, &box, ask_triangle, s, &reach);
    }
    if (!s->one_sided || s->best->distance == INFINITY)
        return;

    /* Inside: by the plane of the nearest triangle. */
    RgTriangle t;
    rg_surface_triangle(s->b->surface, s->best->part_b, &t);
    if (is_behind(s, &t)) {
        RgConvexPair pair = {&s->a->parts[s->best->part_a], NULL, s->X_AB};
        answer_plane(&pair, t.vertex[0], t.normal, s->best);
    }
}

RgStatus rg_distance_parts(const RgGeometry *a, const RgGeometry *b, const RgPose *X_AB, RgPairCache *cache,
                           RgDistance *out)
{
    *out = (RgDistance){.distance = INFINITY};
    if (a->surface != NULL || (a->type == RG_SHAPE_halfspace && b->type == RG_SHAPE_halfspace))
        return RG_ERR_UNSUPPORTED;
    Search s = {.a = a, .b = b, .X_AB = *X_AB, .cache = cache, .best = out};
    if (b->surface != NULL)
        ask_surface(&s);
    else
        ask_all_parts(&s);
    out->iterations = s.iterations;
    return s.status;
}
