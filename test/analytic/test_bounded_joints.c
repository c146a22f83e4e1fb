/*
 * test_bounded_joints.c - limits, dry friction, motors and user rows of joints by their closed forms, with
 * every solver in both coordinate forms.
 *
 * A mass m on a slider along x: everything that acts is a force along it, so a step of semi-implicit Euler is
 * exact.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#define MASS 2.0
#define H 1e-3

static const char *const solvers[] = {"quick", "pgs"};

static RgModel *slider(const RgAxisDef *axis)
{
    RgBuilder *b = scene_begin("slider");
    RgLinkId link = link_add(b, "mass", inertia_box(MASS, vec(0.0, 0.0, 0.0), vec(0.1, 0.1, 0.1)));
    RgJointDef joint = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, link, vec(0, 0, 0), vec(1, 0, 0));
    joint.dof[0] = *axis;
    joint_add(b, &joint);
    return scene_end(b);
}

typedef void SliderCheck(RgWorld *world, RgJointId joint);

/* Every solver and form; pgs with sweeps to round-off. */
static void with_all(const RgAxisDef *axis, RgVec3 gravity, SliderCheck *check)
{
    RgModel *model = slider(axis);
    RgJointId joint = rg_model_find_joint(model, "slide");
    for (int k = 0; k < 4; k++) {
        RgPgsOptions o = rg_pgs_options_default();
        o.iterations = 200;
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = solvers[k % 2];
        def.gravity = gravity;
        def.pgs = &o;
        RgWorld *world = world_make(&def);
        check(world, joint);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* v falls by h f / m a step until it is zero, and stays there. */
static void check_friction(RgWorld *world, RgJointId joint)
{
    double v0 = 0.5, v = v0;
    rg_world_set_joint_rate(world, joint, &v0);
    for (int i = 0; i < 600; i++) {
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
        v = fmax(v - H * 3.0 / MASS, 0.0);
        if (i % 50 == 0 || (i > 330 && i < 340))
            CHECK_NEAR(world_rate(world, "slide"), v, 1e-9, "m/s");
    }
    CHECK_NEAR(world_rate(world, "slide"), 0.0, 1e-12, "m/s");
}

Test(bounded_joints, dry_friction_stops_at_m_v_over_f)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.friction = 3.0;
    with_all(&axis, vec(0.0, 0.0, -9.81), check_friction);
}

/* Friction holds against what is less than it, and lets go of what is more. */
static void check_holding(RgWorld *world, RgJointId joint)
{
    double below = 2.9, above = 3.5;
    rg_world_set_joint_effort(world, joint, &below);
    world_run(world, 100, H);
    CHECK_NEAR(world_rate(world, "slide"), 0.0, 1e-12, "m/s");
    rg_world_set_joint_effort(world, joint, &above);
    world_run(world, 100, H);
    CHECK_REL(world_rate(world, "slide"), 0.1 * 0.5 / MASS, 1e-8, "m/s");
}

Test(bounded_joints, dry_friction_holds)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.friction = 3.0;
    with_all(&axis, vec(0.0, 0.0, 0.0), check_holding);
}

/* Up to speed with all its force, then at it; then against gravity along the slider. */
static void check_motor(RgWorld *world, RgJointId joint)
{
    cr_assert(rg_world_set_joint_motor(world, joint, 0, 0.4, 5.0) == RG_OK);
    cr_expect(rg_world_set_joint_motor(world, joint, 1, 0.4, 5.0) == RG_ERR_NOT_FOUND);
    cr_expect(rg_world_set_joint_motor(world, joint, 0, 0.4, -1.0) == RG_ERR_ARGUMENT);
    double v = 0.0;
    for (int i = 0; i < 400; i++) {
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
        v = fmin(v + H * (5.0 - MASS * 1.5) / MASS, 0.4);
        if (i % 37 == 0)
            CHECK_NEAR(world_rate(world, "slide"), v, 1e-9, "m/s");
    }
    rg_world_set_joint_motor(world, joint, 0, 0.0, 0.0); /* off */
    double before = world_rate(world, "slide");
    world_run(world, 10, H);
    CHECK_NEAR(world_rate(world, "slide"), before - 10 * H * 1.5, 1e-12, "m/s");
}

