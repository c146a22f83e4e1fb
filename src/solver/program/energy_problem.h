/*
 * energy_problem.h - the rows of a problem as a convex program of least energy, dense.
 *
 * With the rows b that hold without bounds eliminated, z_b = -(W_bb)^+ (q_b + W_bu z), for the others
 *
 *   w = A z + q,   A = W_uu - W_ub (W_bb)^+ W_bu,   W = J J' + C,  q = J s* - target
 *   energy  E(z) = 1/2 z'A z + z'slope         slope = q, of rows that only push (normals, limits) q + target
 *
 * E is the kinetic energy of s less that of z = 0, plus what compliance stores, where nothing is driven; of surfaces,
 * motors and joints that are driven it is seen from what drives them. Rows that only push have their
 * targets in the constraint w >= 0 alone.
 */
#ifndef RIGOR_ENERGY_PROBLEM_H
#define RIGOR_ENERGY_PROBLEM_H

#include "solver/pivot/dense_lcp.h"

typedef struct RgEnergyProblem {
    int n;                /* rows that are left */
    int *row;             /* n: their numbers in the problem */
    double *A;            /* n x n */
    double *q, *slope;    /* n */
    double *low, *high;   /* n: of friction rows high is the coefficient */
    int *normal;          /* n: of friction rows their normal among the n; -1: none */
    int *owner;           /* n: the same, also of friction with bounds of its own */
    RgDenseLcp W;         /* all rows that can have an impulse */
    const int *list;      /* W.n: their numbers in the problem */
    RgLcpReduced reduced; /* of W: the rows that are left, A and q are its S and p */
    /* largest that a row misses, or of slope: the scale of w; 1 where all are 0; not finite where some number is not */
    double velocity;
    double impulse; /* velocity over the largest A_ii: that of z */
} RgEnergyProblem;

/* Of count rows (NULL: all), from problem->s = s*; z is not read. False: no memory. */
bool rg_energy_problem_make(RgArena *arena, const RgProblem *problem, const int *rows, int count, RgEnergyProblem *out);

/* 1/2 z'Az + z'slope */
double rg_energy_of(const RgEnergyProblem *e, const double *z);

/* w of row i. */
double rg_energy_velocity(const RgEnergyProblem *e, int i, const double *z);

/* Whether row i pushes only: w >= 0 and z >= low, or w <= 0 and z <= high. */
bool rg_energy_pushes(const RgEnergyProblem *e, int i);

/* z of the problem's rows from that of the n; those without impulse are not touched. Round-off outside the bounds is
   taken away; of friction that shares a cone outside the ellipse if circles, else outside the box about it. */
void rg_energy_problem_give(const RgEnergyProblem *e, const double *z, bool circles, RgProblem *problem);

#endif
