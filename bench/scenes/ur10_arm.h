/*
 * ur10_arm.h - paper 002's arm (models/ur10.sdf, models/ur10_geared.sdf, or files with the same joints): motion and
 * gains.
 *
 * Motion of the authors' example: wanted velocities A cos(w t), so positions (A / w) sin(w t) (the example's own
 * positions have A in place of A / w, which agrees with its velocities for the first joint alone). Gripper: +-100 N,
 * closing.
 */
#ifndef BENCH_UR10_ARM_H
#define BENCH_UR10_ARM_H

#include <rigor/rigor.h>

enum { UR10_JOINTS = 6 };
#define UR10_TIME 5.0 /* s */

/* Amplitudes (rad) and frequencies (rad/s) of the links' angles. */
extern const double ur10_amplitude[UR10_JOINTS], ur10_frequency[UR10_JOINTS];

typedef struct Ur10Gains {
    double kp[UR10_JOINTS], kd[UR10_JOINTS]; /* N m/rad, N m s/rad, of the links' angles */
} Ur10Gains;
extern const Ur10Gains ur10_example; /* of the example; the paper's own were not published */

/* By `rigor tune --range 30 --margin 2 --evaluations 600` from the example's, with the authors' file of the arm: stable
   at 2 ms too. Figures of other engines (bench/arm) are with these. */
extern const Ur10Gains ur10_careful;

typedef struct Ur10Arm {
    RgModel *model; /* NULL: cannot be read, said in error */
    RgError error;
    RgJointId joints[UR10_JOINTS], fingers[2];
    double scale[UR10_JOINTS]; /* angle of the links over that of the joint: 1 without gears */
} Ur10Arm;

Ur10Arm ur10_arm_load(const char *path, bool geared);
void ur10_arm_free(Ur10Arm *arm);

#endif
