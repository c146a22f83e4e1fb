/*
 * 004-c: a hand holds a cylinder of 5.39 kg by friction alone: row order with smoothing on and off, warm start by 0,
 * 1/2 and 1.
 *
 *   drift     mean velocity with which the cylinder sinks, over the last three quarters of a run
 *   chatter   root of the mean square of the change of its vertical velocity from step to step, over the same time
 *
 * Twins: the vertical parts of all contact forces sum to the weight; `quick` and `cone` in both forms, which neither
 * order nor start can mislead.
 */
#include "heavy_grasp.h"

#include <math.h>
#include <stddef.h>

#define G 9.81
#define EVERY 20 /* steps between points of a curve */

typedef struct Trial {
    const char *name; /* of the curve */
    const char *coords, *solver;
    const LabPgs *pgs; /* NULL: the solver's own */
} Trial;

typedef struct Outcome {
    double drift, chatter; /* m/s */
    double sunk;           /* m, in all */
    double tilt;           /* largest vertical part of a normal that presses */
    double carried;        /* vertical part of all contact forces at the end, by weight */
} Outcome;

static void look_at_contacts(RgWorld *world, const Grasp *g, Outcome *out)
{
    const RgContactForce *c;
    int count = rg_world_contact_forces(world, &c);
    double up = 0.0;
    for (int i = 0; i < count; i++) {
        bool on_b = rg_model_shape(g->model, c[i].shape_b).link.i == g->object.i;
        double normal = c[i].force.x * c[i].normal.x + c[i].force.y * c[i].normal.y + c[i].force.z * c[i].normal.z;
        up += on_b ? c[i].force.z : -c[i].force.z;
        if (normal > 0.1)
            out->tilt = fmax(out->tilt, fabs(c[i].normal.z));
    }
    out->carried = up / (rg_model_link(g->model, g->object).inertia.mass * G);
}

/* Height over time goes to a curve of the figure. */
static Outcome hold(Lab *lab, Grasp *g, const Trial *trial, double time, LabFigure *figure, LabFilm **film)
{
    Outcome out = {.drift = (double)NAN, .chatter = (double)NAN};
    RgWorld *world = grasp_world(lab, g, trial->coords, trial->solver, trial->pgs);
    if (world == NULL)
        return out;
    if (figure)
        lab_curve(figure, LAB_LINES, "%s", trial->name);
    if (film)
        *film = lab_film(lab, "grasp", "a hand holds 5.39 kg by friction, with reordering and smoothing", world, 0.0);
    int steps = (int)(time / GRASP_H), from = steps / 4;
    double first = rg_world_link_pose(world, g->object).p.z, quarter = first, last_v = 0.0, sum = 0.0;
    for (int i = 0; i < steps; i++) {
        if (rg_world_step(world, GRASP_H, NULL) != RG_OK) {
            lab_fail(lab, "%s: a step was refused", trial->name);
            break;
        }
        double z = rg_world_link_pose(world, g->object).p.z, v = rg_world_link_twist(world, g->object).v.z;
        if (film)
            lab_film_step(*film, world);
        if (figure && i % EVERY == 0)
            lab_point(figure, rg_world_time(world), 1e3 * (z - first));
        quarter = i == from ? z : quarter;
        sum += i > from ? (v - last_v) * (v - last_v) : 0.0;
        last_v = v;
        out.sunk = first - z;
        out.drift = (quarter - z) / ((steps - 1 - from) * GRASP_H);
    }
    out.chatter = sqrt(sum / (steps - 1 - from));
    look_at_contacts(world, g, &out);
    if (film)
        lab_film_end(*film);
    rg_world_destroy(world);
    return out;
}

/* ------------------------------------------------------------------ Figure 3a */

static LabPgs vrc(void)
{
    return lab_pgs("gazebo-vrc");
}

static LabPgs unordered(void)
{
    LabPgs o = vrc();
    o.pgs.order = RG_PGS_JOINTS_LAST;
    o.pgs.smoothing = 0.0;
    o.pgs.friction_sweeps = 0;
    return o;
}

/* The same order with the two other readings of the smoothing, and with none: the preset's is that of the code behind
   the paper. */
static void smoothings(Lab *lab, Grasp *g, double time)
{
    static const struct {
        RgPgsSmoothing kind;
        double smoothing;
        const char *row;
    } others[] = {{RG_PGS_SMOOTH_LAST_STEP, 0.01, "drift, smoothing as printed"},
                  {RG_PGS_SMOOTH_CHANGE, 0.01, "drift, changes smoothed"},
                  {RG_PGS_SMOOTH_CHANGE, 0.0, "drift, reordering without smoothing"}};
    for (int k = 0; k < 3; k++) {
        LabPgs o = vrc();
        o.pgs.smoothing_kind = others[k].kind;
        o.pgs.smoothing = others[k].smoothing;
        Outcome out = hold(lab, g, &(Trial){"", "maximal", "pgs", &o}, time, NULL, NULL);
        lab_measured(lab, others[k].row, out.drift);
        lab_say(lab, "%s: %.3g m/s, chatter %.3g m/s.", others[k].row, out.drift, out.chatter);
    }
}

