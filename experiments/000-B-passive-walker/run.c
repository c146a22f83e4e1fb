/*
 * 000-B: the passive walker of Coleman, Garcia, Mombaur and Ruina (2001): its published gait, and the largest steps
 * with which explicit Euler and classical RK4 keep its energy.
 *
 *   walker.c        equations of motion in the authors' four angles, from the library's M(q), inverse dynamics and Jacobians
 *   walker_swing.c  fixed steps to the next heelstrike; the step map and its eigenvalues
 *   walker_world.c  the same machine as a world of the library
 *
 * The largest step is found from below: steps grow by a small factor until the first one that violates the bound, then
 * the boundary is bisected. (RK4's error is not monotone: larger steps exist that keep the bound again.)
 */
#include "walker.h"

#include "vectors.h"

#define FINE 5e-4 /* step of the reference */

/* ------------------------------------------------------------------ the published gait */

typedef struct Angles {
    LabFigure *figure;
    int which;
} Angles;

static void draw_angle(double t, const WalkerState *s, void *context)
{
    const Angles *a = context;
    lab_point(a->figure, t, a->which == SWING ? s->angle[SWING] - TEST_PI : s->angle[a->which]);
}

static void draw_angles(Lab *lab, const Walker *walker)
{
    static const char *const names[] = {"yaw", "lean", "stance leg", "swing leg against stance leg"};
    Angles a = {
        lab_figure(lab, &(LabFigureDef){"angles", "One step of the walker", "t (sqrt(l/g))", .y = "angle (rad)"}), 0};
    WalkerState s = walker_fixed_point();
    for (a.which = 0; a.which < WALKER_ANGLES; a.which++) {
        WalkerSwing swing;
        lab_curve(a.figure, LAB_LINES, "%s", names[a.which]);
        walker_swing(walker, &(WalkerSteps){walker_rk4, 0.01, draw_angle, &a}, &s, &swing);
    }
}

static void measure_gait(Lab *lab, const Walker *walker)
{
    static const WalkerState published = {.angle = {-0.098667660, 0.009248611, 0.134075402, 2.847351417},
                                          .rate = {0.009741065, -0.003186364, 0.880878411, 0.012209622}};
    WalkerState s = walker_fixed_point();
    WalkerSwing swing;
    lab_measured(lab, "height of the other foot at the start", walker_clearance(walker, &s));
    if (!walker_swing(walker, &(WalkerSteps){.method = walker_rk4, .h = FINE}, &s, &swing)) {
        lab_fail(lab, "the walker makes no step");
        return;
    }
    WalkerState after = walker_heelstrike(walker, &swing.before);
    WalkerEnergy start = walker_energy(walker, &s), end = walker_energy(walker, &swing.before);
    lab_measured(lab, "error of the state after a step", walker_distance(&s, &after));
    lab_measured(lab, "period", swing.period);
    lab_measured(lab, "state before heelstrike, worst of eight", walker_distance(&swing.before, &published));
    lab_measured(lab, "energy", start.total);
    lab_measured(lab, "kinetic energy after heelstrike", start.kinetic);
    lab_measured(lab, "kinetic energy before heelstrike", end.kinetic);
    lab_measured(lab, "energy drift of the reference", swing.energy_error);
    lab_measured(lab, "clearance of the swing foot", swing.clearance);
    lab_holds(lab, "no scuffing", swing.lowest > 0.0);
    lab_measured(lab, "advance per step", after.x - s.x);
    draw_angles(lab, walker);
}

/* ------------------------------------------------------------------ stability */

static void measure_eigenvalues(Lab *lab, const Walker *walker)
{
    static const double published[WALKER_MAP][2] = {{-0.8198, 0.1794},  {-0.8198, -0.1794}, {-0.7927, 0.2507},
                                                    {-0.7927, -0.2507}, {0.3866, 0.5931},   {0.3866, -0.5931},
                                                    {-0.2184, 0.0},     {0.0, 0.0}};
    static const char *const rows[] = {"eigenvalues, largest modulus", NULL, "eigenvalues, second pair",    NULL,
                                       "eigenvalues, third pair",      NULL, "eigenvalues, fourth modulus", NULL};
    double D[WALKER_MAP][WALKER_MAP], re[WALKER_MAP], im[WALKER_MAP], worst = 0.0;
    WalkerState s = walker_fixed_point();
    if (!walker_map_derivative(walker, 2e-3, &s, D))
        return;
    walker_eigenvalues(D, re, im);
    LabFigure *figure = lab_figure(
        lab, &(LabFigureDef){"eigenvalues", "Eigenvalues of the mirrored step map: all within the unit circle",
                             "real part", "imaginary part", .same_scale = true});
    lab_curve(figure, LAB_POINTS, "ours");
    for (int i = 0; i < WALKER_MAP; i++) {
        worst = fmax(worst, hypot(re[i] - published[i][0], im[i] - published[i][1]));
        lab_point(figure, re[i], im[i]);
        if (rows[i] != NULL)
            lab_measured(lab, rows[i], hypot(re[i], im[i]));
    }
    lab_curve(figure, LAB_LINES, "unit circle");
    for (int i = 0; i <= 90; i++)
        lab_point(figure, cos(i * TEST_PI / 45.0), sin(i * TEST_PI / 45.0));
    lab_measured(lab, "eigenvalues, worst difference of eight", worst);
}

