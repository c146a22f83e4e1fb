/*
 * energy_phases.h - contact without friction, then minimum energy over the rows that close: solvers "max-dissipation"
 * and "qp".
 */
#ifndef RIGOR_ENERGY_PHASES_H
#define RIGOR_ENERGY_PHASES_H

#include "solver/pivot/pivot_rows.h"

typedef struct RgEnergyLaw {
    const RgExactOptions *options;
    int edges;    /* edges of the friction polygon; 0: true cones (energy_program.h) */
    bool bounded; /* the sum of normal impulses is at most kappa times that without friction, plus kappa_slack */
} RgEnergyLaw;

/* Solves the rows of one island (RgIslandSolve); the arena is not reset. */
RgStatus rg_energy_phases(RgArena *arena, RgProblem *problem, const int *rows, int n, const RgEnergyLaw *law,
                          RgIslandReport *report);

#endif
