/*
 * 004-b: a double pendulum whose links' moments of inertia are 1 : 3125, pushed sideways by gravity, with and without
 * inertia ratio reduction.
 *
 *   hinges about x, gravity (1, 0, -9.81): nothing may turn about y and z. Of each link's x axis e, over time without
 *   jumps,
 *     pitch = atan2(-e_z, e_x)   about y, the angle of Figure 2b        yaw = atan2(e_y, e_x)   about z
 *   ratio about a unit axis S of two links that cannot turn against each other about it:  S'I_lower S / S'I_upper S
 *
 * Twins: `quick` in both forms, whose hinges hold by construction; kinetic energy at the end against the work that the
 * step reports say was done.
 */
#include "experiment.h"

#include <math.h>
#include <string.h>

#define H 1e-3
#define LINKS 2
#define EVERY 5    /* steps between points of a curve */
#define TRACK 2000 /* points of a curve at most */
static const double PI = 3.14159265358979323846;

typedef struct Trial {
    const char *coords, *solver;
    const LabPgs *pgs; /* NULL: the solver's own */
    double lateral;    /* m/s^2 */
    int steps;
} Trial;

typedef struct Angles {
    double pitch[LINKS], yaw[LINKS]; /* rad */
} Angles;

typedef struct Outcome {
    double pitch, yaw;         /* largest of both links */
    double overturned;         /* s after which a link has turned by a quarter about y or z; NaN: never */
    double hinges[LINKS];      /* rad, at the end */
    double kinetic, work, aid; /* J: at the end; all reported work; that of the moved inertias */
} Outcome;

/* Pitch of the links, to be drawn. */
typedef struct Track {
    double t[TRACK], pitch[LINKS][TRACK];
    int n;
} Track;

/* The angle next to the last one among those that differ by whole turns. */
static double without_jump(double last, double now)
{
    return now + 2.0 * PI * round((last - now) / (2.0 * PI));
}

static void look(RgWorld *world, Angles *a, Outcome *out)
{
    for (int k = 0; k < LINKS; k++) {
        RgMat3 R = rg_world_link_pose(world, (RgLinkId){k + 1}).R;
        a->pitch[k] = without_jump(a->pitch[k], atan2(-R.m[2][0], R.m[0][0]));
        a->yaw[k] = without_jump(a->yaw[k], atan2(R.m[1][0], R.m[0][0]));
        out->pitch = fmax(out->pitch, fabs(a->pitch[k]));
        out->yaw = fmax(out->yaw, fabs(a->yaw[k]));
    }
    if (isnan(out->overturned) && fmax(out->pitch, out->yaw) > PI / 2)
        out->overturned = rg_world_time(world);
}

static RgWorld *start(Lab *lab, const RgModel *model, const Trial *trial)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = trial->coords;
    def.solver = trial->solver;
    lab_use_pgs(&def, trial->pgs);
    def.gravity = (RgVec3){trial->lateral, 0.0, -9.81};
    def.contact = false; /* neighbours, which pass each other */
    return lab_world_create(lab, &def);
}

static void keep(Track *track, double t, const Angles *a)
{
    if (track->n == TRACK)
        return;
    for (int k = 0; k < LINKS; k++)
        track->pitch[k][track->n] = a->pitch[k];
    track->t[track->n++] = t;
}

static void end(RgWorld *world, Outcome *out)
{
    RgMomentum momentum;
    if (rg_world_momentum(world, &momentum) == RG_OK)
        out->kinetic = momentum.kinetic;
    memcpy(out->hinges, rg_world_q(world), sizeof out->hinges);
    RgSolverWork sum = rg_world_energy_sums(world).work;
    out->work = sum.total + sum.forces;
    out->aid = sum.inertia;
    rg_world_destroy(world);
}

/* track, film_name: NULL: none. */
static Outcome swing(Lab *lab, const RgModel *model, const Trial *trial, Track *track, const char *film_name)
{
    Outcome out = {.overturned = (double)NAN};
    Angles angles = {{0.0}, {0.0}};
    RgWorld *world = start(lab, model, trial);
    if (world == NULL)
        return out;
    LabFilm *film = film_name ? lab_film(lab, film_name, film_name, world, 0.0) : NULL;
    for (int i = 0; i < trial->steps; i++) {
        RgStepReport report;
        if (rg_world_step(world, H, &report) != RG_OK) {
            lab_fail(lab, "a step was refused: %s", rg_status_text(report.status));
            break;
        }
        look(world, &angles, &out);
        lab_film_step(film, world);
        if (track && i % EVERY == 0)
            keep(track, rg_world_time(world), &angles);
    }
    lab_film_end(film);
    end(world, &out);
    return out;
}

