/* energy_phases.h - contact without friction, then least energy over what closes: "max-dissipation" and "qp". */
#ifndef RIGOR_ENERGY_PHASES_H
#define RIGOR_ENERGY_PHASES_H

#include "solver/pivot/pivot_rows.h"

typedef struct RgEnergyLaw {
    const RgExactOptions *options;
    int edges;    /* of the friction polygon; 0: true cones (energy_program.h) */
    bool bounded; /* sum of normal impulses at most kappa times that without friction, plus kappa_slack */
} RgEnergyLaw;

/* Solves the rows of one island (RgIslandSolve); the arena is not reset. */
RgStatus rg_energy_phases(RgArena *arena, RgProblem *problem, const int *rows, int n, const RgEnergyLaw *law,
                          RgIslandReport *report);

#endif
