/*
 * solver_dantzig.c - rows by principal pivoting: W = J J' + C, dense, one for each island (dantzig.h).
 *
 * Friction as linked boxes, |z_1| <= mu_1 z_n, |z_2| <= mu_2 z_n: the pyramid. Two rows that share a cone are treated
 * so too: the corners of their box reach beyond the ellipse. Cost: n^3 for each island.
 */
#include "solver/dantzig.h"
#include "solver/pivot_rows.h"

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n,
                             const RgExactOptions *options, RgIslandReport *report)
{
    RgDenseLcp lcp;
    RgDantzigReport dantzig;
    if (!rg_dense_lcp_of_rows(arena, p, rows, n, &lcp))
        return RG_ERR_MEMORY;
    RgStatus status = rg_dantzig_solve(arena, &lcp, options, &dantzig);
    if (status != RG_OK)
        return status;
    for (int i = 0; i < n; i++)
        p->z[rows == NULL ? i : rows[i]] = lcp.z[i];
    *report = (RgIslandReport){dantzig.outcome, dantzig.pivots, dantzig.residual.natural};
    return RG_OK;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_dantzig = {
    .name = "dantzig",
    .summary = "principal pivoting, exact; friction as pyramids of linked boxes (paper 002)",
    .solve_rows = solve_rows,
    .exact = true,
    .boxes = true};
