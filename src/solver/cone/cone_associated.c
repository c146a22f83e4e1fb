/*
 * cone_associated.c - solver `cone-convex`: the associated law,
 *
 *   z in K,  w in K*,  perpendicular       K: cones of contacts and intervals of other rows
 *
 * in which w instead of w + mu |w_t| e_n is perpendicular to z. The problem is then convex; a body that slides at v
 * separates by h mu v per step (Anitescu 2006). The residual is the natural map of this problem,
 *
 *   A |z - P(z - w / A)|          P: nearest point of K
 *
 * Method: augmented Lagrangian in z, Newton's method in s. With E = C + a A (sigma = 1 / (a A)) an outer step minimises
 *
 *   phi(s) = 1/2 |s - s_k|^2 + sum of 1/2 |P_K(z_k - (J s - target) / E)|^2_E          (cone_convex.c)
 *
 * and sets z_k+1 = P_K(...). a begins at FIRST_A and is multiplied by A_DOWN after a step that does not lower the
 * residual to ENOUGH_FALL of the last one. Small a lose digits, since z is then a small difference of numbers of the
 * size w / (a A), but are needed where nearly dependent rows have distant solutions (motors against feet that stick).
 * So a step that makes the residual worse is rejected: a is increased and the best point so far restored.
 *
 * Convergence. phi is strongly convex (modulus 1) with a piecewise smooth gradient, so semismooth Newton's method with
 * an exact line search finds its minimum from any starting point, finally at a superlinear rate (Qi and Sun 1993;
 * Hintermueller 2003). The outer iteration is the proximal point method on the dual (Rockafellar 1976, theorem 4).
 * Inner solves end at
 *
 *   |grad phi| <= delta_k |z_k+1 - z_k|_E,      sum of delta_k finite
 *
 * which is Rockafellar's criterion (B'), since phi exceeds its minimum by at most |grad phi|^2 / 2. So z_k converges to
 * a solution whenever there is one, redundant contacts or not, at a linear rate that improves as a falls. If there is
 * none, z_k grows along a direction d of K with J'd -> 0, which proves it (cone_infeasible.c).
 *
 * Friction that shares no circular cone has the radius given by the normal impulse of the last point: a fixed-point
 * iteration without a convergence proof.
 */
#include "solver/cone/cone_convex.h"
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

/* a = 1 / (sigma A): first value, lower bound, and factor where the residual falls slowly. */
#define FIRST_A 0.1
#define MIN_A 1e-10
#define A_DOWN 0.1
/* Factor of a after a step rejected for round-off. The rejected a becomes the lower bound; each later reduction of a
   lowers that bound by A_MIN_DOWN. A slow factor is used because, where contacts nearly contradict each other, distant
   impulses are reached sooner the more steps use the smallest a that works. */
#define A_UP 30.0
#define A_MIN_DOWN 0.9
/* From this a on no loss by round-off was observed. */
#define A_SAFE 1e-4
/* The residual falls slowly if it is above this part of the last one. */
#define ENOUGH_FALL 0.3
/* A step with a below A_SAFE is rejected if the residual rises by this factor. */
#define WORSE 2.0

/* Residual that inner solves may leave, as a part of the last outer one. */
#define INNER_PART 0.1

/* Limit of consecutive outer steps without a residual below this part of the best one. */
#define IMPROVEMENT 0.7
#define STALL_STEPS 1000

/* Linearly dependent rows may contradict each other by round-off; the impulses that would show it are too large for any
   a. If the residual is below ROUND_OFF_PART of the problem's size, the iteration ends after ROUND_OFF_STALL outer
   steps without improvement, and counts as converged. */
#define ROUND_OFF_PART 1e-8
#define ROUND_OFF_STALL 8

/* Residual of a contact: normal and tangents, from row i on. */
static double contact_residual(const RgCone *c, int32_t i)
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

/* Residual of one row, or of two that share a cone, with the bounds that the present normal gives. */
static double row_residual(const RgCone *c, int32_t i)
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

/* Projects all impulses onto the bounds that the present normals give. */
static void project_all(RgCone *c)
{
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        rg_cone_project_group(c->rows.p, &c->rows.group[k]);
}

/* Residual of the law, m/s, with s updated to z. */
static double evaluate_residual(RgCone *c)
{
    const RgProblem *p = c->rows.p;
    double most = 0.0;
    rg_cone_rows_update_velocities(&c->rows);
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        int32_t i = g->first, end = g->first + g->rows;
        for (int32_t j = i; j < end; j++)
            c->w[j] = cone_row_times(g, j, p->s) + p->compliance[j] * p->z[j] - p->target[j];
        if (cone_is_circular(p, g)) {
            most = fmax(most, contact_residual(c, i));
            i += 3;
        }
        for (; i < end; i += p->cone[i] ? 2 : 1)
            most = fmax(most, row_residual(c, i));
    }
    return most;
}

