/*
 * sweep_file_axes.c - the axes of a sweep file (sweep_file.c has the format): keys and values.
 *
 * A range has exact ends; between them
 *
 *   linear: from + k/(n - 1) (to - from)      log: from (to/from)^(k/(n - 1))
 *
 * Fails on axes without or with several kinds of values, lists of the wrong length, bounds in the wrong order, log
 * scales through 0.
 */
#include "io/key_path.h"
#include "io/options.h"
#include "sweep/sweep_reader.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

enum { KEYS_MAX = 64, NODES_SHOWN = 100 };

/* ------------------------------------------------------------------ values */

/* Text of a value in the table, in one line. left: bound on the nodes shown, since aliases may multiply them. */
static const char *node_text(RgYaml *yaml, const yaml_node_t *node, RgPool *pool, int *left)
{
    if (--*left < 0)
        return "...";
    if (node->type == YAML_SCALAR_NODE)
        return rg_pool_print(pool, "%s", (const char *)node->data.scalar.value);
    yaml_document_t *document = &yaml->document;
    const char *all = "";
    if (node->type == YAML_SEQUENCE_NODE) {
        for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top && *left >= 0;
             i++)
            all = rg_pool_print(pool, "%s%s%s", all, *all ? ", " : "",
                                node_text(yaml, yaml_document_get_node(document, *i), pool, left));
        return rg_pool_print(pool, "[%s]", all);
    }
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top && *left >= 0; p++) {
        const char *key = node_text(yaml, yaml_document_get_node(document, p->key), pool, left);
        all = rg_pool_print(pool, "%s%s%s: %s", all, *all ? ", " : "", key,
                            node_text(yaml, yaml_document_get_node(document, p->value), pool, left));
    }
    return rg_pool_print(pool, "{%s}", all);
}

RgSweepValue rg_sweep_value_of(RgYaml *yaml, yaml_node_t *node, RgSweepReader *r)
{
    int left = NODES_SHOWN;
    RgSweepValue value = {.node = node, .number = (double)NAN, .is_null = rg_yaml_is_null(node)};
    value.text = value.is_null ? "" : node_text(yaml, node, &r->sweep->pool, &left);
    if (node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        !rg_number_parse(value.text, &value.number))
        value.number = (double)NAN;
    return value;
}

/* An item of the list of values: one value, or a list of one for each key. */
static bool read_row(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepReader *r = target;
    RgSweepAxis *axis = &r->axis;
    int n = axis->nkeys;
    if (n > 1 &&
        (node->type != YAML_SEQUENCE_NODE || node->data.sequence.items.top - node->data.sequence.items.start != n))
        return rg_yaml_fail(yaml, node, "values: expected a list of %d, one for each of the keys", n);
    for (int k = 0; k < n; k++) {
        yaml_node_t *item = n == 1 ? node : yaml_document_get_node(&yaml->document, node->data.sequence.items.start[k]);
        int at = axis->nvalues * n + k;
        axis->values = rg_pool_grow(&r->sweep->pool, axis->values, at, sizeof *axis->values);
        axis->values[at] = rg_sweep_value_of(yaml, item, r);
        if (axis->how != RG_YAML_TAKES_PLACE && isnan(axis->values[at].number))
            return rg_yaml_fail(yaml, item, "values: expected numbers, since 'change' is add or times");
    }
    axis->nvalues++;
    return true;
}

/* Checks a path of a case. */
static bool check_case_key(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *target)
{
    (void)value;
    return rg_sweep_read_key(yaml, key, target) != NULL;
}

/* A case: its word and its values. */
static bool read_case(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *target)
{
    RgSweepReader *r = target;
    RgSweepAxis *axis = &r->axis;
    const char *word = rg_yaml_text(yaml, key, "cases");
    if (!word || !rg_yaml_each(yaml, value, word, check_case_key, r))
        return false;
    axis->values = rg_pool_grow(&r->sweep->pool, axis->values, axis->nvalues, sizeof *axis->values);
    axis->values[axis->nvalues++] =
        (RgSweepValue){.node = value, .number = (double)NAN, .text = rg_sweep_copy(r, word)};
    return true;
}

/* from ... to: the ends are exact. */
static void fill_range(RgSweepReader *r)
{
    RgSweepAxis *axis = &r->axis;
    axis->nvalues = r->count;
    axis->values = rg_pool_take(&r->sweep->pool, (size_t)r->count, sizeof *axis->values);
    for (int i = 0; i < r->count; i++) {
        double part = r->count > 1 ? (double)i / (double)(r->count - 1) : 0.0;
        double x = r->is_log ? r->from * pow(r->to / r->from, part) : r->from + part * (r->to - r->from);
        x = i == 0 ? r->from : i == r->count - 1 ? r->to : x;
        axis->values[i] = (RgSweepValue){.number = x, .text = rg_pool_print(&r->sweep->pool, "%.17g", x)};
    }
}

/* ------------------------------------------------------------------ keys of an axis */

