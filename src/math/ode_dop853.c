/*
 * ode_dop853.c - Dormand-Prince 8(5,3): Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
 * 2nd ed. 1993, II.4 to II.6, II.10.
 *
 *   k_s = f(t + c_s h, y + h sum_{r<s} a_sr k_r)      s = 0 ... 11
 *   y1  = y + h sum b_s k_s                           (order 8)
 *
 * Error of a step, from estimates e5 and e3 of orders 5 and 3:
 *   |e|^2 = (1/n) sum (e_i / (atol + rtol max(|y_i|, |y1_i|)))^2
 *   e = h |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2)
 * accepted when e <= 1. The next step is h * 0.9 e^(-1/8), between h / 3 and 6 h, and at most h after a rejection.
 *
 * Dense output, x = (t' - t) / h:
 *   y(t') = y + x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + x (F4 + (1 - x) (F5 + x F6))))))
 * F0 to F2 define the cubic through both ends with their derivatives; F3 to F6 are h times weighted stages, three of
 * which are evaluated for the dense output only.
 *
 * Rounding. y is a compensated sum (two-sum, Knuth), and h is t1 - t as rounded, so that many steps have the rounding
 * error of one. The eighth root is three square roots: step lengths have the same bits everywhere.
 *
 * Failure cases. If the right-hand side fails the step is halved, up to ten times in a row. An error estimate that is
 * not finite counts as too large. The derivative at the end of a step is evaluated when the next step begins (or by the
 * dense output), so that a restart wastes no evaluation.
 */
#include "math/ode.h"

#include "math/ode_dop853_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SAFETY 0.9             /* of the estimated step length */
#define MAX_SHRINK (1.0 / 3.0) /* smallest ratio of successive step lengths */
#define MAX_GROWTH 6.0         /* largest ratio of successive step lengths */

/* Halvings of a step whose right-hand side fails; a step 2^10 times shorter would not help either. */
#define MAX_FAILURES 10

/* A step may be longer by this factor to reach the end, which avoids a tiny last step. */
#define STRETCH 1.01

/* Shortest step, in units of the rounding of t. */
#define H_MIN_ROUNDINGS 16.0

/* s: shortest step at t = 0, below any meaningful time. */
#define H_MIN_AT_ZERO 1e-100

/* Index of the derivative at the end of a step. */
#define END DOP853_STAGES

#define DENSE_TERMS 7 /* F0 ... F6 */

RgStatus rg_ode_init(RgArena *arena, const RgOdeDef *def, RgOde *ode)
{
    memset(ode, 0, sizeof *ode);
    if (def->n < 0 || def->rhs == NULL || !(def->rtol >= 0.0) || !(def->atol >= 0.0) || !(def->rtol + def->atol > 0.0))
        return RG_ERR_ARGUMENT;
    if (!(def->h_min >= 0.0) || !(def->h_max >= 0.0) || (def->h_max > 0.0 && def->h_max < def->h_min) ||
        def->max_steps < 0)
        return RG_ERR_ARGUMENT;
    ode->def = *def;
    double **vectors[] = {&ode->y, &ode->y_old, &ode->y_next, &ode->low, &ode->low_next, &ode->sum, &ode->sum3};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = RG_ARENA_ALLOC(arena, double, def->n);
    for (int s = 0; s < DOP853_ALL_STAGES; s++)
        ode->stages[s] = RG_ARENA_ALLOC(arena, double, def->n);
    ode->dense = RG_ARENA_ALLOC(arena, double, (size_t)def->n *DENSE_TERMS);
    return arena->failed ? RG_ERR_MEMORY : RG_OK;
}

static bool all_finite(int n, const double *y)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return false;
    return true;
}

