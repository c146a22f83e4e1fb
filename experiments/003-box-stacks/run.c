/*
 * 003-box-stacks: four stacks of six boxes by row-parallel Gauss-Seidel on 1, 2, 4, 8 processors (paper 003, sections 3.2 and
 * 5.6, Figure 6).
 *
 * Every step is swept, from nothing, to a residual of 10 x 10^-3. The rows of the paper are accelerations (its eq. 5), so that
 * this is 1e-2 m/s^2, here 1e-2 h m/s: root of the mean square of what a sweep changes.
 *
 * p processors have p chunks of the rows, and do a p-th of a sweep each; chunks that are blind to each other take more sweeps:
 *
 *   speed-up on p = p sweeps(1) / sweeps(p)       where nothing but sweeps takes time
 *
 * That much is counted on any machine. Time is measured where the processors are there: the same step from the same state, by
 * turns, best of many, since others may be at work too.
 */
#define _POSIX_C_SOURCE 200809L
#include "ode_methods.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define H 1e-3
#define RESIDUAL 1e-2 /* m/s^2 */
#define STEPS 20
#define FILM_STEPS 500
#define MOST_SWEEPS 3000
#define COUNTS 4
#define BUSY 0.9 /* part of a processor below which no speed-up can be told */

static const int processors[COUNTS] = {1, 2, 4, 8};

static RgWorldDef stacks_def(const RgModel *model, const char *coords, int threads)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    def.gravity = rg_model_hints(model)->gravity;
    def.threads = threads;
    return def;
}

/* The paper's method with so many chunks; sor: omega. */
static RgWorld *row_parallel(Lab *lab, RgWorldDef def, int chunks, double sor)
{
    LabPgs rows = lab_pgs("ode");
    rows.law.contact_erp = 0.1; /* of a world of stacks of the time, as its cfm */
    rows.law.cfm = 1e-11;
    rows.pgs.sor = sor;
    rows.pgs.iterations = MOST_SWEEPS;
    rows.pgs.tolerance = RESIDUAL * H;
    rows.pgs.chunks = chunks;
    rows.pgs.mass_splitting = false; /* the paper has none */
    def.solver = "pgs:jacobi";
    lab_use_pgs(&def, &rows);
    return lab_world_create(lab, &def);
}

/* ------------------------------------------------------------------ sweeps */

typedef struct Count {
    double sweeps;  /* a step, on average */
    bool converged; /* every step to the residual */
    double top;     /* m: largest change of height of a top box */
    uint64_t hash;  /* of the state at the end */
} Count;

static Count count_sweeps(Lab *lab, const RgWorldDef *def, int chunks, double sor)
{
    Count out = {.converged = true};
    RgWorld *world = row_parallel(lab, *def, chunks, sor);
    for (int i = 0; world && i < STEPS; i++) {
        RgStepReport report;
        bool stepped = rg_world_step(world, H, &report) == RG_OK;
        out.converged = out.converged && stepped && report.unfinished == 0;
        if (!stepped)
            break;
        out.sweeps += (double)report.sweeps / STEPS;
    }
    for (int column = 0; world && column < 4; column++) {
        char name[] = {'b', 'o', 'x', (char)('0' + column), '5', '\0'};
        RgLinkId top = rg_model_find_link(def->model, name);
        out.top = fmax(out.top, fabs(rg_world_link_pose(world, top).p.z - 5.5));
    }
    out.hash = world ? rg_world_hash(world) : 0;
    rg_world_destroy(world);
    return out;
}

static void film_stacks(Lab *lab, const RgWorldDef *def)
{
    RgWorld *world = row_parallel(lab, *def, 8, 0.7);
    LabFilm *film = world ? lab_film(lab, "stacks", "four stacks of six boxes, 8 chunks", world, 0.0) : NULL;
    for (int i = 0; film && i < FILM_STEPS && ode_step(lab, world, H, NULL); i++)
        lab_film_step(film, world);
    lab_film_end(film);
    rg_world_destroy(world);
}