static void row_order(Lab *lab, Grasp *g, double time)
{
    LabFigure *figure = lab_figure(
        lab, &(LabFigureDef){"fig3a", "Figure 3a: a grasped cylinder, with and without row order and smoothing",
                             "t (s)", .y = "height of the cylinder (mm)"});
    LabPgs on = vrc(), off = unordered();
    LabFilm *film = NULL;
    Outcome with = hold(lab, g, &(Trial){"with", "maximal", "pgs", &on}, time, figure, &film);
    lab_progress(lab, 0.3);
    Outcome without = hold(lab, g, &(Trial){"without", "maximal", "pgs", &off}, time, figure, NULL);
    lab_progress(lab, 0.4);
    Outcome minimal = hold(lab, g, &(Trial){"with, minimal form", "minimal", "pgs", &on}, time, figure, NULL);
    lab_measured(lab, "drift with reordering and smoothing", with.drift);
    lab_measured(lab, "drift without", without.drift);
    lab_measured(lab, "drift with, minimal form", minimal.drift);
    lab_measured(lab, "vertical part of contact normals", with.tilt);
    lab_measured(lab, "weight carried by friction", with.carried);
    lab_say(lab, "In %.3g s the cylinder sinks by %.3g mm with reordering and smoothing, by %.3g mm without.", time,
            1e3 * with.sunk, 1e3 * without.sunk);
    smoothings(lab, g, time);
    if (!lab_quick(lab))
        lab_measured(lab, "sunk in a minute", hold(lab, g, &(Trial){"", "maximal", "pgs", &on}, 60.0, NULL, NULL).sunk);
}

/* ------------------------------------------------------------------ Figure 4b */

/* The sweeps of section 4 alone, contact by contact. */
static LabPgs plain_sweeps(double warm)
{
    LabPgs o = unordered();
    o.pgs.friction_sor = 1.0;
    o.law.joint_warm_start = warm;
    return o;
}

/* How a start does on all grasps: root mean square of the chatter, mean of the distance slipped. */
typedef struct Start {
    double chatter, slip; /* m/s, m */
} Start;

/* Grasps like the first, each squeezed a little more or less than that: what a single one does is partly chance. */
static Start try_start(Lab *lab, Grasp *g, const Trial *trial, double time, LabFigure *figure)
{
    Start start = {0.0, 0.0};
    Grasp other = *g;
    int count = lab_quick(lab) ? 4 : 12;
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < GRASP_JOINTS; k++)
            other.target[k] = g->target[k] * (1.0 + (n % 2 ? 0.01 : -0.01) * (n + 1));
        Outcome out = hold(lab, &other, trial, time, n == 0 ? figure : NULL, NULL);
        start.chatter += out.chatter * out.chatter / count;
        start.slip += fabs(out.sunk) / count;
    }
    start.chatter = sqrt(start.chatter);
    return start;
}

static void warm_start(Lab *lab, Grasp *g)
{
    static const char *const names[] = {"0 %", "50 %", "100 %"};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"fig4b", "Figure 4b: warm start by 0, 50 and 100 %", "t (s)",
                                                        .y = "height of the cylinder (mm)"});
    const double time = 3.0;
    Start plain[3];
    for (int k = 0; k < 3; k++) {
        LabPgs sweeps = plain_sweeps(0.5 * k), ordered = vrc();
        plain[k] = try_start(lab, g, &(Trial){names[k], "maximal", "pgs", &sweeps}, time, figure);
        lab_say(lab, "Warm start %s: chatter %.3g m/s, %.3g mm slipped in %.3g s.", names[k], plain[k].chatter,
                1e3 * plain[k].slip, time);
        lab_progress(lab, 0.5 + 0.1 * k);
        if (lab_quick(lab))
            continue;
        ordered.law.joint_warm_start = 0.5 * k;
        Start aided = try_start(lab, g, &(Trial){names[k], "maximal", "pgs", &ordered}, time, NULL);
        lab_say(lab, "With reordering and smoothing: %.3g m/s, %.3g mm.", aided.chatter, 1e3 * aided.slip);
    }
    lab_measured(lab, "chatter, warm start 0 by 0.5", plain[0].chatter / plain[1].chatter);
    lab_measured(lab, "chatter, warm start 1 by 0.5", plain[2].chatter / plain[1].chatter);
    lab_measured(lab, "slip, warm start 0 by 0.5", plain[0].slip / plain[1].slip);
    lab_measured(lab, "slip, warm start 1 by 0.5", plain[2].slip / plain[1].slip);
}

