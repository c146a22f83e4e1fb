/*
 * cmd_tune.c - `rigor tune FILE`: finds gains of a run file that minimise the tracking error (002 section IV).
 *
 * The gains of the file are evaluated first; then NLopt searches for better ones, each within a factor of its start
 * (minimise.c). The cost of a choice is computed by one run of the file (tune.c). --margin requires stability with a
 * longer step too; --write writes a copy of the file with the result (tune_write.c). The same command gives the same
 * bits.
 */
#include "io/command.h"
#include "io/error.h"
#include "io/json_out.h"
#include "io/options.h"
#include "io/progress.h"
#include "plan/plan_options.h"
#include "study/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATIONS = 300 };
#define RANGE 100.0 /* factor by which gains may change */

/* Relative distance within which a gain is at an end of its range. */
#define EDGE 1e-6
#define TOLERANCE 1e-3   /* relative change of gains */
#define SPEED_BOUND 1e3  /* rad/s or m/s */
#define ERROR_BOUND 10.0 /* rad or m */

static const RgOptionSpec tune_options[] = {
    {"write", "OUT", "write the run file with the new gains, otherwise unchanged"},
    {"gains", "kp,kd,...", "gains to tune (default: all above 0)"},
    {"together", NULL, "one factor for all of a controller's kp, one for its kd, ..."},
    {"method", "NAME", "method of control (default: given), as in rigor maxstep"},
    {"minimise", "mean|rms|largest", "error to minimise (default mean: mean absolute error)"},
    {"margin", "F", "gains must also be stable with steps F times as long (default 1)"},
    {"range", "F", "gains change at most by this factor (default 100)"},
    {"evaluations", "N", "evaluations at most (default 300)"},
    {"algorithm", "NAME", "of the search (default sbplx); see below"},
    {"seed", "N", "of random searches (default 1)"},
    {"max-speed", "V", "a run fails if a joint is faster, rad/s or m/s (default 1000)"},
    {"max-error", "E", "or if the mean absolute error is above this at the end, rad or m (default 10)"},
    RG_FALL_OPTIONS,
    RG_SIMULATION_OPTIONS,
    {"json", "OUT|-", "write the numbers as JSON, - for the standard output instead of the text"},
    {"quiet", NULL, "no progress bar, warnings or text"},
};

typedef struct Tuning {
    const RgOptions *options;
    RgStudy study;
    RgMethodControl control;
    RgTune tune;
    RgMinimise search;
    RgMinimum found;
    double start[RG_MINIMISE_VALUES_MAX], low[RG_MINIMISE_VALUES_MAX], high[RG_MINIMISE_VALUES_MAX];
    double best[RG_MINIMISE_VALUES_MAX];
    RgRollout before, after;
    RgProgress progress;
} Tuning;

/* ------------------------------------------------------------------ options */

static bool choose_search(Tuning *t)
{
    const RgOptions *options = t->options;
    RgMinimise *s = &t->search;
    int evaluations = EVALUATIONS, seed = 1;
    const char *algorithm = rg_options_value(options, "algorithm");
    RgNearest nearest = rg_nearest_begin(algorithm ? algorithm : "");
    *s = (RgMinimise){.algorithm = "sbplx", .tolerance = TOLERANCE};
    for (int i = 0; algorithm && i < rg_minimise_count(); i++) {
        rg_nearest_offer(&nearest, rg_minimise_name(i));
        if (strcmp(rg_minimise_name(i), algorithm) == 0)
            s->algorithm = rg_minimise_name(i);
    }
    if (algorithm && strcmp(s->algorithm, algorithm) != 0)
        return rg_options_complain(options, "--algorithm: unknown '%s'%s%s%s", algorithm,
                                   nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
                                   nearest.best ? "'?" : "");
    if (!rg_options_whole(options, "evaluations", 1, 1e7, &evaluations) ||
        !rg_options_whole(options, "seed", 0, 2e9, &seed))
        return false;
    s->evaluations = evaluations;
    s->seed = (unsigned long)seed;
    return true;
}

static bool choose_aim(Tuning *t)
{
    static const char *const words[] = {"mean", "rms", "largest"};
    const char *word = rg_options_value(t->options, "minimise"), *method = rg_options_value(t->options, "method");
    for (int i = 0; word && i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            t->tune.aim = (RgTuneAim)i;
            word = NULL;
        }
    if (word)
        return rg_options_complain(t->options, "--minimise: '%s' is not mean, rms or largest", word);
    t->tune.rollout.method = rg_method_find(method ? method : "given");
    if (!t->tune.rollout.method)
        return rg_method_complain(t->options, "method", method);
    t->tune.margin = 1.0;
    return rg_options_number(t->options, "margin", 1.0, 1e3, &t->tune.margin);
}

