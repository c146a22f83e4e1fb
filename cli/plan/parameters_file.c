/*
 * parameters_file.c - the section `parameters:` of a run file.
 *
 *   parameters:
 *     links:     {NAME: {KEY: VALUE, ...}, ...}
 *     joints:    ...
 *     shapes:    ...            NAME: LINK, LINK/SHAPE or LINK[k]
 *     couplings: ...
 *
 * Keys and their values are those of parameter_keys.c. A value is a number, a word or a list; a map has keys below a key
 * (origin: {xyz: ..., rpy: ...}) or some numbers of a vector (com: {z: 0.1}). The length of a path is bounded by that of
 * the keys, whatever cycles aliases form.
 *
 * Fails on: unknown kinds and keys, values of the wrong type, wrong counts of numbers.
 */
#include "plan/parameters_file.h"
#include "plan/parameters.h"

#include <string.h>

/* State of the reader: parameters.KIND.NAME.PATH. */
typedef struct Section {
    RgPlan *plan;
    RgParameterKind kind;
    const char *name;
    RgPlanPlace at; /* of the name */
    RgPlanPlace key_at;
    const char *path; /* down to here; "": at the name itself */
} Section;

static bool fail_key(RgYaml *yaml, const yaml_node_t *key, const Section *s, const char *path)
{
    const char *kind = rg_parameter_kind_name(s->kind), *nearest = rg_parameter_nearest(s->kind, path);
    return nearest ? rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; did you mean '%s'?", kind, path, nearest)
                   : rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; expected one of %s", kind, path,
                                  rg_parameter_list(s->plan, s->kind));
}

static bool read_number(RgYaml *yaml, yaml_node_t *node, const Section *s, const RgPlanParameter *p, double *out)
{
    if (node->type != YAML_SCALAR_NODE)
        return rg_yaml_fail(yaml, node, "%s: expected %s, found a %s", s->path, rg_parameter_expects(p),
                            node->type == YAML_MAPPING_NODE ? "mapping" : "list");
    const char *text = rg_yaml_text(yaml, node, s->path);
    if (!text)
        return false;
    if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && rg_parameter_number(p, text, out))
        return true;
    return rg_yaml_fail(yaml, node, "%s: expected %s, found '%.60s'", s->path, rg_parameter_expects(p), text);
}

/* A list of numbers, or one; how many, or -1 and an error. */
static int read_numbers(RgYaml *yaml, yaml_node_t *node, const Section *s, const RgPlanParameter *p, double *values)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return read_number(yaml, node, s, p, values) ? 1 : -1;
    int count = 0;
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_node_t *number = yaml_document_get_node(&yaml->document, *item);
        if (count == RG_PARAMETER_NUMBERS) {
            rg_yaml_fail(yaml, number, "%s: more than %d numbers", s->path, RG_PARAMETER_NUMBERS);
            return -1;
        }
        if (!read_number(yaml, number, s, p, &values[count++]))
            return -1;
    }
    return count;
}

static bool read_value(RgYaml *yaml, yaml_node_t *node, const Section *s, RgPlanParameter p)
{
    double values[RG_PARAMETER_NUMBERS];
    const char *takes = "";
    int count = read_numbers(yaml, node, s, &p, values);
    if (count < 0)
        return false;
    if (!rg_parameter_fill(&p, values, count, &takes))
        return rg_yaml_fail(yaml, node, "%s: expected %s, found %d", s->path, takes, count);
    p.name = s->name;
    p.at = s->at;
    p.key_at = s->key_at;
    p.level = RG_LEVEL_FILE;
    rg_parameter_add(s->plan, p);
    return true;
}

/* Reads a key of a name, or one below it. */
static bool read_key(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    const Section *above = target;
    const char *word = (const char *)key->data.scalar.value;
    Section here = *above;
    here.path = *above->path ? rg_pool_print(&above->plan->pool, "%s.%s", above->path, word) : word;
    here.key_at = (RgPlanPlace){(int)key->start_mark.line + 1, (int)key->start_mark.column + 1};
    bool is_map = node->type == YAML_MAPPING_NODE;
    RgPlanParameter p = {.spec = NULL};
    if (is_map && rg_parameter_has_below(here.kind, here.path))
        return rg_yaml_each(yaml, node, here.path, read_key, &here);
    if (!rg_parameter_resolve(here.kind, here.path, &p))
        return fail_key(yaml, key, above, here.path);
    return read_value(yaml, node, &here, p);
}

static bool read_name(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    Section s = *(const Section *)target;
    s.name = rg_pool_print(&s.plan->pool, "%s", (const char *)key->data.scalar.value);
    s.at = (RgPlanPlace){(int)key->start_mark.line + 1, (int)key->start_mark.column + 1};
    s.path = "";
    return rg_yaml_each(yaml, node, s.name, read_key, &s);
}

static bool read_kind(RgYaml *yaml, yaml_node_t *node, void *target, RgParameterKind kind)
{
    Section s = {.plan = target, .kind = kind};
    return rg_yaml_each(yaml, node, rg_parameter_kind_name(kind), read_name, &s);
}

static bool kind_links(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_kind(yaml, node, target, RG_PARAMETER_LINK);
}

static bool kind_joints(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_kind(yaml, node, target, RG_PARAMETER_JOINT);
}

static bool kind_shapes(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_kind(yaml, node, target, RG_PARAMETER_SHAPE);
}

static bool kind_couplings(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_kind(yaml, node, target, RG_PARAMETER_COUPLING);
}

bool rg_parameters_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan)
{
    static const RgYamlKey keys[] = {{.name = "links", .read = kind_links},
                                     {.name = "joints", .read = kind_joints},
                                     {.name = "shapes", .read = kind_shapes},
                                     {.name = "couplings", .read = kind_couplings}};
    return rg_yaml_map(yaml, node, "parameters", keys, sizeof keys / sizeof keys[0], plan);
}
