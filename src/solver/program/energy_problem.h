/*
 * energy_problem.h - the rows of a problem as a convex program of minimum energy, dense.
 *
 * With the rows b without bounds eliminated, z_b = -(W_bb)^+ (q_b + W_bu z), the others satisfy
 *
 *   w = A z + q,   A = W_uu - W_ub (W_bb)^+ W_bu,   W = J J' + C,  q = J s* - target
 *   energy  E(z) = 1/2 z'A z + z'slope         slope = q, of unilateral rows (normals, limits) q + target
 *
 * If nothing is driven, E is the kinetic energy of s minus that of z = 0, plus the energy stored in compliance. For
 * driven surfaces, motors and joints it is measured in the frame of the drive. The targets of unilateral rows appear
 * only in the constraint w >= 0.
 */
#ifndef RIGOR_ENERGY_PROBLEM_H
#define RIGOR_ENERGY_PROBLEM_H

#include "solver/pivot/dense_lcp.h"

typedef struct RgEnergyProblem {
    int n;                /* remaining rows */
    int *row;             /* n: their row numbers in the problem */
    double *A;            /* n x n */
    double *q, *slope;    /* n */
    double *low, *high;   /* n: of friction rows high is the coefficient */
    int *normal;          /* n: of friction rows the index of their normal; -1: none */
    int *owner;           /* n: the same, also for friction with fixed bounds */
    RgDenseLcp W;         /* all rows that can have an impulse */
    const int *list;      /* W.n: their row numbers in the problem */
    RgLcpReduced reduced; /* of W: A and q are its S and p */
    /* m/s: scale of w, the largest missed target or |slope|; 1 if all are 0; not finite if an input is NaN or
       infinite */
    double velocity;
    double impulse; /* scale of z: velocity over the largest A_ii */
} RgEnergyProblem;

/* Builds the program of count rows (NULL: all) from problem->s = s*; z is not read. False: no memory. */
bool rg_energy_problem_make(RgArena *arena, const RgProblem *problem, const int *rows, int count, RgEnergyProblem *out);

/* 1/2 z'Az + z'slope */
double rg_energy_value(const RgEnergyProblem *e, const double *z);

/* w of row i. */
double rg_energy_velocity(const RgEnergyProblem *e, int i, const double *z);

/* Whether row i is unilateral: w >= 0 and z >= low, or w <= 0 and z <= high. */
bool rg_energy_is_unilateral(const RgEnergyProblem *e, int i);

/* Stores z of the n rows in the problem, and computes the eliminated ones; rows without impulse are unchanged.
   Round-off outside of the bounds is removed: friction that shares a cone is projected onto the ellipse if circles,
   else onto the box around it. */
void rg_energy_problem_scatter(const RgEnergyProblem *e, const double *z, bool circles, RgProblem *problem);

#endif
