/*
 * 003-box-stacks: four stacks of six boxes by row-parallel Gauss-Seidel on 1, 2, 4, 8 processors (paper 003, sections
 * 3.2 and 5.6, Figure 6).
 *
 * Every step is swept, from nothing, to a residual of 10 x 10^-3. The rows of the paper are accelerations (its eq. 5),
 * so that this is 1e-2 m/s^2, here 1e-2 h m/s: root of the mean square of what a sweep changes.
 *
 * The baseline is the best that one processor does: `pgs`, whose rows go four at a time, to the same residual. Against
 * it
 *
 *   row-parallel on p   p chunks of the rows on p threads: chunks that are blind to each other take other numbers of sweeps
 *   pgs on p            the same sweeps, shared by p threads, to the same bits
 *
 * Counted, on any machine: row visits that must follow each other, of the baseline over those on p. Time is measured
 * where the processors are there: the same step from the same state, by turns, best of many, since others may be at
 * work too.
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

/* How rows are swept: by "pgs", or "pgs:jacobi" (the paper's) in so many chunks; sor: omega. */
typedef struct Sweeps {
    const char *solver;
    int chunks;
    double sor;
} Sweeps;

static RgWorld *sweeping(Lab *lab, RgWorldDef def, const Sweeps *by)
{
    LabPgs rows = lab_pgs("ode");
    rows.law.contact_erp = 0.1; /* of a world of stacks of the time, as its cfm */
    rows.law.cfm = 1e-11;
    rows.law.only_overlaps = false;
    rows.pgs.order = RG_PGS_BY_KIND; /* the engine's own goes row by row on one thread */
    rows.pgs.sor = by->sor;
    rows.pgs.iterations = MOST_SWEEPS;
    rows.pgs.tolerance = RESIDUAL * H;
    rows.pgs.chunks = by->chunks;
    rows.pgs.mass_splitting = false; /* the paper has none */
    def.solver = by->solver;
    lab_use_pgs(&def, &rows);
    return lab_world_create(lab, &def);
}

/* On p threads in p chunks, omega 0.7. */
static Sweeps row_parallel(int p)
{
    return (Sweeps){"pgs:jacobi", p, 0.7};
}

static const Sweeps plain = {"pgs", 1, 0.7};

/* ------------------------------------------------------------------ sweeps */

typedef struct Count {
    double sweeps;  /* a step, on average */
    double path;    /* part of a sweep's row visits that follow each other */
    bool converged; /* every step to the residual */
    double top;     /* m: largest change of height of a top box */
    uint64_t hash;  /* of the state at the end */
} Count;

static Count count_sweeps(Lab *lab, const RgModel *model, const char *coords, int threads, Sweeps by)
{
    Count out = {.converged = true};
    RgWorld *world = sweeping(lab, stacks_def(model, coords, threads), &by);
    for (int i = 0; world && i < STEPS; i++) {
        RgStepReport report;
        bool stepped = rg_world_step(world, H, &report) == RG_OK;
        out.converged = out.converged && stepped && report.unfinished == 0;
        if (!stepped)
            break;
        out.sweeps += (double)report.sweeps / STEPS;
        out.path = fmax(out.path, report.thread_path);
    }
    for (int column = 0; world && column < 4; column++) {
        char name[] = {'b', 'o', 'x', (char)('0' + column), '5', '\0'};
        RgLinkId top = rg_model_find_link(model, name);
        out.top = fmax(out.top, fabs(rg_world_link_pose(world, top).p.z - 5.5));
    }
    out.hash = world ? rg_world_hash(world) : 0;
    rg_world_destroy(world);
    return out;
}

static void film_stacks(Lab *lab, const RgModel *model)
{
    Sweeps by = row_parallel(8);
    RgWorld *world = sweeping(lab, stacks_def(model, "maximal", 1), &by);
    LabFilm *film = world ? lab_film(lab, "stacks", "four stacks of six boxes, 8 chunks", world, 0.0) : NULL;
    for (int i = 0; film && i < FILM_STEPS && ode_step(lab, world, H, NULL); i++)
        lab_film_step(film, world);
    lab_film_end(film);
    rg_world_destroy(world);
}

