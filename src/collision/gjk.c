/*
 * gjk.c - distance of two cores that do not overlap (Gilbert, Johnson, Keerthi 1988).
 *
 * D = B - A is given by its support function. The algorithm keeps a simplex of at most four points of D, its point x
 * nearest to the origin, and a unit direction n from the origin to it:
 *
 *   w = the point of D that is least along n       n.w  <=  distance  <=  |x|
 *
 * If the bounds agree, or w is a corner of the simplex already (polytopes: the bounds then agree exactly), the search
 * ends; otherwise w is added to the simplex. n is x / |x| on points and segments. On a triangle it is the triangle's
 * normal, which is as accurate at a gap of 1e-10 as at a gap of 1, where x has too few digits left to give a direction.
 *
 * At a small gap, the direction of a point or a segment has an error of round-off over |x|. The support point of the
 * wrong direction is lower than x by no more than that error. n is rotated about the simplex until it is perpendicular
 * also to the edge to that point, and so on, until no point is lower (level_direction).
 *
 * Result: apart, with both bounds; or not apart, with a simplex that contains the origin up to round-off. Failure: at
 * most GJK_STEPS steps; the bounds are valid at any time.
 */
#include "collision/gjk.h"

#include <float.h>

/* Cost bounds. */
#define GJK_STEPS 128
#define LEVEL_STEPS 12
/* Consecutive steps without an improvement of either bound. One is not enough: a point far away with a weight of 1e-10
   may have to be replaced before the direction changes, which moves x by less than round-off. */
#define GJK_STALLS 4
/* Bounds of curved cores that differ by less than this fraction of the largest coordinate count as equal: the last
   digits need many steps. */
#define GJK_ROUND_CURVED 1e-14
/* Lower bounds that differ by less than this fraction of the largest coordinate are equally good. */
#define GJK_EQUAL_BOUNDS 1e-13
/* If |x| is less than this fraction of the largest coordinate, x is round-off. */
#define GJK_TOUCH 1e-14

/* Support function of a shape, its rounding, and the part of the rounding that the support function includes. */
static void init_side(const RgShape *shape, RgVec3 (**support)(const RgShape *, RgVec3), double *round, double *shave)
{
    *round = rg_shape_rounding(shape);
    *support = rg_shape_kind(shape->type)->support;
    *shave = shape->core == NULL ? *round : 0.0;
}

bool rg_difference_init(RgDifference *d, const RgConvexPair *pair)
{
    *d = (RgDifference){.pair = pair, .hint_a = -1, .hint_b = -1, .scale2 = v3_norm2(pair->X_AB.p)};
    init_side(pair->a, &d->support_a, &d->round_a, &d->shave_a);
    init_side(pair->b, &d->support_b, &d->round_b, &d->shave_b);
    return d->support_a != NULL && d->support_b != NULL;
}

bool rg_difference_init_unshaved(RgDifference *d, const RgConvexPair *pair)
{
    bool bounded = rg_difference_init(d, pair);
    d->round_a -= d->shave_a;
    d->round_b -= d->shave_b;
    d->shave_a = d->shave_b = 0.0;
    return bounded;
}

static inline void support_along(RgDifference *d, RgVec3 n, RgSupport *s)
{
    const RgPose *X = &d->pair->X_AB;
    s->va = d->hint_a;
    s->vb = d->hint_b;
    s->a = rg_difference_side(d->pair->a, d->support_a, n, &s->va);
    RgVec3 b = rg_difference_side(d->pair->b, d->support_b, v3_neg(m3_apply_t(X->R, n)), &s->vb);
    rg_difference_update_scale(d, s->a, b);
    b = v3_add(m3_apply(X->R, b), X->p);
    if (d->shave_a > 0.0)
        s->a = v3_axpy(-d->shave_a, n, s->a);
    if (d->shave_b > 0.0)
        b = v3_axpy(d->shave_b, n, b);
    d->hint_a = s->va;
    d->hint_b = s->vb;
    d->calls++;
    s->w = v3_sub(b, s->a);
}

RgSupport rg_difference_support(RgDifference *d, RgVec3 n)
{
    RgSupport s;
    support_along(d, n, &s);
    return s;
}

