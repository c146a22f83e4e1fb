/*
 * 000-D: steps chosen by the error in kinetic energy, of a quadruped that trots on the spot.
 *
 *   |E' - E''| > 0.0025 E'':   again with a shorter h, 0.5 ms at least      nominal 5 ms (6 ms standing)
 *
 * by the paper's own steps (trot_scheme.h; algorithm 2, advancement off) with two ways of shortening,
 *
 *   by places    h <- 0.9 h min(1, k),  k the least of 0.01 m/s and 0.1 rad/s over how far, per h, x' and x'' lie apart, by link    (its code)
 *   as printed   h <- 0.9 h (allowed error / error)                                                                           (algorithm 2, line 23)
 *
 * and by our stepper c2a as it comes, with two solvers. The error over a period of the gait (Figure 4) is that of fixed
 * steps of 1 ms.
 *
 * Twin: the chosen steps of the time add up to it.
 */
#include "trot_scheme.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ALLOWED 2.5e-3 /* part of E'' */
#define NOMINAL 5e-3
#define NOMINAL_STANDING 6e-3
#define LEAST 5e-4
#define BAUMGARTE 100.0 /* 1/s: the paper's code corrects overlaps in this experiment */
#define LINKS 32
#define BINS 60 /* of a period */

typedef enum Shortening { BY_PLACES, AS_PRINTED, BY_A_TENTH } Shortening;

typedef struct Control {
    Shortening shortening;
    bool signed_error; /* as printed: E' - E'' counts only where it is above 0 */
    const char *coords;
    bool stands;
    double raised; /* m */
} Control;

/* Steps, apart by what the feet do: all stand, some swing. */
typedef struct Chosen {
    double time[2];
    int64_t steps[2], rejected;
    double bin_time[BINS]; /* by the phase of the gait */
    int64_t bin_steps[BINS];
    double failed; /* s; NaN: it did not */
} Chosen;

static int phase_bin(double t)
{
    int bin = (int)(fmod(t, TROT_PERIOD) / TROT_PERIOD * BINS);
    return bin < BINS ? bin : BINS - 1;
}

/* So many steps that began at t and last h together. */
static void add_steps(Chosen *c, const Gait *gait, double t, double h, int64_t steps)
{
    int swings = trot_swings(gait, t + 0.5 * h) ? 1 : 0, bin = phase_bin(t + 0.5 * h);
    c->time[swings] += h;
    c->steps[swings] += steps;
    c->bin_time[bin] += h;
    c->bin_steps[bin] += steps;
}

static double mean_step(const Chosen *c)
{
    return 1e3 * (c->time[0] + c->time[1]) / (double)(c->steps[0] + c->steps[1]);
}

static double mean_swing(const Chosen *c)
{
    return 1e3 * c->time[1] / (double)c->steps[1];
}

/* ------------------------------------------------------------------ algorithm 2 */

static RgPose places[2][LINKS];

static int links_of(Scheme *s, const SchemeState *x, RgPose *out)
{
    int count = rg_model_info(s->impact.model).links;
    count = count < LINKS ? count : LINKS;
    rg_world_set_state(s->impact.world, x->q, x->v);
    for (int i = 0; i < count; i++)
        out[i] = rg_world_link_pose(s->impact.world, (RgLinkId){i + 1});
    return count;
}

/* Largest of how far x' and x'' lie apart, per h, over what is allowed. */
static double places_apart(Scheme *s, const SchemeTrial *trial, double h)
{
    double worst = 0.0;
    int count = links_of(s, &trial->one, places[0]);
    links_of(s, &trial->two, places[1]);
    for (int i = 0; i < count; i++) {
        RgVec3 a = places[0][i].p, b = places[1][i].p;
        RgQuat p = rg_pose_quat(&places[0][i]), q = rg_pose_quat(&places[1][i]);
        double same = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -1.0 : 1.0;
        double way = fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
        double turn = 2.0 * fmax(fabs(p.x - same * q.x), fmax(fabs(p.y - same * q.y), fabs(p.z - same * q.z)));
        worst = fmax(worst, fmax(way / h / 0.01, turn / h / 0.1));
    }
    return worst;
}

static double shorter(Scheme *s, const Control *c, const SchemeTrial *trial, double h)
{
    double error = fabs(trial->energy_one - trial->energy_two), factor = 1.0;
    if (c->shortening == BY_PLACES)
        factor = 1.0 / places_apart(s, trial, h);
    if (c->shortening == AS_PRINTED)
        factor = ALLOWED * trial->energy_two / error;
    return fmax(LEAST, 0.9 * h * fmin(1.0, factor));
}

static bool within(const Control *c, const SchemeTrial *trial)
{
    double error = trial->energy_one - trial->energy_two;
    return (c->signed_error ? error : fabs(error)) <= ALLOWED * trial->energy_two;
}

