/*
 * sweep_file_outputs.c - outputs, conditions that end a run, and the search for the largest number of a sweep file
 * (sweep_file.c has the format).
 *
 * Fails on malformed paths, signals and comparisons, and on searches whose numbers are in the wrong order.
 */
#include "io/key_path.h"
#include "sweep/sweep_reader.h"

#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

#define TYPED(key, type, field)                                                                                        \
    {                                                                                                                  \
        .name = (key), .typed = (type), .offset = offsetof(RgSweepReader, field)                                       \
    }

/* ------------------------------------------------------------------ outputs and stops */

/* Parses an output: a path into the summary, or a statistic of a signal. */
static bool finish_output(RgYaml *yaml, yaml_node_t *node, RgSweepReader *r)
{
    RgSweepOutput *o = &r->output;
    RgPool *pool = &r->sweep->pool;
    double after = o->watched.after;
    bool is_watched;
    const char *text = r->output_of, *wrong = rg_watched_parse(pool, text, &o->watched, &is_watched);
    o->watched.after = after;
    if (!is_watched) {
        wrong = rg_path_wrong(text);
        wrong = wrong ? rg_pool_print(pool, "'%s' is neither a path into the summary nor max(SIGNAL) or the like: %s",
                                      text, wrong)
                      : NULL;
        o->path = text;
        if (!wrong && after > 0.0)
            wrong = "'after' is for statistics of signals: max(SIGNAL) and so on";
    }
    if (wrong)
        return rg_yaml_fail(yaml, node, "outputs: %s", wrong);
    o->name = o->name ? o->name : text;
    RgSweepPlan *s = r->sweep;
    s->outputs = rg_pool_grow(pool, s->outputs, s->noutputs, sizeof *s->outputs);
    s->outputs[s->noutputs++] = *o;
    return true;
}

bool rg_sweep_read_output(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {TYPED("name", rg_yaml_key_text, output.name),
                                     TYPED("of", rg_yaml_key_text, output_of),
                                     TYPED("after", rg_yaml_key_number, output.watched.after)};
    RgSweepReader *r = target;
    r->output = (RgSweepOutput){.at = rg_sweep_place(node)};
    r->output_of = NULL;
    if (node->type != YAML_MAPPING_NODE) {
        const char *text = rg_yaml_text(yaml, node, "outputs");
        r->output_of = text ? rg_sweep_copy(r, text) : NULL;
        return text && finish_output(yaml, node, r);
    }
    if (!rg_yaml_map(yaml, node, "output", keys, COUNT(keys), r))
        return false;
    return r->output_of ? finish_output(yaml, node, r) : rg_yaml_fail(yaml, node, "output: 'of' is missing");
}

bool rg_sweep_read_stop(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {TYPED("name", rg_yaml_key_text, stop.name),
                                     TYPED("if", rg_yaml_key_text, stop_if)};
    RgSweepReader *r = target;
    RgSweepPlan *s = r->sweep;
    r->stop = (RgSweepStop){.at = rg_sweep_place(node)};
    r->stop_if = NULL;
    bool good = node->type == YAML_MAPPING_NODE ? rg_yaml_map(yaml, node, "stop", keys, COUNT(keys), r)
                                                : rg_yaml_key_read(yaml, node, &keys[1], r);
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
    RgSweepReader *r = target;
    r->search.key = r->search.column = rg_sweep_read_key(yaml, node, r);
    return r->search.key != NULL;
}

static bool key_above_0(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    if (!rg_yaml_number(yaml, node, key->name, field))
        return false;
    return *(double *)field > 0.0 || rg_yaml_fail(yaml, node, "%s: expected a number above 0", key->name);
}

#define ABOVE_0(field) TYPED(#field, key_above_0, search.field)

static bool search_probes(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double n;
    if (!rg_sweep_read_whole(yaml, node, "probes", 0, 32, &n))
        return false;
    ((RgSweepReader *)target)->search.probes = (int)n;
    return true;
}

static bool add_where(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgSweepPlan *s = ((RgSweepReader *)target)->sweep;
    RgSweepSearch *search = &((RgSweepReader *)target)->search;
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

bool rg_sweep_read_search(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{.name = "key", .read = search_key},
                                     ABOVE_0(first),
                                     ABOVE_0(least),
                                     ABOVE_0(most),
                                     ABOVE_0(width),
                                     {.name = "probes", .read = search_probes},
                                     {.name = "where", .read = search_where}};
    RgSweepReader *r = target;
    RgSweepSearch *search = &r->search;
    *search = (RgSweepSearch){.first = 1e-3, .least = 1e-5, .most = 0.1, .width = 0.01, .at = rg_sweep_place(node)};
    if (!rg_yaml_map(yaml, node, "search", keys, COUNT(keys), target))
        return false;
    if (!search->key)
        return rg_yaml_fail(yaml, node, "search: 'key' is missing");
    r->sweep->search = *search;
    return (search->least <= search->first && search->first <= search->most) ||
           rg_yaml_fail(yaml, node, "search: expected least <= first <= most, found %g, %g, %g", search->least,
                        search->first, search->most);
}
