/* test_urdf_text.c - the URDF of a model, read again, has the same links at the same places with the same inertia. */
#include "record/message.h"
#include "scene_parts.h"
#include "worlds.h"

#include "scenes.h"

#include <rigor/rigor.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static RgWorld *make_world(const RgModel *model)
{
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.contact = false;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    return world;
}

/* The model as a recording describes it, read again. */
static RgModel *described(RgModel *model, RgWorld *world)
{
    RgError error = {0};
    RgMessagesDef def = rg_messages_def_default();
    def.model = model;
    RgMessages *messages = rg_messages_create(&def, &error);
    cr_assert_not_null(messages, "%s", error.text);
    RgBuffer text = {.data = NULL};
    rg_urdf_write(messages, world, &text);
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgReadOptions options = rg_read_options_default();
    RgStatus status = rg_read_memory(builder, "described.urdf", text.data, text.size, &options, &error);
    cr_assert_eq(status, RG_OK, "line %d: %s\n%.*s", error.line, error.text, (int)text.size, (const char *)text.data);
    RgModel *again = rg_builder_finish(builder, &error);
    cr_assert_not_null(again, "%s", error.text);
    rg_builder_destroy(builder);
    rg_buffer_free(&text);
    rg_messages_destroy(messages);
    return again;
}

static double apart(const RgPose *a, const RgPose *b)
{
    double most = fmax(fabs(a->p.x - b->p.x), fmax(fabs(a->p.y - b->p.y), fabs(a->p.z - b->p.z)));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(a->R.m[i][k] - b->R.m[i][k]));
    return most;
}

/* As many visual shapes of each colour (a capsule is three) as there were. */
static void compare_colours(const RgModel *model, const RgModel *again)
{
    const RgModel *const models[2] = {model, again};
    double sums[2] = {0.0, 0.0};
    for (int m = 0; m < 2; m++) {
        for (int i = 1; i <= rg_model_info(models[m]).shapes; i++) {
            RgShapeInfo shape = rg_model_shape(models[m], (RgShapeId){i});
            if (!isnan(shape.colour[0]))
                sums[m] += shape.colour[0] + 10.0 * shape.colour[1] + 100.0 * shape.colour[2] + 1e3 * shape.colour[3];
        }
    }
    cr_expect_eq(sums[0], sums[1]);
}

/* Joints that a URDF knows move their links as they did; poses are compared at drawn joint positions. */
static void compare(RgModel *model, const char *name, bool turned)
{
    RgWorld *world = make_world(model);
    RgModel *again = described(model, world);
    RgWorld *other = make_world(again);
    int joints = rg_model_info(model).joints;
    for (int i = 1; i <= joints && turned; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        RgJointId twin = rg_model_find_joint(again, joint.name);
        double q = 0.2 + 0.05 * (i % 5);
        if (joint.nv != 1 || joint.is_loop)
            continue;
        cr_assert_gt(twin.i, 0, "%s: joint %s", name, joint.name);
        cr_assert_eq(rg_world_set_joint_position(world, (RgJointId){i}, &q), RG_OK);
        cr_assert_eq(rg_world_set_joint_position(other, twin, &q), RG_OK);
    }
    int links = rg_model_info(model).links;
    for (int i = 1; i <= links; i++) {
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i});
        RgLinkId twin = rg_model_find_link(again, link.name);
        cr_assert_gt(twin.i, 0, "%s: link %s", name, link.name);
        RgPose X = rg_world_link_pose(world, (RgLinkId){i}), Y = rg_world_link_pose(other, twin);
        cr_expect_lt(apart(&X, &Y), 1e-9, "%s: %s is %g off", name, link.name, apart(&X, &Y));
        RgInertia inertia = rg_model_link(again, twin).inertia;
        cr_expect_float_eq(inertia.mass, link.inertia.mass, 1e-12);
        cr_expect_float_eq(inertia.I.xy, link.inertia.I.xy, 1e-12);
        cr_expect_float_eq(inertia.com.z, link.inertia.com.z, 1e-12);
    }
    compare_colours(model, again);
    world_end(other, again);
    world_end(world, model);
}

Test(urdf_text, scenes_are_read_again)
{
    compare(scene_arm(), "arm", true);
    compare(scene_quadruped(), "quadruped", true);
    compare(scene_humanoid(), "humanoid", true);
    compare(scene_chain(7), "chain", true);
    compare(scene_stewart(), "stewart", false);
    compare(scene_all_joints(), "all joints", false);
}

/* Joint frames away from the child's origin, shapes of every kind, names with letters that XML minds. */
Test(urdf_text, odd_frames_and_names)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "a <\"b\"> & c";
    link.inertia = (RgInertia){.mass = 1.0, .com = {0.1, 0.2, 0.3}, .I = {.xx = 2.0, .yy = 2.0, .zz = 3.0, .xy = 0.1}};
    link.X_WL = rg_pose_from_rpy((RgVec3){1.0, 2.0, 3.0}, (RgVec3){0.3, -1.2, 2.0});
    RgJointDef joint = rg_joint_def_default();
    joint.name = "it's a joint";
    joint.type = RG_JOINT_revolute;
    joint.parent = rg_builder_add_link(builder, &link);
    link.name = "child";
    joint.child = rg_builder_add_link(builder, &link);
    joint.axis = (RgVec3){0.6, 0.0, 0.8};
    joint.X_PJ = rg_pose_from_rpy((RgVec3){0.5, 0.0, 0.1}, (RgVec3){0.0, 1.5707963267948966, 0.4});
    joint.X_CJ = rg_pose_from_rpy((RgVec3){-0.2, 0.3, 0.0}, (RgVec3){1.0, 0.2, -0.3});
    rg_builder_add_joint(builder, &joint);
    const RgShapeType types[] = {RG_SHAPE_sphere, RG_SHAPE_box, RG_SHAPE_capsule, RG_SHAPE_cylinder};
    for (int i = 0; i < 4; i++) {
        RgShapeDef shape = rg_shape_def_default();
        shape.type = types[i];
        shape.link = joint.child;
        shape.size[0] = shape.size[1] = shape.size[2] = 0.2;
        shape.is_visual = i % 2 == 0;
        if (i == 0)
            memcpy(shape.colour, (const double[]){0.25, 0.5, 1.0, 0.75}, sizeof shape.colour);
        rg_builder_add_shape(builder, &shape);
    }
    RgModel *model = scene_end(builder);
    compare(model, "odd", true);
}
