/*
 * test_gear_bodies.c - gears put at joints by rg_builder_add_gear.
 *
 *   beside    the motion is that of the joint with a rotor of the same inertia and ratio (see test_gears.c)
 *   between   pendulum of inertia I on a gear of inertia J, ratio r (paper 002's arrangement; its small test has r = 10):
 *             with s the joint's angle the gear turns r s, the pendulum t = (1 + r) s, and
 *             (J r^2 / (1 + r)^2 + I) t'' = tau - m g l sin t,   tau: effort on t, applied as (1 + r) tau on s
 */
#include "check_near.h"
#include "geared_arm.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

#define MASS 1.5
#define LENGTH 0.4
#define OWN 0.1
#define GEAR 0.2

static RgBuilder *pendulum(RgJointDef *hinge)
{
    RgBuilder *b = scene_begin("pendulum");
    RgLinkId bob = link_add(b, "bob", inertia_diagonal(MASS, vec(0.0, 0.0, -LENGTH), vec(OWN, OWN, OWN)));
    *hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, bob, vec(0.0, 0.0, 1.0), vec(0.0, 1.0, 0.0));
    return b;
}

static RgGearDef gear_at(RgJointId joint, RgGearPlace place, double ratio)
{
    RgGearDef def = rg_gear_def_default();
    def.joint = joint;
    def.place = place;
    def.ratio = ratio;
    def.inertia = inertia_diagonal(0.7, vec(0.0, 0.0, 0.0), vec(GEAR, GEAR, GEAR));
    return def;
}

Test(gear_bodies, between_the_links_it_is_moby_s_pendulum)
{
    static const double ratios[3] = {10.0, 1.5, -1.5};
    for (int r = 0; r < 6; r++) {
        RgJointDef hinge;
        double ratio = ratios[r / 2], k = 1.0 + ratio;
        RgBuilder *b = pendulum(&hinge);
        RgJointId joint = joint_add(b, &hinge);
        RgGearDef gear = gear_at(joint, RG_GEAR_BETWEEN, ratio);
        cr_assert(rg_builder_add_gear(b, &gear).i != 0);
        RgModel *model = scene_end(b);
        RgWorld *world = world_of(model, both_forms[r % 2], "rk4");
        const double s[2] = {0.9 / k, 0.9 * ratio / k}, tau = 0.6 * k;
        rg_world_set_joint_position(world, rg_model_find_joint(model, "hinge"), &s[0]);
        rg_world_set_joint_position(world, rg_model_find_joint(model, "hinge_gear"), &s[1]);
        rg_world_set_joint_effort(world, joint, &tau);

        /* The pendulum itself, by the reference stepper of a plain one with the gear reflected. */
        RgBuilder *plain = pendulum(&hinge);
        hinge.dof[0].rotor_inertia = GEAR;
        hinge.dof[0].gear_ratio = ratio / k;
        joint_add(plain, &hinge);
        RgModel *expected = scene_end(plain);
        RgWorld *twin = world_of(expected, "minimal", "rk4");
        const double start = 0.9, effort = 0.6;
        rg_world_set_joint_position(twin, (RgJointId){1}, &start);
        rg_world_set_joint_effort(twin, (RgJointId){1}, &effort);
        double a[2], one;
        cr_assert(rg_world_acceleration(world, a) == RG_OK && rg_world_acceleration(twin, &one) == RG_OK);
        double I = OWN + MASS * LENGTH * LENGTH + GEAR * ratio * ratio / (k * k);
        CHECK_REL(one, (0.6 - MASS * 9.81 * LENGTH * sin(0.9)) / I, 1e-12, "rad/s^2");
        for (int n = 0; n < 10; n++) {
            world_run(world, 200, 1e-3);
            world_run(twin, 200, 1e-3);
            CHECK_NEAR(k * world_angle(world, "hinge"), world_angle(twin, "hinge"), 1e-9, "rad");
            CHECK_NEAR(world_angle(world, "hinge_gear"), ratio * world_angle(world, "hinge"), 1e-10, "rad");
        }
        rg_world_destroy(world);
        world_end(twin, model);
        rg_model_destroy(expected);
    }
}

