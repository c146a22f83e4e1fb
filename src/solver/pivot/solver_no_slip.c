/*
 * solver_no_slip.c - contacts that do not slip (Drumwright 2015): the tangents of every contact are equalities.
 *
 *   S v = 0,  T v = 0,  joints as they are;  normals, limits and bounded rows complementary
 *
 * Rows that depend on joints and tangents before them are dropped one by one (a pivot below 1e-10 of the diagonal);
 * with the others eliminated what is left is an LCP in the normals and bounded rows alone, which always has a solution
 * where the equalities have one and normals ask for no more than not to approach. Normals that ask for more (overlaps
 * that are to be pushed apart) may be jammed by tangents that hold: that is reported as the outcome it has, and the
 * impulses are those of tangents that give way a little, by 1e-5 of what they would without the others. Friction
 * impulses have no bound: the judge of the rows, who knows the coefficient, finds fault with them where it is exceeded.
 * Cost: n^3 for each island.
 */
#include "solver/pivot/pivot_rows.h"

#include <math.h>

/* How far tangents give way, relative to their diagonal, where there is no solution. */
#define SOFT 1e-5

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                             RgIslandReport *report)
{
    RgDenseLcp lcp;
    double *soft = RG_TAKE(arena, double, n);
    if (arena->failed || !rg_dense_lcp_of_rows(arena, p, rows, n, &lcp))
        return RG_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        if (lcp.normal[i] >= 0) {
            soft[i] = SOFT * lcp.M[(size_t)i * ((size_t)n + 1)];
            lcp.normal[i] = -1;
            lcp.low[i] = -INFINITY;
            lcp.high[i] = INFINITY;
        }
    RgStatus status = rg_pivot_by_dantzig(arena, &lcp, p, rows, options, report);
    RgSolveOutcome outcome = report->outcome;
    if (status != RG_OK || outcome == RG_SOLVE_SOLVED || outcome == RG_SOLVE_SINGULAR)
        return status;
    for (int i = 0; i < n; i++) {
        lcp.M[(size_t)i * ((size_t)n + 1)] += soft[i];
        lcp.z[i] = 0.0;
    }
    status = rg_pivot_by_dantzig(arena, &lcp, p, rows, options, report);
    report->outcome = outcome;
    return status;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_no_slip = {.name = "no-slip",
                                    .summary = "contacts never slip: an exact LCP in the normals alone",
                                    .solve_rows = solve_rows,
                                    .exact = true};
