/*
 * bad_scenes.c - the scenes. Cubes and balls of the ordinary have 0.2 m and 1 kg; the floor is the half-space
 * z <= 0. Overlaps are removed at 0.1 m/s at most (the default of a surface), or at what a scene says.
 */
#include "bad_scenes.h"

#include "scene_parts.h"

#include <stdio.h>

#define EARTH                                                                                                          \
    {                                                                                                                  \
        0.0, 0.0, -9.81                                                                                                \
    }
#define MOST_BODIES 2600

/* ------------------------------------------------------------------ parts */

static RgShapeDef shape_of(RgShapeType type, RgVec3 size)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = type;
    shape.size[0] = size.x;
    shape.size[1] = size.y;
    shape.size[2] = size.z;
    return shape;
}

/* A floor with such a surface; NULL: the default one. */
static void floor_add(RgBuilder *b, const RgSurfaceDef *surface)
{
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    if (surface != NULL)
        floor.surface = *surface;
    rg_builder_add_shape(b, &floor);
}

static void wall_add(RgBuilder *b, RgVec3 size, RgPose X_WS)
{
    RgShapeDef wall = shape_of(RG_SHAPE_box, size);
    wall.X_LS = X_WS;
    rg_builder_add_shape(b, &wall);
}

/* Names of bodies that come in numbers. */
static const char *name_of(int i)
{
    static char names[MOST_BODIES][12];
    snprintf(names[i], sizeof names[i], "b%d", i);
    return names[i];
}

/* A body of one shape, with the inertia of a box that is as large. */
static RgLinkId body_add(RgBuilder *b, int number, RgShapeDef *shape, double mass, RgPose X)
{
    RgVec3 s = vec(shape->size[0], shape->size[1], shape->size[2]);
    if (shape->type == RG_SHAPE_sphere)
        s = vec(2.0 * s.x, 2.0 * s.x, 2.0 * s.x);
    else if (shape->type == RG_SHAPE_capsule || shape->type == RG_SHAPE_cylinder)
        s = vec(2.0 * s.x, 2.0 * s.x, s.y + (shape->type == RG_SHAPE_capsule ? 2.0 * s.x : 0.0));
    else if (shape->type == RG_SHAPE_ellipsoid)
        s = vec_scale(2.0, s);
    shape->link = link_add_at(b, name_of(number), inertia_box(mass, vec(0, 0, 0), s), X);
    rg_builder_add_shape(b, shape);
    return shape->link;
}

static RgLinkId cube_add(RgBuilder *b, int number, double size, double mass, RgVec3 p)
{
    RgShapeDef shape = shape_of(RG_SHAPE_box, vec(size, size, size));
    return body_add(b, number, &shape, mass, place_at(p.x, p.y, p.z));
}

/* One cube on a floor of that surface, which both have. */
static RgModel *cube_on(RgSurfaceDef surface, double height)
{
    RgBuilder *b = scene_begin("cube");
    RgShapeDef shape = shape_of(RG_SHAPE_box, vec(0.2, 0.2, 0.2));
    shape.surface = surface;
    floor_add(b, &surface);
    body_add(b, 0, &shape, 1.0, place_at(0.0, 0.0, height));
    return scene_end(b);
}

static RgSurfaceDef surface_default(void)
{
    return rg_shape_def_default().surface;
}

