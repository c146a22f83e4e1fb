/*
 * scene_grasp.c - grasps of scene_grasp.h.
 *
 * Slip of a rigid body with rotation R and place p beside the palm: |p - p0|, and r |R e - R0 e| of points at the distance r = half
 * its size from the centre, both without the part along the jaws' sliders, in which jaws and object may move together.
 */
#include "scene_grasp.h"

#include "scene_parts.h"

#include <math.h>
#include <string.h>

#define SIZE 0.04     /* m, of the object */
#define PAD 0.03      /* m, side of a jaw's face */
#define THICK 0.01    /* m, of a jaw */
#define JAW_MASS 0.05 /* kg */
#define PALM_MASS 0.5 /* kg */
#define OFF 0.008     /* m, of the edge grasp */
#define HEIGHT 1.0    /* m */
#define GRAVITY 9.81  /* m/s^2 */
#define SETTLE 0.1    /* s */
#define LIFT 0.05     /* m/s */
#define LIFT_KP 400.0 /* N/m: with LIFT_KD the palm gains speed by less than 2 m/s^2 */
#define LIFT_KD 40.0  /* N s/m */
#define CLOSING 1.0   /* m/s: what the motors aim at; an object between them lets them reach F and no more */

const char *const grasp_objects[] = {"sphere", "box", "cylinder", "disc", "edge", NULL};
const char *const grasp_hands[] = {"jaws", "hand", NULL};
const double grasp_masses[] = {0.005, 0.02, 0.1, 0.5, 2.0, 0.0};
const double grasp_forces[] = {1.0, 5.0, 20.0, 80.0, 200.0, 0.0};
const double grasp_steps[] = {1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 0.0};

static const RgMat3 unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

bool grasp_holds(const Grasp *grasp)
{
    return grasp->mass * GRAVITY <= grasp->force;
}

static bool is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

static RgShapeDef shape_of(const Grasp *grasp)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = is(grasp->object, "sphere")                                  ? RG_SHAPE_sphere
                 : is(grasp->object, "cylinder") || is(grasp->object, "disc") ? RG_SHAPE_cylinder
                                                                              : RG_SHAPE_box;
    bool round = shape.type != RG_SHAPE_box;
    shape.size[0] = round ? 0.5 * SIZE : SIZE;
    shape.size[1] = shape.size[2] = SIZE;
    /* Axis of a cylinder, z: across the jaws y, of a disc x. */
    if (is(grasp->object, "cylinder"))
        shape.X_LS.R = (RgMat3){{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}};
    if (is(grasp->object, "disc"))
        shape.X_LS.R = (RgMat3){{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};
    shape.surface.mu = shape.surface.mu2 = 1.0;
    return shape;
}

static void add_jaw(RgBuilder *b, const char *name, RgLinkId palm, double side)
{
    RgVec3 size = vec(THICK, PAD, PAD);
    RgLinkId link = link_add(b, name, inertia_box(JAW_MASS, vec(0, 0, 0), size));
    double height = palm.i > 0 ? 0.0 : HEIGHT;
    RgJointDef joint = joint_at(RG_JOINT_prismatic, name, palm, link,
                                vec(side * 0.5 * (SIZE + THICK), 0, height), vec(-side, 0, 0));
    joint_add(b, &joint);
    RgShapeDef pad = rg_shape_def_default();
    pad.type = RG_SHAPE_box;
    pad.size[0] = size.x;
    pad.size[1] = size.y;
    pad.size[2] = size.z;
    pad.link = link;
    pad.name = name;
    pad.surface.mu = pad.surface.mu2 = 1.0;
    rg_builder_add_shape(b, &pad);
}