bool rg_difference_vertex(RgDifference *d, int32_t va, int32_t vb, RgSupport *out)
{
    const RgPolytope *A = d->pair->a->core, *B = d->pair->b->core;
    if (A == NULL || B == NULL || va < 0 || va >= A->nv || vb < 0 || vb >= B->nv)
        return false;
    out->va = va;
    out->vb = vb;
    out->a = A->vertex[va];
    rg_difference_update_scale(d, out->a, B->vertex[vb]);
    out->w = v3_sub(pose_apply(d->pair->X_AB, B->vertex[vb]), out->a);
    return true;
}

double rg_difference_noise(const RgDifference *d)
{
    return RG_DIFFERENCE_ROUND * sqrt(d->scale2);
}

static bool is_polytope(const RgSupport *s)
{
    return s->va >= 0 && s->vb >= 0;
}

static bool is_corner(const RgSimplex *s, const RgSupport *w)
{
    if (!is_polytope(w))
        return false;
    for (int i = 0; i < s->count; i++)
        if (s->point[i].va == w->va && s->point[i].vb == w->vb)
            return true;
    return false;
}

/* Unit direction from the origin to the simplex, and the distance along it. Close to a segment, x is small by
   cancellation and no longer perpendicular to it: its component along the segment is removed. */
static RgVec3 simplex_direction(const RgSimplex *s, double *far)
{
    if (s->count == 3) {
        double along = v3_dot(s->normal, s->nearest), length = v3_norm(s->normal);
        *far = fabs(along) / length;
        return v3_scale((along < 0.0 ? -1.0 : 1.0) / length, s->normal);
    }
    RgVec3 x = s->nearest, e = v3_sub(s->point[s->count - 1].w, s->point[0].w);
    if (v3_norm2(x) < v3_norm2(e))
        x = v3_axpy(-v3_dot(x, e) / v3_norm2(e), e, x);
    *far = v3_norm(x);
    return v3_scale(1.0 / *far, x);
}

/* Stores a direction if it improves the lower bound. */
static void store_if_better(RgGjk *g, RgVec3 n, double lower)
{
    if (lower > g->lower) {
        g->lower = lower;
        g->normal = n;
    }
}

/* A normal perpendicular to at most two edges, and the least point of D along it. */
typedef struct EdgeNormal {
    RgVec3 n, edge[2];
    int edges;
    RgSupport w;
    double lower; /* minus infinity: the edges have no common normal */
} EdgeNormal;

/* Makes the normal perpendicular to the edges, without reversing it. */
static void rotate_normal(RgDifference *d, EdgeNormal *at)
{
    RgVec3 n = at->n;
    if (at->edges == 1)
        n = v3_axpy(-v3_dot(n, at->edge[0]) / v3_norm2(at->edge[0]), at->edge[0], n);
    else if (at->edges == 2)
        n = v3_cross(at->edge[0], at->edge[1]);
    double length = v3_norm(n);
    at->lower = -INFINITY;
    if (!(length > 0.0))
        return;
    at->n = v3_scale((v3_dot(n, at->n) < 0.0 ? -1.0 : 1.0) / length, n);
    at->w = rg_difference_support(d, at->n);
    at->lower = v3_dot(at->n, at->w.w);
}

/* Adds the edge e to a lower point: of two edges and e, keeps the two with the better lower bound. */
static void add_edge(RgDifference *d, EdgeNormal *at, RgVec3 e)
{
    if (at->edges < 2) {
        at->edge[at->edges++] = e;
        rotate_normal(d, at);
        return;
    }
    EdgeNormal first = *at, second = *at;
    first.edge[0] = e;
    second.edge[1] = e;
    rotate_normal(d, &first);
    rotate_normal(d, &second);
    *at = first.lower > second.lower ? first : second;
}

/* Makes n perpendicular to the edges of the simplex and then to the edges to the lower points found, one after
   another. */
static void level_direction(RgDifference *d, RgGjk *g)
{
    const RgSimplex *s = &g->simplex;
    EdgeNormal at = {.n = g->last};
    for (int i = 1; i < s->count; i++)
        at.edge[at.edges++] = v3_sub(s->point[i].w, s->point[0].w);
    rotate_normal(d, &at);
    for (int step = 0; step < LEVEL_STEPS && at.lower > -INFINITY; step++) {
        bool full = at.edges == 2, better = at.lower > g->lower;
        store_if_better(g, at.n, at.lower);
        if (g->upper - g->lower <= rg_difference_noise(d))
            return;
        if (full && ((step > 0 && !better) || is_corner(s, &at.w)))
            return;
        add_edge(d, &at, v3_sub(at.w.w, s->point[0].w));
    }
}