/* The same spin and velocity for every free body. */
static void set_velocity(RgWorld *world, RgVec3 w, RgVec3 v)
{
    static double u[6 * MOST_BODIES];
    int nv = rg_model_info(rg_world_model(world)).nv;
    for (int i = 0; i + 5 < nv; i += 6) {
        double six[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
        for (int k = 0; k < 6; k++)
            u[i + k] = six[k];
    }
    rg_world_set_state(world, NULL, u);
}

/* ------------------------------------------------------------------ coincident, degenerate */

static RgModel *cubes_at_one_place(void)
{
    RgBuilder *b = scene_begin("cubes at one place");
    floor_add(b, NULL);
    for (int i = 0; i < 6; i++)
        cube_add(b, i, 0.2, 1.0, vec(0.0, 0.0, 0.1));
    return scene_end(b);
}

static RgModel *balls_at_one_place(void)
{
    RgBuilder *b = scene_begin("balls at one place");
    floor_add(b, NULL);
    for (int i = 0; i < 6; i++) {
        RgShapeDef ball = shape_of(RG_SHAPE_sphere, vec(0.1, 0.0, 0.0));
        body_add(b, i, &ball, 1.0, place_at(0.0, 0.0, 0.1));
    }
    return scene_end(b);
}

static RgModel *all_kinds_at_one_place(void)
{
    static const RgShapeType kinds[] = {RG_SHAPE_sphere,   RG_SHAPE_box,       RG_SHAPE_capsule,
                                        RG_SHAPE_cylinder, RG_SHAPE_ellipsoid, RG_SHAPE_polytope};
    static const double spike[] = {0, 0, -0.1, 0.1, 0, 0.1, -0.1, 0.1, 0.1, -0.1, -0.1, 0.1};
    RgBuilder *b = scene_begin("all kinds at one place");
    floor_add(b, NULL);
    for (int i = 0; i < 6; i++) {
        RgShapeDef shape = shape_of(kinds[i], vec(0.1, 0.12, 0.14));
        if (kinds[i] == RG_SHAPE_polytope) {
            shape = shape_of(kinds[i], vec(1.0, 1.0, 1.0));
            shape.mesh = (RgMeshData){.vertices = spike, .nvertices = 4};
        }
        body_add(b, i, &shape, 1.0, place_at(0.0, 0.0, 0.1));
    }
    return scene_end(b);
}

/* Corner on the floor, edge on the floor, edge across edge, corner on corner, a sheet of paper. */
static RgModel *without_area(void)
{
    const double r2 = 0.70710678118654752, down = 0.95531661812450928; /* a cube's diagonal made vertical */
    RgBuilder *b = scene_begin("without area");
    RgShapeDef cube = shape_of(RG_SHAPE_box, vec(0.2, 0.2, 0.2)), sheet = shape_of(RG_SHAPE_box, vec(0.2, 0.2, 1e-9));
    RgPose X = {mat_turn(vec(r2, -r2, 0.0), down), vec(0.0, 0.0, 0.1 * sqrt(3.0))};
    floor_add(b, NULL);
    body_add(b, 0, &cube, 1.0, X);
    X = (RgPose){mat_turn(vec(1.0, 0.0, 0.0), TEST_PI / 4.0), vec(1.0, 0.0, 0.1 * sqrt(2.0))};
    body_add(b, 1, &cube, 1.0, X);
    X = (RgPose){mat_turn(vec(0.0, 1.0, 0.0), TEST_PI / 4.0), vec(1.0, 0.0, 0.3 * sqrt(2.0))};
    body_add(b, 2, &cube, 1.0, X);
    body_add(b, 3, &cube, 1.0, place_at(2.0, 0.0, 0.1));
    body_add(b, 4, &cube, 1.0, place_at(2.2, 0.2, 0.3));
    body_add(b, 5, &sheet, 1e-3, place_at(3.0, 0.0, 0.0));
    return scene_end(b);
}

/* ------------------------------------------------------------------ ratios and sizes */

static RgModel *heavy_on_light(void)
{
    RgBuilder *b = scene_begin("heavy on light");
    floor_add(b, NULL);
    for (int i = 0; i < 6; i++)
        cube_add(b, i, 0.2, i % 2 == 0 ? 1e-4 : 1e4, vec(0.0, 0.0, 0.1 + 0.2 * i));
    return scene_end(b);
}

static RgModel *pile(void)
{
    RgBuilder *b = scene_begin("pile");
    floor_add(b, NULL);
    for (int i = 0; i < 8; i++)
        cube_add(b, i, 0.2, 1.0, vec(0.03 * (i % 3), 0.02 * i, 0.1 + 0.25 * i));
    return scene_end(b);
}

/* 2,500 cubes on one plate: 10,000 points on it from above. */
static RgModel *plate_of_thousands(void)
{
    RgBuilder *b = scene_begin("plate");
    RgShapeDef plate = shape_of(RG_SHAPE_box, vec(15.0, 15.0, 0.5));
    floor_add(b, NULL);
    body_add(b, 0, &plate, 1000.0, place_at(0.0, 0.0, 0.25));
    for (int i = 0; i < 2500; i++)
        cube_add(b, i + 1, 0.2, 1.0, vec(-7.2 + 0.29 * (i % 50), -7.2 + 0.29 * (double)(i / 50), 0.6));
    return scene_end(b);
}

static RgModel *stack_of_size(double size)
{
    RgBuilder *b = scene_begin("stack");
    floor_add(b, NULL);
    for (int i = 0; i < 3; i++)
        cube_add(b, i, size, 1000.0 * size * size * size, vec(0.0, 0.0, size * (0.5 + i)));
    return scene_end(b);
}

static RgModel *tiny(void)
{
    return stack_of_size(1e-6);
}

static RgModel *huge_stack(void)
{
    return stack_of_size(1e6);
}

/* A grain on a mountain on a floor. */
static RgModel *tiny_on_huge(void)
{
    RgBuilder *b = scene_begin("tiny on huge");
    floor_add(b, NULL);
    cube_add(b, 0, 1e3, 1e12, vec(0.0, 0.0, 500.0));
    cube_add(b, 1, 1e-6, 1e-15, vec(0.0, 0.0, 1000.0 + 5e-7));
    return scene_end(b);
}

/* ------------------------------------------------------------------ depth */

static RgModel *deep(void)
{
    RgBuilder *b = scene_begin("deep");
    RgShapeDef ball = shape_of(RG_SHAPE_sphere, vec(0.1, 0.0, 0.0));
    floor_add(b, NULL);
    cube_add(b, 0, 0.2, 1.0, vec(0.0, 0.0, -100.0));
    body_add(b, 1, &ball, 1.0, place_at(1.0, 0.0, -1e6));
    cube_add(b, 2, 2.0, 1000.0, vec(5.0, 0.0, 1.0));
    cube_add(b, 3, 0.2, 1.0, vec(5.1, 0.1, 1.2));
    return scene_end(b);
}

/* Overlaps may be removed as fast as you like: 1 m in a step of 1 ms is 20 m/s at the share of 0.02. */
static RgModel *deep_and_impatient(void)
{
    RgSurfaceDef s = surface_default();
    s.max_vel = INFINITY;
    return cube_on(s, -0.9);
}

/* Between two walls that are nearer to each other than it is wide. */
static RgModel *wedged(void)
{
    RgBuilder *b = scene_begin("wedged");
    wall_add(b, vec(1.0, 1.0, 1.0), place_at(-0.59, 0.0, 0.0));
    wall_add(b, vec(1.0, 1.0, 1.0), place_at(0.59, 0.0, 0.0));
    cube_add(b, 0, 0.2, 1.0, vec(0.0, 0.0, 0.0));
    RgShapeDef ball = shape_of(RG_SHAPE_sphere, vec(0.1, 0.0, 0.0));
    body_add(b, 1, &ball, 1.0, place_at(0.0, 0.3, 0.0));
    return scene_end(b);
}

/* ------------------------------------------------------------------ surfaces */

static RgModel *no_friction(void)
{
    RgSurfaceDef s = surface_default();
    s.mu = 0.0;
    return cube_on(s, 0.1);
}

static RgModel *one_way_friction(void)
{
    RgSurfaceDef s = surface_default();
    s.mu = 1.0;
    s.mu2 = 0.0;
    s.fdir1 = vec(1.0, 0.0, 0.0);
    return cube_on(s, 0.1);
}

static RgModel *endless_friction(void)
{
    RgSurfaceDef s = surface_default();
    s.mu = 1e6;
    return cube_on(s, 0.1);
}

static RgModel *infinite_friction(void)
{
    RgSurfaceDef s = surface_default();
    s.mu = INFINITY;
    return cube_on(s, 0.1);
}

static RgModel *full_bounce(void)
{
    RgSurfaceDef s = surface_default();
    s.restitution = 1.0;
    s.restitution_threshold = 0.0;
    return cube_on(s, 0.6);
}

static RgModel *soft(void)
{
    RgSurfaceDef s = surface_default();
    s.kp = 1e-6;
    s.kd = 0.0;
    return cube_on(s, 0.1);
}

static RgModel *without_stiffness(void)
{
    RgSurfaceDef s = surface_default();
    s.kp = s.kd = 0.0;
    return cube_on(s, 0.1);
}

static RgModel *hard(void)
{
    RgSurfaceDef s = surface_default();
    s.kp = 1e300;
    s.kd = 1e300;
    return cube_on(s, 0.1);
}

static RgModel *slippery_and_rolling(void)
{
    RgSurfaceDef s = surface_default();
    s.slip1 = s.slip2 = 1e6;
    s.torsional = s.rolling = 1e6;
    return cube_on(s, 0.1);
}

/* ------------------------------------------------------------------ robots */

/* A hinged rod with a ball at its end. at: where the joint's axis is, along y. */
static RgLinkId rod_add(RgBuilder *b, int number, RgVec3 at, double length, RgAxisDef axis)
{
    RgInertia in = inertia_rod(1.0, vec(0, 0, 0), vec(length, 0, 0), 0.02);
    RgLinkId rod = link_add(b, name_of(number), in);
    RgJointDef joint = joint_at(RG_JOINT_revolute, name_of(100 + number), (RgLinkId){0}, rod, at, vec(0, 1, 0));
    joint.dof[0] = axis;
    joint_add(b, &joint);
    RgShapeDef ball = shape_of(RG_SHAPE_sphere, vec(0.05, 0.0, 0.0));
    ball.link = rod;
    ball.X_LS = place_at(length, 0.0, 0.0);
    rg_builder_add_shape(b, &ball);
    return rod;
}

/* At its limit and on the floor at once. */
static RgModel *limit_and_floor(void)
{
    RgBuilder *b = scene_begin("limit and floor");
    RgAxisDef axis = rg_axis_def_default();
    axis.lower = -1.0;
    axis.upper = 0.0;
    floor_add(b, NULL);
    rod_add(b, 0, vec(0.0, 0.0, 0.05), 0.5, axis);
    return scene_end(b);
}

/* Limits that contradict each other by the floor: it should be below, and cannot. */
static RgModel *limit_below_floor(void)
{
    RgBuilder *b = scene_begin("limit below floor");
    RgAxisDef axis = rg_axis_def_default();
    axis.lower = 0.2;
    axis.upper = 0.3;
    floor_add(b, NULL);
    rod_add(b, 0, vec(0.0, 0.0, 0.05), 0.5, axis);
    return scene_end(b);
}

/* A box on a slider: what it cannot do along or across the normal, no impulse can change. */
static RgModel *slider(RgVec3 axis, double depth)
{
    RgBuilder *b = scene_begin("slider");
    RgShapeDef box = shape_of(RG_SHAPE_box, vec(0.2, 0.2, 0.2));
    floor_add(b, NULL);
    box.link = link_add(b, name_of(0), inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)));
    RgJointDef joint =
        joint_at(RG_JOINT_prismatic, name_of(100), (RgLinkId){0}, box.link, vec(0, 0, 0.1 - depth), axis);
    joint_add(b, &joint);
    rg_builder_add_shape(b, &box);
    return scene_end(b);
}