static bool choose_gains(Tuning *t)
{
    double range = RANGE;
    RgRolloutDef *r = &t->tune.rollout;
    RgRun *run = &t->study.run;
    r->study = &t->study;
    r->control = &t->control;
    r->rate = NAN;
    r->bounds = (RgStability){.speed = SPEED_BOUND, .error = ERROR_BOUND, .fall = rg_fall_rules_default()};
    r->bounds.fall.share = 0.0; /* the error itself is minimised */
    r->duration = run->duration;
    t->tune.step = run->step;
    if (!rg_options_number(t->options, "range", 1.0, 1e12, &range) ||
        !rg_options_number(t->options, "max-speed", 0.0, HUGE_VAL, &r->bounds.speed) ||
        !rg_options_number(t->options, "max-error", 0.0, 1e5, &r->bounds.error) ||
        !rg_fall_choose(t->options, &r->bounds.fall) || !rg_rollout_prepare(&t->study, &t->control) ||
        !rg_tune_list(&t->tune, t->options, rg_options_value(t->options, "gains"),
                      rg_options_has(t->options, "together")))
        return false;
    if (!(r->fall = rg_fall_open(run, t->options)))
        return false;
    for (int i = 0; i < t->tune.nfactors; i++) {
        t->start[i] = 1.0;
        t->low[i] = 1.0 / range;
        t->high[i] = range;
    }
    if (!(r->duration > 0.0))
        return rg_options_complain(t->options, "--time: expected more than 0");
    return true;
}

/* ------------------------------------------------------------------ outputs */

static const char *gain_owner(const Tuning *t, const RgGain *gain)
{
    const RgPlanController *c = &t->study.run.plan.control.controllers[gain->controller];
    if (gain->name)
        return gain->name;
    return c->njoints > gain->entry && c->joints && (c->kp.list || c->kd.list || c->njoints == 1)
               ? c->joints[gain->entry].text
               : "all";
}

static void print_rollout(const char *what, const RgRollout *r, FILE *out)
{
    if (r->stable)
        fprintf(out, "%-14s MAE %.4e, rms %.4e, largest %.4e\n", what, r->tracking.mean_error,
                r->tracking.root_mean_square, r->tracking.largest_error);
    else
        fprintf(out, "%-14s lost: %s\n", what, r->loss.text);
}

/* Whether a gain is at an end of --range, so that a better one may lie beyond. */
static bool at_edge(const Tuning *t, const RgGain *gain)
{
    double factor = gain->value / gain->given;
    return gain->factor >= 0 &&
           (factor <= t->low[gain->factor] * (1.0 + EDGE) || factor >= t->high[gain->factor] * (1.0 - EDGE));
}

static void print_text(const Tuning *t, FILE *out)
{
    int edges = 0;
    const RgRun *run = &t->study.run;
    fprintf(out, "model          %s\n", rg_model_info(run->model).name);
    fprintf(out, "stepper        %s, step %g s, %g s a run, method %s\n", run->def.stepper, t->tune.step,
            t->tune.rollout.duration, t->tune.rollout.method->name);
    fprintf(out, "search         %s, %d gains by %d factors, %d runs%s\n", t->search.algorithm, t->tune.ngains,
            t->tune.nfactors, t->found.evaluations, t->found.converged ? ", converged" : "");
    print_rollout("as given", &t->before, out);
    print_rollout("tuned", &t->after, out);
    fprintf(out, "\n  %-10s %-20s %-8s %14s %14s\n", "controller", "joint", "gain", "given", "tuned");
    for (int i = 0; i < t->tune.ngains; i++) {
        const RgGain *gain = &t->tune.gains[i];
        const RgPlanController *c = &run->plan.control.controllers[gain->controller];
        bool edge = at_edge(t, gain);
        edges += edge;
        fprintf(out, "  %-10s %-20s %-8s %14.6g %14.6g%s\n", c->name ? c->name : c->kind, gain_owner(t, gain),
                gain->key, gain->given, gain->value, edge ? "  at the end of --range" : "");
    }
    if (edges > 0)
        fprintf(out, "%d of %d gains stopped at the end of --range: better ones may lie beyond\n", edges,
                t->tune.ngains);
}

static json_t *json_all(const Tuning *t)
{
    json_t *out = json_object(), *gains = json_array();
    const RgRun *run = &t->study.run;
    RG_JSON_SET(out, {"model", rg_json_text(rg_model_info(run->model).name)},
                {"method", json_string(t->tune.rollout.method->name)}, {"step", rg_json_number(t->tune.step)},
                {"time", rg_json_number(t->tune.rollout.duration)}, {"margin", rg_json_number(t->tune.margin)},
                {"algorithm", json_string(t->search.algorithm)}, {"evaluations", json_integer(t->found.evaluations)},
                {"converged", json_boolean(t->found.converged)}, {"cost_given", rg_json_number(t->found.first)},
                {"cost", rg_json_number(t->found.value)}, {"given", rg_rollout_json(&t->before)},
                {"tuned", rg_rollout_json(&t->after)});
    for (int i = 0; i < t->tune.ngains; i++) {
        const RgGain *gain = &t->tune.gains[i];
        json_t *row =
            RG_JSON_OBJECT({"controller", json_integer(gain->controller)}, {"joint", rg_json_text(gain_owner(t, gain))},
                           {"gain", json_string(gain->key)}, {"given", rg_json_number(gain->given)},
                           {"tuned", rg_json_number(gain->value)}, {"at_edge", json_boolean(at_edge(t, gain))});
        json_array_append_new(gains, row);
    }
    json_object_set_new(out, "gains", gains);
    return out;
}

