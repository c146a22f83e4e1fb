/*
 * sweep_file.c - the YAML file of a sweep.
 *
 *   run: PATH                    # run file, or a model alone; relative to this file
 *   name: TEXT                   # of the tables (default: that of this file)
 *   set: {PATH: VALUE, ...}      # keys of the run file, for all runs
 *   axes:                        # every combination is a run
 *     - {key: PATH, values: [V, V, ...]}                       # words, numbers, lists, mappings
 *     - {key: PATH, from: A, to: B, count: N, scale: linear}   # or log
 *     - {keys: [PATH, PATH], values: [[V, V], [V, V], ...]}    # change together
 *     - {key: PATH, uniform: [A, B]}                           # drawn: also log_uniform: [A, B], normal: [MEAN, DEVIATION],
 *                                                              #   choice: [V, V, ...]
 *     - {name: TEXT, cases: {WORD: {PATH: VALUE, ...}, ...}}   # each sets its own keys; the column has the word
 *       # all: name: TEXT (keys: names: [TEXT, TEXT]), the column; change: set, add or times (the run file's value)
 *   seeds: N                     # every combination for the seeds 1 ... N; or for listed seeds: [3, 5, 8]
 *   outputs: [PATH, "max(SIGNAL)", {name: TEXT, of: "mean(SIGNAL)", after: s}, ...]
 *   stop: [SIGNAL > NUMBER, {name: TEXT, if: SIGNAL < NUMBER}, ...]
 *   search: {key: PATH, first: X, least: X, most: X, width: 0.01, probes: N, where: [PATH < NUMBER, ...]}
 *
 * Paths are those of key_path.h, signals those of world_signal.h. VALUE ~ (null) removes the key from the run
 * file. In the order of runs the first axis changes slowest, the seed fastest.
 *
 * Fails, with line and column, on unknown keys, malformed paths and signals, numbers out of range, columns of one name,
 * axes without or with several kinds of values.
 */
#include "sweep/sweep_reader.h"

#include "io/error.h"
#include "io/key_path.h"
#include "io/read_input.h"
#include "plan/plan_open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define SEED_MAX 9007199254740992.0 /* 2^53: larger whole numbers are not distinct as doubles */
#define RUNS_MAX 1000000000LL

RgSweepPlace rg_sweep_place(const yaml_node_t *node)
{
    return (RgSweepPlace){.line = (int)node->start_mark.line + 1, .column = (int)node->start_mark.column + 1};
}

const char *rg_sweep_copy(RgSweepReader *r, const char *text)
{
    return rg_pool_print(&r->sweep->pool, "%s", text);
}

const char *rg_sweep_read_key(RgYaml *yaml, yaml_node_t *node, RgSweepReader *r)
{
    const char *text = rg_yaml_text(yaml, node, "key");
    const char *wrong = text ? rg_path_wrong(text) : NULL;
    if (wrong)
        rg_yaml_fail(yaml, node, "key: '%.100s' is no path such as solver.iterations: %s", text, wrong);
    return text && !wrong ? rg_sweep_copy(r, text) : NULL;
}

bool rg_sweep_read_whole(RgYaml *yaml, yaml_node_t *node, const char *what, double least, double most, double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    return (*out == floor(*out) && *out >= least && *out <= most) ||
           rg_yaml_fail(yaml, node, "%s: expected a whole number from %.0f to %.0f", what, least, most);
}

/* ------------------------------------------------------------------ the file */

static bool key_run(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((RgSweepReader *)target)->sweep;
    return rg_yaml_key_path(yaml, node, &(RgYamlKey){.name = "run"}, &s->run);
}

static bool key_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((RgSweepReader *)target)->sweep;
    const char *text = rg_yaml_text(yaml, node, "name");
    if (text && strchr(text, '/'))
        return rg_yaml_fail(yaml, node, "name: expected a name, not a path (see --out)");
    s->name = text ? rg_pool_print(&s->pool, "%s", text) : NULL;
    return text != NULL;
}

static bool read_set(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *target)
{
    RgSweepReader *r = target;
    RgSweepPlan *s = r->sweep;
    r->axis = (RgSweepAxis){.at = rg_sweep_place(key)};
    if (!rg_sweep_add_key(yaml, key, r))
        return false;
    r->axis.nvalues = 1;
    r->axis.values = rg_pool_take(&s->pool, 1, sizeof *r->axis.values);
    r->axis.values[0] = rg_sweep_value_of(yaml, value, r);
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
    return rg_yaml_list(yaml, node, "axes", rg_sweep_read_axis, target);
}

