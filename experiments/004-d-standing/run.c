/*
 * 004-d: Atlas stands and keeps its balance; do its feet stay where they are?
 *
 * A balance controller makes friction work in every step: what sweeps over its rows leave undone is a slip, always in
 * the same directions, and sums up to a drift. 004's remedy (section 5.4): bilateral rows first, then normals, then
 * friction, ten further sweeps over friction alone, and changes of contact impulses smoothed by 0.01.
 *
 * Drift: how far the left foot's centre of mass has gone in the plane since SETTLED. Twin: the feet press with the
 * weight.
 */
#include "atlas_robot.h"

#include <math.h>
#include <string.h>

#define DURATION 20.0 /* s */
#define SETTLED 4.0   /* s; from there to the end: whole periods of the sway */
#define SWAY 0.01     /* m */
#define SWAY_PERIOD 4.0
#define G 9.81

typedef struct Variant {
    const char *name;
    const char *coords, *solver;
    bool ordered, swept, smoothed; /* pgs: 004's three changes */
    bool whole;                    /* of the long form alone */
    RgPgsSmoothing kind;           /* of the preset, the code behind the paper: impulse */
} Variant;

enum {
    PLAIN,
    CHANGED,
    OURS,
    EXACT,
    OURS_MAXIMAL,
    ORDERED,
    SWEPT,
    SMOOTHED,
    PRINTED,
    CHANGES,
    PLAIN_MINIMAL,
    CHANGED_MINIMAL,
    VARIANTS
};

static const Variant variants[VARIANTS] = {
    [PLAIN] = {"plain order", "maximal", "pgs", false, false, false, false, RG_PGS_SMOOTH_IMPULSE},
    [CHANGED] = {"reordered and smoothed", "maximal", "pgs", true, true, true, false, RG_PGS_SMOOTH_IMPULSE},
    [OURS] = {"quick, minimal", "minimal", "quick", false, false, false, false, RG_PGS_SMOOTH_IMPULSE},
    [EXACT] = {"cone, minimal", "minimal", "cone", false, false, false, false, RG_PGS_SMOOTH_IMPULSE},
    [OURS_MAXIMAL] = {"quick, maximal", "maximal", "quick", false, false, false, true, RG_PGS_SMOOTH_IMPULSE},
    [ORDERED] = {"reordered alone", "maximal", "pgs", true, false, false, true, RG_PGS_SMOOTH_IMPULSE},
    [SWEPT] = {"friction sweeps alone", "maximal", "pgs", false, true, false, true, RG_PGS_SMOOTH_IMPULSE},
    [SMOOTHED] = {"smoothed alone", "maximal", "pgs", false, false, true, true, RG_PGS_SMOOTH_IMPULSE},
    [PRINTED] = {"smoothed as printed", "maximal", "pgs", true, true, true, true, RG_PGS_SMOOTH_LAST_STEP},
    [CHANGES] = {"changes smoothed", "maximal", "pgs", true, true, true, true, RG_PGS_SMOOTH_CHANGE},
    [PLAIN_MINIMAL] = {"plain order, minimal", "minimal", "pgs", false, false, false, true, RG_PGS_SMOOTH_IMPULSE},
    [CHANGED_MINIMAL] = {"reordered and smoothed, minimal", "minimal", "pgs", true, true, true, true,
                         RG_PGS_SMOOTH_IMPULSE},
};

typedef struct Outcome {
    double drift;  /* m, at the end; NaN: it fell */
    double weight; /* mean of what the feet press with, over m g */
    double joint_error;
    double speed; /* simulated over processor time */
} Outcome;

static LabPgs options_of(const Variant *v)
{
    LabPgs o = lab_pgs("gazebo-vrc");
    o.pgs.iterations = 50;
    o.pgs.order = v->ordered ? RG_PGS_BY_KIND : RG_PGS_JOINTS_LAST;
    o.pgs.friction_sweeps = v->swept ? o.pgs.friction_sweeps : 0;
    o.pgs.smoothing = v->smoothed ? o.pgs.smoothing : 0.0;
    o.pgs.smoothing_kind = v->kind;
    return o;
}

static double pressed(RgWorld *world)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += fabs(forces[i].force.z);
    return sum;
}

/* Curves: of both directions (of some runs alone: then NULL), and of the distance. */
typedef struct Curves {
    LabFigure *x, *y, *distance;
} Curves;

static void draw(const Curves *curves, double t, RgVec3 moved)
{
    if (curves->x)
        lab_point(curves->x, t, 1e3 * moved.x);
    if (curves->y)
        lab_point(curves->y, t, 1e3 * moved.y);
    lab_point(curves->distance, t, fmax(1e3 * hypot(moved.x, moved.y), 1e-7));
}

