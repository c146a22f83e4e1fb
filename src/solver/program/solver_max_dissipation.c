/*
 * solver_max_dissipation.c - paper 003, section 4.1: contact in two convex phases, with the true friction cone.
 *
 *   1. without friction: min 1/2 z'Az + z'q over the bounds, by principal pivoting (dantzig.h), to a residual of 1e-11 of the
 *      largest velocity that the rows miss.
 *   2. min E(z)  subject to  N s >= n_c, limits likewise, motors within their bounds, friction in its cone,
 *      1'z_n <= kappa 1'z_n(phase 1) + kappa_slack
 *      by an interior-point method that begins inside and goes down at every step (cone_program.h).
 *
 * An end after any number of iterations has kept the constraints and only removed less energy; after none the
 * answer is phase 1's.
 *
 * With kappa = 1 the set has next to no inside (a box on a plane needs just the sum that phase 1 has). So phase 1 aims at
 * velocities larger by ROOM, which leaves room on both sides; what phase 2 gains is exact to that.
 *
 * Where phase 1 has no solution the outcome is INFEASIBLE. Where phase 2 gets stuck in round-off and no count was asked for, it
 * is tried from anywhere.
 *
 * This is not Coulomb's law: normal impulses are shared out so that friction takes as much energy as it can.
 * Cost: (n^3 + m n^2) / 3 an iteration and island.
 */
#include "solver/pivot/dantzig.h"
#include "solver/pivot/pivot_rows.h"
#include "solver/program/energy_program.h"

#include <math.h>
#include <string.h>

#define ROOM 1e-7            /* of the velocity scale */
#define PHASE_1_SOLVED 1e-11 /* likewise */
#define PHASE_2_SOLVED 1e-8  /* smallest tolerance of its gap and gradient, relative: below ROOM is enough */
#define DEFAULT_ITERATIONS 100

/* Phase 1, from z: friction rows have no impulse, rows that push aim further by room, one way or the other. */
static RgStatus leave_friction_out(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p, double room,
                                   double *z, RgDantzigReport *report)
{
    double tolerance = room > 0.0 ? 0.1 * room : PHASE_1_SOLVED * e->velocity, largest = 0.0;
    RgDenseLcp lcp = {.n = e->n, .M = e->A, .z = z, .symmetric = true};
    double **const parts[] = {&lcp.q, &lcp.low, &lcp.high, &lcp.w};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_TAKE(arena, double, e->n);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++) {
        bool friction = p->row_class[e->row[i]] == RG_ROW_FRICTION || p->row_class[e->row[i]] == RG_ROW_BOX;
        lcp.low[i] = friction ? 0.0 : e->low[i];
        lcp.high[i] = friction ? 0.0 : e->high[i];
        lcp.q[i] = e->q[i];
        if (rg_energy_pushes(e, i))
            lcp.q[i] -= e->high[i] == INFINITY ? room : -room;
        largest = fmax(largest, fabs(lcp.q[i]));
    }
    RgExactOptions options = rg_exact_options_default();
    options.tolerance = largest > 0.0 ? tolerance / largest : 1.0;
    return rg_dantzig_solve(arena, &lcp, &options, report);
}

/* z off all bounds by a little that costs less than half of ROOM in any velocity; returns that little. */
static double step_inside(const RgEnergyProblem *e, double *z)
{
    double most = 0.0;
    for (int i = 0; i < e->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < e->n; j++)
            sum += fabs(e->A[(size_t)i * (size_t)e->n + (size_t)j]);
        most = fmax(most, sum);
    }
    double little = 0.5 * ROOM * e->velocity / most;
    for (int i = 0; i < e->n; i++) {
        double width = e->high[i] - e->low[i], own = fmin(little, 0.25 * width);
        if (e->normal[i] < 0)
            z[i] = fmin(fmax(z[i], e->low[i] + own), e->high[i] - own);
    }
    return little;
}

