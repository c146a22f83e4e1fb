/*
 * 000-A: steps until a trotting quadruped fails (v.Mv > 1e7 J), against the length of the step.
 *
 * By the paper's own steps (trot_scheme.h) and by ours. Efforts of the feet's springs and dampers are constant over a
 * step, so the dampers become unstable first: they need h < 2 / rate (trot_damper_rate).
 *
 * Checks: that limit, in closed form, lies between stable and failing steps; the same gait with implicit-pd has no
 * explicit part and does not fail.
 */
#include "trot_scheme.h"

#include "quadruped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A variant of steps. */
typedef struct Way {
    const char *name;
    const char *stepper; /* NULL: the paper's own steps */
    const char *coords;
    bool explicit_forces;
    bool whole; /* not in the quick form */
} Way;

static const Way ways[] = {
    {"paper's steps", NULL, "minimal", false, false},
    {"paper's steps, explicit", NULL, "minimal", true, false},
    {"paper's steps, maximal", NULL, "maximal", false, true},
    {"advance", "advance", "minimal", false, false},
    {"semi-implicit", "semi-implicit", "minimal", false, false},
};
#define NWAYS (int)(sizeof ways / sizeof ways[0])

static int whole_run(double h)
{
    return (int)(TROT_TIME / h + 0.5);
}

static TrotRun run_way(Lab *lab, const Way *way, double h)
{
    TrotRun run = {0};
    if (way->stepper) {
        Trot t;
        TrotSetup setup = {.stepper = way->stepper, .coords = way->coords, .h_min = h, .contact_erp = TROT_ERP};
        if (!trot_begin(lab, &setup, &t))
            return run;
        run = trot_until_failure(&t, h, whole_run(h), NULL);
        trot_end(&t);
    } else {
        Scheme s;
        SchemeSetup setup = {.coords = way->coords, .explicit_forces = way->explicit_forces};
        if (!scheme_begin(lab, &setup, &s))
            return run;
        run = scheme_until_failure(&s, h, whole_run(h), NULL);
        scheme_end(&s);
    }
    return run;
}

/* ------------------------------------------------------------------ the paper's figure */

/* Rows of a way, from its runs at all lengths of steps. */
static void tell_way(Lab *lab, const Way *way, const TrotRun runs[TROT_STEPS])
{
    double failing[TROT_STEPS], after[TROT_STEPS], lasting = 0.0;
    int count = 0;
    bool all = true;
    for (int i = 0; i < TROT_STEPS; i++) {
        all = all && !runs[i].failed;
        if (all)
            lasting = trot_steps[i];
        if (!runs[i].failed)
            continue;
        failing[count] = trot_steps[i];
        after[count++] = runs[i].steps;
    }
    char row[128];
    snprintf(row, sizeof row, "steps made at 1 ms: %s", way->name);
    lab_measured(lab, row, runs[0].failed ? 0.0 : runs[0].steps);
    snprintf(row, sizeof row, "steps made at 5 ms: %s", way->name);
    lab_measured(lab, row, runs[6].steps);
    snprintf(row, sizeof row, "longest step that lasts: %s", way->name);
    lab_measured(lab, row, lasting);
    snprintf(row, sizeof row, "rank correlation: %s", way->name);
    lab_measured(lab, row, trot_rank_correlation(failing, after, count));
}

static void draw_way(LabFigure *figure, const Way *way, const TrotRun runs[TROT_STEPS])
{
    lab_curve(figure, LAB_LINES_POINTS, "%s", way->name);
    for (int i = 0; i < TROT_STEPS; i++)
        if (runs[i].failed)
            lab_point(figure, trot_steps[i], runs[i].steps);
}

static void figure_3(Lab *lab)
{
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"fig3", "Figure 3: steps until failure", "step (ms)",
                                                        "steps until v.Mv exceeds 1e7 J", .log_y = true});
    for (int w = 0; w < NWAYS && !lab_failed(lab); w++) {
        TrotRun runs[TROT_STEPS];
        if (ways[w].whole && lab_quick(lab))
            continue;
        for (int i = 0; i < TROT_STEPS; i++) {
            runs[i] = run_way(lab, &ways[w], 1e-3 * trot_steps[i]);
            lab_progress(lab, (w + (i + 1.0) / TROT_STEPS) / (NWAYS + 2));
        }
        tell_way(lab, &ways[w], runs);
        draw_way(figure, &ways[w], runs);
    }
    lab_curve(figure, LAB_DASHED, "5 s: above, nothing failed");
    for (int i = 0; i < TROT_STEPS; i++)
        lab_point(figure, trot_steps[i], whole_run(1e-3 * trot_steps[i]));
}

