/*
 * ur10.c - paper 002, section IV: Table II, the speed of inverse dynamics constraints, gains that explicit control cannot take.
 *
 * Published on other hardware with other code: ours stands beside it, and what is checked is the order of the methods. The largest
 * step is found as there: doubled from 1 ms to 0.1 s, then bisected (cli/maxstep.c).
 */
#include "control_bench.h"
#include "maxstep.h"
#include "ur10_arm.h"

#include <string.h>

enum { REPEATS = 3 };
#define FIRST 1e-3 /* s */
#define LEAST 1e-5
#define MOST 0.1
#define WIDTH 0.01
#define STIFF 1e7 /* N m/rad */

/* By `rigor tune bench/control/ur10.yaml --range 30 --evaluations 600`, with and without --margin 2; the geared arm's by the same
   with ur10_geared.yaml, --step 0.05 --max-error 1. Six digits are kept. */
static const Ur10Gains tuned = {{9000.0, 9000.0, 1800.0, 450.0, 450.0, 450.0},
                                {3600.0, 3600.0, 154.931, 0.962492, 24.2819, 0.368274}};
static const Ur10Gains geared_tuned = {{966.391, 2618.59, 466.053, 450.0, 450.0, 133.702},
                                       {317.656, 4.0, 0.8, 78.8669, 12.2974, 0.503036}};

typedef struct Published {
    double step, error, time;
} Published;

typedef struct Row {
    Ur10Method method;
    bool geared;
    Published paper; /* step 0: not in the paper */
} Row;

static const Row rows[] = {
    {{"PD, example's gains", "pd", &ur10_example, 0.0}, false, {0.0, 0.0, 0.0}},
    {{"PD, tuned at 1 ms", "pd", &tuned, 0.0}, false, {0.001, 1.01e-2, 357.0}},
    {{"PD, tuned, margin 2", "pd", &ur10_careful, 0.0}, false, {0.0, 0.0, 0.0}},
    {{"geared PD, example's", "pd", &ur10_example, 0.0}, true, {0.0, 0.0, 0.0}},
    {{"geared PD, tuned", "pd", &geared_tuned, 0.0}, true, {0.05, 1.74e-1, 24.6}},
    {{"implicit PD, example's", "implicit-pd", &ur10_example, 0.0}, false, {0.0, 0.0, 0.0}},
    {{"ID control, paper's law", "computed-torque", NULL, 0.0}, false, {0.05, 2.85e-2, 6.51}},
    {{"ID control, positions", "computed-torque", NULL, INFINITY}, false, {0.0, 0.0, 0.0}},
    {{"ID constraint, paper's", "hard", NULL, 0.0}, false, {0.10, 1.15e-1, 2.85}},
    {{"ID constraint", "hard", NULL, INFINITY}, false, {0.0, 0.0, 0.0}},
};
enum {
    ROWS = sizeof rows / sizeof rows[0],
    PD_TUNED = 1,
    GEARED_TUNED = 4,
    CONTROL = 6,
    CONSTRAINT = 8,
    EXACT = 9
};

typedef struct Bench {
    const ControlOptions *options;
    Ur10Arm arms[2]; /* plain, geared; the second may be missing */
    double time;
    const Row *row; /* that is searched */
    double bound;   /* rad: mean error it may have */
} Bench;

static Ur10Run run_once(const Bench *b, const Row *row, double step)
{
    return ur10_run(&b->arms[row->geared], &row->method, b->options->coords, step, b->time);
}

/* The fastest of some runs: all have the same bits. */
static Ur10Run run_timed(const Bench *b, const Row *row, double step)
{
    Ur10Run best = run_once(b, row, step);
    for (int i = 1; i < REPEATS && best.stable; i++)
        best.cpu = fmin(best.cpu, run_once(b, row, step).cpu);
    return best;
}

static bool works(double step, void *context)
{
    const Bench *b = context;
    Ur10Run run = run_once(b, b->row, step);
    return run.stable && run.mean_error <= b->bound;
}

/* The largest step of a row whose mean error is within a bound; NaN: none. */
static double largest_step(Bench *b, const Row *row, double bound)
{
    RgStepSearch search = {
        .first = FIRST, .least = LEAST, .most = MOST, .width = WIDTH, .works = works, .context = b};
    b->row = row;
    b->bound = bound;
    return rg_step_search(&search).step;
}

/* ------------------------------------------------------------------ tables */

