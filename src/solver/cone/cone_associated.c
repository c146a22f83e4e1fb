/*
 * cone_associated.c - solver `cone-convex`: the associated law,
 *
 *   z in K,  w in K*,  perpendicular       K: cones of contacts and intervals of other rows
 *
 * in which w, not w + mu |w_t| e_n, is perpendicular to z. The problem is then convex: what slides at v floats up by h
 * mu v in a step (Anitescu 2006). The residual is its own natural map,
 *
 *   A |z - P(z - w / A)|          P: nearest point of K
 *
 * Method: augmented Lagrangian in z, Newton's method in s. With E = C + a A (sigma = 1 / (a A)) an outer step finds the
 * s that makes
 *
 *   phi(s) = 1/2 |s - s_k|^2 + sum of 1/2 |P_K(z_k - (J s - target) / E)|^2_E          (cone_convex.c)
 *
 * least and takes z_k+1 = P_K(...). a begins at A_FIRST and is divided by 10 where the residual has not fallen to
 * ENOUGH_FALL of the last one. Small a lose digits (z is then a small difference of numbers of the size w / (a A)) but
 * are needed where rows that nearly depend on each other have answers far away (motors against feet that stick); so
 * where a step makes the residual worse, a goes up again and the best answer so far is gone back to.
 *
 * Convergence. phi is strongly convex (modulus 1) with a piecewise smooth slope, so semismooth Newton's method with an
 * exact line search finds its least point from anywhere, and at last superlinearly (Qi and Sun 1993; Hintermueller
 * 2003). Outer steps are the proximal point method on the dual (Rockafellar 1976, theorem 4). Inner solves end at
 *
 *   |slope of phi| <= delta_k |z_k+1 - z_k|_E,      sum of delta_k finite
 *
 * which is his criterion (B'), since phi is above its least value by at most |slope|^2 / 2. So z_k converges to a
 * solution whenever there is one, redundant contacts or not, at a linear rate that falls with a. Where there is none
 * z_k grows along a direction d of K with J'd -> 0, which proves it (cone_infeasible.c).
 *
 * Friction that shares no circular cone has the radius that the last answer's normal gave it: a fixed point, without
 * proof.
 */
#include "solver/cone/cone_convex.h"
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

/* a = 1 / (sigma A): first, least, what it is multiplied by where the residual falls slowly and where round-off spoilt
   a step; from A_SAFE up no round-off was seen to. What was too small is tried again only slowly: impulses that still
   have far to go where contacts nearly contradict each other go the further the more steps have the smallest a that
   serves. */
#define A_FIRST 0.1
#define A_LEAST 1e-10
#define A_DOWN 0.1
#define A_LEAST_DOWN 0.9
#define A_UP 30.0
#define A_SAFE 1e-4
#define ENOUGH_FALL 0.3
#define WORSE 2.0

/* What inner solves may leave of the residual. */
#define INNER_PART 0.1

/* The residual must fall to this part within so many outer steps. */
#define BETTER 0.7
#define STALL 1000

/* Rows that depend on each other may contradict each other by round-off; the impulses that would show it are too large
   for any a. Where the residual is below this part of the problem's size, so many outer steps without a better one are
   the end. */
#define ROUND_OFF_PART 1e-8
#define ROUND_OFF_STALL 8

/* A contact: normal and tangents, from i on. */
static double contact_misses(const RgCone *c, int32_t i)
{
    const RgProblem *p = c->rows.p;
    double A = fmax(c->rows.response[i], c->rows.response[i + 1]), mu = p->high[i + 1], x[3], sum = 0.0;
    if (!(A > 0.0))
        return 0.0;
    for (int k = 0; k < 3; k++)
        x[k] = p->z[i + k] - c->w[i + k] / A;
    cone_project(mu, x);
    for (int k = 0; k < 3; k++)
        sum += (p->z[i + k] - x[k]) * (p->z[i + k] - x[k]);
    return A * sqrt(sum);
}

/* One row, or two with bounds that the present normal gives them. */
static double rows_miss(const RgCone *c, int32_t i)
{
    const RgProblem *p = c->rows.p;
    double A = c->rows.response[i], n = row_normal(p, i);
    if (!(A > 0.0))
        return 0.0;
    double x = p->z[i] - c->w[i] / A;
    if (p->cone[i]) {
        double y = p->z[i + 1] - c->w[i + 1] / A;
        pair_project(p, i, n, &x, &y);
        x -= p->z[i];
        y -= p->z[i + 1];
        return A * sqrt(x * x + y * y);
    }
    return A * fabs(p->z[i] - row_project(p, i, n, x));
}

/* Into the bounds that the present normals give. */
static void bring_in(RgCone *c)
{
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        rg_cone_bring_in(c->rows.p, &c->rows.group[k]);
}

/* What the law is missed by, m/s, at the velocities that belong to z. */
static double judge(RgCone *c)
{
    const RgProblem *p = c->rows.p;
    double most = 0.0;
    rg_cone_rows_refresh(&c->rows);
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        int32_t i = g->first, end = g->first + g->rows;
        for (int32_t j = i; j < end; j++)
            c->w[j] = cone_times(g, j, p->s) + p->compliance[j] * p->z[j] - p->target[j];
        if (cone_is_round(p, g)) {
            most = fmax(most, contact_misses(c, i));
            i += 3;
        }
        for (; i < end; i += p->cone[i] ? 2 : 1)
            most = fmax(most, rows_miss(c, i));
    }
    return most;
}