static RgModel *slider_along_normal(void)
{
    return slider(vec(0, 0, 1), 0.0);
}

static RgModel *slider_across_normal(void)
{
    return slider(vec(1, 0, 0), 0.0);
}

/* Held a centimetre inside the floor. */
static RgModel *slider_inside(void)
{
    return slider(vec(1, 0, 0), 0.01);
}

/* As heavy as a lorry on a light arm. */
static RgModel *heavy_hand(void)
{
    RgBuilder *b = scene_begin("heavy hand");
    floor_add(b, NULL);
    RgLinkId arm = rod_add(b, 0, vec(0.0, 0.0, 1.0), 0.9, rg_axis_def_default());
    RgShapeDef box = shape_of(RG_SHAPE_box, vec(0.2, 0.2, 0.2));
    box.link = link_add(b, name_of(1), inertia_box(1e4, vec(0, 0, 0), vec(0.2, 0.2, 0.2)));
    RgJointDef joint = joint_at(RG_JOINT_spherical, name_of(101), arm, box.link, vec(1.1, 0.0, 0.0), vec(0, 0, 1));
    joint_add(b, &joint);
    rg_builder_add_shape(b, &box);
    cube_add(b, 2, 0.2, 1e-4, vec(1.1, 0.0, 0.1));
    return scene_end(b);
}

