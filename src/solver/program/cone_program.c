/*
 * cone_program.c - interior-point method for convex programs over cones that ends with a solution or a proof that there
 * is none.
 *
 * Homogeneous embedding with a quadratic objective (Andersen and Ye 1999; Goulart and Chen 2024): with tau, kappa >= 0,
 *
 *   Hx + G'z + c tau = 0      Gx + s - h tau = 0
 *   kappa + x'Hx / tau + c'x + h'z = 0            s'z = 0,  kappa tau = 0
 *
 * tau > 0: (x, z, s) / tau solves the program; tau = 0: z or x prove that there is no solution. Newton's steps on it
 * with s z = mu, Nesterov-Todd scaling (cone_work.h), Mehrotra's predictor and corrector:
 *   predictor   sigma = 0, reaches the boundary after alpha      sigma = (1 - alpha)^3
 *   corrector   lambda (W dz + W^-1 ds) = sigma mu e - lambda lambda - (W^-1 ds_a)(W dz_a),  residuals (1 - sigma)
 * Each needs one solution of the system in cone_kkt.c; one more, with the right side (-c, h), gives the change of tau:
 *   d tau = (eta r_tau - d_kappa / tau + g'dx1 + h'dz1) / (kappa / tau + xi'H xi - g'dx2 - h'dz2)
 * with xi = x / tau, g = 2 H xi + c; the denominator is kappa / tau + |dx2 - xi|_H^2 + |W dz2|^2, above 0.
 *
 * Failure: programs without interior points, or whose dual has none, end at lower accuracy, with the outcome ITERATIONS
 * and the best point. Cost: 10 to 30 iterations of one factorisation and three solutions.
 */
#include "solver/program/cone_work.h"

#include <math.h>
#include <string.h>

#define STEP_FRACTION 0.99  /* part of the way to the boundary that a step takes */
#define SHORTEST_STEP 1e-9  /* shorter steps end the iteration */
#define START_RESIDUAL 1e-6 /* relative residual of the starting point above which 0 is used */

typedef struct Embedding {
    RgConeWork *w;
    double tau, kappa, mu;
    double xHx, linear_x, linear_z; /* x'Hx, c'x, h'z */
    double r_tau;
    double dtau, dkappa;
    double size_c, size_h; /* largest |c| and |h| of the program as given */
} Embedding;

/* ------------------------------------------------------------------ residuals and proofs */

/* Residuals of the embedding into dir[2] (x, z) and r_tau; Hx into hx. */
static void evaluate_embedding(Embedding *e)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    double *r = w->dir[2];
    if (w->has_quadratic_cost)
        rg_dense_times(w->H, n, n, w->x, NULL, w->hx);
    else
        memset(w->hx, 0, (size_t)n * sizeof *w->hx);
    memset(r, 0, (size_t)n * sizeof *r);
    rg_cone_add_transpose_times(m, n, w->G, w->z, r);
    memcpy(w->line, r, (size_t)n * sizeof *r); /* G'z, for proofs */
    for (int j = 0; j < n; j++)
        r[j] += w->hx[j] + w->c[j] * e->tau;
    rg_dense_times(w->G, m, n, w->x, NULL, r + n);
    for (int i = 0; i < m; i++)
        r[n + i] += w->s[i] - w->h[i] * e->tau;
    e->xHx = rg_dot(n, w->x, w->hx);
    e->linear_x = rg_dot(n, w->c, w->x);
    e->linear_z = rg_dot(m, w->h, w->z);
    e->r_tau = e->kappa + e->xHx / e->tau + e->linear_x + e->linear_z;
    e->mu = (rg_dot(m, w->s, w->z) + e->kappa * e->tau) / (w->k.l + w->k.ncones + 1);
}

/* Residuals of the program as given, at (x, z, s) / tau. */
static void evaluate_residuals(const Embedding *e, RgConeProgramReport *report)
{
    const RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    const double *r = w->dir[2];
    double per = 1.0 / e->tau, per_cost = per / w->cost;
    double primal = rg_cone_scaled_max(m, r + n, w->ez, true);
    double primal_size = fmax(fmax(1.0, e->size_h), per * rg_cone_scaled_max(m, w->s, w->ez, true));
    double dual_size = fmax(fmax(1.0, e->size_c), per_cost * rg_cone_scaled_max(n, w->hx, w->dx, true));
    dual_size = fmax(dual_size, per_cost * rg_cone_scaled_max(n, w->line, w->dx, true));
    double first = (0.5 * e->xHx * per + e->linear_x) * per_cost;
    double second = (-0.5 * e->xHx * per - e->linear_z) * per_cost;
    report->primal = primal * per / primal_size;
    report->dual = rg_cone_scaled_max(n, r, w->dx, true) * per_cost / dual_size;
    report->gap = fabs(first - second) / fmax(1.0, fmin(fabs(first), fabs(second)));
    report->objective = first;
}

