/*
 * solver_max_dissipation.c - solver `max-dissipation`, paper 003, section 4.1: contact in two convex phases, with the
 * true friction cone.
 *
 *   1. contact without friction
 *   2. minimum energy over the true cones, 1'z_n <= kappa 1'z_n(phase 1) + kappa_slack
 *
 * Rows that close keep their contact in phase 2; open gaps get no impulse (energy_phases.c).
 *
 * This is not Coulomb's law: normal impulses are distributed so that friction dissipates as much energy as possible.
 */
#include "solver/program/energy_phases.h"

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *o,
                             RgIslandReport *report)
{
    return rg_energy_phases(arena, p, rows, n, &(RgEnergyLaw){.options = o, .bounded = true}, report);
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
