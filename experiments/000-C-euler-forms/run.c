/*
 * 000-C: error in kinetic energy of steps of 1 ms, explicit and semi-implicit, of a trotting quadruped.
 *
 *   e = |E' - E''|      E' after one step, E'' after two halves; means over 5 s of e, of E'' and of e / E''
 *
 * by the paper's own steps (trot_scheme.h). E is v.Mv, as the paper's code has it: twice the kinetic energy.
 *
 * After the first landing a run is chaotic, and the mean of e / E'' is dominated by some 20 of 5,000 steps, in which a
 * foot lands in the halves and not yet in the whole. Runs are therefore repeated from starts that differ by 10
 * micrometres in height: smaller differences are not significant.
 *
 * Checks: both forms from the same states, those of one run; by Coulomb's law a pushed foot does not lift off.
 */
#include "trot_scheme.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP 1e-3
#define SAMPLES 5000
#define RAISED 1e-5 /* m, from start to start */
#define MOST_STARTS 20
#define TOE 2e-3    /* m: a contact so near under a toe is its own */
#define THROWN 1e-4 /* m/s */

enum { EXPLICIT, SEMI_IMPLICIT, NFORMS };
static const char *const form_names[NFORMS] = {"explicit", "semi-implicit"};

/* A law of contact in a form of coordinates, run from so many starts. */
typedef struct Case {
    const char *name;
    const char *solver, *coords;
    int starts, quick_starts;
} Case;

static const Case cases[] = {
    {"Coulomb's law", "dantzig", "minimal", MOST_STARTS, 8},
    {"maximal", "dantzig", "maximal", 4, 1},
    {"least energy", "max-dissipation", "minimal", MOST_STARTS, 1},
};
#define NCASES (int)(sizeof cases / sizeof cases[0])

/* Of one run. */
typedef struct Errors {
    double error, energy; /* J: means; energy is v.Mv */
    double relative;      /* %: mean */
    double signed_error;  /* J: mean of E' - E'' */
    double median, share; /* %: of relative errors; of their sum that those above 1 % make up */
    int above;            /* steps above 1 % */
    bool refused;
} Errors;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void add(Errors *e, const SchemeTrial *trial, double *each)
{
    double difference = trial->energy_one - trial->energy_two;
    *each = trial->energy_two > 0.0 ? fabs(difference) / trial->energy_two : 0.0;
    e->error += fabs(difference) / SAMPLES;
    e->signed_error += difference / SAMPLES;
    e->energy += trial->energy_two / SAMPLES;
    e->relative += 100.0 * *each / SAMPLES;
    e->above += *each > 0.01;
    e->share += *each > 0.01 ? *each : 0.0;
}

/* each: SAMPLES relative errors, which are put in order. */
static void finish(Errors *e, double *each)
{
    qsort(each, SAMPLES, sizeof *each, ascending);
    e->median = 100.0 * each[SAMPLES / 2];
    e->share = e->relative > 0.0 ? 1e4 * e->share / SAMPLES / e->relative : 0.0;
}

static Errors measure(Lab *lab, const Case *c, int form, double raised)
{
    static double each[SAMPLES];
    Errors e = {.refused = true};
    Scheme s;
    SchemeSetup setup = {
        .solver = c->solver, .coords = c->coords, .explicit_forces = form == EXPLICIT, .raised = raised};
    if (!scheme_begin(lab, &setup, &s))
        return e;
    e.refused = false;
    for (int k = 0; k < SAMPLES && !e.refused; k++) {
        SchemeTrial trial;
        e.refused = !scheme_try(&s, STEP, &trial);
        if (e.refused)
            break;
        add(&e, &trial, &each[k]);
        scheme_take(&s, &trial);
    }
    scheme_end(&s);
    finish(&e, each);
    return e;
}

/* ------------------------------------------------------------------ rows */

static void tell(Lab *lab, const Case *c, int form, const Errors *e)
{
    double none = (double)NAN;
    char row[128];
    snprintf(row, sizeof row, "%s, mean error: %s", form_names[form], c->name);
    lab_measured(lab, row, e->refused ? none : e->error);
    snprintf(row, sizeof row, "%s, mean v.Mv: %s", form_names[form], c->name);
    lab_measured(lab, row, e->refused ? none : e->energy);
    snprintf(row, sizeof row, "%s, mean relative error: %s", form_names[form], c->name);
    lab_measured(lab, row, e->refused ? none : e->relative);
    lab_say(lab,
            "%s, %s, the paper's start: median relative error %.2g %%; %d steps of %d are above 1 %% and make "
            "up %.3g %% of the sum. Mean of E' - E'' with its sign %.3g J.",
            c->name, form_names[form], e->median, e->above, SAMPLES, e->share, e->signed_error);
}

