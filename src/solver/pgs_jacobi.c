/*
 * pgs_jacobi.c - paper 003's row-parallel Gauss-Seidel, made to give the same bits always.
 *
 * The rows are cut into chunks of consecutive ones. In the paper each processor sweeps its chunk on
 * velocities that all share without locks, so that a chunk sees what the others happen to have written. Here
 * a chunk sees its own changes and none of the others' until the sweep ends, when all are added:
 *
 *   s_c = s;  Gauss-Seidel over the rows of chunk c on s_c;    s <- s + sum (s_c - s)
 *
 * Gauss-Seidel within, Jacobi between: with one chunk it is the former, with one row a chunk the latter,
 * which converges under a tighter bound. Where it does not, lower sor or raise cfm, as the paper says.
 */
#include "solver/pgs_lanes.h"

#include <math.h>
#include <string.h>

typedef struct Jacobi {
    RgProblem *p;
    const double *diagonal, *per;
    double keep;
    double *own; /* nu: velocities as the present chunk sees them */
    double sum;
} Jacobi;

static double look(const Jacobi *g, int i)
{
    const RgProblem *p = g->p;
    double w = (p->target[i] - p->compliance[i] * p->z[i]) - rg_problem_row_times(p, i, g->own);
    return p->z[i] + g->per[i] * w;
}

static void become(Jacobi *g, int i, double next)
{
    RgProblem *p = g->p;
    double d = (p->row_class[i] == RG_ROW_BILATERAL ? 1.0 : g->keep) * (next - p->z[i]),
           change = d * g->diagonal[i];
    p->z[i] += d;
    g->sum += change * change;
    rg_problem_push(p, i, d, g->own);
}

/* Row i, and the next where they share a cone. Returns how many. */
static int visit(Jacobi *g, int i)
{
    const RgProblem *p = g->p;
    bool scaled = p->row_class[i] == RG_ROW_FRICTION;
    double n = scaled ? p->z[p->normal[i]] : 1.0, x = look(g, i);
    if (p->cone[i]) {
        double y = look(g, i + 1);
        rg_cone_bring_back(p->high[i] * n, p->high[i + 1] * n, &x, &y);
        become(g, i, x);
        become(g, i + 1, y);
        return 2;
    }
    double low = scaled ? -p->high[i] * n : p->low[i], high = p->high[i] * n;
    become(g, i, x < low ? low : x > high ? high : x);
    return 1;
}

/* First row of chunk c of count; a contact point is never cut. */
static int chunk_start(const RgProblem *p, int c, int count)
{
    int i = (int)((int64_t)p->n * c / count);
    while (i < p->n && p->normal[i] >= 0)
        i++;
    return i;
}

RgStatus rg_pgs_jacobi_solve(RgArena *arena, RgProblem *p, const RgPgsOptions *o, RgPgsReport *report)
{
    rg_arena_reset(arena);
    RgPgsSteps steps;
    rg_pgs_steps_take(arena, p, &steps);
    double *own = RG_TAKE_RAW(arena, double, p->nu), *after = RG_TAKE_RAW(arena, double, p->nu);
    *report = (RgPgsReport){.residual = {.worst = -1}, .converged = p->n == 0};
    if (arena->failed)
        return RG_ERR_MEMORY;
    Jacobi g = {p, steps.diagonal, steps.per, 1.0 - o->smoothing, own, 0.0};
    rg_pgs_steps(p, o, &steps);
    report->not_in_sweeps = steps.not_in_sweeps;
    for (int i = 0; i < p->n; i++)
        rg_problem_push(p, i, p->z[i], p->s);
    size_t bytes = (size_t)p->nu * sizeof *own;
    while (report->iterations < o->iterations && !report->converged) {
        memcpy(after, p->s, bytes);
        g.sum = 0.0;
        for (int c = 0; c < o->chunks; c++) {
            memcpy(own, p->s, bytes);
            int end = chunk_start(p, c + 1, o->chunks);
            for (int i = chunk_start(p, c, o->chunks); i < end;)
                i += visit(&g, i);
            for (int k = 0; k < p->nu; k++)
                after[k] += own[k] - p->s[k];
        }
        memcpy(p->s, after, bytes);
        report->iterations++;
        report->change = sqrt(g.sum / p->n);
        report->converged = o->tolerance > 0.0 && report->change <= o->tolerance;
    }
    report->residual = rg_problem_residual(p, steps.response, p->rate);
    return RG_OK;
}
