/* scene_law.c - the ten scenes of scene_law.h: models, velocities at the start, motors. All units SI, z is up. */
#include "scene_law.h"

#include "scene_parts.h"

#include <stdio.h>

static RgShapeDef shape_of(RgShapeType type, RgLinkId link, RgPose X, RgVec3 size)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = type;
    def.link = link;
    def.X_LS = X;
    def.size[0] = size.x;
    def.size[1] = size.y;
    def.size[2] = size.z;
    return def;
}

static RgSurfaceDef rough(double mu)
{
    RgSurfaceDef s = rg_shape_def_default().surface;
    s.mu = s.mu2 = mu;
    return s;
}

static void add_shape(RgBuilder *b, RgShapeDef def, RgSurfaceDef surface)
{
    def.surface = surface;
    rg_builder_add_shape(b, &def);
}

static void add_floor(RgBuilder *b, RgSurfaceDef surface)
{
    RgLinkId world = {0};
    add_shape(b, shape_of(RG_SHAPE_halfspace, world, place_at(0.0, 0.0, 0.0), vec(0.0, 0.0, 0.0)), surface);
}

/* A free cube of the edge a, its centre at p. */
static void add_cube(RgBuilder *b, const char *name, double mass, double a, RgVec3 p, RgSurfaceDef surface)
{
    RgVec3 size = vec(a, a, a);
    RgLinkId link = link_add_at(b, name, inertia_box(mass, vec(0.0, 0.0, 0.0), size), place_at(p.x, p.y, p.z));
    add_shape(b, shape_of(RG_SHAPE_box, link, place_at(0.0, 0.0, 0.0), size), surface);
}

/* Velocities of a free link: angular in its own axes, linear in the world's. */
static void set_free(const RgModel *model, const char *name, RgVec3 w, RgVec3 velocity, double *v)
{
    double *at = v + rg_model_link(model, rg_model_find_link(model, name)).v_index;
    const double six[6] = {w.x, w.y, w.z, velocity.x, velocity.y, velocity.z};
    for (int k = 0; k < 6; k++)
        at[k] = six[k];
}

static void set_rate(const RgModel *model, const char *joint, double rate, double *v)
{
    v[rg_model_joint(model, rg_model_find_joint(model, joint)).v_index] = rate;
}

static void set_motor(RgWorld *world, const char *joint, double velocity, double max_effort)
{
    RgJointId id = rg_model_find_joint(rg_world_model(world), joint);
    rg_world_set_joint_motor(world, id, 0, velocity, max_effort);
}

static void at_rest(const RgModel *model, double *v)
{
    (void)model;
    (void)v;
}

/* ------------------------------------------------------------------ a box on the floor */

static RgModel *box_at(double z, RgSurfaceDef surface)
{
    RgBuilder *b = scene_begin("box");
    add_floor(b, surface);
    add_cube(b, "box", 2.0, 0.2, vec(0.0, 0.0, z), surface);
    return scene_end(b);
}

static RgModel *build_overlap(void)
{
    return box_at(0.1 - 1e-3, rough(0.5));
}

static RgModel *build_bounce(void)
{
    RgSurfaceDef s = rough(0.5);
    s.restitution = 0.5;
    return box_at(0.1 + 5e-4, s);
}

static void start_bounce(const RgModel *model, double *v)
{
    set_free(model, "box", vec(0.0, 0.0, 0.0), vec(0.0, 0.0, -2.0), v);
}

static RgModel *build_slide(void)
{
    return box_at(0.1 + 2e-5, rough(0.4));
}

static void start_slide(const RgModel *model, double *v)
{
    set_free(model, "box", vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0), v);
}

static RgModel *build_soft(void)
{
    RgSurfaceDef s = rough(0.5);
    s.kp = 2e4;
    s.kd = 200.0;
    return box_at(0.1 - 1e-3, s);
}

static void start_soft(const RgModel *model, double *v)
{
    set_free(model, "box", vec(0.0, 0.0, 0.0), vec(0.0, 0.0, -0.1), v);
}

/* ------------------------------------------------------------------ a grasp */

/* Fingers slide along x, sign towards the box. Their tips are balls: of faces that lie flat on each other the pressure,
   and so what friction holds about their normal, would not be unique. */
static void add_finger(RgBuilder *b, const char *name, double sign)
{
    const double radius = 0.02;
    RgLinkId finger = link_add(b, name, inertia_box(0.5, vec(0.0, 0.0, 0.0), vec(0.04, 0.04, 0.04)));
    RgLinkId world = {0};
    RgJointDef slider =
        joint_at(RG_JOINT_prismatic, name, world, finger, vec(-(0.05 + radius) * sign, 0.0, 0.5), vec(sign, 0.0, 0.0));
    joint_add(b, &slider);
    add_shape(b, shape_of(RG_SHAPE_sphere, finger, place_at(0.0, 0.0, 0.0), vec(radius, 0.0, 0.0)), rough(0.8));
}