/* Limits, spring, damper, a mimic and its leader: the links move as without the gear, but for its inertia. */
Test(gear_bodies, what_was_said_of_the_joint_still_holds_for_the_links)
{
    for (int form = 0; form < 2; form++) {
        double end[2][2];
        for (int geared = 0; geared < 2; geared++) {
            RgJointDef hinge;
            RgBuilder *b = pendulum(&hinge);
            hinge.dof[0].damping = 0.3;
            hinge.dof[0].stiffness = 4.0;
            hinge.dof[0].rest = 0.8;
            hinge.dof[0].lower = -0.4;
            hinge.dof[0].upper = 0.5;
            RgJointId leader = joint_add(b, &hinge);
            RgLinkId other = link_add(b, "other", inertia_diagonal(0.2, vec(0.1, 0.0, 0.0), vec(0.01, 0.01, 0.01)));
            RgJointDef follow =
                joint_at(RG_JOINT_revolute, "follow", (RgLinkId){0}, other, vec(1.0, 0.0, 0.0), vec(0.0, 1.0, 0.0));
            RgCouplingDef mimic = rg_coupling_def_default();
            mimic.joint = joint_add(b, &follow);
            mimic.reference = leader;
            mimic.ratio = 2.0;
            cr_assert(rg_builder_add_coupling(b, &mimic));
            RgGearDef gears[2] = {gear_at(leader, RG_GEAR_BETWEEN, -3.0), gear_at(mimic.joint, RG_GEAR_BETWEEN, 2.0)};
            for (int g = 0; g < 2 && geared; g++) {
                gears[g].inertia = inertia_diagonal(0.7, vec(0.0, 0.0, 0.0), vec(1e-9, 1e-9, 1e-9));
                cr_assert(rg_builder_add_gear(b, &gears[g]).i != 0);
            }
            RgModel *model = scene_end(b);
            RgWorld *world = world_of(model, both_forms[form], "semi-implicit");
            world_run(world, 400, 1e-3);
            end[geared][0] = (geared ? -2.0 : 1.0) * world_angle(world, "hinge");
            end[geared][1] = (geared ? 3.0 : 1.0) * world_angle(world, "follow");
            world_end(world, model);
        }
        cr_expect(fabs(end[0][0]) > 0.05, "%g rad", end[0][0]);
        CHECK_NEAR_ALL(end[1], end[0], 2, 1e-6, "rad");
    }
}

static void refused(RgJointType type, RgGearPlace place, double ratio, const char *says)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "bob";
    link.inertia = inertia_diagonal(1.0, vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0));
    RgJointDef def = joint_at(type, "joint", (RgLinkId){0}, rg_builder_add_link(b, &link), vec(0, 0, 0), vec(0, 0, 1));
    RgGearDef gear = gear_at(rg_builder_add_joint(b, &def), place, ratio);
    cr_expect(rg_builder_add_gear(b, &gear).i == 0);
    cr_expect(strstr(rg_builder_error(b)->text, says) != NULL, "'%s' has no '%s'", rg_builder_error(b)->text, says);
    rg_builder_destroy(b);
}

Test(gear_bodies, impossible_ones_are_refused)
{
    refused(RG_JOINT_fixed, RG_GEAR_BESIDE, 2.0, "gear of joint 'joint': the joint must have one axis");
    refused(RG_JOINT_spherical, RG_GEAR_BESIDE, 2.0, "one axis");
    refused(RG_JOINT_prismatic, RG_GEAR_BETWEEN, 2.0, "joint that turns");
    refused(RG_JOINT_revolute, RG_GEAR_BETWEEN, -1.0, "would not turn");
    refused(RG_JOINT_revolute, RG_GEAR_BESIDE, 0.0, "not 0");
    refused(RG_JOINT_revolute, RG_GEAR_BESIDE, (double)NAN, "finite");
}

