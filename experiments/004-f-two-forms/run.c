/*
 * 004-f: the comparison that 004 leaves open (section 2): the same Atlas in maximal and in minimal coordinates.
 *
 *   stands and walks   joint error, drift of a foot, distance from the exact solver's walk, speed
 *   flies, limp        momentum that must stay, energy beside a reference run
 *
 * Twin: an exact solver must make the same walk in both forms.
 */
#include "atlas_robot.h"
#include "forms_flight.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STANDING 8.0 /* s */
#define SETTLED 4.0
#define SWAY 0.01
#define SWAY_PERIOD 4.0
#define WALKING 8.0 /* s; quick: */
#define WALKING_QUICK 4.0
#define WALK_ROOM 8001 /* steps of the longer one */

typedef struct Case {
    const char *name;
    const char *coords, *solver;
    bool paper; /* as 004's engine has it */
} Case;

enum { PAPER_MAXIMAL, PAPER_MINIMAL, QUICK_MAXIMAL, QUICK_MINIMAL, EXACT, CASES };

static const Case cases[CASES] = {
    [PAPER_MAXIMAL] = {"pgs, maximal", "maximal", "pgs", true},
    [PAPER_MINIMAL] = {"pgs, minimal", "minimal", "pgs", true},
    [QUICK_MAXIMAL] = {"quick, maximal", "maximal", "quick", false},
    [QUICK_MINIMAL] = {"quick, minimal", "minimal", "quick", false},
    [EXACT] = {"cone, minimal", "minimal", "cone", false},
};

typedef struct Motion {
    bool stood;
    double joint_error; /* largest, m or rad */
    double mean_error;
    double drift; /* m, of the left foot in the plane since SETTLED */
    double speed; /* simulated over processor time */
    int n;
    RgVec3 *com; /* a step; NULL: not kept */
} Motion;

static LabPgs paper_options(void)
{
    LabPgs o = lab_pgs("gazebo-vrc");
    o.pgs.iterations = 50;
    return o;
}

/* Walks or stands as the plan says; figure gets the joint error over time. */
static Motion move(Lab *lab, const Case *c, const WalkDef *walk, RgVec3 *com, LabFigure *figure)
{
    Motion out = {.com = com};
    LabPgs pgs = paper_options();
    Atlas *atlas = atlas_create(lab, &(AtlasDef){.file = "atlas.urdf",
                                                 .coords = c->coords,
                                                 .solver = c->solver,
                                                 .pgs = c->paper ? &pgs : NULL,
                                                 .walk = walk});
    if (!atlas)
        return out;
    RgWorld *world = atlas_world(atlas);
    bool shown = walk->steps > 0 && c == &cases[QUICK_MINIMAL];
    LabFilm *film = shown ? lab_film(lab, "walk", "Atlas walks, quick, minimal", world, 0.0) : NULL;
    RgVec3 from = {0};
    int n = (int)lround(walk->duration / ATLAS_H), settled = (int)lround(SETTLED / ATLAS_H);
    out.stood = true;
    for (int i = 0; i < n && out.stood; i++) {
        RgStepReport report;
        RgMomentum m;
        out.stood = atlas_step(atlas, &report);
        lab_film_step(film, world);
        rg_world_momentum(world, &m);
        if (com && i < WALK_ROOM)
            com[i] = m.com;
        RgVec3 foot = atlas_foot_com(atlas, WALK_LEFT);
        from = i <= settled ? foot : from;
        out.n = i + 1;
        out.drift = hypot(foot.x - from.x, foot.y - from.y);
        out.joint_error = fmax(out.joint_error, report.joint_error);
        out.mean_error += report.joint_error / n;
        if (figure && i % 20 == 0)
            lab_point(figure, rg_world_time(world), fmax(report.joint_error, 1e-17));
    }
    out.speed = out.n * ATLAS_H / atlas_step_seconds(atlas);
    lab_film_end(film);
    atlas_destroy(atlas);
    return out;
}