/* Row visits that follow each other, of pgs on one processor over those of row-parallel on p. */
static void measure_sweeps(Lab *lab, const RgModel *model, LabFigure *figure)
{
    static const char *const ratio[COUNTS] = {
        "sweeps with 1 chunk over those of pgs", "sweeps with 2 chunks over those of pgs",
        "sweeps with 4 chunks over those of pgs", "sweeps with 8 chunks over those of pgs"};
    static const char *const speed[COUNTS] = {NULL, "row-parallel on 2 over pgs on 1, by visits",
                                              "row-parallel on 4 over pgs on 1, by visits",
                                              "row-parallel on 8 over pgs on 1, by visits"};
    Count serial = count_sweeps(lab, model, "maximal", 1, plain), count[COUNTS];
    double top = 0.0;
    bool converged = serial.converged;
    lab_curve(figure, LAB_LINES_POINTS, "row-parallel, by visits");
    for (int k = 0; k < COUNTS; k++) {
        count[k] = count_sweeps(lab, model, "maximal", processors[k], row_parallel(processors[k]));
        double gain = serial.sweeps * serial.path / (count[k].sweeps * count[k].path);
        lab_measured(lab, ratio[k], count[k].sweeps / serial.sweeps);
        if (k > 0)
            lab_measured(lab, speed[k], gain);
        lab_point(figure, processors[k], gain);
        top = fmax(top, count[k].top);
        converged = converged && count[k].converged;
        lab_progress(lab, 0.1 * (k + 1));
    }
    lab_holds(lab, "every step reaches the residual, omega 0.7", converged);
    lab_measured(lab, "heights of the tops, worst off", top);
    lab_say(lab,
            "Sweeps a step to the residual, omega 0.7: %.1f of pgs; %.1f, %.1f, %.1f, %.1f with 1, 2, 4, 8 "
            "chunks.",
            serial.sweeps, count[0].sweeps, count[1].sweeps, count[2].sweeps, count[3].sweeps);
}

/* The same of pgs on p: the same sweeps. */
static void measure_threads(Lab *lab, const RgModel *model, LabFigure *figure)
{
    static const char *const speed[COUNTS] = {NULL, "pgs on 2 over pgs on 1, by visits",
                                              "pgs on 4 over pgs on 1, by visits", "pgs on 8 over pgs on 1, by visits"};
    Count serial = count_sweeps(lab, model, "maximal", 1, plain);
    bool same = true;
    lab_curve(figure, LAB_LINES_POINTS, "pgs, by visits");
    lab_point(figure, 1.0, 1.0);
    for (int k = 1; k < COUNTS; k++) {
        Count count = count_sweeps(lab, model, "maximal", processors[k], plain);
        lab_measured(lab, speed[k], serial.path / count.path);
        lab_point(figure, processors[k], serial.path / count.path);
        same = same && count.hash == serial.hash;
    }
    lab_holds(lab, "pgs: the same bits on 1, 2, 4, 8 threads", same);
}

