/*
 * test_joint_reaction.c - bearing loads against Newton's and Euler's laws for the carried body.
 *
 *   f = m (a_c - g)        n = I w' + w x I w + c x f         c: centre of mass from the bearing, world axes
 *
 * For a hinge about y: w = (0, q', 0), w' = (0, q'', 0), a_c = w' x c + w x (w x c).
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

static const RgVec3 gravity = {0.0, 0.0, -9.81};

static void check_wrench(RgForce actual, RgForce expected, double scale)
{
    const double a[6] = {actual.n.x, actual.n.y, actual.n.z, actual.f.x, actual.f.y, actual.f.z};
    const double e[6] = {expected.n.x, expected.n.y, expected.n.z, expected.f.x, expected.f.y, expected.f.z};
    CHECK_NEAR_ALL(a, e, 6, 1e-11 * scale, "N or N m");
}

/* What a bearing at the origin must give to a body at link pose X that turns about y. */
static RgForce load(RgPose X, RgInertia in, double rate, double acceleration)
{
    RgVec3 w = {0.0, rate, 0.0}, dw = {0.0, acceleration, 0.0}, c = place_point(X, in.com);
    RgVec3 a = vec_add(vec_cross(dw, c), vec_cross(w, vec_cross(w, c)));
    RgVec3 f = vec_scale(in.mass, vec_sub(a, gravity));
    RgVec3 spin = vec_add(inertia_turned(X, in.I, dw), vec_cross(w, inertia_turned(X, in.I, w)));
    return (RgForce){vec_add(spin, vec_cross(c, f)), f};
}

/* Centre of mass off the plane of swing and products of inertia: the bearing takes moments, too. */
static const RgInertia skew = {1.7, {0.1, 0.2, -0.6}, {0.08, 0.09, 0.07, 0.01, -0.02, 0.015}};