/* ------------------------------------------------------------------ local error against failure */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Median relative error in kinetic energy of the first steps, at most 0.3 s and until failure. */
static double local_error(Lab *lab, double h)
{
    Scheme s;
    double each[512];
    int count = 0, most = (int)(TROT_PERIOD / h + 0.5);
    if (!scheme_begin(lab, &(SchemeSetup){0}, &s))
        return (double)NAN;
    for (SchemeTrial trial; count < most && scheme_try(&s, h, &trial) && trial.energy_one <= TROT_FAILED;) {
        double two = trial.energy_two;
        each[count++] = two > 0.0 ? fabs(trial.energy_one - two) / two : 0.0;
        scheme_take(&s, &trial);
    }
    scheme_end(&s);
    qsort(each, (size_t)count, sizeof *each, ascending);
    return count > 0 ? each[count / 2] : (double)NAN;
}

static void proxy(Lab *lab)
{
    double error[TROT_STEPS];
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"error", "local error in kinetic energy", "step (ms)",
                                                        "median over the first 0.3 s (%)", .log_y = true});
    lab_curve(figure, LAB_LINES_POINTS, "paper's steps");
    for (int i = 0; i < TROT_STEPS; i++) {
        error[i] = local_error(lab, 1e-3 * trot_steps[i]);
        lab_point(figure, trot_steps[i], 100.0 * error[i]);
    }
    lab_measured(lab, "rank correlation of local error with the step",
                 trot_rank_correlation(trot_steps, error, TROT_STEPS));
}

/* ------------------------------------------------------------------ closed form */

static void limit(Lab *lab)
{
    Trot t;
    if (!trot_begin(lab, &(TrotSetup){.stepper = "euler", .contact_erp = TROT_ERP}, &t))
        return;
    lab_measured(lab, "longest step by the dampers alone", 2e3 / trot_damper_rate(&t));
    trot_end(&t);
}

/* ------------------------------------------------------------------ the same gait, implicitly */

static void implicit_gait(Lab *lab)
{
    RgError error = {.text = ""};
    QuadRobot robot;
    if (!quad_robot_create(&robot, lab_model(lab, "links.sdf"), 1.0, &error)) {
        lab_fail(lab, "links.sdf: %s", error.text);
        return;
    }
    double lasting = 0.0;
    for (int i = 0; i < TROT_STEPS; i++) {
        QuadSetup setup = {.robot = &robot,
                           .motion = {.kind = QUAD_TROT},
                           .method = {.name = "implicit PD",
                                      .kind = "implicit-pd",
                                      .kp = 100.0,
                                      .kd = 1.0,
                                      .max_effort = (double)INFINITY},
                           .solver = "quick",
                           .coords = "minimal",
                           .h = 1e-3 * trot_steps[i],
                           .time = TROT_TIME,
                           .mu = 1.0,
                           .gap = 3.3e-3};
        QuadResult result;
        if (!quad_run(&setup, &result, &error) || !isnan(result.blew) || !isnan(result.fell))
            break;
        lasting = trot_steps[i];
    }
    quad_robot_destroy(&robot);
    lab_measured(lab, "longest step that lasts: joints driven implicitly", lasting);
}

/* ------------------------------------------------------------------ films */

static void films(Lab *lab)
{
    static const struct {
        const char *name, *title;
        double h;
    } made[] = {{"trot", "paper's steps of 1 ms: it trots", 1e-3},
                {"fails", "paper's steps of 1.75 ms: it fails", 1.75e-3}};
    for (int i = 0; i < 2; i++) {
        Scheme s;
        if (!scheme_begin(lab, &(SchemeSetup){0}, &s))
            return;
        LabFilm *film = lab_film(lab, made[i].name, made[i].title, scheme_world(&s), 0.0);
        scheme_until_failure(&s, made[i].h, (int)(1.5 / made[i].h), film);
        lab_film_end(film);
        scheme_end(&s);
    }
}

static void run(Lab *lab)
{
    LAB_PARTS(lab, figure_3, proxy, limit, implicit_gait, films);
}

const Experiment experiment_failures = {
    "000-A-failures",
    "a trotting quadruped fails after fewer steps, the longer they are (paper 000, section IV-A, Figure 3)", 10.0, 5.0,
    run};
