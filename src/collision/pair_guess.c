/*
 * pair_guess.c - distance of two separated polytopes from the features that were nearest before.
 *
 * Any unit n gives a lower bound of the distance, any two points an upper bound:
 *
 *   min_B n.b - max_A n.a  <=  distance  <=  |b - a|
 *
 * From one step to the next the nearest features of a moving pair mostly stay the same, and for two kinds of features n
 * is known without a search:
 *
 *   face F of one, any vertex of the other   n the normal of F; one support query for the vertex of the other that is
 *                                            deepest under F; its foot must lie inside F
 *   edges e of A, f of B                     n along e x f; the nearest points of the lines must lie inside both edges,
 *                                            and no vertex of either shape beyond them
 *
 * Then both bounds agree, which proves the result (Lin, Canny 1991 walk from feature to feature by such tests; here
 * only the first one is made). Points within FOOT_MARGIN of a border, edges that are nearly parallel and shapes that
 * overlap (where the bounds prove nothing) need the general algorithm.
 *
 * Boxes: pair_box_box.c. Cost: 50 to 150 ns. Test against rg_convex_distance_gjk: test_pair_guess.c.
 */
#include "collision/pair_guess.h"

#include "collision/gjk.h"
#include "collision/pair_table.h"

/* Fraction of the sizes by which a foot must be inside a face or an edge. */
#define FOOT_MARGIN 1e-9
/* Squared sine of the angle between two edges above which their normal is accurate. */
#define MIN_EDGE_SINE2 1e-2
/* Round-off of a height, as a fraction of the largest coordinate: a vertex higher by less is not beyond an edge. */
#define HEIGHT_ROUND_OFF 1e-15

/* Fraction of the largest coordinate by which a gap must exceed a margin: distances are accurate to 1e-12 of it. */
#define SEPARATION_MARGIN 1e-11

/* The pair. to_b selects the direction of a transform: 0 from B's frame to A's, x -> R x + p; 1 from A's to B's, R' (x
   - p). */
typedef struct Guess {
    const RgConvexPair *pair;
    double scale; /* m, sum of all coordinates' sizes: scale of the round-off */
} Guess;

static RgVec3 transform_point(const Guess *g, int to_b, RgVec3 x)
{
    const RgPose *X = &g->pair->X_AB;
    return to_b ? m3_apply_t(X->R, v3_sub(x, X->p)) : pose_apply(*X, x);
}

static RgVec3 rotate(const Guess *g, int to_b, RgVec3 x)
{
    return to_b ? m3_apply_t(g->pair->X_AB.R, x) : m3_apply(g->pair->X_AB.R, x);
}

static const RgPolytope *core_of(const RgConvexPair *pair, int which)
{
    return which == 0 ? pair->a->core : pair->b->core;
}

/* Returns true if the foot of x is inside face f. */
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

/* Sets the result; points and normal in A's frame, from A to B. */
static void set_result(const Guess *g, RgVec3 a, RgVec3 n, double distance, RgDistance *out)
{
    out->distance = distance;
    out->error = 2.0 * RG_DIFFERENCE_ROUND * g->scale;
    out->normal = n;
    out->point_a = a;
    out->point_b = v3_axpy(distance, n, a);
    out->iterations = 1;
}

/* Tries a face of shape `which` and the deepest vertex of the other. */
static bool try_face(const Guess *g, int which, int32_t face, RgDistance *out)
{
    const RgPolytope *p = core_of(g->pair, which), *other = core_of(g->pair, 1 - which);
    if (face < 0 || face >= p->nf)
        return false;
    RgVec3 n = p->normal[face], down = v3_neg(rotate(g, which == 0, n));
    int32_t vertex = other->is_box ? rg_box_corner(down) : rg_polytope_support(other, down, -1);
    RgVec3 y = other->vertex[vertex], x = transform_point(g, which == 1, y);
    double distance = v3_dot(n, x) - p->offset[face];
    if (!(distance > HEIGHT_ROUND_OFF * g->scale) || !is_over(p, face, x, FOOT_MARGIN * g->scale))
        return false;
    if (which == 0)
        set_result(g, v3_axpy(-distance, n, x), n, distance, out);
    else
        set_result(g, y, down, distance, out);
    RgFeature at_face = {RG_FEATURE_FACE, face}, at_vertex = {RG_FEATURE_VERTEX, vertex};
    out->feature_a = which == 0 ? at_face : at_vertex;
    out->feature_b = which == 0 ? at_vertex : at_face;
    return true;
}