static bool add_seed(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((RgSweepReader *)target)->sweep;
    double seed;
    if (!rg_sweep_read_whole(yaml, node, "seeds", 0, SEED_MAX, &seed))
        return false;
    s->seeds = rg_pool_grow(&s->pool, s->seeds, s->nseeds, sizeof *s->seeds);
    s->seeds[s->nseeds++] = (long long)seed;
    return true;
}

static bool key_seeds(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((RgSweepReader *)target)->sweep;
    double count;
    s->seeds_at = rg_sweep_place(node);
    s->nseeds = 0;
    if (node->type == YAML_SEQUENCE_NODE)
        return rg_yaml_list(yaml, node, "seeds", add_seed, target) &&
               (s->nseeds > 0 || rg_yaml_fail(yaml, node, "seeds: the list is empty"));
    if (!rg_sweep_read_whole(yaml, node, "seeds", 1, RG_SWEEP_COUNT_MAX, &count))
        return false;
    s->nseeds = (int)count;
    s->seeds = rg_pool_take(&s->pool, (size_t)s->nseeds, sizeof *s->seeds);
    for (int i = 0; i < s->nseeds; i++)
        s->seeds[i] = i + 1;
    return true;
}

static bool key_outputs(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "outputs", rg_sweep_read_output, target);
}

static bool key_stop(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "stop", rg_sweep_read_stop, target);
}

/* Default outputs. */
static void default_outputs(RgSweepPlan *s)
{
    static const char *const usual[] = {"time", "steps", "energy_change", "joint_error_max", "state_hash"};
    s->outputs = rg_pool_take(&s->pool, COUNT(usual), sizeof *s->outputs);
    for (int i = 0; i < COUNT(usual); i++)
        s->outputs[i] = (RgSweepOutput){.name = usual[i], .path = usual[i]};
    s->noutputs = COUNT(usual);
}

/* ------------------------------------------------------------------ checks */

static bool fail_at(RgSweepPlan *s, RgSweepPlace at, const char *format, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, format, name);
    rg_error_set(s->yaml.error, RG_ERR_SYNTAX, s->path, "%s", text);
    s->yaml.error->line = at.line;
    s->yaml.error->column = at.column;
    return false;
}

/* Names of the columns. */
typedef struct Columns {
    const char **names;
    int count;
} Columns;

/* Adds a column; its name must differ from the others and from those of every table. */
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
    return !known || fail_at(s, at, "two columns have the name '%.100s': give one another 'name'", name);
}

/* Two axes must not set the same key. */
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
    s->name = rg_pool_print(&s->pool, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

static bool read_document(RgSweepPlan *s)
{
    static const RgYamlKey keys[] = {
        {.name = "run", .read = key_run},     {.name = "name", .read = key_name},
        {.name = "set", .read = key_set},     {.name = "axes", .read = key_axes},
        {.name = "seeds", .read = key_seeds}, {.name = "outputs", .read = key_outputs},
        {.name = "stop", .read = key_stop},   {.name = "search", .read = rg_sweep_read_search}};
    RgSweepReader r = {.sweep = s};
    s->yaml.pool = &s->pool;
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
        return fail_at(s, s->seeds_at, "seeds: nothing is drawn: an axis with %s draws",
                       "uniform, log_uniform, normal or choice");
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
    bool good =
        rg_read_whole(&s->pool, path, &text, &size, error) == RG_OK && rg_sweep_read(s, path, text, size, error);
    if (!good)
        rg_error_print(error);
    return good;
}

bool rg_sweep_set(RgSweepPlan *s, const char *text, RgError *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || memchr(text, '\'', (size_t)(equals - text))) {
        rg_error_set(error, RG_ERR_ARGUMENT, NULL, "--set: '%s': expected PATH=VALUE, such as stepper.step=1e-3", text);
        return false;
    }
    for (int i = 0; i < s->naxes; i++)
        for (int k = 0; k < s->axes[i].nkeys && !s->axes[i].cases; k++)
            if (strlen(s->axes[i].keys[k]) == (size_t)(equals - text) &&
                strncmp(s->axes[i].keys[k], text, (size_t)(equals - text)) == 0) {
                rg_error_set(error, RG_ERR_ARGUMENT, NULL, "--set: '%s' is an axis of the sweep", s->axes[i].keys[k]);
                return false;
            }
    RgYaml *yaml = rg_pool_take(&s->pool, 1, sizeof *yaml);
    const char *line = rg_pool_print(&s->pool, "'%.*s': %s\n", (int)(equals - text), text, equals + 1);
    if (!rg_yaml_open(yaml, "--set", line, strlen(line), error))
        return false;
    s->given = rg_pool_grow(&s->pool, s->given, s->ngiven, sizeof(RgYaml *));
    s->given[s->ngiven++] = yaml;
    RgSweepReader r = {.sweep = s};
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