static double sum_normals(const RgEnergyProblem *e, const RgProblem *p, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < e->n; i++)
        sum += p->row_class[e->row[i]] == RG_ROW_NORMAL ? z[i] : 0.0;
    return sum;
}

static bool has_friction(const RgEnergyProblem *e, const RgProblem *p)
{
    for (int i = 0; i < e->n; i++)
        if (e->normal[i] >= 0 || p->row_class[e->row[i]] == RG_ROW_BOX)
            return true;
    return false;
}

/* From z inside to the end; z takes the better of that and what it was. */
static RgStatus add_friction(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p,
                             const RgExactOptions *o, double *z, RgConeProgramReport *report)
{
    double *inside = RG_TAKE(arena, double, e->n);
    if (inside == NULL)
        return RG_ERR_MEMORY;
    memcpy(inside, z, (size_t)e->n * sizeof *z);
    RgDantzigReport first;
    if (leave_friction_out(arena, e, p, ROOM * e->velocity, inside, &first) != RG_OK)
        return RG_ERR_MEMORY;
    double little = step_inside(e, inside), sum = fmax(sum_normals(e, p, inside), sum_normals(e, p, z));
    RgEnergyShape shape = {.bounded = true,
                           .largest = fmax(o->kappa, 1.0) * sum + o->kappa_slack + 2.0 * e->n * little};
    RgConeProgram program;
    if (!rg_energy_program_make(arena, e, p, &shape, &program))
        return RG_ERR_MEMORY;
    RgConeWork *work = rg_cone_work_take(arena, program.n, program.m);
    if (work == NULL)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++)
        program.x[i] = inside[i] / e->impulse;
    RgConeProgramOptions options = {.tolerance = fmax(o->tolerance, PHASE_2_SOLVED),
                                    .max_iterations =
                                        o->max_iterations > 0 ? o->max_iterations : DEFAULT_ITERATIONS};
    RgStatus status = rg_cone_program_descend(work, &program, &options, report);
    if (o->max_iterations == 0 && (status != RG_OK || report->outcome != RG_CONE_SOLVED))
        status = rg_cone_program_solve(work, &program, &options, report); /* from anywhere */
    if (status != RG_OK)
        return status;
    for (int i = 0; i < e->n; i++)
        inside[i] = program.x[i] * e->impulse;
    if (rg_energy_of(e, inside) < rg_energy_of(e, z))
        memcpy(z, inside, (size_t)e->n * sizeof *z);
    return RG_OK;
}

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *o,
                             RgIslandReport *report)
{
    RgEnergyProblem e;
    RgDantzigReport first;
    double *z = RG_TAKE(arena, double, n);
    if (z == NULL || !rg_energy_problem_make(arena, p, rows, n, &e))
        return RG_ERR_MEMORY;
    *report = (RgIslandReport){.outcome = RG_SOLVE_SINGULAR};
    for (int i = 0; i < n; i++)
        p->z[rows == NULL ? i : rows[i]] = 0.0;
    if (!isfinite(e.velocity) || !isfinite(e.impulse))
        return RG_OK;
    if (leave_friction_out(arena, &e, p, 0.0, z, &first) != RG_OK)
        return RG_ERR_MEMORY;
    *report = (RgIslandReport){first.outcome, first.pivots, first.residual.natural};
    if (report->outcome == RG_SOLVE_SOLVED && has_friction(&e, p)) {
        RgConeProgramReport second = {0};
        RgStatus status = add_friction(arena, &e, p, o, z, &second);
        if (status == RG_ERR_MEMORY)
            return status;
        bool solved = status == RG_OK && second.outcome == RG_CONE_SOLVED;
        report->pivots += second.iterations;
        report->own = fmax(report->own, second.dual * e.velocity);
        report->outcome = solved ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    }
    rg_energy_problem_give(&e, z, true, p);
    return RG_OK;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_max_dissipation = {
    .name = "max-dissipation",
    .summary = "frictionless contact, then least kinetic energy over the true cones (paper 003)",
    .solve_rows = solve_rows,
    .exact = true};