static Outcome stand(Lab *lab, int which, const Curves *curves)
{
    const Variant *v = &variants[which];
    Outcome out = {.drift = (double)NAN};
    LabPgs pgs = options_of(v);
    bool paper = strcmp(v->solver, "pgs") == 0;
    WalkDef walk = {.settle = DURATION, .duration = DURATION, .sway = SWAY, .sway_period = SWAY_PERIOD};
    Atlas *atlas = atlas_create(
        lab,
        &(AtlasDef){
            .file = "atlas.urdf", .coords = v->coords, .solver = v->solver, .pgs = paper ? &pgs : NULL, .walk = &walk});
    if (!atlas)
        return out;
    RgWorld *world = atlas_world(atlas);
    LabFilm *film =
        which == PLAIN ? lab_film(lab, "standing", "Atlas keeps its balance, plain order", world, 0.0) : NULL;
    RgVec3 from = {0}, moved = {0};
    int settled = (int)(SETTLED / ATLAS_H), n = (int)(DURATION / ATLAS_H);
    double mass = rg_model_info(atlas_model(atlas)).mass;
    bool stands = true;
    for (int i = 0; i < n && stands; i++) {
        RgStepReport report;
        stands = atlas_step(atlas, &report);
        lab_film_step(film, world);
        RgVec3 at = atlas_foot_com(atlas, WALK_LEFT);
        from = i <= settled ? at : from;
        moved = (RgVec3){at.x - from.x, at.y - from.y, 0.0};
        out.joint_error = fmax(out.joint_error, report.joint_error);
        out.weight += i > settled ? pressed(world) / (mass * G) / (n - settled - 1) : 0.0;
        if (i % 50 == 0 && i >= settled)
            draw(curves, rg_world_time(world), moved);
    }
    out.drift = stands ? hypot(moved.x, moved.y) : (double)NAN;
    out.speed = DURATION / atlas_step_seconds(atlas);
    lab_film_end(film);
    atlas_destroy(atlas);
    return out;
}

/* ------------------------------------------------------------------ the model's own figures */

static void measure_model(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "atlas.urdf", NULL);
    if (!model)
        return;
    RgModelInfo info = rg_model_info(model);
    double leg = rg_model_link(model, rg_model_find_link(model, "l_lleg")).inertia.I.yy;
    double talus = rg_model_link(model, rg_model_find_link(model, "l_talus")).inertia.I.yy;
    double head = rg_model_link(model, rg_model_find_link(model, "head")).inertia.mass;
    lab_measured(lab, "joints", info.joints);
    lab_measured(lab, "mass without the head", info.mass - head);
    lab_measured(lab, "ratio of moments across the ankle", leg / talus);
    rg_model_destroy(model);
}

static Curves open_curves(Lab *lab)
{
    Curves c;
    c.x = lab_figure(
        lab, &(LabFigureDef){"fig3b-x", "Figure 3b: left foot while standing, ahead", "t (s)", .y = "moved in x (mm)"});
    c.y = lab_figure(lab, &(LabFigureDef){"fig3b-y", "Figure 3b: left foot while standing, sideways", "t (s)",
                                          .y = "moved in y (mm)"});
    c.distance = lab_figure(lab, &(LabFigureDef){"drift", "Drift of the left foot while standing", "t (s)",
                                                 "distance (mm)", .log_y = true});
    return c;
}

static void run(Lab *lab)
{
    measure_model(lab);
    Curves curves = open_curves(lab);
    Outcome out[VARIANTS] = {{.drift = 0.0}};
    bool stood = true;
    double worst_weight = 1.0;
    for (int i = 0; i < VARIANTS && !lab_failed(lab); i++) {
        const Variant *v = &variants[i];
        if (v->whole && lab_quick(lab))
            continue;
        curves.x = i <= OURS ? curves.x : NULL;
        curves.y = i <= OURS ? curves.y : NULL;
        if (i <= OURS) {
            lab_curve(curves.x, LAB_LINES, "%s", v->name);
            lab_curve(curves.y, LAB_LINES, "%s", v->name);
        }
        lab_curve(curves.distance, LAB_LINES, "%s", v->name);
        out[i] = stand(lab, i, &curves);
        stood = stood && !isnan(out[i].drift);
        worst_weight = fabs(out[i].weight - 1.0) > fabs(worst_weight - 1.0) ? out[i].weight : worst_weight;
        lab_say(lab, "%s: drift %.3g mm in %g s, largest joint error %.3g, %.3g times real time.", v->name,
                1e3 * out[i].drift, DURATION - SETTLED, out[i].joint_error, out[i].speed);
        lab_progress(lab, (i + 1.0) / VARIANTS);
    }
    if (lab_failed(lab))
        return;
    lab_holds(lab, "stands in every run", stood);
    lab_measured(lab, "drift, plain order", 1e3 * out[PLAIN].drift);
    lab_measured(lab, "drift, reordered and smoothed", 1e3 * out[CHANGED].drift);
    lab_measured(lab, "drift reordered and smoothed over drift in plain order", out[CHANGED].drift / out[PLAIN].drift);
    lab_measured(lab, "drift, quick, minimal", 1e3 * out[OURS].drift);
    lab_measured(lab, "drift, cone, minimal", 1e3 * out[EXACT].drift);
    lab_measured(lab, "weight on the feet, worst run", worst_weight);
    if (lab_quick(lab))
        return;
    lab_measured(lab, "drift, quick, maximal", 1e3 * out[OURS_MAXIMAL].drift);
    lab_measured(lab, "drift, reordered, smoothed as printed", 1e3 * out[PRINTED].drift);
    lab_measured(lab, "drift, reordered, changes smoothed", 1e3 * out[CHANGES].drift);
}

const Experiment experiment_atlas_standing = {
    "004-d-standing",
    "order of rows and smoothing keep Atlas' feet where they stand (paper 004, section 5.4, Figure 3b)", 45.0, 13.0,
    run};