static void draw(Lab *lab, const char *name, const char *title, const Track *track)
{
    static const char *const names[LINKS] = {"upper link", "lower link"};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){name, title, "t (s)", .y = "pitch (rad)"});
    for (int k = 0; k < LINKS; k++) {
        lab_curve(figure, LAB_LINES, "%s", names[k]);
        for (int i = 0; i < track->n; i++)
            lab_point(figure, track->t[i], track->pitch[k][i]);
    }
}

/* ------------------------------------------------------------------ ratios */

/* Moment of inertia of a link about a unit axis of the world, at its centre. */
static double moment_about(RgWorld *world, RgLinkId link, RgVec3 S)
{
    const RgModel *model = rg_world_model(world);
    RgMat3 R = rg_world_link_pose(world, link).R;
    RgSym3 I = rg_model_link(model, link).inertia.I;
    double s[3];
    for (int k = 0; k < 3; k++)
        s[k] = R.m[0][k] * S.x + R.m[1][k] * S.y + R.m[2][k] * S.z;
    return I.xx * s[0] * s[0] + I.yy * s[1] * s[1] + I.zz * s[2] * s[2] +
           2.0 * (I.xy * s[0] * s[1] + I.xz * s[0] * s[2] + I.yz * s[1] * s[2]);
}

static void measure_ratios(Lab *lab, const RgModel *model)
{
    RgWorld *world = start(lab, model, &(Trial){.coords = "minimal", .solver = "quick"});
    if (world == NULL)
        return;
    RgLinkId upper = rg_model_find_link(model, "upper"), lower = rg_model_find_link(model, "lower");
    const RgVec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    lab_measured(lab, "inertia ratio, like axes", moment_about(world, lower, x) / moment_about(world, upper, x));
    /* Forbidden axes of the world as the links hang at the start: the upper one at 45 degrees to both. */
    double about_y = moment_about(world, lower, y) / moment_about(world, upper, y);
    double about_z = moment_about(world, lower, z) / moment_about(world, upper, z);
    lab_measured(lab, "inertia ratio across the hinge", fmax(about_y, about_z));
    rg_world_destroy(world);
}

/* ------------------------------------------------------------------ the runs */

static LabPgs vrc(double ratio)
{
    LabPgs o = lab_pgs("gazebo-vrc");
    o.law.inertia_ratio = ratio;
    return o;
}

/* The form that the paper prints: a part of the difference. */
static LabPgs printed(double factor)
{
    LabPgs o = vrc(0.0);
    o.law.inertia_factor = factor;
    return o;
}

static void paper_runs(Lab *lab, const RgModel *model)
{
    Track before = {.n = 0}, after = {.n = 0};
    LabPgs off = vrc(0.0), on = vrc(200.0);
    Trial trial = {.coords = "maximal", .solver = "pgs", .pgs = &off, .lateral = 1.0, .steps = 10000};
    Outcome without = swing(lab, model, &trial, &before, "without-reduction");
    lab_progress(lab, 0.2);
    trial.pgs = &on;
    Outcome with = swing(lab, model, &trial, &after, "with-reduction");
    lab_progress(lab, 0.4);
    draw(lab, "fig2-before", "Figure 2b, top: without inertia ratio reduction", &before);
    draw(lab, "fig2-after", "Figure 2b, bottom: with inertia ratio reduction", &after);
    lab_measured(lab, "angle without reduction", without.pitch);
    lab_measured(lab, "angle with reduction", with.pitch);
    lab_measured(lab, "other forbidden angle with reduction", with.yaw);
    lab_measured(lab, "energy unaccounted for", fabs(with.kinetic - with.work));
    lab_say(lab,
            "Without reduction a link has overturned (a quarter of a turn) after %.3g s; in 10 s it turns by "
            "%.3g rad about y and "
            "%.3g about z. The moved inertias did %.3g J in all, in %.3g J of motion at the end.",
            without.overturned, without.pitch, without.yaw, with.aid, with.kinetic);
}