/* Beside the joint it is a rotor: the same motion as with rotor_inertia and gear_ratio, on a hinge and on a slide. */
Test(gear_bodies, beside_the_joint_it_is_a_rotor)
{
    for (int i = 0; i < 4; i++) {
        double end[2];
        for (int as_body = 0; as_body < 2; as_body++) {
            RgJointDef joint;
            RgBuilder *b = pendulum(&joint);
            joint.type = i / 2 == 0 ? RG_JOINT_revolute : RG_JOINT_prismatic;
            joint.axis = vec(0.0, 1.0, 0.5);
            joint.dof[0].rotor_inertia = as_body ? 0.0 : GEAR;
            joint.dof[0].gear_ratio = -20.0;
            RgGearDef gear = gear_at(joint_add(b, &joint), RG_GEAR_BESIDE, -20.0);
            cr_assert(!as_body || rg_builder_add_gear(b, &gear).i != 0);
            RgModel *model = scene_end(b);
            RgWorld *world = world_of(model, both_forms[i % 2], "rk4");
            const double tau = 7.0;
            rg_world_set_joint_effort(world, gear.joint, &tau);
            world_run(world, 5000, 1e-3);
            end[as_body] = world_angle(world, "hinge");
            world_end(world, model);
        }
        CHECK_REL(end[1], end[0], 1e-9, "rad or m");
    }
}

/* ------------------------------------------------------------------ paper 002's arm */

#ifndef RIGOR_SHARED_MODELS
#define RIGOR_SHARED_MODELS "no models"
#endif
#define UR10 RIGOR_SHARED_MODELS "/ur10_schunk_moby/"

static RgModel *ur10(const char *path, const GearedArm *arm)
{
    RgError error;
    RgModel *model = geared_arm_load(path, arm, &error);
    if (model == NULL && error.status == RG_ERR_FILE)
        cr_skip_test("no UR10 beside the project");
    cr_assert_not_null(model, "%s", error.text);
    return model;
}

/* Half a second of falling without limits: energy kept, ratios kept, the same in both forms. */
static void fall(const RgModel *model, int gears)
{
    double end[2][64];
    cr_assert_eq(rg_model_info(model).couplings, gears);
    for (int i = 0; i < 2; i++) {
        RgWorldDef def = world_def(model, both_forms[i], "rk4");
        def.position_limits = false;
        def.contact = false;
        RgWorld *world = world_make(&def);
        double before = world_energy(world), error = world_run(world, 500, 1e-3);
        cr_expect(error < 1e-10, "%s: %g rad", both_forms[i], error);
        CHECK_NEAR(world_energy(world), before, 1e-6, "J");
        memcpy(end[i], rg_world_q(world), (size_t)rg_model_info(model).nq * sizeof(double));
        rg_world_destroy(world);
    }
    CHECK_NEAR_ALL(end[1], end[0], rg_model_info(model).nq, 1e-8, "rad or m");
}

Test(gear_bodies, of_paper_002_s_file)
{
    RgModel *model = ur10(UR10 "gearedur10.sdf", NULL);
    fall(model, 6);
    rg_model_destroy(model);
}

Test(gear_bodies, of_the_plain_arm_made_geared)
{
    GearedArm arm = geared_arm_default();
    RgModel *model = ur10(UR10 "model.sdf", &arm);
    cr_assert(rg_model_find_joint(model, "shoulder_pan_joint_gear").i &&
              !rg_model_find_joint(model, "fixed_hand_to_wrist_gear").i);
    CHECK_REL(rg_model_info(model).mass, 33.9 + 2.778 + 5.0 * 1.778, 1e-12, "kg");
    fall(model, 6);
    rg_model_destroy(model);
}
