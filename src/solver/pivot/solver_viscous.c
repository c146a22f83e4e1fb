/*
 * solver_viscous.c - solver `viscous`: friction is a force against the sliding velocity before contact (paper 001's
 * simulator).
 *
 *   z_t = -viscous (J_t s* - target_t)        then normals, limits, joints from s* + J_t' z_t
 *
 * Friction impulses follow from the velocities before contact (explicit): they can reverse the motion if viscous J_t
 * J_t' is above 1, and diverge above 2. They do not depend on the normal impulse, so the residual of the rows, which
 * uses a coefficient of friction, is not zero. viscous 0: no friction. Cost: n^3 per island.
 */
#include "solver/pivot/pivot_rows.h"

#include <math.h>

/* Fixes the friction impulses: their rows get equal bounds. */
static void fix_friction(RgDenseLcp *lcp, double viscous)
{
    int n = lcp->n;
    for (int i = 0; i < n; i++)
        if (lcp->normal[i] >= 0)
            lcp->low[i] = lcp->high[i] = -viscous * lcp->q[i];
    for (int i = 0; i < n; i++)
        lcp->normal[i] = -1;
}

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                             RgIslandReport *report)
{
    RgDenseLcp lcp;
    if (!rg_dense_lcp_from_rows(arena, p, rows, n, &lcp))
        return RG_ERR_MEMORY;
    fix_friction(&lcp, options->viscous);
    return rg_pivot_by_dantzig(arena, &lcp, p, rows, options, report);
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_viscous = {
    .name = "viscous",
    .summary = "friction proportional to slip (set viscous, N s/m; 0: none): an exact LCP in the normals alone",
    .solve_rows = solve_rows,
    .exact = true};
