/*
 * sweep_file.c - the YAML file of a sweep.
 *
 *   run: PATH                    # run file, or a model alone; relative to this file
 *   name: TEXT                   # what the tables are called (default: like this file)
 *   set: {PATH: VALUE, ...}      # keys of the run file, for all runs
 *   axes:                        # every combination of them is a run
 *     - {key: PATH, values: [V, V, ...]}                       # words, numbers, lists, mappings
 *     - {key: PATH, from: A, to: B, count: N, scale: linear}   # or log
 *     - {keys: [PATH, PATH], values: [[V, V], [V, V], ...]}    # go together
 *     - {key: PATH, uniform: [A, B]}                           # drawn: also log_uniform: [A, B], normal: [MEAN, DEVIATION], choice: [V, V, ...]
 *     - {name: TEXT, cases: {WORD: {PATH: VALUE, ...}, ...}}   # each sets its own keys; the column has the word
 *       # all: name: TEXT (keys: names: [TEXT, TEXT]), the column; change: set, add or times (what the run file has)
 *   seeds: N                     # every combination with as many draws, 1 ... N; or the seeds themselves: [3, 5, 8]
 *   outputs: [PATH, "max(SIGNAL)", {name: TEXT, of: "mean(SIGNAL)", after: s}, ...]
 *   stop: [SIGNAL > NUMBER, {name: TEXT, if: SIGNAL < NUMBER}, ...]
 *   search: {key: PATH, first: X, least: X, most: X, width: 0.01, probes: N, where: [PATH < NUMBER, ...]}
 *
 * Paths are those of key_path.h, signals those of world_signal.h. VALUE ~ (null) takes the key away, as if the run file had none. The order of runs: the first axis changes slowest, the seed
 * fastest.
 *
 * Fails, with line and column, on unknown keys, malformed paths and signals, numbers out of range, columns of one name, axes
 * without or with several kinds of values.
 */
#include "sweep.h"

#include "cmd_table.h"
#include "key_path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define SEED_MAX 9007199254740992.0 /* 2^53: whole numbers that a double can tell apart */
#define RUNS_MAX 1000000000LL

enum { KEYS_MAX = 64, COUNT_MAX = 1000000, NODES_SHOWN = 100 };

/* The sweep, and what is being read of it. */
typedef struct Reader {
    RgSweepPlan *sweep;
    RgSweepAxis axis;
    yaml_node_t *values, *names, *cases; /* of the axis; NULL: not given */
    double from, to;
    int count;
    bool is_log;
    RgSweepOutput output;
    const char *output_of;
    RgSweepStop stop;
    const char *stop_if;
} Reader;

static RgSweepPlace place_of(const yaml_node_t *node)
{
    return (RgSweepPlace){.line = (int)node->start_mark.line + 1, .column = (int)node->start_mark.column + 1};
}

static const char *copy(Reader *r, const char *text)
{
    return rg_pool_print(&r->sweep->pool, "%s", text);
}

/* A path, checked. NULL: error is filled. */
static const char *read_key(RgYaml *yaml, yaml_node_t *node, Reader *r)
{
    const char *text = rg_yaml_text(yaml, node, "key");
    const char *wrong = text ? rg_path_wrong(text) : NULL;
    if (wrong)
        rg_yaml_fail(yaml, node, "key: '%.100s' is no path such as solver.iterations: %s", text, wrong);
    return text && !wrong ? copy(r, text) : NULL;
}

/* ------------------------------------------------------------------ values */

/* How a value looks in the table: a word as it is, lists and mappings as one would write them in one line. left: nodes that
   are shown; aliases may make more of them than anybody wants to read. */
static const char *show_node(RgYaml *yaml, const yaml_node_t *node, RgPool *pool, int *left)
{
    if (--*left < 0)
        return "...";
    if (node->type == YAML_SCALAR_NODE)
        return rg_pool_print(pool, "%s", (const char *)node->data.scalar.value);
    yaml_document_t *document = &yaml->document;
    const char *all = "";
    if (node->type == YAML_SEQUENCE_NODE) {
        for (yaml_node_item_t *i = node->data.sequence.items.start;
             i < node->data.sequence.items.top && *left >= 0; i++)
            all = rg_pool_print(pool, "%s%s%s", all, *all ? ", " : "",
                                show_node(yaml, yaml_document_get_node(document, *i), pool, left));
        return rg_pool_print(pool, "[%s]", all);
    }
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top && *left >= 0;
         p++) {
        const char *key = show_node(yaml, yaml_document_get_node(document, p->key), pool, left);
        all = rg_pool_print(pool, "%s%s%s: %s", all, *all ? ", " : "", key,
                            show_node(yaml, yaml_document_get_node(document, p->value), pool, left));
    }
    return rg_pool_print(pool, "{%s}", all);
}