static void tell_sweeps(Lab *lab, const RgWorldDef *def, LabFigure *figure)
{
    static const char *const ratio[COUNTS] = {NULL, "sweeps with 2 chunks over those with 1",
                                              "sweeps with 4 chunks over those with 1",
                                              "sweeps with 8 chunks over those with 1"};
    static const char *const speed[COUNTS] = {NULL, "speed-up on 2 by sweeps", "speed-up on 4 by sweeps",
                                              "speed-up on 8 by sweeps"};
    Count count[COUNTS];
    double top = 0.0;
    bool converged = true;
    lab_curve(figure, LAB_LINES_POINTS, "by sweeps, omega 0.7");
    for (int k = 0; k < COUNTS; k++) {
        count[k] = count_sweeps(lab, def, processors[k], 0.7);
        double more = count[k].sweeps / count[0].sweeps;
        if (k > 0) {
            lab_measured(lab, ratio[k], more);
            lab_measured(lab, speed[k], processors[k] / more);
        }
        lab_point(figure, processors[k], processors[k] / more);
        top = fmax(top, count[k].top);
        converged = converged && count[k].converged;
        lab_progress(lab, 0.1 * (k + 1));
    }
    lab_holds(lab, "every step reaches the residual, omega 0.7", converged);
    lab_measured(lab, "heights of the tops, worst off", top);
    lab_say(lab, "Sweeps a step to the residual, omega 0.7: %.1f, %.1f, %.1f, %.1f with 1, 2, 4, 8 chunks.",
            count[0].sweeps, count[1].sweeps, count[2].sweeps, count[3].sweeps);
}

/* The paper's warning: Jacobi has the tighter bound, and omega must be made smaller where rows are cut. */
static void tell_bound(Lab *lab, const RgWorldDef *def)
{
    Count whole = count_sweeps(lab, def, 1, 1.3);
    lab_holds(lab, "omega 1.3 reaches the residual with 1 chunk", whole.converged);
    Count cut = count_sweeps(lab, def, 8, 1.3);
    lab_holds(lab, "omega 1.3 fails with 8 chunks", !cut.converged);
}

/* ------------------------------------------------------------------ time */

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One world that makes the same step again and again. */
typedef struct Timed {
    RgWorld *world;
    void *start;
    size_t size;
    double best; /* s */
    uint64_t hash;
} Timed;

static void timed_begin(Timed *t, RgWorld *world)
{
    *t = (Timed){.world = world, .best = (double)INFINITY};
    if (!world)
        return;
    rg_world_step(world, H, NULL); /* memory is taken in the first */
    t->size = rg_world_state_size(world);
    t->start = malloc(t->size);
    if (t->start)
        rg_world_state_save(world, t->start);
}

static void timed_step(Timed *t)
{
    if (!t->start || rg_world_state_load(t->world, t->start, t->size) != RG_OK)
        return;
    double before = wall();
    rg_world_step(t->world, H, NULL);
    t->best = fmin(t->best, wall() - before);
    t->hash = rg_world_hash(t->world);
}

static void timed_end(Timed *t)
{
    free(t->start);
    rg_world_destroy(t->world);
}

/* Both by turns, so that what else the machine does is the same for both. Returns how many times as fast b is. */
static double race(Lab *lab, Timed *a, Timed *b, int rounds, double progress)
{
    for (int i = 0; i < rounds; i++) {
        timed_step(a);
        timed_step(b);
        lab_progress(lab, progress + 0.1 * i / rounds);
    }
    return a->best / b->best;
}

/* `quick` as it is: it begins with the impulses of the last step, as the paper's method does not. */
static RgWorld *our_quick(Lab *lab, RgWorldDef def)
{
    def.solver = "quick";
    return lab_world_create(lab, &def);
}

/* p threads and p chunks against one thread and one chunk, as the paper has it. */
static double speed_up(Lab *lab, const RgModel *model, const char *coords, int p, bool *same)
{
    Timed one, many, alone;
    int rounds = lab_quick(lab) ? 150 : 1000;
    timed_begin(&one, row_parallel(lab, stacks_def(model, coords, 1), 1, 0.7));
    timed_begin(&many, row_parallel(lab, stacks_def(model, coords, p), p, 0.7));
    double times = race(lab, &one, &many, rounds, 0.5);
    timed_begin(&alone, row_parallel(lab, stacks_def(model, coords, 1), p, 0.7));
    timed_step(&alone);
    *same = alone.hash == many.hash;
    lab_say(lab, "%s form: a step takes %.3g ms on 1 processor and %.3g ms on %d.", coords, 1e3 * one.best,
            1e3 * many.best, p);
    timed_end(&one);
    timed_end(&many);
    timed_end(&alone);
    return times;
}

