/* test_gait_input.c - gaits with bad numbers are refused, and the message says which. */
#include "quadruped.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static void refused(QuadRobot *robot, RgWorld *world, const RgGait *gait, const char *words)
{
    RgControlJoint joints[QUAD_JOINTS];
    RgError error = {.status = RG_OK};
    for (int k = 0; k < QUAD_JOINTS; k++) {
        joints[k] = rg_control_joint_default();
        joints[k].joint = robot->joint[k];
        joints[k].kp = 100.0;
        joints[k].kd = 1.0;
    }
    RgControllerDef def = rg_controller_def_default();
    def.kind = "implicit-pd";
    def.njoints = QUAD_JOINTS;
    def.joints = joints;
    def.gait = gait;
    def.nfeet = QUAD_FEET;
    def.feet = robot->foot;
    RgControlDef all = rg_control_def_default();
    all.world = world;
    all.ncontrollers = 1;
    all.controllers = &def;
    cr_assert_null(rg_control_create(&all, &error), "%s", words);
    cr_assert_not_null(strstr(error.text, words), "%s", error.text);
}

Test(gait_input, bad_numbers_are_refused)
{
    QuadRobot robot;
    RgError error;
    cr_assert(quad_robot_create(&robot, "models/quadruped.sdf", 1.0, &error), "%s", error.text);
    RgWorldDef def = rg_world_def_default();
    def.model = robot.model;
    RgWorld *world = rg_world_create(&def, &error);
    const RgGait good = quad_gait(&robot, &(QuadMotion){.kind = QUAD_TROT});
    const double late[QUAD_FEET] = {0.0, 0.5, 1.0, 0.5};
    RgGait g = good;
    g.period = 0.0;
    refused(&robot, world, &g, "period must be above 0");
    g = good;
    g.duty = NAN;
    refused(&robot, world, &g, "duty must be");
    g = good;
    g.yaw_rate = INFINITY;
    refused(&robot, world, &g, "yaw_rate must be finite");
    g = good;
    g.neutral = NULL;
    refused(&robot, world, &g, "needs a neutral place");
    g = good;
    g.touchdown = late;
    refused(&robot, world, &g, "touchdowns from 0");
    g = good;
    g.nfeet = 3;
    refused(&robot, world, &g, "its gait has 3");
    g = good;
    const RgVec3 nowhere[QUAD_FEET] = {{0.0, 0.0, 0.0}, {0.0, (double)NAN, 0.0}};
    g.first = nowhere;
    refused(&robot, world, &g, "first places must be finite");

    /* Of the second foot the base is a link of the first one's leg, then its own link. */
    RgLinkId base = robot.foot[1].base;
    robot.foot[1].base = robot.foot[0].link;
    refused(&robot, world, &good, "carries no joint that moves foot");
    robot.foot[1].base = robot.foot[1].link;
    refused(&robot, world, &good, "carries no joint that moves foot");
    robot.foot[1].base = base;
    rg_world_destroy(world);
    quad_robot_destroy(&robot);
}
