/*
 * cmd_converge.c - `rigor converge FILE`: convergence of a motion with decreasing steps (or tolerances).
 *
 * Runs h, h/2, h/4, ... from the same start, sampled at the same times. Reports for each its largest difference from
 * the reference (the finest run, or stepper `reference`), its difference from the next finer run, the order of these
 * differences, and the time until which it agrees with the reference to 1 ... 6 digits of the size of the motion. Lists
 * of located events are compared too.
 *
 * A motion that diverges exponentially (chaos, impacts) has no order over a long time: the digits bound the reliable
 * part. Refused runs are reported and not compared.
 */
#include "io/command.h"
#include "io/error.h"
#include "io/json_out.h"
#include "io/options.h"
#include "io/progress.h"
#include "plan/plan_options.h"
#include "run/run_control.h"
#include "study/converge.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 24, HALVINGS = 6, SAMPLES = 200, CHECK_EVERY = 64 };
#define STEPS_MAX 1e10
#define ACCURACY_START 1e-2
#define ACCURACY_RATIO 4.0
#define REFERENCE_TOLERANCE 1e-12
#define NO_NUMBER ((double)NAN)
#define LEAST_ORDER 0.25
#define UNRELATED 0.1 /* of the motion: from this difference on the two finest runs are unrelated */

static const RgOptionSpec converge_options[] = {
    {"halvings", "N", "number of times the step is halved, or the accuracy quartered (default 6)"},
    {"by", "step|accuracy", "what decreases (default: accuracy for steppers that have one: auto, c2a, reference)"},
    {"accuracies", "A,B,...", "these accuracies, in decreasing order"},
    {"reference", NULL, "compare with stepper reference instead of the finest run"},
    {"samples", "N", "times at which motions are compared (default 200)"},
    RG_SIMULATION_OPTIONS,
    {"json", "OUT|-", "write the numbers as JSON, - for the standard output instead of the text"},
    {"csv", "OUT", "write the table as CSV"},
    {"quiet", NULL, "no progress bar, warnings or text"},
};

/* One of the runs. */
typedef struct Attempt {
    double value;     /* step in s, or accuracy */
    double h;         /* s, of the (outer) steps */
    long long steps;  /* in all */
    long long stride; /* steps per sample */
    RgTrack track;
    double cpu;
    RgError refusal; /* status RG_OK: it was completed */
    RgStepStatistics inner;
    RgTrackDifference error; /* against the reference */
    double difference;       /* m, from the next finer run; NaN: there is none */
    double order;            /* by this and the next two runs; NaN: unknown */
    RgEventDifference events;
} Attempt;

typedef struct Convergence {
    const RgOptions *options;
    RgStudy study;
    bool by_accuracy, reference, located;
    Attempt attempts[RUNS_MAX + 1]; /* the reference is the last */
    int count;
    int samples;
    double duration;
    double motion; /* m */
    const double *reach;
    RgProgress progress;
    double done, work; /* steps so far, and of all runs */
} Convergence;

/* ------------------------------------------------------------------ what to run */

/* The accuracy setting of the stepper; NULL: it has none. */
static double *accuracy_of(RgRun *run)
{
    const char *stepper = run->def.stepper;
    if (strcmp(stepper, "auto") == 0)
        return &run->settings.adapt.accuracy;
    if (strcmp(stepper, "c2a") == 0)
        return &run->settings.adapt.energy_relative;
    return strcmp(stepper, "reference") == 0 ? &run->settings.adapt.tolerance : NULL;
}

/* Its default. */
static double usual_accuracy(RgRun *run)
{
    RgRun plain = {.def = run->def, .settings.adapt = rg_adapt_options_default()};
    return *accuracy_of(&plain);
}

/* Sets the values of the runs, from coarse to fine. */
static bool list_values(Convergence *c, int halvings)
{
    const RgOptions *options = c->options;
    const char *list = rg_options_value(options, "accuracies");
    double values[RUNS_MAX], *setting = accuracy_of(&c->study.run);
    double value = c->study.run.step;
    if (c->by_accuracy)
        value = *setting != usual_accuracy(&c->study.run) ? *setting : ACCURACY_START;
    c->count = halvings + 1;
    for (int i = 0; i < c->count; i++) {
        values[i] = value;
        value /= c->by_accuracy ? ACCURACY_RATIO : 2.0;
    }
    if (list) {
        c->count = rg_number_list_parse(list, values, RUNS_MAX);
        if (c->count < 2)
            return rg_options_complain(options, "--accuracies: '%s': expected 2 to %d numbers A,B,...", list, RUNS_MAX);
    }
    for (int i = 0; i < c->count; i++) {
        if (!(values[i] > 0.0) || (i > 0 && !(values[i] < values[i - 1])))
            return rg_options_complain(options, "--accuracies: expected decreasing numbers above 0");
        c->attempts[i].value = values[i];
    }
    return true;
}

