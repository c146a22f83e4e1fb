/*
 * scene_robots.c - three robots as tables of links, and a mechanism of all joint kinds.
 *
 * A row is a link: its parent, where its joint lies on the parent, the joint's axis, mass, centre of mass and
 * the box whose inertia
 * it has. Frames are parallel to the world's at q = 0.
 */
#include "scenes.h"

#include <stdio.h>
#include <string.h>

typedef struct LinkRow {
    const char *name;
    int parent; /* row, -1: world */
    RgVec3 at, axis;
    double mass;
    RgVec3 com, size;
} LinkRow;

#define X_AXIS                                                                                                         \
    {                                                                                                                  \
        1.0, 0.0, 0.0                                                                                                  \
    }
#define Y_AXIS                                                                                                         \
    {                                                                                                                  \
        0.0, 1.0, 0.0                                                                                                  \
    }
#define Z_AXIS                                                                                                         \
    {                                                                                                                  \
        0.0, 0.0, 1.0                                                                                                  \
    }
#define NO_AXIS                                                                                                        \
    {                                                                                                                  \
        0.0, 0.0, 0.0                                                                                                  \
    }

/* A row with parent -1 and no axis floats. */
static RgModel *build_rows(const char *name, const LinkRow *rows, int count)
{
    RgBuilder *b = scene_begin(name);
    RgLinkId ids[64];
    for (int i = 0; i < count; i++) {
        const LinkRow *row = &rows[i];
        RgPose X_WL = place_at(row->at.x, row->at.y, row->at.z);
        ids[i] = link_add_at(b, row->name, inertia_box(row->mass, row->com, row->size), X_WL);
        if (vec_norm(row->axis) == 0.0)
            continue;
        char joint[64];
        snprintf(joint, sizeof joint, "%s_joint", row->name);
        RgLinkId parent = row->parent < 0 ? (RgLinkId){0} : ids[row->parent];
        RgJointDef def = joint_at(RG_JOINT_revolute, joint, parent, ids[i], row->at, row->axis);
        joint_add(b, &def);
    }
    return scene_end(b);
}

/* Reach 1.3 m, 29 kg: about the size of a UR10. */
static const LinkRow arm_rows[] = {
    {"shoulder", -1, {0.0, 0.0, 0.13}, Z_AXIS, 7.8, {0.0, 0.02, 0.0}, {0.15, 0.15, 0.18}},
    {"upper_arm", 0, {0.0, 0.22, 0.0}, Y_AXIS, 12.9, {0.31, 0.0, 0.0}, {0.61, 0.12, 0.12}},
    {"forearm", 1, {0.61, -0.17, 0.0}, Y_AXIS, 3.9, {0.29, 0.0, 0.0}, {0.57, 0.10, 0.10}},
    {"wrist1", 2, {0.57, 0.0, 0.0}, Y_AXIS, 2.0, {0.0, 0.05, 0.0}, {0.10, 0.12, 0.10}},
    {"wrist2", 3, {0.0, 0.115, 0.0}, Z_AXIS, 2.0, {0.0, 0.0, -0.05}, {0.10, 0.10, 0.12}},
    {"wrist3", 4, {0.0, 0.0, -0.115}, Y_AXIS, 0.4, {0.0, 0.05, 0.0}, {0.07, 0.06, 0.07}},
};

RgModel *scene_arm(void)
{
    return build_rows("arm", arm_rows, (int)(sizeof arm_rows / sizeof arm_rows[0]));
}

#define LEG(side, sx, sy, root)                                                                                        \
    {side "_hip", 0, {sx * 0.115, sy * 0.05, 0.0}, {sx, 0.0, 0.0}, 0.1, {sx * 0.02, 0.0, 0.0}, {0.05, 0.03, 0.03}},    \
        {side "_thigh",        root, {sx * 0.04, 0.0, 0.0}, {0.0, sy, 0.0}, 0.1, {sx * 0.0385, 0.0, 0.0},              \
         {0.077, 0.025, 0.025}},                                                                                       \
    {                                                                                                                  \
        side "_shank", root + 1, {sx * 0.077, 0.0, 0.0}, {0.0, sy, 0.0}, 0.1, {sx * 0.0645, 0.0, 0.0},                 \
        {                                                                                                              \
            0.129, 0.02, 0.02                                                                                          \
        }                                                                                                              \
    }

