/*
 * test_attachments.c - joints made and released at run time, by their closed forms: the impact of attaching, a peg that
 * is screwed in, a hose that is grabbed and let go, a joint that breaks under a load. Both forms, several solvers.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#include <string.h>

#define H 1e-3

static const char *const solvers[] = {"quick", "pgs", "cone"};

enum { WAYS = 6 };

/* Way k: form and solver; pgs with sweeps to round-off. */
static RgWorld *world_by(const RgModel *model, int k, const char *stepper, RgVec3 gravity)
{
    RgPgsOptions pgs = rg_pgs_options_default();
    pgs.iterations = 2000;
    RgWorldDef def = world_def(model, both_forms[k % 2], stepper);
    def.solver = solvers[k / 2];
    def.pgs = &pgs;
    def.gravity = gravity;
    def.max_attachments = 3;
    return world_make(&def);
}

static RgAttachmentDef between(RgJointType type, RgLinkId parent, RgLinkId child)
{
    RgAttachmentDef def = rg_attachment_def_default();
    def.name = "grip";
    def.joint.type = type;
    def.joint.parent = parent;
    def.joint.child = child;
    return def;
}

static RgAttachmentId add(RgWorld *world, const RgAttachmentDef *def)
{
    RgError error = {0};
    RgAttachmentId id = rg_world_add_attachment(world, def, &error);
    cr_assert(id.i > 0, "%s", error.text);
    return id;
}

static void attach(RgWorld *world, RgAttachmentId id)
{
    RgError error = {0};
    cr_assert(rg_world_attach(world, id, &error) == RG_OK, "%s", error.text);
}

static bool is_attached(RgWorld *world, RgAttachmentId id)
{
    RgAttachmentReport report;
    cr_assert(rg_world_attachment(world, id, &report) == RG_OK);
    return report.attached;
}

static RgVec3 point_on(RgPose X, RgVec3 p)
{
    return rg_pose_apply(&X, p);
}

/* ------------------------------------------------------------------ names */

static RgModel *hand_and_hose(RgLinkId *hand, RgLinkId *hose)
{
    RgBuilder *b = scene_begin("names");
    *hand = link_add(b, "hand", inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)));
    *hose = link_add(b, "hose", inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)));
    return scene_end(b);
}

/* Links by name; a mistake is answered with the nearest name and changes nothing. */
Test(attachments, links_and_attachments_by_name)
{
    RgLinkId hand, hose;
    RgModel *model = hand_and_hose(&hand, &hose);
    RgWorld *world = world_by(model, 0, "semi-implicit", vec(0, 0, -9.81));
    RgAttachmentDef def = between(RG_JOINT_fixed, hand, hose);
    RgError error = {0};
    cr_expect(rg_attachment_def_between(&def, model, "hand", "hoes", &error) == RG_ERR_NOT_FOUND);
    cr_expect_str_eq(error.text, "no link 'hoes'; did you mean 'hose'?");
    cr_expect(def.joint.parent.i == hand.i && def.joint.child.i == hose.i);
    cr_assert(rg_attachment_def_between(&def, model, "world", "hose", &error) == RG_OK);
    cr_expect(def.joint.parent.i == 0 && def.joint.child.i == hose.i);
    def.name = "hook";
    attach(world, add(world, &def));
    cr_assert(rg_attachment_def_between(&def, model, "hand", "hose", &error) == RG_OK);
    def.name = "grip";
    RgAttachmentId grip = add(world, &def);
    cr_expect(rg_world_find_attachment(world, "grip", &error).i == grip.i);
    cr_expect(rg_world_find_attachment(world, "gripp", &error).i == 0);
    cr_expect_str_eq(error.text, "no attachment 'gripp'; did you mean 'grip'?");
    attach(world, grip);
    double held = rg_world_link_pose(world, hand).p.z;
    world_run(world, 100, H);
    CHECK_NEAR(rg_world_link_pose(world, hand).p.z, held, 1e-9, "m");
    cr_assert(rg_world_detach(world, rg_world_find_attachment(world, "grip", NULL)) == RG_OK);
    world_run(world, 100, H);
    cr_expect(rg_world_link_pose(world, hand).p.z < held - 0.04);
    world_end(world, model);
}

