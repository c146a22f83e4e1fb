/*
 * modes.h - the fastest mode of joints under explicit PD control, and the step at which it becomes unstable in
 * semi-implicit Euler.
 */
#ifndef RIGOR_MODES_H
#define RIGOR_MODES_H

#include <rigor/rigor.h>

/* The mode of n controlled axes that becomes unstable first as the step grows. */
typedef struct RgMode {
    double limit;     /* s; infinite: none up to the given step */
    int axis;         /* with the largest part in it */
    double share;     /* of that axis, 0 ... 1 */
    double frequency; /* rad/s: sqrt(k / m) of the mode */
    double decay;     /* 1/s: d / m of the mode */
    double inertia;   /* kg m^2 or kg: effective inertia of the axis, the others free: 1 / mobility */
} RgMode;

/* mobility: n x n row-major, accelerations by unit efforts; kp, kd: n. Searches limits below `below`, s.
   false: the mobility is not positive definite, or out of memory. */
bool rg_pd_mode(int n, const double *mobility, const double *kp, const double *kd, double below, RgMode *out);

/* An axis of a joint that is controlled. */
typedef struct RgModeAxis {
    RgJointId joint;
    int dof;
    int v_index;
} RgModeAxis;

/* Workspace for the mobility of axes: accelerations by unit efforts, with loops and couplings closed. */
typedef struct RgMobility RgMobility;
RgMobility *rg_mobility_create(const RgModel *model, int n, const RgModeAxis *axes, RgError *error);
void rg_mobility_destroy(RgMobility *mobility);

/* At positions q, at rest: n x n into out. */
RgStatus rg_mobility_at(RgMobility *mobility, const double *q, double *out);

#endif
