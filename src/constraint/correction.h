/*
 * correction.h - the velocity by which a step takes away an error e of a position (m or rad).
 *
 *   v = b e / h   within -largest ... largest
 *
 * b is the share of the error that one step removes. Limits of joints, loops and couplings use this law with one
 * `largest` (RgContactLaw.max_joint_correction, rad/s or m/s) for every solver and both forms; rows of tree joints,
 * which start closed, have no bound (view_rows.c).
 *
 * Energy. The correcting velocity is real: it stays in the velocities. Without the bound it is b e / h, and an error
 * that does not shrink with the step (a start outside of a limit, an open loop) gives a kinetic energy that grows as
 * 1 / h^2. With it a row whose inertia is I = 1 / (J M^-1 J') gets at most I largest^2 / 2, whatever h. An error e is
 * gone after e / largest, plus the time that the last part takes by its share. Loops add the drift of their own motion,
 * h |Jdot u|, to `largest`: a part of speeds that are there already.
 */
#ifndef RIGOR_CORRECTION_H
#define RIGOR_CORRECTION_H

#include <math.h>

static inline double rg_correcting_velocity(double error, double share, double h, double largest)
{
    return fmax(-largest, fmin(share * error / h, largest));
}

#endif