/* A table whose four legs are hinged to it and to a bar below: loops that say the same twice, on a floor. */
static RgModel *loops_on_floor(void)
{
    RgBuilder *b = scene_begin("loops");
    RgShapeDef top = shape_of(RG_SHAPE_box, vec(0.6, 0.2, 0.05)), bar = top;
    floor_add(b, NULL);
    RgLinkId low = body_add(b, 0, &bar, 1.0, place_at(0.0, 0.0, 0.025));
    RgLinkId high = link_add(b, name_of(1), inertia_box(1.0, vec(0, 0, 0), vec(0.6, 0.2, 0.05)));
    for (int i = 0; i < 3; i++) {
        RgVec3 at = vec(-0.25 + 0.25 * i, 0.0, 0.0);
        RgLinkId leg = link_add(b, name_of(2 + i), inertia_rod(0.1, vec(0, 0, 0), vec(0, 0, 0.3), 0.02));
        RgJointDef foot = joint_at(RG_JOINT_revolute, name_of(100 + i), low, leg, at, vec(0, 1, 0));
        joint_add(b, &foot);
        RgJointDef head = joint_at(RG_JOINT_revolute, name_of(110 + i), leg, high, vec(0, 0, 0.3), vec(0, 1, 0));
        head.X_CJ = place_at(at.x, at.y, at.z);
        head.may_close_loop = i > 0;
        joint_add(b, &head);
    }
    top.link = high;
    rg_builder_add_shape(b, &top);
    return scene_end(b);
}