/* ------------------------------------------------------------------ section 5.3: dampers */

/* How grasps with weaker dampers do beside the one with 1 N m s/rad, by the sweeps alone and with their aids. */
static void dampers(Lab *lab, Grasp *strong)
{
    static const double weak[] = {0.1, 0.01, 0.001}; /* N m s/rad */
    const double time = 3.0;
    LabPgs sweeps = plain_sweeps(0.5), ordered = vrc(), off = unordered();
    const Trial plain = {"sweeps", "maximal", "pgs", &sweeps}, aided = {"aided", "maximal", "pgs", &ordered},
                drifting = {"without order", "maximal", "pgs", &off};
    double of_plain = 0.0, of_aided = 0.0, fastest = 0.0;
    for (int k = 0; k < 3; k++) {
        Grasp g;
        if (grasp_begin(lab, &g, weak[k], false)) {
            Outcome by_plain = hold(lab, &g, &plain, time, NULL, NULL),
                    by_aided = hold(lab, &g, &aided, time, NULL, NULL);
            of_plain += by_plain.chatter * by_plain.chatter / 3.0;
            of_aided += by_aided.chatter * by_aided.chatter / 3.0;
            fastest = fmax(fastest, by_plain.drift);
            lab_say(lab,
                    "Damping %g N m s/rad: chatter %.3g m/s and drift %.3g m/s by sweeps alone, %.3g and "
                    "%.3g with their aids; without row order alone the drift is %.3g m/s.",
                    weak[k], by_plain.chatter, by_plain.drift, by_aided.chatter, by_aided.drift,
                    hold(lab, &g, &drifting, time, NULL, NULL).drift);
        }
        grasp_end(&g);
    }
    lab_measured(lab, "chatter, weak dampers by 1 N m s/rad, sweeps alone",
                 sqrt(of_plain) / hold(lab, strong, &plain, time, NULL, NULL).chatter);
    lab_measured(lab, "chatter, weak dampers by 1 N m s/rad, aided",
                 sqrt(of_aided) / hold(lab, strong, &aided, time, NULL, NULL).chatter);
    lab_measured(lab, "drift with weak dampers, sweeps alone", fastest);
}

/* ------------------------------------------------------------------ ours */

static void ours(Lab *lab, Grasp *g, double time)
{
    const struct {
        const char *row;
        Trial trial;
    } runs[] = {
        {"drift, quick minimal", {"quick, minimal", "minimal", "quick", NULL}},
        {"drift, quick maximal", {"quick, maximal", "maximal", "quick", NULL}},
        {"drift, cone minimal", {"cone, minimal", "minimal", "cone", NULL}},
        {"drift, cone maximal", {"cone, maximal", "maximal", "cone", NULL}},
    };
    for (int k = 0; k < 4; k++) {
        lab_measured(lab, runs[k].row, hold(lab, g, &runs[k].trial, time, NULL, NULL).drift);
        lab_progress(lab, 0.8 + 0.05 * k);
    }
}

/* ------------------------------------------------------------------ on an arm that moves (Figure 4a) */

typedef struct Carried {
    double slip;    /* m: largest way of the object against the palm */
    double drift;   /* m/s: mean over the second half, of whole swings */
    double chatter; /* m/s: as of the fixed palm, of the velocity along the object's axis against the palm */
} Carried;

/* Where the object is, seen from the palm; and its velocity along its own axis against the palm's at the same place. */
static RgVec3 against_palm(RgWorld *world, const Grasp *g, double *along)
{
    RgPose X_WP = rg_world_link_pose(world, g->palm), X_WO = rg_world_link_pose(world, g->object);
    RgMotion P = rg_world_link_twist(world, g->palm), O = rg_world_link_twist(world, g->object);
    RgVec3 r = {X_WO.p.x - X_WP.p.x, X_WO.p.y - X_WP.p.y, X_WO.p.z - X_WP.p.z}, seen;
    double v[3] = {O.v.x - P.v.x - (P.w.y * r.z - P.w.z * r.y), O.v.y - P.v.y - (P.w.z * r.x - P.w.x * r.z),
                   O.v.z - P.v.z - (P.w.x * r.y - P.w.y * r.x)};
    double in[3], from[3] = {r.x, r.y, r.z};
    *along = 0.0;
    for (int i = 0; i < 3; i++) {
        in[i] = 0.0;
        for (int k = 0; k < 3; k++)
            in[i] += X_WP.R.m[k][i] * from[k];
        *along += X_WO.R.m[i][2] * v[i];
    }
    seen = (RgVec3){in[0], in[1], in[2]};
    return seen;
}

