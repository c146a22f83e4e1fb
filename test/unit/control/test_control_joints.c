/*
 * test_control_joints.c - joints of more than one velocity, joints that close loops, several controllers in one
 * control.
 */
#include "check_near.h"
#include "controls.h"
#include "scenes.h"
#include "worlds.h"

/* A universal joint of which one angle is controlled: what the user set on the other stays. */
Test(control_joints, one_velocity_of_two)
{
    RgBuilder *b = scene_begin("cardan");
    RgLinkId link = link_add(b, "link", inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.2, 0.3, 0.1)));
    RgJointDef def = joint_at(RG_JOINT_universal, "cardan", (RgLinkId){0}, link, vec(0, 0, 0), vec(1, 0, 0));
    def.axis2 = vec(0, 1, 0);
    joint_add(b, &def);
    RgModel *model = scene_end(b);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    const double mine[2] = {0.125, 9.0}, wanted = 0.4;
    const char *name[] = {"cardan"};
    RgTrajectory *hold = trajectory_hold(&wanted, 1);
    ControlCase c;
    control_case(&c, world, "pd", name, 1);
    control_gains(&c, 4.0, NAN, 0.3);
    c.joints[0].dof = 1;
    c.controller.trajectory = hold;
    RgControl *control = control_make(&c);
    cr_assert(rg_world_set_joint_effort(world, c.joints[0].joint, mine) == RG_OK);
    for (int i = 0; i < 10; i++) {
        double q[2], v[2];
        rg_world_joint_position(world, c.joints[0].joint, q);
        rg_world_joint_rate(world, c.joints[0].joint, v);
        control_run(control, 1, 1e-3);
        cr_expect(rg_world_input_effort(world)[0] == mine[0]);
        CHECK_NEAR(rg_world_input_effort(world)[1], 4.0 * (wanted - q[1]) - 0.3 * v[1], 1e-14, "N m");
    }
    rg_control_destroy(control);
    cr_expect(rg_world_input_effort(world)[0] == mine[0] && rg_world_input_effort(world)[1] == 0.0);
    rg_world_destroy(world);
    rg_trajectory_destroy(hold);
    rg_model_destroy(model);
}

/* The pin that closes a four-bar linkage is driven: it goes where it is told to, and takes the others along. */
Test(control_joints, a_joint_that_closes_a_loop)
{
    RgModel *model = scene_four_bar();
    const char *name[] = {"pin"};
    for (int i = 0; i < 4; i++) {
        RgWorld *world = world_of(model, both_forms[i % 2], "semi-implicit");
        ControlCase c;
        control_case(&c, world, i < 2 ? "implicit-pd" : "hard", name, 1);
        double start = 0.0;
        rg_world_joint_position(world, c.joints[0].joint, &start);
        const double wanted = start + 0.2;
        RgTrajectory *hold = trajectory_hold(&wanted, 1);
        c.controller.trajectory = hold;
        if (i < 2)
            control_gains(&c, 1e6, NAN, 1e4);
        else
            c.controller.rate = 20.0;
        RgControl *control = control_make(&c);
        control_run(control, 1000, 1e-3);
        CHECK_NEAR(rg_control_joint(control, 0).position, wanted, 1e-4, "rad");
        CHECK_NEAR(rg_world_joint_error(world), 0.0, 1e-8, "m");
        cr_expect(fabs(rg_control_joint(control, 0).effort) > 0.01, "it carries nothing");
        rg_control_destroy(control);
        rg_world_destroy(world);
        rg_trajectory_destroy(hold);
    }
    rg_model_destroy(model);
}

/* Two controllers in one control do what each would do of the state it sees; figures are of both. */
Test(control_joints, two_controllers)
{
    RgModel *model = scene_arm();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    const char *names[6];
    for (int k = 0; k < 6; k++)
        names[k] = rg_model_joint(model, (RgJointId){k + 1}).name;
    const double low[4] = {0.1, 0.2, -0.1, 0.3}, high[2] = {0.5, -0.5};
    RgTrajectory *first = trajectory_hold(low, 4), *second = trajectory_hold(high, 2);
    ControlCase a, b;
    control_case(&a, world, "implicit-pd", names, 4);
    control_gains(&a, 1e4, NAN, 1e2);
    a.controller.trajectory = first;
    control_case(&b, world, "pd", names + 4, 2);
    control_gains(&b, 5.0, NAN, 0.1);
    b.controller.trajectory = second;
    RgControllerDef both[2] = {a.controller, b.controller};
    a.control.controllers = both;
    a.control.ncontrollers = 2;
    RgControl *control = control_make(&a);
    cr_assert_eq(rg_control_joints(control), 6);
    double sum = 0.0;
    for (int i = 0; i < 300; i++) {
        double q[2] = {rg_control_joint(control, 4).position, rg_control_joint(control, 5).position};
        double v[2] = {rg_control_joint(control, 4).velocity, rg_control_joint(control, 5).velocity};
        control_run(control, 1, 1e-3);
        for (int k = 0; k < 2; k++)
            CHECK_NEAR(rg_control_joint(control, 4 + k).effort, 5.0 * (high[k] - q[k]) - 0.1 * v[k], 1e-13, "N m");
        for (int k = 0; k < 6; k++)
            sum += fabs((k < 4 ? low[k] : high[k - 4]) - rg_control_joint(control, k).position);
        RgDriveReport drive;
        rg_world_joint_drive(world, a.joints[0].joint, 0, &drive);
        cr_expect(drive.on && drive.effort == rg_control_joint(control, 0).effort);
    }
    CHECK_NEAR(rg_control_tracking(control).mean_error, sum / (6 * 300), 1e-12, "rad");
    cr_expect_eq(rg_control_tracking(control).samples, 300);
    rg_control_destroy(control);
    RgDriveReport drive;
    rg_world_joint_drive(world, a.joints[0].joint, 0, &drive);
    cr_expect(!drive.on);
    rg_trajectory_destroy(first);
    rg_trajectory_destroy(second);
    world_end(world, model);
}
