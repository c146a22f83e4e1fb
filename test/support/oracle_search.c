/*
 * oracle_search.c - the least depth h(n) = -sep(n) of two shapes one of which is curved, over all directions.
 *
 * h is convex and homogeneous, h(n) = max w.n over all differences w = a - b of points; its gradient is the
 * w that is reached. An inscribed ball touches the body of all w where its surface is smooth, so the least
 * value on the sphere lies at
 *   - a face normal or a cap of either, or the cross product of two edges or axes: tried one by one;
 *   - a direction at right angles to an edge or axis of one: a circle each. Between two neighbours on the
 *     circle h lies above both their tangents, whose crossing bounds what may be missed; where that is
 *     worth it the crossing is tried. Ends when nothing better than GIVE_UP of the size is left, or after
 *     CIRCLE_STEPS;
 *   - a direction where h is twice differentiable: Newton's method in a region of trust, with the
 *     derivatives of the shapes' support functions, from the best of a grid of directions and the shapes'
 *     own axes.
 */
#include "oracle_shape.h"

#define GIVE_UP 1e-13L
#define CIRCLE_START 16
#define CIRCLE_STEPS 400
#define GRID 160
#define STARTS 16
#define NEWTON_STEPS 60

typedef struct Depth {
    const OracleShape *a, *b;
    long double best, size;
    Lv at;
} Depth;

/* h(n) for unit n, and its gradient. Keeps the best. */
static long double depth_at(Depth *s, Lv n, Lv *w)
{
    Lv apart;
    long double h = -oracle_gap(s->a, s->b, n, &apart);
    if (h < s->best) {
        s->best = h;
        s->at = n;
    }
    if (w != NULL)
        *w = lv_scale(-1.0L, apart);
    return h;
}

static void try_both(Depth *s, Lv n)
{
    if (!(lv_norm(n) > 0.0L))
        return;
    n = lv_unit(n);
    depth_at(s, n, NULL);
    depth_at(s, lv_scale(-1.0L, n), NULL);
}

/* ------------------------------------------------------------------ circles */

/* A direction on the circle cos(angle) u + sin(angle) v. */
typedef struct Mark {
    long double angle, h;
    Lv w;
} Mark;

typedef struct Circle {
    Depth *depth;
    Lv u, v;
    int steps;
} Circle;

static Mark mark_at(Circle *c, long double angle)
{
    Mark m = {.angle = angle};
    m.h = depth_at(c->depth, lv_unit(lv_add(lv_scale(cosl(angle), c->u), lv_scale(sinl(angle), c->v))), &m.w);
    c->steps++;
    return m;
}

/* Where the tangents of two neighbours cross, between them. */
static long double crossing(const Circle *c, const Mark *l, const Mark *r)
{
    Lv difference = lv_sub(r->w, l->w);
    long double x = lv_dot(difference, c->u), y = lv_dot(difference, c->v);
    long double angle = atan2l(-x, y);
    while (angle < l->angle)
        angle += acosl(-1.0L);
    return angle;
}

/* Looks between two neighbours for something better. */
static void between(Circle *c, const Mark *l, const Mark *r)
{
    long double width = r->angle - l->angle, angle = crossing(c, l, r);
    if (c->steps >= CIRCLE_STEPS || width < 1e-9L)
        return;
    if (!(angle <= r->angle))
        angle = l->angle + 0.5L * width;
    Lv n = lv_add(lv_scale(cosl(angle), c->u), lv_scale(sinl(angle), c->v));
    if (fmaxl(lv_dot(n, l->w), lv_dot(n, r->w)) > c->depth->best - GIVE_UP * c->depth->size)
        return;
    Mark m = mark_at(c, fminl(fmaxl(angle, l->angle + 1e-3L * width), r->angle - 1e-3L * width));
    between(c, l, &m);
    between(c, &m, r);
}

static void search_circle(Depth *s, Lv line)
{
    Circle c = {s, lv_across(line), lv(0, 0, 0), 0};
    c.v = lv_cross(line, c.u);
    Mark mark[CIRCLE_START + 1];
    long double full = 2.0L * acosl(-1.0L);
    for (int i = 0; i <= CIRCLE_START; i++)
        mark[i] = mark_at(&c, full * i / CIRCLE_START);
    for (int i = 0; i < CIRCLE_START; i++)
        between(&c, &mark[i], &mark[i + 1]);
}

/* ------------------------------------------------------------------ Newton on the sphere */

static long double length(long double x, long double y)
{
    return sqrtl(x * x + y * y);
}