/* One step of at most h, as long as the error allows; its length, 0: failed. */
static double controlled_step(Scheme *s, const Control *c, double h, Chosen *chosen)
{
    SchemeTrial trial;
    for (;;) {
        if (!scheme_try(s, h, &trial) || !(trial.energy_one <= TROT_FAILED && trial.energy_two <= TROT_FAILED))
            return 0.0;
        if (within(c, &trial) || h <= LEAST)
            break;
        chosen->rejected++;
        h = shorter(s, c, &trial, h);
    }
    scheme_take(s, &trial);
    return h;
}

static Chosen choose(Lab *lab, const Control *c, bool filmed)
{
    Chosen chosen = {.failed = (double)NAN};
    Scheme s;
    SchemeSetup setup = {.coords = c->coords, .stands = c->stands, .baumgarte = BAUMGARTE, .raised = c->raised};
    if (!scheme_begin(lab, &setup, &s))
        return chosen;
    LabFilm *film =
        filmed ? lab_film(lab, "control", "steps chosen by the error in kinetic energy", scheme_world(&s), 0.0) : NULL;
    double nominal = c->stands ? NOMINAL_STANDING : NOMINAL;
    while (s.now.t < TROT_TIME - 1e-9 && isnan(chosen.failed)) {
        double t = s.now.t, h = controlled_step(&s, c, fmin(nominal, TROT_TIME - t), &chosen);
        if (h > 0.0)
            add_steps(&chosen, s.smooth.gait, t, h, 1);
        else
            chosen.failed = t;
        if (film && t < 1.5)
            lab_film_step(film, scheme_world(&s));
    }
    lab_film_end(film);
    scheme_end(&s);
    return chosen;
}

/* ------------------------------------------------------------------ c2a */

/* contact_erp: as of TrotSetup. */
static Chosen choose_c2a(Lab *lab, const char *solver, const char *coords, double contact_erp)
{
    Chosen c = {.failed = (double)NAN};
    Trot t;
    TrotSetup setup = {.stepper = "c2a",
                       .solver = solver,
                       .coords = coords,
                       .h_min = LEAST,
                       .relative = ALLOWED,
                       .contact_erp = contact_erp};
    if (!trot_begin(lab, &setup, &t))
        return c;
    int64_t before = 0;
    for (int k = 0; k < (int)(TROT_TIME / NOMINAL + 0.5) && isnan(c.failed); k++) {
        double now = rg_world_time(t.world);
        if (rg_world_step(t.world, NOMINAL, NULL) != RG_OK)
            c.failed = now;
        RgStepStatistics statistics = rg_world_step_statistics(t.world);
        add_steps(&c, t.gait, now, NOMINAL, statistics.steps - before);
        before = statistics.steps;
    }
    trot_end(&t);
    return c;
}

/* ------------------------------------------------------------------ Figure 4 */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Relative errors by the phase of the gait; the first period, in which the robot lands, is left out. */
typedef struct Cycle {
    double error[BINS][512];
    int count[BINS];
} Cycle;

static bool cycle_measure(Lab *lab, Cycle *cycle)
{
    Scheme s;
    bool good = scheme_begin(lab, &(SchemeSetup){0}, &s);
    for (int k = 0; good && k < 5000; k++) {
        SchemeTrial trial;
        good = scheme_try(&s, 1e-3, &trial);
        int bin = k % 300 / (300 / BINS);
        if (good && k >= 300)
            cycle->error[bin][cycle->count[bin]++] = fabs(trial.energy_one - trial.energy_two) / trial.energy_two;
        if (good)
            scheme_take(&s, &trial);
    }
    scheme_end(&s);
    return good;
}

/* Mean from one phase to another. */
static double cycle_mean(const Cycle *cycle, double from, double to)
{
    double sum = 0.0;
    int count = 0;
    for (int bin = (int)(from * BINS + 0.5); bin < (int)(to * BINS + 0.5); bin++)
        for (int i = 0; i < cycle->count[bin]; i++, count++)
            sum += cycle->error[bin][i];
    return sum / count;
}

static void figure_4(Lab *lab)
{
    static Cycle cycle;
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"fig4",
                                                        "Figure 4: local error in kinetic energy over a gait "
                                                        "cycle (step, stand, step, stand)",
                                                        "phase of the gait", "relative error (%)", .log_y = true});
    if (!cycle_measure(lab, &cycle)) {
        lab_fail(lab, "steps of 1 ms were refused");
        return;
    }
    const char *const names[] = {"mean over 15 cycles", "median"};
    for (int curve = 0; curve < 2; curve++) {
        lab_curve(figure, LAB_STEPS, "%s", names[curve]);
        for (int bin = 0; bin < BINS; bin++) {
            qsort(cycle.error[bin], (size_t)cycle.count[bin], sizeof(double), ascending);
            double mean = cycle_mean(&cycle, (double)bin / BINS, (bin + 1.0) / BINS);
            lab_point(figure, (double)bin / BINS, 100.0 * (curve == 0 ? mean : cycle.error[bin][cycle.count[bin] / 2]));
            if (bin == BINS - 1)
                lab_point(figure, 1.0, 100.0 * mean);
        }
    }
    double step[2] = {cycle_mean(&cycle, 0.0, 0.25), cycle_mean(&cycle, 0.5, 0.75)};
    double stand[2] = {cycle_mean(&cycle, 0.25, 0.5), cycle_mean(&cycle, 0.75, 1.0)};
    lab_measured(lab, "error of a step over that of standing", (step[0] + step[1]) / (stand[0] + stand[1]));
    lab_holds(lab, "each step above each stand", fmin(step[0], step[1]) > fmax(stand[0], stand[1]));
    lab_say(lab, "Mean relative error in the four quarters of the gait: %.3g, %.2g, %.3g, %.2g %%.", 100.0 * step[0],
            100.0 * stand[0], 100.0 * step[1], 100.0 * stand[1]);
}

