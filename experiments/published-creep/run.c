/*
 * published-creep: a capsule of 45 g and radius 4 mm between two pads that squeeze it, mu 0.7 (mujoco issue #3328,
 * 2026).
 *
 * The pads slide along x and are drawn 2 mm past the touch by springs (kp) with dampers, so that they press with kp 2
 * mm = 12 ... 60 N; friction could hold 20 to 95 times the weight of 0.44 N. What is measured is the speed at which the
 * capsule sinks all the same.
 */
#include "bodies.h"
#include "published.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>

#define MASS 0.045
#define RADIUS 0.004
#define LENGTH 0.04
#define MU 0.7
#define PAST 0.002 /* m */
#define PAD_MASS 0.1
#define H 2e-3 /* that of the engine by default */
#define TIME 10.0
#define SETTLED 1.0 /* s: after which the speed is taken */
#define PADS 2

static RgLinkId add_pad(RgBuilder *b, int side, const RgSurfaceDef *surface)
{
    const char *names[PADS] = {"left", "right"}, *joints[PADS] = {"slide_left", "slide_right"};
    double sign = side == 0 ? -1.0 : 1.0;
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_box;
    shape.surface = *surface;
    shape.size[0] = 0.01;
    shape.size[1] = shape.size[2] = 0.03;
    RgLinkDef link = rg_link_def_default();
    link.name = names[side];
    link.group = names[side];
    link.inertia = (RgInertia){.mass = PAD_MASS, .I = {1.5e-5, 8.3e-6, 8.3e-6, 0, 0, 0}};
    shape.link = rg_builder_add_link(b, &link);
    rg_builder_add_shape(b, &shape);
    RgJointDef slide = rg_joint_def_default();
    slide.name = joints[side];
    slide.group = names[side];
    slide.type = RG_JOINT_prismatic;
    slide.child = shape.link;
    slide.axis = vec(-sign, 0.0, 0.0);
    slide.X_PJ = rg_pose_from_rpy(vec(sign * (RADIUS + 0.005), 0.0, 0.0), vec(0, 0, 0));
    rg_builder_add_joint(b, &slide);
    return shape.link;
}

/* The capsule lies along y. */
static RgModel *grip_model(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(MU, 0.0);
    for (int side = 0; side < PADS; side++)
        add_pad(b, side, &surface);
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_capsule;
    shape.surface = surface;
    shape.size[0] = RADIUS;
    shape.size[1] = LENGTH;
    RgInertia own = {.mass = 1.0};
    rg_shape_inertia(&shape, 1.0, &own);
    double scale = MASS / own.mass;
    RgLinkDef link = rg_link_def_default();
    link.name = "capsule";
    link.inertia = (RgInertia){.mass = MASS, .I = {scale * own.I.xx, scale * own.I.zz, scale * own.I.yy, 0, 0, 0}};
    shape.link = rg_builder_add_link(b, &link);
    shape.X_LS = rg_pose_from_rpy(vec(0, 0, 0), vec(0.5 * TEST_PI, 0, 0));
    rg_builder_add_shape(b, &shape);
    return bodies_end(lab, b);
}

static bool squeeze(RgWorld *world, double force)
{
    static const char *const joints[PADS] = {"slide_left", "slide_right"};
    bool good = true;
    for (int side = 0; side < PADS; side++) {
        RgDrive drive = rg_drive_default();
        drive.position = PAST;
        drive.kp = force / PAST;
        drive.kd = 2.0 * sqrt(drive.kp * PAD_MASS);
        good = rg_world_set_joint_drive(world, rg_model_find_joint(rg_world_model(world), joints[side]), 0, &drive) ==
                   RG_OK &&
               good;
    }
    return good;
}

/* um/s at which the capsule sinks once it is held. */
static double creep(Lab *lab, const PublishedWay *way, double force, LabFigure *figure, bool filmed)
{
    RgModel *model = grip_model(lab);
    RgWorld *world = published_world(lab, model, way, vec(0.0, 0.0, -9.81));
    LabFilm *film = filmed ? lab_film(lab, "creep", "a capsule between two pads", world, 10.0) : NULL;
    double from = (double)NAN, speed = (double)NAN;
    bool good = world && squeeze(world, force);
    RgLinkId capsule = model ? rg_model_find_link(model, "capsule") : (RgLinkId){0};
    int steps = (int)(TIME / H + 0.5);
    for (int i = 1; good && i <= steps; i++) {
        good = rg_world_step(world, H, NULL) == RG_OK;
        lab_film_step(film, world);
        double z = rg_world_link_pose(world, capsule).p.z, t = rg_world_time(world);
        if (i == (int)(SETTLED / H + 0.5))
            from = z;
        if (figure && i % 50 == 0)
            lab_point(figure, t, 1e6 * z);
        if (good && i == steps)
            speed = 1e6 * (from - z) / (TIME - SETTLED);
    }
    published_end(film, world, model);
    return fabs(speed);
}

static void run(Lab *lab)
{
    const double forces[4] = {12.0, 20.0, 40.0, 60.0};
    static const PublishedWay ways[] = {
        {.name = "default"},
        {.name = "maximal", .coords = "maximal"},
        {.name = "cone", .solver = "cone"},
        {.name = "pgs", .solver = "pgs"},
    };
    static const PublishedLevel levels[] = {{"MuJoCo elliptic, impratio 10", 155.0},
                                            {"MuJoCo impratio 1, slowest", 1500.0},
                                            {"MuJoCo pyramidal, fastest", 2300.0},
                                            {"MuJoCo noslip 10", 1.4}};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"creep", "A capsule held by friction, pressed with 12 N",
                                                        "t (s)", "height (um)", .y_low = -2000.0, .y_high = 100.0});
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            if (k == 0)
                lab_curve(figure, LAB_LINES, "%s", ways[i].name);
            double speed = creep(lab, &ways[i], forces[k], k == 0 ? figure : NULL, i == 0 && k == 0);
            char quantity[32];
            snprintf(quantity, sizeof quantity, "creep at %g N", forces[k]);
            if (i == 0 && k == 0)
                published_against(lab, quantity, levels, 4, speed);
            else
                lab_measured(lab, published_row(quantity, &ways[i]), speed);
            lab_progress(lab, (4 * i + k + 1) / 16.0);
        }
    for (int i = 0; i < 4; i++) {
        lab_curve(figure, LAB_DASHED, "%s: %g um/s", levels[i].engine, levels[i].value);
        lab_point(figure, 0.0, 0.0);
        lab_point(figure, fmin(TIME, 2000.0 / levels[i].value), fmax(-2000.0, -TIME * levels[i].value));
    }
}

const Experiment experiment_published_creep = {
    "published-creep", "a capsule between two pads does not sink (mujoco issue #3328)", 2.0, 2.0, run};
