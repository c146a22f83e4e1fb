/*
 * pair_guess.c - distance of two polytopes that are apart, from the features that were nearest before.
 *
 * Any unit n bounds the distance from below, any two points from above:
 *
 *   min_B n.b - max_A n.a  <=  distance  <=  |b - a|
 *
 * From one step to the next the nearest features of a pair in motion mostly stay the same, and for two kinds of them n
 * is known without any search:
 *
 *   face F of one, any vertex of the other   n the normal of F; one search for the vertex of the other that is deepest
 *                                            under F; its foot must lie inside F
 *   edges e of A, f of B                     n along e x f; the nearest points of the lines must lie inside both, and
 *                                            no vertex of either beyond them
 *
 * Then both bounds agree, which proves the answer (Lin, Canny 1991 walk from feature to feature by such tests; here
 * only the first is asked). Places within CLEAR of a border, edges that are nearly parallel and shapes that overlap
 * (where the bounds prove nothing) go the general way.
 *
 * Boxes: pair_box_box.c. Cost: 50 to 150 ns. Twin: rg_convex_distance_gjk, test_pair_guess.c.
 */
#include "collision/pair_guess.h"

#include "collision/gjk.h"
#include "collision/pair_table.h"

/* Part of the sizes that a foot must be inside a face or an edge by. */
#define CLEAR 1e-9
/* Squared sine of the angle between two edges above which their normal has all its digits. */
#define ACROSS 1e-2
/* Round-off of a height, as a part of the largest coordinate, within which a vertex is not beyond an edge. */
#define NOISE 1e-15

/* What a gap must exceed a margin by, as a part of the largest coordinate: distances are known to 1e-12 of that. */
#define PARTED 1e-11

/* A polytope in the frame of the other: x -> R x + p or, by the other way round, R' (x - p). */
typedef struct Guess {
    const RgConvexPair *pair;
    double scale; /* m, of all coordinates */
} Guess;

static RgVec3 into(const Guess *g, int to_b, RgVec3 x)
{
    const RgPose *X = &g->pair->X_AB;
    return to_b ? m3_apply_t(X->R, v3_sub(x, X->p)) : pose_apply(*X, x);
}

static RgVec3 turn(const Guess *g, int to_b, RgVec3 x)
{
    return to_b ? m3_apply_t(g->pair->X_AB.R, x) : m3_apply(g->pair->X_AB.R, x);
}

static const RgPolytope *core_of(const RgConvexPair *pair, int which)
{
    return which == 0 ? pair->a->core : pair->b->core;
}

/* Is the foot of x inside face f? */
static bool is_over(const RgPolytope *p, int32_t f, RgVec3 x, double clear)
{
    RgVec3 n = p->normal[f];
    int32_t first = p->face_start[f], last = p->face_start[f + 1] - 1;
    RgVec3 a = p->vertex[p->face_vertex[last]];
    for (int32_t k = first; k <= last; k++) {
        RgVec3 b = p->vertex[p->face_vertex[k]], e = v3_sub(b, a);
        double left = v3_dot(v3_cross(n, e), v3_sub(x, a));
        if (!(left > 0.0 && left * left > clear * clear * v3_norm2(e)))
            return false;
        a = b;
    }
    return true;
}

/* Points and normal in A's frame, from A to B. */
static void answer(const Guess *g, RgVec3 a, RgVec3 n, double distance, RgDistance *out)
{
    out->distance = distance;
    out->error = 2.0 * RG_DIFFERENCE_ROUND * g->scale;
    out->normal = n;
    out->point_a = a;
    out->point_b = v3_axpy(distance, n, a);
    out->iterations = 1;
}

/* A face of shape `which` and the deepest vertex of the other. */
static bool guess_face(const Guess *g, int which, int32_t face, RgDistance *out)
{
    const RgPolytope *p = core_of(g->pair, which), *other = core_of(g->pair, 1 - which);
    if (face < 0 || face >= p->nf)
        return false;
    RgVec3 n = p->normal[face], down = v3_neg(turn(g, which == 0, n));
    int32_t vertex = other->is_box ? rg_box_corner(down) : rg_polytope_support(other, down, -1);
    RgVec3 y = other->vertex[vertex], x = into(g, which == 1, y);
    double distance = v3_dot(n, x) - p->offset[face];
    if (!(distance > NOISE * g->scale) || !is_over(p, face, x, CLEAR * g->scale))
        return false;
    if (which == 0)
        answer(g, v3_axpy(-distance, n, x), n, distance, out);
    else
        answer(g, y, down, distance, out);
    RgFeature at_face = {RG_FEATURE_FACE, face}, at_vertex = {RG_FEATURE_VERTEX, vertex};
    out->feature_a = which == 0 ? at_face : at_vertex;
    out->feature_b = which == 0 ? at_vertex : at_face;
    return true;
}