Test(joint_reaction, bearing_of_a_pendulum_at_rest_and_swinging)
{
    static const double states[4][3] = {{0.0, 0.0, 0.0}, {0.9, 0.0, 0.0}, {0.4, 3.0, 0.0}, {-2.0, -5.0, 4.0}};
    RgModel *model = scene_pendulum(skew, NULL);
    RgJointId hinge = rg_model_find_joint(model, "hinge");
    for (int i = 0; i < 8; i++) {
        const double *s = states[i % 4];
        RgWorld *world = world_of(model, both_forms[i / 4], "rk4");
        cr_assert(rg_world_set_state(world, &s[0], &s[1]) == RG_OK);
        cr_assert(rg_world_set_joint_effort(world, hinge, &s[2]) == RG_OK);
        double a;
        RgForce reaction;
        cr_assert(rg_world_acceleration(world, &a) == RG_OK);
        cr_assert(rg_world_joint_reaction(world, hinge, &reaction) == RG_OK);
        RgPose X = rg_world_link_pose(world, rg_model_find_link(model, "link"));
        check_wrench(reaction, load(X, skew, s[1], a), 100.0);

        /* Along the hinge's own axis only the effort acts. */
        CHECK_NEAR(reaction.n.y, s[2], 1e-11, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Hanging straight down at rest a bearing carries the weight; swinging through the bottom it also turns
   the body about. */
Test(joint_reaction, closed_form_at_the_bottom)
{
    double m = 2.0, l = 0.5, rate = 4.0;
    RgModel *model = scene_pendulum(inertia_diagonal(m, vec(0.0, 0.0, -l), vec(0.1, 0.1, 0.1)), NULL);
    for (int i = 0; i < 4; i++) {
        double q = 0.0, v = i % 2 == 0 ? 0.0 : rate;
        RgWorld *world = world_of(model, both_forms[i / 2], "rk4");
        rg_world_set_state(world, &q, &v);
        RgForce reaction;
        rg_world_joint_reaction(world, rg_model_find_joint(model, "hinge"), &reaction);
        RgForce expected = {{0.0, 0.0, 0.0}, {0.0, 0.0, m * 9.81 + m * l * v * v}};
        check_wrench(reaction, expected, 10.0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/*  hinge - arm - weld - tip: the weld carries the tip, the hinge both. */
Test(joint_reaction, weld_in_the_chain)
{
    RgBuilder *b = scene_begin("welded");
    RgInertia tip_inertia = {0.8, {0.05, -0.1, -0.2}, {0.01, 0.02, 0.015, 0.002, 0.0, -0.001}};
    RgLinkId arm = link_add(b, "arm", skew), tip = link_add(b, "tip", tip_inertia);
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, arm, vec(0.0, 0.0, 0.0), vec(0.0, 1.0, 0.0));
    RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", arm, tip, vec(0.1, 0.3, -0.9), vec(1.0, 0.0, 0.0));
    joint_add(b, &hinge);
    joint_add(b, &weld);
    RgModel *model = scene_end(b);
    for (int i = 0; i < 2; i++) {
        double q = 0.7, v = -2.5, a;
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, &q, &v);
        rg_world_acceleration(world, &a);
        RgPose X_arm = rg_world_link_pose(world, arm), X_tip = rg_world_link_pose(world, tip);
        RgForce on_arm = load(X_arm, skew, v, a), on_tip = load(X_tip, tip_inertia, v, a), reaction;

        /* load() counts moments from the hinge; the weld's are about its own place. */
        RgForce at_weld = {vec_sub(on_tip.n, vec_cross(X_tip.p, on_tip.f)), on_tip.f};
        cr_assert(rg_world_joint_reaction(world, rg_model_find_joint(model, "weld"), &reaction) == RG_OK);
        check_wrench(reaction, at_weld, 100.0);
        RgForce both = {vec_add(on_arm.n, on_tip.n), vec_add(on_arm.f, on_tip.f)};
        cr_assert(rg_world_joint_reaction(world, rg_model_find_joint(model, "hinge"), &reaction) == RG_OK);
        check_wrench(reaction, both, 100.0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The pins of a four-bar linkage hold its coupler: f_B - f_C = m (a - g), in the plane, at the moment of
   release. */
Test(joint_reaction, loop_joint_balances_the_coupler)
{
    RgModel *model = scene_four_bar();
    RgLinkId coupler = rg_model_find_link(model, "coupler");
    RgInertia in = rg_model_link(model, coupler).inertia;
    for (int i = 0; i < 2; i++) {
        double q[3], a[3], J[18];
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        memcpy(q, rg_world_q(world), sizeof q);
        cr_assert(rg_world_acceleration(world, a) == RG_OK);
        RgDynamics *dynamics = rg_dynamics_create(model, NULL);
        rg_link_jacobian(dynamics, q, coupler, J);
        RgMotion A = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (int k = 0; k < 3; k++) {
            A.w.y += J[3 + k] * a[k];
            A.v = vec_add(A.v, vec(J[9 + k] * a[k], J[12 + k] * a[k], J[15 + k] * a[k]));
        }
        RgForce B, C;
        cr_assert(rg_world_joint_reaction(world, rg_model_find_joint(model, "coupler_hinge"), &B) == RG_OK);
        cr_assert(rg_world_joint_reaction(world, rg_model_find_joint(model, "pin"), &C) == RG_OK);
        RgVec3 com_rate = vec_add(A.v, vec_cross(A.w, in.com));
        RgVec3 needed = vec_scale(in.mass, vec_sub(com_rate, gravity)), given = vec_sub(B.f, C.f);
        CHECK_NEAR(given.x, needed.x, 1e-10, "N");
        CHECK_NEAR(given.z, needed.z, 1e-10, "N");

        /* Moments about the coupler's hinge: the pin pulls at BC = (1.2, 0, 0.5). */
        double turn = in.I.yy * A.w.y + vec_cross(in.com, needed).y;
        CHECK_NEAR(-vec_cross(vec(1.2, 0.0, 0.5), C.f).y, turn, 1e-10, "N m");
        rg_dynamics_destroy(dynamics);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