Test(bounded_joints, motor_saturates_then_holds_its_speed)
{
    RgAxisDef axis = rg_axis_def_default();
    with_all(&axis, vec(-1.5, 0.0, 0.0), check_motor);
}

/* Runs into the limit, is stopped there within a step, and leaves it freely. */
static void check_limit(RgWorld *world, RgJointId joint)
{
    double v0 = 2.0, farthest = 0.0;
    rg_world_set_joint_rate(world, joint, &v0);
    for (int i = 0; i < 400; i++) {
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
        farthest = fmax(farthest, world_angle(world, "slide"));
    }
    cr_expect(farthest < 0.25 + 1e-9, "went to %.12g", farthest);
    CHECK_NEAR(world_angle(world, "slide"), 0.25, 1e-4, "m");
    double push = -1.0;
    rg_world_set_joint_effort(world, joint, &push);
    world_run(world, 100, H);
    CHECK_NEAR(world_rate(world, "slide"), -0.1 / MASS, 2e-3 / MASS, "m/s");
}

Test(bounded_joints, limits_stop_without_bounce)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.lower = -1.0;
    axis.upper = 0.25;
    with_all(&axis, vec(0.0, 0.0, -9.81), check_limit);
}

/* A soft limit under a constant force rests where the spring carries it. */
static void check_soft_limit(RgWorld *world, RgJointId joint)
{
    (void)joint;
    world_run(world, 4000, H);
    CHECK_NEAR(world_rate(world, "slide"), 0.0, 1e-9, "m/s");
    CHECK_NEAR(world_angle(world, "slide"), -0.05 - MASS * 4.0 / 500.0, 1e-9, "m");
}

Test(bounded_joints, soft_limit_carries_the_load)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.lower = -0.05;
    axis.limit_stiffness = 500.0;
    axis.limit_damping = 60.0;
    with_all(&axis, vec(-4.0, 0.0, 0.0), check_soft_limit);
}

/* Falls along the slider up to its limit and no faster; then the other way. */
Test(bounded_joints, velocity_limits_where_they_are_asked_for)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.velocity_limit = 0.25;
    RgModel *model = slider(&axis);
    for (int k = 0; k < 8; k++) {
        bool kept = k < 4;
        RgWorldDef def = world_def(model, both_forms[k / 2 % 2], "semi-implicit");
        def.solver = solvers[k % 2];
        def.velocity_limits = kept;
        def.gravity = vec(-2.0, 0.0, 0.0);
        RgWorld *world = world_make(&def);
        world_run(world, 120, H);
        CHECK_REL(world_rate(world, "slide"), -0.24, 1e-9, "m/s");
        world_run(world, 80, H);
        CHECK_REL(world_rate(world, "slide"), kept ? -0.25 : -0.4, 1e-9, "m/s");
        double push = MASS * 4.0;
        rg_world_set_joint_effort(world, rg_model_find_joint(model, "slide"), &push);
        world_run(world, 500, H);
        CHECK_REL(world_rate(world, "slide"), kept ? 0.25 : 0.6, 1e-9, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A user's row: no faster than 0.3 m/s either way, as a row that pushes one way only. */
static int speed_limit(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                       int capacity, void *context)
{
    (void)view;
    (void)context;
    cr_assert(rg_model_info(model).nv == 1 && state->v != NULL && capacity == 1);
    rows[0] = (RgUserRow){.ndofs = 1, .coefficient = {-1.0}, .target = -0.3, .high = INFINITY};
    return 1;
}

Test(bounded_joints, rows_of_the_user_bound_a_speed)
{
    RgAxisDef axis = rg_axis_def_default();
    RgModel *model = slider(&axis);
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = solvers[k % 2];
        def.gravity = vec(2.0, 0.0, 0.0);
        def.user_rows = speed_limit;
        def.max_user_rows = 1;
        RgWorld *world = world_make(&def);
        world_run(world, 100, H);
        CHECK_REL(world_rate(world, "slide"), 0.2, 1e-9, "m/s");
        world_run(world, 100, H);
        CHECK_NEAR(world_rate(world, "slide"), 0.3, 1e-9, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
