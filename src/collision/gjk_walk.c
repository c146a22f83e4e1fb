/*
 * gjk_walk.c - the fast steps of GJK: directions of any length, no division, no state but the points.
 *
 * The newest point of the simplex, a, always supports the nearest point: without it the simplex would be the old one,
 * which is farther away. So with u = b - a, v = c - a, and so on, only these cases are tested:
 *
 *   edge a b        if a.u < 0; direction u x (a x u), perpendicular to the edge up to round-off
 *   triangle a b c  if b and c have positive weights; direction +-(u x v), away from the origin. Weights:
 *                   of b  v.v (-a.u) - u.v (-a.v),  of c  u.u (-a.v) - u.v (-a.u),  both over |u x v|^2
 *   tetrahedron     a face with the origin beyond it and positive weights; else an edge for which the weights of both
 *                   its faces are not positive; else a
 *
 * Triangles are stored so that (p1 - p0) x (p2 - p0) points away from the origin; a new point then makes a tetrahedron
 * of known orientation, and u x v of its faces at a points inward. Round-off is not handled here: the callers check the
 * bounds, or how far inside the origin is, and continue with robust steps (gjk.c) if these fast steps fail.
 */
#include "collision/gjk.h"

/* Steps before the search is abandoned. */
#define WALK_STEPS 40
/* Below this fraction of the largest coordinate the robust steps are used. */
#define WALK_CLOSE 1e-10
/* Margin of an early decision, as a fraction of the largest coordinate: far above round-off, and so small that the
   robust steps are rarely needed. */
#define WALK_CLEAR 1e-12

/* The normal of a triangle farther away than this many of its heights is too inaccurate for points to within 1e-13 of
   the distance. */
#define WALK_HEIGHTS 100.0

typedef struct Point {
    RgVec3 w;
    int32_t va, vb;
} Point;

typedef struct Walk {
    RgDifference *d;
    Point p[4];
    int count;
    RgVec3 n;     /* towards the simplex, any length */
    double along; /* n.w of the last support point: the least of D along n */
    bool moved;   /* points have changed */
} Walk;

typedef enum Outcome {
    WALK_FAILED, /* round-off, or out of steps */
    WALK_LEVEL,  /* no point is lower along n */
    WALK_INSIDE, /* four points contain the origin */
    WALK_BEYOND, /* farther than reach */
    WALK_REACHED /* not farther than reach */
} Outcome;

/* ------------------------------------------------------------------ points */

static inline void find_support(Walk *k, Point *out)
{
    RgDifference *d = k->d;
    const RgPose *X = &d->pair->X_AB;
    RgVec3 a = rg_difference_side(d->pair->a, d->support_a, k->n, &d->hint_a);
    RgVec3 b = rg_difference_side(d->pair->b, d->support_b, v3_neg(m3_apply_t(X->R, k->n)), &d->hint_b);
    out->w = v3_sub(v3_add(m3_apply(X->R, b), X->p), a);
    out->va = d->hint_a;
    out->vb = d->hint_b;
    d->calls++;
}

/* Converts a point of two polytopes, with A's part of it. */
static inline void to_support(RgDifference *d, const Point *p, RgSupport *out)
{
    *out = (RgSupport){p->w, d->pair->a->core->vertex[p->va], p->va, p->vb};
    rg_difference_update_scale(d, out->a, d->pair->b->core->vertex[p->vb]);
}

static inline bool is_corner(const Walk *k, const Point *w)
{
    bool same = false;
    for (int i = 0; i < k->count; i++)
        same |= (k->p[i].va == w->va) & (k->p[i].vb == w->vb);
    return same && w->va >= 0 && w->vb >= 0;
}

/* ------------------------------------------------------------------ nearest points */

static inline void set_point(Walk *k, int a)
{
    k->p[0] = k->p[a];
    k->count = 1;
    k->n = k->p[0].w;
}

