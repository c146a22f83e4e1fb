/*
 * cone_state.h - solver `cone` at work on rows that hang together. Its parts: sweeps (cone_sweep.c), Newton's method on
 * Coulomb's law (cone_newton.c), the convex problems with De Saxce's shifts (cone_saxce.c), all by cone_method.h;
 * and solver `cone-convex` (cone_associated.c).
 */
#ifndef RIGOR_CONE_STATE_H
#define RIGOR_CONE_STATE_H

#include "math/anderson.h"
#include "solver/cone/cone_convex.h"
#include "solver/solve_report.h"

typedef enum RgMind { RG_ROW_FIXED, RG_ROW_HOLDS, RG_ROW_SLIDES } RgMind;

/* What a row has in mind; of two that share a cone the first. */
typedef struct RgRowMind {
    RgMind
        mind; /* RG_ROW_FIXED: at a bound that does not move (open, too); RG_ROW_HOLDS; RG_ROW_SLIDES: at a bound that follows the normal */
    double to;   /* RG_ROW_FIXED: the bound */
    double d[2]; /* RG_ROW_SLIDES, of two: direction; of one: d[0] is the side */
    double mu;   /* RG_ROW_SLIDES: radius over the normal's impulse, along d */
    double turn; /* RG_ROW_SLIDES, of two: derivative of the radius by the direction, over it */
    double k, over;
} RgRowMind;

typedef struct RgCone {
    RgConeRows rows;
    double *inverse, *block;           /* 9 a group: of a contact's W; zero: it has none */
    double *w, *centre, *known, *best; /* n */
    double *from, *change;             /* n: of the last step */
    bool *edge;                        /* n: it stays at its bound */
    RgRowMind *mind;                   /* n */
    double *scratch;                   /* SCRATCH rows of columns of the widest group */
    RgConvex convex;
    bool associated;  /* the law of cone-convex: no shifts */
    RgAnderson chain; /* of shifts */
    double *spare_shift;
    double a, size;         /* size: m/s, what tolerances are parts of */
    double own_size, round; /* m/s: what its rows miss without impulses; what of that is round-off */
} RgCone;

/* Blocks of contacts, once; a sweep. */
void rg_cone_sweep_prepare(RgCone *c);
void rg_cone_sweep(void *cone);

/* Newton's method: memory; what rows have in mind, and what they miss; a step; a part of it. */
bool rg_cone_newton_take(RgCone *c);
double rg_cone_newton_look(void *cone, double a);
bool rg_cone_newton_step(void *cone);
void rg_cone_newton_shorten(void *cone, double part);

/* Into the bounds; two rows at an edge stay there. */
void rg_cone_bring_in(RgProblem *p, const RgConeGroup *g, const bool *edge);

/* The convex problem round the present point (cone_method.h). */
bool rg_cone_saxce(void *cone, double a, int *steps);

/* Whether z - from, the last outer step of the proximal method, proves that there is no solution (cone_infeasible.c). Overwrites
   change and step. */
bool rg_cone_infeasible(RgCone *c);

/* The associated law, from the present z on; fills in converged and iterations, which are most at most. */
void rg_cone_associated_solve(RgCone *c, const RgExactOptions *options, int most, RgSolveReport *report);

#endif