static RgSweepValue value_of(RgYaml *yaml, yaml_node_t *node, Reader *r)
{
    int left = NODES_SHOWN;
    RgSweepValue value = {.node = node, .number = (double)NAN, .is_null = rg_yaml_is_null(node)};
    value.text = value.is_null ? "" : show_node(yaml, node, &r->sweep->pool, &left);
    if (node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        !rg_number_parse(value.text, &value.number))
        value.number = (double)NAN;
    return value;
}

/* An item of the list of values: one value, or a list of one for each key. */
static bool read_row(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *r = target;
    RgSweepAxis *axis = &r->axis;
    int n = axis->nkeys;
    if (n > 1 && (node->type != YAML_SEQUENCE_NODE ||
                  node->data.sequence.items.top - node->data.sequence.items.start != n))
        return rg_yaml_fail(yaml, node, "values: expected a list of %d, one for each of the keys", n);
    for (int k = 0; k < n; k++) {
        yaml_node_t *item =
            n == 1 ? node : yaml_document_get_node(&yaml->document, node->data.sequence.items.start[k]);
        int at = axis->nvalues * n + k;
        axis->values = rg_pool_grow(&r->sweep->pool, axis->values, at, sizeof *axis->values);
        axis->values[at] = value_of(yaml, item, r);
        if (axis->how != RG_YAML_TAKES_PLACE && isnan(axis->values[at].number))
            return rg_yaml_fail(yaml, item, "values: expected numbers, as 'change' asks for");
    }
    axis->nvalues++;
    return true;
}

/* A path of a case. */
static bool check_case_key(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *target)
{
    (void)value;
    return read_key(yaml, key, target) != NULL;
}

/* A case: its word, and what it sets. */
static bool read_case(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *target)
{
    Reader *r = target;
    RgSweepAxis *axis = &r->axis;
    const char *word = rg_yaml_text(yaml, key, "cases");
    if (!word || !rg_yaml_each(yaml, value, word, check_case_key, r))
        return false;
    axis->values = rg_pool_grow(&r->sweep->pool, axis->values, axis->nvalues, sizeof *axis->values);
    axis->values[axis->nvalues++] =
        (RgSweepValue){.node = value, .number = (double)NAN, .text = copy(r, word)};
    return true;
}

/* from ... to: the ends are exact. */
static void fill_range(Reader *r)
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

static bool add_key(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *r = target;
    RgSweepAxis *axis = &r->axis;
    if (axis->nkeys == KEYS_MAX)
        return rg_yaml_fail(yaml, node, "keys: more than %d", KEYS_MAX);
    axis->keys = rg_pool_grow(&r->sweep->pool, axis->keys, axis->nkeys, sizeof *axis->keys);
    axis->keys[axis->nkeys] = read_key(yaml, node, r);
    return axis->keys[axis->nkeys++] != NULL;
}

static bool axis_keys(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "keys", add_key, target);
}

static bool axis_names(RgYaml *yaml, yaml_node_t *node, void *target)
{
    (void)yaml;
    ((Reader *)target)->names = node;
    return true;
}

static bool axis_values(RgYaml *yaml, yaml_node_t *node, void *target)
{
    (void)yaml;
    ((Reader *)target)->values = node;
    return true;
}

static bool axis_cases(RgYaml *yaml, yaml_node_t *node, void *target)
{
    (void)yaml;
    ((Reader *)target)->cases = node;
    return true;
}

static bool axis_from(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_number(yaml, node, "from", &((Reader *)target)->from);
}

static bool axis_to(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_number(yaml, node, "to", &((Reader *)target)->to);
}

