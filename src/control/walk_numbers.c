/* walk_numbers.c - parameters of `balance` and `walk`: defaults and valid ranges. */
#include "control/standing.h"

#include "base/status.h"
#include "control/step_plan.h"

#include <math.h>
#include <stddef.h>

#define STEPS_MOST 1000.0  /* bounds the memory of a plan */
#define SECONDS_MOST 100.0 /* bounds the memory of a plan */

/* A parameter: name, offset in RgWalk, default, valid range, kinds that use it. */
typedef struct Number {
    const char *name;
    size_t offset;
    double default_value, low, high;
    bool above; /* low itself is not allowed */
    unsigned uses;
} Number;

static const Number numbers[] = {
    {"capture", offsetof(RgWalk, capture), 1.5, 1.0, 10.0, true, RG_USES_BALANCE},
    {"settle", offsetof(RgWalk, settle), 1.0, 0.0, SECONDS_MOST, false, RG_USES_BALANCE},
    {"sway", offsetof(RgWalk, sway), 0.0, 0.0, 1.0, false, RG_USES_BALANCE},
    {"sway_period", offsetof(RgWalk, sway_period), 0.0, 0.0, SECONDS_MOST, false, RG_USES_BALANCE},
    {"steps", offsetof(RgWalk, steps), 0.0, 1.0, STEPS_MOST, false, RG_USES_STEPS},
    {"stride", offsetof(RgWalk, stride), 0.0, -2.0, 2.0, false, RG_USES_STEPS},
    {"turn", offsetof(RgWalk, turn), 0.0, -1.0, 1.0, false, RG_USES_STEPS},
    {"lift", offsetof(RgWalk, lift), 0.05, 0.0, 1.0, true, RG_USES_STEPS},
    {"swing", offsetof(RgWalk, swing), 0.7, 0.0, SECONDS_MOST, true, RG_USES_STEPS},
    {"both", offsetof(RgWalk, both), 0.4, 0.0, SECONDS_MOST, true, RG_USES_STEPS},
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static double *number_at(RgWalk *walk, int i)
{
    return (double *)(void *)((char *)walk + numbers[i].offset);
}

RgWalk rg_walk_unset(void)
{
    RgWalk walk;
    for (int i = 0; i < NUMBERS; i++)
        *number_at(&walk, i) = NAN;
    return walk;
}

RgWalk rg_walk_resolved(const RgWalk *given)
{
    RgWalk walk = *given;
    for (int i = 0; i < NUMBERS; i++)
        if (isnan(*number_at(&walk, i)))
            *number_at(&walk, i) = numbers[i].default_value;
    return walk;
}

RgStatus rg_walk_check(const RgControllerDef *def, unsigned uses, RgError *error)
{
    const char *label = def->name != NULL ? def->name : def->kind;
    RgWalk walk = def->walk;
    for (int i = 0; i < NUMBERS; i++) {
        const Number *n = &numbers[i];
        double x = *number_at(&walk, i);
        if (isnan(x))
            continue;
        if (!(uses & n->uses))
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': kind '%s' has no use for %s", label,
                           def->kind, n->name);
        if (!(n->above ? x > n->low : x >= n->low) || !(x <= n->high))
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                           "controller '%.60s': %s must be %s %g and at most %g, not %g", label, n->name,
                           n->above ? "above" : "at least", n->low, n->high, x);
    }
    bool sways = walk.sway > 0.0 || walk.sway_period > 0.0;
    if (sways && ((uses & RG_USES_STEPS) || !(walk.sway > 0.0 && walk.sway_period > 0.0)))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s': sway and sway_period go together, and not with steps", label);
    if (!(uses & RG_USES_STEPS))
        return RG_OK;
    if (isnan(walk.steps) || walk.steps != floor(walk.steps))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': kind '%s' needs steps, a whole number",
                       label, def->kind);
    return RG_OK;
}
