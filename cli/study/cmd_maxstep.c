/*
 * cmd_maxstep.c - `rigor maxstep FILE`: the largest step with which a controlled run is stable, and what limits it.
 *
 * As 002 section IV: from 1 ms on the step is doubled until the run fails or 0.1 s is reached, then bisected
 * (maxstep.c), for each requested method of control (method.c). Reported for each: that step, accuracy and processor
 * time at it, and at further requested steps. Where efforts are decided explicitly from gains, the fastest mode of
 * joint, gain and inertia along the trajectory gives the step that it allows and its joint (modes.c).
 *
 * Islands of stability above the limit, and failures below it, are reported as far as probes find them.
 */
#include "io/command.h"
#include "io/error.h"
#include "io/json_out.h"
#include "io/options.h"
#include "io/progress.h"
#include "plan/plan_options.h"
#include "step_search/maxstep.h"
#include "study/limit_mode.h"
#include "study/rollout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE 4.0 /* the first step over that of the reference */
enum { ROWS_MAX = 16, STEPS_AT_MAX = 16, REPEATS = 3, PROBES = 4 };
#define FIRST_STEP 1e-3 /* s, 002 */
#define LAST_STEP 0.1   /* s, 002 */
#define LEAST_STEP 1e-5 /* s */
#define WIDTH 0.01      /* of the bracket */
#define SPEED_BOUND 1e3 /* rad/s or m/s */
#define BEYOND 1.02     /* of the predicted step: a run that was still called stable */
enum { WORD_MAX = 256 };

static const RgOptionSpec maxstep_options[] = {
    {"methods", "A,B,...", "methods of control to compare (default: given); see below"},
    {"no-rate", NULL, "controllers answer once a step and at once, whatever rate and delay the file gives"},
    {"gear", "R,J", "pd-geared: ratio, and inertia of the rotor in kg m^2 (002's arm: 1.5,1)"},
    {"rate", "R", "1/s by which position errors shrink in hard and computed-torque (default: within a step; 0: 002's)"},
    {"first", "H", "step that is tried first, s (default 0.001)"},
    {"least", "H", "shortest step that is tried, s (default 1e-5)"},
    {"most", "H", "longest step that is tried, s (default 0.1)"},
    {"width", "W", "relative width to which the limit is found (default 0.01)"},
    {"probes", "N", "further steps tried on each side of the limit (default 4)"},
    {"max-speed", "V", "a run is lost where a joint is faster, rad/s or m/s (default 1000)"},
    {"max-share", "P", "or where a joint's mean error is above this part of its motion (default 0.5; 0: any)"},
    {"max-error", "E", "or where the mean absolute error ends above this, rad or m (default: any)"},
    RG_FALL_OPTIONS,
    {"at", "H,...", "accuracy and time at these steps too"},
    {"repeats", "N", "timed runs, the fastest counts (default 3)"},
    RG_SIMULATION_OPTIONS,
    {"json", "OUT|-", "write the numbers as JSON, - for the standard output instead of the text"},
    {"csv", "OUT", "write the table as CSV"},
    {"quiet", NULL, "no progress bar, warnings or text"},
};

/* One method. */
typedef struct Row {
    const RgMethod *method;
    RgStepLimit limit;
    RgRollout best; /* at the limit */
    RgRollout loss; /* at the smallest step known to fail */
    RgRollout at[STEPS_AT_MAX];
    RgLimitMode mode; /* of explicit kinds */
} Row;

typedef struct Maxstep {
    const RgOptions *options;
    RgStudy study, geared; /* the robot as it is; with gears, if a method needs them */
    RgMethodControl control, geared_control;
    RgFall *fall, *geared_fall;
    RgRolloutDef rollout;
    double gear[2]; /* ratio, inertia of the rotor, kg m^2 */
    bool gears;     /* requested */
    RgStepSearch search;
    double shortest; /* s: least step that a delay allows; 0: no delay */
    Row rows[ROWS_MAX];
    int count, current;
    double at[STEPS_AT_MAX];
    int nat, repeats;
    RgProgress progress;
    int tries;
} Maxstep;

/* ------------------------------------------------------------------ what is asked for */

static bool choose_methods(Maxstep *m)
{
    const char *list = rg_options_value(m->options, "methods");
    char word[WORD_MAX];
    for (const char *at = list ? list : "given"; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        const RgMethod *method = rg_method_find(word);
        if (!method)
            return rg_method_complain(m->options, "methods", word);
        if (m->count == ROWS_MAX)
            return rg_options_complain(m->options, "--methods: at most %d", ROWS_MAX);
        m->gears = m->gears || method->geared;
        m->rows[m->count++].method = method;
    }
    return true;
}