/* Residual at z = 0. Overwrites c->best. */
static double residual_without_impulses(RgCone *c)
{
    size_t bytes = (size_t)c->rows.p->n * sizeof *c->best;
    memcpy(c->best, c->rows.p->z, bytes);
    memset(c->rows.p->z, 0, bytes);
    double found = evaluate_residual(c);
    memcpy(c->rows.p->z, c->best, bytes);
    return found;
}

/* Newton steps of one outer step, at most. */
#define CONVEX_STEPS 50

/* Radius of friction rows that share no circular cone, from the present normals. */
static void set_friction_radii(const RgProblem *p, double *radius)
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

/* State of the outer iteration. */
typedef struct Outer {
    RgConvex *convex;
    int count, stall;
    double a, min_a;
    double last, best; /* residuals, m/s */
    double root_A;     /* largest sqrt(A_ii): a gradient g of phi changes no row by more than root_A |g| */
} Outer;

/* Updates the weight: smaller where the residual falls slowly, larger after a rejected step. */
static void update_weight(Outer *o, bool rejected, double now)
{
    if (rejected) {
        o->a = fmin(FIRST_A, A_UP * o->a);
        o->min_a = o->a;
        o->last = o->best;
        return;
    }
    if (now > ENOUGH_FALL * o->last) {
        o->a = fmax(o->min_a, A_DOWN * o->a);
        o->min_a = fmax(MIN_A, A_MIN_DOWN * o->min_a);
    }
    o->last = now;
}

/* One outer step; z ends within its bounds. Returns the number of Newton steps plus one. */
static int outer_step(RgCone *c, Outer *o)
{
    RgProblem *p = c->rows.p;
    size_t bytes = (size_t)p->n * sizeof *p->z;
    RgConvex *convex = o->convex;
    convex->accuracy = 1.0 / ((o->count + 2.0) * (o->count + 2.0));
    convex->max_gradient = INNER_PART * o->last / o->root_A;
    convex->a = o->a;
    memcpy(convex->centre, p->z, bytes);
    set_friction_radii(p, convex->radius);
    rg_cone_rows_update_velocities(&c->rows);
    bool converged = rg_convex_solve(convex, CONVEX_STEPS);
    project_all(c);
    double now = evaluate_residual(c);
    bool rejected = !converged || (o->a < A_SAFE && now > WORSE * o->last);
    o->count++;
    o->stall = now < IMPROVEMENT * o->best ? 0 : o->stall + 1;
    if (now < o->best) {
        o->best = now;
        memcpy(c->best, p->z, bytes);
    }
    if (rejected)
        memcpy(p->z, c->best, bytes);
    update_weight(o, rejected, now);
    return convex->iterations + 1;
}

bool rg_cone_associated_solve(RgCone *c, const RgExactOptions *options, int max_iterations, RgSolveReport *report)
{
    RgProblem *p = c->rows.p;
    project_all(c);
    double size = fmax(c->size, residual_without_impulses(c)), enough = options->tolerance * size + c->round_off;
    double small = ROUND_OFF_PART * size;
    RgConvex convex = {.rows = &c->rows};
    Outer o = {.convex = &convex, .a = FIRST_A, .min_a = MIN_A, .last = evaluate_residual(c)};
    o.best = o.last;
    for (int32_t i = 0; i < p->n; i++)
        o.root_A = fmax(o.root_A, sqrt(c->rows.response[i]));
    memcpy(c->best, p->z, (size_t)p->n * sizeof *p->z);
    bool needed = o.best > enough;
    if (needed && !(rg_convex_alloc(c->rows.arena, &convex) && rg_cone_rows_plan(&c->rows)))
        return false;
    while (needed && o.best > enough && o.stall < STALL_STEPS && report->iterations < max_iterations) {
        if (o.best <= small && o.stall >= ROUND_OFF_STALL)
            break;
        report->iterations += outer_step(c, &o);
        if (o.stall > 0 && o.a < A_SAFE && rg_cone_infeasible(c, convex.centre)) {
            report->outcome = RG_SOLVE_INFEASIBLE;
            break;
        }
    }
    report->converged = o.best <= fmax(enough, small);
    /* One more outer step, unless round-off ended the iteration: it takes few Newton steps and lowers the residual once
       more. */
    if (needed && report->converged && o.stall == 0 && report->iterations < max_iterations)
        report->iterations += outer_step(c, &o);
    memcpy(p->z, c->best, (size_t)p->n * sizeof *p->z);
    rg_cone_rows_update_velocities(&c->rows);
    return true;
}