static RgModel *free_rod(void)
{
    RgBuilder *b = scene_begin("rod");
    floor_add(b, NULL);
    rod_add(b, 0, vec(0.0, 0.0, 0.05), 0.5, rg_axis_def_default());
    return scene_end(b);
}

static void motor_without_force(RgWorld *world)
{
    rg_world_set_joint_motor(world, (RgJointId){1}, 0, 100.0, 0.0);
}

static void motor_against_floor(RgWorld *world)
{
    rg_world_set_joint_motor(world, (RgJointId){1}, 0, 1e9, 1e3);
}

/* As strong as can be: the target is reached at once, or the floor is in the way. */
static void endless_motor(RgWorld *world)
{
    rg_world_set_joint_motor(world, (RgJointId){1}, 0, 10.0, INFINITY);
}

/* ------------------------------------------------------------------ beginnings */

static void shoot_down(RgWorld *world)
{
    set_velocity(world, vec(0, 0, 0), vec(3e5, 0.0, -1e6));
}

static void spin(RgWorld *world)
{
    set_velocity(world, vec(1e3, 2e3, 3e3), vec(0, 0, 0));
}

/* A book that turns about no axis of its own. */
static RgModel *book(void)
{
    RgBuilder *b = scene_begin("book");
    RgShapeDef shape = shape_of(RG_SHAPE_box, vec(0.03, 0.2, 0.3));
    floor_add(b, NULL);
    body_add(b, 0, &shape, 1.0, place_at(0.0, 0.0, 0.5));
    return scene_end(b);
}

/* Twenty bricks one above the other, each turned. */
static RgModel *bricks(void)
{
    RgBuilder *b = scene_begin("bricks");
    floor_add(b, NULL);
    for (int i = 0; i < 20; i++) {
        RgShapeDef shape = shape_of(RG_SHAPE_box, vec(0.06, 0.2, 0.4));
        RgPose X = {mat_turn(vec(0.6, 0.8, 0.0), 0.7 * i), vec(0.1 * (i % 3), 0.07 * (i % 4), 0.3 + 0.35 * i)};
        body_add(b, i, &shape, 1.0, X);
    }
    return scene_end(b);
}

/* Rods hinged to each other that fall from the side. */
static RgModel *chain(void)
{
    RgBuilder *b = scene_begin("chain");
    RgLinkId last = {0};
    floor_add(b, NULL);
    for (int i = 0; i < 5; i++) {
        RgShapeDef rod = shape_of(RG_SHAPE_capsule, vec(0.05, 0.3, 0.0));
        rod.link = link_add(b, name_of(i), inertia_rod(1.0, vec(0, 0, 0), vec(0.4, 0, 0), 0.05));
        rod.X_LS = (RgPose){mat_turn(vec(0, 1, 0), TEST_PI / 2.0), vec(0.2, 0.0, 0.0)};
        RgJointDef joint = joint_at(RG_JOINT_revolute, name_of(100 + i), last, rod.link,
                                    i == 0 ? vec(0.0, 0.0, 1.0) : vec(0.4, 0.0, 0.0), vec(0, 1, 0));
        joint_add(b, &joint);
        rg_builder_add_shape(b, &rod);
        last = rod.link;
    }
    return scene_end(b);
}

static void slide(RgWorld *world)
{
    set_velocity(world, vec(0, 0, 0), vec(3.0, 4.0, 0.0));
}

/* ------------------------------------------------------------------ table */

