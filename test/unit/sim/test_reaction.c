/*
 * test_reaction.c - cutting a mechanism free: the wrench that a joint is said to carry, put on by hand
 * instead of the joint.
 *
 *   loop joints       the tree without them, under their wrenches, has the accelerations of the closed
 *                     mechanism
 *   reversed joints   the child feels the opposite of what the same joint, written the other way, gives to
 *                     its child
 *   welds             the same wrench whichever of the two links is called the child, with its sign
 */
#include "check_near.h"
#include "identities.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

static const RgVec3 O = {0.0, 0.0, 0.0};

static RgForce moved(RgForce f, RgVec3 from, RgVec3 to)
{
    return (RgForce){vec_add(f.n, vec_cross(vec_sub(from, to), f.f)), f.f};
}

static RgForce opposite(RgForce f)
{
    return (RgForce){vec_scale(-1.0, f.n), vec_scale(-1.0, f.f)};
}

static void check_wrench(RgForce actual, RgForce expected, double tolerance, const char *what)
{
    const double a[6] = {actual.n.x, actual.n.y, actual.n.z, actual.f.x, actual.f.y, actual.f.z};
    const double e[6] = {expected.n.x, expected.n.y, expected.n.z, expected.f.x, expected.f.y, expected.f.z};
    CHECK_NEAR_ALL(a, e, 6, tolerance, what);
}

/* Takes what every loop joint of the closed world carries, as wrenches on links. */
static void gather_loops(RgWorld *closed, RgForce *wrenches)
{
    const RgModel *model = rg_world_model(closed);
    for (int j = 1; j <= rg_model_info(model).joints; j++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){j});
        if (!joint.is_loop)
            continue;
        RgForce f;
        cr_assert(rg_world_joint_reaction(closed, (RgJointId){j}, &f) == RG_OK);
        RgPose X_child = rg_world_link_pose(closed, joint.child), X_parent = rg_world_link_pose(closed, joint.parent);
        RgVec3 origin = place_point(X_child, joint.X_CJ.p);
        const RgPose X[2] = {X_child, X_parent};
        const RgLinkId link[2] = {joint.child, joint.parent};
        for (int end = 0; end < 2; end++) {
            if (link[end].i == 0)
                continue;
            RgForce at_link = moved(end == 0 ? f : opposite(f), origin, X[end].p), *sum = &wrenches[link[end].i - 1];
            *sum = (RgForce){vec_add(sum->n, at_link.n), vec_add(sum->f, at_link.f)};
        }
    }
}

/* The joints that both have carry the same. */
static void check_tree_joints(RgWorld *closed, RgWorld *open)
{
    const RgModel *model = rg_world_model(open);
    for (int j = 1; j <= rg_model_info(model).joints; j++) {
        RgForce f, g;
        cr_assert(rg_world_joint_reaction(closed, (RgJointId){j}, &f) == RG_OK);
        cr_assert(rg_world_joint_reaction(open, (RgJointId){j}, &g) == RG_OK);
        check_wrench(g, f, 1e-9 * (10.0 + vec_norm(f.f) + vec_norm(f.n)), rg_model_joint(model, (RgJointId){j}).name);
    }
}

/* Closed and cut open, at the same moving state, under the same efforts. */
static double cut_error(RgWorld *closed, RgWorld *open)
{
    RgModelInfo info = rg_model_info(rg_world_model(open));
    RgForce *wrenches = calloc((size_t)info.links + 1, sizeof *wrenches);
    double *a = calloc(2 * (size_t)info.nv + 2, sizeof *a), *b = a + info.nv + 1;
    cr_assert(rg_world_set_state(open, rg_world_q(closed), rg_world_v(closed)) == RG_OK);
    gather_loops(closed, wrenches);
    for (int l = 1; l <= info.links; l++)
        cr_assert(rg_world_set_link_wrench(open, (RgLinkId){l}, wrenches[l - 1]) == RG_OK);
    cr_assert(rg_world_acceleration(closed, a) == RG_OK && rg_world_acceleration(open, b) == RG_OK);

    /* Against the size of accelerations in free fall: some of these mechanisms cannot move at all. */
    double error = 0.0, scale = 10.0 + check_largest(a, (size_t)info.nv);
    for (int k = 0; k < info.nv; k++)
        error = fmax(error, check_error(b[k], a[k]) / scale);
    check_tree_joints(closed, open);
    free(wrenches);
    free(a);
    return error;
}

