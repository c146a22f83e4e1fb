/*
 * solver_viscous.c - contacts whose friction is a force against the velocity they would slip with (paper 001's
 * simulator).
 *
 *   z_t = -viscous (J_t s* - target_t)        then normals, limits, joints from s* + J_t' z_t
 *
 * The friction impulse is taken from the velocities before contact (explicit): it can turn the motion round where
 * viscous J_t J_t' is above 1, and blows up where it is above 2. It knows no normal impulse: the judge of the rows, who
 * has a coefficient of friction, finds fault with it. viscous 0: no friction. Cost: n^3 for each island.
 */
#include "solver/pivot/pivot_rows.h"

#include <math.h>

/* Friction impulses are known: they move to the right side, and their rows hold still. */
static void give_friction(RgDenseLcp *lcp, double viscous)
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
    if (!rg_dense_lcp_of_rows(arena, p, rows, n, &lcp))
        return RG_ERR_MEMORY;
    give_friction(&lcp, options->viscous);
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