/* u: from a to b. */
static inline void set_edge(Walk *k, int a, int b, RgVec3 u)
{
    Point p = k->p[a];
    k->n = v3_cross(u, v3_cross(p.w, u));
    k->p[1] = k->p[b];
    k->p[0] = p;
    k->count = 2;
}

/* n: (b - a) x (c - a), pointing away from the origin. */
static inline void set_face(Walk *k, int a, int b, int c, RgVec3 n)
{
    Point pa = k->p[a], pb = k->p[b], pc = k->p[c];
    k->p[0] = pa;
    k->p[1] = pb;
    k->p[2] = pc;
    k->count = 3;
    k->n = n;
}

static void solve_edge(Walk *k)
{
    RgVec3 u = v3_sub(k->p[0].w, k->p[1].w);
    if (v3_dot(k->p[1].w, u) < 0.0)
        set_edge(k, 1, 0, u);
    else
        set_point(k, 1);
}

static void solve_triangle(Walk *k)
{
    RgVec3 a = k->p[2].w, u = v3_sub(k->p[0].w, a), v = v3_sub(k->p[1].w, a);
    double du = -v3_dot(a, u), dv = -v3_dot(a, v), uu = v3_norm2(u), vv = v3_norm2(v), uv = v3_dot(u, v);
    bool beside_v = vv * du - uv * dv <= 0.0, beside_u = uu * dv - uv * du <= 0.0;
    if (beside_v && dv > 0.0) {
        set_edge(k, 2, 1, v);
    } else if (beside_u || beside_v) {
        if (du > 0.0)
            set_edge(k, 2, 0, u);
        else
            set_point(k, 2);
    } else {
        RgVec3 n = v3_cross(u, v);
        if (v3_dot(n, a) >= 0.0)
            set_face(k, 2, 0, 1, n);
        else
            set_face(k, 2, 1, 0, v3_neg(n));
    }
}

/* Nearest edge or point of a tetrahedron whose nearest point is not inside a face. u: from a to the other three; du =
   -a.u. Returns false on round-off. */
