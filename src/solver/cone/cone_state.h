/*
 * cone_state.h - working state of solvers `cone` and `cone-convex` on one island of coupled rows: sweeps
 * (cone_sweep.c); for `cone` the proximal method on Coulomb's law (cone_proximal.c) with Newton's method inside
 * (cone_newton.c); for `cone-convex` the augmented Lagrangian method (cone_associated.c).
 */
#ifndef RIGOR_CONE_STATE_H
#define RIGOR_CONE_STATE_H

#include "solver/cone/cone_rows.h"
#include "solver/solve_report.h"

typedef struct RgCone {
    RgConeRows rows;
    /* 9 per group: W of a contact's first three rows (block) and its inverse; inverse 0: no contact, or singular */
    double *inverse, *block;
    double *w;                     /* n: row velocities */
    double *best;                  /* n: the best z so far */
    double *change;                /* n: scratch */
    bool associated;               /* the associated law is solved (cone-convex) */
    double size;                   /* m/s: tolerances are relative to it */
    double island_size, round_off; /* m/s: residual of the island's rows without impulses; round-off in it */
} RgCone;

/* prepare: computes the blocks of contacts, once. sweep: one sweep, which updates z and s. */
void rg_cone_sweep_prepare(RgCone *c);
void rg_cone_sweep(RgCone *c);

/* Projects the impulses of a group onto the bounds that the present normals give. */
void rg_cone_project_group(RgProblem *p, const RgConeGroup *g);

/* Whether z - from, the last outer step of the proximal method, proves that there is no solution (cone_infeasible.c).
   Overwrites change. */
bool rg_cone_infeasible(RgCone *c, const double *from);

/* Solve Coulomb's law and the associated law from the present z. Set converged, outcome and iterations, which may
   exceed max_iterations slightly. False: no memory. */
bool rg_cone_proximal_solve(RgCone *c, const RgExactOptions *options, int max_iterations, RgSolveReport *report);
bool rg_cone_associated_solve(RgCone *c, const RgExactOptions *options, int max_iterations, RgSolveReport *report);

#endif
