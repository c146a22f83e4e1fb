/*
 * test_joint_access.c - what is asked and set by joint and link means the same in both coordinate forms.
 */
#include "check_near.h"
#include "identities.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

/* Set by name, read by name: nothing else moves. */
Test(joint_access, positions_and_rates_by_joint)
{
    RgModel *model = scene_arm();
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        for (int j = 1; j <= 6; j++) {
            const double q[1] = {0.1 * j}, v[1] = {-0.2 * j};
            cr_assert(rg_world_set_joint_position(world, (RgJointId){j}, q) == RG_OK);
            cr_assert(rg_world_set_joint_rate(world, (RgJointId){j}, v) == RG_OK);
        }
        for (int j = 1; j <= 6; j++) {
            double q[1], v[1];
            cr_assert(rg_world_joint_position(world, (RgJointId){j}, q) == RG_OK);
            cr_assert(rg_world_joint_rate(world, (RgJointId){j}, v) == RG_OK);
            CHECK_NEAR(q[0], 0.1 * j, 1e-14, "rad");
            CHECK_NEAR(v[0], -0.2 * j, 1e-13, "rad/s");
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The state set is the state read, and links stand and move as the tree's kinematics says: all joint
   kinds. */
Test(joint_access, state_and_links_agree_with_the_tree)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        RandomTree options = {.seed = seed / 2};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        RgDynamics *dynamics = rg_dynamics_create(model, NULL);
        RgWorld *world = world_of(model, both_forms[seed % 2], "rk4");
        cr_assert(rg_world_set_state(world, s.q, s.v) == RG_OK);
        rg_forward_kinematics(dynamics, s.q, s.v);
        rg_difference_positions(model, s.q, rg_world_q(world), s.a);
        cr_expect(check_largest(s.a, (size_t)s.nv) < 1e-12, "tree %u: other positions", (unsigned)seed);
        CHECK_NEAR_ALL(rg_world_v(world), s.v, s.nv, 1e-11, "rad/s or m/s");
        for (int i = 1; i <= s.links; i++) {
            RgPose X = rg_link_pose(dynamics, (RgLinkId){i}), Y = rg_world_link_pose(world, (RgLinkId){i});
            RgMotion V = rg_link_twist(dynamics, (RgLinkId){i}), U = rg_world_link_twist(world, (RgLinkId){i});
            double pose = fmax(mat_distance(X.R, Y.R), vec_distance(X.p, Y.p));
            double twist = fmax(vec_distance(V.w, U.w), vec_distance(V.v, U.v));
            cr_expect(pose < 1e-12 && twist < 1e-11, "tree %u link %d: %g, %g", (unsigned)seed, i, pose, twist);
        }
        rg_world_destroy(world);
        rg_dynamics_destroy(dynamics);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}

/* The pin of the four-bar turns by what the chain through the coupler and the rocker differ. */
Test(joint_access, loop_joints_answer_but_cannot_be_set)
{
    RgModel *model = scene_four_bar();
    RgJointId pin = rg_model_find_joint(model, "pin");
    for (int i = 0; i < 2; i++) {
        const double zero[1] = {0.0};
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        world_run(world, 400, 1e-3);
        double turned = world_angle(world, "rocker_hinge") - world_angle(world, "crank_hinge") -
                        world_angle(world, "coupler_hinge");
        double rate =
            world_rate(world, "rocker_hinge") - world_rate(world, "crank_hinge") - world_rate(world, "coupler_hinge");
        cr_expect(fabs(turned) > 0.1, "it did not move");
        CHECK_NEAR(world_angle(world, "pin"), turned, 1e-10, "rad");
        CHECK_NEAR(world_rate(world, "pin"), rate, 1e-9, "rad/s");
        cr_expect(rg_world_set_joint_position(world, pin, zero) != RG_OK);
        cr_expect(rg_world_set_joint_rate(world, pin, zero) != RG_OK);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Effort: what was set, and the joint's own spring and damper. */
Test(joint_access, effort_counts_spring_and_damper)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.stiffness = 5.0;
    axis.rest = 0.25;
    axis.damping = 0.5;
    RgModel *model = scene_pendulum(inertia_diagonal(1.0, vec(0.0, 0.0, -0.5), vec(0.1, 0.1, 0.1)), &axis);
    RgJointId hinge = rg_model_find_joint(model, "hinge");
    for (int i = 0; i < 2; i++) {
        const double q = 0.75, v = -2.0, tau = 3.0;
        double effort;
        RgForce reaction;
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, &q, &v);
        cr_assert(rg_world_set_joint_effort(world, hinge, &tau) == RG_OK);
        cr_assert(rg_world_joint_effort(world, hinge, &effort) == RG_OK);
        CHECK_NEAR(effort, 3.0 - 5.0 * 0.5 + 0.5 * 2.0, 1e-12, "N m");
        rg_world_joint_reaction(world, hinge, &reaction);
        CHECK_NEAR(reaction.n.y, effort, 1e-12, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A wrench held on a link is the wrench that the tree algorithms take, moment about the link's origin. */
Test(joint_access, link_wrench_acts_at_the_link_origin)
{
    RgModel *model = scene_quadruped();
    RgLinkId shank = rg_model_find_link(model, "lf_shank");
    RgForce wrench = {{0.1, -0.2, 0.3}, {4.0, 5.0, -6.0}};
    TestState s = random_state(model, 3);
    memset(s.wrenches, 0, sizeof *s.wrenches * (size_t)s.links);
    memset(s.tau, 0, sizeof *s.tau * (size_t)s.nv);
    s.wrenches[shank.i - 1] = wrench;
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    double a[18];
    rg_forward_dynamics(dynamics, s.q, s.v, s.tau, s.wrenches, s.a);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, s.q, s.v);
        cr_assert(rg_world_set_link_wrench(world, shank, wrench) == RG_OK);
        cr_assert(rg_world_acceleration(world, a) == RG_OK);
        CHECK_REL_ALL(a, s.a, 18, 1e-10, "rad/s^2 or m/s^2");
        rg_world_destroy(world);
    }
    rg_dynamics_destroy(dynamics);
    test_state_destroy(&s);
    rg_model_destroy(model);
}