/* The part of the time in which this process had a processor: below 1 where others are at work. */
static double share_of_processor(Lab *lab, const RgModel *model)
{
    Timed one;
    timed_begin(&one, row_parallel(lab, stacks_def(model, "maximal", 1), 1, 0.7));
    double cpu = lab_cpu(), time = wall();
    for (int i = 0; i < 100; i++)
        timed_step(&one);
    timed_end(&one);
    return (lab_cpu() - cpu) / (wall() - time);
}

static void tell_times(Lab *lab, const RgModel *model, LabFigure *figure)
{
    static const char *const rows[COUNTS] = {NULL, "speed-up on 2, measured", "speed-up on 4, measured",
                                             "speed-up on 8, measured"};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool same = true;
    double share = share_of_processor(lab, model);
    lab_curve(figure, LAB_LINES_POINTS, "measured");
    lab_point(figure, 1.0, 1.0);
    for (int k = 1; k < COUNTS; k++)
        if (processors[k] <= cores) {
            bool bits;
            double times = speed_up(lab, model, "maximal", processors[k], &bits);
            lab_measured(lab, rows[k], times);
            lab_point(figure, processors[k], times);
            same = same && bits;
            if (share < BUSY)
                lab_skipped(
                    lab, rows[k],
                    "others are at work on this machine: one thread had a processor %.0f %% of the time "
                    "(measured meanwhile: %.2f)",
                    100.0 * share, times);
        } else
            lab_skipped(lab, rows[k], "this machine has %ld processors", cores);
    lab_holds(lab, "the same bits on any number of threads", same);
}

static void tell_quick(Lab *lab, const RgModel *model)
{
    Timed pgs, one, two;
    timed_begin(&pgs, row_parallel(lab, stacks_def(model, "maximal", 1), 1, 0.7));
    timed_begin(&one, our_quick(lab, stacks_def(model, "maximal", 1)));
    timed_begin(&two, our_quick(lab, stacks_def(model, "maximal", 2)));
    double times = race(lab, &pgs, &one, 100, 0.7);
    double threads = race(lab, &one, &two, 400, 0.8);
    lab_measured(lab, "our quick on 1 processor, times as fast as row-parallel on 1", times);
    lab_holds(lab, "our quick: the same bits on 1 and 2 threads", one.hash == two.hash);
    lab_say(lab, "Our quick makes a step in %.3g ms on one thread, %.2g times that on two.", 1e3 * one.best,
            1.0 / threads);
    timed_end(&pgs);
    timed_end(&one);
    timed_end(&two);
}

static void run(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "stacks.sdf", NULL);
    if (!model)
        return;
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){.name = "fig6",
                                                        .title = "Figure 6: speed-up of box stacks",
                                                        .x = "processors",
                                                        .y = "speed-up"});
    lab_curve(figure, LAB_DASHED, "as many times as there are processors");
    lab_point(figure, 1.0, 1.0);
    lab_point(figure, 8.0, 8.0);
    RgWorldDef def = stacks_def(model, "maximal", 1);
    tell_sweeps(lab, &def, figure);
    tell_bound(lab, &def);
    film_stacks(lab, &def);
    def.coords = "minimal";
    Count one = count_sweeps(lab, &def, 1, 0.7), eight = count_sweeps(lab, &def, 8, 0.7);
    lab_measured(lab, "sweeps with 8 chunks over those with 1, minimal", eight.sweeps / one.sweeps);
    tell_times(lab, model, figure);
    tell_quick(lab, model);
    rg_model_destroy(model);
}

const Experiment experiment_box_stacks = {
    .name = "003-box-stacks",
    .title = "rows of four stacks swept in parallel (paper 003, section 5.6, Figure 6)",
    .seconds = 6.0,
    .quick_seconds = 3.0,
    .run = run,
};