static bool read_whole(RgYaml *yaml, yaml_node_t *node, const char *what, double least, double most,
                       double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    return (*out == floor(*out) && *out >= least && *out <= most) ||
           rg_yaml_fail(yaml, node, "%s: expected a whole number from %.0f to %.0f", what, least, most);
}

static bool axis_count(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double n;
    if (!read_whole(yaml, node, "count", 1, COUNT_MAX, &n))
        return false;
    ((Reader *)target)->count = (int)n;
    return true;
}

static bool axis_scale(RgYaml *yaml, yaml_node_t *node, void *target)
{
    const char *text = rg_yaml_text(yaml, node, "scale");
    if (text && strcmp(text, "log") != 0 && strcmp(text, "linear") != 0)
        return rg_yaml_fail(yaml, node, "scale: '%.60s' is not linear or log", text);
    ((Reader *)target)->is_log = text && strcmp(text, "log") == 0;
    return text != NULL;
}

static bool axis_change(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const char *const words[] = {
        [RG_YAML_TAKES_PLACE] = "set", [RG_YAML_ADDS] = "add", [RG_YAML_MULTIPLIES] = "times"};
    const char *text = rg_yaml_text(yaml, node, "change");
    for (int i = 0; text && i < COUNT(words); i++)
        if (strcmp(words[i], text) == 0) {
            ((Reader *)target)->axis.how = (RgYamlHow)i;
            return true;
        }
    return text ? rg_yaml_fail(yaml, node, "change: '%.60s' is not set, add or times", text) : false;
}

static bool read_draw(RgYaml *yaml, yaml_node_t *node, Reader *r, RgDraw draw, const char *what)
{
    double ab[2];
    int n = rg_yaml_numbers(yaml, node, what, ab, 2);
    if (n < 0)
        return false;
    if (n != 2)
        return rg_yaml_fail(yaml, node, "%s: expected two numbers", what);
    if (r->axis.draw != RG_DRAW_NONE)
        return rg_yaml_fail(yaml, node, "%s: one kind of draw at a time", what);
    if (draw == RG_DRAW_NORMAL ? ab[1] < 0.0 : ab[1] < ab[0])
        return rg_yaml_fail(yaml, node,
                            draw == RG_DRAW_NORMAL ? "%s: the deviation is negative"
                                                   : "%s: the bounds are in the wrong order",
                            what);
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
    Reader *r = target;
    if (r->axis.draw != RG_DRAW_NONE)
        return rg_yaml_fail(yaml, node, "choice: one kind of draw at a time");
    r->axis.draw = RG_DRAW_CHOICE;
    return axis_values(yaml, node, target);
}

/* ------------------------------------------------------------------ an axis */

/* Where values come from: exactly one of a list, a range, a draw. */
static bool fill_values(RgYaml *yaml, yaml_node_t *node, Reader *r)
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
                            "axis: several keys take 'values' or 'choice', with one of each key in a row");
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
        return rg_yaml_fail(yaml, node,
                            "axis: 'from' and 'to' of a log scale must not be 0, nor on its two sides");
    fill_range(r);
    return true;
}

/* An axis of cases is known by its name alone. */
static bool fill_cases(RgYaml *yaml, yaml_node_t *node, Reader *r)
{
    RgSweepAxis *axis = &r->axis;
    bool more = r->values || !isnan(r->from) || !isnan(r->to) || r->count > 0 || axis->draw != RG_DRAW_NONE;
    if (axis->nkeys > 0 || more || axis->how != RG_YAML_TAKES_PLACE)
        return rg_yaml_fail(yaml, node, "axis: 'cases' take a 'name' and nothing else");
    const char *name = r->names ? rg_yaml_text(yaml, r->names, "name") : NULL;
    if (!name)
        return r->names ? false
                        : rg_yaml_fail(yaml, node, "axis: 'cases' need a 'name': that of their column");
    axis->cases = true;
    axis->keys = axis->columns = rg_pool_grow(&r->sweep->pool, NULL, 0, sizeof *axis->keys);
    axis->keys[axis->nkeys++] = copy(r, name);
    return rg_yaml_each(yaml, r->cases, "cases", read_case, r) &&
           (axis->nvalues > 0 || rg_yaml_fail(yaml, r->cases, "cases: there are none"));
}

