/*
 * scene_grasp.c - grasps of scene_grasp.h.
 *
 * Slip of a rigid body with rotation R and place p, seen from the palm: |p - p0|, and r |R e - R0 e| of points at the
 * distance r = half its size from the centre, both without the part along the jaws' sliders, in which jaws and object
 * may move together.
 */
#include "scene_grasp.h"

#include "scene_parts.h"

#include <math.h>
#include <string.h>

#define SIZE 0.04             /* m, of the object */
#define PAD 0.03              /* m, side of a jaw's face */
#define THICK 0.01            /* m, of a jaw */
#define JAW_MASS 0.05         /* kg */
#define PALM_MASS 0.5         /* kg */
#define OFF 0.008             /* m, of the edge grasp */
#define HEIGHT 1.0            /* m */
#define GRAVITY 9.81          /* m/s^2 */
#define SETTLE 0.1            /* s */
#define LIFT 0.05             /* m/s */
#define LIFT_KP 400.0         /* N/m: with LIFT_KD the palm gains speed by less than LIFT_ACCELERATION */
#define LIFT_ACCELERATION 2.0 /* m/s^2 */
#define LIFT_KD 40.0          /* N s/m */
#define CLOSING 1.0           /* m/s: what the motors aim at; an object between them lets them reach F and no more */

#define SHAKE 0.015       /* m: the palm goes up and down by twice as much */
#define SHAKE_RATE 12.566 /* rad/s */
#define TURN 1.0          /* rad: half the way */
#define TURN_RATE 3.0     /* rad/s */
#define SOFT_KP 1e5       /* N/m, with SOFT_KD: aperiodic with a jaw */
#define SOFT_KD 150.0     /* N s/m */
#define SIDES 7           /* of the hull */
#define TIGHT 0.51        /* 2 mu F of a tight grasp, of 2 m (g + a) */

const char *const grasp_objects[] = {"sphere", "box", "cylinder", "upright", "disc", "hull", "edge", NULL};
const char *const grasp_hands[] = {"jaws", "soft", "hand", "shaken", "turned", NULL};
const double grasp_masses[] = {0.005, 0.02, 0.1, 0.5, 2.0, 0.0};
const double grasp_forces[] = {1.0, 5.0, 20.0, 80.0, 200.0, 0.0};
const double grasp_steps[] = {1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 0.0};

static const RgMat3 unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static bool is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

/* N: what friction has to carry. */
static double needed(const Grasp *grasp)
{
    double a = is(grasp->hand, "shaken") ? SHAKE * SHAKE_RATE * SHAKE_RATE
               : is(grasp->hand, "hand") ? LIFT_ACCELERATION
                                         : 0.0;
    return grasp->mass * (GRAVITY + a);
}

bool grasp_holds(const Grasp *grasp)
{
    bool turned = is(grasp->hand, "turned"), edge = is(grasp->object, "edge");
    bool even = !edge && (is(grasp->hand, "jaws") || is(grasp->hand, "shaken"));
    if ((turned && (edge || is(grasp->object, "sphere"))) || (grasp->tight && !even))
        return false;
    return (turned ? 2.0 : 1.0) * needed(grasp) <= grasp->force;
}

static double friction_of(const Grasp *grasp)
{
    return grasp->tight ? TIGHT * needed(grasp) / grasp->force : 1.0;
}

/* Whether the jaws are on a palm. */
static bool has_palm(const Grasp *grasp)
{
    return !is(grasp->hand, "jaws") && !is(grasp->hand, "soft");
}

/* A prism of SIDES sides along x. */
static void make_hull(double vertices[6 * SIDES])
{
    for (int i = 0; i < 2 * SIDES; i++) {
        double angle = 6.283185307179586 * (i / 2) / SIDES;
        vertices[3 * i] = i % 2 == 0 ? -0.5 * SIZE : 0.5 * SIZE;
        vertices[3 * i + 1] = 0.5 * SIZE * cos(angle);
        vertices[3 * i + 2] = 0.5 * SIZE * sin(angle);
    }
}

static RgShapeType type_of(const char *object)
{
    return is(object, "sphere")                                                    ? RG_SHAPE_sphere
           : is(object, "cylinder") || is(object, "upright") || is(object, "disc") ? RG_SHAPE_cylinder
           : is(object, "hull")                                                    ? RG_SHAPE_polytope
                                                                                   : RG_SHAPE_box;
}

static RgShapeDef shape_of(const Grasp *grasp, double vertices[6 * SIDES])
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = type_of(grasp->object);
    bool round = shape.type == RG_SHAPE_sphere || shape.type == RG_SHAPE_cylinder;
    shape.size[0] = round ? 0.5 * SIZE : SIZE;
    shape.size[1] = shape.size[2] = SIZE;
    if (shape.type == RG_SHAPE_polytope) {
        make_hull(vertices);
        shape.size[0] = shape.size[1] = shape.size[2] = 1.0;
        shape.mesh.vertices = vertices;
        shape.mesh.nvertices = 2 * SIDES;
    }
    /* Axis of a cylinder, z: across the jaws y, of a disc x. */
    if (is(grasp->object, "cylinder"))
        shape.X_LS.R = (RgMat3){{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}};
    if (is(grasp->object, "disc"))
        shape.X_LS.R = (RgMat3){{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};
    shape.surface.mu = shape.surface.mu2 = friction_of(grasp);
    return shape;
}

