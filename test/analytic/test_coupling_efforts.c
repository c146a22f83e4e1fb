/*
 * test_coupling_efforts.c - what mimics and gears transmit, against closed forms, in both forms and by every solver.
 *
 *   two pendulums, q2 = r q1 + c    z = I2 r q1'' - Q2 on the second, -r z on the first      (Q: moments of gravity, efforts)
 *   train of gears, effort at one end, load at the other, at rest
 *                                   every stage multiplies the effort by its ratio
 *   gripper with one driven finger, the other its mimic, squeezing a block that hangs on friction
 *                                   F = 2 N, and the coupling gives the mimic finger its N
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

static void couple(RgBuilder *b, RgJointId joint, RgJointId reference, double ratio, double offset)
{
    RgCouplingDef def = rg_coupling_def_default();
    def.name = "coupling";
    def.joint = joint;
    def.reference = reference;
    def.ratio = ratio;
    def.offset = offset;
    cr_assert(rg_builder_add_coupling(b, &def));
}

/* ------------------------------------------------------------------ two pendulums */

#define RATIO (-1.5)
#define OFFSET 0.4

static RgModel *pendulums(void)
{
    RgBuilder *b = scene_begin("pendulums");
    RgLinkId one = link_add(b, "one", inertia_diagonal(1.0, vec(0.0, 0.0, -0.5), vec(0.1, 0.1, 0.1)));
    RgLinkId two = link_add(b, "two", inertia_diagonal(2.0, vec(0.0, 0.0, -0.3), vec(0.1, 0.2, 0.1)));
    RgJointDef first = joint_at(RG_JOINT_revolute, "first", (RgLinkId){0}, one, vec(0.0, 0.0, 0.0), vec(0.0, 1.0, 0.0));
    RgJointDef second =
        joint_at(RG_JOINT_revolute, "second", (RgLinkId){0}, two, vec(0.0, 1.0, 0.0), vec(0.0, 1.0, 0.0));
    RgJointId reference = joint_add(b, &first);
    couple(b, joint_add(b, &second), reference, RATIO, OFFSET);
    return scene_end(b);
}

/* Effort on the second joint at q1 with an applied effort there. */
static double pendulum_effort(double q1, double applied)
{
    double I1 = 0.1 + 1.0 * 0.25, I2 = 0.2 + 2.0 * 0.09, q2 = RATIO * q1 + OFFSET;
    double Q1 = -1.0 * 9.81 * 0.5 * sin(q1), Q2 = applied - 2.0 * 9.81 * 0.3 * sin(q2);
    double a1 = (Q1 + RATIO * Q2) / (I1 + RATIO * RATIO * I2);
    return I2 * RATIO * a1 - Q2;
}