RgStatus rg_ode_start(RgOde *ode, double t, const double *y, double h)
{
    if (!isfinite(t) || !isfinite(h) || !all_finite(ode->def.n, y))
        return RG_ERR_NOT_FINITE;
    ode->t = ode->t_old = t;
    ode->h = fabs(h);
    for (int i = 0; i < ode->def.n; i++) {
        ode->y[i] = y[i];
        ode->low[i] = 0.0;
    }
    memset(&ode->counts, 0, sizeof ode->counts);
    ode->end_known = ode->step_known = ode->dense_known = false;
    return RG_OK;
}

RgStatus rg_ode_restart(RgOde *ode, double t, const double *y)
{
    if (!isfinite(t) || !all_finite(ode->def.n, y))
        return RG_ERR_NOT_FINITE;
    for (int i = 0; i < ode->def.n; i++) {
        if (y[i] != ode->y[i])
            ode->low[i] = 0.0;
        ode->y[i] = y[i];
    }
    ode->t = ode->t_old = t;
    ode->end_known = ode->step_known = ode->dense_known = false;
    return RG_OK;
}

static RgStatus evaluate(RgOde *ode, double t, const double *y, double *dydt)
{
    ode->counts.evaluations++;
    return ode->def.rhs(t, y, dydt, ode->def.context);
}

/* sum = sum over the first count stages of weights times stages. */
static void sum_stages(const RgOde *ode, const double *weights, int count, double *restrict sum)
{
    int n = ode->def.n;
    memset(sum, 0, (size_t)n * sizeof(double));
    for (int s = 0; s < count; s++) {
        const double *restrict k = ode->stages[s];
        double w = weights[s];
        if (w == 0.0)
            continue;
        for (int i = 0; i < n; i++)
            sum[i] += w * k[i];
    }
}

/* Stage s, from the stages before it and y at the start of the step. */
static RgStatus evaluate_stage(RgOde *ode, int s, double t, const double *y, double h)
{
    sum_stages(ode, dop853_a[s], s, ode->sum);
    for (int i = 0; i < ode->def.n; i++)
        ode->y_next[i] = y[i] + h * ode->sum[i];
    return evaluate(ode, t + dop853_c[s] * h, ode->y_next, ode->stages[s]);
}

/* y_next = y + h sum b k, with its rounding remainder in low_next. */
static void add_step(RgOde *ode, double h)
{
    sum_stages(ode, dop853_a[END], DOP853_STAGES, ode->sum);
    for (int i = 0; i < ode->def.n; i++) {
        double y = ode->y[i], change = h * ode->sum[i] + ode->low[i];
        double next = y + change, part = next - y;
        ode->y_next[i] = next;
        ode->low_next[i] = (y - (next - part)) + (change - part);
    }
}

/* Weighted error of the step to y_next; accepted if at most 1. */
static double error_of_step(RgOde *ode, double h)
{
    int n = ode->def.n;
    sum_stages(ode, dop853_error5, DOP853_STAGES, ode->sum);
    sum_stages(ode, dop853_error3, DOP853_STAGES, ode->sum3);
    double square5 = 0.0, square3 = 0.0;
    for (int i = 0; i < n; i++) {
        double weight = 1.0 / (ode->def.atol + ode->def.rtol * fmax(fabs(ode->y[i]), fabs(ode->y_next[i])));
        double e5 = weight * ode->sum[i], e3 = weight * ode->sum3[i];
        square5 += e5 * e5;
        square3 += e3 * e3;
    }
    if (square5 == 0.0)
        return 0.0;
    return fabs(h) * square5 / sqrt(n * (square5 + 0.01 * square3));
}

/* Evaluates stages 1 to 11, the new y and its error. Stage 0 must be set. */
static RgStatus try_step(RgOde *ode, double h, double *error)
{
    for (int s = 1; s < DOP853_STAGES; s++) {
        RgStatus status = evaluate_stage(ode, s, ode->t, ode->y, h);
        if (status != RG_OK)
            return status;
    }
    add_step(ode, h);
    *error = error_of_step(ode, h);
    if (!all_finite(ode->def.n, ode->y_next))
        *error = (double)INFINITY;
    return RG_OK;
}

static double eighth_root(double x)
{
    return sqrt(sqrt(sqrt(x)));
}

