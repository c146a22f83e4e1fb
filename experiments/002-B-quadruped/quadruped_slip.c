/*
 * quadruped_slip.c - 002-B: how far feet slip, by which method and step; the paper says that its robot skated, without
 * figures.
 *
 *   slip   mm that a loaded foot slips in a cycle (scenes/quadruped_run.c); it scatters by 20 to 30 %: motions that slip are chaotic
 *
 * The quick form has the trot at 10, 50 and 100 ms by the methods that rows ask for; the whole has every method at
 * every step of four motions, and a minute of trot.
 */
#include "quadruped_trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double steps[] = {1e-3, 2e-3, 4e-3, 1e-2, 2e-2, 5e-2, 0.1};
enum { STEPS = sizeof steps / sizeof steps[0], FINE = 4 /* steps that resolve the trot */ };

static const QuadMethod methods[] = {
    {"implicit PD 100/1", "implicit-pd", 100.0, 1.0, INFINITY, false, false},
    {"hard rows", "hard", 0.0, 0.0, INFINITY, false, false},
    {"flawed order", "hard", 0.0, 0.0, INFINITY, true, false},
    {"implicit PD 1000/10", "implicit-pd", 1000.0, 10.0, INFINITY, false, false},
    {"hard rows, 7.3 N m", "hard", 0.0, 0.0, 7.3, false, false},
    {"explicit PD 20/0.1", "pd", 20.0, 0.1, INFINITY, false, false},
    {"foot PD 1000/30", "foot-pd", 1000.0, 30.0, INFINITY, false, false},
    {"inverse dynamics", "inverse-dynamics", 2500.0, 100.0, INFINITY, false, false},
    {"two programs of 002", "least-energy", 2500.0, 100.0, INFINITY, false, false},
    {"no slip", "no-slip", 2500.0, 100.0, INFINITY, false, false},
};
enum { IMPLICIT, HARD, FLAWED, EXPLICIT = 5, METHODS = sizeof methods / sizeof methods[0] };

enum { TROT, SINUSOID, CONSISTENT, LARGE, MOTIONS };
static const struct {
    const char *name, *title;
    QuadMotion motion;
} motions[MOTIONS] = {
    [TROT] = {"trot", "trot on the spot", {.kind = QUAD_TROT}},
    [SINUSOID] = {"sinusoid", "sinusoid of 0.2 rad", {.kind = QUAD_SINUSOID, .amplitude = 0.2}},
    [CONSISTENT] = {"consistent", "feet straight up and down by 15 mm", {.kind = QUAD_CONSISTENT, .amplitude = 0.015}},
    [LARGE] = {"large", "sinusoid of 0.628 rad: topples", {.kind = QUAD_SINUSOID, .amplitude = 0.628}},
};

/* Coulomb's law, and the associated one. */
enum { COULOMB, CONVEX, LAWS };
static const char *const laws[LAWS] = {"cone", "cone-convex"};

/* Results of a motion; steps 0: not run. */
typedef QuadResult Results[LAWS][METHODS][STEPS];

static bool is_drive(int method)
{
    return strcmp(methods[method].kind, "implicit-pd") == 0 ||
           (strcmp(methods[method].kind, "hard") == 0 && isinf(methods[method].max_effort));
}

static bool takes(const Lab *lab, int motion, int method, int law, int step)
{
    if (lab_quick(lab) && (method > FLAWED || step < 3 || step == 4 || motion > SINUSOID))
        return false;
    if (law == CONVEX && methods[method].flawed)
        return false;
    if (law == CONVEX && method > HARD && strcmp(methods[method].kind, "implicit-pd") != 0)
        return false;
    return strcmp(methods[method].kind, "foot-pd") != 0 || motion == TROT;
}

/* All laws, methods and steps in one row. */
typedef struct Case {
    int law, method, step;
} Case;
enum { CASES = LAWS * METHODS * STEPS };

static Case case_of(int i)
{
    return (Case){i / (METHODS * STEPS), i / STEPS % METHODS, i % STEPS};
}

static void run_motion(QuadLab *q, int motion, Results results)
{
    for (int i = 0; i < CASES; i++) {
        Case c = case_of(i);
        if (takes(q->lab, motion, c.method, c.law, c.step))
            results[c.law][c.method][c.step] = quad_trial(q, &(QuadTrial){.motion = &motions[motion].motion,
                                                                          .method = &methods[c.method],
                                                                          .solver = laws[c.law],
                                                                          .coords = "minimal",
                                                                          .h = steps[c.step],
                                                                          .time = QUAD_TIME});
    }
}

/* ------------------------------------------------------------------ figures */

