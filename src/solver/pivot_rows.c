/*
 * pivot_rows.c - a problem of rows, island by island.
 *
 * Each island is a dense problem of its own; s does not change before all are solved, since none touches another's
 * columns. Impulses are brought within their bounds before s = s* + J'z. Not finite numbers make an island singular:
 * its impulses are 0.
 */
#include "solver/pivot_rows.h"

#include <math.h>

/* Impulses that are none become 0. */
static void clean(RgProblem *p)
{
    for (int i = 0; i < p->n; i++)
        if (!isfinite(p->z[i]))
            p->z[i] = 0.0;
}

/* The worse of two outcomes. */
static RgSolveOutcome worse(RgSolveOutcome a, RgSolveOutcome b)
{
    return a == RG_SOLVE_SOLVED ? b : b == RG_SOLVE_SOLVED ? a : a > b ? a : b;
}

RgStatus rg_pivot_islands(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgIslandSolve *solve,
                          RgSolveReport *report)
{
    RgRowIslands islands;
    *report = (RgSolveReport){.residual = {.worst = -1}, .outcome = RG_SOLVE_SOLVED, .converged = true};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    if (!rg_row_islands_find(arena, p, &islands))
        return RG_ERR_MEMORY;
    for (int k = 0; k < islands.count; k++) {
        int first = islands.first[k], n = islands.first[k + 1] - first;
        RgIslandReport one = {.outcome = RG_SOLVE_SOLVED};
        RgStatus status =
            solve(arena, p, islands.count == 1 ? NULL : islands.rows + first, n, &options->exact, &one);
        if (status != RG_OK)
            return status;
        report->outcome = worse(report->outcome, one.outcome);
        report->iterations += one.pivots;
        report->own = fmax(report->own, one.own);
    }
    clean(p);
    for (int i = 0; i < p->n; i++)
        if (p->z[i] != 0.0)
            rg_problem_push(p, i, p->z[i], p->s);
    report->converged = report->outcome == RG_SOLVE_SOLVED;
    if (!p->unjudged)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}