/* The paper's warning: Jacobi has the tighter bound, and omega must be made smaller where rows are cut. */
static void measure_bound(Lab *lab, const RgModel *model)
{
    Count whole = count_sweeps(lab, model, "maximal", 1, (Sweeps){"pgs:jacobi", 1, 1.3});
    lab_holds(lab, "omega 1.3 reaches the residual with 1 chunk", whole.converged);
    Count cut = count_sweeps(lab, model, "maximal", 1, (Sweeps){"pgs:jacobi", 8, 1.3});
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

/* Times both alternately, so that other load affects both. Returns how many times as fast b is. */
static double race(Lab *lab, Timed *a, Timed *b, int rounds, double progress)
{
    for (int i = 0; i < rounds; i++) {
        timed_step(a);
        timed_step(b);
        lab_progress(lab, progress + 0.1 * i / rounds);
    }
    return a->best / b->best;
}

/* One way of sweeping on p threads against pgs on one. */
static double speed_up(Lab *lab, const RgModel *model, int p, Sweeps by)
{
    Timed one, many;
    int rounds = lab_quick(lab) ? 150 : 1000;
    timed_begin(&one, sweeping(lab, stacks_def(model, "maximal", 1), &plain));
    timed_begin(&many, sweeping(lab, stacks_def(model, "maximal", p), &by));
    double times = race(lab, &one, &many, rounds, 0.5);
    lab_say(lab, "A step takes %.3g ms by pgs on 1 processor and %.3g ms by %s on %d.", 1e3 * one.best, 1e3 * many.best,
            by.solver, p);
    timed_end(&one);
    timed_end(&many);
    return times;
}

/* Part of the time in which this process had a processor; below 1 on a busy machine. */
static double share_of_processor(Lab *lab, const RgModel *model)
{
    Timed one;
    timed_begin(&one, sweeping(lab, stacks_def(model, "maximal", 1), &plain));
    double cpu = lab_cpu(), time = wall();
    for (int i = 0; i < 100; i++)
        timed_step(&one);
    timed_end(&one);
    return (lab_cpu() - cpu) / (wall() - time);
}

static void tell_times(Lab *lab, const RgModel *model, LabFigure *figure, Sweeps by, const char *const rows[COUNTS])
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double share = share_of_processor(lab, model);
    lab_curve(figure, LAB_LINES_POINTS, by.chunks > 1 ? "row-parallel, measured" : "pgs, measured");
    for (int k = 1; k < COUNTS; k++) {
        if (processors[k] > cores) {
            lab_skipped(lab, rows[k], "this machine has %ld processors", cores);
            continue;
        }
        by.chunks = by.chunks > 1 ? processors[k] : 1;
        double times = speed_up(lab, model, processors[k], by);
        share = fmin(share, share_of_processor(lab, model));
        lab_measured(lab, rows[k], times);
        lab_point(figure, processors[k], times);
        if (share < BUSY)
            lab_skipped(lab, rows[k],
                        "others are at work on this machine: one thread had a processor %.0f %% of the time "
                        "(measured meanwhile: %.2f)",
                        100.0 * share, times);
    }
}

/* `quick` as it is: it begins with the impulses of the last step, as the paper's method does not. */
static void measure_quick(Lab *lab, const RgModel *model)
{
    RgWorldDef def = stacks_def(model, "maximal", 1);
    def.solver = "quick";
    Timed pgs, quick;
    timed_begin(&pgs, sweeping(lab, stacks_def(model, "maximal", 1), &plain));
    timed_begin(&quick, lab_world_create(lab, &def));
    lab_measured(lab, "our quick on 1 processor, times as fast as pgs on 1", race(lab, &pgs, &quick, 100, 0.7));
    timed_end(&pgs);
    timed_end(&quick);
}

static void run(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "stacks.sdf", NULL);
    if (!model)
        return;
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"fig6", "Figure 6: speed-up of box stacks", "processors", .y = "speed-up"});
    lab_curve(figure, LAB_DASHED, "as many times as there are processors");
    lab_point(figure, 1.0, 1.0);
    lab_point(figure, 8.0, 8.0);
    static const char *const threads[COUNTS] = {NULL, "pgs on 2 over pgs on 1, measured",
                                                "pgs on 4 over pgs on 1, measured", "pgs on 8 over pgs on 1, measured"};
    static const char *const chunks[COUNTS] = {NULL, "row-parallel on 2 over pgs on 1, measured",
                                               "row-parallel on 4 over pgs on 1, measured",
                                               "row-parallel on 8 over pgs on 1, measured"};
    measure_sweeps(lab, model, figure);
    measure_threads(lab, model, figure);
    measure_bound(lab, model);
    film_stacks(lab, model);
    Count one = count_sweeps(lab, model, "minimal", 1, plain),
          eight = count_sweeps(lab, model, "minimal", 8, row_parallel(8));
    lab_measured(lab, "sweeps with 8 chunks over those of pgs, minimal", eight.sweeps / one.sweeps);
    Count alone = count_sweeps(lab, model, "minimal", 1, row_parallel(8));
    lab_holds(lab, "row-parallel: the same bits on any number of threads", alone.hash == eight.hash);
    tell_times(lab, model, figure, plain, threads);
    tell_times(lab, model, figure, row_parallel(2), chunks);
    measure_quick(lab, model);
    rg_model_destroy(model);
}

const Experiment experiment_box_stacks = {
    "003-box-stacks", "rows of four stacks swept in parallel (paper 003, section 5.6, Figure 6)", 6.0, 3.0, run};
