/* plan_set.c - the option --set of all commands that put a world into a state. */
#include "plan.h"

#include <string.h>

/* JOINT=1,2 or JOINT.rate=1 or JOINT.effort=1 or JOINT.motor=VELOCITY,MAX or JOINT.servo=POSITION,MAX. */
static bool take_set(RgPlan *plan, const RgOptions *options, const char *text)
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
    RgPlanValue value = {.what = RG_QUANTITY_POSITION};
    value.count = rg_number_list_parse(equals + 1, value.values, RG_PLAN_VALUES_MAX);
    if (value.count < 1)
        return rg_options_complain(options, "--set: '%s': expected 1 to %d numbers after '='", text,
                                   RG_PLAN_VALUES_MAX);

    /* An ending says what is set. */
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
        if (strcmp(options->given[i].spec->name, "set") == 0 &&
            !take_set(plan, options, options->given[i].value))
            return false;
    return true;
}
