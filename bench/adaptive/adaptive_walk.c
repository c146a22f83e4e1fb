/*
 * adaptive_walk.c - the experiments of paper 000 with the quadruped that trots on the spot (scenes/gait.h).
 *
 * Fixed steps are those of `advance` with h_min = the step, which is algorithm 1 of the paper as time stepping; the controller
 * is asked once a step and held, as there. A run has failed when v.Mv exceeds 1e7 J, or the step is refused.
 *
 * The error in kinetic energy is that of one step against two halves, from the same state, by worlds of the same settings;
 * the run goes on from the two halves.
 */
#include "adaptive_robot.h"

#include <stdlib.h>
#include <string.h>

#define FAILED 1e7 /* J: v.Mv */
#define TIME 5.0
#define PERIOD 0.3
#define BINS 30
#define MOST_SAMPLES 5000

/* Steps of h until failure, at most `most`; the number made, negative: none failed. */
static int steps_to_failure(Walk *w, double h, int most)
{
    for (int k = 1; k <= most; k++) {
        RgStatus status = rg_world_step(w->world, h, NULL);
        if (status != RG_OK || !(2.0 * adaptive_kinetic(w->world) <= FAILED))
            return k;
    }
    return -most;
}

static void failure_row(LocatedOut *out, double parameter, int steps)
{
    located_row(out, (LocatedCell[]){cell(parameter), cell(steps > 0 ? steps : (double)NAN),
                                     cell(steps > 0 ? (double)NAN : -steps)});
}

/* ------------------------------------------------------------------ 000-A, 000-E */

bool adaptive_failures(LocatedOut *out, const AdaptiveOptions *o)
{
    static const double steps[] = {1.0, 1.5, 1.75, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0};
    static const LocatedColumn columns[] = {{"step_ms", "step, ms", false},
                                            {"failed_after", "failed after steps", true},
                                            {"lasted", "lasted steps", true}};
    located_table(out, "failures",
                  "Steps until failure (000-A; published: fewer the longer the step, 1 ms lasts, 5 ms fails)",
                  columns, 3);
    double time = o->quick ? 1.0 : TIME;
    int first = 0;
    for (int i = 0; i < (int)(sizeof steps / sizeof steps[0]); i += o->quick ? 3 : 1) {
        double h = 1e-3 * steps[i];
        Walk w;
        if (!walk_begin(out, o, &(WalkSetup){.stepper = "advance", .h_min = h}, &w))
            return true;
        int made = steps_to_failure(&w, h, (int)(time / h + 0.5));
        failure_row(out, steps[i], made);
        walk_end(&w);
        first = i == 0 ? made : first;
    }
    return first < 0;
}