static bool name_columns(RgYaml *yaml, Reader *r)
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
            is_list ? yaml_document_get_node(&yaml->document, r->names->data.sequence.items.start[k])
                    : r->names;
        const char *text = rg_yaml_text(yaml, node, "name");
        if (!text)
            return false;
        axis->columns[k] = copy(r, text);
    }
    return true;
}

static bool read_axis(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {
        {"key", add_key},        {"keys", axis_keys},       {"values", axis_values},
        {"from", axis_from},     {"to", axis_to},           {"count", axis_count},
        {"scale", axis_scale},   {"uniform", axis_uniform}, {"log_uniform", axis_log_uniform},
        {"normal", axis_normal}, {"choice", axis_choice},   {"change", axis_change},
        {"name", axis_names},    {"names", axis_names},     {"cases", axis_cases}};
    Reader *r = target;
    RgSweepPlan *s = r->sweep;
    r->axis = (RgSweepAxis){.at = place_of(node)};
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

/* ------------------------------------------------------------------ outputs and stops */

static bool output_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    const char *text = rg_yaml_text(yaml, node, "name");
    Reader *r = target;
    r->output.name = text ? copy(r, text) : NULL;
    return text != NULL;
}

static bool output_of(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *r = target;
    const char *text = rg_yaml_text(yaml, node, "of");
    r->output_of = text ? copy(r, text) : NULL;
    return text != NULL;
}

static bool output_after(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *r = target;
    return rg_yaml_number(yaml, node, "after", &r->output.watched.after);
}

/* What an output says it is: a path into the summary, or something watched. */
static bool finish_output(RgYaml *yaml, yaml_node_t *node, Reader *r)
{
    RgSweepOutput *o = &r->output;
    RgPool *pool = &r->sweep->pool;
    double after = o->watched.after;
    bool is_watched;
    const char *text = r->output_of, *wrong = rg_watched_parse(pool, text, &o->watched, &is_watched);
    o->watched.after = after;
    if (!is_watched) {
        wrong = rg_path_wrong(text);
        wrong = wrong
                    ? rg_pool_print(pool,
                                    "'%s' is neither a path into the summary nor max(SIGNAL) or the like: %s",
                                    text, wrong)
                    : NULL;
        o->path = text;
        if (!wrong && after > 0.0)
            wrong = "'after' is for what is watched: max(SIGNAL) and so on";
    }
    if (wrong)
        return rg_yaml_fail(yaml, node, "outputs: %s", wrong);
    o->name = o->name ? o->name : text;
    RgSweepPlan *s = r->sweep;
    s->outputs = rg_pool_grow(pool, s->outputs, s->noutputs, sizeof *s->outputs);
    s->outputs[s->noutputs++] = *o;
    return true;
}

static bool read_output(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"name", output_name}, {"of", output_of}, {"after", output_after}};
    Reader *r = target;
    r->output = (RgSweepOutput){.at = place_of(node)};
    r->output_of = NULL;
    if (node->type != YAML_MAPPING_NODE) {
        const char *text = rg_yaml_text(yaml, node, "outputs");
        r->output_of = text ? copy(r, text) : NULL;
        return text && finish_output(yaml, node, r);
    }
    if (!rg_yaml_map(yaml, node, "output", keys, COUNT(keys), r))
        return false;
    return r->output_of ? finish_output(yaml, node, r) : rg_yaml_fail(yaml, node, "output: 'of' is missing");
}

static bool stop_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *r = target;
    const char *text = rg_yaml_text(yaml, node, "name");
    r->stop.name = text ? copy(r, text) : NULL;
    return text != NULL;
}

static bool stop_if(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *r = target;
    const char *text = rg_yaml_text(yaml, node, "if");
    r->stop_if = text ? copy(r, text) : NULL;
    return text != NULL;
}