static RgModel *build_grasp(void)
{
    RgBuilder *b = scene_begin("grasp");
    add_finger(b, "left", 1.0);
    add_finger(b, "right", -1.0);
    add_cube(b, "box", 1.0, 0.1, vec(0.0, 0.0, 0.5), rough(0.8));
    return scene_end(b);
}

static void start_grasp(const RgModel *model, double *v)
{
    set_rate(model, "left", 0.1, v);
    set_rate(model, "right", 0.05, v);
}

static void drive_grasp(RgWorld *world)
{
    set_motor(world, "left", 0.2, 30.0);
    set_motor(world, "right", 0.2, 30.0);
}

/* ------------------------------------------------------------------ limits and motors */

/* A rod of 0.5 m along +x, hinged to the world at p. */
static RgLinkId add_arm(RgBuilder *b, const char *name, RgVec3 p, RgVec3 axis, double upper)
{
    RgLinkId arm = link_add(b, name, inertia_rod(1.0, vec(0.0, 0.0, 0.0), vec(0.5, 0.0, 0.0), 0.02)), world = {0};
    RgJointDef hinge = joint_at(RG_JOINT_revolute, name, world, arm, p, axis);
    hinge.dof[0].upper = upper;
    joint_add(b, &hinge);
    return arm;
}

/* Gravity turns both on, outwards. */
static RgModel *build_limit(void)
{
    RgBuilder *b = scene_begin("limit");
    add_arm(b, "at", vec(0.0, 0.0, 0.0), vec(0.0, 1.0, 0.0), 0.0);
    add_arm(b, "beyond", vec(0.0, 1.0, 0.0), vec(0.0, 1.0, 0.0), -0.01);
    return scene_end(b);
}

static void start_limit(const RgModel *model, double *v)
{
    set_rate(model, "at", 1.0, v);
}

/* Arms that turn about z; the ball at the end of the first touches a block without friction. (In the maximal form
   `quick` keeps joints by accelerations, which bends their velocity by h Jdot u within the step: friction would feel
   that.) */
static RgModel *build_motor(void)
{
    const double radius = 0.03;
    RgBuilder *b = scene_begin("motor");
    RgLinkId world = {0}, arm = add_arm(b, "stopped", vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0), INFINITY);
    add_arm(b, "turning", vec(0.0, -2.0, 0.0), vec(0.0, 0.0, 1.0), INFINITY);
    add_shape(b, shape_of(RG_SHAPE_sphere, arm, place_at(0.5, 0.0, 0.0), vec(radius, 0.0, 0.0)), rough(0.0));
    add_shape(b, shape_of(RG_SHAPE_box, world, place_at(0.5, radius + 0.05, 0.0), vec(0.1, 0.1, 0.1)), rough(0.0));
    return scene_end(b);
}

static void start_motor(const RgModel *model, double *v)
{
    set_rate(model, "stopped", 1.0, v);
}

static void drive_motor(RgWorld *world)
{
    set_motor(world, "stopped", 2.0, 5.0);
    set_motor(world, "turning", 2.0, 1e3);
}

/* ------------------------------------------------------------------ a loop */

/* Crank and rocker lean to +x, so that the weight of coupler and box turns them. */
static RgModel *build_loop(void)
{
    const RgVec3 up = vec(0.1, 0.0, 0.28), y = vec(0.0, 1.0, 0.0), none = vec(0.0, 0.0, 0.0);
    const RgVec3 along = vec(0.4, 0.0, 0.0), plate = vec(0.4, 0.1, 0.02);
    RgBuilder *b = scene_begin("loop");
    RgLinkId world = {0};
    RgLinkId crank = link_add(b, "crank", inertia_rod(0.5, none, up, 0.01));
    RgLinkId coupler = link_add(b, "coupler", inertia_box(1.0, vec(0.2, 0.0, 0.0), plate));
    RgLinkId rocker = link_add(b, "rocker", inertia_rod(0.5, none, up, 0.01));
    RgJointDef joints[] = {joint_at(RG_JOINT_revolute, "crank", world, crank, none, y),
                           joint_at(RG_JOINT_revolute, "elbow", crank, coupler, up, y),
                           joint_at(RG_JOINT_revolute, "rocker", world, rocker, along, y),
                           joint_at(RG_JOINT_revolute, "pin", rocker, coupler, up, y)};
    joints[3].X_CJ = place_at(along.x, along.y, along.z);
    joints[3].may_close_loop = true;
    for (int k = 0; k < 4; k++)
        joint_add(b, &joints[k]);
    add_shape(b, shape_of(RG_SHAPE_box, coupler, place_at(0.2, 0.0, 0.0), plate), rough(0.3));
    add_cube(b, "box", 0.5, 0.08, vec(0.32, 0.0, up.z + 0.01 + 0.04), rough(0.3));
    return scene_end(b);
}