/* Height of the farthest vertex along n. */
static double support_height(const RgPolytope *p, RgVec3 n)
{
    return v3_dot(n, p->vertex[p->is_box ? rg_box_corner(n) : rg_polytope_support(p, n, -1)]);
}

static bool try_edges(const Guess *g, int32_t edge_a, int32_t edge_b, RgDistance *out)
{
    const RgPolytope *A = core_of(g->pair, 0), *B = core_of(g->pair, 1);
    if (edge_a < 0 || edge_a >= A->ne || edge_b < 0 || edge_b >= B->ne)
        return false;
    RgVec3 a = A->vertex[A->edge[2 * edge_a]], d = v3_sub(A->vertex[A->edge[2 * edge_a + 1]], a);
    RgVec3 y = B->vertex[B->edge[2 * edge_b]], b = transform_point(g, 0, y);
    RgVec3 e = rotate(g, 0, v3_sub(B->vertex[B->edge[2 * edge_b + 1]], y)), n = v3_cross(d, e), r = v3_sub(b, a);
    double dd = v3_norm2(d), ee = v3_norm2(e), nn = v3_norm2(n),
           clear2 = FOOT_MARGIN * FOOT_MARGIN * g->scale * g->scale;
    if (!(nn > MIN_EDGE_SINE2 * dd * ee))
        return false;

    /* Nearest points of the lines, a + s d and b + t e. */
    double s = v3_dot(v3_cross(r, e), n) / nn, t = v3_dot(v3_cross(r, d), n) / nn;
    double s_end = s < 0.5 ? s : 1.0 - s, t_end = t < 0.5 ? t : 1.0 - t;
    if (!(s_end > 0.0 && t_end > 0.0 && s_end * s_end * dd > clear2 && t_end * t_end * ee > clear2))
        return false;
    n = v3_scale((v3_dot(n, r) < 0.0 ? -1.0 : 1.0) / sqrt(nn), n);
    double distance = v3_dot(n, r), noise = HEIGHT_ROUND_OFF * g->scale;
    RgVec3 m = v3_neg(rotate(g, 1, n));
    if (!(distance > noise) || support_height(A, n) > v3_dot(n, a) + noise ||
        support_height(B, m) > v3_dot(m, y) + noise)
        return false;
    set_result(g, v3_axpy(s, d, a), n, distance, out);
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
        return try_face(&g, 0, feature[0].index, out);
    if (feature[1].kind == RG_FEATURE_FACE)
        return try_face(&g, 1, feature[1].index, out);
    return feature[0].kind == RG_FEATURE_EDGE && feature[1].kind == RG_FEATURE_EDGE &&
           try_edges(&g, feature[0].index, feature[1].index, out);
}

/* Extent of a shape from its origin along n, in world axes; NaN for shapes that need a search. */
static double extent_along(const RgShape *shape, const RgMat3 *R, RgVec3 n)
{
    if (shape->type == RG_SHAPE_sphere)
        return shape->size[0];
    if (shape->core == NULL || shape->core->nf == 0)
        return NAN;
    RgVec3 m = m3_apply_t(*R, n);
    if (shape->type == RG_SHAPE_box)
        return 0.5 * (fabs(m.x) * shape->size[0] + fabs(m.y) * shape->size[1] + fabs(m.z) * shape->size[2]);
    return support_height(shape->core, m);
}

bool rg_shapes_separated(const RgShape *const shape[2], const RgPose *const X_W[2], RgVec3 n, double margin)
{
    const RgVec3 *a = &X_W[0]->p, *b = &X_W[1]->p;
    RgVec3 between = v3_sub(*b, *a);
    double scale = fabs(a->x) + fabs(a->y) + fabs(a->z) + fabs(b->x) + fabs(b->y) + fabs(b->z);
    bool balls = shape[0]->type == RG_SHAPE_sphere && shape[1]->type == RG_SHAPE_sphere;
    if (!(margin >= 0.0) || (!balls && v3_norm2(n) == 0.0))
        return false;
    double reach = balls ? shape[0]->size[0] + shape[1]->size[0]
                         : extent_along(shape[0], &X_W[0]->R, n) + extent_along(shape[1], &X_W[1]->R, v3_neg(n));
    double least = reach + (margin + SEPARATION_MARGIN * (scale + fabs(reach) + margin)) * (1.0 + SEPARATION_MARGIN);
    return balls ? v3_norm2(between) > least * least : v3_dot(n, between) > least;
}