static bool choose_gear(Maxstep *m)
{
    const char *text = rg_options_value(m->options, "gear");
    if (!text)
        return !m->gears || rg_options_complain(m->options, "method pd-geared needs --gear RATIO,INERTIA");
    if (rg_number_list_parse(text, m->gear, 2) != 2 || m->gear[0] == 0.0 || !(m->gear[1] > 0.0))
        return rg_options_complain(m->options, "--gear: '%s': expected a ratio and an inertia above 0, R,J", text);
    return true;
}

/* The same robot with gears. Controllers of all joints would take the rotors', too. */
static bool open_geared(Maxstep *m)
{
    const RgPlanControl *control = &m->study.run.plan.control;
    if (!m->gears)
        return true;
    for (int i = 0; i < control->ncontrollers; i++)
        if (control->controllers[i].all_joints)
            return rg_options_complain(m->options, "method pd-geared: the file says 'joints: all'; name them");
    m->geared.gear_ratio = m->gear[0];
    m->geared.gear_inertia = m->gear[1];
    if (!rg_study_open(&m->geared, m->options, m->options->file))
        return false;
    m->geared.run.plan.control.rate = control->rate;
    m->geared.run.plan.control.delay = control->delay;
    if (!rg_rollout_prepare(&m->geared, &m->geared_control))
        return false;
    m->geared_fall = rg_fall_open(&m->geared.run, m->options);
    return m->geared_fall != NULL;
}

static bool choose_steps(Maxstep *m)
{
    const RgOptions *options = m->options;
    RgStepSearch *s = &m->search;
    const char *list = rg_options_value(options, "at");
    *s = (RgStepSearch){.first = FIRST_STEP, .least = LEAST_STEP, .most = LAST_STEP, .width = WIDTH, .probes = PROBES};
    m->repeats = REPEATS;
    if (!rg_options_number(options, "first", RG_PLAN_STEP_MIN, RG_PLAN_STEP_MAX, &s->first) ||
        !rg_options_number(options, "least", RG_PLAN_STEP_MIN, RG_PLAN_STEP_MAX, &s->least) ||
        !rg_options_number(options, "most", RG_PLAN_STEP_MIN, RG_PLAN_STEP_MAX, &s->most) ||
        !rg_options_number(options, "width", 1e-9, 1.0, &s->width) ||
        !rg_options_whole(options, "probes", 0, RG_STEP_PROBES_MAX, &s->probes) ||
        !rg_options_whole(options, "repeats", 1, 1000, &m->repeats))
        return false;
    if (!rg_options_has(options, "least"))
        s->least = fmin(s->least, s->first);
    if (!(s->least <= s->first && s->first <= s->most))
        return rg_options_complain(options, "--least %g, --first %g, --most %g: they must not fall", s->least, s->first,
                                   s->most);
    m->nat = list ? rg_number_list_parse(list, m->at, STEPS_AT_MAX) : 0;
    for (int i = 0; i < m->nat; i++)
        if (!(m->at[i] >= RG_PLAN_STEP_MIN && m->at[i] <= RG_PLAN_STEP_MAX))
            return rg_options_complain(options, "--at: %g is not a step", m->at[i]);
    if (m->nat < 0)
        return rg_options_complain(options, "--at: '%s': expected 1 to %d numbers H,...", list, STEPS_AT_MAX);
    return true;
}

static bool choose_bounds(Maxstep *m)
{
    RgRolloutDef *r = &m->rollout;
    RgRun *run = &m->study.run;
    *r = (RgRolloutDef){.study = &m->study, .control = &m->control, .rate = NAN};
    r->bounds = (RgStability){.speed = SPEED_BOUND, .error = INFINITY, .fall = rg_fall_rules_default()};
    r->duration = run->duration;
    if (!rg_options_number(m->options, "max-speed", 0.0, HUGE_VAL, &r->bounds.speed) ||
        !rg_options_number(m->options, "max-error", 0.0, HUGE_VAL, &r->bounds.error) ||
        !rg_options_number(m->options, "max-share", 0.0, HUGE_VAL, &r->bounds.fall.share) ||
        !rg_options_number(m->options, "rate", 0.0, HUGE_VAL, &r->rate) || !rg_fall_choose(m->options, &r->bounds.fall))
        return false;
    if (rg_options_has(m->options, "no-rate"))
        run->plan.control.rate = run->plan.control.delay = NAN;
    if (!rg_rollout_prepare(&m->study, &m->control))
        return false;
    if (!(r->duration > 0.0))
        return rg_options_complain(m->options, "--time: a run of no length tells nothing");
    m->fall = rg_fall_open(run, m->options);
    return m->fall != NULL;
}

