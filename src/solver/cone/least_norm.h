/*
 * least_norm.h - forces that the motion does not determine: of all exact solutions with the same velocities, the one of
 * least norm.
 *
 * A last stage after a solve. Velocities are unchanged. Impulses change where contacts, joints and bounded rows can
 * share a load in more than one way: a box on four corners, a grip by pads with several contact points.
 */
#ifndef RIGOR_LEAST_NORM_H
#define RIGOR_LEAST_NORM_H

#include "solver/solve_report.h"

/* z, s: a solution of the problem to the tolerance; s is unchanged, z may change. report: indeterminate and as_solved
   are incremented. The arena is reset. False: no memory; z is unchanged. */
bool rg_least_norm(RgArena *arena, RgProblem *problem, double tolerance, RgSolveReport *report);

#endif