/* A body of 3.6 kg on four legs of three hinges. */
static const LinkRow quadruped_rows[] = {
    {"trunk", -1, {0.0, 0.0, 0.185}, NO_AXIS, 3.6, {0.0, 0.0, 0.0}, {0.15, 0.08, 0.05}},
    LEG("lf", 1.0, 1.0, 1),
    LEG("rf", 1.0, -1.0, 4),
    LEG("lh", -1.0, 1.0, 7),
    LEG("rh", -1.0, -1.0, 10),
};

RgModel *scene_quadruped(void)
{
    return build_rows("quadruped", quadruped_rows, (int)(sizeof quadruped_rows / sizeof quadruped_rows[0]));
}

/* Hip of three hinges, knee, ankle of two. */
#define HUMAN_LEG(side, sy, root)                                                                                      \
    {side "_hip_z", 0, {0.0, sy * 0.09, -0.05}, Z_AXIS, 0.7, {0.0, 0.0, 0.0}, {0.08, 0.08, 0.08}},                     \
        {side "_hip_x", root, {0.0, 0.0, 0.0}, X_AXIS, 0.9, {0.0, 0.0, -0.02}, {0.09, 0.09, 0.09}},                    \
        {side "_thigh", root + 1, {0.05, 0.02 * sy, -0.05}, Y_AXIS, 7.3, {0.0, 0.0, -0.2}, {0.14, 0.14, 0.4}},         \
        {side "_shin", root + 2, {-0.05, 0.0, -0.37}, Y_AXIS, 5.2, {0.0, 0.0, -0.19}, {0.1, 0.1, 0.4}},                \
        {side "_talus", root + 3, {0.0, 0.0, -0.42}, Y_AXIS, 0.5, {0.0, 0.0, 0.0}, {0.06, 0.06, 0.06}},                \
    {                                                                                                                  \
        side "_foot", root + 4, {0.0, 0.0, 0.0}, X_AXIS, 2.1, {0.03, 0.0, -0.06},                                      \
        {                                                                                                              \
            0.26, 0.12, 0.05                                                                                           \
        }                                                                                                              \
    }

/* Shoulder of three hinges, elbow, wrist of three. */
#define HUMAN_ARM(side, sy, root)                                                                                      \
    {side "_shoulder_z", 3, {0.06, sy * 0.13, 0.3}, Z_AXIS, 3.4, {0.0, 0.09 * sy, 0.0}, {0.1, 0.18, 0.1}},             \
        {side "_shoulder_x", root, {0.0, sy * 0.2, 0.0}, X_AXIS, 3.0, {0.0, 0.06 * sy, 0.0}, {0.1, 0.14, 0.1}},        \
        {side "_upper_arm", root + 1, {0.0, sy * 0.12, 0.0}, Y_AXIS, 3.2, {0.0, 0.07 * sy, 0.0}, {0.09, 0.22, 0.09}},  \
        {side "_elbow", root + 2, {0.0, sy * 0.19, 0.01}, X_AXIS, 2.2, {0.0, 0.05 * sy, 0.0}, {0.09, 0.12, 0.09}},     \
        {side "_forearm", root + 3, {0.0, sy * 0.12, 0.0}, Y_AXIS, 2.2, {0.0, 0.06 * sy, 0.0}, {0.08, 0.18, 0.08}},    \
        {side "_wrist", root + 4, {0.0, sy * 0.19, 0.0}, X_AXIS, 0.8, {0.0, 0.02 * sy, 0.0}, {0.06, 0.08, 0.06}},      \
    {                                                                                                                  \
        side "_hand", root + 5, {0.0, sy * 0.06, 0.0}, Y_AXIS, 0.6, {0.0, 0.06 * sy, 0.0},                             \
        {                                                                                                              \
            0.03, 0.16, 0.09                                                                                           \
        }                                                                                                              \
    }

