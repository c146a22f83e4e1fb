/*
 * hash_control.c - hashes of controlled runs, joint kinds over whole robots, a sinusoid and a spline, with a rate that
 * cuts steps and a delay: "control KIND SCENE TRAJECTORY COORDS HASH".
 */
#include "hash_control.h"

#include "../support/scenes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_JOINTS 12
#define KNOTS 5
#define STEPS 150

typedef struct ControlRun {
    const char *kind;
    RgModel *(*scene)(void);
    const char *trajectory, *coords;
} ControlRun;

static RgTrajectory *make_trajectory(const char *kind, int n)
{
    double amplitude[MOST_JOINTS], frequency[MOST_JOINTS], values[KNOTS * MOST_JOINTS];
    const double times[KNOTS] = {0.0, 0.125, 0.25, 0.3125, 0.5};
    for (int k = 0; k < n; k++) {
        amplitude[k] = 0.25;
        frequency[k] = 2.0 + 0.5 * k;
        for (int i = 0; i < KNOTS; i++)
            values[i * n + k] = 0.125 * ((i * 3 + k) % 4 - 1);
    }
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = kind;
    def.naxes = n;
    def.amplitude = amplitude;
    def.frequency = frequency;
    def.nknots = KNOTS;
    def.times = times;
    def.values = values;
    return rg_trajectory_create(&def, NULL);
}

/* All joints of one velocity, with gains where the kind takes them. */
static int take_joints(const RgModel *model, const char *kind, RgControlJoint *joints)
{
    int n = 0;
    for (int i = 1; i <= rg_model_info(model).joints && n < MOST_JOINTS; i++) {
        if (rg_model_joint(model, (RgJointId){i}).nv != 1)
            continue;
        joints[n] = rg_control_joint_default();
        joints[n].joint.i = i;
        if (strcmp(kind, "hard") != 0)
            joints[n].kp = joints[n].kd = 4.0;
        if (strcmp(kind, "pid") == 0)
            joints[n].ki = 2.0;
        joints[n++].limits = (RgMotorLimits){20.0, 2.0, 0.5};
    }
    return n;
}

static bool hash_run(const ControlRun *run, const RgModel *model, RgWorld *world)
{
    RgControlJoint joints[MOST_JOINTS];
    RgControllerDef controller = rg_controller_def_default();
    controller.kind = run->kind;
    controller.njoints = take_joints(model, run->kind, joints);
    controller.joints = joints;
    RgTrajectory *trajectory = make_trajectory(run->trajectory, controller.njoints);
    controller.trajectory = trajectory;
    RgControlDef def = rg_control_def_default();
    def.world = world;
    def.rate = 170.0;
    def.delay = 0.0078125;
    def.ncontrollers = 1;
    def.controllers = &controller;
    RgControl *control = trajectory != NULL ? rg_control_create(&def, NULL) : NULL;
    bool good = control != NULL;
    for (int i = 0; good && i < STEPS; i++)
        good = rg_control_step(control, 3e-3, NULL) == RG_OK;
    if (good)
        printf("control %s %s %s %s %016" PRIx64 "\n", run->kind, rg_model_info(model).name, run->trajectory,
               run->coords, rg_world_hash(world));
    rg_control_destroy(control);
    rg_trajectory_destroy(trajectory);
    return good;
}

static bool hash_one(const ControlRun *run)
{
    RgModel *model = run->scene();
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = run->coords;
    RgWorld *world = rg_world_create(&def, NULL);
    bool good = world != NULL && hash_run(run, model, world);
    if (!good)
        fprintf(stderr, "control %s %s %s failed\n", run->kind, run->trajectory, run->coords);
    rg_world_destroy(world);
    rg_model_destroy(model);
    return good;
}

/* A biped that walks, in both forms: "control walk biped steps COORDS HASH". */
static bool hash_walk(const char *coords)
{
    RgModel *model = scene_biped();
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    RgWorld *world = rg_world_create(&def, NULL);
    RgControlJoint joints[MOST_JOINTS];
    RgControllerDef controller = rg_controller_def_default();
    controller.kind = "walk";
    controller.njoints = take_joints(model, "walk", joints);
    RgLinkId trunk = rg_model_find_link(model, "trunk");
    RgFoot feet[2] = {{.base = trunk, .link = rg_model_find_link(model, "left_foot")},
                      {.base = trunk, .link = rg_model_find_link(model, "right_foot")}};
    for (int i = 0; i < controller.njoints; i++) {
        joints[i].kp = 500.0;
        joints[i].kd = 20.0;
        joints[i].limits = rg_control_joint_default().limits;
    }
    controller.joints = joints;
    controller.nfeet = 2;
    controller.feet = feet;
    controller.walk.steps = 2.0;
    controller.walk.stride = 0.05;
    controller.walk.settle = 0.1;
    controller.walk.swing = 0.3;
    controller.walk.both = 0.1;
    RgControlDef all = rg_control_def_default();
    all.world = world;
    all.ncontrollers = 1;
    all.controllers = &controller;
    if (world != NULL)
        biped_stand(world);
    RgControl *control = world != NULL ? rg_control_create(&all, NULL) : NULL;
    bool good = control != NULL;
    for (int i = 0; good && i < 2 * STEPS; i++)
        good = rg_control_step(control, 4e-3, NULL) == RG_OK;
    good = good && rg_control_tracking(control).failed == 0;
    if (good)
        printf("control walk biped steps %s %016" PRIx64 "\n", coords, rg_world_hash(world));
    else
        fprintf(stderr, "control walk %s failed\n", coords);
    rg_control_destroy(control);
    rg_world_destroy(world);
    rg_model_destroy(model);
    return good;
}

bool hash_control(void)
{
    static const char *const kinds[] = {"pd", "pid", "implicit-pd", "hard", "computed-torque"};
    static const char *const forms[2] = {"minimal", "maximal"}, *const trajectories[2] = {"sinusoid", "spline"};
    bool good = true;
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        for (int i = 0; i < 8; i++)
            good &= hash_one(&(ControlRun){.kind = kinds[kind],
                                           .scene = i & 1 ? scene_quadruped : scene_arm,
                                           .trajectory = trajectories[i >> 2],
                                           .coords = forms[i >> 1 & 1]});
    return hash_walk("minimal") && hash_walk("maximal") && good;
}
