/* contradictions.c - the scenes of scene_contradictions.h. */
#include "contradictions.h"

#include "scenes.h"
#include "touching.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0 to 1 within a second, at rest at both ends. */
static double smooth(double t)
{
    double s = fmax(0.0, fmin(t, 1.0));
    return s * s * (3.0 - 2.0 * s);
}

static void read(RgBuilder *b, const char *path, double height)
{
    RgError error = {.status = RG_OK};
    RgReadOptions options = rg_read_options_default();
    options.X_WM.p.z = height;
    if (rg_read_file(b, path, &options, &error) != RG_OK) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
}

/* ------------------------------------------------------------------ loop */

static double loop_target(const char *joint, double t)
{
    return strcmp(joint, "crank_hinge") == 0 ? t : strcmp(joint, "rocker_hinge") == 0 ? -t : 0.0;
}

/* ------------------------------------------------------------------ chain */

/* Corners of the ring at q = 0; the first and the last are on the world. Four hinges and a loop joint in the plane y = 0
   leave two velocities. */
static RgModel *chain_build(void)
{
    enum { LINKS = 4 };
    const RgVec3 corner[LINKS + 1] = {vec(0, 0, 0), vec(-0.1, 0, 0.5), vec(0.4, 0, 0.9), vec(0.9, 0, 0.6),
                                      vec(0.8, 0, 0)};
    static const char *const names[LINKS] = {"first", "second", "third", "fourth"};
    RgBuilder *b = scene_begin("chain");
    RgLinkId below = {0};
    RgVec3 at = corner[0];
    for (int i = 0; i < LINKS; i++) {
        RgVec3 along = vec_sub(corner[i + 1], corner[i]);
        RgLinkId link = link_add(b, names[i], inertia_rod(0.4 + 0.3 * i, vec(0, 0, 0), along, 0.02));
        RgJointDef hinge = joint_at(RG_JOINT_revolute, names[i], below, link, at, vec(0, 1, 0));
        hinge.dof[0].damping = 0.5 * (1 + i);
        hinge.dof[0].stiffness = 20.0;
        joint_add(b, &hinge);
        below = link;
        at = along;
    }
    RgJointDef pin = joint_at(RG_JOINT_revolute, "pin", (RgLinkId){0}, below, corner[LINKS], vec(0, 1, 0));
    pin.X_CJ = place_at(at.x, at.y, at.z);
    pin.may_close_loop = true;
    joint_add(b, &pin);
    return scene_end(b);
}

static double chain_target(const char *joint, double t)
{
    return strcmp(joint, "first") == 0    ? t
           : strcmp(joint, "fourth") == 0 ? 0.5 * t
           : strcmp(joint, "second") == 0 ? -t
                                          : 0.0;
}

/* ------------------------------------------------------------------ floor */

static RgModel *floor_build(void)
{
    RgBuilder *b = scene_begin("floor");
    read(b, "models/floor.sdf", 0.0);
    read(b, "models/arm6.urdf", 0.0);
    return scene_end(b);
}

static double floor_target(const char *joint, double t)
{
    double way = smooth(2.0 * t);
    return strcmp(joint, "lift") == 0 ? 0.5 + 1.4 * way : strcmp(joint, "elbow") == 0 ? 0.5 + 0.4 * way : 0.0;
}

/* ------------------------------------------------------------------ squeeze */

static RgModel *squeeze_build(void)
{
    RgBuilder *b = scene_begin("squeeze");
    for (int side = -1; side <= 1; side += 2) {
        const char *name = side < 0 ? "left" : "right";
        RgLinkId link = link_add(b, name, inertia_box(0.05, vec(0, 0, 0), vec(0.01, 0.03, 0.03)));
        RgJointDef slide =
            joint_at(RG_JOINT_prismatic, name, (RgLinkId){0}, link, vec(side * 0.035, 0, 1.0), vec(-side, 0, 0));
        joint_add(b, &slide);
        shape_add(b, link, RG_SHAPE_box, (double[]){0.01, 0.03, 0.03}, place_at(0, 0, 0), surface_mu(0.8));
    }
    box_add(b, "block", 0.2, vec(0.04, 0.04, 0.04), vec(0, 0, 1.0), surface_mu(0.8));
    return scene_end(b);
}

