/*
 * 002-A: an arm along sinusoids by PD control, with and without gears, and by inverse dynamics, as efforts and as rows.
 *
 *   PD             tau = kp (q* - q) + kd (v* - v), explicit: stable where h kd / inertia and h^2 kp / inertia are small
 *   geared PD      the same with a gear of 1 kg m^2 at every joint: the inertia that limits the step grows
 *   ID control     tau = RNEA(q, v, (v*(t + h) - v) / h)
 *   ID constraint  rows v = v*(t + h) inside the solve
 *
 * The largest step is found as in the paper: doubled from 1 ms to 0.1 s, then bisected (maxstep.h).
 *
 * Twins: both forms of coordinates; inverse dynamics that keeps velocities drifts by what positions lose in first-order
 * steps, which is known in closed form (ur10_drift); control and constraint must agree.
 */
#include "step_search/maxstep.h"
#include "ur10_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPEATS = 7, FORMS = 2 };
#define FIRST 1e-3 /* s */
#define LEAST 1e-5
#define MOST 0.1
#define WIDTH 0.01
#define STIFF 1e7        /* N m/rad */
#define SOLVER "dantzig" /* the paper has pivoting solvers only */

/* By `rigor tune models/ur10.yaml --range 30 --evaluations 600`; the geared arm's by the same with ur10_geared.yaml,
   --step 0.05 --max-error 1. */
static const Ur10Gains tuned = {{9000.0, 9000.0, 1800.0, 450.0, 450.0, 450.0},
                                {3600.0, 3600.0, 154.931, 0.954413, 24.3005, 0.377761}};
static const Ur10Gains geared_tuned = {{1442.12, 2048.29, 596.598, 450.0, 450.0, 175.509},
                                       {74.7725, 4.0, 0.8, 86.9708, 11.6003, 0.507229}};

enum { PD, GEARED, CONTROL, CONSTRAINT, METHODS };

/* Table II: step is that of the table, where its error was measured. */
static const struct {
    Ur10Method method;
    bool geared;
    double step;
    const char *at;
} table[METHODS] = {
    [PD] = {{"PD", "pd", &tuned, 0.0}, false, 1e-3, "1 ms"},
    [GEARED] = {{"geared PD", "pd", &geared_tuned, 0.0}, true, 0.05, "50 ms"},
    [CONTROL] = {{"ID control", "computed-torque", NULL, 0.0}, false, 0.05, "50 ms"},
    [CONSTRAINT] = {{"ID constraint", "hard", NULL, 0.0}, false, 0.1, "100 ms"},
};
static const Ur10Method exact = {"ID constraint with positions", "hard", NULL, INFINITY};
static const Ur10Method falls = {"no control", NULL, NULL, 0.0};
static const char *const forms[FORMS] = {"minimal", "maximal"}; /* the first is the paper's */

typedef struct Bench {
    Lab *lab;
    Ur10Arm arms[2];         /* plain, geared */
    double largest[METHODS]; /* s, minimal */
} Bench;

static Ur10Setup setup_of(const Bench *b, int method, double step)
{
    return (Ur10Setup){.arm = &b->arms[table[method].geared],
                       .method = &table[method].method,
                       .coords = forms[0],
                       .solver = SOLVER,
                       .step = step,
                       .time = UR10_TIME,
                       .lab = b->lab};
}

static bool works(double step, void *context)
{
    Ur10Setup setup = *(const Ur10Setup *)context;
    setup.step = step;
    return ur10_run(&setup).stable;
}

/* NaN: none. */
static double largest_step(Ur10Setup setup)
{
    RgStepSearch search = {
        .first = FIRST, .least = LEAST, .most = MOST, .width = WIDTH, .works = works, .context = &setup};
    return rg_step_search(&search).step;
}

/* A row's name: the paper's form has none added. */
static void tell(Lab *lab, const char *method, const char *what, int form, double value)
{
    char name[128];
    snprintf(name, sizeof name, "%s: %s%s%s", method, what, form > 0 ? ", " : "", form > 0 ? forms[form] : "");
    lab_measured(lab, name, value);
}

/* ------------------------------------------------------------------ Table II */

static void measure_steps(Bench *b)
{
    for (int form = 0; form < FORMS; form++) {
        double steps[METHODS];
        for (int m = 0; m < METHODS; m++) {
            char at[32];
            Ur10Setup setup = setup_of(b, m, table[m].step);
            setup.coords = forms[form];
            snprintf(at, sizeof at, "error at %s", table[m].at);
            tell(b->lab, table[m].method.name, at, form, ur10_run(&setup).mean_error);
            steps[m] = largest_step(setup);
            tell(b->lab, table[m].method.name, "largest step", form, steps[m]);
            lab_progress(b->lab, 0.5 * (form + (m + 1.0) / METHODS) / FORMS);
        }
        Ur10Setup free = setup_of(b, PD, FIRST);
        free.coords = forms[form];
        free.method = &falls;
        tell(b->lab, falls.name, "largest step", form, largest_step(free));
        bool ordered =
            steps[PD] < steps[GEARED] && steps[GEARED] <= steps[CONTROL] && steps[CONTROL] <= steps[CONSTRAINT];
        tell(b->lab, "order of the methods", "as published", form, ordered ? 1.0 : 0.0);
        if (form == 0)
            memcpy(b->largest, steps, sizeof steps);
    }
}