RgModel *grasp_model(const Grasp *grasp)
{
    RgBuilder *b = scene_begin("grasp");
    RgLinkId palm = {0};
    if (is(grasp->hand, "hand")) {
        palm = link_add(b, "palm", inertia_box(PALM_MASS, vec(0, 0, 0), vec(SIZE, SIZE, SIZE)));
        RgJointDef lift =
            joint_at(RG_JOINT_prismatic, "lift", (RgLinkId){0}, palm, vec(0, 0, HEIGHT), vec(0, 0, 1));
        joint_add(b, &lift);
    }
    add_jaw(b, "left", palm, -1.0);
    add_jaw(b, "right", palm, 1.0);
    RgShapeDef shape = shape_of(grasp);
    RgInertia inertia;
    double density = 1.0;
    if (rg_shape_inertia(&shape, density, &inertia) == RG_OK) {
        density = grasp->mass / inertia.mass;
        rg_shape_inertia(&shape, density, &inertia);
    }
    RgPose X = {.R = unit, .p = vec(0, is(grasp->object, "edge") ? OFF : 0.0, HEIGHT)};
    shape.link = link_add_at(b, "object", inertia, X);
    shape.name = "object";
    rg_builder_add_shape(b, &shape);
    return scene_end(b);
}

/* Jaws are pressed, the palm is lifted. */
static void press(RgWorld *world, const RgModel *model, const Grasp *grasp)
{
    RgJointId left = rg_model_find_joint(model, "left"), right = rg_model_find_joint(model, "right");
    if (is(grasp->hand, "jaws")) {
        rg_world_set_joint_effort(world, left, &grasp->force);
        rg_world_set_joint_effort(world, right, &grasp->force);
        return;
    }
    rg_world_set_joint_motor(world, left, 0, CLOSING, grasp->force);
    rg_world_set_joint_motor(world, right, 0, CLOSING, grasp->force);
    RgDrive lift = rg_drive_default();
    lift.velocity = LIFT;
    lift.kp = LIFT_KP;
    lift.kd = LIFT_KD;
    rg_world_set_joint_drive(world, rg_model_find_joint(model, "lift"), 0, &lift);
}

/* Pose of the object beside the palm. */
static RgPose place_of(RgWorld *world, const RgModel *model)
{
    RgPose at = rg_world_link_pose(world, rg_model_find_link(model, "object"));
    RgLinkId palm = rg_model_find_link(model, "palm");
    if (palm.i > 0)
        at.p = vec_sub(at.p, rg_world_link_pose(world, palm).p);
    return at;
}

/* The larger, or what is no number. */
static double larger(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

/* m by which the object has moved along the jaws. */
static double moved(RgPose from, RgPose to)
{
    double most = hypot(to.p.y - from.p.y, to.p.z - from.p.z);
    for (int k = 0; k < 3; k++)
        most = larger(most, 0.5 * SIZE * hypot(to.R.m[1][k] - from.R.m[1][k], to.R.m[2][k] - from.R.m[2][k]));
    return most;
}

GraspSlip grasp_run(const Grasp *grasp, const RgModel *model, const RgWorldDef *def, double h, double time)
{
    GraspSlip out = {.status = RG_ERR_ARGUMENT};
    RgWorldDef own = *def;
    own.model = model;
    RgWorld *world = rg_world_create(&own, NULL);
    if (world == NULL)
        return out;
    press(world, model, grasp);
    int settle = (int)lround(SETTLE / h), all = (int)lround((SETTLE + time) / h);
    RgPose from = place_of(world, model);
    out.status = RG_OK;
    for (int i = 0; i < all && out.status == RG_OK; i++) {
        RgStepReport report;
        out.status = rg_world_step(world, h, &report);
        RgPose now = place_of(world, model);
        from = i < settle ? now : from;
        out.slip = larger(out.slip, moved(from, now));
        out.steps++;
        out.unfinished += report.unfinished > 0;
        out.sweeps += (double)report.sweeps / all;
        out.residual_force = fmax(out.residual_force, report.residual_force);
    }
    rg_world_destroy(world);
    return out;
}
