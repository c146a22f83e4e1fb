/*
 * limit_mode.h - the mode of joint, gain and inertia that limits the step of an explicitly controlled run, and remedies.
 */
#ifndef RIGOR_LIMIT_MODE_H
#define RIGOR_LIMIT_MODE_H

#include "study/modes.h"
#include "study/rollout.h"

typedef enum RgLimitKind {
    RG_LIMIT_NONE,    /* no explicit springs and dampers */
    RG_LIMIT_SAMPLED, /* the controllers have their own rate */
    RG_LIMIT_DELAYED, /* the controllers have a delay, which limits them too */
    RG_LIMIT_STEPPER, /* the stepper has another limit */
    RG_LIMIT_MODE     /* computed */
} RgLimitKind;

typedef struct RgLimitMode {
    RgLimitKind kind;
    RgMode mode;     /* that with the shortest limit along the run */
    double time;     /* s: of its sample */
    RgModeAxis axis; /* its axis */
    double kp, kd;   /* its gains */
    double doubled;  /* s: limit with twice the inertia on that axis, by a gear's rotor */
    double undamped; /* s: limit with a quarter of the axis' kd */
} RgLimitMode;

/* Along a run by the method of def in steps of h. */
RgLimitMode rg_limit_mode(const RgRolloutDef *def, double h);

/* Effective inertia of each controlled axis at the start, the others free: in the pool; NULL: unknown. */
double *rg_axis_inertias(const RgRolloutDef *def);

/* Sum of log(step / limit) over the explicit axes whose limit, each axis alone, is below step. */
double rg_axis_excess(const RgMethodControl *control, const double *inertias, double step);

void rg_limit_mode_print(const RgLimitMode *limit, const RgRun *run, FILE *out);
json_t *rg_limit_mode_json(const RgLimitMode *limit, const RgRun *run); /* null: none */

#endif