/* The same at z = 0. */
static double without_impulses(RgCone *c)
{
    size_t bytes = (size_t)c->rows.p->n * sizeof *c->best;
    memcpy(c->best, c->rows.p->z, bytes);
    memset(c->rows.p->z, 0, bytes);
    double found = judge(c);
    memcpy(c->rows.p->z, c->best, bytes);
    return found;
}

/* Newton's steps of one outer step at most. */
#define CONVEX_STEPS 50

/* Friction that shares no circular cone keeps the radius that the present normal gives it. */
static void find_radii(const RgProblem *p, double *radius)
{
    for (int32_t i = 0; i < p->n; i++) {
        double n = p->normal[i] >= 0 ? p->z[p->normal[i]] : 0.0, turn;
        radius[i] = p->high[i] * n;
        if (!p->cone[i] || p->high[i] == p->high[i + 1])
            continue;
        double size = sqrt(p->z[i] * p->z[i] + p->z[i + 1] * p->z[i + 1]);
        double d[2] = {size > 0.0 ? p->z[i] / size : 1.0, size > 0.0 ? p->z[i + 1] / size : 0.0};
        radius[i] = n * ellipse_radius(p->high[i], p->high[i + 1], d, &turn);
    }
}

/* Outer steps with the best answer so far. */
typedef struct Outer {
    RgConvex *convex;
    int count, stall;
    double a, least_a;
    double last, best; /* residuals, m/s */
    double root_A;     /* largest sqrt(A_ii): a slope g of phi changes no row by more than root_A |g| */
} Outer;

/* The next weight: smaller where the residual falls slowly, larger where round-off spoilt the step. */
static void next_weight(Outer *o, bool spoilt, double now)
{
    if (spoilt) {
        o->a = fmin(A_FIRST, A_UP * o->a);
        o->least_a = o->a;
        o->last = o->best;
        return;
    }
    if (now > ENOUGH_FALL * o->last) {
        o->a = fmax(o->least_a, A_DOWN * o->a);
        o->least_a = fmax(A_LEAST, A_LEAST_DOWN * o->least_a);
    }
    o->last = now;
}

/* An outer step; z within its bounds. Returns how many of Newton's steps it took. */
static int outer_step(RgCone *c, Outer *o)
{
    RgProblem *p = c->rows.p;
    size_t bytes = (size_t)p->n * sizeof *p->z;
    RgConvex *convex = o->convex;
    convex->accuracy = 1.0 / ((o->count + 2.0) * (o->count + 2.0));
    convex->slope_most = INNER_PART * o->last / o->root_A;
    convex->a = o->a;
    memcpy(convex->centre, p->z, bytes);
    find_radii(p, convex->radius);
    rg_cone_rows_refresh(&c->rows);
    bool well = rg_convex_solve(convex, CONVEX_STEPS);
    bring_in(c);
    double now = judge(c);
    bool spoilt = !well || (o->a < A_SAFE && now > WORSE * o->last);
    o->count++;
    o->stall = now < BETTER * o->best ? 0 : o->stall + 1;
    if (now < o->best) {
        o->best = now;
        memcpy(c->best, p->z, bytes);
    }
    if (spoilt)
        memcpy(p->z, c->best, bytes);
    next_weight(o, spoilt, now);
    return convex->iterations + 1;
}

bool rg_cone_associated_solve(RgCone *c, const RgExactOptions *options, int most, RgSolveReport *report)
{
    RgProblem *p = c->rows.p;
    bring_in(c);
    double size = fmax(c->size, without_impulses(c)), enough = options->tolerance * size + c->round;
    double small = ROUND_OFF_PART * size;
    RgConvex convex = {.rows = &c->rows};
    Outer o = {.convex = &convex, .a = A_FIRST, .least_a = A_LEAST, .last = judge(c)};
    o.best = o.last;
    for (int32_t i = 0; i < p->n; i++)
        o.root_A = fmax(o.root_A, sqrt(c->rows.response[i]));
    memcpy(c->best, p->z, (size_t)p->n * sizeof *p->z);
    bool needed = o.best > enough;
    if (needed && !(rg_convex_take(c->rows.arena, &convex) && rg_cone_rows_plan(&c->rows)))
        return false;
    while (needed && o.best > enough && o.stall < STALL && report->iterations < most) {
        if (o.best <= small && o.stall >= ROUND_OFF_STALL)
            break;
        report->iterations += outer_step(c, &o);
        if (o.stall > 0 && o.a < A_SAFE && rg_cone_infeasible(c, convex.centre)) {
            report->outcome = RG_SOLVE_INFEASIBLE;
            break;
        }
    }
    report->converged = o.best <= fmax(enough, small);
    /* One more outer step unless round-off ended them: a few steps of Newton's method, by which the residual falls once
       more. */
    if (needed && report->converged && o.stall == 0 && report->iterations < most)
        report->iterations += outer_step(c, &o);
    memcpy(p->z, c->best, (size_t)p->n * sizeof *p->z);
    rg_cone_rows_refresh(&c->rows);
    return true;
}
