/*
 * cone_descend.c - interior-point method whose iterates stay in the interior and whose objective falls at every step.
 *
 *   minimise 1/2 x'Hx + c'x    subject to    s = h - G x in K,    from x with s in the interior
 *
 * Newton's step on Hx + c + G'z = 0, s z = sigma mu e with Nesterov-Todd scaling (cone_work.h); s follows x:
 *
 *   (H + G'W^-2 G) dx = -(Hx + c) - G'W^-1 (lambda \ (sigma mu e - (W^-1 ds_a)(W dz_a)))
 *
 * The first term alone (the predictor) is a descent direction for any z. The second, which moves away from the
 * boundary, is added as far as half of the descent remains. The step ends before the boundary, and no further than the
 * minimum along its direction. So the objective falls at every iteration, and the iteration may be stopped at any time.
 *
 * Failure: many iterations if the feasible set is thin (two opposite constraints nearly meet). Cost of an iteration:
 * one factorisation and two solutions.
 */
#include "solver/program/cone_work.h"

#include <math.h>
#include <string.h>

/* Part of the way to the boundary that a step takes. */
#define STEP_FRACTION 0.99
/* Part of the predictor's descent that remains with the corrector. */
#define DESCENT_KEPT 0.5
/* Iterations, at most, that update z alone because round-off allows no lower objective. */
#define MAX_DUAL_ONLY 4

typedef struct Descent {
    RgConeWork *w;
    double mu, objective;
    double size_c; /* largest |c| of the program as given */
    int dual_only; /* iterations that updated z alone */
} Descent;

/* Updates s = h - G x, the gradient Hx + c in hx, gradient + G'z in dir[2], mu and the objective. */
static void evaluate_point(Descent *e)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    rg_dense_times(w->G, m, n, w->x, NULL, w->s);
    for (int i = 0; i < m; i++)
        w->s[i] = w->h[i] - w->s[i];
    if (w->has_quadratic_cost)
        rg_dense_times(w->H, n, n, w->x, NULL, w->hx);
    else
        memset(w->hx, 0, (size_t)n * sizeof *w->hx);
    e->objective = 0.5 * rg_dot(n, w->x, w->hx) + rg_dot(n, w->c, w->x);
    for (int j = 0; j < n; j++)
        w->hx[j] += w->c[j];
    memcpy(w->dir[2], w->hx, (size_t)n * sizeof(double));
    rg_cone_add_transpose_times(m, n, w->G, w->z, w->dir[2]);
    e->mu = m > 0 ? rg_dot(m, w->s, w->z) / (w->k.l + w->k.ncones) : 0.0;
}

/* Residuals of the program as given. True: within the tolerance. */
static bool check_convergence(const Descent *e, double tolerance, RgConeProgramReport *report)
{
    const RgConeWork *w = e->w;
    double per = 1.0 / w->cost;
    report->objective = e->objective * per;
    report->primal = 0.0;
    report->dual = per * rg_cone_scaled_max(w->n, w->dir[2], w->dx, true) /
                   fmax(fmax(1.0, e->size_c), per * rg_cone_scaled_max(w->n, w->hx, w->dx, true));
    report->gap = per * rg_dot(w->k.m, w->s, w->z) / fmax(1.0, fabs(report->objective));
    return report->dual <= tolerance && report->gap <= tolerance;
}

/* dx and dz into d for the right side lambda \ (...) in t2. */
static void solve_step(RgConeWork *w, double *d)
{
    int n = w->n, m = w->k.m;
    for (int j = 0; j < n; j++)
        w->right[j] = -w->dir[2][j];
    rg_cone_times(&w->k, &w->scaling, w->t2, w->right + n);
    for (int i = 0; i < m; i++) /* G dx - W^2 dz = -W t: s dz + z ds = t */
        w->right[n + i] = -w->right[n + i];
    rg_cone_kkt_solve(w, w->right, d);
}

/* t2 = lambda \ (sigma mu e - (W^-1 ds)(W dz)) - lambda, from the predictor's step. */
static void compute_corrector(const Descent *e, const double *d, double sigma)
{
    RgConeWork *w = e->w;
    const RgConeShape *k = &w->k;
    rg_cone_times_inverse(k, &w->scaling, w->ds, w->t3);
    rg_cone_times(k, &w->scaling, d + w->n, w->t1);
    rg_cone_product(k, w->t3, w->t1, w->t2);
    for (int i = 0; i < k->m; i++)
        w->t2[i] = -w->t2[i];
    rg_cone_add_unit(k, sigma * e->mu, w->t2);
    rg_cone_divide(k, w->scaling.lambda, w->t2, w->t2);
    for (int i = 0; i < k->m; i++)
        w->t2[i] -= w->scaling.lambda[i];
}

/* ds = -G dx. */
static void compute_ds(RgConeWork *w, const double *d)
{
    rg_dense_times(w->G, w->k.m, w->n, d, NULL, w->ds);
    for (int i = 0; i < w->k.m; i++)
        w->ds[i] = -w->ds[i];
}

