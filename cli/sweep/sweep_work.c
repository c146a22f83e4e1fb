/*
 * sweep_work.c - one run of a sweep, from its number to a line of JSON.
 *
 *   {"run": 12, "status": "ok", "reason": null, "stopped": null, "values": [...], "seconds": 0.2, "host": "..."}
 *
 * status: ok; refused: a step was refused, or the motion diverged; failed: the run could not start. With a search the
 * values are those of the largest number that worked, which is "found"; "fails" is the smallest known to fail above it,
 * and a search that finds nothing is a failed run. Values are numbers, texts or null (no number); all but seconds and
 * host are the same on every machine.
 *
 * Outputs of the run file are not written.
 */
#define _GNU_SOURCE
#include "sweep/sweep.h"

#include "io/json_out.h"
#include "io/key_path.h"
#include "io/options.h"
#include "io/progress.h"
#include "plan/plan_open.h"
#include "step_search/maxstep.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { REASON = 256, HOST = 64 };

/* Result of one try. */
typedef struct Outcome {
    double found;       /* number of the search; NaN: none */
    const char *status; /* constant */
    char reason[REASON];
    const char *stopped; /* name of the condition that ended it; NULL: none */
    json_t *values;      /* noutputs */
    json_t *judged;      /* nwhere: values that the search compares */
} Outcome;

/* ------------------------------------------------------------------ the summary */

/* An item of a list by its key `name` or `joint`. */
static json_t *find_item(json_t *list, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        const char *called = json_string_value(json_object_get(item, "name"));
        called = called ? called : json_string_value(json_object_get(item, "joint"));
        if (called && strcmp(called, name) == 0)
            return item;
    }
    return NULL;
}

/* The value at a path; NULL: none. Borrowed. */
static json_t *look_up(json_t *root, const char *path)
{
    RgPathStep step = rg_path_step(path, true);
    for (; root && step.kind != RG_PATH_END; step = rg_path_step(step.rest, false)) {
        if (step.kind == RG_PATH_INDEX)
            root = json_array_get(root, (size_t)step.index);
        else if (step.kind == RG_PATH_NAME)
            root = json_is_array(root) ? find_item(root, step.name) : json_object_get(root, step.name);
        else
            root = NULL;
    }
    return root;
}

/* The value as a table stores it. */
static json_t *as_cell(json_t *value)
{
    if (json_is_true(value) || json_is_false(value))
        return json_integer(json_is_true(value));
    return json_is_number(value) || json_is_string(value) ? json_incref(value) : json_null();
}

static void collect(RgSweepPlan *s, RgRun *run, Outcome *out)
{
    json_t *summary = rg_run_json(run);
    for (int i = 0; i < s->noutputs; i++) {
        const RgSweepOutput *o = &s->outputs[i];
        json_array_append_new(out->values, o->path ? as_cell(look_up(summary, o->path))
                                                   : rg_json_number(rg_watched_value(&o->watched)));
    }
    for (int i = 0; i < s->search.nwhere; i++)
        json_array_append_new(out->judged, as_cell(look_up(summary, s->search.where[i].left)));
    json_decref(summary);
}

/* ------------------------------------------------------------------ one try */

static bool find_signal(const RgSweepPlan *s, RgSignal *signal, RgRun *run, RgSweepPlace at, RgError *error)
{
    if (rg_signal_find(signal, run, error))
        return true;
    snprintf(error->file, sizeof error->file, "%s", s->path);
    error->line = at.line;
    error->column = at.column;
    return false;
}

static bool find_signals(RgSweepPlan *s, RgRun *run, RgError *error)
{
    bool good = true;
    for (int i = 0; i < s->noutputs && good; i++)
        if (!s->outputs[i].path) {
            rg_watched_begin(&s->outputs[i].watched);
            good = find_signal(s, &s->outputs[i].watched.signal, run, s->outputs[i].at, error);
        }
    for (int i = 0; i < s->nstops && good; i++)
        good = find_signal(s, &s->stops[i].signal, run, s->stops[i].at, error);
    return good;
}