/* Where inverse dynamics keeps what it promises, velocities alone, its error is the drift of first-order positions. */
static void measure_drift(const Bench *b)
{
    double drift = ur10_drift(MOST, UR10_TIME);
    for (int m = CONTROL; m <= CONSTRAINT; m++) {
        Ur10Setup setup = setup_of(b, m, MOST);
        tell(b->lab, table[m].method.name, "error at 100 ms over its closed form", 0,
             ur10_run(&setup).mean_error / drift);
    }

    /* Efforts for steps of body coordinates. */
    double error[3];
    for (int i = 0; i < 3; i++) {
        Ur10Setup setup = setup_of(b, CONTROL, 0.05 / (1 << i));
        setup.coords = forms[1];
        error[i] = ur10_run(&setup).mean_error;
    }
    lab_say(b->lab,
            "ID control in maximal coordinates: error %.3g, %.3g, %.3g rad at 50, 25, 12.5 ms, of which "
            "%.3g, %.3g, %.3g are the "
            "drift of the closed form.",
            error[0], error[1], error[2], ur10_drift(0.05, UR10_TIME), ur10_drift(0.025, UR10_TIME),
            ur10_drift(0.0125, UR10_TIME));
}

/* ------------------------------------------------------------------ time */

typedef struct Timed {
    Ur10Setup setup;
    Ur10Run run; /* cpu: the fastest; all have the same bits */
} Timed;

/* In turns, so that a machine that has other things to do slows all of them. */
static void time_all(Timed *timed, int n)
{
    for (int r = 0; r < REPEATS; r++)
        for (int i = 0; i < n; i++) {
            Ur10Run run = ur10_run(&timed[i].setup);
            if (r > 0)
                run.cpu = fmin(run.cpu, timed[i].run.cpu);
            timed[i].run = run;
        }
}

static void measure_times(Bench *b)
{
    enum { PD_1MS = METHODS, ROWS_1MS, ROWS_10MS, EXACT_100MS, TIMED };
    Timed timed[TIMED];
    for (int m = 0; m < METHODS; m++)
        timed[m] = (Timed){.setup = setup_of(b, m, table[m].step)};
    timed[PD_1MS] = (Timed){.setup = setup_of(b, PD, 1e-3)};
    timed[ROWS_1MS] = (Timed){.setup = setup_of(b, CONSTRAINT, 1e-3)};
    timed[ROWS_10MS] = (Timed){.setup = setup_of(b, CONSTRAINT, 0.01)};
    timed[EXACT_100MS] = (Timed){.setup = setup_of(b, CONSTRAINT, 0.1)};
    timed[EXACT_100MS].setup.method = &exact;
    time_all(timed, TIMED);

    for (int m = GEARED; m < METHODS; m++)
        tell(b->lab, table[m].method.name, "times as fast as PD, at the steps of Table II", 0,
             timed[PD].run.cpu / timed[m].run.cpu);
    const Ur10Run *pd = &timed[PD_1MS].run, *rows = &timed[ROWS_10MS].run, *more = &timed[EXACT_100MS].run;
    tell(b->lab, "ID constraint at 10 ms", "times as fast as PD at 1 ms", 0, pd->cpu / rows->cpu);
    tell(b->lab, "ID constraint at 1 ms", "cost of a step over one of PD", 0, timed[ROWS_1MS].run.cpu / pd->cpu);
    tell(b->lab, "ID constraint at 10 ms", "error over that of PD at 1 ms", 0, rows->mean_error / pd->mean_error);
    tell(b->lab, "ID constraint with positions at 100 ms", "times as fast as PD at 1 ms", 0, pd->cpu / more->cpu);
    tell(b->lab, "ID constraint with positions at 100 ms", "error", 0, more->mean_error);
    lab_say(b->lab,
            "A step takes %.3g us by PD, %.3g us with inverse-dynamics rows, %.3g us by ID control, %.3g us "
            "with gears "
            "(published: 71, 18, 65, 246 ms).",
            1e6 * pd->cpu * 1e-3 / UR10_TIME, 1e6 * rows->cpu * 0.01 / UR10_TIME,
            1e6 * timed[CONTROL].run.cpu * table[CONTROL].step / UR10_TIME,
            1e6 * timed[GEARED].run.cpu * table[GEARED].step / UR10_TIME);
    for (int m = 0; m < METHODS; m++) {
        Ur10Setup setup = setup_of(b, m, b->largest[m]);
        lab_say(b->lab, "%s at its largest step, %.4g s: error %.3g rad.", table[m].method.name, b->largest[m],
                ur10_run(&setup).mean_error);
    }
}

