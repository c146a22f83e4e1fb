/*
 * pivot_rows.c - solves a problem of rows island by island with a dense solver.
 *
 * Each island is a separate dense problem. s does not change before all are solved, since islands share no columns. An
 * island with an input that is NaN or infinite is singular: its impulses are 0. An island with too many rows for a
 * dense matrix is not solved: it keeps the initial guess, projected onto its bounds, with the outcome
 * RG_SOLVE_ITERATIONS.
 */
#include "solver/pivot/pivot_rows.h"

#include "solver/cone_projection.h"
#include "solver/pivot/dantzig.h"

/* A dense matrix of this many rows has 18 MB and takes a second to solve. */
#define MAX_ROWS 1500

void rg_pivot_project_guess(RgProblem *p, const int *rows, int n)
{
    for (int friction = 0; friction < 2; friction++)
        for (int k = 0; k < n; k++) {
            int i = rows == NULL ? k : rows[k];
            if ((p->row_class[i] == RG_ROW_FRICTION) != (friction == 1) || p->row_class[i] == RG_ROW_BILATERAL)
                continue;
            p->z[i] = row_project(p, i, row_normal(p, i), p->z[i]);
        }
}

/* Sets impulses that are NaN or infinite to 0. */
static void clear_nonfinite_impulses(RgProblem *p)
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
        RgIslandReport island_report = {.outcome = RG_SOLVE_SOLVED};
        if (n > MAX_ROWS) {
            rg_pivot_project_guess(p, islands.rows + first, n);
            report->outcome = worse(report->outcome, RG_SOLVE_ITERATIONS);
            continue;
        }
        RgStatus status =
            solve(arena, p, islands.count == 1 ? NULL : islands.rows + first, n, &options->exact, &island_report);
        if (status != RG_OK)
            return status;
        report->outcome = worse(report->outcome, island_report.outcome);
        report->iterations += island_report.pivots;
        report->own = fmax(report->own, island_report.own);
    }
    clear_nonfinite_impulses(p);
    for (int i = 0; i < p->n; i++)
        if (p->z[i] != 0.0)
            rg_problem_apply_impulse(p, i, p->z[i], p->s);
    report->converged = report->outcome == RG_SOLVE_SOLVED;
    if (!p->skip_residual)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}
