/*
 * 002-B: a quadruped that is asked for sinusoids of its joints, on its feet, by PD control and by inverse dynamics.
 *
 *   PD             tau = kp (q* - q) + kd (v* - v), explicit
 *   ID control     efforts for wanted accelerations with contact forces planned ahead by Coulomb's law, then the step solves
 *                  contacts again; and with those of least energy, which are the paper's two programs
 *   MLCP           rows v = v*(t + h) and contacts in one mixed complementarity problem (002, equations 2 to 7); its error is the
 *                  drift of positions that go by h v*(t + h), and with positions as targets there is none
 *   flawed order   the paper's experimental solver: targets and normals first, friction afterwards with both kept; no freedom
 *                  is left for friction (quad_friction_freedom), so that the robot skates
 *
 * Feet of ID control slip and land, and whether it falls once in 5 s is chaotic: a micrometre at the start decides. Its
 * largest step is that with which most of STARTS starts stand, its error their median.
 *
 * Twins: both forms of coordinates; that drift in closed form; two pivoting solvers, and the exact cone, for the same
 * rows; rank of what friction could do; what must hold of all runs, friction within its cone, efforts within their
 * limits.
 */
#include "quadruped_trial.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 3, FORMS = 2, STARTS = 5 };
#define PIVOTING "lemke" /* the paper has pivoting solvers only */

static const QuadMotion sinusoid = {.kind = QUAD_SINUSOID, .amplitude = 0.2};

enum { PD, CONTROL, FLAWED, CONE, TIMED, MLCP = TIMED, PROGRAMS, METHODS };

/* Table I: h is the step of the table; published error there. */
static const struct {
    QuadMethod method;
    const char *solver;
    double h, error;
    const char *at;
    bool once; /* in the first form alone */
} table[METHODS] = {
    [PD] = {{"PD", "pd", 20.0, 0.1, INFINITY, false, false}, PIVOTING, 1e-3, 3.80e-2, "1 ms", false},
    [CONTROL] = {{"ID control", "inverse-dynamics", 1e4, 200.0, INFINITY, false, false},
                 PIVOTING,
                 4e-3,
                 9.05e-3,
                 "4 ms",
                 false},
    [FLAWED] = {{"ID constraint, experimental", "hard", 0.0, 0.0, INFINITY, true, true},
                PIVOTING,
                0.1,
                5.10e-2,
                "100 ms",
                false},
    [CONE] = {{"ID constraint with positions, cone", "hard", 0.0, 0.0, INFINITY, false, false},
              "cone",
              0.1,
              NAN,
              "100 ms",
              true},
    [MLCP] = {{"ID constraint, MLCP", "hard", 0.0, 0.0, INFINITY, false, true}, "dantzig", 0.01, NAN, "10 ms", false},
    [PROGRAMS] = {{"ID control, least energy", "least-energy", 1e4, 200.0, INFINITY, false, false},
                  PIVOTING,
                  4e-3,
                  NAN,
                  "4 ms",
                  true},
};
static const char *const forms[FORMS] = {"minimal", "maximal"}; /* the first is the paper's */

static QuadTrial trial_of(int method, int form, double h)
{
    return (QuadTrial){.motion = &sinusoid,
                       .method = &table[method].method,
                       .solver = table[method].solver,
                       .coords = forms[form],
                       .h = h,
                       .time = QUAD_TIME};
}

static void tell(Lab *lab, int method, const char *what, int form, double value)
{
    char name[128];
    snprintf(name, sizeof name, "%s: %s%s%s", table[method].method.name, what, form > 0 ? ", " : "",
             form > 0 ? forms[form] : "");
    lab_measured(lab, name, value);
}

/* ------------------------------------------------------------------ Table I */

static void measure_table(QuadLab *q)
{
    for (int form = 0; form < FORMS; form++)
        for (int m = 0; m < METHODS; m++) {
            char at[32];
            bool whole = form > 0 && (m == PD || m == CONTROL);
            if ((form > 0 && table[m].once) || (whole && lab_quick(q->lab)))
                continue;
            QuadTrial trial = trial_of(m, form, table[m].h);
            trial.starts = m == CONTROL || m == PROGRAMS ? STARTS : 1;
            snprintf(at, sizeof at, "error at %s", table[m].at);
            tell(q->lab, m, at, form, quad_usual_error(q, trial));
            tell(q->lab, m, "largest step", form, quad_largest_step(q, trial));
            lab_progress(q->lab, 0.4 * (form + (m + 1.0) / METHODS) / FORMS);
        }
}

/* Each at the step of the table, in turns; the fastest of some runs. */
static void measure_times(QuadLab *q)
{
    double cpu[TIMED];
    int steps[TIMED];
    for (int r = 0; r < REPEATS; r++)
        for (int m = 0; m < TIMED; m++) {
            QuadTrial trial = trial_of(m, 0, table[m].h);
            QuadResult result = quad_trial(q, &trial);
            cpu[m] = r > 0 ? fmin(cpu[m], result.cpu) : result.cpu;
            steps[m] = result.steps;
        }
    for (int m = CONTROL; m < TIMED; m++)
        tell(q->lab, m, "times as fast as PD, at the steps of Table I", 0, cpu[PD] / cpu[m]);
    lab_say(q->lab,
            "A step takes %.3g us by PD, %.3g us by ID control, %.3g us in the flawed order, %.3g us by the "
            "exact cone "
            "(published: 5 ms, 4 ms, 51 ms, -).",
            1e6 * cpu[PD] / steps[PD], 1e6 * cpu[CONTROL] / steps[CONTROL], 1e6 * cpu[FLAWED] / steps[FLAWED],
            1e6 * cpu[CONE] / steps[CONE]);
}