static bool solve_edges(Walk *k, const RgVec3 u[3], const double du[3])
{
    double uu[3], uv[3];
    for (int i = 0; i < 3; i++) {
        uu[i] = v3_norm2(u[i]);
        uv[i] = v3_dot(u[i], u[(i + 1) % 3]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        if (du[i] > 0.0 && uu[i] * du[j] - uv[i] * du[i] <= 0.0 && uu[i] * du[l] - uv[l] * du[i] <= 0.0) {
            set_edge(k, 3, i, u[i]);
            return true;
        }
    }
    if (du[0] > 0.0 || du[1] > 0.0 || du[2] > 0.0)
        return false;
    set_point(k, 3);
    return true;
}

/* WALK_LEVEL means here: continue. */
static Outcome solve_tetrahedron(Walk *k)
{
    RgVec3 a = k->p[3].w, u[3], n[3];
    double du[3];
    bool outside = false;
    for (int i = 0; i < 3; i++)
        u[i] = v3_sub(k->p[i].w, a);
    for (int i = 0; i < 3; i++)
        n[i] = v3_cross(u[i], u[(i + 1) % 3]);
    if (!(v3_dot(n[0], u[2]) > 0.0))
        return WALK_FAILED;
    for (int i = 0; i < 3; i++)
        du[i] = -v3_dot(a, u[i]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (!(v3_dot(n[i], a) > 0.0))
            continue;
        double uv = v3_dot(u[i], u[j]);
        outside = true;
        if (v3_norm2(u[j]) * du[i] - uv * du[j] > 0.0 && v3_norm2(u[i]) * du[j] - uv * du[i] > 0.0) {
            set_face(k, 3, i, j, n[i]);
            return WALK_LEVEL;
        }
    }
    if (!outside)
        return WALK_INSIDE;
    return solve_edges(k, u, du) ? WALK_LEVEL : WALK_FAILED;
}

/* Returns true if the origin is inside four points by more than `length`. The faces are those of solve_tetrahedron and
   the one of the three old points. */
static bool contains_origin(const Walk *k, double length)
{
    static const int corner[4][3] = {{3, 0, 1}, {3, 1, 2}, {3, 2, 0}, {0, 2, 1}};
    for (int i = 0; i < 4; i++) {
        RgVec3 p = k->p[corner[i][0]].w;
        RgVec3 n = v3_cross(v3_sub(k->p[corner[i][1]].w, p), v3_sub(k->p[corner[i][2]].w, p));
        double height = -v3_dot(n, p);
        if (!(height > 0.0 && height * height > length * length * v3_norm2(n)))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ walk */

/* Ends early if D is proven to be farther than `most` from the origin (INFINITY: never), or to come within `least` of
   it (0: never). */
static inline Outcome walk(Walk *k, double round, double most, double least)
{
    double most2 = most * most;
    for (int step = 0; step < WALK_STEPS; step++) {
        double nn = v3_norm2(k->n), near = v3_dot(k->n, k->p[0].w);
        if (least > 0.0 && near * near <= least * least * nn)
            return WALK_REACHED;
        Point *w = &k->p[k->count];
        find_support(k, w);
        k->along = v3_dot(k->n, w->w);
        if (k->along > 0.0 && k->along * k->along > most2 * nn)
            return WALK_BEYOND;
        double gap = near - k->along;
        if (is_corner(k, w) || gap * fabs(gap) <= round * round * nn)
            return WALK_LEVEL;
        Outcome outcome = WALK_LEVEL;
        k->count++;
        k->moved = true;
        if (k->count == 2)
            solve_edge(k);
        else if (k->count == 3)
            solve_triangle(k);
        else
            outcome = solve_tetrahedron(k);
        if (outcome == WALK_FAILED)
            k->count = 3;
        if (outcome != WALK_LEVEL)
            return outcome;
    }
    return WALK_FAILED;
}

/* Starts with the points of a solved simplex, and the direction towards them. */
static void init_from_simplex(Walk *k, const RgSimplex *s)
{
    k->count = s->count;
    for (int i = 0; i < s->count; i++)
        k->p[i] = (Point){s->point[i].w, s->point[i].va, s->point[i].vb};
    k->n = s->nearest;
    k->moved = false;
    if (s->count == 2)
        set_edge(k, 0, 1, v3_sub(s->point[1].w, s->point[0].w));
    if (s->count != 3)
        return;
    RgVec3 a = k->p[0].w, n = v3_cross(v3_sub(k->p[1].w, a), v3_sub(k->p[2].w, a));
    bool turn = v3_dot(n, a) < 0.0;
    set_face(k, 0, turn ? 2 : 1, turn ? 1 : 2, turn ? v3_neg(n) : n);
}

/* Starts with the support point along a direction of any length but zero. */
static void init_from_direction(Walk *k, RgVec3 start)
{
    k->n = start;
    find_support(k, &k->p[0]);
    set_point(k, 0);
    k->moved = true;
    RgSupport first;
    to_support(k->d, &k->p[0], &first);
}

/* Stores the points in s and solves their nearest point; both are unchanged if the first step found nothing lower. */
static double store_points(const Walk *k, RgSimplex *s)
{
    RgNearest nearest;
    if (!k->moved)
        return v3_norm2(s->nearest);
    s->count = k->count;
    for (int i = 0; i < k->count; i++)
        to_support(k->d, &k->p[i], &s->point[i]);
    if (k->count == 4)
        return 0.0;
    rg_simplex_solve(s, &nearest);
    rg_simplex_keep(s, &nearest);
    return nearest.norm2;
}

/* Stores points and bounds. Returns false if the bounds do not agree. */
static bool store_result(const Walk *k, RgGjk *g)
{
    RgSimplex *s = &g->simplex;
    double near2 = store_points(k, s);
    if (k->count == 4)
        return true;
    double nn = v3_norm2(k->n), round2 = RG_DIFFERENCE_ROUND * RG_DIFFERENCE_ROUND * k->d->scale2;
    if (!(nn > 0.0) || !(near2 > WALK_CLOSE * WALK_CLOSE * k->d->scale2))
        return false;
    if (k->count == 3) {
        double sides2 = v3_norm2(v3_sub(k->p[1].w, k->p[0].w)) + v3_norm2(v3_sub(k->p[2].w, k->p[0].w));
        if (near2 * sides2 > WALK_HEIGHTS * WALK_HEIGHTS * nn)
            return false;
    }
    double per = 1.0 / sqrt(nn);
    g->last = g->normal = v3_scale(per, k->n);
    g->last_lower = g->lower = k->along * per;
    g->upper = s->count == 3 ? v3_dot(g->last, s->point[0].w) : sqrt(near2);
    double off = g->upper - g->lower;
    return off * fabs(off) <= round2;
}

/* Distance of the cores above which that of the pair exceeds the limit for certain. */
static double core_limit(const RgDifference *d, double scale)
{
    double limit = d->limit;
    return limit > 0.0 ? limit + d->round_a + d->round_b + WALK_CLEAR * (scale + limit) : (double)INFINITY;
}

bool rg_gjk_fast_steps(RgDifference *d, RgVec3 start, RgGjk *g)
{
    Walk k;
    k.d = d;
    k.along = 0.0;
    if (g->simplex.count > 0)
        init_from_simplex(&k, &g->simplex);
    else
        init_from_direction(&k, start);
    double scale = sqrt(d->scale2);
    Outcome outcome = walk(&k, RG_DIFFERENCE_ROUND * scale, core_limit(d, scale), 0.0);
    if (outcome == WALK_BEYOND) {
        double per = 1.0 / v3_norm(k.n);
        g->beyond = true;
        g->lower = k.along * per;
        g->normal = v3_scale(per, k.n);
        return true;
    }
    if (outcome == WALK_INSIDE && !contains_origin(&k, WALK_CLOSE * scale)) {
        k.count = 3;
        outcome = WALK_FAILED;
    }
    if (outcome == WALK_FAILED) {
        store_points(&k, &g->simplex);
        return false;
    }
    g->apart = outcome != WALK_INSIDE;
    return store_result(&k, g);
}

/* Returns true if the hull of the points comes within `length` of the origin. */
static bool is_near(const Walk *k, double length)
{
    RgSimplex s;
    RgNearest nearest;
    s.count = k->count;
    for (int i = 0; i < k->count; i++)
        s.point[i].w = k->p[i].w;
    rg_simplex_solve(&s, &nearest);
    return nearest.norm2 <= length * length;
}

RgReach rg_gjk_reach(RgDifference *d, RgVec3 start, double reach, RgVec3 *axis)
{
    Walk k;
    k.d = d;
    k.n = start;
    k.count = 1;
    k.moved = false;
    find_support(&k, &k.p[0]);
    k.along = v3_dot(start, k.p[0].w);
    double scale = v3_norm(d->pair->X_AB.p) + v3_norm(k.p[0].w) + reach, nn = v3_norm2(start);
    double clear = WALK_CLEAR * scale, most = reach + clear;
    Outcome outcome = WALK_BEYOND;
    if (!(k.along > 0.0 && k.along * k.along > most * most * nn)) {
        k.n = k.p[0].w;
        outcome = walk(&k, RG_DIFFERENCE_ROUND * scale, most, reach - clear);
    }
    *axis = k.n;
    if (outcome == WALK_BEYOND)
        return RG_REACH_BEYOND;
    if ((outcome == WALK_REACHED && is_near(&k, reach - 0.5 * clear)) ||
        (outcome == WALK_INSIDE && contains_origin(&k, clear)))
        return RG_REACH_WITHIN;
    return RG_REACH_UNDECIDED;
}
