/* standing.h - a robot that stands on its feet or walks: common parts of `balance` and `walk`. */
#ifndef RIGOR_STANDING_H
#define RIGOR_STANDING_H

#include "control/controller.h"

/* Parameters of a walk: all NaN; with defaults for NaN; validation, for a kind with these RG_USES_ flags. */
RgWalk rg_walk_unset(void);
RgWalk rg_walk_resolved(const RgWalk *walk);
RgStatus rg_walk_check(const RgControllerDef *def, unsigned uses, RgError *error);

/* Functions of the controller kinds (standing.c). */
RgStatus rg_standing_check(const RgModel *model, const RgControllerDef *def, RgError *error);
int rg_standing_memory(const RgController *controller);
bool rg_standing_prepare(RgController *controller, const RgModel *model, RgArena *arena);
bool rg_standing_reference(const RgController *controller, double t, RgReference *out);
RgStatus rg_standing_command(RgController *controller, const RgControlView *view, RgJointCommand *out);

#endif
