/*
 * test_screw_and_coupling.c - two ways to tie one motion to another: in the joint, and by a hard row between
 * two joints.
 *
 *   screw of pitch p (m/rad), axis upright   (I + m p^2) q'' = -m g p
 *   q2 = r q1 + c                            (I1 + r^2 I2) q1'' = Q1 + r Q2      Q: moments of gravity and
 *   effort
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

Test(screw, turns_as_it_falls)
{
    double m = 2.0, I = 0.03, p = -0.12, t = 1.5;
    RgBuilder *b = scene_begin("nut");
    RgLinkId nut = link_add(b, "nut", inertia_diagonal(m, vec(0.0, 0.0, 0.0), vec(0.02, 0.02, I)));
    RgJointDef screw = joint_at(RG_JOINT_screw, "screw", (RgLinkId){0}, nut, vec(0.1, 0.2, 0.3), vec(0.0, 0.0, 2.0));
    screw.pitch = p;
    joint_add(b, &screw);
    RgModel *model = scene_end(b);
    double a = -m * 9.81 * p / (I + m * p * p);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        double now;
        cr_assert(rg_world_acceleration(world, &now) == RG_OK);
        CHECK_REL(now, a, 1e-13, "rad/s^2");

        /* Uniform acceleration: many turns later still exact, and as high as the pitch says. */
        world_run(world, 1500, 1e-3);
        double q = 0.5 * a * t * t;
        CHECK_REL(world_angle(world, "screw"), q, 1e-11, "rad");
        CHECK_NEAR(rg_world_link_pose(world, nut).p.z, 0.3 + p * q, 1e-11, "m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

#define RATIO (-1.5)
#define OFFSET 0.4

/* Two pendulums side by side, the second following the first. */
static RgModel *coupled(void)
{
    RgBuilder *b = scene_begin("coupled");
    RgLinkId one = link_add(b, "one", inertia_diagonal(1.0, vec(0.0, 0.0, -0.5), vec(0.1, 0.1, 0.1)));
    RgLinkId two = link_add(b, "two", inertia_diagonal(2.0, vec(0.0, 0.0, -0.3), vec(0.1, 0.2, 0.1)));
    RgJointDef first = joint_at(RG_JOINT_revolute, "first", (RgLinkId){0}, one, vec(0.0, 0.0, 0.0), vec(0.0, 1.0, 0.0));
    RgJointDef second =
        joint_at(RG_JOINT_revolute, "second", (RgLinkId){0}, two, vec(0.0, 1.0, 0.0), vec(0.0, 1.0, 0.0));
    RgCouplingDef mimic = rg_coupling_def_default();
    mimic.name = "mimic";
    mimic.reference = joint_add(b, &first);
    mimic.joint = joint_add(b, &second);
    mimic.ratio = RATIO;
    mimic.offset = OFFSET;
    cr_assert(rg_builder_add_coupling(b, &mimic));
    return scene_end(b);
}

/* q1'' at q1 with an effort on the second joint. */
static double coupled_acceleration(double q1, double effort)
{
    double I1 = 0.1 + 1.0 * 0.25, I2 = 0.2 + 2.0 * 0.09, q2 = RATIO * q1 + OFFSET;
    double Q1 = -1.0 * 9.81 * 0.5 * sin(q1), Q2 = effort - 2.0 * 9.81 * 0.3 * sin(q2);
    return (Q1 + RATIO * Q2) / (I1 + RATIO * RATIO * I2);
}

Test(coupling, two_pendulums_move_as_one_inertia)
{
    RgModel *model = coupled();
    for (int i = 0; i < 2; i++) {
        const double q[2] = {0.6, RATIO * 0.6 + OFFSET}, v[2] = {0.8, RATIO * 0.8}, tau[1] = {1.2};
        double a[2];
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        cr_assert(rg_world_set_state(world, q, v) == RG_OK);
        rg_world_set_joint_effort(world, rg_model_find_joint(model, "second"), tau);
        cr_assert(rg_world_acceleration(world, a) == RG_OK);
        CHECK_REL(a[0], coupled_acceleration(0.6, 1.2), 1e-12, "rad/s^2");
        CHECK_REL(a[1], RATIO * a[0], 1e-12, "rad/s^2");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Ten seconds of swinging: the coupling holds, and the energy with it. */
Test(coupling, holds_while_moving)
{
    RgModel *model = coupled();
    for (int i = 0; i < 2; i++) {
        const double q[2] = {1.0, RATIO + OFFSET}, v[2] = {0.0, 0.0};
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, q, v);
        double before = world_energy(world);
        double error = world_run(world, 10000, 1e-3);
        cr_expect(error < 1e-12, "coupling error %g rad", error);
        CHECK_NEAR(world_angle(world, "second"), RATIO * world_angle(world, "first") + OFFSET, 1e-12, "rad");
        CHECK_NEAR(world_energy(world), before, 1e-8, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