static void draw(QuadLab *q, int motion, Results results, bool slip)
{
    char name[64], title[160];
    snprintf(name, sizeof name, "%s_%s", slip ? "slip" : "error", motions[motion].name);
    snprintf(title, sizeof title, "%s: %s", motions[motion].title,
             slip ? "slip of a foot in a cycle" : "mean absolute error");
    LabFigure *figure =
        lab_figure(q->lab, &(LabFigureDef){name, title, "step (s)", slip ? "slip (mm)" : "mean absolute error (rad)",
                                           .log_x = true, .log_y = !slip});
    Case last = {-1, -1, -1};
    for (int i = 0; i < CASES; i++) {
        Case c = case_of(i);
        const QuadResult *r = &results[c.law][c.method][c.step];
        if (r->steps == 0)
            continue;
        if (c.law != last.law || c.method != last.method)
            lab_curve(figure, LAB_LINES_POINTS, "%s, %s", methods[c.method].name, laws[c.law]);
        last = c;
        double value = slip ? r->slip : fmax(r->error, 1e-18);
        lab_point(figure, steps[c.step], quad_upright(r) ? value : (double)NAN);
    }
}

/* ------------------------------------------------------------------ rows */

/* Slip of the trot by the law that slips less. */
static void tell_trot(QuadLab *q, Results r)
{
    static const int chosen[] = {IMPLICIT, HARD};
    for (int i = 0; i < 2; i++)
        for (int h = 0; h < STEPS; h++) {
            int m = chosen[i];
            char name[96];
            if (h == 1 || h == 4 || r[COULOMB][m][h].steps == 0)
                continue;
            snprintf(name, sizeof name, "trot at %g ms, %s: slip", 1e3 * steps[h], methods[m].name);
            lab_measured(q->lab, name, fmin(r[COULOMB][m][h].slip, r[CONVEX][m][h].slip));
        }
    double stood = 0.0;
    for (int h = 0; h < STEPS; h++)
        stood = fmax(stood, r[COULOMB][IMPLICIT][h].stood);
    lab_measured(q->lab, "trot, implicit PD: slip of feet that stand, worst of all steps", stood);
}

/* Least and most slip of a method over the steps up to 10 ms that were run. */
static void range_of(Results r, int method, double *least, double *most)
{
    *least = (double)INFINITY;
    *most = 0.0;
    for (int h = 0; h < FINE; h++)
        if (r[COULOMB][method][h].steps > 0) {
            *least = fmin(*least, r[COULOMB][method][h].slip);
            *most = fmax(*most, r[COULOMB][method][h].slip);
        }
}

static void tell_skating(QuadLab *q, Results trot, Results sinusoid)
{
    double least = (double)INFINITY, low, high;
    for (int h = 0; h < FINE; h++)
        if (trot[COULOMB][FLAWED][h].steps > 0)
            least = fmin(least, trot[COULOMB][FLAWED][h].slip / trot[COULOMB][HARD][h].slip);
    lab_measured(q->lab, "trot, flawed order: slip over that of one problem, least up to 10 ms", least);
    range_of(sinusoid, FLAWED, &low, &high);
    lab_measured(q->lab, "sinusoid, flawed order: slip, least up to 10 ms", low);
    range_of(sinusoid, HARD, &low, &high);
    lab_measured(q->lab, "sinusoid, one problem: slip, most up to 10 ms", high);
}

/* Upright at every step in the motions that can be had without a fall. */
static void tell_upright(QuadLab *q, Results *results, int nmotions)
{
    bool drives = true, lost = true;
    for (int i = 0; i < nmotions * CASES; i++) {
        Case c = case_of(i % CASES);
        const QuadResult *r = &results[i / CASES][c.law][c.method][c.step];
        if (r->steps == 0)
            continue;
        if (is_drive(c.method) && !methods[c.method].flawed)
            drives = drives && quad_upright(r);
        if (c.method == EXPLICIT && steps[c.step] >= 4e-3)
            lost = lost && !quad_upright(r);
    }
    lab_holds(q->lab, "drives stay upright in every motion at every step", drives);
    if (!lab_quick(q->lab))
        lab_holds(q->lab, "explicit PD is lost from 4 ms on", lost);
}

/* A minute of trot at the steps that resolve it. */
static void tell_minute(QuadLab *q)
{
    bool upright = true;
    for (int h = 0; h < FINE; h++) {
        QuadResult r = quad_trial(q, &(QuadTrial){.motion = &motions[TROT].motion,
                                                  .method = &methods[IMPLICIT],
                                                  .solver = "cone",
                                                  .coords = "minimal",
                                                  .h = steps[h],
                                                  .time = 60.0});
        upright = upright && quad_upright(&r);
    }
    lab_holds(q->lab, "a minute of trot at 1 to 10 ms without a fall", upright);
}

void quad_measure_slip(QuadLab *q)
{
    static Results results[MOTIONS];
    int n = lab_quick(q->lab) ? SINUSOID + 1 : MOTIONS;
    memset(results, 0, sizeof results);
    for (int motion = 0; motion < n; motion++) {
        run_motion(q, motion, results[motion]);
        draw(q, motion, results[motion], true);
        draw(q, motion, results[motion], false);
        lab_progress(q->lab, 0.5 + 0.4 * (motion + 1.0) / n);
    }
    tell_trot(q, results[TROT]);
    tell_skating(q, results[TROT], results[SINUSOID]);
    tell_upright(q, results, n < LARGE ? n : LARGE);
    if (lab_quick(q->lab))
        return;
    double low, high;
    range_of(results[CONSISTENT], HARD, &low, &high);
    lab_measured(q->lab, "consistent motion, one problem: slip, most up to 10 ms", high);
    tell_minute(q);
}
