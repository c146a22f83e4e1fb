/*
 * sweep_check.c - what can be known before a sweep begins, and by what its results are known again.
 *
 * Every value of every axis is read into the run file once (the other axes at their first), so that a word that no run could
 * take is an error with its line, not a thousand failed rows. Then the first, the middle and the last run are started: if none
 * of them can, no run of the sweep is worth waiting for.
 *
 * Signature: the program, the sweep file, the run file, the model files they name, the models as compiled with their start (of
 * those three runs), and the values of the first runs, which drawing by another mathematical library might change.
 */
#include "sweep.h"

#include "data_folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_TRIED = 1000, VALUES_MARKED = 1000, PROBES = 3, MARK_MAX = 4096 };

typedef struct Check {
    RgSweepPlan *sweep;
    uint64_t mark;
    const char **files; /* marked already */
    int nfiles;
} Check;

static void mark_model_files(Check *c, const RgPlan *plan)
{
    for (int i = 0; i < plan->nmodels && c->nfiles < MARK_MAX; i++) {
        const char *file = plan->models[i].file;
        bool known = false;
        for (int k = 0; k < c->nfiles && !known; k++)
            known = strcmp(c->files[k], file) == 0;
        if (known)
            continue;
        c->files = rg_pool_grow(&c->sweep->pool, c->files, c->nfiles, sizeof *c->files);
        c->files[c->nfiles++] = rg_pool_print(&c->sweep->pool, "%s", file);
        c->mark = rg_mark_file(c->mark, file);
    }
}

/* Tells of a value that the run file cannot take; -1: what all runs share. */
static bool complain(RgSweepPlan *s, RgError *error, int axis, int value)
{
    if (axis < 0 || strcmp(error->file, s->path) == 0) {
        rg_plan_print_error(error);
        return false;
    }
    const RgSweepAxis *a = &s->axes[axis];
    const char *shown = a->nvalues > 0 ? a->values[value * a->nkeys].text : "a drawn number";
    fprintf(stderr, "rigor: %s:%d:%d: axis '%s', value %s: %s\n", s->path, a->at.line, a->at.column,
            a->keys[0], shown, error->text);
    return false;
}

/* Reads the run file with one run's values. */
static bool read_run(Check *c, long long run, int axis, int value)
{
    RgSweepPlan *s = c->sweep;
    RgSweepEdit what = {.sweep = s, .run = run, .found = s->search.key ? s->search.first : (double)NAN};
    RgPlanEdit edit = {.change = rg_sweep_edit, .context = &what};
    RgPlan plan;
    RgError error = {.status = RG_OK};
    bool good = rg_plan_open_edited(&plan, s->run, &edit, &error) == RG_OK;
    if (good)
        mark_model_files(c, &plan);
    rg_plan_free(&plan);
    return good || complain(s, &error, axis, value);
}

/* How far the run's number goes on with the next value of an axis. */
static long long stride(const RgSweepPlan *s, int axis)
{
    long long stride = s->nseeds;
    for (int i = s->naxes - 1; i > axis; i--)
        stride *= s->axes[i].draw == RG_DRAW_NONE ? s->axes[i].nvalues : 1;
    return stride;
}

/* Every value once; of very many, some. */
static bool read_values(Check *c)
{
    RgSweepPlan *s = c->sweep;
    bool good = read_run(c, -1, -1, 0) && read_run(c, 0, s->naxes > 0 ? 0 : -1, 0);
    for (int i = 0; i < s->naxes && good; i++) {
        const RgSweepAxis *a = &s->axes[i];
        int skip = a->draw == RG_DRAW_NONE ? a->nvalues / VALUES_TRIED + 1 : a->nvalues + 1;
        for (int k = 0; k < a->nvalues && good; k += skip)
            good = read_run(c, k * stride(s, i), i, k);
    }
    return good;
}

static bool complain_of_output(const RgSweepPlan *s, RgSweepPlace at, const char *text)
{
    fprintf(stderr, "rigor: %s:%d:%d: %s\n", s->path, at.line, at.column, text);
    return false;
}

/* What is asked of the summary must be in it. */
static bool check_outputs(RgSweepPlan *s, RgRun *run)
{
    for (int i = 0; i < s->noutputs; i++) {
        const char *path = s->outputs[i].path, *wrong = path ? rg_sweep_missing(s, run, path) : NULL;
        if (wrong)
            return complain_of_output(s, s->outputs[i].at, wrong);
    }
    for (int i = 0; i < s->search.nwhere; i++) {
        const char *wrong = rg_sweep_missing(s, run, s->search.where[i].left);
        if (wrong)
            return complain_of_output(s, s->search.at, wrong);
    }
    return true;
}

static void mark_start(Check *c, RgRun *run)
{
    size_t size = rg_world_state_size(run->world);
    void *state = malloc(size);
    if (!state)
        return;
    rg_world_state_save(run->world, state);
    c->mark = rg_mark_bytes(c->mark, state, size);
    free(state);
}

/* First, middle and last run: can any begin? */
static bool start_some(Check *c)
{
    RgSweepPlan *s = c->sweep;
    RgError first = {.status = RG_OK};
    bool any = false, good = true;
    for (int i = 0; i < PROBES && good; i++) {
        RgRun run = {.model = NULL};
        RgError error;
        long long number = i == 0 ? 0 : i == 1 ? s->runs / 2 : s->runs - 1;
        if (rg_sweep_start(s, &run, number, &error)) {
            mark_start(c, &run);
            good = any || check_outputs(s, &run);
            any = true;
        } else {
            first = i == 0 ? error : first;
        }
        rg_run_free(&run);
    }
    if (good && !any) {
        rg_plan_print_error(&first);
        fprintf(
            stderr,
            "rigor: %s: neither the first, nor the middle, nor the last run can begin: this is why the first "
            "cannot\n",
            s->path);
    }
    return good && any;
}

static void mark_values(Check *c)
{
    RgSweepPlan *s = c->sweep;
    for (long long run = 0; run < s->runs && run < VALUES_MARKED; run++)
        for (int i = 0; i < s->naxes; i++) {
            RgSweepValue value = rg_sweep_value(s, run, i, 0);
            c->mark = rg_mark_bytes(c->mark, &value.number, sizeof value.number);
        }
}

bool rg_sweep_check(RgSweepPlan *s)
{
    Check c = {.sweep = s, .mark = rg_mark_file(RG_MARK_START, rg_command_path(&s->pool))};
    c.mark = rg_mark_bytes(c.mark, s->text, s->size);
    c.mark = rg_mark_file(c.mark, s->run);
    for (int i = 0; i < s->nsets; i++) {
        c.mark = rg_mark_bytes(c.mark, s->sets[i].keys[0], strlen(s->sets[i].keys[0]));
        c.mark = rg_mark_bytes(c.mark, s->sets[i].values[0].text, strlen(s->sets[i].values[0].text));
    }
    if (!read_values(&c) || !start_some(&c))
        return false;
    mark_values(&c);
    snprintf(s->signature, sizeof s->signature, "%016llx", (unsigned long long)c.mark);
    return true;
}
