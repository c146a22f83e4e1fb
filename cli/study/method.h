/*
 * method.h - the same robot and trajectory under another kind of control.
 */
#ifndef RIGOR_METHOD_H
#define RIGOR_METHOD_H

#include "io/options.h"
#include "plan/plan.h"

typedef struct RgMethod {
    const char *name;
    const char *kind; /* of the controllers; NULL: those of the file */
    const char *summary;
    bool geared; /* the robot has rotors behind gears (RgPlan.gear_ratio) */
} RgMethod;

/* All methods; by name, NULL if unknown. */
int rg_method_count(void);
const RgMethod *rg_method_at(int index);
const RgMethod *rg_method_find(const char *name);

/* An unknown method: prints the nearest name; false. */
bool rg_method_complain(const RgOptions *options, const char *option, const char *word);

/* Whether efforts are computed explicitly, at the start of a step, so that long steps are unstable. */
/* Whether the method uses a gain of a controller of that kind. */
bool rg_method_keeps_gain(const RgMethod *method, const char *given_kind, const char *key);

bool rg_method_is_explicit(const char *kind);

/* Controllers of the plan, and the same controllers by a method. */
typedef struct RgMethodControl {
    const RgPlan *plan;
    int count;
    const RgControllerDef *given;
    RgControllerDef *made;
} RgMethodControl;
RgMethodControl rg_method_room(RgPlan *plan, int count, const RgControllerDef *given);

/* Fills `made`, for steps of h seconds. rate: 1/s by which position errors decay, for methods without gains; infinite:
   within a step; NaN: as given, else infinite. RG_ERR_ARGUMENT: a controller lacks what the method needs. */
RgStatus rg_method_apply(const RgMethod *method, RgMethodControl *control, double h, double rate, RgError *error);

#endif