static void start_loop(const RgModel *model, double *v)
{
    set_free(model, "box", vec(0.0, 0.0, 0.0), vec(0.5, 0.0, 0.0), v);
}

/* ------------------------------------------------------------------ a ball */

static RgModel *build_roll(void)
{
    const double r = 0.1, mass = 1.0, moment = 0.4 * mass * r * r;
    RgSurfaceDef s = rough(0.6);
    s.torsional = 0.01;
    s.rolling = 0.01;
    RgBuilder *b = scene_begin("roll");
    add_floor(b, s);
    RgLinkId ball = link_add_at(b, "ball", inertia_diagonal(mass, vec(0.0, 0.0, 0.0), vec(moment, moment, moment)),
                                place_at(0.0, 0.0, r));
    add_shape(b, shape_of(RG_SHAPE_sphere, ball, place_at(0.0, 0.0, 0.0), vec(r, 0.0, 0.0)), s);
    return scene_end(b);
}

static void start_roll(const RgModel *model, double *v)
{
    set_free(model, "ball", vec(0.0, 10.0, 5.0), vec(1.0, 0.0, 0.0), v);
}

/* ------------------------------------------------------------------ a robot */

#define FOOT 0.02
#define BASE (0.4 + FOOT + 3e-4) /* height over the floor: legs, feet, and a gap that closes within the step */

/* Hip, thigh, shank: roll, pitch, knee; bent at q = 0, the foot under the hip. */
static void add_leg(RgBuilder *b, RgLinkId base, const char *name, RgVec3 hip, RgSurfaceDef sole)
{
    const RgVec3 none = vec(0.0, 0.0, 0.0), knee = vec(0.12, 0.0, -0.2), toe = vec(-0.12, 0.0, -0.2);
    char names[3][16];
    static const char *const parts[3] = {"roll", "pitch", "knee"};
    for (int k = 0; k < 3; k++)
        snprintf(names[k], sizeof names[k], "%s_%s", name, parts[k]);
    RgLinkId link[3] = {link_add(b, names[0], inertia_box(0.4, none, vec(0.06, 0.06, 0.06))),
                        link_add(b, names[1], inertia_rod(0.6, none, knee, 0.015)),
                        link_add(b, names[2], inertia_rod(0.3, none, toe, 0.01))};
    RgJointDef joints[3] = {joint_at(RG_JOINT_revolute, names[0], base, link[0], hip, vec(1.0, 0.0, 0.0)),
                            joint_at(RG_JOINT_revolute, names[1], link[0], link[1], none, vec(0.0, 1.0, 0.0)),
                            joint_at(RG_JOINT_revolute, names[2], link[1], link[2], knee, vec(0.0, 1.0, 0.0))};
    for (int k = 0; k < 3; k++)
        joint_add(b, &joints[k]);
    add_shape(b, shape_of(RG_SHAPE_sphere, link[2], place_at(toe.x, toe.y, toe.z), vec(FOOT, 0.0, 0.0)), sole);
}

/* The centre of mass lies off the middle, so that no two legs do the same. */
static RgModel *robot_on(RgSurfaceDef floor)
{
    RgBuilder *b = scene_begin("landing");
    add_floor(b, floor);
    RgLinkId base =
        link_add_at(b, "base", inertia_box(8.0, vec(0.03, 0.01, 0.0), vec(0.5, 0.25, 0.12)), place_at(0.0, 0.0, BASE));
    add_leg(b, base, "front_left", vec(0.2, 0.15, 0.0), floor);
    add_leg(b, base, "front_right", vec(0.2, -0.15, 0.0), floor);
    add_leg(b, base, "hind_left", vec(-0.2, 0.15, 0.0), floor);
    add_leg(b, base, "hind_right", vec(-0.2, -0.15, 0.0), floor);
    return scene_end(b);
}

static RgModel *build_landing(void)
{
    return robot_on(rough(1.0));
}

static RgModel *build_hop(void)
{
    RgSurfaceDef s = rough(1.0);
    s.restitution = 0.5;
    return robot_on(s);
}

static void start_landing(const RgModel *model, double *v)
{
    set_free(model, "base", vec(0.0, 0.0, 0.0), vec(0.0, 0.0, -1.0), v);
}

const LawScene law_scenes[LAW_SCENES] = {
    {"overlap", build_overlap, at_rest, NULL}, {"bounce", build_bounce, start_bounce, NULL},
    {"slide", build_slide, start_slide, NULL}, {"grasp", build_grasp, start_grasp, drive_grasp},
    {"limit", build_limit, start_limit, NULL}, {"motor", build_motor, start_motor, drive_motor},
    {"loop", build_loop, start_loop, NULL},    {"soft", build_soft, start_soft, NULL},
    {"roll", build_roll, start_roll, NULL},    {"landing", build_landing, start_landing, NULL},
};

const LawScene law_hop = {"hop", build_hop, start_landing, NULL};
