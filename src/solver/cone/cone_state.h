/*
 * cone_state.h - solver `cone` at work on rows that hang together: sweeps (cone_sweep.c), the proximal method on
 * Coulomb's law (cone_proximal.c) with Newton's method inside (cone_newton.c); and solver `cone-convex`
 * (cone_associated.c).
 */
#ifndef RIGOR_CONE_STATE_H
#define RIGOR_CONE_STATE_H

#include "solver/cone/cone_rows.h"
#include "solver/solve_report.h"

typedef struct RgCone {
    RgConeRows rows;
    double *inverse, *block; /* 9 a group: of a contact's W; zero: it has none */
    double *w;               /* n */
    double *best;            /* n: the best z so far */
    double *change;          /* n: scratch */
    bool associated;         /* the law of cone-convex */
    double size;             /* m/s: what tolerances are parts of */
    double own_size, round;  /* m/s: what its rows miss without impulses; what of that is round-off */
} RgCone;

/* Blocks of contacts, once; a sweep: s and z after it. */
void rg_cone_sweep_prepare(RgCone *c);
void rg_cone_sweep(RgCone *c);

/* Into the bounds that the present normals give. */
void rg_cone_bring_in(RgProblem *p, const RgConeGroup *g);

/* Whether z - from, the last outer step of the proximal method, proves that there is no solution (cone_infeasible.c).
   Overwrites change. */
bool rg_cone_infeasible(RgCone *c, const double *from);

/* Coulomb's law, and the associated law, from the present z on; fill in converged, outcome and iterations, which are
   about most at most. False: no memory. */
bool rg_cone_proximal_solve(RgCone *c, const RgExactOptions *options, int most, RgSolveReport *report);
bool rg_cone_associated_solve(RgCone *c, const RgExactOptions *options, int most, RgSolveReport *report);

#endif