/* G'z = 0, h'z < 0: no point satisfies the constraints. */
static bool proves_infeasible(const Embedding *e, double tolerance)
{
    const RgConeWork *w = e->w;
    double v = -e->linear_z;
    if (!(v > 0.0))
        return false;
    return rg_cone_scaled_max(w->n, w->line, w->dx, true) <=
           tolerance * fmax(v, rg_cone_scaled_max(w->k.m, w->z, w->ez, false));
}

/* Hx = 0, Gx + s = 0, c'x < 0: the objective is unbounded. */
static bool proves_unbounded(const Embedding *e, double tolerance)
{
    const RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    double v = -e->linear_x / w->cost;
    if (!(v > 0.0))
        return false;
    double limit = tolerance * v;
    if (!(rg_cone_scaled_max(n, w->hx, w->dx, true) / w->cost <= limit))
        return false;
    const double *r = w->dir[2];
    for (int i = 0; i < m; i++)
        if (!(fabs(r[n + i] + w->h[i] * e->tau) / w->ez[i] <= limit))
            return false;
    return true;
}

/* ------------------------------------------------------------------ steps */

/* dir[0] holds the step without tau, t2 holds d_s: adds the part of tau, then computes ds. */
static void finish_step(Embedding *e, double eta, double d_kappa)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m, all = n + m;
    double *d = w->dir[0];
    const double *by_tau = w->dir[1];
    double numerator = eta * e->r_tau - d_kappa / e->tau, denominator = e->kappa / e->tau;
    numerator += rg_dot(n, w->c, d) + 2.0 * rg_dot(n, w->hx, d) / e->tau;
    numerator += rg_dot(m, w->h, d + n);
    double fall = rg_dot(n, w->c, by_tau) + 2.0 * rg_dot(n, w->hx, by_tau) / e->tau;
    fall += rg_dot(m, w->h, by_tau + n);
    denominator += fmax(0.0, e->xHx / (e->tau * e->tau) - fall);
    e->dtau = numerator / denominator;
    e->dkappa = -(d_kappa + e->kappa * e->dtau) / e->tau;
    for (int i = 0; i < all; i++)
        d[i] += e->dtau * by_tau[i];
    /* from the second equation of the embedding: keeps Gx + s - h tau exact */
    rg_dense_times(w->G, m, n, d, NULL, w->ds);
    for (int i = 0; i < m; i++)
        w->ds[i] = e->dtau * w->h[i] - eta * w->dir[2][n + i] - w->ds[i];
}

/* The step with the right sides -eta r and d_s (in t2). */
static void find_step(Embedding *e, double eta, double d_kappa)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    for (int i = 0; i < n + m; i++)
        w->right[i] = -eta * w->dir[2][i];
    for (int i = 0; i < m; i++)
        w->right[n + i] += w->t2[i];
    rg_cone_kkt_solve(w, w->right, w->dir[0]);
    finish_step(e, eta, d_kappa);
}

/* Longest step, at most 1, that keeps s, z, tau and kappa in their cones. */
static double longest_step(const Embedding *e)
{
    const RgConeWork *w = e->w;
    double t = rg_cone_max_step(&w->k, w->s, w->ds, 1.0);
    t = rg_cone_max_step(&w->k, w->z, w->dir[0] + w->n, t);
    if (e->tau + t * e->dtau < 0.0)
        t = -e->tau / e->dtau;
    if (e->kappa + t * e->dkappa < 0.0)
        t = -e->kappa / e->dkappa;
    return t;
}

/* d_s = W (lambda \ (lambda lambda + (W^-1 ds)(W dz) - sigma mu e)) into t2, from the predictor's step. */
static void compute_corrector(Embedding *e, double sigma)
{
    RgConeWork *w = e->w;
    const RgConeShape *k = &w->k;
    rg_cone_times_inverse(k, &w->scaling, w->ds, w->t3);
    rg_cone_times(k, &w->scaling, w->dir[0] + w->n, w->t1);
    rg_cone_product(k, w->t3, w->t1, w->t3);
    rg_cone_product(k, w->scaling.lambda, w->scaling.lambda, w->t2);
    for (int i = 0; i < k->m; i++)
        w->t2[i] += w->t3[i];
    rg_cone_add_unit(k, -sigma * e->mu, w->t2);
    rg_cone_divide(k, w->scaling.lambda, w->t2, w->t2);
    rg_cone_times(k, &w->scaling, w->t2, w->t2);
}

/* One iteration. False: no step is possible. */
static bool take_step(Embedding *e)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    if (!rg_cone_scaling_set(&w->k, w->s, w->z, &w->scaling))
        return false;
    rg_cone_kkt_factor(w);
    for (int j = 0; j < n; j++)
        w->right[j] = -w->c[j];
    memcpy(w->right + n, w->h, (size_t)m * sizeof(double));
    rg_cone_kkt_solve(w, w->right, w->dir[1]);
    memcpy(w->t2, w->s, (size_t)m * sizeof(double));
    find_step(e, 1.0, e->kappa * e->tau);
    double less = 1.0 - longest_step(e), sigma = fmax(0.0, less * less * less);
    compute_corrector(e, sigma);
    find_step(e, 1.0 - sigma, e->kappa * e->tau + e->dkappa * e->dtau - sigma * e->mu);
    double t = STEP_FRACTION * longest_step(e);
    if (!(t > SHORTEST_STEP))
        return false;
    const double *d = w->dir[0];
    for (int j = 0; j < n; j++)
        w->x[j] += t * d[j];
    for (int i = 0; i < m; i++) {
        w->z[i] += t * d[n + i];
        w->s[i] += t * w->ds[i];
    }
    e->tau += t * e->dtau;
    e->kappa += t * e->dkappa;
    return e->tau > 0.0 && e->kappa > 0.0;
}