/* Least g.x + x.Bx / 2 with |x| <= radius, B = (a b; b c): the shift that makes B positive and x short
   enough is found by halving. */
static void trusted_step(const long double g[2], const long double B[3], long double radius, long double x[2])
{
    long double mean = 0.5L * (B[0] + B[2]), least = mean - length(0.5L * (B[0] - B[2]), B[1]);
    long double scale = fabsl(mean) + length(B[0] - B[2], B[1]) + length(g[0], g[1]) / radius;
    long double low = fmaxl(0.0L, -least) + 1e-18L * scale, high = low + 2.0L * scale, shift = low;
    for (int i = 0; i < 24; i++) {
        long double a = B[0] + shift, c = B[2] + shift, det = a * c - B[1] * B[1];
        x[0] = -(c * g[0] - B[1] * g[1]) / det;
        x[1] = -(a * g[1] - B[1] * g[0]) / det;
        bool fits = length(x[0], x[1]) <= radius;
        if (fits && i == 0)
            return;
        if (fits)
            high = shift;
        else
            low = shift;
        shift = 0.5L * (low + high);
    }
}

static void newton(Depth *s, Lv n)
{
    long double radius = 0.2L;
    Lv w;
    long double h = depth_at(s, n, &w);
    for (int k = 0; k < NEWTON_STEPS && radius > 1e-13L; k++) {
        Lv t = lv_across(n), u = lv_cross(n, t);
        long double g[2] = {lv_dot(w, t), lv_dot(w, u)}, x[2];
        Lv back = lv_scale(-1.0L, n);
        long double B[3] = {oracle_bend(s->a, n, t, t) + oracle_bend(s->b, back, t, t) - h,
                            oracle_bend(s->a, n, t, u) + oracle_bend(s->b, back, t, u),
                            oracle_bend(s->a, n, u, u) + oracle_bend(s->b, back, u, u) - h};
        trusted_step(g, B, radius, x);
        Lv next = lv_unit(lv_add(n, lv_add(lv_scale(x[0], t), lv_scale(x[1], u)))), w_next;
        long double h_next = depth_at(s, next, &w_next);
        if (!(h_next < h)) {
            radius = fminl(0.25L * radius, length(x[0], x[1]));
            continue;
        }
        n = next;
        w = w_next;
        h = h_next;
        radius = fminl(2.0L * radius, 0.5L);
    }
}

/* Direction i of a grid spread evenly over the sphere (a spiral of golden angles). */
static Lv grid_direction(int i)
{
    long double z = 1.0L - (2.0L * i + 1.0L) / GRID, r = sqrtl(1.0L - z * z);
    long double angle = i * acosl(-1.0L) * (3.0L - sqrtl(5.0L));
    return lv(r * cosl(angle), r * sinl(angle), z);
}

/* Starts in order of their depth; the best STARTS are followed. */
static void search_smooth(Depth *s)
{
    Lv start[GRID + 24];
    long double h[GRID + 24];
    int count = 0;
    for (int i = 0; i < GRID; i++)
        start[count++] = grid_direction(i);
    for (int k = 0; k < 12; k++) {
        const OracleShape *shape = k < 6 ? s->a : s->b;
        start[count++] = lv_unit(lv_scale(k % 2 == 0 ? 1.0L : -1.0L, shape->axis[k % 6 / 2]));
    }
    for (int i = 0; i < count; i++)
        h[i] = depth_at(s, start[i], NULL);
    for (int k = 0; k < STARTS; k++) {
        int least = 0;
        for (int i = 1; i < count; i++)
            if (h[i] < h[least])
                least = i;
        newton(s, start[least]);
        h[least] = INFINITY;
    }
}

long double oracle_search(const OracleShape *a, const OracleShape *b, Lv start)
{
    Depth s = {a, b, INFINITY, fmax(a->extent, b->extent), start};
    newton(&s, start);
    try_both(&s, lv_sub(b->origin, a->origin));
    for (int i = 0; i < a->nf; i++)
        try_both(&s, a->normal_W[i]);
    for (int i = 0; i < b->nf; i++)
        try_both(&s, b->normal_W[i]);
    for (int i = 0; i < a->ne; i++)
        for (int j = 0; j < b->ne; j++)
            try_both(&s, lv_cross(a->line_W[i], b->line_W[j]));
    for (int i = 0; i < a->ne; i++)
        search_circle(&s, a->line_W[i]);
    for (int i = 0; i < b->ne; i++)
        search_circle(&s, b->line_W[i]);
    search_smooth(&s);
    newton(&s, s.at);
    return -s.best;
}