/* A delay without a rate has a sample a step under way, and not too many: shorter steps are not tried. */
static bool choose_shortest(Maxstep *m)
{
    const RgPlanControl *control = &m->study.run.plan.control;
    RgStepSearch *s = &m->search;
    double shortest = control->delay / RG_DELAYS_MAX; /* NaN: no delay */
    if (control->rate > 0.0 || !(shortest > s->least))
        return true;
    if (shortest > s->most)
        return rg_options_complain(m->options, "--most %g: a delay of %g s without a rate needs steps of %g s or more",
                                   s->most, control->delay, shortest);
    m->shortest = s->least = shortest;
    s->first = fmax(s->first, shortest);
    return true;
}

/* ------------------------------------------------------------------ runs */

static void show_step(RgRun *run, long long step, long long steps, void *context)
{
    (void)run;
    Maxstep *m = context;
    if (step % 64 == 0)
        rg_progress_update(&m->progress,
                           (m->current + (1.0 - pow(0.9, m->tries + (double)step / (double)steps))) / m->count);
}

static bool works(double step, void *context)
{
    Maxstep *m = context;
    RgRollout out = rg_rollout(&m->rollout, step);
    m->tries++;
    return out.stable;
}

/* Judged, and the fastest of some runs that are not: all have the same bits. */
static RgRollout timed(Maxstep *m, double step)
{
    RgRollout best = rg_rollout(&m->rollout, step);
    RgRolloutDef plain = m->rollout;
    plain.fall = NULL;
    for (int i = 0; i < m->repeats && best.stable; i++) {
        double cpu = rg_rollout(&plain, step).cpu;
        best.cpu = i > 0 ? fmin(best.cpu, cpu) : cpu;
    }
    return best;
}

/* All results of one method. RG_OK, or the run could not begin. */
static RgStatus examine(Maxstep *m, Row *row, RgError *error)
{
    m->rollout.method = row->method;
    m->rollout.study = row->method->geared ? &m->geared : &m->study;
    m->rollout.control = row->method->geared ? &m->geared_control : &m->control;
    m->rollout.see = show_step;
    m->rollout.context = m;
    m->tries = 0;
    m->rollout.fall = NULL;
    RgRollout probe = rg_rollout(&m->rollout, m->search.most);
    m->rollout.fall = row->method->geared ? m->geared_fall : m->fall;
    rg_fall_forget(m->rollout.fall);
    rg_rollout(&m->rollout, fmax(m->search.first / REFERENCE, m->search.least)); /* what others are compared with */
    if (probe.error.status != RG_OK) {
        *error = probe.error;
        return error->status;
    }
    m->search.works = works;
    m->search.context = m;
    row->limit = rg_step_search(&m->search);
    m->rollout.see = NULL;
    m->rollout.to_the_end = true;
    if (row->limit.found)
        row->best = timed(m, row->limit.step);
    if (isfinite(row->limit.fails))
        row->loss = rg_rollout(&m->rollout, row->limit.fails);
    for (int i = 0; i < m->nat; i++)
        row->at[i] = timed(m, m->at[i]);
    m->rollout.to_the_end = false;
    row->mode = rg_limit_mode(&m->rollout, row->limit.found ? row->limit.step : m->search.least);
    return RG_OK;
}

/* ------------------------------------------------------------------ text */

static void print_columns(FILE *out)
{
    fprintf(out, "  %-18s %11s %11s %10s %10s %9s %9s\n", "method", "step, s", "fails at, s", "MAE", "largest",
            "CPU, s", "x real");
}

static void print_run(const Maxstep *m, const char *name, const RgRollout *r, double fails, FILE *out)
{
    fprintf(out, "  %-18s", name);
    rg_study_print_number(out, 11, "%.5g", r->step);
    rg_study_print_number(out, 11, "%.5g", isinf(fails) ? NAN : fails);
    if (!r->stable) {
        fprintf(out, "   %s\n", r->loss.text);
        return;
    }
    rg_study_print_number(out, 10, "%.3e", r->tracking.mean_error);
    rg_study_print_number(out, 10, "%.3e", r->tracking.largest_error);
    rg_study_print_number(out, 9, "%.3g", r->cpu);
    rg_study_print_number(out, 9, "%.3g", m->rollout.duration / r->cpu);
    fputc('\n', out);
}