/* ------------------------------------------------------------------ start and end */

/* Shifts v into the interior, by a margin of one, if it is not there. */
static void shift_inside(const RgConeShape *k, double *v)
{
    double depth = rg_cone_margin(k, v);
    if (depth < 1e-8 * fmax(1.0, rg_cone_scaled_max(k->m, v, NULL, false)))
        rg_cone_add_unit(k, 1.0 - depth, v);
}

/* Starting point: solution of the system with W = 1; s and z are shifted into the interior. */
static void init_point(Embedding *e)
{
    RgConeWork *w = e->w;
    int n = w->n, m = w->k.m;
    memset(w->t2, 0, (size_t)m * sizeof *w->t2);
    rg_cone_add_unit(&w->k, 1.0, w->t2);
    rg_cone_scaling_set(&w->k, w->t2, w->t2, &w->scaling);
    rg_cone_kkt_factor(w);
    for (int j = 0; j < n; j++)
        w->right[j] = -w->c[j];
    memcpy(w->right + n, w->h, (size_t)m * sizeof(double));
    if (rg_cone_kkt_solve(w, w->right, w->dir[0]) > START_RESIDUAL) /* inaccurate: start from 0 */
        memset(w->dir[0], 0, (size_t)(n + m) * sizeof(double));
    memcpy(w->x, w->dir[0], (size_t)n * sizeof(double));
    memcpy(w->z, w->dir[0] + n, (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++)
        w->s[i] = -w->z[i];
    shift_inside(&w->k, w->s);
    shift_inside(&w->k, w->z);
    e->tau = e->kappa = 1.0;
}

/* Stores the point divided by `by`, in the scale of the program as given; primal, dual: whether x and s, and z, are
   stored or set to 0. */
static void store_point(const Embedding *e, const RgConeProgram *q, double by, bool primal, bool dual)
{
    const RgConeWork *w = e->w;
    for (int j = 0; j < q->n; j++)
        q->x[j] = primal ? w->dx[j] * w->x[j] / by : 0.0;
    for (int i = 0; i < q->m; i++) {
        q->s[i] = primal ? w->s[i] / (w->ez[i] * by) : 0.0;
        q->z[i] = dual ? w->ez[i] * w->z[i] / (by * w->cost) : 0.0;
    }
}

static bool all_finite(const RgConeProgramReport *r)
{
    return isfinite(r->primal) && isfinite(r->dual) && isfinite(r->gap) && isfinite(r->objective);
}

/* Checks for a solution or a proof. False: the iteration is finished. Points better than all earlier ones are
   stored. */
static bool should_continue(Embedding *e, const RgConeProgram *q, double tolerance, RgConeProgramReport *report)
{
    RgConeProgramReport now = *report;
    evaluate_embedding(e);
    evaluate_residuals(e, &now);
    bool better = fmax(fmax(now.primal, now.dual), now.gap) < fmax(fmax(report->primal, report->dual), report->gap);
    if (all_finite(&now) && better) {
        *report = now;
        store_point(e, q, e->tau, true, true);
    }
    if (all_finite(&now) && now.primal <= tolerance && now.dual <= tolerance && now.gap <= tolerance) {
        report->outcome = RG_CONE_SOLVED;
        return false;
    }
    if (proves_infeasible(e, tolerance)) {
        store_point(e, q, -e->linear_z / e->w->cost, false, true);
        report->outcome = RG_CONE_INFEASIBLE;
        return false;
    }
    if (proves_unbounded(e, tolerance)) {
        store_point(e, q, -e->linear_x / e->w->cost, true, false);
        report->outcome = RG_CONE_UNBOUNDED;
        return false;
    }
    return true;
}

RgStatus rg_cone_program_solve(RgConeWork *work, const RgConeProgram *q, const RgConeProgramOptions *o,
                               RgConeProgramReport *report)
{
    RgStatus status = rg_cone_work_load(work, q);
    if (status != RG_OK)
        return status;
    Embedding e = {.w = work,
                   .size_c = rg_cone_scaled_max(q->n, q->c, NULL, false),
                   .size_h = rg_cone_scaled_max(q->m, q->h, NULL, false)};
    *report =
        (RgConeProgramReport){.outcome = RG_CONE_ITERATIONS, .primal = INFINITY, .dual = INFINITY, .gap = INFINITY};
    init_point(&e);
    store_point(&e, q, HUGE_VAL, false, false);
    while (should_continue(&e, q, o->tolerance, report) && report->iterations < o->max_iterations && take_step(&e))
        report->iterations++;
    return RG_OK;
}