static bool read_stop(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"name", stop_name}, {"if", stop_if}};
    Reader *r = target;
    RgSweepPlan *s = r->sweep;
    r->stop = (RgSweepStop){.at = place_of(node)};
    r->stop_if = NULL;
    bool good = node->type == YAML_MAPPING_NODE ? rg_yaml_map(yaml, node, "stop", keys, COUNT(keys), r)
                                                : stop_if(yaml, node, r);
    if (!good)
        return false;
    if (!r->stop_if)
        return rg_yaml_fail(yaml, node, "stop: 'if' is missing");
    const char *wrong = rg_bound_parse(&s->pool, r->stop_if, &r->stop.bound);
    if (!wrong)
        wrong = rg_signal_parse(&s->pool, r->stop.bound.left, &r->stop.signal);
    if (wrong)
        return rg_yaml_fail(yaml, node, "stop: %s", wrong);
    r->stop.name = r->stop.name ? r->stop.name : r->stop_if;
    s->stops = rg_pool_grow(&s->pool, s->stops, s->nstops, sizeof *s->stops);
    s->stops[s->nstops++] = r->stop;
    return true;
}

/* ------------------------------------------------------------------ search */

static bool search_key(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *r = target;
    r->sweep->search.key = r->sweep->search.column = read_key(yaml, node, r);
    return r->sweep->search.key != NULL;
}

static bool search_number(RgYaml *yaml, yaml_node_t *node, const char *what, double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    return *out > 0.0 || rg_yaml_fail(yaml, node, "%s: expected a number above 0", what);
}

static bool search_first(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return search_number(yaml, node, "first", &((Reader *)target)->sweep->search.first);
}

static bool search_least(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return search_number(yaml, node, "least", &((Reader *)target)->sweep->search.least);
}

static bool search_most(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return search_number(yaml, node, "most", &((Reader *)target)->sweep->search.most);
}

static bool search_width(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return search_number(yaml, node, "width", &((Reader *)target)->sweep->search.width);
}

static bool search_probes(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double n;
    if (!read_whole(yaml, node, "probes", 0, 32, &n))
        return false;
    ((Reader *)target)->sweep->search.probes = (int)n;
    return true;
}

static bool add_where(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((Reader *)target)->sweep;
    RgSweepSearch *search = &s->search;
    const char *text = rg_yaml_text(yaml, node, "where");
    if (!text)
        return false;
    search->where = rg_pool_grow(&s->pool, search->where, search->nwhere, sizeof *search->where);
    RgBound *bound = &search->where[search->nwhere++];
    const char *wrong = rg_bound_parse(&s->pool, text, bound);
    return wrong ? rg_yaml_fail(yaml, node, "where: %s", wrong) : true;
}

static bool search_where(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "where", add_where, target);
}

static bool key_search(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {
        {"key", search_key},     {"first", search_first},   {"least", search_least}, {"most", search_most},
        {"width", search_width}, {"probes", search_probes}, {"where", search_where}};
    RgSweepSearch *search = &((Reader *)target)->sweep->search;
    *search = (RgSweepSearch){.first = 1e-3, .least = 1e-5, .most = 0.1, .width = 0.01, .at = place_of(node)};
    if (!rg_yaml_map(yaml, node, "search", keys, COUNT(keys), target))
        return false;
    if (!search->key)
        return rg_yaml_fail(yaml, node, "search: 'key' is missing");
    return (search->least <= search->first && search->first <= search->most) ||
           rg_yaml_fail(yaml, node, "search: expected least <= first <= most, found %g, %g, %g",
                        search->least, search->first, search->most);
}

/* ------------------------------------------------------------------ the file */

static bool key_run(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((Reader *)target)->sweep;
    const char *text = rg_yaml_text(yaml, node, "run"), *slash = strrchr(s->path, '/');
    if (text)
        s->run = text[0] == '/' || !slash
                     ? rg_pool_print(&s->pool, "%s", text)
                     : rg_pool_print(&s->pool, "%.*s/%s", (int)(slash - s->path), s->path, text);
    return text != NULL;
}

static bool key_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((Reader *)target)->sweep;
    const char *text = rg_yaml_text(yaml, node, "name");
    if (text && strchr(text, '/'))
        return rg_yaml_fail(yaml, node, "name: a name, not a path: --out says where to");
    s->name = text ? rg_pool_print(&s->pool, "%s", text) : NULL;
    return text != NULL;
}

