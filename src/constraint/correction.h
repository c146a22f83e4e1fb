/*
 * correction.h - velocity by which a step corrects a position error e (m or rad).
 *
 *   v = b e / h   within -largest ... largest
 *
 * b is the share of the error that one step removes. Limits of joints, loops and couplings use this law with one
 * `largest` (RgContactLaw.max_joint_correction, rad/s or m/s) for every solver and both forms; rows of tree joints,
 * which start closed, have no bound (view_rows.c).
 *
 * Energy. The correcting velocity stays in the velocities. Without the bound it is b e / h, and an error that does not
 * shrink with the step (a start outside a limit, an open loop) causes a kinetic energy that grows as 1 / h^2. With the
 * bound a row with inertia I = 1 / (J M^-1 J') gains at most I largest^2 / 2 for any h. Correcting e takes the time e /
 * largest, plus the exponential decay at the end. For loops, `largest` is increased by the drift of their own motion, h
 * |Jdot u|, which is of the order of velocities that the bodies have already.
 */
#ifndef RIGOR_CORRECTION_H
#define RIGOR_CORRECTION_H

#include <math.h>

static inline double rg_correcting_velocity(double error, double share, double h, double largest)
{
    return fmax(-largest, fmin(share * error / h, largest));
}

#endif
