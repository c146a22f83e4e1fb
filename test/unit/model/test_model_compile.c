/*
 * test_model_compile.c - from a description to a tree: which joints carry, which turn round, which close
 * loops, which are left out; and that each moves as its kind and its frames say.
 */
#include "check_near.h"
#include "draw.h"
#include "links.h"
#include "model/model.h"
#include "random_tree.h"
#include "scene_parts.h"

#include <stdlib.h>
#include <string.h>

/* A joint with random axes and frames. */
static RgJointDef draw_joint(Draw *d, RgJointType type, const char *name)
{
    RgJointDef def = rg_joint_def_default();
    def.type = type;
    def.name = name;
    def.axis = draw_direction(d);
    def.axis2 = draw_direction(d);
    def.pitch = draw_between(d, -0.3, 0.3);
    def.X_PJ = draw_pose(d, 0.5);
    def.X_CJ = draw_pose(d, 0.5);
    return def;
}

/* X_J(q) of each kind, from its description in the public header. */
static RgPose motion_by_hand(const RgJointDef *def, const double *q)
{
    RgVec3 a = vec_scale(1.0 / vec_norm(def->axis), def->axis), b = vec_scale(1.0 / vec_norm(def->axis2), def->axis2);
    RgPose X = place_at(0.0, 0.0, 0.0);
    if (def->type == RG_JOINT_revolute || def->type == RG_JOINT_continuous || def->type == RG_JOINT_screw ||
        def->type == RG_JOINT_cylindrical)
        X.R = mat_turn(a, q[0]);
    if (def->type == RG_JOINT_prismatic)
        X.p = vec_scale(q[0], a);
    if (def->type == RG_JOINT_screw)
        X.p = vec_scale(def->pitch * q[0], a);
    if (def->type == RG_JOINT_cylindrical)
        X.p = vec_scale(q[1], a);
    if (def->type == RG_JOINT_universal)
        X.R = mat_mul(mat_turn(a, q[0]), mat_turn(b, q[1]));
    if (def->type == RG_JOINT_planar)
        X = (RgPose){mat_turn(a, q[2]), {q[0], q[1], 0.0}};
    if (def->type == RG_JOINT_spherical || def->type == RG_JOINT_free)
        X.R = mat_of_quat(q);
    if (def->type == RG_JOINT_free)
        X.p = vec(q[4], q[5], q[6]);
    return X;
}

/* X_PC = X_PJ X_J(q) X_CJ^-1 for every kind; axes need not be unit. The plane of a planar joint is x-y of
   J where its normal is z. */
