/*
 * least_norm.h - forces that the motion leaves open: of all exact solutions with the same velocities, the one of least
 * norm.
 *
 * A last stage after a solve. Velocities are as they were, impulses change where contacts, joints and bounded rows
 * share a load in more ways than one: a box on four corners, a grip by pads of several points.
 */
#ifndef RIGOR_LEAST_NORM_H
#define RIGOR_LEAST_NORM_H

#include "solver/solve_report.h"

/* z, s: a solution of p to the tolerance; s stays, z may change. report: indeterminate, as_solved are added to. The
   arena is reset. False: no memory, z is as it was. */
bool rg_least_norm(RgArena *arena, RgProblem *problem, double tolerance, RgSolveReport *report);

#endif