/* Largest difference of the hinge angles after 1 s to those of `quick`, minimal form. */
static double hinge_error(Lab *lab, const RgModel *model, const LabPgs *pgs)
{
    Trial trial = {.coords = "minimal", .solver = "quick", .lateral = 1.0, .steps = 1000};
    Outcome exact = swing(lab, model, &trial, NULL, NULL);
    trial = (Trial){.coords = "maximal", .solver = "pgs", .pgs = pgs, .lateral = 1.0, .steps = 1000};
    Outcome swept = swing(lab, model, &trial, NULL, NULL);
    return fmax(fabs(swept.hinges[0] - exact.hinges[0]), fabs(swept.hinges[1] - exact.hinges[1]));
}

/* The printed form: with the factor that moves at the start as much as the limit of 200 does, (1 - 200/6129)/201, with
   the largest there is, and with smaller ones. */
static void printed_runs(Lab *lab, const RgModel *model)
{
    static const double factors[] = {1e-4, 1e-3, 5e-3, 0.5};
    double angle[4];
    for (int k = 0; k < 4; k++) {
        LabPgs on = printed(factors[k]);
        Outcome out = swing(lab, model, &(Trial){"maximal", "pgs", &on, 1.0, 10000}, NULL, NULL);
        angle[k] = fmax(out.pitch, out.yaw);
    }
    LabPgs most = printed(0.5);
    lab_measured(lab, "angle, printed form, 0.005", angle[2]);
    lab_measured(lab, "angle, printed form, 0.5", angle[3]);
    lab_measured(lab, "motion in the plane, printed form, 0.5", hinge_error(lab, model, &most));
    lab_say(lab, "Printed form, I_i + alpha (I_j - I_i): alpha 1e-4 leaves %.3g rad, 1e-3 %.3g rad.", angle[0],
            angle[1]);
}

static void regression_runs(Lab *lab, const RgModel *model)
{
    LabPgs on = vrc(200.0), off = vrc(0.0);
    on.pgs.iterations = off.pgs.iterations = 250;
    Trial trial = {.coords = "maximal", .solver = "pgs", .pgs = &on, .lateral = 0.1, .steps = 3000};
    Outcome with = swing(lab, model, &trial, NULL, NULL);
    trial.pgs = &off;
    Outcome without = swing(lab, model, &trial, NULL, NULL);
    lab_measured(lab, "regression world, angle about y", with.pitch);
    lab_measured(lab, "regression world, angle about z", with.yaw);
    lab_say(lab, "Regression world without reduction: %.3g rad about y, %.3g about z.", without.pitch, without.yaw);
    lab_progress(lab, 0.6);
}

static void our_runs(Lab *lab, const RgModel *model)
{
    LabPgs off = vrc(0.0), on = vrc(200.0), blocks = lab_pgs("default");
    const struct {
        const char *row;
        Trial trial;
    } runs[] = {
        {"quick maximal, no aid", {"maximal", "quick", NULL, 1.0, 10000}},
        {"quick minimal, no aid", {"minimal", "quick", NULL, 1.0, 10000}},
        {"pgs minimal, no aid", {"minimal", "pgs", &off, 1.0, 10000}},
    };
    for (int k = 0; k < 3; k++) {
        Outcome out = swing(lab, model, &runs[k].trial, NULL, NULL);
        lab_measured(lab, runs[k].row, fmax(out.pitch, out.yaw));
        lab_progress(lab, 0.6 + 0.1 * (k + 1));
    }
    Outcome solved_at_once = swing(lab, model, &(Trial){"maximal", "pgs", &blocks, 1.0, 10000}, NULL, NULL);
    lab_say(lab, "pgs, maximal form, no reduction, but the rows of a joint solved at once: %.3g rad.",
            fmax(solved_at_once.pitch, solved_at_once.yaw));
    lab_measured(lab, "motion in the plane with reduction", hinge_error(lab, model, &on));
    lab_say(lab, "The same without reduction: %.3g rad astray after 1 s.", hinge_error(lab, model, &off));
}

static void run(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "inertia_pendulum.sdf", NULL);
    if (model == NULL)
        return;
    measure_ratios(lab, model);
    paper_runs(lab, model);
    printed_runs(lab, model);
    regression_runs(lab, model);
    our_runs(lab, model);
    rg_model_destroy(model);
}

const Experiment experiment_double_pendulum_004 = {
    "004-b-double-pendulum",
    "inertia ratio reduction keeps a double pendulum in its plane (paper 004, section 5.2, Figure 2)", 2.0, 2.0, run};
