/*
 * pivot_rows.c - a problem of rows, island by island.
 *
 * Each island is a dense problem of its own; s does not change before all are solved, since none touches another's
 * columns. Numbers that are none make an island singular: its impulses are 0. An island with more rows than a dense
 * matrix can sensibly have is not solved: it keeps the first guess, within its bounds, and has run out of iterations.
 */
#include "solver/pivot/pivot_rows.h"

#include "solver/cone_projection.h"
#include "solver/pivot/dantzig.h"

/* A dense matrix of so many rows has 18 MB, and takes a second to solve. */
#define MOST_ROWS 1500

void rg_pivot_keep_guess(RgProblem *p, const int *rows, int n)
{
    for (int friction = 0; friction < 2; friction++)
        for (int k = 0; k < n; k++) {
            int i = rows == NULL ? k : rows[k];
            if ((p->row_class[i] == RG_ROW_FRICTION) != (friction == 1) || p->row_class[i] == RG_ROW_BILATERAL)
                continue;
            p->z[i] = row_project(p, i, row_normal(p, i), p->z[i]);
        }
}

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

RgStatus rg_pivot_by_dantzig(RgArena *arena, RgDenseLcp *lcp, RgProblem *p, const int *rows,
                             const RgExactOptions *options, RgIslandReport *report)
{
    RgDantzigReport dantzig;
    RgStatus status = rg_dantzig_solve(arena, lcp, options, &dantzig);
    if (status != RG_OK)
        return status;
    for (int i = 0; i < lcp->n; i++)
        p->z[rows == NULL ? i : rows[i]] = lcp->z[i];
    *report = (RgIslandReport){dantzig.outcome, dantzig.pivots, dantzig.residual.natural};
    return RG_OK;
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
        if (n > MOST_ROWS) {
            rg_pivot_keep_guess(p, islands.rows + first, n);
            report->outcome = worse(report->outcome, RG_SOLVE_ITERATIONS);
            continue;
        }
        RgStatus status = solve(arena, p, islands.count == 1 ? NULL : islands.rows + first, n, &options->exact, &one);
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
