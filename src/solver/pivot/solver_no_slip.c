/*
 * solver_no_slip.c - solver `no-slip`: contacts that do not slip (Drumwright 2015); the tangents of every contact that
 * carries a load are equalities.
 *
 *   S v = 0,   joints unchanged;   normals, limits and bounded rows complementary
 *   z_N > 0:   T v = 0             z_N = 0:   z_T = 0, no condition on T v
 *
 * Which contacts carry a load: active_friction.c. Rows that depend on earlier joints and tangents are dropped (a pivot
 * below 1e-10 of the diagonal). With the others eliminated, an LCP in the normals and bounded rows remains. It has a
 * solution whenever the equalities have one and normals only prevent approach. Normals with larger targets (separation
 * of overlaps) may be blocked by tangents that do not slip. The outcome then says so, and the impulses are those of
 * regularised tangents (SOFTNESS). Friction impulses are unbounded, so the residual of the rows, which uses the
 * coefficient of friction, is not zero where it is exceeded. Cost: n^3 per island and round.
 */
#include "solver/pivot/active_friction.h"

#include <math.h>

/* Regularisation of the tangents if there is no solution, relative to their diagonal. */
#define SOFTNESS 1e-5

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                             RgIslandReport *report)
{
    RgDenseLcp lcp;
    double *low = RG_ARENA_ALLOC_RAW(arena, double, n), *high = RG_ARENA_ALLOC_RAW(arena, double, n);
    if (arena->failed || !rg_dense_lcp_from_rows(arena, p, rows, n, &lcp))
        return RG_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        low[i] = -INFINITY;
        high[i] = INFINITY;
    }
    RgActiveFriction law = {.low = low, .high = high, .loaded = true, .softness = SOFTNESS, .options = options};
    return rg_pivot_active_friction(arena, &lcp, p, rows, &law, report);
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_no_slip = {.name = "no-slip",
                                    .summary = "contacts with a load never slip: exact LCPs in the normals alone",
                                    .solve_rows = solve_rows,
                                    .exact = true};