/* A name that is too long for its slot finds the attachment that was made by it. */
Test(attachments, a_long_name_is_found)
{
    RgLinkId hand, hose;
    RgModel *model = hand_and_hose(&hand, &hose);
    RgWorld *world = world_by(model, 0, "semi-implicit", vec(0, 0, -9.81));
    RgAttachmentDef def = between(RG_JOINT_fixed, hand, hose);
    char name[RG_ATTACHMENT_NAME + 9] = {0};
    memset(name, 'a', sizeof name - 1);
    def.name = name;
    RgAttachmentId id = add(world, &def);
    cr_expect(rg_world_find_attachment(world, name, NULL).i == id.i);
    name[RG_ATTACHMENT_NAME - 1] = '\0';
    cr_expect(rg_world_find_attachment(world, name, NULL).i == id.i);
    name[RG_ATTACHMENT_NAME - 2] = '\0';
    cr_expect(rg_world_find_attachment(world, name, NULL).i == 0);
    world_end(world, model);
}

/* ------------------------------------------------------------------ impact */

static RgModel *two_boxes(void)
{
    RgBuilder *b = scene_begin("two");
    RgPose there = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0.7, 0.1, -0.2}};
    link_add(b, "a", inertia_box(2.0, vec(0.1, 0.0, 0.0), vec(0.2, 0.3, 0.4)));
    link_add_at(b, "b", inertia_box(0.5, vec(0.0, 0.02, 0.0), vec(0.1, 0.2, 0.1)), there);
    return scene_end(b);
}

