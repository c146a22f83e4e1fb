/* controller_parts.h - controllers of a run, resolved from the plan, as the library's definitions point to them. */
#ifndef RIGOR_CONTROLLER_PARTS_H
#define RIGOR_CONTROLLER_PARTS_H

#include "run/run.h"

/* One controller. */
typedef struct RgControllerParts {
    const RgPlanController *plan;
    RgControlJoint *joints;
    const char **names; /* of the axes, for messages and tables */
    int njoints;
    RgTrajectory *trajectory; /* NULL: a gait */
    RgFoot *feet;
    RgGait gait;
} RgControllerParts;

/* All controllers of a run. */
struct RgRunControl {
    RgControllerParts *parts;
    RgControllerDef *defs;
    int count;
    int first_value; /* index of the first initial value that `start` added to the plan */
    bool ready;      /* feet and gaits are resolved */
};

/* An error at a place of the run file, or of --set. */
RgStatus rg_control_fail(const RgRun *run, RgPlanPlace at, RgError *error, const char *format, ...) RG_PRINTF(4, 5);

/* Adds a place of the run file to an error of the library that has no line. */
RgStatus rg_control_library_error(const RgRun *run, RgPlanPlace at, RgError *error);

/* "name", or "model::name" if the controller is part of a model with a name. */
const char *rg_control_qualified(RgRun *run, const RgPlanController *c, const char *name);
RgJointId rg_control_find_joint(RgRun *run, const RgPlanController *c, const char *name);

/* Resolves the joints of a controller. */
RgStatus rg_control_resolve_joints(RgRun *run, RgControllerParts *parts, RgError *error);

/* Assigns numbers to the joints; out is unchanged if none were given. what: for messages. */
RgStatus rg_control_assign(RgRun *run, const RgControllerParts *parts, const RgPlanNumbers *numbers, const char *what,
                           double *out, RgError *error);

/* Resolves feet to links; then, once the state is set, gaits, with the joints at their start if the plan says so. */
RgStatus rg_control_resolve_feet(RgRun *run, RgControllerParts *parts, RgError *error);
RgStatus rg_control_make_gaits(RgRun *run, RgError *error);

#endif