/* Mean error of rows that keep velocities alone: positions go by h v*(k h); a third of the joints hold still. */
static double drift(double h)
{
    double w = 2.0 * 3.14159265358979323846 / quad_period(&sinusoid), q = 0.0, sum = 0.0;
    int n = (int)(QUAD_TIME / h + 0.5);
    for (int k = 1; k <= n; k++) {
        q += h * sinusoid.amplitude * w * cos(w * h * k);
        sum += fabs(q - sinusoid.amplitude * sin(w * h * k));
    }
    return 2.0 / 3.0 * sum / n;
}

static void measure_drift(QuadLab *q)
{
    static const int chosen[] = {MLCP, FLAWED};
    for (int i = 0; i < 2; i++) {
        QuadTrial trial = trial_of(chosen[i], 0, table[chosen[i]].h);
        tell(q->lab, chosen[i], "error over its closed form", 0, quad_trial(q, &trial).error / drift(trial.h));
    }
}

/* Of four standing feet, how many friction impulses leave all joint rates as they are. */
static void measure_freedom(QuadLab *q)
{
    QuadTrial trial = trial_of(CONE, 0, 0.01);
    trial.time = 0.01;
    quad_trial(q, &trial);
    lab_measured(q->lab, "friction impulses that leave the joints' rates as they are",
                 quad_friction_freedom(&q->rough));
}

/* ------------------------------------------------------------------ figure, films */

static void draw_figure_1(QuadLab *q)
{
    static const double steps[] = {5e-4, 1e-3, 2e-3, 4e-3, 1e-2, 2e-2, 5e-2, 0.1};
    LabFigure *figure = lab_figure(
        q->lab, &(LabFigureDef){"fig1a", "Figure 1 (a): error against the step; a curve ends where the method is lost",
                                "step (s)", "mean absolute error (rad)", .log_x = true, .log_y = true});
    for (int m = 0; m < METHODS; m++) {
        lab_curve(figure, LAB_LINES_POINTS, "%s", table[m].method.name);
        for (size_t i = lab_quick(q->lab) ? 1 : 0; i < sizeof steps / sizeof steps[0]; i++) {
            QuadTrial trial = trial_of(m, 0, steps[i]);
            QuadResult result = quad_trial(q, &trial);
            lab_point(figure, steps[i], quad_upright(&result) ? fmax(result.error, 1e-18) : (double)NAN);
        }
    }
    lab_curve(figure, LAB_POINTS, "published, Table I");
    for (int m = 0; m < METHODS; m++)
        if (!isnan(table[m].error))
            lab_point(figure, table[m].h, table[m].error);
}

static void film(QuadLab *q)
{
    static const QuadMotion trot = {.kind = QUAD_TROT};
    static const struct {
        int method;
        const QuadMotion *motion;
        const char *name, *title;
    } films[] = {{CONE, &trot, "trot", "trot by inverse-dynamics rows and contacts in one problem, steps of 10 ms"},
                 {CONE, &sinusoid, "sinusoid", "the sinusoid by the same"},
                 {FLAWED, &sinusoid, "skating", "the sinusoid with friction solved afterwards: it skates"}};
    for (size_t i = 0; i < sizeof films / sizeof films[0]; i++) {
        QuadTrial trial = trial_of(films[i].method, 0, 0.01);
        trial.motion = films[i].motion;
        trial.film = films[i].name;
        trial.title = films[i].title;
        quad_trial(q, &trial);
    }
}

static void run(Lab *lab)
{
    QuadLab q = {.lab = lab};
    RgError error;
    const char *path = lab_model(lab, "links.sdf");
    bool rough = quad_robot_create(&q.rough, path, 1.0, &error);
    bool smooth = rough && quad_robot_create(&q.smooth, path, 0.0, &error);
    if (!smooth)
        lab_fail(lab, "%s: %s", path, error.text);
    else {
        measure_table(&q);
        measure_times(&q);
        measure_drift(&q);
        measure_freedom(&q);
        draw_figure_1(&q);
        quad_measure_slip(&q);
        film(&q);
        lab_measured(lab, "friction beyond its cone, over the weight, worst of all runs by cone", fmax(q.cone, 0.0));
        if (!lab_quick(lab))
            lab_measured(lab, "effort beyond its limit, worst of all runs", fmax(q.beyond, 0.0));
    }
    if (smooth)
        quad_robot_destroy(&q.smooth);
    if (rough)
        quad_robot_destroy(&q.rough);
}

const Experiment experiment_quadruped = {
    "002-B-quadruped",
    "a quadruped by its joints: PD, inverse dynamics as efforts and as rows (paper 002, Table I, Figure 1)", 170.0,
    36.0, run};
