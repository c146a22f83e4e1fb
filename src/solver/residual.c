/*
 * residual.c - the judge of every solver: how far impulses and velocities are from solving a problem.
 *
 * Natural map, row by row with the step 1 / A_ii, in which N s become m/s and back:
 *
 *   r = z - P(z - w / A_ii)        P: nearest allowed impulse, bounds of friction taken with the present normal
 *
 * r = 0 exactly where the row's law holds. Two friction rows of a cone are judged together with 1 / lambda, lambda the
 * larger eigenvalue of their 2 x 2 block, and brought back to the edge along the radius: zero where they stick, or slide
 * against w. Cost: one look at every row.
 */
#include "solver/problem.h"

#include <math.h>

double rg_problem_row_times(const RgProblem *p, int i, const double *x)
{
    double sum = 0.0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * x[p->columns[e]];
    return sum;
}

double rg_problem_diagonal(const RgProblem *p, int i)
{
    double sum = p->compliance[i];
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * p->values[e];
    return sum;
}

void rg_problem_push(const RgProblem *p, int i, double z, double *x)
{
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        x[p->columns[e]] += p->values[e] * z;
}

/* Larger eigenvalue of the block of rows i and i + 1, which have the same columns. */
double rg_problem_pair_response(const RgProblem *p, int i)
{
    double a = rg_problem_diagonal(p, i), b = rg_problem_diagonal(p, i + 1), c = 0.0;
    int count = p->start[i + 1] - p->start[i], shift = count;
    for (int e = p->start[i]; e < p->start[i] + count; e++)
        c += p->values[e] * p->values[e + shift];
    double half = 0.5 * (a - b);
    return 0.5 * (a + b) + sqrt(half * half + c * c);
}

void rg_cone_bring_back(double bound1, double bound2, double *x, double *y)
{
    double reach = bound1 * bound2;
    if (!(reach > 0.0)) {
        *x = fmax(-bound1, fmin(bound1, *x));
        *y = fmax(-bound2, fmin(bound2, *y));
        return;
    }
    double a = *x * bound2, b = *y * bound1, length = sqrt(a * a + b * b);
    double back = length > reach ? reach / length : 1.0;
    *x *= back;
    *y *= back;
}

static double miss(const RgProblem *p, int i)
{
    return rg_problem_row_times(p, i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
}

/* One row alone. */
static double judge_row(const RgProblem *p, int i, double response)
{
    double low = p->low[i], high = p->high[i];
    if (p->row_class[i] == RG_ROW_FRICTION) {
        high *= fmax(p->z[p->normal[i]], 0.0);
        low = -high;
    }
    double z = p->z[i] - miss(p, i) / response;
    z = z < low ? low : z > high ? high : z;
    return p->z[i] - z;
}

static void judge_pair(const RgProblem *p, int i, double response, double r[2])
{
    double n = fmax(p->z[p->normal[i]], 0.0);
    double x = p->z[i] - miss(p, i) / response, y = p->z[i + 1] - miss(p, i + 1) / response;
    rg_cone_bring_back(p->high[i] * n, p->high[i + 1] * n, &x, &y);
    r[0] = p->z[i] - x;
    r[1] = p->z[i + 1] - y;
}

RgResidual rg_problem_residual(const RgProblem *p)
{
    RgResidual out = {.worst = -1};
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        bool pair = p->cone[i];
        double response = pair ? rg_problem_pair_response(p, i) : rg_problem_diagonal(p, i),
               r[2] = {0.0, 0.0};
        if (!(response > 0.0))
            continue; /* moves nothing */
        if (pair)
            judge_pair(p, i, response, r);
        else
            r[0] = judge_row(p, i, response);
        double size = fmax(fabs(r[0]), fabs(r[1]));
        sum += response * response * (r[0] * r[0] + r[1] * r[1]);
        out.impulse = fmax(out.impulse, size);
        if (out.worst < 0 || size * response > out.velocity) {
            out.velocity = size * response;
            out.worst = i;
        }
        i += pair;
    }
    out.mean = p->n > 0 ? sqrt(sum / p->n) : 0.0;
    return out;
}