Test(model_compile, joints_move_as_described)
{
    Draw d = draw_seed(24);
    for (int i = 0; i < 10 * RG_JOINT_COUNT; i++) {
        RgJointDef def = draw_joint(&d, (RgJointType)(i % RG_JOINT_COUNT), "joint");
        def.axis = def.type == RG_JOINT_planar ? vec(0.0, 0.0, 0.3) : vec_scale(2.5, def.axis);
        RgBuilder *b = scene_begin("one joint");
        def.child = link_add(b, "child", box());
        joint_add(b, &def);
        RgModel *model = scene_end(b);
        TestState s = random_state(model, (uint64_t)i);
        RgDynamics *dynamics = rg_dynamics_create(model, NULL);
        rg_forward_kinematics(dynamics, s.q, NULL);
        RgPose expected = place_mul(place_mul(def.X_PJ, motion_by_hand(&def, s.q)), place_inverse(def.X_CJ));
        CHECK_NEAR(pose_distance(rg_link_pose(dynamics, def.child), expected), 0.0, 1e-14,
                   rg_joint_type_name(def.type));
        rg_dynamics_destroy(dynamics);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}

/* X_PC = X_PJ X_J(q) X_CJ^-1, whichever of the two links stands still: a joint that the tree runs through
   backwards keeps its q. */
Test(model_compile, a_reversed_joint_keeps_its_meaning)
{
    static const RgJointType types[4] = {RG_JOINT_revolute, RG_JOINT_continuous, RG_JOINT_prismatic, RG_JOINT_screw};
    Draw d = draw_seed(21);
    for (int i = 0; i < 40; i++) {
        RgJointDef joint = draw_joint(&d, types[i % 4], "joint");
        RgPose X_WS = draw_pose(&d, 1.0), pose[2];
        double q = draw_between(&d, -3.0, 3.0);
        for (int reversed = 0; reversed < 2; reversed++) {
            RgBuilder *b = scene_begin("either way");
            RgLinkId still = link_static(b, reversed ? "child" : "parent", X_WS);
            RgLinkId moving = link_add(b, reversed ? "parent" : "child", box());
            joint.parent = reversed ? moving : still;
            joint.child = reversed ? still : moving;
            joint_add(b, &joint);
            RgModel *model = scene_end(b);
            cr_assert(rg_model_info(model).nv == 1 && rg_model_info(model).loops == 0);
            cr_expect(model->joints[0].reversed == (reversed == 1));
            pose[reversed] = relative_pose(model, &q, "parent", "child");
            rg_model_destroy(model);
        }
        CHECK_NEAR(pose_distance(pose[0], pose[1]), 0.0, 2e-15, rg_joint_type_name(joint.type));
    }
}

/* A chain listed tip first, joints in any order, some of them written from the tip to the base: the same
   motion by joint name. */
Test(model_compile, the_order_of_a_file_does_not_matter)
{
    static const int order[2][4] = {{0, 1, 2, 3}, {3, 1, 2, 0}};
    static const char *const names[4] = {"a", "b", "c", "d"};
    RgPose tip[2];
    for (int turn = 0; turn < 2; turn++) {
        RgBuilder *b = scene_begin("order");
        Draw d = draw_seed(22);
        RgJointDef joints[4];
        for (int i = 0; i < 4; i++)
            joints[i] = draw_joint(&d, i == 1 ? RG_JOINT_screw : RG_JOINT_revolute, names[i]);
        for (int i = 0; i < 4; i++)
            link_add(b, names[turn == 0 ? i : 3 - i], box());

        /* Joint i is between link i - 1 (or the world) and link i; the first and the third are written
           backwards in the second turn. */
        for (int k = 0; k < 4; k++) {
            int i = order[turn][k];
            RgJointDef def = joints[i];
            RgLinkId before = i > 0 ? rg_builder_find_link(b, NULL, names[i - 1]) : (RgLinkId){0};
            RgLinkId after = rg_builder_find_link(b, NULL, names[i]);
            bool backwards = turn == 1 && i % 2 == 0;
            def.parent = backwards ? after : before;
            def.child = backwards ? before : after;
            def.X_PJ = backwards ? joints[i].X_CJ : joints[i].X_PJ;
            def.X_CJ = backwards ? joints[i].X_PJ : joints[i].X_CJ;
            def.axis = backwards ? vec_scale(-1.0, def.axis) : def.axis;
            joint_add(b, &def);
        }
        RgModel *model = scene_end(b);
        cr_assert(rg_model_info(model).nv == 4 && rg_model_info(model).loops == 0);
        double q[4];
        for (int i = 0; i < 4; i++)
            q[rg_model_joint(model, rg_model_find_joint(model, names[i])).q_index] = 0.3 + 0.4 * i;
        RgDynamics *dynamics = rg_dynamics_create(model, NULL);
        rg_forward_kinematics(dynamics, q, NULL);
        tip[turn] = rg_link_pose(dynamics, rg_model_find_link(model, "d"));
        rg_dynamics_destroy(dynamics);
        rg_model_destroy(model);
    }
    CHECK_NEAR(pose_distance(tip[0], tip[1]), 0.0, 5e-15, "");
}

/* A joint whose child is the world, or a static link: one-axis kinds turn round, the others close a loop
   about a floating link. */
Test(model_compile, a_joint_down_to_the_world)
{
    for (int i = 0; i < 2 * RG_JOINT_COUNT; i++) {
        RgJointType type = (RgJointType)(i / 2);
        RgBuilder *b = scene_begin("upside down");
        RgLinkId parent = link_add(b, "link", box());
        RgLinkId child = i % 2 == 0 ? (RgLinkId){0} : link_static(b, "ground", place_at(0.0, 0.0, 0.0));
        RgJointDef def = joint_at(type, "joint", parent, child, O, axis_z);
        def.may_close_loop = true;
        joint_add(b, &def);
        RgModel *model = scene_end(b);
        RgJointInfo joint = rg_model_joint(model, (RgJointId){1});
        RgLinkInfo link = rg_model_link(model, parent);
        bool turns = type == RG_JOINT_fixed || rg_joint_kind(type)->helical;
        cr_expect(joint.is_loop == !turns && link.floats == !turns, "%s", rg_joint_type_name(type));
        cr_expect(rg_model_info(model).nv == (turns ? joint.nv : 6), "%s", rg_joint_type_name(type));
        cr_expect(link.joint.i == (turns ? 1 : 0) && link.parent.i == (turns ? child.i : 0));
        cr_expect(joint.parent.i == parent.i && joint.child.i == child.i, "as described, whichever way it runs");
        rg_model_destroy(model);
    }
}

/* The same cycle is a loop where that is allowed and an error with its line where it is not. */
Test(model_compile, cycles)
{
    static const int ends[3][2] = {{3, 1}, {0, 3}, {3, 2}};
    static const char *const child[3] = {"a", "c", "b"};
    for (int i = 0; i < 6; i++) {
        RgBuilder *b = scene_begin("cycle");
        rg_builder_set_file(b, "cycle.sdf");
        RgLinkId a = link_add(b, "a", box()), two = link_add(b, "b", box()), c = link_add(b, "c", box());
        RgJointDef joints[3] = {joint_at(RG_JOINT_revolute, "j0", (RgLinkId){0}, a, O, axis_z),
                                joint_at(RG_JOINT_revolute, "j1", a, two, O, axis_z),
                                joint_at(RG_JOINT_revolute, "j2", two, c, O, axis_z)};
        for (int k = 0; k < 3; k++)
            joint_add(b, &joints[k]);
        RgJointDef closing =
            joint_at(RG_JOINT_revolute, "closing", (RgLinkId){ends[i / 2][0]}, (RgLinkId){ends[i / 2][1]}, O, axis_z);
        closing.line = 17;
        closing.may_close_loop = i % 2 == 0;
        joint_add(b, &closing);
        rg_builder_set_file(b, "later.sdf");
        RgError error = {0};
        RgModel *model = rg_builder_finish(b, &error);
        if (i % 2 == 0) {
            cr_assert(model != NULL, "%s", error.text);
            cr_expect(rg_model_info(model).loops == 1 && rg_model_info(model).nv == 3);
            cr_expect(rg_model_joint(model, (RgJointId){4}).is_loop &&
                      rg_model_joint(model, (RgJointId){4}).q_index == -1);
        } else {
            char text[200];
            snprintf(text, sizeof text,
                     "joint 'closing' closes a cycle: link '%s' has a parent joint already or is its own ancestor",
                     child[i / 2]);
            cr_expect(model == NULL && error.status == RG_ERR_MODEL && error.line == 17);
            cr_expect_str_eq(error.file, "cycle.sdf");
            cr_expect_str_eq(error.text, text);
        }
        rg_model_destroy(model);
        rg_builder_destroy(b);
    }
}

/* Two links that carry each other, and no root. */
Test(model_compile, a_ring_without_a_root)
{
    for (int i = 0; i < 2; i++) {
        RgBuilder *b = scene_begin("ring");
        RgLinkId a = link_add(b, "a", box()), c = link_add(b, "c", box());
        RgJointDef there = joint_at(RG_JOINT_revolute, "there", a, c, O, axis_z);
        RgJointDef back = joint_at(RG_JOINT_revolute, "back", c, a, O, axis_z);
        there.may_close_loop = back.may_close_loop = i == 0;
        joint_add(b, &there);
        joint_add(b, &back);
        RgError error = {0};
        RgModel *model = rg_builder_finish(b, &error);
        if (i == 0)
            cr_expect(model != NULL && rg_model_info(model).loops == 1 && rg_model_info(model).nv == 7);
        else
            cr_expect(model == NULL && strstr(error.text, "joint 'back' closes a cycle") != NULL, "%s", error.text);
        rg_model_destroy(model);
        rg_builder_destroy(b);
    }
}

/* What cannot move is left out with a remark; and neither it nor a loop joint can be coupled. */
static void count_remark(const char *file, int line, const char *text, void *context)
{
    (void)file;
    *(int *)context += line == 5 && strstr(text, "joint 'inside' connects links that are welded together") != NULL;
}

Test(model_compile, joints_inside_one_body)
{
    int remarks = 0;
    RgLog log = {count_remark, &remarks};
    RgBuilder *b = rg_builder_create(NULL, &log);
    RgLinkId a = link_add(b, "a", box()), c = link_add(b, "c", box());
    RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", a, c, O, axis_z);
    RgJointDef inside = joint_at(RG_JOINT_revolute, "inside", a, c, O, axis_z);
    inside.may_close_loop = true;
    inside.line = 5;
    joint_add(b, &weld);
    joint_add(b, &inside);
    RgModel *model = scene_end(b);
    RgJointInfo info = rg_model_joint(model, (RgJointId){2});
    cr_expect(remarks == 1 && !info.is_loop && info.q_index == -1 && rg_model_info(model).loops == 0);
    rg_model_destroy(model);
}

Test(model_compile, couplings_of_joints_that_do_not_carry)
{
    static const char *const names[2] = {"inside", "loop"};
    for (int i = 0; i < 4; i++) {
        RgBuilder *b = scene_begin("couplings");
        rg_builder_set_file(b, "first.sdf");
        RgLinkId a = link_add(b, "a", box()), c = link_add(b, "c", box());
        RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, a, O, axis_z);
        RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", a, c, O, axis_z);
        RgJointDef extra = joint_at(RG_JOINT_revolute, names[i % 2], i % 2 == 0 ? a : (RgLinkId){0}, c, O, axis_z);
        extra.may_close_loop = true;
        RgJointId one = joint_add(b, &hinge);
        joint_add(b, &weld);
        RgJointId two = joint_add(b, &extra);
        RgCouplingDef def = rg_coupling_def_default();
        def.name = "pair";
        def.line = 31;
        def.joint = i < 2 ? one : two;
        def.reference = i < 2 ? two : one;
        cr_assert(rg_builder_add_coupling(b, &def));
        rg_builder_set_file(b, "second.sdf");
        RgError error = {0};
        char text[200];
        snprintf(text, sizeof text, "coupling 'pair': joint '%s' carries no link and cannot be coupled", names[i % 2]);
        cr_expect(rg_builder_finish(b, &error) == NULL && error.status == RG_ERR_MODEL && error.line == 31);
        cr_expect_str_eq(error.file, "first.sdf");
        cr_expect_str_eq(error.text, text);
        rg_builder_destroy(b);
    }
}