/* One side of a triangle with the origin in its plane: returns true if no point of D lies beyond it. */
static bool touches_side(RgDifference *d, RgGjk *g, RgVec3 n)
{
    RgSupport w = rg_difference_support(d, n);
    store_if_better(g, n, v3_dot(n, w.w));
    return g->lower >= -rg_difference_noise(d);
}

/* A thin triangle has an inaccurate normal: tries the normal of the features through its points. */
static void try_feature_normal(RgDifference *d, RgGjk *g)
{
    RgVec3 m = rg_difference_normal(d, g->simplex.point, g->last);
    if (v3_norm2(m) == 0.0)
        return;
    RgSupport w = rg_difference_support(d, m);
    store_if_better(g, m, v3_dot(m, w.w));
}

/* Robust steps until the bounds agree or no longer change. */
static void descend(RgDifference *d, RgGjk *g)
{
    RgSimplex *s = &g->simplex;
    RgNearest next;
    double round = is_polytope(&s->point[0]) ? RG_DIFFERENCE_ROUND : GJK_ROUND_CURVED, least = INFINITY;
    int stalls = 0;
    for (int step = 0; step < GJK_STEPS; step++) {
        /* The origin is reached. A triangle still has a direction: D may end at its plane. */
        g->last = simplex_direction(s, &g->upper);
        bool touch = g->upper <= GJK_TOUCH * sqrt(d->scale2);
        if (touch && s->count < 3) {
            g->apart = false;
            return;
        }

        /* Bounds. */
        RgSupport w = rg_difference_support(d, g->last);
        g->last_lower = v3_dot(g->last, w.w);
        stalls = g->last_lower > g->lower || g->upper < least ? 0 : stalls + 1;
        least = fmin(least, g->upper);
        store_if_better(g, g->last, g->last_lower);
        if (g->upper - g->last_lower <= round * sqrt(d->scale2) || is_corner(s, &w))
            return;

        /* Add the new point. */
        s->point[s->count++] = w;
        rg_simplex_solve(s, &next);
        if (next.norm2 == INFINITY) {
            g->apart = false;
            return;
        }

        /* No bound improves, or a flat tetrahedron gave a wrong face: round-off. */
        double longest = g->upper + rg_difference_noise(d);
        if (stalls == GJK_STALLS || next.norm2 > longest * longest) {
            s->count--;
            g->apart = !(touch && !touches_side(d, g, v3_neg(g->last)));
            return;
        }
        rg_simplex_keep(s, &next);
    }
}

/* Solves the simplex passed in, or starts with the support point along `start`. */
static void init_simplex(RgDifference *d, RgVec3 start, RgSimplex *s)
{
    RgNearest first;
    if (s->count == 0) {
        s->count = 1;
        support_along(d, v3_scale(1.0 / v3_norm(start), start), &s->point[0]);
    }
    rg_simplex_solve(s, &first);
    rg_simplex_keep(s, &first);
}

void rg_gjk(RgDifference *d, RgVec3 start, RgGjk *g)
{
    RgSimplex *s = &g->simplex;
    bool polytopes = d->pair->a->core != NULL && d->pair->b->core != NULL;
    if (!polytopes || s->count > 0)
        init_simplex(d, start, s);
    g->lower = -INFINITY;
    g->apart = true;
    g->beyond = false;
    bool fast = polytopes && rg_gjk_fast_steps(d, start, g);
    if (!fast)
        descend(d, g);
    if (!g->apart || g->beyond)
        return;
    if (s->count == 3)
        try_feature_normal(d, g);
    if (!fast && g->upper - g->lower > rg_difference_noise(d))
        level_direction(d, g);

    /* No direction separates them, and the bounds differ: they may overlap. */
    if (g->lower < 0.0 && g->upper - g->lower > GJK_EQUAL_BOUNDS * sqrt(d->scale2)) {
        g->apart = false;
        return;
    }

    /* Among equally good normals, prefer the one along x: the points of A and B are then opposite to each other along
       it. */
    bool moved = !fast || g->lower > g->last_lower;
    if (moved && g->lower - g->last_lower <= GJK_EQUAL_BOUNDS * sqrt(d->scale2)) {
        g->normal = g->last;
        g->lower = g->last_lower;
    }
}