/* Sets steps and samples of every run. */
static bool plan_steps(Convergence *c)
{
    double coarse = c->study.run.step, n = fmax(1.0, round(c->study.run.duration / coarse));
    double finest = c->by_accuracy ? 1.0 : ldexp(1.0, c->count - 1);
    if (n * finest > STEPS_MAX)
        return rg_options_complain(c->options, "%g s in steps of %g s, halved %d times, would be %g steps",
                                   c->study.run.duration, coarse, c->count - 1, n * finest);
    long long stride = (long long)ceil(n / c->samples);
    n = (double)stride * ceil(n / (double)stride);
    c->samples = (int)(n / (double)stride) + 1;
    c->duration = n * coarse;
    for (int i = 0; i < c->count; i++) {
        Attempt *a = &c->attempts[i];
        long long parts = c->by_accuracy ? 1 : 1LL << i;
        a->h = coarse / (double)parts;
        a->steps = (long long)n * parts;
        a->stride = stride * parts;
    }
    Attempt *last = &c->attempts[c->count - 1], *comparison_run = &c->attempts[c->count];
    *comparison_run =
        (Attempt){.value = REFERENCE_TOLERANCE, .h = last->h, .steps = last->steps, .stride = last->stride};
    return true;
}

static bool choose_runs(Convergence *c)
{
    const RgOptions *options = c->options;
    const char *by = rg_options_value(options, "by");
    int halvings = HALVINGS;
    c->samples = SAMPLES;
    c->reference = rg_options_has(options, "reference");
    if (!rg_options_whole(options, "halvings", 1, RUNS_MAX - 1, &halvings) ||
        !rg_options_whole(options, "samples", 1, 1e6, &c->samples))
        return false;
    if (by && strcmp(by, "step") != 0 && strcmp(by, "accuracy") != 0)
        return rg_options_complain(options, "--by: '%s' is not step or accuracy", by);
    bool has_list = rg_options_has(options, "accuracies"), can = accuracy_of(&c->study.run) != NULL;
    c->by_accuracy = by ? strcmp(by, "accuracy") == 0 : can || has_list;
    if (has_list && !c->by_accuracy)
        return rg_options_complain(options, "--accuracies and --by step exclude each other");
    if (c->by_accuracy && !can)
        return rg_options_complain(options, "stepper %s has no accuracy to choose: compare by step",
                                   c->study.run.def.stepper);
    return list_values(c, halvings) && plan_steps(c);
}

/* ------------------------------------------------------------------ runs */

/* Makes a new world at the start, with the plan's drives. */
static RgStatus fresh_world(Convergence *c, const Attempt *a, bool reference, RgError *error)
{
    RgRun *run = &c->study.run;
    RgWorldDef def = run->def;
    RgAdaptOptions adapt = run->settings.adapt;
    if (reference) {
        def.stepper = "reference";
        adapt.tolerance = REFERENCE_TOLERANCE;
    } else if (c->by_accuracy) {
        *accuracy_of(run) = a->value;
        def = run->def;
        adapt = run->settings.adapt;
    }
    def.adapt = &adapt;
    return rg_study_restart(&c->study, &def, NULL, error);
}

static void add_sample(Convergence *c, Attempt *a)
{
    RgTrack *track = &a->track;
    RgPose *to = track->poses + (size_t)track->samples++ * (size_t)track->links;
    for (int i = 0; i < track->links; i++)
        to[i] = rg_world_link_pose(c->study.run.world, (RgLinkId){i + 1});
}

