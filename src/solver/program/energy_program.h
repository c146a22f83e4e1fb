/*
 * energy_program.h - what "max-dissipation" and "qp" minimise, as a program over cones:
 *
 *   minimise E(z)   subject to   w >= 0 and z >= 0 of rows that push,  low <= z <= high,  friction within its cone
 *
 * in x = z / impulse, E / (velocity impulse), w / velocity (scales of RgEnergyProblem).
 */
#ifndef RIGOR_ENERGY_PROGRAM_H
#define RIGOR_ENERGY_PROGRAM_H

#include "solver/program/cone_program.h"
#include "solver/program/energy_problem.h"

typedef struct RgEnergyShape {
    /* 0: true cones. Else edges of the polygon about the circle (000): cos(a_j) |x| / mu_1 + sin(a_j) |y| / mu_2 <= n,
       a_j = (pi/2) j / (edges/2 - 1), j = 0 ... edges/2 - 1; 4: the box. Even, at least 4. */
    int edges;
    bool bounded;   /* the sum of all normal impulses is bounded, */
    double largest; /* by this */
} RgEnergyShape;

/* H, c, G, h and room for the solution, all the arena's; false: no memory. */
bool rg_energy_program_make(RgArena *arena, const RgEnergyProblem *e, const RgProblem *problem,
                            const RgEnergyShape *shape, RgConeProgram *out);

#endif