/* name, model, beginning; gravity, h, steps; speed at the start, push */
const BadScene bad_scenes[] = {
    /* Bodies that part push each other, 0.1 m/s a contact. */
    {"cubes at one place", cubes_at_one_place, NULL, EARTH, 1e-3, 200, 0.0, 0.6},
    {"balls at one place", balls_at_one_place, NULL, EARTH, 1e-3, 200, 0.0, 0.6},
    {"all kinds at one place", all_kinds_at_one_place, NULL, EARTH, 1e-3, 200, 0.0, 0.6},
    {"without area", without_area, NULL, EARTH, 1e-3, 300, 0.0, 0.1},
    {"mass ratio of 1e8", heavy_on_light, NULL, EARTH, 1e-3, 200, 0.0, 0.6},
    {"mass ratio of 1e8 on an arm", heavy_hand, NULL, EARTH, 1e-3, 300, 0.0, 0.3},
    {"steps of a second", pile, NULL, EARTH, 1.0, 20, 0.0, 0.8},
    {"bricks, steps of a second", bricks, NULL, EARTH, 1.0, 100, 0.0, 2.0},
    /* Turning, a chain of 2 m gives its end many times the speed of its middle. */
    {"chain, steps of a second", chain, NULL, EARTH, 1.0, 100, 0.0, 10.0},
    {"steps of a nanosecond", pile, NULL, EARTH, 1e-9, 20, 0.0, 0.0},
    {"10,000 points on one body", plate_of_thousands, NULL, EARTH, 5e-3, 5, 0.0, 0.1},
    {"tiny", tiny, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    {"tiny, small steps", tiny, NULL, EARTH, 1e-6, 200, 0.0, 0.1},
    {"huge", huge_stack, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    {"tiny on huge", tiny_on_huge, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    {"shot at the floor", pile, shoot_down, EARTH, 1e-3, 50, 1.1e6, 0.1},
    {"spinning cubes", pile, spin, EARTH, 1e-3, 50, 3742.0 * 0.2, 0.1},
    {"spinning book", book, spin, EARTH, 1e-3, 50, 3742.0 * 0.3, 0.1},
    {"deep", deep, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    /* A share of 0.02 of 1 m in 1 ms. */
    {"deep and impatient", deep_and_impatient, NULL, EARTH, 1e-3, 200, 0.0, 20.0},
    {"wedged", wedged, NULL, EARTH, 1e-3, 200, 0.0, 0.2},
    {"no friction", no_friction, slide, EARTH, 1e-3, 200, 5.0, 0.0},
    {"friction one way", one_way_friction, slide, EARTH, 1e-3, 200, 5.0, 0.0},
    {"friction of 1e6", endless_friction, slide, EARTH, 1e-3, 200, 5.0, 0.0},
    {"infinite friction", infinite_friction, slide, EARTH, 1e-3, 200, 5.0, 0.0},
    {"restitution of 1", full_bounce, NULL, EARTH, 1e-3, 1000, 0.0, 0.0},
    {"soft", soft, NULL, EARTH, 1e-3, 200, 0.0, 0.0},
    {"no stiffness", without_stiffness, NULL, EARTH, 1e-3, 200, 0.0, 0.0},
    {"hard", hard, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    {"slip, torsion and rolling of 1e6", slippery_and_rolling, slide, EARTH, 1e-3, 200, 5.0, 0.0},
    {"gravity of 1e6", pile, NULL, {0.0, 0.0, -1e6}, 1e-3, 50, 0.0, 0.1},
    {"limit and floor", limit_and_floor, NULL, EARTH, 1e-3, 300, 0.0, 0.1},
    /* Limits are kept at a share of 0.02 a step: 0.2 rad in 1 ms. */
    {"limit below the floor", limit_below_floor, NULL, EARTH, 1e-3, 300, 0.0, 2.0},
    {"slider along the normal", slider_along_normal, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    {"slider across the normal", slider_across_normal, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    {"slider inside the floor", slider_inside, NULL, EARTH, 1e-3, 200, 0.0, 0.1},
    {"redundant loops on a floor", loops_on_floor, NULL, EARTH, 1e-3, 300, 0.0, 0.1},
    {"motor without force", free_rod, motor_without_force, EARTH, 1e-3, 300, 0.0, 0.1},
    {"motor against the floor", free_rod, motor_against_floor, EARTH, 1e-3, 300, 0.0, 0.1},
    /* 10 rad/s at 0.5 m, which is impossible: sweeps end where they are, which may be beyond. */
    {"endless motor", free_rod, endless_motor, EARTH, 1e-3, 300, 0.0, 3.0 * 5.0},
    {0}};

double bad_scene_fastest(const BadScene *s)
{
    return s->start_speed + s->push + vec_norm(s->gravity) * s->h * s->steps;
}