/* ------------------------------------------------------------------ the whole */

static void tell(Lab *lab, const char *name, const Chosen *c)
{
    bool lasts = isnan(c->failed);
    char row[128];
    snprintf(row, sizeof row, "steps in 5 s: %s", name);
    lab_measured(lab, row, lasts ? (double)(c->steps[0] + c->steps[1]) : (double)NAN);
    snprintf(row, sizeof row, "mean step: %s", name);
    lab_measured(lab, row, lasts ? mean_step(c) : (double)NAN);
    snprintf(row, sizeof row, "mean step while feet swing: %s", name);
    lab_measured(lab, row, lasts ? mean_swing(c) : (double)NAN);
    lab_say(lab, "%s: mean step while all stand %.3g ms.", name, 1e3 * c->time[0] / (double)c->steps[0]);
}

static void other_ways(Lab *lab)
{
    Chosen stands = choose(lab, &(Control){.stands = true}, false);
    lab_say(lab, "Standing all the time, nominal 6 ms: mean step %.3g ms.", mean_step(&stands));
    for (int i = 1; i <= 2; i++) {
        Chosen c = choose(lab, &(Control){.raised = 1e-5 * i}, false);
        lab_say(lab, "From a start %d micrometres higher: %d steps, mean %.3g ms, feet swing %.3g ms.", 10 * i,
                (int)(c.steps[0] + c.steps[1]), mean_step(&c), mean_swing(&c));
    }
    Chosen c = choose_c2a(lab, "dantzig", "minimal", 0.0);
    lab_say(lab, "c2a, dantzig, overlaps left as they are: %d steps, mean %.3g ms, feet swing %.3g ms.",
            (int)(c.steps[0] + c.steps[1]), mean_step(&c), mean_swing(&c));
    c = choose(lab, &(Control){.signed_error = true}, false);
    if (isnan(c.failed))
        lab_say(lab, "With the sign of the error as printed: mean step %.3g ms.", mean_step(&c));
    else
        lab_say(lab, "With the sign of the error as printed (E' - E'', not its size) it fails after %.3g s.", c.failed);
    if (lab_quick(lab))
        return;
    c = choose(lab, &(Control){.shortening = BY_A_TENTH}, false);
    lab_say(lab, "Shortened by a tenth each time: %d steps, mean %.4g ms, feet swing %.4g ms; %d tries thrown away.",
            (int)(c.steps[0] + c.steps[1]), mean_step(&c), mean_swing(&c), (int)c.rejected);
}

static void draw(LabFigure *figure, const char *name, const Chosen *c)
{
    lab_curve(figure, LAB_STEPS, "%s", name);
    for (int bin = 0; bin <= BINS; bin++) {
        int from = bin < BINS ? bin : BINS - 1;
        lab_point(figure, (double)bin / BINS, 1e3 * c->bin_time[from] / fmax(1.0, (double)c->bin_steps[from]));
    }
}

static void run(Lab *lab)
{
    static const struct {
        const char *name;
        Control control;
        const char *c2a; /* its solver; NULL: the paper's steps */
        double contact_erp;
    } ways[] = {{"paper's steps", {.shortening = BY_PLACES}, NULL, 0.0},
                {"as printed", {.shortening = AS_PRINTED}, NULL, 0.0},
                {"maximal", {.shortening = BY_PLACES, .coords = "maximal"}, NULL, 0.0},
                {"c2a", {.coords = "minimal"}, "quick", -1.0},
                {"c2a, maximal", {.coords = "maximal"}, "quick", -1.0},
                {"c2a, dantzig", {.coords = "minimal"}, "dantzig", TROT_ERP}};
    enum { COUNT = sizeof ways / sizeof ways[0] };
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"steps", "steps chosen, by the phase of the gait",
                                                        "phase of the gait", .y = "mean step (ms)"});
    for (int i = 0; i < COUNT && !lab_failed(lab); i++) {
        const Control *control = &ways[i].control;
        Chosen c = ways[i].c2a ? choose_c2a(lab, ways[i].c2a, control->coords, ways[i].contact_erp)
                               : choose(lab, control, i == 0);
        tell(lab, ways[i].name, &c);
        if (i == 0 || i == 3)
            draw(figure, ways[i].name, &c);
        lab_progress(lab, 0.1 * (i + 1));
    }
    LAB_PARTS(lab, figure_4, other_ways);
}

const Experiment experiment_error_control = {
    "000-D-error-control", "steps chosen by the error in kinetic energy (paper 000, section IV-D, Figure 4)", 10.0, 7.0,
    run};
