/* published_robot.c - see published_robot.h. */
#include "published_robot.h"

#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUARTER 1.5707963267948966

typedef struct Leg {
    const char *name;
    double front, left; /* signs of x and y */
} Leg;

static const Leg legs[4] = {{"LF", 1, 1}, {"RF", 1, -1}, {"LH", -1, 1}, {"RH", -1, -1}};
static const char *const joints[3] = {"HAA", "HFE", "KFE"};

/* Position of a link in its parent, its shape and mass; y for the left side, x for the front. */
typedef struct Part {
    const char *name, *joint;
    RgVec3 hinge; /* in the parent */
    RgVec3 axis;
    double mass;
    RgVec3 com, moments;
    RgShapeType type;
    double size[3];
    RgVec3 place, rpy; /* of the shape */
} Part;

static const Part parts[] = {
    {"HIP",
     "HAA",
     {0.2629, 0.115, 0.0},
     {1, 0, 0},
     1.1064,
     {0.0542, -0.0136, 0.0},
     {1.233e-3, 0.993e-3, 1.422e-3},
     RG_SHAPE_cylinder,
     {0.04, 0.08},
     {0.0585, 0.0315, 0.0},
     {QUARTER, 0, 0}},
    {"THIGH",
     "HFE",
     {0.0585, 0.0315, 0.0},
     {0, 1, 0},
     1.51,
     {0.0008, 0.0545, -0.1975},
     {14.757e-3, 14.419e-3, 1.784e-3},
     RG_SHAPE_cylinder,
     {0.04, 0.08},
     {0.0, 0.07, -0.25},
     {QUARTER, 0, 0}},
    {"SHANK",
     "KFE",
     {0.0, 0.111, -0.25},
     {0, 1, 0},
     0.318,
     {0.01636, -0.00562, -0.06435},
     {3.769e-3, 4.004e-3, 0.418e-3},
     RG_SHAPE_cylinder,
     {0.015, 0.19},
     {0.06, -0.03, -0.18},
     {0, 0.34, 0}},
    {"FOOT",
     "ANKLE",
     {0.0, -0.016, -0.31},
     {0, 1, 0},
     0.19227,
     {0.0, 0.0, -0.02139},
     {8.31e-5, 8.29e-5, 8.19e-5},
     RG_SHAPE_sphere,
     {0.03},
     {0, 0, 0},
     {0, 0, 0}},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static RgVec3 mirrored(const Leg *leg, RgVec3 p)
{
    return vec(leg->front * p.x, leg->left * p.y, p.z);
}

static RgLinkId add_part(RgBuilder *b, const Leg *leg, const Part *part, RgLinkId parent, const RgLinkDef *like)
{
    char name[32], joint_name[32];
    snprintf(name, sizeof name, "%s_%s", leg->name, part->name);
    snprintf(joint_name, sizeof joint_name, "%s_%s", leg->name, part->joint);
    RgLinkDef link = *like;
    link.name = name;
    link.inertia = (RgInertia){.mass = part->mass,
                               .com = mirrored(leg, part->com),
                               .I = {part->moments.x, part->moments.y, part->moments.z, 0, 0, 0}};
    RgLinkId id = rg_builder_add_link(b, &link);
    RgJointDef joint = rg_joint_def_default();
    joint.name = joint_name;
    joint.group = like->group;
    joint.type = part->type == RG_SHAPE_sphere ? RG_JOINT_fixed : RG_JOINT_revolute;
    joint.parent = parent;
    joint.child = id;
    joint.axis = part->axis;
    joint.X_PJ = rg_pose_from_rpy(mirrored(leg, part->hinge), vec(0, 0, 0));
    rg_builder_add_joint(b, &joint);
    return id;
}

static void add_leg(RgBuilder *b, const Leg *leg, RgLinkId base, const RgLinkDef *like, const RgSurfaceDef *surface)
{
    RgLinkId parent = base;
    for (int i = 0; i < PARTS; i++) {
        parent = add_part(b, leg, &parts[i], parent, like);
        RgShapeDef shape = rg_shape_def_default();
        shape.type = parts[i].type;
        shape.link = parent;
        shape.surface = *surface;
        memcpy(shape.size, parts[i].size, sizeof shape.size);
        shape.X_LS =
            rg_pose_from_rpy(mirrored(leg, parts[i].place), vec(parts[i].rpy.x, leg->front * parts[i].rpy.y, 0));
        rg_builder_add_shape(b, &shape);
    }
}

void robot_add(RgBuilder *b, double z, const RgSurfaceDef *surface, bool self_collide)
{
    RgLinkDef link = rg_link_def_default();
    link.name = "base";
    link.group = "quadruped";
    link.self_collide = self_collide;
    link.X_WL = rg_pose_from_rpy(vec(0, 0, z), vec(0, 0, 0));
    link.inertia = (RgInertia){.mass = 21.44, .I = {0.2684, 0.8842, 0.8292, 0, 0, 0}};
    RgLinkId base = rg_builder_add_link(b, &link);
    RgShapeDef trunk = rg_shape_def_default();
    trunk.type = RG_SHAPE_box;
    trunk.link = base;
    trunk.surface = *surface;
    trunk.size[0] = 0.531;
    trunk.size[1] = 0.232;
    trunk.size[2] = 0.26;
    trunk.X_LS = rg_pose_from_rpy(vec(0, 0, 0.08), vec(0, 0, 0));
    rg_builder_add_shape(b, &trunk);
    for (int i = 0; i < 4; i++)
        add_leg(b, &legs[i], base, &link, surface);
}

bool robot_find(Lab *lab, const RgModel *model, PublishedRobot *out)
{
    out->base = rg_model_find_link(model, "base");
    for (int i = 0; i < ROBOT_JOINTS; i++) {
        char name[32];
        const Leg *leg = &legs[i / 3];
        snprintf(name, sizeof name, "%s_%s", leg->name, joints[i % 3]);
        RgJointId joint = rg_model_find_joint(model, name);
        if (joint.i == 0 || out->base.i == 0) {
            lab_fail(lab, "the robot has no joint %s", name);
            return false;
        }
        RgJointInfo info = rg_model_joint(model, joint);
        out->q[i] = info.q_index;
        out->v[i] = info.v_index;
        const double angles[3] = {0.03 * leg->left, 0.4 * leg->front, -0.8 * leg->front};
        out->stand[i] = angles[i % 3];
    }
    return true;
}

bool robot_start(Lab *lab, const PublishedRobot *robot, RgWorld *world, double z)
{
    RgModelInfo info = rg_model_info(rg_world_model(world));
    double *q = malloc((size_t)info.nq * sizeof *q);
    if (!q)
        return false;
    memcpy(q, rg_world_q(world), (size_t)info.nq * sizeof *q);
    for (int i = 0; i < ROBOT_JOINTS; i++)
        q[robot->q[i]] = robot->stand[i];
    bool good = rg_world_set_state(world, q, NULL) == RG_OK;
    free(q);
    RgVec3 p = rg_world_link_pose(world, robot->base).p;
    if (!good || p.z < z - 1e-9 || p.z > z + 1e-9) {
        lab_fail(lab, "the robot's start is refused");
        return false;
    }
    return true;
}