/* Random trees with loop joints of every kind, sprung and damped; moving, in both forms. */
Test(reaction, loop_joints_can_be_cut_and_replaced_by_their_wrenches)
{
    int loops = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        RandomTree options = {.seed = seed, .links = 4 + (int)(seed % 5), .loops = 1 + (int)(seed % 3)};
        RgModel *with = random_tree(&options);
        options.loops = 0;
        RgModel *without = random_tree(&options);

        /* A joint that reaches for a floating root carries it: then there is no tree to compare with. */
        bool same_tree = rg_model_info(with).nv == rg_model_info(without).nv;
        loops += same_tree ? rg_model_info(with).loops : 0;
        for (int i = 0; i < 2 && same_tree; i++) {
            RgWorld *closed = world_of(with, both_forms[i], "rk4"), *open = world_of(without, both_forms[i], "rk4");
            world_run(closed, 20, 2e-3);
            double error = cut_error(closed, open);
            cr_expect(error < 1e-10, "tree %u, %s: error %.3g", (unsigned)seed, both_forms[i], error);
            rg_world_destroy(closed);
            rg_world_destroy(open);
        }
        rg_model_destroy(with);
        rg_model_destroy(without);
    }
    cr_expect(loops > 50, "only %d loops", loops);
}

/* Couplings have rows of their own after those of the loops: gears that have nothing to do with a linkage
   do not change what its pin carries. */
Test(reaction, loop_joints_beside_couplings)
{
    RgForce pin[2];
    for (int geared = 0; geared < 2; geared++) {
        RgBuilder *b = scene_begin("linkage");
        RgVec3 y = {0.0, 1.0, 0.0}, AB = {0.3, 0.0, 0.4}, BC = {1.2, 0.0, 0.5}, DC = {0.0, 0.0, 0.9};
        RgLinkId world = {0}, crank = link_add(b, "crank", inertia_rod(0.5, O, AB, 0.02));
        RgLinkId coupler = link_add(b, "coupler", inertia_rod(1.3, O, BC, 0.02));
        RgLinkId rocker = link_add(b, "rocker", inertia_rod(0.9, O, DC, 0.02));
        RgJointDef joints[4] = {joint_at(RG_JOINT_revolute, "a", world, crank, O, y),
                                joint_at(RG_JOINT_revolute, "b", crank, coupler, AB, y),
                                joint_at(RG_JOINT_revolute, "c", world, rocker, vec(1.5, 0.0, 0.0), y),
                                joint_at(RG_JOINT_revolute, "pin", coupler, rocker, BC, y)};
        joints[3].X_CJ = place_at(DC.x, DC.y, DC.z);
        joints[3].may_close_loop = true;
        for (int i = 0; i < 4; i++)
            joint_add(b, &joints[i]);
        RgCouplingDef gear = rg_coupling_def_default();
        for (int i = 0; i < 2; i++) {
            RgLinkId wheel = link_add(b, i == 0 ? "one" : "two", inertia_rod(1.0, O, AB, 0.02));
            RgJointDef axle = joint_at(RG_JOINT_revolute, i == 0 ? "axle" : "other", world, wheel, O, y);
            gear.reference = gear.joint;
            gear.joint = joint_add(b, &axle);
        }
        gear.ratio = -3.0;
        cr_assert(!geared || rg_builder_add_coupling(b, &gear));
        RgModel *model = scene_end(b);
        RgWorld *w = world_of(model, "minimal", "rk4");
        cr_assert(rg_world_joint_reaction(w, (RgJointId){4}, &pin[geared]) == RG_OK);
        world_end(w, model);
    }
    check_wrench(pin[1], pin[0], 1e-11, "N or N m");
    cr_expect(vec_norm(pin[0].f) > 1.0);
}