/* Weighted root mean square of a vector, weights at y. */
static double weighted_norm(const RgOde *ode, const double *v)
{
    double square = 0.0;
    for (int i = 0; i < ode->def.n; i++) {
        double e = v[i] / (ode->def.atol + ode->def.rtol * fabs(ode->y[i]));
        square += e * e;
    }
    return ode->def.n > 0 ? sqrt(square / ode->def.n) : 0.0;
}

/* Initial step length from the norms of y, f and, by one Euler step not beyond t_limit, of df/dt (Hairer, Norsett,
   Wanner, II.4). Stage 0 must be set. */
static double find_first_step(RgOde *ode, double t_limit)
{
    double size = weighted_norm(ode, ode->y), rate = weighted_norm(ode, ode->stages[0]);
    double euler = 0.01 * size / rate;
    if (!(size >= 1e-5) || !(rate >= 1e-5) || !(euler > 0.0))
        euler = 1e-6;
    euler = fmin(euler, fabs(t_limit - ode->t));
    double step = t_limit > ode->t ? euler : -euler;
    for (int i = 0; i < ode->def.n; i++)
        ode->y_next[i] = ode->y[i] + step * ode->stages[0][i];
    if (evaluate(ode, ode->t + step, ode->y_next, ode->stages[1]) != RG_OK)
        return euler;
    for (int i = 0; i < ode->def.n; i++)
        ode->sum[i] = ode->stages[1][i] - ode->stages[0][i];
    double largest = fmax(rate, weighted_norm(ode, ode->sum) / euler);
    double h = largest <= 1e-15 ? fmax(1e-6, 1e-3 * euler) : eighth_root(0.01 / largest);
    return isfinite(h) ? fmin(100.0 * euler, h) : euler;
}

static double smallest_step(const RgOde *ode)
{
    return fmax(fmax(ode->def.h_min, H_MIN_AT_ZERO), H_MIN_ROUNDINGS * DBL_EPSILON * fabs(ode->t));
}

/* Limits a step length. */
static double limit_step(const RgOde *ode, double h)
{
    if (ode->def.h_max > 0.0)
        h = fmin(h, ode->def.h_max);
    return fmax(h, smallest_step(ode));
}

static double step_factor(double error, bool may_grow)
{
    if (!isfinite(error))
        return MAX_SHRINK;
    double most = may_grow ? MAX_GROWTH : 1.0;
    double factor = error > 0.0 ? SAFETY / eighth_root(error) : most;
    return fmin(most, fmax(MAX_SHRINK, factor));
}

/* Evaluates the derivative at t, y into stage 0, and estimates the step length if it is not set. */
static RgStatus prepare_step(RgOde *ode, double t_limit)
{
    ode->step_known = ode->dense_known = false;
    if (!ode->end_known) {
        RgStatus status = evaluate(ode, ode->t, ode->y, ode->stages[END]);
        if (status != RG_OK)
            return status;
    }
    double *first = ode->stages[0];
    ode->stages[0] = ode->stages[END];
    ode->stages[END] = first;
    ode->end_known = false;
    if (!all_finite(ode->def.n, ode->stages[0]))
        return RG_ERR_NOT_FINITE;
    if (ode->h == 0.0)
        ode->h = find_first_step(ode, t_limit);
    ode->h = limit_step(ode, ode->h);
    return RG_OK;
}

/* Accepts the trial step. A step cut short by t_limit does not shorten the next one. */
static void accept_step(RgOde *ode, double t_next, double proposed)
{
    double *old = ode->y_old, *low = ode->low;
    ode->y_old = ode->y;
    ode->y = ode->y_next;
    ode->y_next = old;
    ode->low = ode->low_next;
    ode->low_next = low;
    ode->t_old = ode->t;
    ode->t = t_next;
    ode->h = limit_step(ode, proposed);
    ode->step_known = true;
    ode->counts.accepted++;
}

