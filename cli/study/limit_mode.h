/*
 * limit_mode.h - which mode of joint, gain and inertia limits the step of an explicitly controlled run, and what would
 * help.
 */
#ifndef RIGOR_LIMIT_MODE_H
#define RIGOR_LIMIT_MODE_H

#include "study/modes.h"
#include "study/rollout.h"

typedef enum RgLimitKind {
    RG_LIMIT_NONE,    /* no explicit springs and dampers take part */
    RG_LIMIT_SAMPLED, /* whatever they are, they have a rate of their own */
    RG_LIMIT_DELAYED, /* what they answer comes later, and that limits them too */
    RG_LIMIT_STEPPER, /* they are, with a stepper of another limit */
    RG_LIMIT_MODE     /* told */
} RgLimitKind;

typedef struct RgLimitMode {
    RgLimitKind kind;
    RgMode mode;     /* the one with the shortest limit along the run */
    double time;     /* s: when that was */
    RgModeAxis axis; /* its axis */
    double kp, kd;   /* its gains */
    double doubled;  /* s: limit there with twice the inertia on that axis, by a gear's rotor */
    double undamped; /* s: limit there with a quarter of the axis' kd */
} RgLimitMode;

/* Along a run by the method of def in steps of h. */
RgLimitMode rg_limit_mode(const RgRolloutDef *def, double h);

/* Inertia that each axis of the controllers feels at the start, the others free: in the pool; NULL: unknown. */
double *rg_axis_inertias(const RgRolloutDef *def);

/* By how much explicit axes, each alone, are beyond what a step allows: sum of log(step / limit) over those that
   are. */
double rg_axis_excess(const RgMethodControl *control, const double *inertias, double step);

void rg_limit_mode_print(const RgLimitMode *limit, const RgRun *run, FILE *out);
json_t *rg_limit_mode_json(const RgLimitMode *limit, const RgRun *run); /* null where there is none */

#endif