/* A pendulum whose hinge is written from the world to the link, or from the link to the world. */
static RgModel *pendulum(RgJointType type, bool reversed)
{
    RgBuilder *b = scene_begin("pendulum");
    RgInertia skew = {1.7, {0.1, 0.2, -0.6}, {0.08, 0.09, 0.07, 0.01, -0.02, 0.015}};
    RgLinkId link = link_add(b, "link", skew), world = {0};
    RgJointDef def = joint_at(type, "joint", reversed ? link : world, reversed ? world : link, O, vec(0.0, 1.0, 0.0));
    RgPose up = {mat_turn(vec(0.6, 0.0, 0.8), 0.4), {0.3, -0.2, 1.0}},
           down = {mat_turn(vec(0.0, 0.6, 0.8), -0.7), {0.1, 0.0, 0.2}};
    def.X_PJ = reversed ? down : up;
    def.X_CJ = reversed ? up : down;
    def.pitch = 0.1;
    def.dof[0].stiffness = 3.0;
    def.dof[0].damping = 0.4;
    joint_add(b, &def);
    return scene_end(b);
}

/* The hinge axis turns round with the order: q of the one is -q of the other. Moment and force are about
   the joint's frame on the child, which is the link the one time and the world the other. */
Test(reaction, a_reversed_joint_gives_the_opposite)
{
    static const RgJointType types[3] = {RG_JOINT_revolute, RG_JOINT_prismatic, RG_JOINT_screw};
    for (int i = 0; i < 6; i++) {
        RgModel *forward = pendulum(types[i / 2], false), *reversed = pendulum(types[i / 2], true);
        RgWorld *one = world_of(forward, both_forms[i % 2], "rk4"), *two = world_of(reversed, both_forms[i % 2], "rk4");
        const double q = 0.7, v = -1.3, tau = 0.9, minus[3] = {-q, -v, -tau};
        RgForce f, g;
        rg_world_set_state(one, &q, &v);
        rg_world_set_state(two, &minus[0], &minus[1]);
        rg_world_set_joint_effort(one, (RgJointId){1}, &tau);
        rg_world_set_joint_effort(two, (RgJointId){1}, &minus[2]);
        RgPose X = rg_world_link_pose(one, (RgLinkId){1}), Y = rg_world_link_pose(two, (RgLinkId){1});
        CHECK_NEAR(fmax(mat_distance(X.R, Y.R), vec_distance(X.p, Y.p)), 0.0, 1e-14, "the same place");
        cr_assert(rg_world_joint_reaction(one, (RgJointId){1}, &f) == RG_OK);
        cr_assert(rg_world_joint_reaction(two, (RgJointId){1}, &g) == RG_OK);
        RgVec3 on_link = place_point(X, rg_model_joint(forward, (RgJointId){1}).X_CJ.p);
        RgVec3 on_world = rg_model_joint(reversed, (RgJointId){1}).X_CJ.p;
        check_wrench(g, opposite(moved(f, on_link, on_world)), 1e-12, "N or N m");
        cr_expect(vec_norm(f.f) > 1.0);
        rg_world_destroy(one);
        world_end(two, forward);
        rg_model_destroy(reversed);
    }
}

