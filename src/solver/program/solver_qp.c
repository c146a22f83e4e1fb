/*
 * solver_qp.c - solver `qp`: minimum energy over polygonal cones (Drumwright and Shell 2010), as in paper 000.
 *
 *   cos(a_j) |x| + sin(a_j) |y| <= mu z_n,  a_j = (pi/2) j / (edges/2 - 1);  the sum of normal impulses has no bound
 *
 * The polygon lies around the circle: friction may exceed mu z_n by up to the distance of its corners (4 edges: sqrt
 * 2), which the residual of the rows includes. The published method does not require complementarity; here open gaps
 * get no impulse, and rows that close do not separate (energy_phases.c).
 */
#include "solver/program/energy_phases.h"

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *o,
                             RgIslandReport *report)
{
    return rg_energy_phases(arena, p, rows, n, &(RgEnergyLaw){.options = o, .edges = o->sides + o->sides % 2}, report);
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_qp = {.name = "qp",
                               .summary =
                                   "frictionless contact, then least kinetic energy over polygonal cones (paper 000)",
                               .solve_rows = solve_rows,
                               .exact = true};