static bool read_set(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *target)
{
    Reader *r = target;
    RgSweepPlan *s = r->sweep;
    r->axis = (RgSweepAxis){.at = place_of(key)};
    if (!add_key(yaml, key, r))
        return false;
    r->axis.nvalues = 1;
    r->axis.values = rg_pool_take(&s->pool, 1, sizeof *r->axis.values);
    r->axis.values[0] = value_of(yaml, value, r);
    s->sets = rg_pool_grow(&s->pool, s->sets, s->nsets, sizeof *s->sets);
    s->sets[s->nsets++] = r->axis;
    return true;
}

static bool key_set(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_each(yaml, node, "set", read_set, target);
}

static bool key_axes(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "axes", read_axis, target);
}

static bool add_seed(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((Reader *)target)->sweep;
    double seed;
    if (!read_whole(yaml, node, "seeds", 0, SEED_MAX, &seed))
        return false;
    s->seeds = rg_pool_grow(&s->pool, s->seeds, s->nseeds, sizeof *s->seeds);
    s->seeds[s->nseeds++] = (long long)seed;
    return true;
}

static bool key_seeds(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((Reader *)target)->sweep;
    double count;
    s->nseeds = 0;
    if (node->type == YAML_SEQUENCE_NODE)
        return rg_yaml_list(yaml, node, "seeds", add_seed, target) &&
               (s->nseeds > 0 || rg_yaml_fail(yaml, node, "seeds: the list is empty"));
    if (!read_whole(yaml, node, "seeds", 1, COUNT_MAX, &count))
        return false;
    s->nseeds = (int)count;
    s->seeds = rg_pool_take(&s->pool, (size_t)s->nseeds, sizeof *s->seeds);
    for (int i = 0; i < s->nseeds; i++)
        s->seeds[i] = i + 1;
    return true;
}

static bool key_outputs(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "outputs", read_output, target);
}

static bool key_stop(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "stop", read_stop, target);
}

/* Without outputs: what everybody looks at first. */
static void default_outputs(RgSweepPlan *s)
{
    static const char *const usual[] = {"time", "steps", "energy_change", "joint_error_max", "state_hash"};
    s->outputs = rg_pool_take(&s->pool, COUNT(usual), sizeof *s->outputs);
    for (int i = 0; i < COUNT(usual); i++)
        s->outputs[i] = (RgSweepOutput){.name = usual[i], .path = usual[i]};
    s->noutputs = COUNT(usual);
}

/* ------------------------------------------------------------------ all of it together */

static bool fail_at(RgSweepPlan *s, RgSweepPlace at, const char *format, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, format, name);
    rg_plan_fail(s->yaml.error, RG_ERR_SYNTAX, s->path, "%s", text);
    s->yaml.error->line = at.line;
    s->yaml.error->column = at.column;
    return false;
}

/* Names of columns so far. */
typedef struct Columns {
    const char **names;
    int count;
} Columns;

/* Columns must be told apart, also from those that every table has. */
static bool add_column(RgSweepPlan *s, Columns *c, const char *name, RgSweepPlace at)
{
    static const char *const own[] = {"run", "seed", "status", "reason", "stopped", "fails", "tries"};
    bool known = false;
    for (int i = 0; i < COUNT(own) && !known; i++)
        known = strcmp(own[i], name) == 0;
    for (int i = 0; i < c->count && !known; i++)
        known = strcmp(c->names[i], name) == 0;
    c->names = rg_pool_grow(&s->pool, c->names, c->count, sizeof *c->names);
    c->names[c->count++] = name;
    return !known || fail_at(s, at, "two columns are called '%.100s': give one another 'name'", name);
}

/* A key that two axes set would have the value of the last, and a column of the first. */
static bool check_keys(RgSweepPlan *s)
{
    Columns c = {.count = 0};
    for (int i = 0; i < s->naxes; i++)
        for (int k = 0; k < s->axes[i].nkeys && !s->axes[i].cases; k++) {
            const char *key = s->axes[i].keys[k];
            bool known = s->search.key && strcmp(s->search.key, key) == 0;
            for (int n = 0; n < c.count && !known; n++)
                known = strcmp(c.names[n], key) == 0;
            if (known)
                return fail_at(s, s->axes[i].at, "two axes set '%.100s'", key);
            c.names = rg_pool_grow(&s->pool, c.names, c.count, sizeof *c.names);
            c.names[c.count++] = key;
        }
    return true;
}