bool rg_sweep_add_key(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepReader *r = target;
    RgSweepAxis *axis = &r->axis;
    if (axis->nkeys == KEYS_MAX)
        return rg_yaml_fail(yaml, node, "keys: more than %d", KEYS_MAX);
    axis->keys = rg_pool_grow(&r->sweep->pool, axis->keys, axis->nkeys, sizeof *axis->keys);
    axis->keys[axis->nkeys] = rg_sweep_read_key(yaml, node, r);
    return axis->keys[axis->nkeys++] != NULL;
}

static bool axis_keys(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "keys", rg_sweep_add_key, target);
}

/* Stores a node that is read after the other keys of the axis. */
static bool key_node(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    (void)yaml;
    (void)key;
    *(yaml_node_t **)field = node;
    return true;
}

#define NODE(key, field)                                                                                               \
    {                                                                                                                  \
        .name = (key), .typed = key_node, .offset = offsetof(RgSweepReader, field)                                     \
    }

static bool axis_count(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double n;
    if (!rg_sweep_read_whole(yaml, node, "count", 1, RG_SWEEP_COUNT_MAX, &n))
        return false;
    ((RgSweepReader *)target)->count = (int)n;
    return true;
}

static bool axis_scale(RgYaml *yaml, yaml_node_t *node, void *target)
{
    const char *text = rg_yaml_text(yaml, node, "scale");
    if (text && strcmp(text, "log") != 0 && strcmp(text, "linear") != 0)
        return rg_yaml_fail(yaml, node, "scale: '%.60s' is not linear or log", text);
    ((RgSweepReader *)target)->is_log = text && strcmp(text, "log") == 0;
    return text != NULL;
}

static bool axis_change(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const char *const words[] = {
        [RG_YAML_TAKES_PLACE] = "set", [RG_YAML_ADDS] = "add", [RG_YAML_MULTIPLIES] = "times"};
    const char *text = rg_yaml_text(yaml, node, "change");
    for (int i = 0; text && i < COUNT(words); i++)
        if (strcmp(words[i], text) == 0) {
            ((RgSweepReader *)target)->axis.how = (RgYamlHow)i;
            return true;
        }
    return text ? rg_yaml_fail(yaml, node, "change: '%.60s' is not set, add or times", text) : false;
}

static bool read_draw(RgYaml *yaml, yaml_node_t *node, RgSweepReader *r, RgDraw draw, const char *what)
{
    double ab[2];
    int n = rg_yaml_numbers(yaml, node, what, ab, 2);
    if (n < 0)
        return false;
    if (n != 2)
        return rg_yaml_fail(yaml, node, "%s: expected two numbers", what);
    if (r->axis.draw != RG_DRAW_NONE)
        return rg_yaml_fail(yaml, node, "%s: an axis has one kind of draw", what);
    if (draw == RG_DRAW_NORMAL ? ab[1] < 0.0 : ab[1] < ab[0])
        return rg_yaml_fail(
            yaml, node,
            draw == RG_DRAW_NORMAL ? "%s: the deviation is negative" : "%s: the bounds are in the wrong order", what);
    if (draw == RG_DRAW_LOG_UNIFORM && !(ab[0] > 0.0))
        return rg_yaml_fail(yaml, node, "%s: expected bounds above 0", what);
    r->axis.draw = draw;
    r->axis.a = ab[0];
    r->axis.b = ab[1];
    return true;
}

static bool axis_uniform(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_draw(yaml, node, target, RG_DRAW_UNIFORM, "uniform");
}

static bool axis_log_uniform(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_draw(yaml, node, target, RG_DRAW_LOG_UNIFORM, "log_uniform");
}

static bool axis_normal(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_draw(yaml, node, target, RG_DRAW_NORMAL, "normal");
}

static bool axis_choice(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepReader *r = target;
    if (r->axis.draw != RG_DRAW_NONE)
        return rg_yaml_fail(yaml, node, "choice: an axis has one kind of draw");
    r->axis.draw = RG_DRAW_CHOICE;
    r->values = node;
    return true;
}

/* ------------------------------------------------------------------ an axis */

