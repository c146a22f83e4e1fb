/*
 * 000-E: steps of 5 ms until a trotting quadruped fails (v.Mv > 1e7 J), against exponential dissipation v <- (1 -
 * lambda) v.
 *
 * In the paper's own steps (trot_scheme.h) both x' and x'' are scaled, each of the three Euler steps, before
 * Richardson, as its code has it; in ours the world's dissipation, once a step.
 *
 * Twins: closed form. Held dampers of rate r, z = -h r, c = 1 - lambda: v' = c (1 + z) v, v'' = c (c (1 + z/2) + z/2)
 * v, so that
 *
 *   2 v'' - v' = (2 c^2 - c + c^2 z) v      which does not grow for  (h r - 2) c^2 + c <= 1
 *
 * lambda = 1 stops everything at every step, so that nothing can fail and the base only stays where it is; lambda = 0
 * must be the run of experiment A at 5 ms.
 */
#include "trot_scheme.h"

#include <math.h>
#include <stdio.h>

typedef struct Way {
    const char *name;
    const char *stepper; /* NULL: the paper's own steps */
    const char *coords;
} Way;

static const Way ways[] = {
    {"paper's steps", NULL, "minimal"},
    {"paper's steps, maximal", NULL, "maximal"},
    {"advance", "advance", "minimal"},
    {"semi-implicit", "semi-implicit", "minimal"},
};
#define NWAYS (int)(sizeof ways / sizeof ways[0])
#define STEP 5e-3

static TrotRun run_way(Lab *lab, const Way *way, double h, double lambda)
{
    TrotRun run = {0};
    int most = (int)(TROT_TIME / h + 0.5);
    if (way->stepper) {
        Trot t;
        TrotSetup setup = {
            .stepper = way->stepper, .coords = way->coords, .h_min = h, .contact_erp = TROT_ERP, .dissipation = lambda};
        if (!trot_begin(lab, &setup, &t))
            return run;
        run = trot_until_failure(&t, h, most, NULL);
        trot_end(&t);
    } else {
        Scheme s;
        if (!scheme_begin(lab, &(SchemeSetup){.coords = way->coords, .lambda = lambda}, &s))
            return run;
        run = scheme_until_failure(&s, h, most, NULL);
        scheme_end(&s);
    }
    return run;
}

static void tell_way(Lab *lab, const Way *way, const TrotRun runs[TROT_LAMBDAS])
{
    double steps[TROT_LAMBDAS], least = (double)NAN;
    for (int i = TROT_LAMBDAS - 1; i >= 0 && !runs[i].failed; i--)
        least = trot_lambdas[i];
    for (int i = 0; i < TROT_LAMBDAS; i++)
        steps[i] = runs[i].steps;
    char row[128];
    snprintf(row, sizeof row, "steps made at lambda 0: %s", way->name);
    lab_measured(lab, row, steps[0]);
    snprintf(row, sizeof row, "rank correlation: %s", way->name);
    lab_measured(lab, row, trot_rank_correlation(trot_lambdas, steps, TROT_LAMBDAS));
    snprintf(row, sizeof row, "least lambda from which on it lasts: %s", way->name);
    lab_measured(lab, row, least);
}

static void figure_5(Lab *lab)
{
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"fig5", "Figure 5: steps of 5 ms until failure, against dissipation", "lambda",
                                        "steps until v.Mv exceeds 1e7 J", .log_y = true});
    for (int w = 0; w < NWAYS && !lab_failed(lab); w++) {
        TrotRun runs[TROT_LAMBDAS];
        lab_curve(figure, LAB_LINES_POINTS, "%s", ways[w].name);
        for (int i = 0; i < TROT_LAMBDAS; i++) {
            runs[i] = run_way(lab, &ways[w], STEP, trot_lambdas[i]);
            if (runs[i].failed)
                lab_point(figure, trot_lambdas[i], runs[i].steps);
            lab_progress(lab, (w + (i + 1.0) / TROT_LAMBDAS) / (NWAYS + 1));
        }
        tell_way(lab, &ways[w], runs);
    }
    lab_curve(figure, LAB_DASHED, "5 s: above, nothing failed");
    lab_point(figure, 0.0, TROT_TIME / STEP);
    lab_point(figure, 1.0, TROT_TIME / STEP);
}