bool adaptive_dissipation(LocatedOut *out, const AdaptiveOptions *o)
{
    static const double lambdas[] = {0.0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
    static const LocatedColumn columns[] = {{"lambda", "lambda", false},
                                            {"failed_after", "failed after steps", true},
                                            {"lasted", "lasted steps", true}};
    for (int pass = 0; pass < 2; pass++) {
        double h = pass == 0 ? 5e-3 : 10e-3;
        located_table(
            out, pass == 0 ? "dissipation" : "dissipation_10ms",
            pass == 0
                ? "Steps of 5 ms until failure with v <- (1 - lambda) v (000-E; published: more with lambda)"
                : "The same with steps of 10 ms",
            columns, 3);
        for (int i = 0; i < (int)(sizeof lambdas / sizeof lambdas[0]); i += o->quick ? 4 : 1) {
            Walk w;
            WalkSetup setup = {.stepper = "advance", .h_min = h, .dissipation = lambdas[i]};
            if (!walk_begin(out, o, &setup, &w))
                return true;
            failure_row(out, lambdas[i], steps_to_failure(&w, h, (int)((o->quick ? 1.0 : TIME) / h + 0.5)));
            walk_end(&w);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ 000-C */

/* Means over a run. */
typedef struct Errors {
    int count;
    double error, kinetic, relative; /* J, J, parts */
    double swing, stance;            /* relative, while feet swing and while all stand */
    double bin[BINS];                /* relative, by the phase of the gait */
    int in_bin[BINS], swinging;
    double each[MOST_SAMPLES]; /* relative */
} Errors;

static void add_error(Errors *e, const Gait *gait, double t, double one, double two)
{
    double error = fabs(one - two), relative = two > 0.0 ? error / two : 0.0;
    e->each[e->count++] = relative;
    e->error += error;
    e->kinetic += two;
    e->relative += relative;
    bool swings = walk_swings(gait, t);
    e->swinging += swings;
    *(swings ? &e->swing : &e->stance) += relative;
    int bin = (int)(fmod(t, PERIOD) / PERIOD * BINS);
    bin = bin < BINS ? bin : BINS - 1;
    e->bin[bin] += relative;
    e->in_bin[bin]++;
}

/* One step of h against two halves, all along, at most MOST_SAMPLES. False: refused. */
static bool measure(Walk *w, double h, int most, Errors *e)
{
    RgStatus status = RG_OK;
    memset(e, 0, sizeof *e);
    for (int k = 0; k < most && status == RG_OK; k++) {
        size_t size = rg_world_state_size(w->world);
        void *state = malloc(size);
        if (state == NULL)
            return false;
        double t = rg_world_time(w->world);
        rg_world_state_save(w->world, state);
        gait_hold(w->gait, w->world);
        status = rg_world_step(w->world, h, NULL);
        double one = adaptive_kinetic(w->world);
        if (status == RG_OK)
            status = rg_world_state_load(w->world, state, size);
        for (int i = 0; i < 2 && status == RG_OK; i++)
            status = rg_world_step(w->world, 0.5 * h, NULL);
        free(state);
        if (status == RG_OK)
            add_error(e, w->gait, t, one, adaptive_kinetic(w->world));
    }
    return status == RG_OK && e->count > 0;
}

/*
 * The mean is that of a few steps in which a foot lands, early in the one and late in the other; the median is of all others.
 * Halves look ahead for contacts by a whole h here, so that they brake a foot that comes down ever more gently: adaptive_split.c
 * tells how much of the mean that is, adaptive_rule.c has contacts as the paper has them.
 */
bool adaptive_forms(LocatedOut *out, const AdaptiveOptions *o)
{
    static const LocatedColumn columns[] = {{"form", "form", false},
                                            {"error", "mean error, J", false},
                                            {"kinetic", "mean kinetic, J", false},
                                            {"relative", "mean relative, %", false},
                                            {"median", "median, %", false},
                                            {"swing", "swing, %", false},
                                            {"stance", "stance, %", false}};
    double none = (double)NAN, relative[2] = {none, none};
    located_table(
        out, "forms",
        "Error in kinetic energy of 1 ms steps (000-C; its joules may be of v.Mv, twice the energy)", columns,
        7);
    located_row(out, (LocatedCell[]){cell_text("explicit, published"), cell(1.2306e-4), cell(0.13494),
                                     cell(0.77389), cell(none), cell(none), cell(none)});
    located_row(out, (LocatedCell[]){cell_text("semi-implicit, publ."), cell(1.5029e-4), cell(0.12875),
                                     cell(1.3904), cell(none), cell(none), cell(none)});
    for (int form = 0; form < 2; form++) {
        Walk w;
        static Errors e;
        WalkSetup setup = {.stepper = "advance", .h_min = 1e-3, .explicit_forces = form == 0};
        if (!walk_begin(out, o, &setup, &w))
            return true;
        bool ran = measure(&w, 1e-3, o->quick ? 600 : 5000, &e);
        walk_end(&w);
        if (!ran) {
            located_note(out, "%s: refused", form == 0 ? "explicit" : "semi-implicit");
            continue;
        }
        relative[form] = 100.0 * e.relative / e.count;
        located_row(out, (LocatedCell[]){cell_text(form == 0 ? "explicit" : "semi-implicit"),
                                         cell(e.error / e.count), cell(e.kinetic / e.count),
                                         cell(relative[form]), cell(adaptive_summary(e.each, e.count).median),
                                         cell(100.0 * e.swing / e.swinging),
                                         cell(100.0 * e.stance / (e.count - e.swinging))});
    }
    return isfinite(relative[0]) && isfinite(relative[1]);
}

/* ------------------------------------------------------------------ 000-D */

/* Steps of c2a over a time, apart by what the feet do. */
typedef struct Chosen {
    double time[2];   /* s: all stand, some swing */
    int64_t steps[2]; /* likewise */
    int64_t rejected;
    bool refused;
} Chosen;

static Chosen choose_steps(Walk *w, double h, double time)
{
    Chosen c = {.refused = false};
    RgStepStatistics before = rg_world_step_statistics(w->world);
    for (int k = 0; k < (int)(time / h + 0.5) && !c.refused; k++) {
        double t = rg_world_time(w->world);
        c.refused = rg_world_step(w->world, h, NULL) != RG_OK;
        RgStepStatistics now = rg_world_step_statistics(w->world);
        int swings = walk_swings(w->gait, t + 0.5 * h) ? 1 : 0;
        c.time[swings] += h;
        c.steps[swings] += now.steps - before.steps;
        before = now;
    }
    for (int i = 0; i < RG_CUT_COUNT; i++)
        c.rejected += before.rejected[i];
    return c;
}

static void chosen_row(LocatedOut *out, const char *name, double time, int64_t steps, int64_t rejected)
{
    located_row(out, (LocatedCell[]){cell_text(name), cell((double)steps), cell(1e3 * time / (double)steps),
                                     cell((double)rejected)});
}

static bool control_rows(LocatedOut *out, const AdaptiveOptions *o)
{
    double none = (double)NAN, time = o->quick ? 0.6 : TIME;
    located_row(out,
                (LocatedCell[]){cell_text("walk and stand, publ."), cell(2000.0), cell(2.3427), cell(none)});
    located_row(out, (LocatedCell[]){cell_text("walking, published"), cell(none), cell(2.1646), cell(none)});
    for (int stands = 0; stands < 2; stands++) {
        Walk w;
        WalkSetup setup = {.stepper = "c2a", .h_min = 5e-4, .relative = 2.5e-3, .stands = stands == 1};
        if (!walk_begin(out, o, &setup, &w))
            return true;
        Chosen c = choose_steps(&w, stands == 1 ? 6e-3 : 5e-3, time);
        walk_end(&w);
        if (c.refused) {
            located_note(out, "%s: refused", stands == 1 ? "stand" : "walk");
            return false;
        }
        if (stands == 1) {
            chosen_row(out, "stand, nominal 6 ms", c.time[0] + c.time[1], c.steps[0] + c.steps[1],
                       c.rejected);
            continue;
        }
        chosen_row(out, "walk, nominal 5 ms", c.time[0] + c.time[1], c.steps[0] + c.steps[1], c.rejected);
        located_row(out, (LocatedCell[]){cell_text("  feet swing"), cell((double)c.steps[1]),
                                         cell(1e3 * c.time[1] / (double)c.steps[1]), cell(none)});
        located_row(out, (LocatedCell[]){cell_text("  all feet stand"), cell((double)c.steps[0]),
                                         cell(1e3 * c.time[0] / (double)c.steps[0]), cell(none)});
    }
    return true;
}

bool adaptive_control(LocatedOut *out, const AdaptiveOptions *o)
{
    static const LocatedColumn columns[] = {{"run", "run", false},
                                            {"steps", "steps", true},
                                            {"mean_ms", "mean step, ms", false},
                                            {"rejected", "rejected", true}};
    static const LocatedColumn phase[] = {{"phase", "phase", false},
                                          {"relative", "relative error, %", false}};
    located_table(out, "control",
                  "Steps chosen by the error in kinetic energy, 0.25 % (000-D, c2a, h_min 0.5 ms)", columns,
                  4);
    bool good = control_rows(out, o);
    Walk w;
    static Errors e;
    if (!walk_begin(out, o, &(WalkSetup){.stepper = "advance", .h_min = 1e-3}, &w))
        return true;
    bool ran = measure(&w, 1e-3, o->quick ? 600 : 5000, &e);
    walk_end(&w);
    if (!ran)
        return false;
    located_table(out, "phase",
                  "Error of 1 ms steps over a period of the gait (feet swing in 0-0.25 and 0.5-0.75)", phase,
                  2);
    for (int i = 0; i < BINS; i++)
        located_row(out,
                    (LocatedCell[]){cell((i + 0.5) / BINS), cell(100.0 * e.bin[i] / fmax(1.0, e.in_bin[i]))});
    double swing = e.swing / e.swinging, stance = e.stance / (e.count - e.swinging);
    located_note(out, "mean while feet swing %.3g %%, while all stand %.3g %%", 100.0 * swing,
                 100.0 * stance);
    return good && swing > stance;
}