static double way(RgVec3 a, RgVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static Carried carry(Lab *lab, Grasp *g, const Trial *trial, double time)
{
    Carried out = {.drift = (double)NAN, .chatter = (double)NAN};
    RgWorld *world = grasp_world(lab, g, trial->coords, trial->solver, trial->pgs);
    if (world == NULL)
        return out;
    int steps = (int)(time / GRASP_H), from = steps / 2 - 1; /* whole swings, both halves */
    double last, along, sum = 0.0;
    RgVec3 first = against_palm(world, g, &last), quarter = first;
    for (int i = 0; i < steps; i++) {
        grasp_move_arm(g, world, i * GRASP_H);
        if (rg_world_step(world, GRASP_H, NULL) != RG_OK) {
            lab_fail(lab, "%s: a step was refused", trial->name);
            break;
        }
        RgVec3 seen = against_palm(world, g, &along);
        quarter = i == from ? seen : quarter;
        sum += i > from ? (along - last) * (along - last) : 0.0;
        last = along;
        out.slip = fmax(out.slip, way(seen, first));
        out.drift = way(seen, quarter) / ((steps - 1 - from) * GRASP_H);
    }
    out.chatter = sqrt(sum / (steps - 1 - from));
    rg_world_destroy(world);
    return out;
}

/* Figure 4a: the arm lifts and lowers the palm by 0.23 m every 2 s; dampers of 1 N m s/rad and weaker ones. */
static void on_arm(Lab *lab)
{
    static const double damping[] = {1.0, 0.1, 0.01, 0.001}; /* N m s/rad */
    const double time = lab_quick(lab) ? 4.0 : 20.0;
    LabPgs sweeps = plain_sweeps(0.5), ordered = vrc();
    const Trial plain = {"sweeps", "maximal", "pgs", &sweeps}, aided = {"aided", "maximal", "pgs", &ordered},
                exact = {"quick", "maximal", "quick", NULL};
    Carried strong[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double weak[2] = {0.0, 0.0}, of_quick = 0.0;
    for (int k = 0; k < 4; k++) {
        Grasp g;
        if (grasp_begin(lab, &g, damping[k], true)) {
            Carried a = carry(lab, &g, &plain, time), b = carry(lab, &g, &aided, time),
                    c = carry(lab, &g, &exact, time);
            lab_say(lab,
                    "On the arm, damping %g N m s/rad: in %.3g s slip %.3g, %.3g, %.3g mm, drift %.3g, %.3g, "
                    "%.3g m/s, chatter %.3g, %.3g, %.3g m/s by sweeps alone, with their aids, and with quick.",
                    damping[k], time, 1e3 * a.slip, 1e3 * b.slip, 1e3 * c.slip, a.drift, b.drift, c.drift, a.chatter,
                    b.chatter, c.chatter);
            if (k == 0) {
                strong[0] = a;
                strong[1] = b;
            } else {
                weak[0] = fmax(weak[0], a.drift);
                weak[1] = fmax(weak[1], b.drift);
            }
            of_quick = fmax(of_quick, c.drift);
        }
        grasp_end(&g);
    }
    lab_measured(lab, "on the arm, drift, weak dampers by 1 N m s/rad, sweeps alone", weak[0] / strong[0].drift);
    lab_measured(lab, "on the arm, drift, weak dampers by 1 N m s/rad, aided", weak[1] / strong[1].drift);
    lab_measured(lab, "on the arm, drift with weak dampers, sweeps alone", weak[0]);
    lab_measured(lab, "on the arm, drift with 1 N m s/rad, aided", strong[1].drift);
    lab_measured(lab, "on the arm, drift, quick", of_quick);
}

static void masses(Lab *lab, const Grasp *g)
{
    RgInertia tip = rg_model_link(g->model, rg_model_find_link(g->model, "f0_2")).inertia;
    lab_measured(lab, "mass of the object", rg_model_link(g->model, g->object).inertia.mass);
    lab_measured(lab, "mass of a finger's last link", tip.mass);
    lab_measured(lab, "its least moment of inertia", tip.I.xx);
}

static void run(Lab *lab)
{
    Grasp grasp;
    double time = lab_quick(lab) ? 5.0 : 20.0;
    if (grasp_begin(lab, &grasp, 1.0, false)) {
        lab_progress(lab, 0.15);
        masses(lab, &grasp);
        row_order(lab, &grasp, time);
        warm_start(lab, &grasp);
        dampers(lab, &grasp);
        ours(lab, &grasp, time);
    }
    grasp_end(&grasp);
    on_arm(lab);
}

const Experiment experiment_grasp_004 = {
    "004-c-grasp",
    "a hand holds a heavy cylinder: row order, smoothing, warm start (paper 004, sections 5.3 to 5.5, Figures 3a, 4)",
    140.0, 40.0, run};