/* 1.8 m, about 85 kg, built like Atlas: back of three hinges, neck, two arms of seven, two legs of six. */
static const LinkRow humanoid_rows[] = {
    {"pelvis", -1, {0.0, 0.0, 0.95}, NO_AXIS, 9.5, {0.0, 0.0, 0.03}, {0.2, 0.25, 0.16}},
    {"lower_torso", 0, {-0.01, 0.0, 0.05}, Z_AXIS, 2.3, {0.0, 0.0, 0.05}, {0.16, 0.16, 0.1}},
    {"mid_torso", 1, {0.0, 0.0, 0.16}, Y_AXIS, 0.8, {0.0, 0.0, 0.02}, {0.1, 0.1, 0.06}},
    {"upper_torso", 2, {0.0, 0.0, 0.05}, X_AXIS, 21.0, {-0.05, 0.0, 0.21}, {0.3, 0.4, 0.45}},
    {"head", 3, {0.15, 0.0, 0.55}, Y_AXIS, 1.4, {0.0, 0.0, 0.05}, {0.18, 0.18, 0.2}},
    HUMAN_ARM("l", 1.0, 5),
    HUMAN_ARM("r", -1.0, 12),
    HUMAN_LEG("l", 1.0, 19),
    HUMAN_LEG("r", -1.0, 25),
};

RgModel *scene_humanoid(void)
{
    return build_rows("humanoid", humanoid_rows, (int)(sizeof humanoid_rows / sizeof humanoid_rows[0]));
}

/* ------------------------------------------------------------------ biped */

static void add_box(RgBuilder *b, RgLinkId link, RgVec3 middle, RgVec3 size)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_box;
    shape.link = link;
    shape.X_LS = rg_pose_identity();
    shape.X_LS.p = middle;
    shape.size[0] = size.x;
    shape.size[1] = size.y;
    shape.size[2] = size.z;
    rg_builder_add_shape(b, &shape);
}

static void add_leg(RgBuilder *b, RgLinkId trunk, const char *side, double y)
{
    static const struct {
        const char *link, *joint;
        double x, z, mass, turn_x;
    } parts[5] = {{"hip", "hip_roll", 0.0, -0.02, 1.0, 1.0},
                  {"thigh", "hip_pitch", 0.0, 0.0, 3.0, 0.0},
                  {"shank", "knee", 0.0, -0.3, 2.0, 0.0},
                  {"ankle", "ankle_pitch", 0.0, -0.3, 0.5, 0.0},
                  {"foot", "ankle_roll", 0.0, 0.0, 1.0, 1.0}};
    RgLinkId parent = trunk;
    for (int i = 0; i < 5; i++) {
        char link[32], joint[32];
        snprintf(link, sizeof link, "%s_%s", side, parts[i].link);
        snprintf(joint, sizeof joint, "%s_%s", side, parts[i].joint);
        RgVec3 com = {i == 4 ? 0.03 : 0.0, 0.0, i == 1 || i == 2 ? -0.15 : 0.0};
        RgLinkId child = link_add(b, link, inertia_box(parts[i].mass, com, vec(0.1, 0.1, 0.2)));
        RgJointDef def =
            joint_at(RG_JOINT_revolute, joint, parent, child, vec(parts[i].x, i == 0 ? y : 0.0, parts[i].z),
                     vec(parts[i].turn_x, 1.0 - parts[i].turn_x, 0.0));
        def.dof[0].effort_limit = 150.0;
        joint_add(b, &def);
        if (i == 4)
            add_box(b, child, vec(0.03, 0.0, -0.04), vec(0.2, 0.1, 0.04));
        parent = child;
    }
}