/* ------------------------------------------------------------------ gears, stiff gains */

static void measure_rest(const Bench *b)
{
    Ur10Setup plain = setup_of(b, PD, 1e-3), geared = setup_of(b, GEARED, 0.05);
    tell(b->lab, "geared PD at 50 ms", "error over that of PD at 1 ms", 0,
         ur10_run(&geared).mean_error / ur10_run(&plain).mean_error);

    /* kp 1e7 at 10 ms. */
    Ur10Gains stiff = ur10_example;
    for (int i = 0; i < UR10_JOINTS; i++)
        stiff.kp[i] = STIFF;
    const Ur10Method outside = {"PD", "pd", &stiff, 0.0}, inside = {"implicit PD", "implicit-pd", &stiff, 0.0};
    Ur10Setup setup = setup_of(b, PD, 0.01);
    setup.method = &outside;
    lab_holds(b->lab, "gains of 1e7 at 10 ms: explicit PD is lost", !ur10_run(&setup).stable);
    setup.method = &inside;
    lab_measured(b->lab, "gains of 1e7 at 10 ms: error of implicit PD", ur10_run(&setup).mean_error);
}

/* ------------------------------------------------------------------ figures, films */

static void draw_figure_1(const Bench *b)
{
    static const double steps[] = {5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1};
    LabFigure *figure =
        lab_figure(b->lab, &(LabFigureDef){"fig1b",
                                           "Figure 1 (b): error against the step; a curve ends where "
                                           "the method is lost",
                                           "step (s)", "mean absolute error (rad)", .log_x = true, .log_y = true});
    for (int m = 0; m < METHODS; m++) {
        lab_curve(figure, LAB_LINES_POINTS, "%s", table[m].method.name);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            Ur10Setup setup = setup_of(b, m, steps[i]);
            lab_point(figure, steps[i], ur10_run(&setup).mean_error);
        }
    }
    static const double published[METHODS] = {1.01e-2, 1.74e-1, 2.85e-2, 1.15e-1};
    lab_curve(figure, LAB_POINTS, "published, Table II");
    for (int m = 0; m < METHODS; m++)
        lab_point(figure, table[m].step, published[m]);
}

static void draw_figure_3(const Bench *b)
{
    static const struct {
        int method;
        double step;
    } curves[] = {{PD, 1e-3}, {GEARED, 0.05}, {CONTROL, 0.05}, {CONSTRAINT, 0.01}, {CONSTRAINT, 0.1}};
    LabFigure *figure = lab_figure(b->lab, &(LabFigureDef){"fig3", "Figure 3: error of each joint",
                                                           "joint: 1 pan, 2 lift, 3 elbow, 4 to 6 wrists",
                                                           "mean absolute error (rad)", .log_y = true});
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        Ur10Setup setup = setup_of(b, curves[i].method, curves[i].step);
        Ur10Run run = ur10_run(&setup);
        lab_curve(figure, LAB_LINES_POINTS, "%s, %g ms", table[curves[i].method].method.name, 1e3 * curves[i].step);
        for (int k = 0; k < UR10_JOINTS; k++)
            lab_point(figure, k + 1, run.stable ? run.error[k] : (double)NAN);
    }
}

static void film(const Bench *b)
{
    Ur10Setup rows = setup_of(b, CONSTRAINT, 0.01), gears = setup_of(b, GEARED, 0.02), lost = setup_of(b, PD, 1.3e-3);
    rows.film = "rows";
    rows.title = "inverse dynamics as rows, steps of 10 ms";
    gears.film = "gears";
    gears.title = "PD with gears, steps of 20 ms";
    lost.film = "lost";
    lost.title = "PD beyond its largest step, 1.3 ms";
    lost.time = 1.0;
    ur10_run(&rows);
    ur10_run(&gears);
    ur10_run(&lost);
}

static void run(Lab *lab)
{
    static const char *const files[2] = {"ur10.sdf", "ur10_geared.sdf"};
    Bench b = {.lab = lab};
    for (int i = 0; i < 2; i++) {
        b.arms[i] = ur10_arm_load(lab_model(lab, files[i]), i == 1);
        if (b.arms[i].model == NULL)
            lab_fail(lab, "%s: %s", files[i], b.arms[i].error.text);
    }
    if (!lab_failed(lab)) {
        measure_steps(&b);
        measure_drift(&b);
        measure_times(&b);
        lab_progress(lab, 0.8);
        measure_rest(&b);
        draw_figure_1(&b);
        draw_figure_3(&b);
        film(&b);
    }
    for (int i = 0; i < 2; i++)
        ur10_arm_free(&b.arms[i]);
}

const Experiment experiment_arm = {
    "002-A-arm",
    "how control limits the step, and what inverse dynamics and gears change (paper 002, Table II, Figures 1 and 3)",
    7.0, 7.0, run};
