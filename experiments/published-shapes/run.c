/*
 * published-shapes: 1,000 boxes, 1,000 cylinders and 1,000 balls that stand on a floor (gz-sim 3k_shapes.sdf; dart
 * issue #3056, 2026).
 *
 *   real-time factor = simulated seconds / processor seconds, steps of 1 ms, one thread
 *
 * With sleeping, after all have come to rest; and without. Nothing may move meanwhile: they begin where they rest.
 */
#include "bodies.h"
#include "published.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>

#define EACH 1000
#define PITCH 1.5
#define H 1e-3
#define AWAKE_STEPS 300
#define SETTLE 1.0 /* s until all sleep */
#define ASLEEP_STEPS 2000

/* Masses of 1, 2, 3 kg and moments of as many kg m^2, as in the file. */
static void add_shape(RgBuilder *b, int kind, int i)
{
    static const RgShapeType types[3] = {RG_SHAPE_box, RG_SHAPE_cylinder, RG_SHAPE_sphere};
    static const char *const names[3] = {"box", "cylinder", "sphere"};
    static const double sizes[3][3] = {{1.0, 1.0, 1.0}, {0.5, 1.0, 0.0}, {0.5, 0.0, 0.0}};
    const double y[3] = {0.0, -PITCH, PITCH};
    char name[32];
    snprintf(name, sizeof name, "%s_%d", names[kind], i);
    RgLinkDef link = rg_link_def_default();
    link.name = name;
    double m = kind + 1.0;
    link.inertia = (RgInertia){.mass = m, .I = {m, m, m, 0, 0, 0}};
    link.X_WL = rg_pose_from_rpy(vec(-0.5 * PITCH * EACH + PITCH * i, y[kind], 0.5), vec(0, 0, 0));
    RgShapeDef shape = rg_shape_def_default();
    shape.type = types[kind];
    for (int k = 0; k < 3; k++)
        shape.size[k] = sizes[kind][k];
    shape.link = rg_builder_add_link(b, &link);
    rg_builder_add_shape(b, &shape);
}

static RgModel *shapes_model(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef floor = rg_shape_def_default().surface;
    bodies_add_floor(b, &floor);
    for (int i = 0; i < EACH; i++)
        for (int kind = 0; kind < 3; kind++)
            add_shape(b, kind, i);
    return bodies_end(lab, b);
}

/* Largest way of any of them from where it began. */
static double moved(RgWorld *world)
{
    double most = 0.0;
    for (int i = 0; i < 3 * EACH; i++) {
        int column = i / 3;
        RgVec3 from = vec(-0.5 * PITCH * EACH + PITCH * column, (const double[3]){0.0, -PITCH, PITCH}[i % 3], 0.5);
        most = fmax(most, vec_distance(rg_world_link_pose(world, (RgLinkId){i + 1}).p, from));
    }
    return most;
}

/* Real-time factor over so many steps; NaN: a step was refused. */
static double factor(Lab *lab, RgWorld *world, int steps, LabFilm *film)
{
    double begun = lab_cpu();
    for (int i = 0; i < steps; i++) {
        if (rg_world_step(world, H, NULL) != RG_OK) {
            lab_say(lab, "a step was refused");
            return (double)NAN;
        }
        lab_film_step(film, world);
    }
    return steps * H / (lab_cpu() - begun);
}

static void run(Lab *lab)
{
    LabFigure *figure = lab_figure(
        lab, &(LabFigureDef){"factor", "3,000 shapes on a floor", "t (s)", "real-time factor", .log_y = true});
    RgModel *model = shapes_model(lab);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    for (int sleeping = 0; model && sleeping < 2; sleeping++) {
        def.sleeping = sleeping == 1;
        RgWorld *world = lab_world_create(lab, &def);
        if (!world)
            break;
        lab_curve(figure, LAB_LINES_POINTS, "%s", sleeping ? "ours, sleeping" : "ours, awake");
        LabFilm *film = sleeping ? lab_film(lab, "shapes", "3,000 shapes fall asleep", world, 4.0) : NULL;
        int chunk = 100, steps = sleeping ? (int)(SETTLE / H) : AWAKE_STEPS;
        double last = (double)NAN;
        for (int i = 0; i < steps; i += chunk) {
            last = factor(lab, world, chunk, film);
            lab_point(figure, rg_world_time(world), last);
            lab_progress(lab, 0.3 * sleeping + 0.4 * i / steps);
        }
        lab_film_end(film);
        if (sleeping) {
            last = factor(lab, world, ASLEEP_STEPS, NULL);
            lab_point(figure, rg_world_time(world), last);
            RgStepReport report;
            rg_world_step(world, H, &report);
            lab_measured(lab, "shapes that do not sleep", 3.0 * EACH - report.sleeping);
        }
        lab_measured(lab, sleeping ? "real-time factor, sleeping" : "real-time factor, awake", last);
        lab_measured(lab, sleeping ? "largest way, sleeping" : "largest way, awake", moved(world));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
    static const PublishedLevel levels[] = {{"Bullet, MuJoCo asleep, above", 2.0}, {"DART", 0.05}};
    published_levels(figure, levels, 2, 0.0, SETTLE + ASLEEP_STEPS * H);
    lab_say(lab, "The published factors are of another machine.");
}

const Experiment experiment_published_shapes = {
    "published-shapes", "3,000 shapes that rest on a floor: real-time factor once they sleep (dart issue #3056)", 12.0,
    12.0, run};