static double squeeze_target(const char *joint, double t)
{
    (void)joint;
    return 0.03 * smooth(10.0 * t);
}

/* ------------------------------------------------------------------ walls */

static RgModel *walls_build(void)
{
    RgBuilder *b = scene_begin("walls");
    read(b, "models/floor.sdf", 0.0);
    read(b, "models/quadruped.sdf", -0.132);
    for (int side = -1; side <= 1; side += 2)
        shape_add(b, (RgLinkId){0}, RG_SHAPE_box, (double[]){0.1, 4.0, 4.0}, place_at(side * 0.55, 0, 0),
                  surface_mu(0.8));
    return scene_end(b);
}

static double walls_target(const char *joint, double t)
{
    bool hind = strncmp(joint, "hind", 4) == 0;
    double out = 1.2 * smooth(2.0 * t);
    if (strstr(joint, "pitch") != NULL)
        return 0.7 - (hind ? -out : out);
    return strstr(joint, "knee") != NULL ? -1.4 + 0.5 * out : 0.0;
}

/* ------------------------------------------------------------------ squat */

static RgModel *squat_build(void)
{
    RgBuilder *b = scene_begin("squat");
    read(b, "models/floor.sdf", 0.0);
    read(b, "models/humanoid36.urdf", 1.06);
    return scene_end(b);
}

static double squat_target(const char *joint, double t)
{
    double bend = 1.2 * smooth(2.0 * t);
    if (strstr(joint, "knee_pitch") != NULL)
        return 2.0 * bend;
    return strstr(joint, "hip_pitch") != NULL || strstr(joint, "ankle_pitch") != NULL ? -bend : 0.0;
}

/* ------------------------------------------------------------------ all */

const Contradiction contradictions[] = {{"loop", scene_four_bar, loop_target, 0.1, 1e3, "crank_hinge", NULL},
                                        {"chain", chain_build, chain_target, 0.1, 1e3, "third", NULL},
                                        {"floor", floor_build, floor_target, 0.6, 1e4, "lift", "flange"},
                                        {"squeeze", squeeze_build, squeeze_target, 0.15, 1e3, "left", "block"},
                                        {"walls", walls_build, walls_target, 0.33, 1e4, "pitch", "shank"},
                                        {"squat", squat_build, squat_target, 0.5, 1e4, "knee_pitch", "pitch"},
                                        {NULL, NULL, NULL, 0.0, 0.0, NULL, NULL}};

void contradict_start(RgWorld *world, const Contradiction *scene)
{
    const RgModel *m = rg_world_model(world);
    for (int k = 1; k <= rg_model_info(m).joints; k++) {
        RgJointInfo joint = rg_model_joint(m, (RgJointId){k});
        double q = joint.nv == 1 ? scene->target(joint.name, 0.0) : 0.0;
        if (joint.nv == 1 && !joint.is_loop && q != 0.0)
            rg_world_set_joint_position(world, (RgJointId){k}, &q);
    }
}

static void drive(RgWorld *world, const Contradiction *scene, double h, double rate, double slower)
{
    const RgModel *m = rg_world_model(world);
    double t = rg_world_time(world) + h;
    for (int k = 1; k <= rg_model_info(m).joints; k++) {
        RgJointInfo joint = rg_model_joint(m, (RgJointId){k});
        bool loop = strcmp(scene->name, "loop") == 0;
        if (joint.nv != 1 || joint.is_loop || (loop && strcmp(joint.name, "coupler_hinge") == 0))
            continue;
        double q = scene->target(joint.name, t);
        RgDrive drive = {.hard = true,
                         .position = q,
                         .velocity = slower * (q - scene->target(joint.name, t - h)) / h,
                         .time = t,
                         .rate = rate,
                         .max_effort = (double)INFINITY};
        rg_world_set_joint_drive(world, (RgJointId){k}, 0, &drive);
    }
}

void contradict(RgWorld *world, const Contradiction *scene, double h)
{
    drive(world, scene, h, (double)INFINITY, 1.0);
}

void contradict_rates(RgWorld *world, const Contradiction *scene, double h, double slower)
{
    drive(world, scene, h, 0.0, slower);
}