static void make_steps(Convergence *c, Attempt *a)
{
    RgWorld *world = c->study.run.world;
    for (long long k = 1; k <= a->steps; k++) {
        RgStepReport report = {.status = RG_OK};
        RgStatus status = rg_run_step(&c->study.run, a->h, &report);
        if (status != RG_OK) {
            rg_error_set(&a->refusal, status, NULL, "step %lld refused at t = %.9g s: %s%s%s", k, rg_world_time(world),
                         rg_status_text(status), report.offender[0] ? ": " : "", report.offender);
            return;
        }
        if (k % a->stride == 0)
            add_sample(c, a);
        c->done += 1.0;
        if (k % CHECK_EVERY == 0)
            rg_progress_update(&c->progress, c->progress.total * c->done / c->work);
    }
}

/* One run. A refused start counts as a refused run. */
static void attempt(Convergence *c, Attempt *a, bool reference)
{
    RgPool *pool = &c->study.run.plan.pool;
    int links = rg_model_info(c->study.run.model).links;
    a->track = (RgTrack){.links = links, .pool = pool, .spacing = c->duration / (c->samples - 1)};
    a->track.poses = rg_pool_take(pool, (size_t)c->samples * (size_t)links, sizeof *a->track.poses);
    if (fresh_world(c, a, reference, &a->refusal) != RG_OK)
        return;
    if (rg_world_locates(c->study.run.world))
        rg_world_set_event_fn(c->study.run.world, rg_track_add_event, &a->track);
    add_sample(c, a);
    double start = rg_study_cpu();
    make_steps(c, a);
    a->cpu = rg_study_cpu() - start;
    a->inner = rg_world_step_statistics(c->study.run.world);
}

static void make_runs(Convergence *c)
{
    int runs = c->count + (c->reference ? 1 : 0);
    for (int i = 0; i < runs; i++)
        c->work += (double)c->attempts[i].steps;
    c->progress = rg_progress_begin(runs * c->duration, c->study.run.plan.quiet);
    for (int i = 0; i < runs; i++)
        attempt(c, &c->attempts[i], i == c->count);
    rg_progress_end(&c->progress);
}

/* ------------------------------------------------------------------ comparison */

static bool good(const Attempt *a)
{
    return a->refusal.status == RG_OK;
}

/* The run that others are compared with; NULL: it was refused. */
static const Attempt *comparison_run(const Convergence *c)
{
    const Attempt *a = &c->attempts[c->reference ? c->count : c->count - 1];
    return good(a) ? a : NULL;
}

static void compare_runs(Convergence *c)
{
    const Attempt *by = comparison_run(c);
    c->reach = rg_reaches(&c->study.run.plan.pool, c->study.run.model);
    c->motion = by ? rg_track_motion(&by->track, c->reach) : NO_NUMBER;
    for (int i = 0; i < c->count; i++) {
        Attempt *a = &c->attempts[i], *next = i + 1 < c->count ? a + 1 : NULL;
        a->difference = a->order = NAN;
        if (good(a) && by)
            a->error = rg_track_compare(&a->track, &by->track, c->reach, c->motion);
        if (!good(a) || !next || !good(next))
            continue;
        a->difference = rg_track_compare(&a->track, &next->track, c->reach, 0.0).most;
        a->events = rg_events_compare(&c->study.run.plan.pool, &a->track, &next->track);
    }
    for (int i = 0; i + 2 < c->count; i++)
        c->attempts[i].order = rg_observed_order(c->attempts[i].difference, c->attempts[i + 1].difference,
                                                 c->attempts[i].value / c->attempts[i + 1].value);
}

/* Order by the three finest runs. */
static double final_order(const Convergence *c)
{
    return c->count > 2 ? c->attempts[c->count - 3].order : NO_NUMBER;
}

/* Error of the finest run, by Richardson: d / (ratio^p - 1); NaN: no order. */
static double finest_error(const Convergence *c)
{
    const Attempt *a = &c->attempts[c->count - 2];
    double order = final_order(c);
    return order >= LEAST_ORDER ? a->difference / (pow(a->value / a[1].value, order) - 1.0) : NO_NUMBER;
}

/* ------------------------------------------------------------------ text */

static bool is_comparison_run(const Convergence *c, int i)
{
    return !c->reference && i == c->count - 1;
}

