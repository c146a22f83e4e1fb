/*
 * solver_dantzig.c - rows by principal pivoting: W = J J' + C, dense, one for each island (dantzig.h).
 *
 * Friction as linked boxes, |z_1| <= mu_1 z_n, |z_2| <= mu_2 z_n: the pyramid. Two rows that share a cone are treated
 * so too: the corners of their box reach beyond the ellipse. Cost: n^3 for each island.
 */
#include "solver/pivot/pivot_rows.h"

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                             RgIslandReport *report)
{
    RgDenseLcp lcp;
    if (!rg_dense_lcp_of_rows(arena, p, rows, n, &lcp))
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