/* A post welded to the world, an arm hinged to it, a tool welded to the arm by a joint of either order. */
static RgModel *tool_arm(bool reversed)
{
    RgBuilder *b = scene_begin("tool");
    RgInertia box = inertia_box(2.0, vec(0.1, 0.2, 0.3), vec(0.1, 0.2, 0.3));
    RgLinkId post = link_add(b, "post", box), arm = link_add(b, "arm", box), tool = link_add(b, "tool", box);
    RgJointDef foot = joint_at(RG_JOINT_fixed, "foot", (RgLinkId){0}, post, vec(1.0, 2.0, 0.0), vec(0.0, 0.0, 1.0));
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", post, arm, vec(0.0, 0.0, 1.0), vec(0.0, 1.0, 0.0));
    RgJointDef grip =
        joint_at(RG_JOINT_fixed, "grip", reversed ? tool : arm, reversed ? arm : tool, O, vec(0.0, 0.0, 1.0));
    RgPose at = {mat_turn(vec(0.6, 0.0, 0.8), 0.4), {0.3, -0.2, 0.5}};
    *(reversed ? &grip.X_CJ : &grip.X_PJ) = at;
    joint_add(b, &foot);
    joint_add(b, &hinge);
    joint_add(b, &grip);
    return scene_end(b);
}

Test(reaction, welds_of_either_order_and_to_the_world)
{
    RgModel *models[2] = {tool_arm(false), tool_arm(true)};
    for (int i = 0; i < 2; i++) {
        RgForce grip[2], foot, hinge;
        for (int k = 0; k < 2; k++) {
            RgWorld *world = world_of(models[k], both_forms[i], "rk4");
            const double q = 0.4, v = 2.0;
            rg_world_set_state(world, &q, &v);
            cr_assert(rg_world_joint_reaction(world, rg_model_find_joint(models[k], "grip"), &grip[k]) == RG_OK);
            cr_assert(rg_world_joint_reaction(world, rg_model_find_joint(models[k], "foot"), &foot) == RG_OK);
            cr_assert(rg_world_joint_reaction(world, rg_model_find_joint(models[k], "hinge"), &hinge) == RG_OK);

            /* The foot carries the post's own weight and what the hinge hands down to it. */
            RgVec3 weight = {0.0, 0.0, 2.0 * 9.81}, com = {1.1, 2.2, 0.3};
            RgForce down = moved(hinge, vec(1.0, 2.0, 1.0), vec(1.0, 2.0, 0.0));
            RgForce own = moved((RgForce){O, weight}, com, vec(1.0, 2.0, 0.0));
            check_wrench(foot, (RgForce){vec_add(down.n, own.n), vec_add(down.f, own.f)}, 1e-12, "N or N m");
            rg_world_destroy(world);
        }

        /* Both are about the same point, the tool's origin; the child is the tool the one time and the arm
           the other. */
        check_wrench(grip[1], opposite(grip[0]), 1e-12, "N or N m");
        cr_expect(vec_norm(grip[0].f) > 1.0);
    }
    rg_model_destroy(models[0]);
    rg_model_destroy(models[1]);
}

/* A joint between links that are welded anyway carries nothing that could be told; unknown ones are not
   found. */
Test(reaction, joints_without_an_answer)
{
    RgBuilder *b = scene_begin("inside");
    RgInertia box = inertia_box(2.0, O, vec(0.1, 0.2, 0.3));
    RgLinkId a = link_add(b, "a", box), c = link_add(b, "c", box);
    RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", a, c, O, vec(0.0, 0.0, 1.0));
    RgJointDef inside = joint_at(RG_JOINT_revolute, "inside", a, c, O, vec(0.0, 0.0, 1.0));
    inside.may_close_loop = true;
    joint_add(b, &weld);
    joint_add(b, &inside);
    RgModel *model = scene_end(b);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        RgForce f;
        cr_expect(rg_world_joint_reaction(world, (RgJointId){2}, &f) == RG_ERR_UNSUPPORTED);
        cr_expect(rg_world_joint_reaction(world, (RgJointId){3}, &f) == RG_ERR_NOT_FOUND);
        cr_expect(rg_world_joint_reaction(world, (RgJointId){0}, &f) == RG_ERR_NOT_FOUND);
        cr_expect(rg_world_joint_reaction(world, (RgJointId){1}, &f) == RG_OK);
        CHECK_NEAR(vec_norm(f.f), 0.0, 1e-13, "N in free fall");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
