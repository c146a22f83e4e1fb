/*
 * energy_program.h - what "max-dissipation" and "qp" minimise on one piece of the complementarity, as a program over
 * cones:
 *
 *   minimise E(z)   subject to   rows that push and close:  0 <= w <= band,  z >= low
 *                                rows that push, open:      w >= 0,          z = low: no unknown, nor friction behind it
 *                                others:                    low <= z <= high,  friction within its cone
 *
 * in x = z / impulse of the rows that are unknown, E / (velocity impulse), w / velocity (scales of RgEnergyProblem).
 * Rows that push the other way are mirrored.
 */
#ifndef RIGOR_ENERGY_PROGRAM_H
#define RIGOR_ENERGY_PROGRAM_H

#include "solver/program/cone_program.h"
#include "solver/program/energy_problem.h"

typedef struct RgEnergyShape {
    /* 0: true cones. Else edges of the polygon about the circle (000): cos(a_j) |x| / mu_1 + sin(a_j) |y| / mu_2 <= n,
       a_j = (pi/2) j / (edges/2 - 1), j = 0 ... edges/2 - 1; 4: the box. Even, at least 4. */
    int edges;
    bool bounded;     /* the sum of all normal impulses is bounded, */
    double largest;   /* by this */
    double band;      /* m/s: width of the constraint w = 0 of rows that close, above 0 */
    const bool *open; /* e->n: of rows that push */
} RgEnergyShape;

/* Where the rows of an RgEnergyProblem are in its program. */
typedef struct RgEnergyPlaces {
    int *column;        /* e->n: unknown of the program; -1: z is fixed */
    double *fixed;      /* e->n: z of those; else 0 */
    int *below, *above; /* e->n: rows of G of w >= 0, w <= band; -1: none */
    int *at_low;        /* e->n: of z >= low; -1: none */
} RgEnergyPlaces;

/* H, c, G, h and room for the solution, all the arena's; false: no memory. */
bool rg_energy_program_make(RgArena *arena, const RgEnergyProblem *e, const RgProblem *problem,
                            const RgEnergyShape *shape, RgConeProgram *out, RgEnergyPlaces *places);

#endif