static void print_row(const Maxstep *m, const Row *row, FILE *out)
{
    const RgStepLimit *limit = &row->limit;
    if (limit->found)
        print_run(m, row->method->name, &row->best, limit->fails, out);
    else
        fprintf(out, "  %-18s none stable down to %g s: %s\n", row->method->name, m->search.least, row->loss.loss.text);
    for (int i = 0; i < m->nat; i++)
        print_run(m, i ? "" : "  at", &row->at[i], NAN, out);
}

/* Explanation of the numbers of one method. */
static void print_reason(const Maxstep *m, const Row *row, FILE *out)
{
    const RgStepLimit *limit = &row->limit;
    fprintf(out, "%s: ", row->method->name);
    if (limit->found && isinf(limit->fails))
        fprintf(out, "stable up to the longest step that was tried, %g s.\n", m->search.most);
    else if (!limit->found)
        fprintf(out, "at the smallest step tried too, %.5g s, it %s: the controller, not the step.\n", limit->fails,
                row->loss.loss.text);
    else
        fprintf(out, "at %.5g s %s.\n", limit->fails, row->loss.loss.text);
    if (limit->islands)
        fprintf(out, "  Above it %d of the steps tried worked again, up to %.4g s: not to be relied on.\n",
                limit->islands, limit->island);
    if (limit->holes)
        fprintf(out, "  Below it %d of the steps tried failed, from %.4g s on: the limit is not the only one.\n",
                limit->holes, limit->hole);
    rg_limit_mode_print(&row->mode, row->method->geared ? &m->geared.run : &m->study.run, out);
    if (row->mode.kind == RG_LIMIT_MODE && limit->found && limit->step > BEYOND * row->mode.mode.limit)
        fprintf(out, "  Between that step and the one found it grows and stays within the bounds: --max-error draws "
                     "them tighter.\n");
}

static void print_text(const Maxstep *m, FILE *out)
{
    const RgRun *run = &m->study.run;
    fprintf(out, "model          %s\n", rg_model_info(run->model).name);
    fprintf(out, "stepper        %s, %s, solver %s\n", run->def.stepper, run->def.coords, run->def.solver);
    fprintf(out, "simulated      %.6g s a run; lost where a joint is faster than %g", m->rollout.duration,
            m->rollout.bounds.speed);
    if (isfinite(m->rollout.bounds.error))
        fprintf(out, ", MAE is above %g", m->rollout.bounds.error);
    rg_fall_print(m->fall, &m->rollout.bounds.fall, out);
    fputs("\n\n", out);
    if (m->shortest > 0.0)
        fprintf(out, "shortest step  %g s: of the delay, %g s, at most %d samples can be under way, one a step\n\n",
                m->shortest, m->study.run.plan.control.delay, RG_DELAYS_MAX);
    print_columns(out);
    for (int i = 0; i < m->count; i++)
        print_row(m, &m->rows[i], out);
    fputc('\n', out);
    for (int i = 0; i < m->count; i++)
        print_reason(m, &m->rows[i], out);
}

/* ------------------------------------------------------------------ JSON and CSV */

static json_t *json_row(const Maxstep *m, const Row *row)
{
    const RgStepLimit *limit = &row->limit;
    json_t *out = json_object(), *tries = json_array(), *at = json_array();
    RG_JSON_SET(out, {"method", json_string(row->method->name)}, {"found", json_boolean(limit->found)},
                {"max_step", rg_json_number(limit->step)}, {"fails_at", rg_json_number(limit->fails)},
                {"fails_because", row->loss.loss.text[0] ? rg_json_text(row->loss.loss.text) : json_null()},
                {"fails_by", rg_loss_json(&row->loss.loss)},
                {"at_max_step", limit->found ? rg_rollout_json(&row->best) : json_null()},
                {"islands", json_integer(limit->islands)},
                {"island_step", rg_json_number(limit->islands ? limit->island : (double)NAN)},
                {"holes", json_integer(limit->holes)},
                {"hole_step", rg_json_number(limit->holes ? limit->hole : (double)NAN)});
    for (int i = 0; i < m->nat; i++)
        json_array_append_new(at, rg_rollout_json(&row->at[i]));
    json_object_set_new(out, "at", at);
    for (int i = 0; i < limit->ntries; i++)
        json_array_append_new(
            tries, json_pack("{s:f, s:b}", "step", limit->tries[i].step, "works", (int)limit->tries[i].works));
    json_object_set_new(out, "tries", tries);
    json_object_set_new(out, "mode",
                        rg_limit_mode_json(&row->mode, row->method->geared ? &m->geared.run : &m->study.run));
    return out;
}