static void add_jaw(RgBuilder *b, const char *name, RgLinkId palm, double side, double mu)
{
    RgVec3 size = vec(THICK, PAD, PAD);
    RgLinkId link = link_add(b, name, inertia_box(JAW_MASS, vec(0, 0, 0), size));
    double height = palm.i > 0 ? 0.0 : HEIGHT;
    RgJointDef joint =
        joint_at(RG_JOINT_prismatic, name, palm, link, vec(side * 0.5 * (SIZE + THICK), 0, height), vec(-side, 0, 0));
    joint_add(b, &joint);
    RgShapeDef pad = rg_shape_def_default();
    pad.type = RG_SHAPE_box;
    pad.size[0] = size.x;
    pad.size[1] = size.y;
    pad.size[2] = size.z;
    pad.link = link;
    pad.name = name;
    pad.surface.mu = pad.surface.mu2 = mu;
    rg_builder_add_shape(b, &pad);
}

RgModel *grasp_model(const Grasp *grasp)
{
    RgBuilder *b = scene_begin("grasp");
    RgLinkId palm = {0};
    bool turns = is(grasp->hand, "turned");
    double vertices[6 * SIDES];
    if (has_palm(grasp)) {
        palm = link_add(b, "palm", inertia_box(PALM_MASS, vec(0, 0, 0), vec(SIZE, SIZE, SIZE)));
        RgJointDef lift = joint_at(turns ? RG_JOINT_revolute : RG_JOINT_prismatic, "lift", (RgLinkId){0}, palm,
                                   vec(0, 0, HEIGHT), turns ? vec(1, 0, 0) : vec(0, 0, 1));
        joint_add(b, &lift);
    }
    add_jaw(b, "left", palm, -1.0, friction_of(grasp));
    add_jaw(b, "right", palm, 1.0, friction_of(grasp));
    RgShapeDef shape = shape_of(grasp, vertices);
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

bool grasp_preset(const char *name, RgContactLaw *law, RgPgsOptions *options)
{
    RgContactLaw own = *law;
    if (name == NULL)
        return true;
    if (rg_pgs_preset(name, &own, options) != RG_OK)
        return false;
    law->friction = own.friction;
    law->warm_start = own.warm_start;
    law->joint_warm_start = own.joint_warm_start;
    return true;
}

/* The drive of the palm at time t: lifted slowly, or from rest to and fro, ahead by a (1 - cos w t). */
static void move_palm(RgWorld *world, const RgModel *model, const Grasp *grasp, double t)
{
    RgDrive drive = rg_drive_default();
    double a = is(grasp->hand, "turned") ? TURN : SHAKE, w = is(grasp->hand, "turned") ? TURN_RATE : SHAKE_RATE;
    drive.hard = !is(grasp->hand, "hand");
    drive.position = drive.hard ? a * (1.0 - cos(w * t)) : 0.0;
    drive.velocity = drive.hard ? a * w * sin(w * t) : LIFT;
    drive.time = drive.hard ? t : 0.0;
    drive.kp = LIFT_KP;
    drive.kd = LIFT_KD;
    drive.rate = INFINITY;
    rg_world_set_joint_drive(world, rg_model_find_joint(model, "lift"), 0, &drive);
}

/* Jaws are pressed. */
static void press(RgWorld *world, const RgModel *model, const Grasp *grasp)
{
    RgJointId left = rg_model_find_joint(model, "left"), right = rg_model_find_joint(model, "right");
    RgDrive yields = rg_drive_default();
    yields.kp = SOFT_KP;
    yields.kd = SOFT_KD;
    if (has_palm(grasp)) {
        rg_world_set_joint_motor(world, left, 0, CLOSING, grasp->force);
        rg_world_set_joint_motor(world, right, 0, CLOSING, grasp->force);
        return;
    }
    rg_world_set_joint_effort(world, left, &grasp->force);
    if (is(grasp->hand, "soft"))
        rg_world_set_joint_drive(world, right, 0, &yields);
    else
        rg_world_set_joint_effort(world, right, &grasp->force);
}

static RgVec3 back_by(RgMat3 R, RgVec3 x)
{
    return vec(R.m[0][0] * x.x + R.m[1][0] * x.y + R.m[2][0] * x.z, R.m[0][1] * x.x + R.m[1][1] * x.y + R.m[2][1] * x.z,
               R.m[0][2] * x.x + R.m[1][2] * x.y + R.m[2][2] * x.z);
}

/* Pose of the object, seen from the palm. */
static RgPose place_of(RgWorld *world, const RgModel *model)
{
    RgPose at = rg_world_link_pose(world, rg_model_find_link(model, "object"));
    RgLinkId link = rg_model_find_link(model, "palm");
    if (link.i == 0)
        return at;
    RgPose palm = rg_world_link_pose(world, link), out = {.p = back_by(palm.R, vec_sub(at.p, palm.p))};
    for (int k = 0; k < 3; k++) {
        RgVec3 column = back_by(palm.R, vec(at.R.m[0][k], at.R.m[1][k], at.R.m[2][k]));
        out.R.m[0][k] = column.x;
        out.R.m[1][k] = column.y;
        out.R.m[2][k] = column.z;
    }
    return out;
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
        if (has_palm(grasp))
            move_palm(world, model, grasp, rg_world_time(world));
        out.status = rg_world_step(world, h, &report);
        RgPose now = place_of(world, model);
        from = i < settle ? now : from;
        out.slip = larger(out.slip, moved(from, now));
        out.steps++;
        out.unfinished += report.unfinished > 0;
        out.ambiguous += report.ambiguous > 0;
        out.sweeps += (double)report.sweeps / all;
        out.residual_force = fmax(out.residual_force, report.residual_force);
    }
    rg_world_destroy(world);
    return out;
}
