/*
 * solver_dantzig.c - solver `dantzig`: rows by principal pivoting (dantzig.h) with a dense W = J J' + C per island.
 *
 * Friction is a pyramid of linked boxes, |z_1| <= mu_1 z_n, |z_2| <= mu_2 z_n. Two rows that share a cone are treated
 * in the same way: the corners of their box lie outside of the ellipse. Cost: n^3 per island.
 */
#include "solver/pivot/pivot_rows.h"

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                             RgIslandReport *report)
{
    RgDenseLcp lcp;
    if (!rg_dense_lcp_from_rows(arena, p, rows, n, &lcp))
        return RG_ERR_MEMORY;
    return rg_pivot_by_dantzig(arena, &lcp, p, rows, options, report);
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_dantzig = {.name = "dantzig",
                                    .summary =
                                        "principal pivoting, exact; friction as pyramids of linked boxes (paper 002)",
                                    .solve_rows = solve_rows,
                                    .exact = true,
                                    .least_norm = true,
                                    .boxes = true};