/* Predictor into dir[1], then the whole step into dir[0], with as much of the corrector as leaves half of the descent.
   Returns the derivative of the objective along the step. */
static double find_step(Descent *e)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    double *first = w->dir[1], *whole = w->dir[0];
    for (int i = 0; i < m; i++)
        w->t2[i] = -w->scaling.lambda[i];
    solve_step(w, first);
    compute_ds(w, first);
    double t = rg_cone_max_step(&w->k, w->z, first + n, rg_cone_max_step(&w->k, w->s, w->ds, 1.0));
    double less = 1.0 - t;
    compute_corrector(e, first, less * less * less);
    solve_step(w, whole);
    double fall = rg_dot(n, w->hx, first), all = rg_dot(n, w->hx, whole);
    if (all > DESCENT_KEPT * fall) {
        double part = fall < 0.0 && all > fall ? (1.0 - DESCENT_KEPT) * -fall / (all - fall) : 0.0;
        for (int i = 0; i < n + m; i++)
            whole[i] = first[i] + part * (whole[i] - first[i]);
        all = rg_dot(n, w->hx, whole);
    }
    return all;
}

/* One iteration. False: no lower point is found within round-off. */
static bool take_step(Descent *e)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    if (!rg_cone_scaling_set(&w->k, w->s, w->z, &w->scaling))
        return false;
    rg_cone_kkt_factor(w);
    double slope = find_step(e), curvature = 0.0;
    if (!(slope < 0.0))
        return false;
    const double *d = w->dir[0];
    compute_ds(w, d);
    if (w->has_quadratic_cost) {
        rg_dense_times(w->H, n, n, d, NULL, w->right);
        curvature = rg_dot(n, d, w->right);
    }
    double longest = curvature > 0.0 ? fmin(1.0, -slope / curvature) : 1.0;
    double boundary = rg_cone_max_step(&w->k, w->z, d + n, rg_cone_max_step(&w->k, w->s, w->ds, 1.0));
    double t = fmin(longest, STEP_FRACTION * boundary);
    double old = e->objective;
    memcpy(w->best, w->x, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++)
        w->x[j] += t * d[j];
    for (int i = 0; i < m; i++)
        w->z[i] += t * d[n + i];
    evaluate_point(e);
    if (e->objective <= old && rg_cone_margin(&w->k, w->s) > 0.0)
        return true;
    memcpy(w->x, w->best, (size_t)n * sizeof(double)); /* round-off: keep x, update z alone, a few times */
    evaluate_point(e);
    return e->dual_only++ < MAX_DUAL_ONLY;
}

/* Stores the solution in the scale of the program as given. */
static void store_solution(const Descent *e, const RgConeProgram *q)
{
    const RgConeWork *w = e->w;
    for (int j = 0; j < q->n; j++)
        q->x[j] = w->dx[j] * w->x[j];
    for (int i = 0; i < q->m; i++) {
        q->s[i] = w->s[i] / w->ez[i];
        q->z[i] = w->ez[i] * w->z[i] / w->cost;
    }
}

/* z = mu s^-1, that is s z = mu e. */
static void init_duals(Descent *e)
{
    RgConeWork *w = e->w;
    const RgConeShape *k = &w->k;
    double mu = fmax(1e-6, 0.1 * fabs(rg_dot(w->n, w->hx, w->x)) / (k->l + k->ncones + 1));
    memset(w->z, 0, (size_t)k->m * sizeof *w->z);
    rg_cone_add_unit(k, mu, w->z);
    rg_cone_divide(k, w->s, w->z, w->z);
}

RgStatus rg_cone_program_descend(RgConeWork *work, const RgConeProgram *q, const RgConeProgramOptions *o,
                                 RgConeProgramReport *report)
{
    RgStatus status = rg_cone_work_load(work, q);
    if (status != RG_OK)
        return status;
    for (int j = 0; j < q->n; j++)
        work->x[j] = q->x[j] / work->dx[j];
    Descent e = {.w = work, .size_c = rg_cone_scaled_max(q->n, q->c, NULL, false)};
    memset(work->z, 0, (size_t)q->m * sizeof *work->z);
    evaluate_point(&e);
    if (!(rg_cone_margin(&work->k, work->s) > 0.0))
        return RG_ERR_ARGUMENT;
    init_duals(&e);
    evaluate_point(&e);
    *report = (RgConeProgramReport){.outcome = RG_CONE_ITERATIONS};
    bool done = check_convergence(&e, o->tolerance, report);
    while (!done && report->iterations < o->max_iterations && take_step(&e)) {
        report->iterations++;
        done = check_convergence(&e, o->tolerance, report);
    }
    report->outcome = check_convergence(&e, o->tolerance, report) ? RG_CONE_SOLVED : RG_CONE_ITERATIONS;
    store_solution(&e, q);
    return RG_OK;
}