static bool check_columns(RgSweepPlan *s)
{
    Columns c = {.count = 0};
    bool good = !s->search.key || add_column(s, &c, s->search.column, s->search.at);
    for (int i = 0; i < s->naxes && good; i++)
        for (int k = 0; k < s->axes[i].nkeys && good; k++)
            good = add_column(s, &c, s->axes[i].columns[k], s->axes[i].at);
    for (int i = 0; i < s->noutputs && good; i++)
        good = add_column(s, &c, s->outputs[i].name, s->outputs[i].at);
    return good;
}

static void name_by_file(RgSweepPlan *s)
{
    const char *slash = strrchr(s->path, '/'), *base = slash ? slash + 1 : s->path;
    const char *dot = strrchr(base, '.');
    s->name =
        rg_pool_print(&s->pool, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

static bool read_document(RgSweepPlan *s)
{
    static const RgYamlKey keys[] = {{"run", key_run},   {"name", key_name},    {"set", key_set},
                                     {"axes", key_axes}, {"seeds", key_seeds},  {"outputs", key_outputs},
                                     {"stop", key_stop}, {"search", key_search}};
    Reader r = {.sweep = s};
    yaml_node_t *root = yaml_document_get_root_node(&s->yaml.document);
    s->nseeds = 1;
    if (!rg_yaml_map(&s->yaml, root, "sweep", keys, COUNT(keys), &r))
        return false;
    if (!s->run)
        return rg_yaml_fail(&s->yaml, root, "sweep: 'run' is missing: the run file, or the model");
    if (s->noutputs == 0)
        default_outputs(s);
    if (!s->name)
        name_by_file(s);
    s->out = s->name;
    if (s->seeds && !s->draws)
        return rg_yaml_fail(&s->yaml, root,
                            "sweep: 'seeds', but nothing is drawn: an axis with uniform, log_uniform, normal "
                            "or choice draws");
    s->runs = rg_sweep_count(s);
    if (s->runs < 0 || s->runs > RUNS_MAX)
        return rg_yaml_fail(&s->yaml, root, "sweep: more than %lld runs", RUNS_MAX);
    return check_columns(s) && check_keys(s);
}

bool rg_sweep_read(RgSweepPlan *s, const char *path, char *text, size_t size, RgError *error)
{
    s->path = path;
    s->text = text;
    s->size = size;
    s->is_open = rg_yaml_open(&s->yaml, path, text, size, error);
    return s->is_open && read_document(s);
}

bool rg_sweep_open(RgSweepPlan *s, const char *path)
{
    *s = (RgSweepPlan){.path = path};
    char *text;
    size_t size;
    RgError *error = &s->yaml_error;
    bool good = rg_plan_read_file(&s->pool, path, &text, &size, error) == RG_OK &&
                rg_sweep_read(s, path, text, size, error);
    if (!good)
        rg_plan_print_error(error);
    return good;
}

bool rg_sweep_set(RgSweepPlan *s, const char *text, RgError *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || memchr(text, '\'', (size_t)(equals - text))) {
        rg_plan_fail(error, RG_ERR_ARGUMENT, NULL,
                     "--set: '%s': expected PATH=VALUE, such as stepper.step=1e-3", text);
        return false;
    }
    RgYaml *yaml = rg_pool_take(&s->pool, 1, sizeof *yaml);
    const char *line = rg_pool_print(&s->pool, "'%.*s': %s\n", (int)(equals - text), text, equals + 1);
    if (!rg_yaml_open(yaml, "--set", line, strlen(line), error))
        return false;
    s->given = rg_pool_grow(&s->pool, s->given, s->ngiven, sizeof(RgYaml *));
    s->given[s->ngiven++] = yaml;
    Reader r = {.sweep = s};
    if (!rg_yaml_each(yaml, yaml_document_get_root_node(&yaml->document), "set", read_set, &r))
        return false;
    RgSweepAxis *set = &s->sets[s->nsets - 1];
    set->values[0].from = yaml;
    set->at = (RgSweepPlace){.line = 0};
    return true;
}

void rg_sweep_close(RgSweepPlan *s)
{
    for (int i = 0; i < s->ngiven; i++)
        rg_yaml_close(s->given[i]);
    if (s->is_open)
        rg_yaml_close(&s->yaml);
    rg_pool_free(&s->pool);
}