/* Of the mean of b - a. */
static double standard_error(const double *a, const double *b, int count)
{
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < count; i++)
        mean += (b[i] - a[i]) / count;
    for (int i = 0; i < count; i++)
        squares += (b[i] - a[i] - mean) * (b[i] - a[i] - mean);
    return sqrt(squares / (count - 1.0) / count);
}

/* Both forms from all starts; the first is the paper's. */
static void run_case(Lab *lab, const Case *c, LabFigure *figure, double from, double to)
{
    int starts = lab_quick(lab) ? c->quick_starts : c->starts, lower = 0;
    double relative[NFORMS][MOST_STARTS] = {{0.0}}, mean[NFORMS] = {0.0, 0.0};
    for (int i = 0; i < starts && !lab_failed(lab); i++) {
        for (int form = 0; form < NFORMS; form++) {
            Errors e = measure(lab, c, form, RAISED * i);
            relative[form][i] = e.refused ? (double)NAN : e.relative;
            mean[form] += relative[form][i] / starts;
            if (i == 0)
                tell(lab, c, form, &e);
            lab_progress(lab, from + (to - from) * (i + 0.5 * (form + 1)) / starts);
        }
        lower += relative[EXPLICIT][i] < relative[SEMI_IMPLICIT][i];
    }
    if (starts < 2 || lab_failed(lab))
        return;
    char row[128];
    snprintf(row, sizeof row, "semi-implicit over explicit, mean of starts: %s", c->name);
    lab_measured(lab, row, mean[SEMI_IMPLICIT] / mean[EXPLICIT]);
    lab_say(lab,
            "%s: explicit is lower from %d of %d starts; means over them %.3g %% and %.3g %%, their difference "
            "%.2g +- %.2g %% (standard error).",
            c->name, lower, starts, mean[EXPLICIT], mean[SEMI_IMPLICIT], mean[SEMI_IMPLICIT] - mean[EXPLICIT],
            standard_error(relative[EXPLICIT], relative[SEMI_IMPLICIT], starts));
    for (int form = 0; form < NFORMS; form++) {
        lab_curve(figure, LAB_POINTS, "%s, %s", form_names[form], c->name);
        for (int i = 0; i < starts; i++)
            lab_point(figure, 1e6 * RAISED * i, relative[form][i]);
    }
}

/* ------------------------------------------------------------------ the same states */

/* Mean relative errors of both forms from the states of a semi-implicit run, without the steps above 1 %. */
static void same_states(Lab *lab)
{
    Scheme s[NFORMS];
    double sum[NFORMS] = {0.0, 0.0}, smooth[NFORMS] = {0.0, 0.0};
    int steady = 0;
    if (!scheme_begin(lab, &(SchemeSetup){.explicit_forces = true}, &s[EXPLICIT]))
        return;
    if (!scheme_begin(lab, &(SchemeSetup){0}, &s[SEMI_IMPLICIT])) {
        scheme_end(&s[EXPLICIT]);
        return;
    }
    bool good = true;
    for (int k = 0; k < SAMPLES && good; k++) {
        SchemeTrial trial[NFORMS];
        double e[NFORMS];
        s[EXPLICIT].now = s[SEMI_IMPLICIT].now;
        for (int form = 0; form < NFORMS; form++) {
            good = good && scheme_try(&s[form], STEP, &trial[form]);
            e[form] = fabs(trial[form].energy_one - trial[form].energy_two) / trial[form].energy_two;
        }
        if (!good)
            break;
        bool quiet = e[EXPLICIT] < 0.01 && e[SEMI_IMPLICIT] < 0.01;
        steady += quiet;
        for (int form = 0; form < NFORMS; form++) {
            sum[form] += 100.0 * e[form] / SAMPLES;
            smooth[form] += quiet ? 100.0 * e[form] : 0.0;
        }
        scheme_take(&s[SEMI_IMPLICIT], &trial[SEMI_IMPLICIT]);
    }
    for (int form = 0; form < NFORMS; form++)
        scheme_end(&s[form]);
    if (good)
        lab_say(lab,
                "Both forms from the same %d states: %.3g %% explicit, %.3g %% semi-implicit; of the %d "
                "steps below 1 %%: "
                "%.2g %%, %.2g %%.",
                SAMPLES, sum[EXPLICIT], sum[SEMI_IMPLICIT], steady, smooth[EXPLICIT] / steady,
                smooth[SEMI_IMPLICIT] / steady);
}