bool rg_sweep_start(RgRun *run, RgSweepEdit *what, RgError *error)
{
    RgPlanEdit edit = {.change = rg_sweep_edit, .context = what};
    *error = (RgError){.status = RG_OK};
    if (rg_plan_open_edited(&run->plan, what->sweep->run, &edit, error) != RG_OK)
        return false;
    run->plan.quiet = true;
    rg_plan_drop_outputs(&run->plan);
    return rg_run_start(run, error) == RG_OK && find_signals(what->sweep, run, error);
}

/* Samples all signals. Returns the name of the condition that ends the run, or NULL. */
static const char *sample_signals(RgSweepPlan *s, RgRun *run)
{
    for (int i = 0; i < s->noutputs; i++)
        if (!s->outputs[i].path)
            rg_watched_sample(&s->outputs[i].watched, run);
    for (int i = 0; i < s->nstops; i++)
        if (rg_bound_holds(&s->stops[i].bound, rg_signal_value(&s->stops[i].signal, run)))
            return s->stops[i].name;
    return NULL;
}

static void make_steps(RgSweepPlan *s, RgRun *run, Outcome *out)
{
    RgStepReport report = {.status = RG_OK};
    out->stopped = sample_signals(s, run);
    while (run->steps_done < run->steps && !out->stopped) {
        if (!rg_run_advance(run, &report))
            break;
        out->stopped = sample_signals(s, run);
        bool check = run->steps_done % RG_RUN_CHECK_EVERY == 0 || run->steps_done == run->steps;
        if (check && !out->stopped && rg_run_diverged(run))
            break;
    }
    out->status = run->refusal.status == RG_OK ? "ok" : "refused";
    if (run->refusal.status != RG_OK)
        snprintf(out->reason, sizeof out->reason, "%.*s", REASON - 1, run->refusal.text);
    run->after = run->before;
    rg_world_momentum(run->world, &run->after);
}

/* Why a run could not start, without folders, so that rows are the same on every machine. */
static void format_reason(RgSweepPlan *s, RgError *error, char reason[REASON])
{
    rg_yaml_place_back(error, s->path, "--set");
    const char *slash = strrchr(error->file, '/');
    RgError bare = *error;
    if (slash)
        snprintf(bare.file, sizeof bare.file, "%s", slash + 1);
    rg_error_format(&bare, reason, REASON);
}

static Outcome try_run(RgSweepPlan *s, long long number, double found)
{
    Outcome out = {.found = found, .status = "failed", .values = json_array(), .judged = json_array()};
    RgRun run = {.model = NULL};
    RgError error;
    RgSweepEdit what = {.sweep = s, .run = number, .found = found};
    if (rg_sweep_start(&run, &what, &error)) {
        make_steps(s, &run, &out);
        collect(s, &run, &out);
    } else {
        format_reason(s, &error, out.reason);
    }
    rg_run_free(&run);
    return out;
}

static void drop(Outcome *out)
{
    json_decref(out->values);
    json_decref(out->judged);
    out->values = out->judged = NULL;
}

/* ------------------------------------------------------------------ search */

typedef struct Tries {
    RgSweepPlan *sweep;
    long long run;
    Outcome best; /* the largest number that worked so far, or the first try */
    bool any;     /* some number worked */
} Tries;

static bool outcome_works(const RgSweepPlan *s, const Outcome *out)
{
    bool good = strcmp(out->status, "ok") == 0 && !out->stopped;
    for (int i = 0; i < s->search.nwhere && good; i++) {
        const json_t *value = json_array_get(out->judged, (size_t)i);
        good = json_is_number(value) && rg_bound_holds(&s->search.where[i], json_number_value(value));
    }
    return good;
}

static bool works(double number, void *context)
{
    Tries *t = context;
    Outcome out = try_run(t->sweep, t->run, number);
    bool good = outcome_works(t->sweep, &out);
    bool keep = !t->best.values || (good && (!t->any || number > t->best.found));
    if (keep && t->best.values)
        drop(&t->best);
    if (keep)
        t->best = out;
    else
        drop(&out);
    t->any = t->any || good;
    return good;
}