/* Momentum before and after is the same to round-off, and what is lost is the energy of the relative motion. */
Test(attachments, attaching_keeps_momentum_and_loses_the_relative_motion)
{
    RgModel *model = two_boxes();
    double v[12] = {0.3, -1.0, 0.5, 0.2, 0.1, -0.4, -2.0, 0.7, 1.1, 0.0, -0.6, 0.9};
    for (int k = 0; k < WAYS; k++) {
        RgWorld *world = world_by(model, k, "semi-implicit", vec(0, 0, 0));
        cr_assert(rg_world_set_state(world, NULL, v) == RG_OK);
        RgAttachmentDef def = between(RG_JOINT_fixed, (RgLinkId){1}, (RgLinkId){2});
        RgAttachmentId id = add(world, &def);
        RgMomentum before, after;
        rg_world_momentum(world, &before);
        attach(world, id);
        rg_world_momentum(world, &after);
        CHECK_NEAR_ALL(&after.linear.x, &before.linear.x, 3, 1e-14, "N s");
        CHECK_NEAR_ALL(&after.angular.x, &before.angular.x, 3, 1e-14, "N m s");
        RgMotion a = rg_world_link_twist(world, (RgLinkId){1}), b = rg_world_link_twist(world, (RgLinkId){2});
        CHECK_NEAR_ALL(&a.w.x, &b.w.x, 3, 1e-12, "rad/s");
        cr_expect(after.kinetic < 0.9 * before.kinetic);
        CHECK_NEAR(rg_world_energy_sums(world).attached, after.kinetic - before.kinetic, 1e-14, "J");

        /* One body from then on: momentum and energy stay. */
        world_run(world, 500, H);
        RgMomentum later;
        rg_world_momentum(world, &later);
        /* joint coordinates keep momentum to first order in the step */
        CHECK_NEAR_ALL(&later.linear.x, &before.linear.x, 3, k % 2 == 1 ? 1e-10 : 5e-4, "N s");
        CHECK_REL(later.kinetic, after.kinetic, 2e-3, "J");
        RgAttachmentReport report;
        rg_world_attachment(world, id, &report);
        RgPose X = rg_world_link_pose(world, (RgLinkId){1}), Y = rg_world_link_pose(world, (RgLinkId){2});
        RgVec3 p = point_on(X, report.X_PJ.p);
        CHECK_NEAR_ALL(&p.x, &Y.p.x, 3, strcmp(solvers[k / 2], "quick") == 0 ? 1e-11 : 1e-4, "m");

        /* Released: the same state bit by bit. */
        double q_before[14], v_before[12];
        memcpy(q_before, rg_world_q(world), sizeof q_before);
        memcpy(v_before, rg_world_v(world), sizeof v_before);
        cr_assert(rg_world_detach(world, id) == RG_OK);
        cr_expect(memcmp(q_before, rg_world_q(world), sizeof q_before) == 0);
        cr_expect(memcmp(v_before, rg_world_v(world), sizeof v_before) == 0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Three links with geared rotors, the last held to the first by a ball joint. */
static RgModel *geared_loop(void)
{
    RgBuilder *b = scene_begin("geared");
    const char *const names[] = {"a", "b", "c", "d"}, *const hinges[] = {"", "ab", "bc", "cd"};
    RgLinkId link[4];
    for (int i = 0; i < 4; i++) {
        RgPose there = rg_pose_from_rpy(vec(0.3 * i, 0.0, 0.0), vec(0, 0, 0));
        link[i] = link_add_at(b, names[i], inertia_box(1.0 + i, vec(0.1, 0.02, 0.0), vec(0.3, 0.1, 0.05)), there);
    }
    for (int i = 1; i < 4; i++) {
        RgVec3 axis = vec(0.2 * i, 1.0, 0.1 * i * i);
        RgJointDef hinge = joint_at(RG_JOINT_revolute, hinges[i], link[i - 1], link[i], vec(0.3, 0.0, 0.0), axis);
        hinge.dof[0].rotor_inertia = 1e-4;
        hinge.dof[0].gear_ratio = 50.0;
        joint_add(b, &hinge);
    }
    RgJointDef ball = joint_at(RG_JOINT_spherical, "ball", link[0], link[2], vec(0.5, 0.1, 0.1), vec(0, 0, 1));
    ball.X_CJ.p = vec(-0.1, 0.1, 0.1);
    ball.may_close_loop = true;
    joint_add(b, &ball);
    return scene_end(b);
}

/* Few sweeps leave joints open and rotors at other rates than their joints: an impact takes energy all the same. */
Test(attachments, attaching_adds_no_energy_where_sweeps_left_errors)
{
    RgModel *model = geared_loop();
    double v[9] = {0.3, -1.0, 0.5, 2.0, 1.0, -4.0, 5.0, -7.0, 6.0};
    for (int k = 0; k < 2; k++) {
        RgWorldDef def = world_def(model, both_forms[k], "semi-implicit");
        RgPgsOptions pgs = rg_pgs_options_default();
        pgs.iterations = 2;
        def.solver = "pgs";
        def.pgs = &pgs;
        def.max_attachments = 1;
        RgWorld *world = world_make(&def);
        cr_assert(rg_world_set_state(world, NULL, v) == RG_OK);
        RgAttachmentDef grip = between(RG_JOINT_cylindrical, (RgLinkId){1}, (RgLinkId){4});
        RgAttachmentId id = add(world, &grip);
        for (int i = 0; i < 40; i++) {
            RgMomentum before, after;
            world_run(world, 5, 4.0 * H);
            rg_world_momentum(world, &before);
            attach(world, id);
            rg_world_momentum(world, &after);
            cr_expect(after.kinetic <= before.kinetic * (1.0 + 1e-12), "%s %d: %g to %g J", both_forms[k], i,
                      before.kinetic, after.kinetic);
            cr_assert(rg_world_detach(world, id) == RG_OK);
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Two boxes held by a weld and by a hinge beyond its limit, a ball of one inside the other: the limit and the contact
   ask for what the weld forbids. They take no part, and nothing else changes. */
Test(attachments, rows_that_joints_lock_take_no_part)
{
    RgBuilder *b = scene_begin("locked");
    RgPose there = rg_pose_from_rpy(vec(0.7, 0.1, -0.2), vec(0.3, -0.5, 0.7));
    RgLinkId a = link_add(b, "a", inertia_box(2.0, vec(0.1, 0.0, 0.0), vec(0.2, 0.3, 0.4)));
    RgLinkId c = link_add_at(b, "c", inertia_box(0.05, vec(0.0, 0.02, 0.0), vec(0.1, 0.2, 0.1)), there);
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_sphere;
    shape.size[0] = 0.4;
    shape.link = a;
    rg_builder_add_shape(b, &shape);
    shape.link = c;
    rg_builder_add_shape(b, &shape);
    RgModel *model = scene_end(b);
    double v[12] = {0.3, -1.0, 0.5, 0.2, 0.1, -0.4, -2.0, 0.7, 1.1, 0.0, -0.6, 0.9};
    for (int k = 0; k < WAYS; k++) {
        RgWorld *world = world_by(model, k, "semi-implicit", vec(0, 0, 0));
        cr_assert(rg_world_set_state(world, NULL, v) == RG_OK);
        RgAttachmentDef weld = between(RG_JOINT_fixed, a, c), hinge = between(RG_JOINT_revolute, a, c);
        weld.collide = hinge.collide = true;
        hinge.joint.axis = vec(0.3, -0.5, 0.8);
        hinge.joint.dof[0].lower = 0.1;
        hinge.joint.dof[0].upper = 0.2;
        attach(world, add(world, &weld));
        attach(world, add(world, &hinge));
        double start = world_energy(world);
        for (int i = 0; i < 100; i++) {
            RgStepReport report;
            cr_assert(rg_world_step(world, H, &report) == RG_OK, "%d: step %d refused", k, i);
            cr_expect(report.locked_rows == 2 && report.contacts > 0, "%d: %d locked", k, report.locked_rows);
        }
        /* the semi-implicit step of joint coordinates is of first order */
        CHECK_REL(world_energy(world), start, k % 2 == 1 ? 1e-6 : 1e-3, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Two arms, one on the world and one that floats, whose hands are 8 mm apart: `placed` moves the positions, which gains no
   kinetic energy and keeps the momentum of the arm that floats; the potential energy is reported. */
Test(attachments, placing_gains_no_kinetic_energy)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (int floating = 0; floating < 2; floating++) {
        RgBuilder *b = scene_begin("hands");
        RgLinkId link[6];
        for (int i = 0; i < 6; i++) {
            bool root = i % 3 == 0;
            RgPose at = rg_pose_from_rpy(vec(0.15 * (i % 3), 0.0, i < 3 ? 0.0 : 0.008), vec(0, 0, 0));
            link[i] = link_add_at(b, names[i],
                                  inertia_box(i < 3 ? 1.0 : 0.05, vec(0.08, 0.01, 0.0), vec(0.15, 0.04, 0.02)), at);
            RgVec3 axis = vec(0.2 * i, 1.0 - 0.3 * i, 0.5);
            RgJointDef hinge = joint_at(RG_JOINT_revolute, names[i], root ? (RgLinkId){0} : link[i - 1], link[i],
                                        root ? vec(0, 0, 0) : vec(0.15, 0, 0), axis);
            hinge.dof[0].rotor_inertia = i == 1 ? 1e-5 : 0.0;
            hinge.dof[0].gear_ratio = 20.0;
            if (!root || (i == 0 && !floating))
                joint_add(b, &hinge);
        }
        RgModel *model = scene_end(b);
        int nv = rg_model_info(model).nv;
        double v[16], largest = 0.0;
        for (int k = 0; k < 40 * WAYS; k++) {
            RgWorld *world = world_by(model, k % WAYS, "semi-implicit", vec(0, 0, -9.81));
            for (int i = 0; i < nv; i++)
                v[i] = 3.0 * sin(1.0 + 1.7 * i + 0.9 * (k / WAYS));
            rg_world_set_state(world, NULL, v);
            RgAttachmentDef grip = between(RG_JOINT_spherical, link[2], link[5]);
            grip.joint.X_PJ.p = grip.joint.X_CJ.p = vec(0.15, 0.0, 0.0);
            grip.placed = true;
            RgMomentum before, after;
            rg_world_momentum(world, &before);
            attach(world, add(world, &grip));
            rg_world_momentum(world, &after);
            cr_expect(after.kinetic <= before.kinetic * (1.0 + 1e-12), "%d: %.9g to %.9g J", k, before.kinetic,
                      after.kinetic);
            if (floating)
                CHECK_NEAR_ALL(&after.linear.x, &before.linear.x, 3, 1e-12, "N s");
            double change = after.kinetic + after.potential - before.kinetic - before.potential;
            CHECK_NEAR(rg_world_energy_sums(world).attached, change, 1e-13, "J");
            largest = fmax(largest, fabs(after.potential - before.potential));
            rg_world_destroy(world);
        }
        cr_expect(floating || largest > 1e-4, "positions have moved: %g J", largest);
        rg_model_destroy(model);
    }
}

/* Two stretched arms of three hinges, hand in hand: a dead point. skew: tilts the axes, so that hands press sideways. */
static RgModel *hand_in_hand(double skew, RgLinkId hand[2])
{
    static const char *const names[2][3] = {{"a0", "a1", "a2"}, {"b0", "b1", "b2"}};
    RgBuilder *b = scene_begin("hands");
    for (int arm = 0; arm < 2; arm++) {
        hand[arm] = (RgLinkId){0};
        for (int i = 0; i < 3; i++) {
            double out = arm == 0 ? 1.0 : -1.0;
            RgLinkId link =
                link_add(b, names[arm][i], inertia_box(2.0 / (1 + i), vec(0.15 * out, 0, 0), vec(0.3, 0.08, 0.06)));
            RgVec3 p = i > 0 ? vec(0.3 * out, 0, 0) : vec(arm == 0 ? 0.0 : 1.8, 0.0, 1.0);
            RgJointDef hinge =
                joint_at(RG_JOINT_revolute, names[arm][i], hand[arm], link, p, vec(skew * (i + arm), 1.0, skew * i));
            hinge.dof[0].lower = i == 1 ? -0.01 : -INFINITY;
            hinge.dof[0].upper = i == 1 ? 0.01 : INFINITY;
            joint_add(b, &hinge);
            hand[arm] = link;
        }
    }
    return scene_end(b);
}

/* Nothing is refused, the hands stay together, and the energy rises by no more than what the projection reports and, in joint
   coordinates, the integrator's part of it. */
Test(attachments, stretched_arms_hold_hands_at_a_dead_point)
{
    static const RgJointType grips[] = {RG_JOINT_revolute, RG_JOINT_spherical};
    for (int k = 0; k < 16; k++) {
        RgLinkId hand[2];
        RgModel *model = hand_in_hand(k & 1 ? 0.1 : 0.0, hand);
        double h = k & 2 ? 1e-2 : 1e-3, v[6] = {1.0, -2.0, 0.7, -1.1, 0.4, 1.3};
        RgWorld *world = world_by(model, k >> 3, "semi-implicit", vec(0, 0, 0));
        rg_world_set_state(world, NULL, v);
        RgAttachmentDef grip = between(grips[k >> 2 & 1], hand[0], hand[1]);
        grip.joint.axis = vec(0, 1, 0);
        grip.joint.X_CJ.p = vec(-0.3, 0, 0);
        attach(world, add(world, &grip));
        double start = world_energy(world), most = start, projected = 0.0;
        for (int i = 0; i < 300; i++) {
            RgStepReport report = {0};
            cr_assert(rg_world_step(world, h, &report) == RG_OK, "%d: step %d refused", k, i);
            cr_assert(report.joint_error < 1e-6, "%d: step %d, %g m apart", k, i, report.joint_error);
            projected += fmax(report.projected, 0.0);
            most = fmax(most, world_energy(world) - projected);
        }
        cr_expect(most <= (1.0 + (k >> 3 ? 1e-5 : 2e-3)) * start, "%d: %g to %g J", k, start, most);
        world_end(world, model);
    }
}

/* ------------------------------------------------------------------ a peg */

static RgModel *peg(void)
{
    RgBuilder *b = scene_begin("peg");
    link_add(b, "peg", inertia_diagonal(0.2, vec(0, 0, 0), vec(3e-4, 3e-4, 1e-4)));
    return scene_end(b);
}

/* A torque turns the peg in: angle by (I + m p^2) a = torque, depth = pitch angle over several turns; past an angle it
   is released. */
Test(attachments, a_peg_is_screwed_in_to_pitch_times_angle)
{
    RgModel *model = peg();
    const double pitch = 0.004, torque = 0.01, inertia = 1e-4 + 0.2 * pitch * pitch;
    for (int k = 0; k < WAYS; k++) {
        RgWorld *world = world_by(model, k, "semi-implicit", vec(0, 0, 0));
        RgAttachmentDef def = between(RG_JOINT_screw, (RgLinkId){0}, (RgLinkId){1});
        def.joint.pitch = pitch;
        def.attach = (RgAttachWhen){.cause = RG_ATTACH_near, .distance = 0.01, .angle = 0.1};
        def.detach = (RgAttachWhen){.cause = RG_ATTACH_above, .distance = 1, .angle = 1, .position = 20.0};
        RgAttachmentId id = add(world, &def);
        rg_world_set_link_wrench(world, (RgLinkId){1}, (RgForce){{0, 0, torque}, {0, 0, 0}});
        world_run(world, 1, H); /* it is where it belongs: attached at the end of the step */
        cr_assert(is_attached(world, id));
        double w0 = rg_world_link_twist(world, (RgLinkId){1}).w.z, rate = H * torque / inertia;
        for (int i = 1; i <= 700; i++) {
            world_run(world, 1, H);
            RgAttachmentReport report;
            rg_world_attachment(world, id, &report);
            double angle = H * (i * w0 + 0.5 * i * (i + 1) * rate);
            if (i % 20 != 0 || !report.attached)
                continue;
            CHECK_REL(report.q[0], angle, 1e-9, "rad");
            CHECK_REL(rg_world_link_pose(world, (RgLinkId){1}).p.z, pitch * angle, 1e-8, "m");
        }
        cr_expect(!is_attached(world, id), "%d: it should have come out", k);
        double z = rg_world_link_pose(world, (RgLinkId){1}).p.z;
        cr_expect(z > pitch * 20.0, "%g", z);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ a hose */

enum { PIECES = 5 };

/* Pieces of a hose on ball joints, loose, with its end at the origin; and a hand on a slider along x. */
static RgModel *hose(void)
{
    RgBuilder *b = scene_begin("hose");
    RgLinkId hand = link_add(b, "hand", inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)));
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, hand, vec(0, 0, 0), vec(1, 0, 0));
    joint_add(b, &slide);
    RgLinkId last = {0};
    for (int i = 0; i < PIECES; i++) {
        char name[16];
        snprintf(name, sizeof name, "piece%d", i);
        RgLinkId piece = link_add(b, name, inertia_rod(0.1, vec(0, 0, 0), vec(0, 0, -0.1), 0.01));
        snprintf(name, sizeof name, "ball%d", i);
        RgJointDef ball = joint_at(RG_JOINT_spherical, name, last, piece, vec(0, 0, -0.1), vec(0, 0, 1));
        if (i > 0)
            joint_add(b, &ball);
        last = piece;
    }
    return scene_end(b);
}

/* Taken at once, carried along by a driven hand, let go at 0.3 s: then its centre of mass falls freely. */
Test(attachments, a_hose_is_grabbed_carried_and_let_go)
{
    RgModel *model = hose();
    RgJointId slide = rg_model_find_joint(model, "slide");
    for (int k = 0; k < WAYS; k++) {
        RgWorld *world = world_by(model, k, "semi-implicit", vec(0, 0, -9.81));
        RgAttachmentDef def = between(RG_JOINT_spherical, (RgLinkId){1}, (RgLinkId){2});
        def.attach = (RgAttachWhen){.cause = RG_ATTACH_near, .distance = 0.01, .angle = 0.1};
        def.detach = (RgAttachWhen){.cause = RG_ATTACH_time, .time = 0.3, .distance = 1, .angle = 1};
        RgAttachmentId id = add(world, &def);
        rg_world_set_joint_motor(world, slide, 0, 0.5, INFINITY);
        world_run(world, 1, H);
        cr_assert(is_attached(world, id));
        while (rg_world_time(world) < 0.299 - 1e-6) {
            world_run(world, 1, H);
            RgAttachmentReport report;
            rg_world_attachment(world, id, &report);
            RgVec3 a = point_on(rg_world_link_pose(world, (RgLinkId){1}), report.X_PJ.p),
                   b = rg_world_link_pose(world, (RgLinkId){2}).p;
            CHECK_NEAR(vec_norm(vec_sub(a, b)), 0.0, strcmp(solvers[k / 2], "quick") == 0 ? 1e-10 : 2e-4, "m");
        }
        world_run(world, 1, H);
        cr_assert(!is_attached(world, id));
        RgMomentum m0, m1;
        rg_world_momentum(world, &m0);
        cr_expect(m0.linear.x > 0.1 * PIECES * 0.3, "the hose was carried along: %g", m0.linear.x);
        world_run(world, 100, H);
        rg_world_momentum(world, &m1);
        double hand = 1.0 * 0.5;                 /* its momentum along x does not change */
        double order = k % 2 == 1 ? 1e-4 : 1e-3; /* joint coordinates: of first order in the step */
        CHECK_NEAR(m1.linear.x - hand, m0.linear.x - hand, order, "N s");
        CHECK_NEAR(m1.linear.z - m0.linear.z, -0.1 * PIECES * 9.81 * 100 * H, order, "N s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ breaking */

/* A weight on the world, pulled down by a force that grows by 0.05 N a step: the joint breaks at the end of the first
   step with m g + f > 8 N, not before, and reports what it carried. */
Test(attachments, a_joint_breaks_at_the_force_that_it_bears)
{
    RgModel *model = peg();
    const double weight = 0.2 * 9.81, bears = 8.0, more = 0.05;
    for (int k = 0; k < WAYS; k++) {
        RgWorld *world = world_by(model, k, "semi-implicit", vec(0, 0, -9.81));
        RgAttachmentDef def = between(RG_JOINT_fixed, (RgLinkId){0}, (RgLinkId){1});
        def.break_force = bears;
        RgAttachmentId id = add(world, &def);
        attach(world, id);
        int n = 0;
        while (is_attached(world, id) && n < 1000) {
            n++;
            rg_world_set_link_wrench(world, (RgLinkId){1}, (RgForce){{0, 0, 0}, {0, 0, -more * n}});
            world_run(world, 1, H);
        }
        cr_expect(n == (int)ceil((bears - weight) / more), "broke in step %d", n);
        const RgEvent *events;
        int count = rg_world_events(world, &events);
        cr_assert(count == 1 && events[0].kind == RG_EVENT_broke && events[0].attachment == id.i);
        CHECK_NEAR(events[0].force, weight + more * n, 1e-9, "N");
        CHECK_NEAR(events[0].t, n * H, 1e-12, "s");
        CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){1}).v.z, 0.0, 1e-12, "m/s");
        rg_world_set_link_wrench(world, (RgLinkId){1}, (RgForce){{0, 0, 0}, {0, 0, 0}});
        world_run(world, 100, H);
        CHECK_REL(rg_world_link_twist(world, (RgLinkId){1}).v.z, -9.81 * 100 * H, 1e-9, "m/s");
        cr_expect(!is_attached(world, id));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A weight whirled about on a hinge carries m w^2 r: it holds where that is less, and goes where it is more. */
Test(attachments, a_whirled_weight_breaks_loose_at_m_w2_r)
{
    RgBuilder *b = scene_begin("whirl");
    RgLinkId arm = link_add(b, "arm", inertia_box(50.0, vec(0, 0, 0), vec(1.0, 1.0, 0.1)));
    RgJointDef hinge = joint_at(RG_JOINT_continuous, "hinge", (RgLinkId){0}, arm, vec(0, 0, 0), vec(0, 0, 1));
    joint_add(b, &hinge);
    RgPose out = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {1.0, 0.0, 0.0}};
    link_add_at(b, "weight", inertia_box(0.1, vec(0, 0, 0), vec(0.02, 0.02, 0.02)), out);
    RgModel *model = scene_end(b);
    const double w = 4.0, carries = 0.1 * w * w * 1.0;
    for (int k = 0; k < 2 * WAYS; k++) {
        RgWorld *world = world_by(model, k % WAYS, "semi-implicit", vec(0, 0, 0));
        double v[7] = {w, 0, 0, w, 0, w, 0};
        cr_assert(rg_model_info(model).nv == 7);
        RgAttachmentDef def = between(RG_JOINT_fixed, arm, (RgLinkId){2});
        def.break_force = (k < WAYS ? 1.01 : 0.98) * carries;
        RgAttachmentId id = add(world, &def);
        attach(world, id);
        rg_world_set_state(world, NULL, v);
        rg_world_assemble(world, NULL);
        rg_world_set_joint_motor(world, rg_model_find_joint(model, "hinge"), 0, w, INFINITY);
        world_run(world, 200, H);
        cr_expect(is_attached(world, id) == (k < WAYS), "%d", k);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ every stepper */

/* A weight attached to the world by a hinge swings with every stepper, in both forms: its energy stays, the joint
   holds; released, it flies on. */
Test(attachments, hold_with_every_stepper)
{
    RgModel *model = peg();
    for (int i = 0; i < 2 * rg_stepper_count(); i++) {
        const char *stepper = rg_stepper_name(i / 2);
        RgWorldDef wd = world_def(model, both_forms[i % 2], stepper);
        wd.max_attachments = 1;
        RgWorld *world = world_make(&wd);
        RgAttachmentDef def = between(RG_JOINT_revolute, (RgLinkId){0}, (RgLinkId){1});
        def.joint.axis = vec(0, 1, 0);
        def.joint.X_CJ.p = vec(-0.3, 0, 0);
        def.detach = (RgAttachWhen){.cause = RG_ATTACH_time, .time = 0.2, .distance = 1, .angle = 1};
        RgAttachmentId id = add(world, &def);
        attach(world, id);
        double start = world_energy(world), error = 0.0;
        while (rg_world_time(world) < 0.2 - 1.5 * H) {
            error = fmax(error, world_run(world, 1, H));
            RgVec3 p = rg_world_link_pose(world, (RgLinkId){1}).p;
            CHECK_NEAR(vec_norm(vec_sub(p, vec(-0.3, 0, 0))), 0.3, 1e-3, "m");
        }
        CHECK_NEAR(error, 0.0, 1e-9, stepper);
        CHECK_NEAR(world_energy(world), start, 4e-3, stepper);
        cr_expect(rg_world_link_twist(world, (RgLinkId){1}).v.z < -1.0);
        world_run(world, 2, H);
        cr_expect(!is_attached(world, id), "%s", stepper);
        double v = rg_world_link_twist(world, (RgLinkId){1}).v.z;
        world_run(world, 10, H);
        CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){1}).v.z, v - 9.81 * 10 * H, 1e-9, stepper);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
