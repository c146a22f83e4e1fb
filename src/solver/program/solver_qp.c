/*
 * solver_qp.c - the quadratic program of Drumwright and Shell (2010) with polygonal cones, as paper 000 used it.
 *
 *   min E(z)  subject to  N s >= n_c, z_n >= 0, limits likewise, J s = j_c, motors within their bounds,
 *                         cos(a_j) |x| + sin(a_j) |y| <= mu z_n,  a_j = (pi/2) j / (edges/2 - 1)
 *
 * The polygon lies about the circle: friction may pass mu z_n by up to the distance of its corners (4 edges: sqrt 2), and
 * the judge's residual tells. Complementarity between z_n and N s is not asked for: more normal impulse than contact needs may be spent where it buys
 * friction. By the interior-point method of cone_program.h. No point allowed (rows without bounds against rows
 * with): outcome INFEASIBLE, with a proof; z is then 0. Cost: about 20 iterations of (n^3 + m n^2) / 3.
 */
#include "solver/pivot/pivot_rows.h"
#include "solver/program/energy_program.h"

#include <math.h>

#define SOLVED 1e-10 /* smallest tolerance */
#define DEFAULT_ITERATIONS 100

static RgSolveOutcome outcome_of(RgConeOutcome outcome)
{
    return outcome == RG_CONE_SOLVED       ? RG_SOLVE_SOLVED
           : outcome == RG_CONE_INFEASIBLE ? RG_SOLVE_INFEASIBLE
                                           : RG_SOLVE_ITERATIONS;
}

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *o,
                             RgIslandReport *report)
{
    RgEnergyProblem e;
    RgConeProgram program;
    RgEnergyShape shape = {.edges = o->sides + o->sides % 2};
    if (!rg_energy_problem_make(arena, p, rows, n, &e) ||
        !rg_energy_program_make(arena, &e, p, &shape, &program))
        return RG_ERR_MEMORY;
    RgConeWork *work = rg_cone_work_take(arena, program.n, program.m);
    if (work == NULL)
        return RG_ERR_MEMORY;
    RgConeProgramOptions options = {.tolerance = fmax(o->tolerance, SOLVED),
                                    .max_iterations =
                                        o->max_iterations > 0 ? o->max_iterations : DEFAULT_ITERATIONS};
    RgConeProgramReport inner = {.outcome = RG_CONE_ITERATIONS};
    RgStatus status = rg_cone_program_solve(work, &program, &options, &inner);
    *report = (RgIslandReport){.outcome = status == RG_OK ? outcome_of(inner.outcome) : RG_SOLVE_SINGULAR,
                               .pivots = inner.iterations,
                               .own = fmax(inner.primal, inner.dual) * e.velocity};
    for (int i = 0; i < n; i++)
        p->z[rows == NULL ? i : rows[i]] = 0.0;
    if (status != RG_OK || inner.outcome == RG_CONE_INFEASIBLE || inner.outcome == RG_CONE_UNBOUNDED)
        return RG_OK;
    for (int i = 0; i < e.n; i++)
        program.x[i] *= e.impulse;
    rg_energy_problem_give(&e, program.x, false, p);
    return RG_OK;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_qp = {
    .name = "qp",
    .summary = "least kinetic energy over polygonal cones, without complementarity (paper 000)",
    .solve_rows = solve_rows,
    .exact = true};
