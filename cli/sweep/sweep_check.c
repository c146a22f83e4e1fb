/*
 * sweep_check.c - checks before a sweep begins, and the signature of its results.
 *
 * Every value of every axis is set in the run file once, alone, so that an invalid value is one error with its line
 * instead of a thousand failed rows. Then the first, the middle and the last run are started: if none of them can
 * start, the sweep is refused.
 *
 * Signature: hash of the program, the sweep file, the values of --set, the run file, the model and trajectory files that
 * they name, shapes with their meshes, the compiled models with their start (of those three runs), and the values of
 * the first runs, since draws depend on the mathematical library.
 */
#include "sweep/sweep.h"

#include "io/data_folder.h"
#include "io/error.h"
#include "plan/plan_open.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_TRIED = 1000, VALUES_MARKED = 1000, PROBES = 3, WORDS_TRIED = 32 };

typedef struct Check {
    RgSweepPlan *sweep;
    uint64_t mark;
    const char **files; /* already in the signature */
    int nfiles;
} Check;

static void mark_numbers(Check *c, const double *x, size_t count)
{
    c->mark = rg_mark_bytes(c->mark, x, count * sizeof *x);
}

/* Shapes as read, with meshes and height fields: files that a model names directly or indirectly. */
static void mark_shapes(Check *c, const RgModel *model)
{
    int32_t shapes = rg_model_info(model).shapes;
    for (int32_t i = 1; i <= shapes; i++) {
        RgShapeInfo s = rg_model_shape(model, (RgShapeId){i});
        const double place[] = {s.X_LS.p.x,
                                s.X_LS.p.y,
                                s.X_LS.p.z,
                                s.size[0],
                                s.size[1],
                                s.size[2],
                                s.type,
                                s.link.i,
                                s.surface.mu,
                                s.surface.mu2,
                                s.surface.kp,
                                s.surface.kd,
                                s.surface.restitution};
        mark_numbers(c, place, sizeof place / sizeof place[0]);
        mark_numbers(c, &s.X_LS.R.m[0][0], 9);
        if (s.mesh.vertices)
            mark_numbers(c, s.mesh.vertices, 3 * (size_t)s.mesh.nvertices);
        if (s.mesh.faces)
            c->mark = rg_mark_bytes(c->mark, s.mesh.faces, 3 * (size_t)s.mesh.nfaces * sizeof *s.mesh.faces);
        if (s.heights)
            mark_numbers(c, s.heights, (size_t)s.rows * (size_t)s.columns);
    }
}

/* Adds a file to the signature, unless it is in it. */
static bool mark_once(Check *c, const char *file)
{
    for (int k = 0; k < c->nfiles; k++)
        if (strcmp(c->files[k], file) == 0)
            return false;
    c->files = rg_pool_grow(&c->sweep->pool, c->files, c->nfiles, sizeof *c->files);
    c->files[c->nfiles++] = rg_pool_print(&c->sweep->pool, "%s", file);
    c->mark = rg_mark_file(c->mark, file);
    return true;
}

/* Adds models and trajectories that a plan names; new models also with their shapes. */
static void mark_plan(Check *c, RgPlan *plan)
{
    bool is_new = false;
    for (int i = 0; i < plan->nmodels; i++)
        is_new = mark_once(c, plan->models[i].file) || is_new;
    for (int i = 0; i < plan->control.ncontrollers; i++)
        if (plan->control.controllers[i].trajectory.file)
            mark_once(c, plan->control.controllers[i].trajectory.file);
    RgError ignored;
    RgModel *model = is_new ? rg_plan_load(plan, &ignored) : NULL;
    if (model)
        mark_shapes(c, model);
    rg_model_destroy(model);
}

/* Reports a value that the run file does not accept; alone NULL: a combination. */
static bool complain(RgSweepPlan *s, RgError *error, const RgSweepEdit *what)
{
    rg_yaml_place_back(error, s->path, "--set");
    const RgSweepAxis *a = what->alone;
    if (!a || a->nvalues == 0 || strcmp(error->file, s->path) != 0) {
        rg_error_print(error);
        return false;
    }
    fprintf(stderr, "rigor: %s:%d:%d: axis '%s', value %s: %s\n", s->path, a->at.line, a->at.column, a->columns[0],
            a->values[what->value * a->nkeys].text, error->text);
    return false;
}

/* Reads the run file with the changes of the sweep. */
static bool read_run(Check *c, RgSweepEdit what)
{
    what.sweep = c->sweep;
    what.found = c->sweep->search.key ? c->sweep->search.first : (double)NAN;
    RgPlanEdit edit = {.change = rg_sweep_edit, .context = &what};
    RgPlan plan;
    RgError error = {.status = RG_OK};
    bool good = rg_plan_open_edited(&plan, c->sweep->run, &edit, &error) == RG_OK;
    if (good)
        mark_plan(c, &plan);
    rg_plan_free(&plan);
    return good || complain(c->sweep, &error, &what);
}

