/* control_made.h - what the controllers of a run are made of, on the way from the plan to the library. */
#ifndef RIGOR_CONTROL_MADE_H
#define RIGOR_CONTROL_MADE_H

#include "run/run.h"

/* What one controller is made of. */
typedef struct RgMadeController {
    const RgPlanController *plan;
    RgControlJoint *joints;
    const char **names; /* of the axes, as messages and tables call them */
    int njoints;
    RgTrajectory *trajectory; /* NULL: a gait */
    RgFoot *feet;
    RgGait gait;
} RgMadeController;

/* All of a run. */
struct RgRunControl {
    RgMadeController *made;
    RgControllerDef *defs;
    int count;
    int first_value; /* of the plan's initial values that start has added */
    bool ready;      /* feet and gaits are there */
};

/* An error at a place of the run file, or of --set. */
RgStatus rg_control_fail(const RgRun *run, RgPlanPlace at, RgError *error, const char *format, ...) RG_PRINTF(4, 5);

/* A failure of the library, at a place of the run file where it names no line itself. */
RgStatus rg_control_blame(const RgRun *run, RgPlanPlace at, RgError *error);

/* "name", or "model::name" if the controller is part of a model with a name. */
const char *rg_control_qualified(RgRun *run, const RgPlanController *c, const char *name);
RgJointId rg_control_find_joint(RgRun *run, const RgPlanController *c, const char *name);

/* The joints of a controller. */
RgStatus rg_control_take_joints(RgRun *run, RgMadeController *made, RgError *error);

/* Assigns numbers to the joints; out stays as it is if none were given. what: for messages. */
RgStatus rg_control_deal(RgRun *run, const RgMadeController *made, const RgPlanNumbers *numbers, const char *what,
                         double *out, RgError *error);

/* Feet as links; gaits as soon as the state is known, with the joints set to their start if the plan asks for it. */
RgStatus rg_control_take_feet(RgRun *run, RgMadeController *made, RgError *error);
RgStatus rg_control_make_gaits(RgRun *run, RgError *error);

#endif
