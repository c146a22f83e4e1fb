/*
 * energy_program.h - the program over cones that "max-dissipation" and "qp" minimise on one piece of the
 * complementarity:
 *
 *   minimise E(z)   subject to   unilateral rows that close:  0 <= w <= band,  z >= low
 *                                unilateral rows, open:       w >= 0,          z = low: no unknown, and no friction
 *                                others:                      low <= z <= high,  friction within its cone
 *
 * in the unknowns x = z / impulse, with E / (velocity impulse) and w / velocity (scales of RgEnergyProblem). Rows with
 * w <= 0 are mirrored.
 */
#ifndef RIGOR_ENERGY_PROGRAM_H
#define RIGOR_ENERGY_PROGRAM_H

#include "solver/program/cone_program.h"
#include "solver/program/energy_problem.h"

typedef struct RgEnergyShape {
    /* 0: true cones. Otherwise edges of the polygon around the circle (000), even, at least 4: cos(a_j) |x| / mu_1 +
       sin(a_j) |y| / mu_2 <= n, a_j = (pi/2) j / (edges/2 - 1), j = 0 ... edges/2 - 1; 4: the box. */
    int edges;
    bool bounded;     /* the sum of all normal impulses is bounded ... */
    double largest;   /* ... by this */
    double band;      /* m/s: width of the constraint w = 0 of rows that close; above 0 */
    const bool *open; /* e->n: unilateral rows that are open */
} RgEnergyShape;

/* Positions of the rows of an RgEnergyProblem in its program. */
typedef struct RgEnergyLayout {
    int *column;        /* e->n: unknown of the program; -1: z is fixed */
    double *fixed;      /* e->n: z of fixed rows; else 0 */
    int *below, *above; /* e->n: rows of G for w >= 0 and w <= band; -1: none */
    int *at_low;        /* e->n: row of G for z >= low; -1: none */
} RgEnergyLayout;

/* Builds H, c, G, h and allocates the solution. False: no memory. */
bool rg_energy_program_make(RgArena *arena, const RgEnergyProblem *e, const RgProblem *problem,
                            const RgEnergyShape *shape, RgConeProgram *out, RgEnergyLayout *places);

#endif
