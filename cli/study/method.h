/*
 * method.h - the same robot and trajectory under another kind of control.
 */
#ifndef RIGOR_METHOD_H
#define RIGOR_METHOD_H

#include "io/options.h"
#include "plan/plan.h"

typedef struct RgMethod {
    const char *name;
    const char *kind; /* of the controllers; NULL: as the file has them */
    const char *summary;
    bool geared; /* the robot has rotors behind gears (RgPlan.gear_ratio) */
} RgMethod;

/* All of them, for menus; by name, NULL where there is none. */
int rg_method_count(void);
const RgMethod *rg_method_at(int index);
const RgMethod *rg_method_find(const char *name);

/* An unknown method: prints the nearest name; false. */
bool rg_method_complain(const RgOptions *options, const char *option, const char *word);

/* Whether efforts are decided at the start of a step from gains alone: springs and dampers that a long step makes
   unstable. */
/* Whether a gain of a controller of that kind still counts under the method. */
bool rg_method_keeps_gain(const RgMethod *method, const char *given_kind, const char *key);

bool rg_method_is_explicit(const char *kind);

/* Controllers as the plan has them, and room for the same by a method. */
typedef struct RgMethodControl {
    const RgPlan *plan;
    int count;
    const RgControllerDef *given;
    RgControllerDef *made;
} RgMethodControl;
RgMethodControl rg_method_room(RgPlan *plan, int count, const RgControllerDef *given);

/* Fills `made`, for steps of h seconds. rate: 1/s by which position errors shrink, where the method has no gains to go
   by; infinite: within a step; NaN: as given, else infinite. RG_ERR_ARGUMENT: a controller has not what the method
   needs. */
RgStatus rg_method_apply(const RgMethod *method, RgMethodControl *control, double h, double rate, RgError *error);

#endif
