/*
 * plan_set.c - the option --set.
 *
 *   JOINT=Q[,Q...]   JOINT.rate=V   JOINT.effort=TAU   JOINT.motor=VELOCITY,MAX   JOINT.servo=POSITION,MAX
 *   KEY=VALUE of a setting (plan_settings.h)
 *   control.rate=HZ  control.delay=S  control.kp=KP[,KP...]  control.NAME.kp=KP[,KP...]    where the run file has controllers
 *
 * A gain is set for every controller that has it, or for the named one.
 */
#include "io/options.h"
#include "plan/control_file.h"
#include "plan/plan_options.h"

#include <string.h>

enum { GAINS_MAX = 256 };

#define CONTROL "control."

/* Rate and delay of all controllers. */
static bool set_shared(RgPlan *plan, const RgOptions *options, const char *key, const char *text)
{
    double value;
    bool rate = strcmp(key, "rate") == 0;
    if (!rg_number_parse(text, &value) || !(value >= (rate ? RG_PLAN_RATE_MIN : 0.0)) || value > RG_PLAN_RATE_MAX)
        return rg_options_complain(options, "--set: control.%s=%s: expected a number %s", key, text,
                                   rate ? "of Hz above 0" : "of seconds from 0 on");
    *(rate ? &plan->control.rate : &plan->control.delay) = value;
    *(rate ? &plan->control.rate_at : &plan->control.delay_at) = (RgPlanPlace){.line = 0};
    return true;
}

/* The next controller that a name means; NULL: no more. */
static RgPlanController *next_controller(RgPlan *plan, const char *name, int *at)
{
    for (; *at < plan->control.ncontrollers; ++*at) {
        RgPlanController *c = &plan->control.controllers[*at];
        if (!name || (c->name && strcmp(c->name, name) == 0)) {
            ++*at;
            return c;
        }
    }
    return NULL;
}

static bool complain_of_name(const RgPlan *plan, const RgOptions *options, const char *name)
{
    RgNearest nearest = rg_nearest_begin(name);
    for (int i = 0; i < plan->control.ncontrollers; i++)
        if (plan->control.controllers[i].name)
            rg_nearest_offer(&nearest, plan->control.controllers[i].name);
    return nearest.best ? rg_options_complain(options, "--set: no controller is called '%s'; did you mean '%s'?", name,
                                              nearest.best)
                        : rg_options_complain(options, "--set: no controller is called '%s'", name);
}

/* Sets a gain of the named controllers, or of all (NULL). */
static bool set_gain(RgPlan *plan, const RgOptions *options, const char *name, const char *key, const char *text)
{
    double values[GAINS_MAX];
    int count = rg_number_list_parse(text, values, GAINS_MAX), set = 0, found = 0, at = 0;
    for (int i = 0; i < count; i++)
        if (values[i] < 0.0)
            return rg_options_complain(options, "--set: control.%s: %g is negative", key, values[i]);
    if (count < 1)
        return rg_options_complain(options, "--set: control.%s: expected numbers after '='", key);
    for (RgPlanController *c; (c = next_controller(plan, name, &at)); found++)
        set += rg_plan_control_set(plan, c, key, values, count);
    if (found == 0 && name)
        return complain_of_name(plan, options, name);
    return set > 0 || rg_options_complain(options,
                                          "--set: no controller%s%s takes '%s'; gains are kp, ki, kd, foot_kp, "
                                          "foot_kd, friction and rate",
                                          name ? " called " : "", name ? name : "", key);
}

/* control.KEY=... or control.NAME.KEY=... */
static bool read_control(RgPlan *plan, const RgOptions *options, const char *rest, const char *equals)
{
    const char *dot = equals;
    while (dot > rest && *dot != '.')
        dot--;
    bool named = *dot == '.';
    const char *key = named ? dot + 1 : rest;
    key = rg_pool_print(&plan->pool, "%.*s", (int)(equals - key), key);
    if (!named && (strcmp(key, "rate") == 0 || strcmp(key, "delay") == 0))
        return set_shared(plan, options, key, equals + 1);
    const char *name = named ? rg_pool_print(&plan->pool, "%.*s", (int)(dot - rest), rest) : NULL;
    return set_gain(plan, options, name, key, equals + 1);
}

/* JOINT=1,2 or JOINT.rate=1 or JOINT.effort=1 or JOINT.motor=VELOCITY,MAX or JOINT.servo=POSITION,MAX. */
static bool read_set(RgPlan *plan, const RgOptions *options, const char *text)
{
    static const struct {
        const char *ending;
        RgQuantity what;
    } endings[] = {{".rate", RG_QUANTITY_RATE},
                   {".effort", RG_QUANTITY_EFFORT},
                   {".motor", RG_QUANTITY_MOTOR},
                   {".servo", RG_QUANTITY_SERVO},
                   {".position", RG_QUANTITY_POSITION}};
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return rg_options_complain(options, "--set: '%s': expected JOINT=VALUE[,VALUE...]", text);
    if (plan->control.ncontrollers > 0 && strncmp(text, CONTROL, sizeof CONTROL - 1) == 0)
        return read_control(plan, options, text + sizeof CONTROL - 1, equals);
    int length_of_key = (int)(equals - text);
    if (rg_plan_key_find(rg_pool_print(&plan->pool, "%.*s", length_of_key, text)) >= 0)
        return rg_plan_apply_setting(plan, options, text);
    RgPlanValue value = {.what = RG_QUANTITY_POSITION};
    value.count = rg_number_list_parse(equals + 1, value.values, RG_PLAN_VALUES_MAX);
    if (value.count < 1)
        return rg_options_complain(options, "--set: '%s': expected 1 to %d numbers after '='", text,
                                   RG_PLAN_VALUES_MAX);

    /* The ending selects the quantity. */
    size_t length = (size_t)(equals - text);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t n = strlen(endings[i].ending);
        if (length > n && strncmp(equals - n, endings[i].ending, n) == 0) {
            value.what = endings[i].what;
            length -= n;
            break;
        }
    }
    value.name = rg_pool_print(&plan->pool, "%.*s", (int)length, text);
    plan->values = rg_pool_grow(&plan->pool, plan->values, plan->nvalues, sizeof *plan->values);
    plan->values[plan->nvalues++] = value;
    return true;
}

bool rg_plan_apply_set(RgPlan *plan, const RgOptions *options)
{
    for (int i = 0; i < options->ngiven; i++)
        if (strcmp(options->given[i].spec->name, "set") == 0 && !read_set(plan, options, options->given[i].value))
            return false;
    return true;
}