/* ------------------------------------------------------------------ the whole */

/* Pushes on feet, and those after which the foot leaves the floor nevertheless. */
typedef struct Pushes {
    int all, thrown;
    double fastest; /* m/s */
} Pushes;

/* Of the last impact. A toe is a ball, so that its lowest point rises as fast as its centre. */
static void count_pushes(Scheme *s, Pushes *pushes)
{
    const RgContactForce *forces;
    RgWorld *world = s->impact.world;
    int count = rg_world_contact_forces(world, &forces);
    for (int i = 0; i < count; i++)
        for (int foot = 0; foot < GAIT_FEET; foot++) {
            RgLinkId toe = s->smooth.gait->leg[foot].foot;
            RgVec3 p = rg_world_link_pose(world, toe).p, at = forces[i].point;
            double rises = rg_world_link_twist(world, toe).v.z;
            if (hypot(p.x - at.x, p.y - at.y) > TOE || !(fabs(forces[i].force.z) > 0.0))
                continue;
            pushes->all++;
            pushes->thrown += rises > THROWN;
            pushes->fastest = fmax(pushes->fastest, rises);
        }
}

/* Over five periods of the gait, one more step from each state of the run. */
static Pushes push(Lab *lab, const char *solver)
{
    Pushes pushes = {0};
    Scheme s;
    if (!scheme_begin(lab, &(SchemeSetup){.solver = solver}, &s))
        return pushes;
    for (int k = 0; k < 1500; k++) {
        SchemeTrial trial;
        if (!scheme_try(&s, STEP, &trial))
            break;
        scheme_take(&s, &trial);
        SchemeState now = s.now;
        if (scheme_take_one(&s, STEP))
            count_pushes(&s, &pushes);
        s.now = now;
    }
    scheme_end(&s);
    return pushes;
}

/* What the laws do to feet: least energy pushes harder than it need where that lets friction take more. */
static void thrown_feet(Lab *lab)
{
    static const char *const solvers[] = {"dantzig", "max-dissipation", "qp"};
    static const char *const laws[] = {"Coulomb's law", "least energy", "least energy without a bound"};
    for (int i = 0; i < 3 && !lab_failed(lab); i++) {
        Pushes p = push(lab, solvers[i]);
        lab_say(lab, "%s: of %d pushes on feet %d throw them off the floor, at %.2g m/s at most.", laws[i], p.all,
                p.thrown, p.fastest);
        if (i == 0)
            lab_measured(lab, "feet thrown off by a push: Coulomb's law", p.thrown);
    }
    Case qp = {laws[2], solvers[2], "minimal", 1, 1};
    Errors e = measure(lab, &qp, SEMI_IMPLICIT, 0.0);
    if (!e.refused)
        lab_say(lab, "%s (qp, friction boxes): mean v.Mv %.3g J, mean relative error %.3g %%.", qp.name, e.energy,
                e.relative);
}

static void film(Lab *lab)
{
    Scheme s;
    if (!scheme_begin(lab, &(SchemeSetup){.explicit_forces = true}, &s))
        return;
    LabFilm *film = lab_film(lab, "explicit", "trot on the spot, explicit steps of 1 ms", scheme_world(&s), 0.0);
    scheme_until_failure(&s, STEP, 1500, film);
    lab_film_end(film);
    scheme_end(&s);
}

static void run(Lab *lab)
{
    static const double published[NFORMS] = {0.77389, 1.3904};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"starts", "mean relative error in kinetic energy, by start",
                                                        "start raised by (micrometres)",
                                                        "mean over 5,000 steps of 1 ms (%)", .log_y = true});
    for (int i = 0; i < NCASES && !lab_failed(lab); i++)
        run_case(lab, &cases[i], figure, 0.3 * i, 0.3 * (i + 1));
    for (int form = 0; form < NFORMS; form++) {
        lab_curve(figure, LAB_DASHED, "%s, published", form_names[form]);
        lab_point(figure, 0.0, published[form]);
        lab_point(figure, 1e6 * RAISED * (MOST_STARTS - 1), published[form]);
    }
    LAB_PARTS(lab, same_states, thrown_feet, film);
}

const Experiment experiment_euler_forms = {
    "000-C-euler-forms", "error in kinetic energy of explicit and semi-implicit steps (paper 000, section IV-C)", 110.0,
    18.0, run};