Test(coupling_efforts, of_two_pendulums_in_motion)
{
    RgModel *model = pendulums();
    const double q[2] = {0.6, RATIO * 0.6 + OFFSET}, v[2] = {0.8, RATIO * 0.8}, tau = 1.2;
    for (int i = 0; i < 2; i++) {
        RgCouplingEffort effort;
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        cr_assert(rg_world_set_state(world, q, v) == RG_OK);
        rg_world_set_joint_effort(world, rg_model_find_joint(model, "second"), &tau);
        for (int k = 0; k < 5; k++) {
            cr_assert(rg_world_coupling_efforts(world, &effort) == RG_OK);
            CHECK_NEAR(effort.joint, pendulum_effort(world_angle(world, "first"), tau), 1e-11, "N m");
            CHECK_NEAR(effort.reference, -RATIO * effort.joint, 0.0, "N m");
            world_run(world, 300, 1e-3);
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Asking does not change the motion. */
Test(coupling_efforts, asking_leaves_the_state)
{
    RgModel *model = pendulums();
    for (int i = 0; i < 2; i++) {
        RgCouplingEffort effort;
        RgWorld *asked = world_of(model, both_forms[i], "semi-implicit"),
                *quiet = world_of(model, both_forms[i], "semi-implicit");
        for (int k = 0; k < 200; k++) {
            world_run(asked, 1, 1e-3);
            world_run(quiet, 1, 1e-3);
            cr_assert(rg_world_coupling_efforts(asked, &effort) == RG_OK);
            cr_assert_eq(rg_world_hash(asked), rg_world_hash(quiet));
        }
        rg_world_destroy(asked);
        rg_world_destroy(quiet);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ a train of gears */

static const double stages[3] = {-4.0, 2.5, -10.0}; /* turns of the shaft before, a turn of the shaft after */

static RgModel *train(void)
{
    RgBuilder *b = scene_begin("train");
    RgJointId before = {0};
    for (int i = 0; i < 4; i++) {
        char name[8] = {'s', (char)('0' + i), '\0'};
        RgVec3 com = i == 3 ? vec(0.7, 0.0, 0.0) : vec(0.0, 0.0, 0.0);
        RgLinkId shaft = link_add(b, name, inertia_diagonal(0.5, com, vec(0.01, 0.01 + 0.1 * i, 0.01)));
        RgJointDef hinge =
            joint_at(RG_JOINT_continuous, name, (RgLinkId){0}, shaft, vec(0.1 * i, 0.0, 0.0), vec(0.0, 1.0, 0.0));
        RgJointId id = joint_add(b, &hinge);
        if (i > 0)
            couple(b, before, id, stages[i - 1], 0.0);
        before = id;
    }
    return scene_end(b);
}

/* The last shaft carries a weight on a horizontal arm, the first the effort that holds it: with y the axis, gravity
   pulls at +m g l. */
Test(coupling_efforts, of_a_train_at_rest_grow_by_its_ratios)
{
    RgModel *model = train();
    double load = 0.5 * 9.81 * 0.7, all = stages[0] * stages[1] * stages[2], tau = -load / all;
    for (int i = 0; i < 2; i++) {
        RgCouplingEffort effort[3];
        RgWorld *world = world_of(model, both_forms[i], "semi-implicit");
        cr_assert(rg_world_set_joint_effort(world, rg_model_find_joint(model, "s0"), &tau) == RG_OK);
        world_run(world, 100, 1e-3);
        CHECK_NEAR(world_angle(world, "s0"), 0.0, 1e-12, "rad");
        cr_assert(rg_world_coupling_efforts(world, effort) == RG_OK);
        double on = tau;
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(effort[k].joint, -on, 1e-11, "N m");
            CHECK_NEAR(effort[k].reference, stages[k] * on, 1e-11, "N m");
            on *= stages[k];
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ a gripper */

#define SQUEEZE 60.0 /* N on the driven finger */

static void add_box(RgBuilder *b, const char *name, RgLinkId link, RgVec3 size)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.name = name;
    shape.type = RG_SHAPE_box;
    shape.link = link;
    shape.size[0] = size.x;
    shape.size[1] = size.y;
    shape.size[2] = size.z;
    shape.surface.mu = shape.surface.mu2 = 0.8;
    cr_assert(rg_builder_add_shape(b, &shape).i != 0);
}

static RgLinkId add_finger(RgBuilder *b, const char *name, double x)
{
    RgPose X = {mat_identity(), vec(x, 0.0, 0.0)};
    RgLinkId finger = link_add_at(b, name, inertia_box(0.2, vec(0.0, 0.0, 0.0), vec(0.02, 0.04, 0.1)), X);
    add_box(b, name, finger, vec(0.02, 0.04, 0.1));
    return finger;
}

/* A hand on an upright slide; fingers that close towards each other; a block of 1.5 kg between them. */
static RgModel *gripper(void)
{
    RgBuilder *b = scene_begin("gripper");
    RgLinkId hand = link_add(b, "hand", inertia_box(1.0, vec(0.0, 0.0, 0.2), vec(0.1, 0.1, 0.1)));
    RgLinkId left = add_finger(b, "left", -0.04), right = add_finger(b, "right", 0.04);
    RgLinkId block = link_add(b, "block", inertia_box(1.5, vec(0.0, 0.0, 0.0), vec(0.06, 0.06, 0.06)));
    add_box(b, "block", block, vec(0.06, 0.06, 0.06));
    RgJointDef lift = joint_at(RG_JOINT_prismatic, "lift", (RgLinkId){0}, hand, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0));
    RgJointDef drive = joint_at(RG_JOINT_prismatic, "drive", hand, left, vec(-0.04, 0.0, 0.0), vec(1.0, 0.0, 0.0));
    RgJointDef follow = joint_at(RG_JOINT_prismatic, "follow", hand, right, vec(0.04, 0.0, 0.0), vec(-1.0, 0.0, 0.0));
    joint_add(b, &lift);
    RgJointId leader = joint_add(b, &drive);
    couple(b, joint_add(b, &follow), leader, 1.0, 0.0);
    return scene_end(b);
}

/* How the four corners of a face share its load is not determined. Lemke's answer leaves it to one of them, which does
   not keep the block from swinging: only the effort is asked of it. */
static void lift_weight(const RgModel *model, const char *coords, const char *solver)
{
    const double squeeze = SQUEEZE;
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    RgPgsOptions pgs = rg_pgs_options_default();
    pgs.iterations = 1000;
    pgs.tolerance = 1e-9;
    def.solver = solver;
    def.pgs = strncmp(solver, "pgs", 3) == 0 ? &pgs : NULL;
    RgWorld *world = world_make(&def);
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "drive"), &squeeze);
    rg_world_set_joint_motor(world, rg_model_find_joint(model, "lift"), 0, 0.2, 60.0);
    world_run(world, 600, 1e-3);
    RgCouplingEffort effort;
    cr_assert(rg_world_coupling_efforts(world, &effort) == RG_OK);
    double z = rg_world_link_pose(world, rg_model_find_link(model, "block")).p.z;
    if (strcmp(solver, "lemke") != 0)
        cr_expect(z > 0.1, "%s, %s: the block is not lifted: %g m", solver, coords, z);
    cr_expect(fabs(effort.joint - 0.5 * SQUEEZE) < 1e-3 * SQUEEZE, "%s, %s: %g N on the mimic finger, expected %g",
              solver, coords, effort.joint, 0.5 * SQUEEZE);
    CHECK_NEAR(effort.reference, -effort.joint, 0.0, "N");
    rg_world_destroy(world);
}

/* But viscous, which has no friction at rest. */
Test(coupling_efforts, of_a_gripper_that_lifts_a_weight)
{
    RgModel *model = gripper();
    for (int s = 0; s < rg_solver_count(); s++)
        for (int i = 0; i < 2 && strcmp(rg_solver_name(s), "viscous") != 0; i++)
            lift_weight(model, both_forms[i], rg_solver_name(s));
    rg_model_destroy(model);
}