RgModel *scene_biped(void)
{
    RgBuilder *b = scene_begin("biped");
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &floor);
    RgPose X = rg_pose_identity();
    X.p.z = BIPED_HEIGHT;
    RgLinkId trunk = link_add_at(b, "trunk", inertia_box(20.0, vec(0.0, 0.0, 0.25), vec(0.2, 0.3, 0.5)), X);
    add_leg(b, trunk, "left", 0.1);
    add_leg(b, trunk, "right", -0.1);
    return scene_end(b);
}

void biped_stand(RgWorld *world)
{
    static const char *const names[] = {"left_hip_pitch",  "left_knee",  "left_ankle_pitch",
                                        "right_hip_pitch", "right_knee", "right_ankle_pitch"};
    const RgModel *model = rg_world_model(world);
    for (int i = 0; i < 6; i++) {
        double position = i % 3 == 1 ? 0.8 : -0.4;
        rg_world_set_joint_position(world, rg_model_find_joint(model, names[i]), &position);
    }
}

/* ------------------------------------------------------------------ all joint kinds */

/* Spring, damper and rotor that keep every axis near its start; three equal springs where an axis is an
   angle of a ball. */
static void dress_axes(RgJointDef *def, int nv)
{
    bool ball = def->type == RG_JOINT_spherical || def->type == RG_JOINT_free;
    for (int i = 0; i < nv; i++) {
        RgAxisDef *axis = &def->dof[i];
        axis->stiffness = ball ? 40.0 : 30.0 + 10.0 * i;
        axis->rest = ball ? 0.0 : 0.125;
        axis->damping = 0.25;
        axis->rotor_inertia = 1e-4;
        axis->gear_ratio = 10.0;
    }
}

RgModel *scene_all_joints(void)
{
#define KIND_SIZE(kind, nq, nv) nv,
    static const int nv[RG_JOINT_COUNT] = {RG_JOINT_LIST(KIND_SIZE)};
#undef KIND_SIZE
    RgBuilder *b = scene_begin("all joints");
    RgLinkId ids[RG_JOINT_COUNT + 1] = {{0}};
    RgJointId joints[RG_JOINT_COUNT];

    /* Two arms: every joint's parent is the link before the last, axes askew. */
    for (int i = 0; i < RG_JOINT_COUNT; i++) {
        char link[32], joint[32];
        snprintf(link, sizeof link, "link_%s", rg_joint_type_name((RgJointType)i));
        snprintf(joint, sizeof joint, "joint_%s", rg_joint_type_name((RgJointType)i));
        RgVec3 com = {0.05, 0.02 * (double)(i % 3), -0.1};
        ids[i + 1] = link_add(b, link, inertia_box(1.0 + 0.25 * i, com, vec(0.1, 0.2, 0.3)));
        RgLinkId parent = ids[i > 0 ? i - 1 : 0];
        RgJointDef def = joint_at((RgJointType)i, joint, parent, ids[i + 1], vec(0.2, 0.05, -0.15),
                                  vec(1.0, 0.5 * (double)(i % 4), 0.25));
        def.axis2 = vec(-0.25, 0.125, 1.0);
        def.pitch = 0.125;
        def.X_CJ = place_at(0.0, 0.0, 0.0625);
        dress_axes(&def, nv[i]);
        joints[i] = joint_add(b, &def);
    }

    /* The screw follows the hinge, the slider goes against the other hinge. */
    RgCouplingDef gear = rg_coupling_def_default();
    gear.name = "gear";
    gear.joint = joints[RG_JOINT_screw];
    gear.reference = joints[RG_JOINT_revolute];
    gear.ratio = 2.0;
    rg_builder_add_coupling(b, &gear);
    gear.name = "rack";
    gear.joint = joints[RG_JOINT_prismatic];
    gear.reference = joints[RG_JOINT_continuous];
    gear.ratio = -0.125;
    rg_builder_add_coupling(b, &gear);
    return scene_end(b);
}