static void print_row(const Convergence *c, int i, FILE *out)
{
    const Attempt *a = &c->attempts[i];
    fprintf(out, "  %-10.4g %9lld", a->value, c->located ? (long long)a->inner.steps : a->steps);
    if (!good(a)) {
        fprintf(out, "  %s\n", a->refusal.text);
        return;
    }
    bool alone = is_comparison_run(c, i) || !comparison_run(c);
    rg_study_print_number(out, 8, "%.3g", a->cpu);
    rg_study_print_number(out, 9, "%.2e", alone ? NO_NUMBER : a->error.most);
    rg_study_print_number(out, 9, "%.2e", alone ? NO_NUMBER : a->error.end);
    rg_study_print_number(out, 9, "%.2e", a->difference);
    rg_study_print_number(out, 6, "%.2f", a->order);
    if (c->located) {
        fprintf(out, " %7d", a->track.nevents);
        rg_study_print_number(out, 7, "%.0f", i + 1 < c->count && a->events.edits >= 0 ? a->events.edits : NO_NUMBER);
        rg_study_print_number(out, 7, "%.0f", i + 1 < c->count ? a->events.common : NO_NUMBER);
    }
    for (int d = 0; d < RG_DIGITS && !alone; d++)
        if (a->error.throughout[d])
            fprintf(out, " %6s", "end");
        else
            rg_study_print_number(out, 6, "%.3g", a->error.until[d]);
    fputc('\n', out);
}

static void print_text(const Convergence *c, FILE *out)
{
    const RgRun *run = &c->study.run;
    const char *by = c->reference ? "the reference" : "the finest";
    fprintf(out, "model          %s\n", rg_model_info(run->model).name);
    fprintf(out, "stepper        %s, %s, solver %s\n", run->def.stepper, run->def.coords, run->def.solver);
    fprintf(out, "simulated      %.6g s, compared at %d times%s\n", c->duration, c->samples,
            c->by_accuracy ? "" : "; steps halved");
    fprintf(out, "motion         %.4g m\n\n", c->motion);
    fprintf(out, "  %-10s %9s %8s %9s %9s %9s %6s", c->by_accuracy ? "accuracy" : "step, s",
            c->located ? "inner" : "steps", "CPU, s", "error, m", "at end", "to next", "order");
    if (c->located)
        fprintf(out, " %7s %7s %7s", "events", "edits", "common");
    fprintf(out, "  agrees with %s to 1 ... 6 digits until, s\n", by);
    for (int i = 0; i < c->count; i++)
        print_row(c, i, out);
    if (c->reference && !comparison_run(c))
        fprintf(out, "  reference: %s\n", c->attempts[c->count].refusal.text);
    fputc('\n', out);
    double order = final_order(c), left = finest_error(c), apart = c->attempts[c->count - 2].difference;
    if (apart > UNRELATED * c->motion || order < LEAST_ORDER)
        fprintf(out,
                "The two finest runs differ by %.2g m, and the differences do not decrease with an order:\n"
                "over this time none can be given; see --time.\n",
                apart);
    else if (!isnan(left))
        fprintf(out, "order %.2f by the three finest runs; error of the finest about %.2g m\n", order, left);
}

/* ------------------------------------------------------------------ JSON and CSV */

static json_t *json_run(const Convergence *c, int i)
{
    const Attempt *a = &c->attempts[i];
    bool alone = is_comparison_run(c, i) || !comparison_run(c) || !good(a), last = i + 1 >= c->count;
    json_t *out = json_object(), *until = json_array();
    json_object_set_new(out, c->by_accuracy ? "accuracy" : "step", rg_json_number(a->value));
    RG_JSON_SET(out, {"status", json_string(good(a) ? "ok" : "refused")},
                {"error_text", good(a) ? json_null() : rg_json_text(a->refusal.text)},
                {"steps", json_integer(a->steps)}, {"cpu_s", rg_json_number(a->cpu)},
                {"error", rg_json_number(alone ? NO_NUMBER : a->error.most)},
                {"error_end", rg_json_number(alone ? NO_NUMBER : a->error.end)},
                {"difference", rg_json_number(a->difference)}, {"order", rg_json_number(a->order)});
    for (int d = 0; d < RG_DIGITS && !alone; d++)
        json_array_append_new(until, rg_json_number(a->error.until[d]));
    json_object_set_new(out, "agrees_until", until);
    if (!c->located)
        return out;
    RG_JSON_SET(out, {"inner_steps", json_integer(a->inner.steps)}, {"events", json_integer(a->track.nevents)},
                {"event_edits", last ? json_null() : json_integer(a->events.edits)},
                {"events_common", last ? json_null() : json_integer(a->events.common)},
                {"event_time_difference", rg_json_number(last ? NO_NUMBER : a->events.time)});
    return out;
}

