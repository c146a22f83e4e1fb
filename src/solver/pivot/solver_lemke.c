/*
 * solver_lemke.c - solver `lemke`: rows with friction pyramids of k sides, by Lemke's method (Stewart, Trinkle 1996;
 * Anitescu, Potra 1997).
 *
 * pyramid.h builds the pyramids; equalities are free variables, which lemke.c eliminates. For rigid contacts a solution
 * exists (Stewart, Trinkle), and Lemke's method finds it. The residual of the rows is that of the cone and includes the
 * distance of the polygon from it; `own` of the report is the residual of the problem solved here. Cost: n^2 per pivot,
 * n about (k + 2) contacts.
 */
#include "solver/pivot/lemke.h"
#include "solver/pivot/pivot_rows.h"
#include "solver/pivot/pyramid.h"

/* With this many variables each fallback of lemke.c takes about a second. */
#define MAX_PARTS 2000

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *list, int n, const RgExactOptions *options,
                             RgIslandReport *report)
{
    RgDenseLcp rows, lcp;
    RgLemkeReport lemke;
    bool *cone = RG_ARENA_ALLOC_RAW(arena, bool, n);
    if (arena->failed || !rg_dense_lcp_from_rows(arena, p, list, n, &rows))
        return RG_ERR_MEMORY;
    if (!rg_dense_lcp_valid(&rows)) {
        for (int i = 0; i < n; i++)
            p->z[list == NULL ? i : list[i]] = 0.0;
        report->outcome = RG_SOLVE_SINGULAR;
        return RG_OK;
    }
    for (int i = 0; i < n; i++)
        cone[i] = p->cone[list == NULL ? i : list[i]];
    RgPyramid pyramid = {.rows = &rows, .cone = cone, .sides = options->sides};
    if (!rg_pyramid_alloc(arena, &pyramid))
        return RG_ERR_MEMORY;
    if (pyramid.nparts > MAX_PARTS) {
        rg_pivot_project_guess(p, list, n);
        report->outcome = RG_SOLVE_ITERATIONS;
        return RG_OK;
    }
    if (!rg_pyramid_problem(arena, &pyramid, &lcp))
        return RG_ERR_MEMORY;
    RgStatus status = rg_lemke_solve(arena, &lcp, options, &lemke);
    if (status != RG_OK)
        return status;
    rg_pyramid_impulses(&pyramid, lcp.z, rows.z);
    for (int i = 0; i < n; i++)
        p->z[list == NULL ? i : list[i]] = rows.z[i];
    *report = (RgIslandReport){lemke.outcome, lemke.pivots, lemke.residual.natural};
    return RG_OK;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

static RgStatus solve_lcp(RgArena *arena, RgDenseLcp *lcp, const RgRowOptions *options, RgSolveReport *report)
{
    RgLemkeReport lemke;
    RgStatus status = rg_lemke_solve(arena, lcp, &options->exact, &lemke);
    *report = (RgSolveReport){.iterations = lemke.pivots,
                              .converged = lemke.outcome == RG_SOLVE_SOLVED,
                              .outcome = lemke.outcome,
                              .residual = {.impulse = lemke.residual.plain,
                                           .velocity = lemke.residual.natural,
                                           .worst = lemke.residual.worst},
                              .own = lemke.residual.natural};
    return status;
}

const RgSolver rg_solver_lemke = {
    .name = "lemke",
    .summary = "Lemke's method, exact; friction as pyramids of 4 to 16 sides (papers 000, 001, 002)",
    .solve_rows = solve_rows,
    .solve_lcp = solve_lcp,
    .exact = true,
    .least_norm = true};