/* Root of the mean square distance of two walks' centres of mass, m. */
static double apart(const Motion *a, const Motion *b)
{
    int n = a->n < b->n ? a->n : b->n;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double x = a->com[i].x - b->com[i].x, y = a->com[i].y - b->com[i].y, z = a->com[i].z - b->com[i].z;
        sum += x * x + y * y + z * z;
    }
    return a->stood && b->stood ? sqrt(sum / n) : (double)NAN;
}

/* ------------------------------------------------------------------ on the floor */

static void measure_standing(Lab *lab)
{
    WalkDef walk = {.settle = STANDING, .duration = STANDING, .sway = SWAY, .sway_period = SWAY_PERIOD};
    Motion out[CASES] = {{.n = 0}};
    for (int i = 0; i < EXACT && !lab_failed(lab); i++) {
        out[i] = move(lab, &cases[i], &walk, NULL, NULL);
        lab_say(lab, "Standing, %s: joint error %.3g at most, drift %.3g mm in %g s, %.3g times real time.",
                cases[i].name, out[i].joint_error, 1e3 * out[i].drift, STANDING - SETTLED, out[i].speed);
        lab_progress(lab, 0.1 * (i + 1));
    }
    if (lab_failed(lab))
        return;
    lab_measured(lab, "standing: drift, pgs, maximal",
                 out[PAPER_MAXIMAL].stood ? 1e3 * out[PAPER_MAXIMAL].drift : (double)NAN);
    lab_measured(lab, "standing: drift, pgs, minimal",
                 out[PAPER_MINIMAL].stood ? 1e3 * out[PAPER_MINIMAL].drift : (double)NAN);
    lab_measured(lab, "standing: joint error, minimal",
                 fmax(out[PAPER_MINIMAL].joint_error, out[QUICK_MINIMAL].joint_error));
    lab_holds(lab, "standing: joint error is larger in maximal form, pgs",
              out[PAPER_MAXIMAL].joint_error > out[PAPER_MINIMAL].joint_error);
    lab_measured(lab, "standing: speed of minimal over maximal, pgs",
                 out[PAPER_MINIMAL].speed / out[PAPER_MAXIMAL].speed);
    lab_measured(lab, "standing: speed of minimal over maximal, quick",
                 out[QUICK_MINIMAL].speed / out[QUICK_MAXIMAL].speed);
}

static void tell_walking(Lab *lab, const Motion *out)
{
    bool walked = true;
    for (int i = 0; i < CASES; i++) {
        walked = walked && out[i].stood;
        lab_say(lab,
                "Walking, %s: joint error %.3g at most, %.3g on average, %.3g mm from the exact walk (rms), "
                "%.3g times real time.",
                cases[i].name, out[i].joint_error, out[i].mean_error, 1e3 * apart(&out[i], &out[EXACT]), out[i].speed);
    }
    lab_holds(lab, "walking: no run falls", walked);
    lab_measured(lab, "walking: joint error, pgs, maximal", out[PAPER_MAXIMAL].joint_error);
    lab_measured(lab, "walking: joint error, quick, maximal", out[QUICK_MAXIMAL].joint_error);
    lab_measured(lab, "walking: joint error, minimal",
                 fmax(out[PAPER_MINIMAL].joint_error, out[QUICK_MINIMAL].joint_error));
    lab_measured(lab, "walking: distance from the exact walk, quick, maximal",
                 1e3 * apart(&out[QUICK_MAXIMAL], &out[EXACT]));
    lab_measured(lab, "walking: distance from the exact walk, quick, minimal",
                 1e3 * apart(&out[QUICK_MINIMAL], &out[EXACT]));
    lab_measured(lab, "walking: distance from the exact walk, pgs, minimal over maximal",
                 apart(&out[PAPER_MINIMAL], &out[EXACT]) / apart(&out[PAPER_MAXIMAL], &out[EXACT]));
    lab_measured(lab, "walking: speed of minimal over maximal, pgs",
                 out[PAPER_MINIMAL].speed / out[PAPER_MAXIMAL].speed);
    lab_measured(lab, "walking: speed of minimal over maximal, quick",
                 out[QUICK_MINIMAL].speed / out[QUICK_MAXIMAL].speed);
    lab_measured(lab, "walking: speed of quick, minimal, over pgs, maximal",
                 out[QUICK_MINIMAL].speed / out[PAPER_MAXIMAL].speed);
}

