/*
 * control_numbers.c - names, numbers and points of a control section, with their places in the run file.
 *
 * Numbers of joints: one for all, a list in the order of the joints, or a map by the joints' names. Limits may also be
 * words: model (NaN: what the model says), none or inf (no limit).
 */
#include "io/options.h"
#include "plan/control_parts.h"
#include "plan/run_values.h"

#include <math.h>
#include <string.h>

bool rg_control_name(RgYaml *yaml, yaml_node_t *node, const char *what, RgPlan *plan, RgPlanName *out)
{
    const char *text = rg_yaml_text(yaml, node, what);
    if (text)
        *out = (RgPlanName){rg_pool_print(&plan->pool, "%s", text), rg_plan_place(node)};
    return text != NULL;
}

static bool read_one(RgYaml *yaml, yaml_node_t *node, const RgNumbersReader *reader, double *out)
{
    if (reader->sort == RG_NUMBERS_LIMIT && node->type == YAML_SCALAR_NODE) {
        const char *text = (const char *)node->data.scalar.value;
        bool none = strcmp(text, "none") == 0 || strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0;
        *out = none ? INFINITY : NAN;
        if (none || strcmp(text, "model") == 0)
            return true;
        if (!rg_number_parse(text, out))
            return rg_yaml_fail(yaml, node, "%s: expected a number, 'model' or 'none', found '%.60s'", reader->what,
                                text);
    }
    if (!rg_yaml_number(yaml, node, reader->what, out))
        return false;
    if (reader->sort == RG_NUMBERS_GAIN && *out < 0.0)
        return rg_yaml_fail(yaml, node, "%s: %g is negative", reader->what, *out);
    if (reader->sort == RG_NUMBERS_LIMIT && !(*out > 0.0))
        return rg_yaml_fail(yaml, node, "%s: %g is not above 0; 'none' for no limit", reader->what, *out);
    return true;
}

static bool add_number(RgYaml *yaml, yaml_node_t *node, RgNumbersReader *reader)
{
    RgPlanNumbers *out = reader->out;
    out->values = rg_pool_grow(&reader->plan->pool, out->values, out->count, sizeof *out->values);
    return read_one(yaml, node, reader, &out->values[out->count++]);
}

static bool add_listed(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return add_number(yaml, node, target);
}

static bool add_named(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    RgNumbersReader *reader = target;
    RgPlanNumbers *out = reader->out;
    out->names = rg_pool_grow(&reader->plan->pool, out->names, out->count, sizeof *out->names);
    return rg_control_name(yaml, key, reader->what, reader->plan, &out->names[out->count]) &&
           add_number(yaml, node, reader);
}

bool rg_control_numbers(RgYaml *yaml, yaml_node_t *node, RgNumbersReader reader)
{
    RgPlanNumbers *out = reader.out;
    *out = (RgPlanNumbers){.at = rg_plan_place(node)};
    bool good;
    if (node->type == YAML_MAPPING_NODE) {
        good = rg_yaml_each(yaml, node, reader.what, add_named, &reader);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        out->list = true;
        good = rg_yaml_list(yaml, node, reader.what, add_listed, &reader);
    } else {
        good = add_number(yaml, node, &reader);
    }
    if (good && out->count == 0)
        return rg_yaml_fail(yaml, node, "%s: expected numbers, found nothing", reader.what);
    return good;
}

bool rg_control_range(RgYaml *yaml, yaml_node_t *node, const char *what, double low, double high, double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    if (*out < low || *out > high)
        return rg_yaml_fail(yaml, node, "%s: %g is not between %g and %g", what, *out, low, high);
    return true;
}

bool rg_control_point(RgYaml *yaml, yaml_node_t *node, const char *what, RgVec3 *out)
{
    double x[3];
    int count = rg_yaml_numbers(yaml, node, what, x, 3);
    if (count >= 0 && count != 3)
        return rg_yaml_fail(yaml, node, "%s: expected three numbers, found %d", what, count);
    *out = count == 3 ? (RgVec3){x[0], x[1], x[2]} : *out;
    return count == 3;
}