RgStatus rg_ode_step(RgOde *ode, double t_limit)
{
    if (isnan(t_limit))
        return RG_ERR_ARGUMENT;
    if (t_limit == ode->t)
        return RG_OK;
    RgStatus status = prepare_step(ode, t_limit);
    if (status != RG_OK)
        return status;

    bool may_grow = true;
    for (int failures = 0;;) {
        RgOdeCounts *counts = &ode->counts;
        if (ode->def.max_steps > 0 && counts->accepted + counts->rejected + counts->failed >= ode->def.max_steps)
            return RG_ERR_NOT_CONVERGED;

        /* Step to t + h, or to the limit if that is near. */
        bool last = fabs(t_limit - ode->t) <= STRETCH * ode->h;
        double t_next = last ? t_limit : ode->t + (t_limit > ode->t ? ode->h : -ode->h);
        double h = t_next - ode->t, error = 0.0;
        status = try_step(ode, h, &error);
        if (status == RG_OK && error <= 1.0) {
            double proposed = fabs(h) * step_factor(error, may_grow);
            accept_step(ode, t_next, last ? fmax(ode->h, proposed) : proposed);
            return RG_OK;
        }

        /* Retry with a shorter step. */
        may_grow = false;
        if (status != RG_OK) {
            counts->failed++;
            if (++failures > MAX_FAILURES)
                return status;
            ode->h = 0.5 * fabs(h);
            continue;
        }
        counts->rejected++;
        ode->h = fabs(h) * step_factor(error, false);
        if (ode->h < smallest_step(ode))
            return isfinite(error) ? RG_ERR_NOT_CONVERGED : RG_ERR_NOT_FINITE;
    }
}

/* Computes the coefficients F of the last step. */
static RgStatus prepare_dense(RgOde *ode)
{
    int n = ode->def.n;
    double h = ode->t - ode->t_old;
    RgStatus status = RG_OK;
    if (!ode->end_known)
        status = evaluate(ode, ode->t, ode->y, ode->stages[END]);
    ode->end_known = status == RG_OK;
    for (int s = END + 1; s < DOP853_ALL_STAGES && status == RG_OK; s++)
        status = evaluate_stage(ode, s, ode->t_old, ode->y_old, h);
    if (status != RG_OK)
        return status;

    for (int i = 0; i < n; i++) {
        double change = ode->y[i] - ode->y_old[i];
        double start = h * ode->stages[0][i], end = h * ode->stages[END][i];
        ode->dense[i] = change;
        ode->dense[n + i] = start - change;
        ode->dense[2 * n + i] = 2.0 * change - (start + end);
    }
    for (int r = 0; r < DOP853_DENSE_ROWS; r++) {
        double *term = ode->dense + (ptrdiff_t)(DENSE_TERMS - DOP853_DENSE_ROWS + r) * n;
        sum_stages(ode, dop853_dense[r], DOP853_ALL_STAGES, term);
        for (int i = 0; i < n; i++)
            term[i] *= h;
    }
    ode->dense_known = true;
    return RG_OK;
}

RgStatus rg_ode_dense(RgOde *ode, double t, double *y)
{
    if (!ode->step_known || !(t >= fmin(ode->t_old, ode->t)) || !(t <= fmax(ode->t_old, ode->t)))
        return RG_ERR_ARGUMENT;
    if (!ode->dense_known) {
        RgStatus status = prepare_dense(ode);
        if (status != RG_OK)
            return status;
    }

    /* Horner's scheme from the innermost bracket: even terms are multiplied by x, odd terms by 1 - x. */
    int n = ode->def.n;
    double x = (t - ode->t_old) / (ode->t - ode->t_old);
    for (int i = 0; i < n; i++) {
        double value = 0.0;
        for (int term = DENSE_TERMS - 1; term >= 0; term--)
            value = (value + ode->dense[term * n + i]) * (term % 2 == 0 ? x : 1.0 - x);
        y[i] = ode->y_old[i] + value;
    }
    return RG_OK;
}