static void measure_walking(Lab *lab)
{
    double duration = lab_quick(lab) ? WALKING_QUICK : WALKING;
    WalkDef walk = {
        .settle = 0.5, .both = 0.4, .single = 0.7, .steps = 20, .lift = 0.05, .stride = 0.1, .duration = duration};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"joint-error", "Joint error of a walk in two forms", "t (s)",
                                                        "largest joint error (m or rad)", .log_y = true});
    Motion out[CASES] = {0};
    RgVec3 *com = calloc((size_t)CASES * WALK_ROOM, sizeof *com);
    for (int i = 0; com && i < CASES && !lab_failed(lab); i++) {
        lab_curve(figure, LAB_LINES, "%s", cases[i].name);
        out[i] = move(lab, &cases[i], &walk, com + (size_t)i * WALK_ROOM, figure);
        lab_progress(lab, 0.4 + 0.1 * (i + 1));
    }
    if (com && !lab_failed(lab))
        tell_walking(lab, out);
    free(com);
}

/* ------------------------------------------------------------------ in the air */

static void measure_flight(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "atlas.urdf", NULL);
    if (!model)
        return;
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"momentum", "A limp robot in flight: error of the angular momentum", "t (s)",
                                        "| L - L0 | / | L0 |", .log_y = true});
    LabPgs pgs = paper_options();
    Flight truth = flight_run(lab, model, &(FlightDef){"minimal", "quick", "reference", NULL, 0.01}, NULL);
    static const char *const steppers[] = {"semi-implicit", "rk4"};
    for (int i = 0; i < EXACT; i++)
        for (int k = 0; k < (cases[i].paper ? 1 : 2) && !lab_failed(lab); k++) {
            const Case *c = &cases[i];
            lab_curve(figure, LAB_LINES, "%s, %s", c->name, steppers[k]);
            FlightDef def = {c->coords, c->solver, steppers[k], c->paper ? &pgs : NULL, ATLAS_H};
            Flight f = flight_run(lab, model, &def, figure);
            double energy = fabs(f.energy - truth.energy) / truth.kinetic;
            lab_say(lab,
                    "Flight, %s, %s: linear momentum to %.3g, angular to %.3g, energy to %.3g, joint error "
                    "%.3g, %.3g times real time.",
                    c->name, steppers[k], f.linear, f.angular, energy, f.joint_error, f.speed);
            char row[80];
            snprintf(row, sizeof row, "flight: angular momentum, %s, %s", c->name, steppers[k]);
            lab_measured(lab, row, f.angular);
            snprintf(row, sizeof row, "flight: energy, %s, %s", c->name, steppers[k]);
            lab_measured(lab, row, energy);
        }
    rg_model_destroy(model);
}

static void run(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "atlas.urdf", NULL);
    if (!model)
        return;
    RgModelInfo info = rg_model_info(model);
    lab_measured(lab, "velocities of minimal over maximal", info.nv / (6.0 * info.bodies));
    rg_model_destroy(model);
    if (!lab_quick(lab))
        measure_standing(lab);
    LAB_PARTS(lab, measure_walking, measure_flight);
}

const Experiment experiment_atlas_two_forms = {
    "004-f-two-forms",
    "Atlas in maximal and minimal coordinates: error, momentum, speed (paper 004, section 2, left open there)", 21.0,
    7.0, run};
