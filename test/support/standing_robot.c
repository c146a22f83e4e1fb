/* standing_robot.c - see standing_robot.h. */
#include "standing_robot.h"

#include "scenes.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOINTS 64
#define MOST_FEET 4

typedef struct Robot {
    const char *file, *base, *trunk, *foot[MOST_FEET];
    int nfeet;
    double height, kp, kd;
    struct {
        const char *part; /* of the joint's name */
        double position;
    } posture[8];
} Robot;

static const Robot robots[] = {
    [ROBOT_ATLAS] =
        {"models/atlas.urdf",
         "pelvis",
         "utorso",
         {"l_foot", "r_foot"},
         2,
         0.8696,
         3000.0,
         100.0,
         {{"leg_lhy", -0.45}, {"leg_kny", 0.9}, {"leg_uay", -0.45}, {"l_arm_shx", -1.3}, {"r_arm_shx", 1.3}}},
    [ROBOT_HUMANOID] = {"models/humanoid36.urdf",
                        "pelvis",
                        "torso",
                        {"left_foot", "right_foot"},
                        2,
                        0.987,
                        3000.0,
                        100.0,
                        {{"hip_pitch", -0.4}, {"knee_pitch", 0.8}, {"ankle_pitch", -0.4}}},
    [ROBOT_DOG] = {"models/quadruped.sdf",
                   "body",
                   "body",
                   {"front_left_shank", "hind_right_shank", "front_right_shank", "hind_left_shank"},
                   4,
                   0.402,
                   300.0,
                   10.0,
                   {{"_pitch", 0.7}, {"_knee", -1.4}}},
    [ROBOT_BIPED] = {NULL,
                     "trunk",
                     "trunk",
                     {"left_foot", "right_foot"},
                     2,
                     BIPED_HEIGHT,
                     500.0,
                     20.0,
                     {{"hip_pitch", -0.4}, {"knee", 0.8}, {"ankle_pitch", -0.4}}},
};

static RgModel *load(const Robot *robot)
{
    return robot->file != NULL ? model_on_floor(robot->file) : scene_biped();
}

static void place(const Robot *robot, RgWorld *world, const RgModel *model, RgLinkId base)
{
    RgModelInfo info = rg_model_info(model);
    double *q = malloc((size_t)info.nq * sizeof *q);
    memcpy(q, rg_world_q(world), (size_t)info.nq * sizeof *q);
    q[rg_model_link(model, base).q_index + 6] = robot->height;
    for (int i = 1; i <= info.joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        for (int k = 0; k < 8 && robot->posture[k].part != NULL; k++)
            if (strstr(joint.name, robot->posture[k].part) != NULL)
                q[joint.q_index] = robot->posture[k].position;
    }
    cr_assert_eq(rg_world_set_state(world, q, NULL), RG_OK);
    free(q);
}

static RgControl *make_control(const Robot *robot, const StandingRobot *r, const RgWalk *walk, RgAllocator allocator)
{
    RgControlJoint joints[MOST_JOINTS];
    RgFoot feet[MOST_FEET] = {0};
    int n = 0;
    for (int i = 1; i <= rg_model_info(r->model).joints; i++) {
        if (rg_model_joint(r->model, (RgJointId){i}).nv != 1)
            continue;
        joints[n] = rg_control_joint_default();
        joints[n].joint.i = i;
        joints[n].kp = robot->kp;
        joints[n++].kd = robot->kd;
    }
    for (int i = 0; i < robot->nfeet; i++)
        feet[i] = (RgFoot){.base = r->base, .link = rg_model_find_link(r->model, robot->foot[i])};
    RgControllerDef def = rg_controller_def_default();
    def.kind = walk->steps > 0.0 ? "walk" : "balance";
    def.njoints = n;
    def.joints = joints;
    def.nfeet = robot->nfeet;
    def.feet = feet;
    def.walk = *walk;
    RgControlDef all = rg_control_def_default();
    all.world = r->world;
    all.ncontrollers = 1;
    all.controllers = &def;
    all.allocator = allocator;
    RgError error = {0};
    RgControl *control = rg_control_create(&all, &error);
    cr_assert_not_null(control, "%s", error.text);
    return control;
}

void standing_begin(StandingRobot *out, RobotKind kind, const char *coords, const RgWalk *walk, RgAllocator allocator)
{
    const Robot *robot = &robots[kind];
    *out = (StandingRobot){.model = load(robot), .height = robot->height};
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = out->model;
    def.coords = coords;
    def.allocator = allocator;
    out->world = rg_world_create(&def, &error);
    cr_assert_not_null(out->world, "%s", error.text);
    out->base = rg_model_find_link(out->model, robot->base);
    out->trunk = rg_model_find_link(out->model, robot->trunk);
    place(robot, out->world, out->model, out->base);
    out->control = make_control(robot, out, walk, allocator);
}

void standing_end(StandingRobot *robot)
{
    rg_control_destroy(robot->control);
    rg_world_destroy(robot->world);
    rg_model_destroy(robot->model);
}

RgVec3 standing_place(const StandingRobot *robot)
{
    return rg_world_link_pose(robot->world, robot->base).p;
}

double standing_tilt(const StandingRobot *robot)
{
    return acos(fmin(1.0, rg_world_link_pose(robot->world, robot->base).R.m[2][2]));
}

bool standing_run(StandingRobot *robot, int steps, double h, RgVec3 push)
{
    rg_world_set_link_wrench(robot->world, robot->trunk, (RgForce){.f = push});
    for (int i = 0; i < steps; i++) {
        if (rg_control_step(robot->control, h, NULL) != RG_OK)
            return false;
        if (!(fabs(standing_place(robot).z - robot->height) < 0.25 * robot->height))
            return false;
    }
    return true;
}