/* Words (files, cases, kinds) may be valid in the run file and fail with the model: such a value gives a remark, and its
   rows have the reason. */
static void start_word(RgSweepPlan *s, const RgSweepAxis *axis, int value)
{
    RgSweepEdit what = {.sweep = s, .run = 0, .found = (double)NAN, .alone = axis, .value = value};
    RgRun run = {.model = NULL};
    RgError error;
    if (!rg_sweep_start(&run, &what, &error)) {
        char text[512];
        rg_yaml_place_back(&error, s->path, "--set");
        rg_error_format(&error, text, sizeof text);
        fprintf(stderr, "rigor: remark: axis '%s', value %s: runs with it cannot start: %s\n", axis->columns[0],
                axis->values[value * axis->nkeys].text, text);
    }
    rg_run_free(&run);
}

static void start_words(RgSweepPlan *s)
{
    for (int i = 0, tried = 0; i < s->naxes; i++)
        for (int k = 0; k < s->axes[i].nvalues && tried < WORDS_TRIED; k++)
            if (isnan(s->axes[i].values[k * s->axes[i].nkeys].number)) {
                start_word(s, &s->axes[i], k);
                tried++;
            }
}

/* Every value of every axis alone (at most VALUES_TRIED per axis), then whole runs. */
static bool read_values(Check *c)
{
    RgSweepPlan *s = c->sweep;
    bool good = read_run(c, (RgSweepEdit){.run = -1});
    for (int i = 0; i < s->naxes && good; i++) {
        const RgSweepAxis *a = &s->axes[i];
        int count = a->nvalues > 0 ? a->nvalues : 1, skip = count / VALUES_TRIED + 1;
        for (int k = 0; k < count && good; k += skip)
            good = read_run(c, (RgSweepEdit){.run = 0, .alone = a, .value = k});
    }
    return good && read_run(c, (RgSweepEdit){.run = 0});
}

static bool complain_of_output(const RgSweepPlan *s, RgSweepPlace at, const char *text)
{
    fprintf(stderr, "rigor: %s:%d:%d: %s\n", s->path, at.line, at.column, text);
    return false;
}

/* Requested paths must exist in the summary. */
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
    mark_shapes(c, run->model);
    size_t size = rg_world_state_size(run->world);
    void *state = malloc(size);
    if (!state)
        return;
    rg_world_state_save(run->world, state);
    c->mark = rg_mark_bytes(c->mark, state, size);
    free(state);
}

/* Prints remarks of the readers once, and stores them for the manifest. */
static void store_remarks(RgSweepPlan *s, const RgPlan *plan)
{
    if (s->remarks)
        return;
    if (!s->quiet)
        rg_plan_print_remarks(plan);
    s->remarks = rg_pool_take(&s->pool, (size_t)plan->nremarks + 1, sizeof *s->remarks);
    for (int i = 0; i < plan->nremarks; i++) {
        const RgRemark *r = &plan->remarks[i];
        const char *slash = r->file ? strrchr(r->file, '/') : NULL;
        s->remarks[s->nremarks++] = rg_pool_print(&s->pool, "%s:%d: %s",
                                                  slash     ? slash + 1
                                                  : r->file ? r->file
                                                            : "",
                                                  r->line, r->text);
    }
}

/* Starts the first, middle and last run; false: none can start. */
static bool start_probes(Check *c)
{
    RgSweepPlan *s = c->sweep;
    RgError first = {.status = RG_OK};
    bool any = false, good = true;
    for (int i = 0; i < PROBES && good; i++) {
        RgRun run = {.model = NULL};
        RgError error;
        long long number = i == 0 ? 0 : i == 1 ? s->runs / 2 : s->runs - 1;
        RgSweepEdit what = {.sweep = s, .run = number, .found = s->search.key ? s->search.first : (double)NAN};
        if (rg_sweep_start(&run, &what, &error)) {
            mark_start(c, &run);
            good = any || check_outputs(s, &run);
            if (!any)
                store_remarks(s, &run.plan);
            any = true;
        } else {
            first = i == 0 ? error : first;
            rg_yaml_place_back(&first, s->path, "--set");
        }
        rg_run_free(&run);
    }
    if (good && !any) {
        rg_error_print(&first);
        fprintf(stderr,
                "rigor: %s: neither the first, nor the middle, nor the last run can start: this is why the first "
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
    bool again = s->signature[0] != '\0';
    if (!read_values(&c) || !start_probes(&c))
        return false;
    if (!again && !s->quiet)
        start_words(s);
    mark_values(&c);
    snprintf(s->signature, sizeof s->signature, "%016llx", (unsigned long long)c.mark);
    return true;
}
