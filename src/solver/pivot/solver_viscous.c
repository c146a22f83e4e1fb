/*
 * solver_viscous.c - solver `viscous`: friction is a force against the sliding velocity before contact (paper 001's
 * simulator).
 *
 *   gap closes:  z_t = -viscous (J_t s* - target_t)     gap stays open:  z_t = 0
 *   then normals, limits, joints from s* + J_t' z_t
 *
 * Which gaps close: active_friction.c. Friction impulses follow from the velocities before contact (explicit): they can
 * reverse the motion if viscous J_t J_t' is above 1, and diverge above 2. They do not depend on the normal impulse, so
 * a contact that closes without one has friction, too, as the points of a patch share their load in many ways; and the
 * residual of the rows, which uses a coefficient of friction, is not zero. viscous 0: no friction. Cost: n^3 per island
 * and round.
 */
#include "solver/pivot/active_friction.h"

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                             RgIslandReport *report)
{
    RgDenseLcp lcp;
    double *friction = RG_ARENA_ALLOC_RAW(arena, double, n);
    if (arena->failed || !rg_dense_lcp_from_rows(arena, p, rows, n, &lcp))
        return RG_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        friction[i] = -options->viscous * lcp.q[i];
    RgActiveFriction law = {.low = friction, .high = friction, .options = options};
    return rg_pivot_active_friction(arena, &lcp, p, rows, &law, report);
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
