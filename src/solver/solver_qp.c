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
#include "solver/energy_program.h"
#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

#define DEFAULT_ITERATIONS 100

static RgSolveOutcome outcome_of(RgConeOutcome outcome)
{
    return outcome == RG_CONE_SOLVED       ? RG_SOLVE_SOLVED
           : outcome == RG_CONE_INFEASIBLE ? RG_SOLVE_INFEASIBLE
                                           : RG_SOLVE_ITERATIONS;
}

static RgStatus solve(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    RgEnergyProblem e;
    RgConeProgram program;
    RgEnergyShape shape = {.edges = o->exact.sides + o->exact.sides % 2};
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = p->n == 0};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    if (!rg_energy_problem_make(arena, p, &e) || !rg_energy_program_make(arena, &e, p, &shape, &program))
        return RG_ERR_MEMORY;
    RgConeWork *work = rg_cone_work_take(arena, program.n, 0, program.m);
    if (work == NULL)
        return RG_ERR_MEMORY;
    RgConeProgramOptions options = {.tolerance = fmax(o->exact.tolerance, 1e-10),
                                    .max_iterations = o->exact.max_iterations > 0 ? o->exact.max_iterations
                                                                                  : DEFAULT_ITERATIONS};
    RgConeProgramReport inner = {.outcome = RG_CONE_ITERATIONS};
    RgStatus status = rg_cone_program_solve(work, &program, &options, &inner);
    report->iterations = inner.iterations;
    report->outcome = status == RG_OK ? outcome_of(inner.outcome) : RG_SOLVE_SINGULAR;
    report->converged = report->outcome == RG_SOLVE_SOLVED;
    bool none = status != RG_OK || inner.outcome == RG_CONE_INFEASIBLE || inner.outcome == RG_CONE_UNBOUNDED;
    for (int i = 0; i < e.n; i++)
        program.x[i] = none ? 0.0 : program.x[i] * e.impulse;
    rg_energy_problem_give(&e, program.x, false, p);
    if (!p->unjudged)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}

const RgSolver rg_solver_qp = {
    .name = "qp",
    .summary = "least kinetic energy over polygonal cones, without complementarity (paper 000)",
    .solve_rows = solve,
    .exact = true};
