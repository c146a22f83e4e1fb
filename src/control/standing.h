/* standing.h - a robot that stands on its feet or walks: what `balance` and `walk` share. */
#ifndef RIGOR_STANDING_H
#define RIGOR_STANDING_H

#include "control/controller.h"

/* Numbers of a walk: none given; defaults for what is not; whether they are sound, and of use to a kind with such
   uses. */
RgWalk rg_walk_none(void);
RgWalk rg_walk_resolved(const RgWalk *walk);
RgStatus rg_walk_check(const RgControllerDef *def, unsigned uses, RgError *error);

/* What a kind of controller is made of (standing.c). */
RgStatus rg_standing_check(const RgModel *model, const RgControllerDef *def, RgError *error);
int rg_standing_memory(const RgController *controller);
bool rg_standing_prepare(RgController *controller, const RgModel *model, RgArena *arena);
bool rg_standing_reference(const RgController *controller, double t, RgReference *out);
RgStatus rg_standing_command(RgController *controller, const RgControlView *view, RgJointCommand *out);

#endif