/* ------------------------------------------------------------------ largest steps */

typedef struct Search {
    WalkerMethod *method;
    double from, factor; /* first step tried, and by how much the next one is larger */
} Search;

/* Errors of the first order are about a quarter of the step, and grow with it. */
static Search search_euler(WalkerMethod *method, double bound)
{
    return (Search){method, bound, 1.1};
}

static Search search_rk4(void)
{
    return (Search){walker_rk4, 0.04, 1.005};
}

static bool keeps(const Walker *walker, WalkerMethod *method, double h, double bound)
{
    WalkerState s = walker_fixed_point();
    WalkerSwing swing;
    return walker_swing(walker, &(WalkerSteps){.method = method, .h = h}, &s, &swing) && swing.energy_error <= bound;
}

/* The step below which all that were tried keep the bound on |E - E(0)| over one swing. */
static double largest_step(const Walker *walker, Search search, double bound)
{
    double good = search.from, bad = good * search.factor;
    if (!keeps(walker, search.method, good, bound))
        return (double)NAN;
    while (bad < 0.6 && keeps(walker, search.method, bad, bound)) {
        good = bad;
        bad *= search.factor;
    }
    for (int i = 0; i < 14; i++) {
        double middle = 0.5 * (good + bad);
        if (keeps(walker, search.method, middle, bound))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static void draw_energy_errors(Lab *lab, const Walker *walker)
{
    static const struct {
        const char *name;
        WalkerMethod *method;
        double from, to;
    } curves[] = {{"explicit Euler", walker_euler, 5e-4, 0.05},
                  {"semi-implicit Euler", walker_semi_implicit, 5e-4, 0.05},
                  {"RK4", walker_rk4, 0.02, 0.5}};
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"energy", "Largest error of the energy over one step of the walker",
                                        "integration step (sqrt(l/g))", "largest |E - E(0)| (m g l)", .log_x = true,
                                        .log_y = true});
    WalkerState s = walker_fixed_point();
    for (int i = 0; i < 3; i++) {
        lab_curve(figure, LAB_LINES, "%s", curves[i].name);
        double h = curves[i].from;
        while (h < curves[i].to) {
            WalkerSwing swing;
            if (walker_swing(walker, &(WalkerSteps){.method = curves[i].method, .h = h}, &s, &swing))
                lab_point(figure, h, swing.energy_error);
            h *= 1.06;
        }
    }
    lab_curve(figure, LAB_POINTS, "published largest steps, at 0.001");
    lab_point(figure, 3.5e-3, 1e-3);
    lab_point(figure, 0.28, 1e-3);
}

static void measure_steps(Lab *lab, const Walker *walker)
{
    WalkerState s = walker_fixed_point();
    double E = walker_energy(walker, &s).total;
    double h_euler = largest_step(walker, search_euler(walker_euler, 1e-3), 1e-3);
    double h_rk4 = largest_step(walker, search_rk4(), 1e-3);
    lab_measured(lab, "largest step, explicit Euler", h_euler);
    lab_measured(lab, "largest step, RK4", h_rk4);
    lab_measured(lab, "gain of RK4", h_rk4 / h_euler / 4.0);
    lab_say(lab, "Semi-implicit Euler at the same bound: %.3g.",
            largest_step(walker, search_euler(walker_semi_implicit, 1e-3), 1e-3));

    const double bounds[] = {1e-3 * E, 1e-5, 1e-5 * E};
    static const char *const readings[] = {"0.1 % of the energy", "1e-5", "0.001 % of the energy, as printed"};
    for (int i = 0; i < (lab_quick(lab) ? 1 : 3); i++)
        lab_say(lab, "The bound read as %s: Euler %.3g, RK4 %.3g.", readings[i],
                largest_step(walker, search_euler(walker_euler, bounds[i]), bounds[i]),
                largest_step(walker, search_rk4(), bounds[i]));
    draw_energy_errors(lab, walker);
}

static void run(Lab *lab)
{
    Walker walker;
    if (!walker_create(lab, &walker))
        return;
    measure_gait(lab, &walker);
    lab_progress(lab, 0.1);
    measure_eigenvalues(lab, &walker);
    lab_progress(lab, 0.2);
    measure_steps(lab, &walker);
    lab_progress(lab, 0.5);
    walker_in_worlds(lab, &walker);
    walker_destroy(&walker);
}

const Experiment experiment_passive_walker = {
    "000-B-passive-walker", "passive walker: published gait, largest steps of Euler and RK4 (paper 000, section IV-B)",
    20.0, 4.0, run};