static bool write_file(Tuning *t)
{
    char *text;
    RgError error = {0};
    if (rg_tune_text(&t->study.run.plan, &t->tune, &text, &error) != RG_OK) {
        rg_error_print(&error);
        return false;
    }
    FILE *file = fopen(t->study.run.plan.written, "wb");
    if (file)
        fputs(text, file);
    return rg_study_close_file(file, t->study.run.plan.written);
}

/* Checks before a long search that --write will work. Removes a file that it creates. */
static bool can_write(Tuning *t)
{
    char *text;
    RgError error = {0};
    const char *path = t->study.run.plan.written;
    if (!path)
        return true;
    if (rg_tune_text(&t->study.run.plan, &t->tune, &text, &error) != RG_OK) {
        rg_error_print(&error);
        return false;
    }
    FILE *there = fopen(path, "rb"), *file = fopen(path, "ab");
    if (!rg_study_close_file(file, path)) {
        if (there)
            fclose(there);
        return false;
    }
    if (there)
        fclose(there);
    else
        remove(path);
    return true;
}

/* ------------------------------------------------------------------ the command */

static void show_evaluation(void *context, int evaluation, double cost)
{
    Tuning *t = context;
    (void)cost;
    rg_progress_update(&t->progress, (double)evaluation / t->search.evaluations);
}

/* The search, then runs with the first and the best gains. Exit code. */
static int tune(Tuning *t)
{
    RgPlan *plan = &t->study.run.plan;
    RgMinimise *s = &t->search;
    bool json_only = plan->json && strcmp(plan->json, "-") == 0, written = true;
    RgError error = {0};
    t->before = rg_rollout(&t->tune.rollout, t->tune.step);
    if (t->before.error.status != RG_OK) {
        rg_error_print(&t->before.error);
        return RG_EXIT_USAGE;
    }
    if (!can_write(t))
        return RG_EXIT_FAILED;
    s->n = t->tune.nfactors;
    s->start = t->start;
    s->low = t->low;
    s->high = t->high;
    s->cost = rg_tune_cost;
    s->context = &t->tune;
    t->tune.progress = show_evaluation;
    t->tune.context = t;
    t->found.x = t->best;
    t->progress = rg_progress_begin_part(plan->quiet);
    RgStatus status = rg_minimise(s, &t->found);
    rg_progress_end(&t->progress);
    if (status == RG_OK)
        status = rg_tune_set(&t->tune, t->best, &error);
    if (status != RG_OK) {
        fprintf(stderr, "rigor: the search failed: %s\n", error.text[0] ? error.text : rg_status_text(status));
        return RG_EXIT_FAILED;
    }
    t->after = rg_rollout(&t->tune.rollout, t->tune.step);
    if (!json_only && !plan->quiet)
        print_text(t, stdout);
    if (plan->json)
        written = rg_json_write(json_all(t), plan->json);
    if (t->study.run.plan.written)
        written = write_file(t) && written;
    return written && t->after.stable ? RG_EXIT_OK : RG_EXIT_FAILED;
}

static bool check_algorithm(const Tuning *t)
{
    return t->tune.nfactors > 1 || strcmp(t->search.algorithm, "bobyqa") != 0 ||
           rg_options_complain(t->options, "--algorithm: bobyqa needs two gains or more; use sbplx");
}

static bool check_write(Tuning *t)
{
    const RgPlan *plan = &t->study.run.plan;
    return !plan->written || !plan->from_stdin ||
           rg_options_complain(t->options, "--write: cannot be used with a run file from the standard input");
}

static int run_tune(const RgOptions *options)
{
    if (!rg_minimise_available()) {
        fputs("rigor tune: this build has no NLopt; install it (Debian: libnlopt-dev) and configure "
              "again\n",
              stderr);
        return RG_EXIT_FAILED;
    }
    Tuning *t = calloc(1, sizeof *t);
    int code = RG_EXIT_USAGE;
    if (!t) {
        fputs("rigor: out of memory\n", stderr);
        return RG_EXIT_FAILED;
    }
    t->options = options;
    if (choose_search(t) && choose_aim(t) && rg_study_open(&t->study, options, options->file) && choose_gains(t) &&
        check_algorithm(t) && check_write(t))
        code = tune(t);
    rg_study_close(&t->study);
    free(t);
    return code;
}

static void print_lists(void)
{
    printf("Algorithms:\n");
    for (int i = 0; i < rg_minimise_count(); i++)
        printf("  %-28s %s\n", rg_minimise_name(i), rg_minimise_summary(i));
    rg_plan_print_lists();
}

RG_COMMAND(tune, "find gains of a run file that minimise the tracking error", .run = run_tune,
           .notes = "Relative paths in the file are written unchanged: keep the copy in the same folder.\n\n",
           .print_lists = print_lists, .more_options = rg_plan_options);
