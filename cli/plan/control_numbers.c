/*
 * control_numbers.c - names, numbers and points of a control section, with their places in the run file.
 *
 * Numbers of joints: one for all, a list in the order of the joints, or a map by the joints' names. Limits may also be
 * words: model (NaN: the model's limit), none or inf (no limit).
 */
#include "io/options.h"
#include "plan/control_parts.h"
#include "plan/run_values.h"

#include <math.h>
#include <string.h>

bool rg_control_name(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    const char *text = rg_yaml_text(yaml, node, key->name);
    if (text)
        *(RgPlanName *)field = (RgPlanName){rg_pool_print(yaml->pool, "%s", text), rg_plan_place(node)};
    return text != NULL;
}

typedef enum NumbersSort { ANY, GAIN, LIMIT } NumbersSort;

/* Numbers that are being read. */
typedef struct NumbersReader {
    const RgYamlKey *key;
    NumbersSort sort;
    RgPlanNumbers *out;
} NumbersReader;

static bool read_one(RgYaml *yaml, yaml_node_t *node, const NumbersReader *reader, double *out)
{
    const char *what = reader->key->name;
    if (reader->sort == LIMIT && node->type == YAML_SCALAR_NODE) {
        const char *text = (const char *)node->data.scalar.value;
        bool none = strcmp(text, "none") == 0 || strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0;
        *out = none ? INFINITY : NAN;
        if (none || strcmp(text, "model") == 0)
            return true;
        if (!rg_number_parse(text, out))
            return rg_yaml_fail(yaml, node, "%s: expected a number, 'model' or 'none', found '%.60s'", what, text);
    }
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    if (reader->sort == GAIN && *out < 0.0)
        return rg_yaml_fail(yaml, node, "%s: %g is negative", what, *out);
    if (reader->sort == LIMIT && !(*out > 0.0))
        return rg_yaml_fail(yaml, node, "%s: %g is not above 0; 'none' for no limit", what, *out);
    return true;
}

static bool add_number(RgYaml *yaml, yaml_node_t *node, void *target)
{
    NumbersReader *reader = target;
    RgPlanNumbers *out = reader->out;
    out->values = rg_pool_grow(yaml->pool, out->values, out->count, sizeof *out->values);
    return read_one(yaml, node, reader, &out->values[out->count++]);
}

static bool add_named(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    NumbersReader *reader = target;
    RgPlanNumbers *out = reader->out;
    out->names = rg_pool_grow(yaml->pool, out->names, out->count, sizeof *out->names);
    return rg_control_name(yaml, key, reader->key, &out->names[out->count]) && add_number(yaml, node, reader);
}

static bool read_numbers(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, NumbersSort sort, RgPlanNumbers *out)
{
    NumbersReader reader = {key, sort, out};
    *out = (RgPlanNumbers){.at = rg_plan_place(node), .list = node->type == YAML_SEQUENCE_NODE};
    bool good = node->type == YAML_MAPPING_NODE    ? rg_yaml_each(yaml, node, key->name, add_named, &reader)
                : node->type == YAML_SEQUENCE_NODE ? rg_yaml_list(yaml, node, key->name, add_number, &reader)
                                                   : add_number(yaml, node, &reader);
    if (good && out->count == 0)
        return rg_yaml_fail(yaml, node, "%s: expected numbers, found nothing", key->name);
    return good;
}

bool rg_control_numbers(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    return read_numbers(yaml, node, key, ANY, field);
}

bool rg_control_gains(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    return read_numbers(yaml, node, key, GAIN, field);
}

bool rg_control_limits(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    return read_numbers(yaml, node, key, LIMIT, field);
}