static json_t *json_all(const Convergence *c)
{
    json_t *out = json_object(), *runs = json_array();
    RG_JSON_SET(
        out, {"model", rg_json_text(rg_model_info(c->study.run.model).name)},
        {"stepper", json_string(c->study.run.def.stepper)}, {"coords", json_string(c->study.run.def.coords)},
        {"solver", json_string(c->study.run.def.solver)}, {"by", json_string(c->by_accuracy ? "accuracy" : "step")},
        {"yardstick", json_string(c->reference ? "reference" : "finest")}, {"time", rg_json_number(c->duration)},
        {"samples", json_integer(c->samples)}, {"motion", rg_json_number(c->motion)},
        {"order", rg_json_number(final_order(c))}, {"finest_error", rg_json_number(finest_error(c))});
    for (int i = 0; i < c->count; i++)
        json_array_append_new(runs, json_run(c, i));
    json_object_set_new(out, "runs", runs);
    return out;
}

static void put_csv(FILE *file, double x)
{
    if (isnan(x))
        fputc(',', file);
    else
        fprintf(file, ",%.17g", x);
}

static bool write_csv(const Convergence *c, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file,
                "%s,status,steps,inner_steps,cpu_s,error,error_end,difference,order,events,event_edits,"
                "agrees_1,agrees_2,agrees_3,agrees_4,agrees_5,agrees_6\n",
                c->by_accuracy ? "accuracy" : "step");
        for (int i = 0; i < c->count; i++) {
            const Attempt *a = &c->attempts[i];
            bool alone = is_comparison_run(c, i) || !comparison_run(c) || !good(a);
            fprintf(file, "%.17g,%s,%lld,%lld", a->value, good(a) ? "ok" : "refused", a->steps,
                    (long long)a->inner.steps);
            put_csv(file, a->cpu);
            put_csv(file, alone ? NO_NUMBER : a->error.most);
            put_csv(file, alone ? NO_NUMBER : a->error.end);
            put_csv(file, a->difference);
            put_csv(file, a->order);
            put_csv(file, c->located ? a->track.nevents : NO_NUMBER);
            put_csv(file, c->located && i + 1 < c->count ? a->events.edits : NO_NUMBER);
            for (int d = 0; d < RG_DIGITS; d++)
                put_csv(file, alone ? NO_NUMBER : a->error.until[d]);
            fputc('\n', file);
        }
    }
    return rg_study_close_file(file, path);
}

/* ------------------------------------------------------------------ the command */

/* Runs, comparison, outputs. Exit code. */
static int converge(Convergence *c)
{
    RgPlan *plan = &c->study.run.plan;
    c->located = rg_world_locates(c->study.run.world);
    make_runs(c);
    compare_runs(c);
    bool json_only = plan->json && strcmp(plan->json, "-") == 0, written = true;
    if (!json_only && !plan->quiet)
        print_text(c, stdout);
    if (plan->json)
        written = rg_json_write(json_all(c), plan->json);
    if (plan->csv)
        written = write_csv(c, plan->csv) && written;
    const Attempt *finest = &c->attempts[c->count - 1];
    if (!good(finest))
        rg_error_print(&finest->refusal);
    return written && good(finest) && comparison_run(c) ? RG_EXIT_OK : RG_EXIT_FAILED;
}

static int run_converge(const RgOptions *options)
{
    Convergence *c = calloc(1, sizeof *c);
    int code = RG_EXIT_USAGE;
    if (!c) {
        fputs("rigor: out of memory\n", stderr);
        return RG_EXIT_FAILED;
    }
    c->options = options;
    if (rg_study_open(&c->study, options, options->file) && choose_runs(c))
        code = converge(c);
    rg_study_close(&c->study);
    free(c);
    return code;
}

RG_COMMAND(converge, "repeat a motion with decreasing steps: order, and digits that agree", .run = run_converge,
           .notes = "The step (--step) is that of the coarsest run. Errors are in m: the "
                    "largest distance of any link's point, rotations taken "
                    "at the\nlink's reach. Digits are relative to the motion, the largest "
                    "distance from the start.\n\n",
           .print_lists = rg_plan_print_lists, .more_options = rg_plan_options);