/* Height of the farthest vertex along n. */
static double farthest(const RgPolytope *p, RgVec3 n)
{
    return v3_dot(n, p->vertex[p->is_box ? rg_box_corner(n) : rg_polytope_support(p, n, -1)]);
}

static bool guess_edges(const Guess *g, int32_t edge_a, int32_t edge_b, RgDistance *out)
{
    const RgPolytope *A = core_of(g->pair, 0), *B = core_of(g->pair, 1);
    if (edge_a < 0 || edge_a >= A->ne || edge_b < 0 || edge_b >= B->ne)
        return false;
    RgVec3 a = A->vertex[A->edge[2 * edge_a]], d = v3_sub(A->vertex[A->edge[2 * edge_a + 1]], a);
    RgVec3 y = B->vertex[B->edge[2 * edge_b]], b = into(g, 0, y);
    RgVec3 e = turn(g, 0, v3_sub(B->vertex[B->edge[2 * edge_b + 1]], y)), n = v3_cross(d, e), r = v3_sub(b, a);
    double dd = v3_norm2(d), ee = v3_norm2(e), nn = v3_norm2(n), clear2 = CLEAR * CLEAR * g->scale * g->scale;
    if (!(nn > ACROSS * dd * ee))
        return false;

    /* Nearest points of the lines, a + s d and b + t e. */
    double s = v3_dot(v3_cross(r, e), n) / nn, t = v3_dot(v3_cross(r, d), n) / nn;
    double s_end = s < 0.5 ? s : 1.0 - s, t_end = t < 0.5 ? t : 1.0 - t;
    if (!(s_end > 0.0 && t_end > 0.0 && s_end * s_end * dd > clear2 && t_end * t_end * ee > clear2))
        return false;
    n = v3_scale((v3_dot(n, r) < 0.0 ? -1.0 : 1.0) / sqrt(nn), n);
    double distance = v3_dot(n, r), noise = NOISE * g->scale;
    RgVec3 m = v3_neg(turn(g, 1, n));
    if (!(distance > noise) || farthest(A, n) > v3_dot(n, a) + noise || farthest(B, m) > v3_dot(m, y) + noise)
        return false;
    answer(g, v3_axpy(s, d, a), n, distance, out);
    out->feature_a = (RgFeature){RG_FEATURE_EDGE, edge_a};
    out->feature_b = (RgFeature){RG_FEATURE_EDGE, edge_b};
    return true;
}

bool rg_pair_guess(const RgConvexPair *pair, const RgFeature feature[2], RgDistance *out)
{
    if (pair->a->type == RG_SHAPE_box && pair->b->type == RG_SHAPE_box)
        return rg_pair_box_box_guess(pair, feature, out);
    RgVec3 p = pair->X_AB.p;
    Guess g = {pair, fabs(p.x) + fabs(p.y) + fabs(p.z) + pair->a->extent + pair->b->extent};
    if (feature[0].kind == RG_FEATURE_FACE)
        return guess_face(&g, 0, feature[0].index, out);
    if (feature[1].kind == RG_FEATURE_FACE)
        return guess_face(&g, 1, feature[1].index, out);
    return feature[0].kind == RG_FEATURE_EDGE && feature[1].kind == RG_FEATURE_EDGE &&
           guess_edges(&g, feature[0].index, feature[1].index, out);
}

/* How far a shape reaches along n, in the world's axes, from its origin; NaN: that takes a search. */
static double reach_along(const RgShape *shape, const RgMat3 *R, RgVec3 n)
{
    if (shape->type == RG_SHAPE_sphere)
        return shape->size[0];
    if (shape->core == NULL || shape->core->nf == 0)
        return NAN;
    RgVec3 m = m3_apply_t(*R, n);
    if (shape->type == RG_SHAPE_box)
        return 0.5 * (fabs(m.x) * shape->size[0] + fabs(m.y) * shape->size[1] + fabs(m.z) * shape->size[2]);
    return farthest(shape->core, m);
}

bool rg_shapes_parted(const RgShape *const shape[2], const RgPose *const X_W[2], RgVec3 n, double margin)
{
    const RgVec3 *a = &X_W[0]->p, *b = &X_W[1]->p;
    RgVec3 between = v3_sub(*b, *a);
    double scale = fabs(a->x) + fabs(a->y) + fabs(a->z) + fabs(b->x) + fabs(b->y) + fabs(b->z);
    bool balls = shape[0]->type == RG_SHAPE_sphere && shape[1]->type == RG_SHAPE_sphere;
    if (!(margin >= 0.0) || (!balls && v3_norm2(n) == 0.0))
        return false;
    double reach = balls ? shape[0]->size[0] + shape[1]->size[0]
                         : reach_along(shape[0], &X_W[0]->R, n) + reach_along(shape[1], &X_W[1]->R, v3_neg(n));
    double least = reach + (margin + PARTED * (scale + fabs(reach) + margin)) * (1.0 + PARTED);
    return balls ? v3_norm2(between) > least * least : v3_dot(n, between) > least;
}