static json_t *json_all(const Maxstep *m)
{
    json_t *out = json_object(), *rows = json_array();
    const RgRun *run = &m->study.run;
    RG_JSON_SET(
        out, {"model", rg_json_text(rg_model_info(run->model).name)}, {"stepper", json_string(run->def.stepper)},
        {"coords", json_string(run->def.coords)}, {"solver", json_string(run->def.solver)},
        {"time", rg_json_number(m->rollout.duration)}, {"first", rg_json_number(m->search.first)},
        {"least", rg_json_number(m->search.least)}, {"most", rg_json_number(m->search.most)},
        {"width", rg_json_number(m->search.width)}, {"max_speed", rg_json_number(m->rollout.bounds.speed)},
        {"max_error", rg_json_number(m->rollout.bounds.error)}, {"fall", rg_fall_json(&m->rollout.bounds.fall)});
    for (int i = 0; i < m->count; i++)
        json_array_append_new(rows, json_row(m, &m->rows[i]));
    json_object_set_new(out, "methods", rows);
    return out;
}

static void put_csv_run(FILE *file, const char *method, const char *what, const RgRollout *r)
{
    fprintf(file, "%s,%s,%.17g,%d", method, what, r->step, r->stable ? 1 : 0);
    if (r->stable)
        fprintf(file, ",%.17g,%.17g,%.6g\n", r->tracking.mean_error, r->tracking.largest_error, r->cpu);
    else
        fputs(",,,\n", file);
}

static bool write_csv(const Maxstep *m, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file)
        fputs("method,what,step,stable,mae,largest_error,cpu_s\n", file);
    for (int i = 0; file && i < m->count; i++) {
        const Row *row = &m->rows[i];
        if (row->limit.found)
            put_csv_run(file, row->method->name, "max", &row->best);
        if (isfinite(row->limit.fails))
            put_csv_run(file, row->method->name, "fails", &row->loss);
        for (int k = 0; k < m->nat; k++)
            put_csv_run(file, row->method->name, "at", &row->at[k]);
    }
    return rg_study_close_file(file, path);
}

/* ------------------------------------------------------------------ the command */

static int maxstep(Maxstep *m)
{
    RgPlan *plan = &m->study.run.plan;
    bool json_only = plan->json && strcmp(plan->json, "-") == 0, written = true, found = true;
    RgError error = {0};
    RgStatus status = RG_OK;
    m->progress = rg_progress_begin_part(plan->quiet);
    for (m->current = 0; m->current < m->count && status == RG_OK; m->current++)
        status = examine(m, &m->rows[m->current], &error);
    rg_progress_end(&m->progress);
    if (status != RG_OK) {
        rg_error_print(&error);
        return RG_EXIT_USAGE;
    }
    if (!json_only && !plan->quiet)
        print_text(m, stdout);
    if (plan->json)
        written = rg_json_write(json_all(m), plan->json);
    if (plan->csv)
        written = write_csv(m, plan->csv) && written;
    for (int i = 0; i < m->count; i++)
        found = found && m->rows[i].limit.found;
    return written && found ? RG_EXIT_OK : RG_EXIT_FAILED;
}

static int run_maxstep(const RgOptions *options)
{
    Maxstep *m = calloc(1, sizeof *m);
    int code = RG_EXIT_USAGE;
    if (!m) {
        fputs("rigor: out of memory\n", stderr);
        return RG_EXIT_FAILED;
    }
    m->options = options;
    if (choose_methods(m) && choose_gear(m) && choose_steps(m) && rg_study_open(&m->study, options, options->file) &&
        choose_bounds(m) && choose_shortest(m) && open_geared(m))
        code = maxstep(m);
    rg_study_close(&m->geared);
    rg_study_close(&m->study);
    free(m);
    return code;
}

static void print_lists(void)
{
    printf("Methods:\n");
    for (int i = 0; i < rg_method_count(); i++)
        printf("  %-28s %s\n", rg_method_at(i)->name, rg_method_at(i)->summary);
    rg_plan_print_lists();
}

RG_COMMAND(
    maxstep, "the largest step with which a controlled run is stable, for each method of control, and what limits it",
    .run = run_maxstep,
    .notes = "MAE is the mean absolute position error over joints and time. CPU is processor time of the steps with "
             "their\n"
             "control. --max-error turns the question: the largest step that is that accurate.\n\n",
    .print_lists = print_lists, .more_options = rg_plan_options);