/* ms. */
static double longest_step(Lab *lab, double lambda)
{
    double longest = 0.0;
    for (int i = 0; i < TROT_STEPS; i++) {
        if (run_way(lab, &ways[0], 1e-3 * trot_steps[i], lambda).failed)
            break;
        longest = trot_steps[i];
    }
    return longest;
}

/* "Allows us to take larger integration steps." */
static void longer_steps(Lab *lab)
{
    static const double lambdas[] = {0.0, 0.1, 0.3, 0.5, 0.7, 0.9};
    enum { COUNT = sizeof lambdas / sizeof lambdas[0] };
    double longest[COUNT];
    LabFigure *figure = lab_figure(
        lab, &(LabFigureDef){"longest", "longest step that lasts 5 s (to 10 ms)", "lambda", .y = "step (ms)"});
    lab_curve(figure, LAB_LINES_POINTS, "%s", ways[0].name);
    for (int i = 0; i < COUNT; i++) {
        longest[i] = longest_step(lab, lambdas[i]);
        lab_point(figure, lambdas[i], longest[i]);
    }
    lab_measured(lab, "longest step that lasts, with lambda 0.7 over without", longest[4] / longest[0]);
}

/* Least lambda for which the fastest of the dampers does not grow. */
static void closed_form(Lab *lab)
{
    Trot t;
    if (!trot_begin(lab, &(TrotSetup){.stepper = "euler", .contact_erp = TROT_ERP}, &t))
        return;
    double a = STEP * trot_damper_rate(&t) - 2.0; /* a c^2 + c - 1 = 0 */
    trot_end(&t);
    lab_measured(lab, "least lambda by the dampers alone", 1.0 - 2.0 / (1.0 + sqrt(1.0 + 4.0 * a)));
}

/* How high the toes are lifted, mm, after two cycles of the gait; the run is filmed where a title is given. */
static double toe_lift(Lab *lab, double h, double lambda, const char *title)
{
    Scheme s;
    if (!scheme_begin(lab, &(SchemeSetup){.lambda = lambda}, &s))
        return (double)NAN;
    LabFilm *film = title ? lab_film(lab, "lambda", title, scheme_world(&s), 0.0) : NULL;
    double low = (double)INFINITY, high = -(double)INFINITY;
    while (s.now.t < 2.0 && !scheme_until_failure(&s, h, 1, film).failed) {
        double z = rg_world_link_pose(scheme_world(&s), s.smooth.gait->leg[0].foot).p.z;
        if (s.now.t < 2.0 * TROT_PERIOD)
            continue;
        low = fmin(low, z);
        high = fmax(high, z);
    }
    lab_film_end(film);
    scheme_end(&s);
    return 1e3 * (high - low);
}

static void price(Lab *lab)
{
    double without = toe_lift(lab, 1e-3, 0.0, NULL);
    double with = toe_lift(lab, STEP, 0.8, "steps of 5 ms, lambda 0.8: it lasts, at the price of the motion");
    lab_say(lab,
            "The price: the left front toe is lifted by %.3g mm at 5 ms with lambda 0.8, by %.3g mm at 1 ms "
            "without dissipation.",
            with, without);
}

static void run(Lab *lab)
{
    LAB_PARTS(lab, figure_5, longer_steps, closed_form, price);
}

const Experiment experiment_dissipation = {
    "000-E-dissipation",
    "dissipation lets a trotting quadruped last at steps of 5 ms (paper 000, section IV-E, Figure 5)", 7.0, 7.0, run};
