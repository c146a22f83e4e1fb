/*
 * residual.c - the residual by which all solvers are compared.
 *
 * Natural map, row by row with the step 1 / A_ii, which converts between N s and m/s:
 *
 *   r = z - P(z - w / A_ii)        P: nearest admissible impulse; friction bounds use the current normal impulse
 *
 * r = 0 exactly where the law of the row holds. The two friction rows of a cone are evaluated together with 1 / lambda,
 * lambda the larger eigenvalue of their 2 x 2 block, and projected radially: r = 0 where they stick, or slide against
 * w. Cost: one evaluation of every row.
 */
#include "solver/cone_projection.h"

/* Diagonals of rows i and i + 1, which have the same columns. Returns the larger eigenvalue of their 2 x 2 block. */
static double pair_response(const RgProblem *p, int i, double diagonal[2])
{
    int count = p->start[i + 1] - p->start[i];
    const double *x = p->values + p->start[i], *y = x + count;
    double a = 0.0, b = 0.0, c = 0.0;
    for (int e = 0; e < count; e++) {
        a += x[e] * x[e];
        b += y[e] * y[e];
        c += x[e] * y[e];
    }
    diagonal[0] = a + p->compliance[i];
    diagonal[1] = b + p->compliance[i + 1];
    double half = 0.5 * (diagonal[0] - diagonal[1]);
    return 0.5 * (diagonal[0] + diagonal[1]) + sqrt(half * half + c * c);
}

void rg_problem_responses(const RgProblem *p, int first, int end, double *diagonal, double *response)
{
    for (int i = first; i < end; i++)
        if (p->cone[i]) {
            response[i] = response[i + 1] = pair_response(p, i, diagonal + i);
            i++;
        } else {
            response[i] = diagonal[i] = rg_problem_diagonal(p, i);
        }
}

static void pair_residual(const RgProblem *p, int i, double response, const double w[2], double r[2])
{
    double x = p->z[i] - w[0] / response, y = p->z[i + 1] - w[1] / response;
    pair_project(p, i, row_normal(p, i), &x, &y);
    r[0] = p->z[i] - x;
    r[1] = p->z[i + 1] - y;
}

/* J s + C z - target; J s is stored in rate unless that is NULL. */
static double row_velocity_error(const RgProblem *p, int i, double *rate)
{
    double w = rg_problem_row_times(p, i, p->s);
    if (rate != NULL)
        rate[i] = w;
    return w + p->compliance[i] * p->z[i] - p->target[i];
}

RgResidual rg_problem_residual(const RgProblem *p, const double *responses, double *rate)
{
    RgResidual out = {.worst = -1};
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        bool pair = p->cone[i];
        double unused[2], r[2] = {0.0, 0.0},
                          w[2] = {row_velocity_error(p, i, rate), pair ? row_velocity_error(p, i + 1, rate) : 0.0};
        double response = responses != NULL ? responses[i]
                          : pair            ? pair_response(p, i, unused)
                                            : rg_problem_diagonal(p, i);
        if (response > 0.0 && pair)
            pair_residual(p, i, response, w, r);
        else if (response > 0.0)
            r[0] = p->z[i] - row_project(p, i, row_normal(p, i), p->z[i] - w[0] / response);
        double size = fabs(r[0]) > fabs(r[1]) ? fabs(r[0]) : fabs(r[1]);
        sum += response * response * (r[0] * r[0] + r[1] * r[1]);
        out.impulse = size > out.impulse ? size : out.impulse;
        if (out.worst < 0 || size * response > out.velocity) {
            out.velocity = size * response;
            out.worst = i;
        }
        i += pair;
    }
    out.mean = p->n > 0 ? sqrt(sum / p->n) : 0.0;
    return out;
}