/* Table II. Steps of all rows into out. */
static void table_two(LocatedOut *out, Bench *b, double *steps)
{
    static const LocatedColumn columns[] = {{"method", "method", false},
                                            {"max_step", "max step, s", false},
                                            {"mae", "MAE, rad", false},
                                            {"cpu_s", "CPU, s", false},
                                            {"paper_step", "paper: step", false},
                                            {"paper_mae", "MAE", false},
                                            {"paper_time", "time, s", false},
                                            {"faster", "times", false},
                                            {"mae_there", "ours at its step", false}};
    located_table(out, "ur10",
                  "002-A, Table II: UR10 along sinusoids; largest stable step, error and time there", columns,
                  9);
    for (int i = 0; i < ROWS; i++) {
        const Row *row = &rows[i];
        steps[i] = NAN;
        if (b->arms[row->geared].model == NULL)
            continue;
        steps[i] = largest_step(b, row, INFINITY);
        Ur10Run run =
            isnan(steps[i]) ? (Ur10Run){.mean_error = NAN, .cpu = NAN} : run_timed(b, row, steps[i]);
        bool known = row->paper.step > 0.0;
        located_row(out,
                    (LocatedCell[]){cell_text(row->method.name), cell(steps[i]), cell(run.mean_error),
                                    cell(run.cpu), cell(known ? row->paper.step : NAN),
                                    cell(known ? row->paper.error : NAN), cell(known ? row->paper.time : NAN),
                                    cell(known ? row->paper.time * b->time / UR10_TIME / run.cpu : NAN),
                                    cell(known ? run_once(b, row, row->paper.step).mean_error : NAN)});
    }
}

/* PD at 1 ms against ID constraints: at the paper's 10 ms, and at the longest step that is as accurate. */
static void table_speed(LocatedOut *out, Bench *b, double pd_step)
{
    static const LocatedColumn columns[] = {{"method", "method", false},
                                            {"step", "step, s", false},
                                            {"mae", "MAE, rad", false},
                                            {"cpu_s", "CPU, s", false},
                                            {"faster", "times as fast as PD", false}};
    located_table(out, "ur10_speed",
                  "002, Figure 3: ID constraints against PD at 1 ms; published: 9.11 s at 10 ms against 357 "
                  "s, 39 times",
                  columns, 5);
    double step = fmin(pd_step, 1e-3);
    Ur10Run pd = run_timed(b, &rows[PD_TUNED], step);
    located_row(out, (LocatedCell[]){cell_text(rows[PD_TUNED].method.name), cell(step), cell(pd.mean_error),
                                     cell(pd.cpu), cell(1.0)});
    for (int i = CONSTRAINT; i <= EXACT; i++) {
        double at[2] = {0.01, largest_step(b, &rows[i], pd.mean_error)};
        for (int k = 0; k < 2; k++) {
            Ur10Run run = run_timed(b, &rows[i], at[k]);
            located_row(out, (LocatedCell[]){cell_text(rows[i].method.name), cell(at[k]),
                                             cell(run.mean_error), cell(run.cpu), cell(pd.cpu / run.cpu)});
        }
    }
}

/* kp 1e7 at 10 ms: implicit holds, explicit is lost. */
static bool table_stiff(LocatedOut *out, Bench *b)
{
    static const LocatedColumn columns[] = {
        {"method", "kp 1e7, step 10 ms", false}, {"stable", "stable", true}, {"mae", "MAE, rad", false}};
    static const char *const kinds[2] = {"pd", "implicit-pd"};
    Ur10Gains stiff = ur10_example;
    bool stable[2];
    for (int i = 0; i < UR10_JOINTS; i++)
        stiff.kp[i] = STIFF;
    located_table(out, "ur10_stiff", "Gains of 1e7 N m/rad", columns, 3);
    for (int i = 0; i < 2; i++) {
        Row row = {{kinds[i], kinds[i], &stiff, 0.0}, false, {0.0, 0.0, 0.0}};
        Ur10Run run = run_once(b, &row, 0.01);
        stable[i] = run.stable;
        located_row(out, (LocatedCell[]){cell_text(kinds[i]), cell(run.stable),
                                         cell(run.stable ? run.mean_error : NAN)});
    }
    return !stable[0] && stable[1];
}

bool control_ur10(LocatedOut *out, const ControlOptions *options)
{
    Bench b = {.options = options, .time = options->quick ? 1.0 : UR10_TIME};
    double steps[ROWS];
    if (!control_has_file(out, "ur10", options->arm))
        return true;
    b.arms[0] = ur10_arm_load(options->arm, false);
    if (b.arms[0].model == NULL) {
        fprintf(stderr, "rigor-bench-control: %s: %s\n", options->arm, b.arms[0].error.text);
        return false;
    }
    if (control_has_file(out, "geared PD", options->geared))
        b.arms[1] = ur10_arm_load(options->geared, true);
    table_two(out, &b, steps);
    table_speed(out, &b, steps[PD_TUNED]);
    bool stiff = table_stiff(out, &b);

    /* The order of the paper: PD, geared PD, ID control, ID constraint. */
    bool ordered = steps[PD_TUNED] < steps[CONTROL] && steps[CONTROL] <= steps[CONSTRAINT];
    if (b.arms[1].model != NULL)
        ordered = ordered && steps[PD_TUNED] < steps[GEARED_TUNED] && steps[GEARED_TUNED] <= steps[CONTROL];
    located_note(out, "Order of the methods by their largest step: %s; gains of 1e7: %s.",
                 ordered ? "as published" : "NOT as published",
                 stiff ? "explicit lost, implicit stable" : "NOT as they must be");
    for (int i = 0; i < 2; i++)
        ur10_arm_free(&b.arms[i]);
    return ordered && stiff;
}