/* Reads values from exactly one of a list, a range, a draw. */
static bool fill_values(RgYaml *yaml, yaml_node_t *node, RgSweepReader *r)
{
    RgSweepAxis *axis = &r->axis;
    bool ranged = !isnan(r->from) || !isnan(r->to) || r->count > 0;
    bool drawn = axis->draw != RG_DRAW_NONE && axis->draw != RG_DRAW_CHOICE;
    int kinds = (r->values != NULL) + ranged + drawn;
    if (kinds != 1)
        return rg_yaml_fail(yaml, node,
                            "axis: expected one of values, from/to/count, uniform, log_uniform, "
                            "normal and choice, found %s",
                            kinds == 0 ? "none" : "several");
    if (axis->nkeys > 1 && (ranged || drawn))
        return rg_yaml_fail(yaml, node,
                            "axis: several keys need 'values' or 'choice', with one value for each key in a row");
    if (r->is_log && !ranged)
        return rg_yaml_fail(yaml, node, "axis: 'scale' goes with from, to and count");
    if (r->values) {
        if (!rg_yaml_list(yaml, r->values, "values", read_row, r))
            return false;
        return axis->nvalues > 0 || rg_yaml_fail(yaml, r->values, "values: the list is empty");
    }
    if (drawn)
        return true;
    if (isnan(r->from) || isnan(r->to) || r->count == 0)
        return rg_yaml_fail(yaml, node, "axis: 'from', 'to' and 'count' belong together");
    if (r->is_log && !(r->from * r->to > 0.0))
        return rg_yaml_fail(yaml, node, "axis: 'from' and 'to' of a log scale must not be 0, nor differ in sign");
    fill_range(r);
    return true;
}

/* An axis of cases is identified by its name. */
static bool fill_cases(RgYaml *yaml, yaml_node_t *node, RgSweepReader *r)
{
    RgSweepAxis *axis = &r->axis;
    bool more = r->values || !isnan(r->from) || !isnan(r->to) || r->count > 0 || axis->draw != RG_DRAW_NONE;
    if (axis->nkeys > 0 || more || axis->how != RG_YAML_TAKES_PLACE)
        return rg_yaml_fail(yaml, node, "axis: 'cases' take a 'name' and nothing else");
    const char *name = r->names ? rg_yaml_text(yaml, r->names, "name") : NULL;
    if (!name)
        return r->names ? false : rg_yaml_fail(yaml, node, "axis: 'cases' need a 'name' for their column");
    axis->cases = true;
    axis->keys = axis->columns = rg_pool_grow(&r->sweep->pool, NULL, 0, sizeof *axis->keys);
    axis->keys[axis->nkeys++] = rg_sweep_copy(r, name);
    return rg_yaml_each(yaml, r->cases, "cases", read_case, r) &&
           (axis->nvalues > 0 || rg_yaml_fail(yaml, r->cases, "cases: there are none"));
}

static bool name_columns(RgYaml *yaml, RgSweepReader *r)
{
    RgSweepAxis *axis = &r->axis;
    axis->columns = rg_pool_take(&r->sweep->pool, (size_t)axis->nkeys, sizeof *axis->columns);
    memcpy(axis->columns, axis->keys, (size_t)axis->nkeys * sizeof *axis->columns);
    if (!r->names)
        return true;
    bool is_list = r->names->type == YAML_SEQUENCE_NODE;
    long n = is_list ? r->names->data.sequence.items.top - r->names->data.sequence.items.start : 1;
    if (n != axis->nkeys)
        return rg_yaml_fail(yaml, r->names, "names: %ld for %d keys", n, axis->nkeys);
    for (int k = 0; k < axis->nkeys; k++) {
        yaml_node_t *node =
            is_list ? yaml_document_get_node(&yaml->document, r->names->data.sequence.items.start[k]) : r->names;
        const char *text = rg_yaml_text(yaml, node, "name");
        if (!text)
            return false;
        axis->columns[k] = rg_sweep_copy(r, text);
    }
    return true;
}

bool rg_sweep_read_axis(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {
        {.name = "key", .read = rg_sweep_add_key},
        {.name = "keys", .read = axis_keys},
        NODE("values", values),
        {.name = "from", .typed = rg_yaml_key_number, .offset = offsetof(RgSweepReader, from)},
        {.name = "to", .typed = rg_yaml_key_number, .offset = offsetof(RgSweepReader, to)},
        {.name = "count", .read = axis_count},
        {.name = "scale", .read = axis_scale},
        {.name = "uniform", .read = axis_uniform},
        {.name = "log_uniform", .read = axis_log_uniform},
        {.name = "normal", .read = axis_normal},
        {.name = "choice", .read = axis_choice},
        {.name = "change", .read = axis_change},
        NODE("name", names),
        NODE("names", names),
        NODE("cases", cases)};
    RgSweepReader *r = target;
    RgSweepPlan *s = r->sweep;
    r->axis = (RgSweepAxis){.at = rg_sweep_place(node)};
    r->values = r->names = r->cases = NULL;
    r->from = r->to = (double)NAN;
    r->count = 0;
    r->is_log = false;
    if (!rg_yaml_map(yaml, node, "axis", keys, COUNT(keys), r))
        return false;
    if (r->axis.nkeys == 0 && !r->cases)
        return rg_yaml_fail(yaml, node, "axis: 'key' is missing");
    if (r->cases ? !fill_cases(yaml, node, r) : !fill_values(yaml, node, r) || !name_columns(yaml, r))
        return false;
    s->draws = s->draws || r->axis.draw != RG_DRAW_NONE;
    s->axes = rg_pool_grow(&s->pool, s->axes, s->naxes, sizeof *s->axes);
    s->axes[s->naxes++] = r->axis;
    return true;
}