/* Searches the largest number that works below the first that fails. Returns its outcome. */
static Outcome search(RgSweepPlan *s, long long number, RgStepLimit *limit)
{
    Tries tries = {.sweep = s, .run = number};
    RgStepSearch def = {.first = s->search.first,
                        .least = s->search.least,
                        .most = s->search.most,
                        .width = s->search.width,
                        .probes = s->search.probes,
                        .works = works,
                        .context = &tries};
    *limit = rg_step_search(&def);

    /* The best try may be an island above the limit: repeat the limit. */
    if (limit->found && tries.best.found != limit->step) {
        drop(&tries.best);
        tries.best = try_run(s, number, limit->step);
    }
    if (!limit->found) {
        char why[REASON];
        snprintf(why, sizeof why, "%s", tries.best.reason);
        snprintf(tries.best.reason, sizeof tries.best.reason, "no %.100s from %g to %g works%s%.80s", s->search.column,
                 s->search.least, s->search.most, why[0] ? ": " : "", why);
        tries.best.status = "failed";
        tries.best.found = (double)NAN;
    }
    return tries.best;
}

/* ------------------------------------------------------------------ the line */

static const char *print_line(json_t *line, RgPool *pool)
{
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17));
    const char *kept = rg_pool_print(pool, "%s", text ? text : "");
    free(text);
    json_decref(line);
    return kept;
}

static json_t *begin_line(long long run, const char *status, const char *reason)
{
    json_t *line = json_object();
    json_object_set_new(line, "run", json_integer(run));
    json_object_set_new(line, "status", json_string(status));
    json_object_set_new(line, "reason", reason && reason[0] ? rg_json_text(reason) : json_null());
    return line;
}

const char *rg_sweep_work(RgSweepPlan *s, long long run, RgPool *pool)
{
    double begun = rg_progress_clock();
    RgStepLimit limit = {.found = false};
    Outcome out = s->search.key ? search(s, run, &limit) : try_run(s, run, (double)NAN);
    json_t *line = begin_line(run, out.status, out.reason);
    json_object_set_new(line, "stopped", rg_json_text(out.stopped));
    if (s->search.key) {
        json_object_set_new(line, "found", rg_json_number(out.found));
        json_object_set_new(line, "fails", rg_json_number(limit.fails));
        json_object_set_new(line, "tries", json_integer(limit.ntries));
    }
    json_object_set(line, "values", out.values);
    drop(&out);
    char host[HOST] = "";
    gethostname(host, sizeof host - 1);
    json_object_set_new(line, "seconds", rg_json_number(rg_progress_clock() - begun));
    json_object_set_new(line, "host", rg_json_text(host));
    return print_line(line, pool);
}

const char *rg_sweep_lost(long long run, const char *reason, RgPool *pool)
{
    json_t *line = begin_line(run, "lost", reason);
    json_object_set_new(line, "values", json_array());
    return print_line(line, pool);
}

json_t *rg_sweep_line(const RgSweepPlan *s, const char *text, size_t size, long long *run)
{
    json_t *line = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    json_t *number = json_object_get(line, "run"), *values = json_object_get(line, "values");
    size_t count = json_array_size(values);
    bool good = json_is_integer(number) && json_integer_value(number) >= 0 && json_integer_value(number) < s->runs &&
                json_is_string(json_object_get(line, "status")) && json_is_array(values) &&
                (count == 0 || count == (size_t)s->noutputs);
    if (!good) {
        json_decref(line);
        return NULL;
    }
    *run = json_integer_value(number);
    return line;
}

const char *rg_sweep_missing(RgSweepPlan *s, RgRun *run, const char *path)
{
    json_t *summary = rg_run_json(run), *value = look_up(summary, path);
    const char *wrong = NULL;
    if (!value) {
        RgNearest nearest = rg_nearest_begin(path);
        const char *key;
        json_t *ignored;
        json_object_foreach(summary, key, ignored) rg_nearest_offer(&nearest, key);
        wrong = rg_pool_print(&s->pool, "'%s': not in the summary of a run (rigor run --json -)%s%s%s", path,
                              nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
                              nearest.best ? "'?" : "");
    } else if (json_is_array(value) || json_is_object(value)) {
        wrong = rg_pool_print(&s->pool, "'%s' is a %s: give one member of it", path,
                              json_is_array(value) ? "list, counted from [0]" : "group of values");
    }
    json_decref(summary);
    return wrong;
}
