/*
 * test_world.c - the contract of a world beyond its physics: what it refuses and with which words, what
 * keeps and what changes when parts of the state are set, edges such as an empty model.
 */
#include "check_near.h"
#include "counting.h"
#include "identities.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define NAN_ ((double)NAN)

static void expect_no_world(const RgWorldDef *def, RgStatus status, const char *text)
{
    RgError error = {0};
    RgWorld *world = rg_world_create(def, &error);
    cr_expect(world == NULL && error.status == status, "%s: %s", text, rg_status_text(error.status));
    cr_expect(strstr(error.text, text) != NULL, "expected '%s', got '%s'", text, error.text);
    cr_expect(rg_world_create(def, NULL) == NULL, "the error may be left out");
}

Test(world, definitions_that_are_refused)
{
    RgModel *model = scene_box();
    RgWorldDef good = world_def(model, "minimal", "rk4"), def = {0};
    def.model = model;
    expect_no_world(&def, RG_ERR_ARGUMENT, "must start from rg_world_def_default()");
    def = good;
    def.model = NULL;
    expect_no_world(&def, RG_ERR_ARGUMENT, "and name a model");
    def = good;
    def.coords = "polar";
    expect_no_world(&def, RG_ERR_NOT_FOUND, "no coordinates called 'polar'");
    def.coords = NULL;
    expect_no_world(&def, RG_ERR_NOT_FOUND, "no coordinates called ''");
    def = good;
    def.stepper = "leapfrog";
    expect_no_world(&def, RG_ERR_NOT_FOUND, "no stepper called 'leapfrog'");
    def.stepper = NULL;
    expect_no_world(&def, RG_ERR_NOT_FOUND, "no stepper called ''");
    def = good;
    def.gravity.y = NAN_;
    expect_no_world(&def, RG_ERR_ARGUMENT, "gravity must be finite");
    def = good;
    def.dissipation = 1.5;
    expect_no_world(&def, RG_ERR_ARGUMENT, "dissipation must be between 0 and 1, not 1.5");
    static const double tolerances[4] = {0.0, 1e-15, 2.0, NAN_};
    for (int i = 0; i < 4; i++) {
        def = good;
        RgAdaptOptions adapt = rg_adapt_options_default();
        adapt.tolerance = tolerances[i];
        def.adapt = &adapt;
        expect_no_world(&def, RG_ERR_ARGUMENT, "tolerance must be between 1e-14 and 1");
    }
    world_end(NULL, model);
}

/* Nothing moves in an empty model, but time goes on. */
Test(world, an_empty_model_runs)
{
    RgModel *model = scene_end(scene_begin("empty"));
    for (int i = 0; i < 2 * rg_stepper_count(); i++) {
        RgWorld *world = world_of(model, both_forms[i % 2], rg_stepper_name(i / 2));
        uint64_t hash = rg_world_hash(world);
        RgMomentum m;
        double left = 1.0;
        world_run(world, 3, 0.5);
        CHECK_NEAR(rg_world_time(world), 1.5, 0.0, "s");
        cr_expect(rg_world_hash(world) != hash, "time counts");
        cr_expect(rg_world_momentum(world, &m) == RG_OK && m.mass == 0.0 && m.kinetic == 0.0);
        cr_expect(rg_world_assemble(world, &left) == RG_OK && left == 0.0);
        cr_expect(rg_world_set_state(world, NULL, NULL) == RG_OK && rg_world_joint_error(world) == 0.0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Setting one half of the state keeps the other, in joint coordinates: also where bodies hold it. */
Test(world, halves_of_the_state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed), t = random_state(model, seed + 1000);
        RgWorld *world = world_of(model, both_forms[seed % 2], "rk4");
        rg_world_set_state(world, s.q, s.v);
        cr_expect(rg_world_set_state(world, t.q, NULL) == RG_OK);
        CHECK_NEAR_ALL(rg_world_q(world), t.q, s.nq, 1e-11, "rad or m");
        CHECK_NEAR_ALL(rg_world_v(world), s.v, s.nv, 1e-10, "rad/s or m/s");
        cr_expect(rg_world_set_state(world, NULL, t.v) == RG_OK);
        CHECK_NEAR_ALL(rg_world_q(world), t.q, s.nq, 1e-11, "rad or m");
        CHECK_NEAR_ALL(rg_world_v(world), t.v, s.nv, 1e-10, "rad/s or m/s");
        rg_world_destroy(world);
        test_state_destroy(&s);
        test_state_destroy(&t);
        rg_model_destroy(model);
    }
}

/* By joint, all kinds, in both forms: what is set is read, everything else stays. */
Test(world, joints_one_by_one)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed), t = random_state(model, seed + 1000);
        RgWorld *world = world_of(model, both_forms[seed % 2], "rk4");
        rg_world_set_state(world, s.q, s.v);
        for (int j = 1; j <= rg_model_info(model).joints; j++) {
            RgJointInfo joint = rg_model_joint(model, (RgJointId){j});
            if (joint.q_index < 0)
                continue;
            double *q = s.q + joint.q_index, *v = s.v + joint.v_index, read[7];
            memcpy(q, t.q + joint.q_index, (size_t)joint.nq * sizeof *q);
            memcpy(v, t.v + joint.v_index, (size_t)joint.nv * sizeof *v);
            cr_assert(rg_world_set_joint_position(world, (RgJointId){j}, q) == RG_OK);
            cr_assert(rg_world_set_joint_rate(world, (RgJointId){j}, v) == RG_OK);
            cr_assert(rg_world_joint_position(world, (RgJointId){j}, read) == RG_OK);
            CHECK_NEAR_ALL(read, q, joint.nq, 1e-11, "rad or m");
            cr_assert(rg_world_joint_rate(world, (RgJointId){j}, read) == RG_OK);
            CHECK_NEAR_ALL(read, v, joint.nv, 1e-10, "rad/s or m/s");
        }
        CHECK_NEAR_ALL(rg_world_q(world), s.q, s.nq, 1e-10, "rad or m");
        CHECK_NEAR_ALL(rg_world_v(world), s.v, s.nv, 1e-9, "rad/s or m/s");
        rg_world_destroy(world);
        test_state_destroy(&s);
        test_state_destroy(&t);
        rg_model_destroy(model);
    }
}

/* Positions that are rotations come as quaternions of any length but zero. */
Test(world, quaternions_are_made_unit)
{
    RgModel *model = scene_box();
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        const double long_q[7] = {3.0, 0.0, 4.0, 0.0, 1.0, 2.0, 3.0}, unit_q[7] = {0.6, 0.0, 0.8, 0.0, 1.0, 2.0, 3.0};
        const double no_q[7] = {0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0}, straight[7] = {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0};
        cr_expect(rg_world_set_state(world, long_q, NULL) == RG_OK);
        CHECK_NEAR_ALL(rg_world_q(world), unit_q, 7, 1e-15, "");
        cr_expect(rg_world_set_state(world, no_q, NULL) == RG_OK);
        CHECK_NEAR_ALL(rg_world_q(world), straight, 7, 1e-15, "");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A post welded to the world, a hinge, a joint inside one body, and ids that are none. */
Test(world, joints_that_cannot_be_asked_or_set)
{
    RgBuilder *b = scene_begin("ids");
    RgVec3 O = {0.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    RgInertia box = inertia_box(2.0, O, vec(0.1, 0.2, 0.3));
    RgLinkId post = link_add(b, "post", box), arm = link_add(b, "arm", box), tool = link_add(b, "tool", box);
    RgJointDef defs[4] = {joint_at(RG_JOINT_fixed, "foot", (RgLinkId){0}, post, O, z),
                          joint_at(RG_JOINT_revolute, "hinge", post, arm, O, z),
                          joint_at(RG_JOINT_fixed, "grip", arm, tool, O, z),
                          joint_at(RG_JOINT_revolute, "inside", arm, tool, O, z)};
    defs[3].may_close_loop = true;
    for (int i = 0; i < 4; i++)
        joint_add(b, &defs[i]);
    RgModel *model = scene_end(b);
    static const struct {
        int joint;
        RgStatus ask, effort, set;
    } cases[6] = {{-1, RG_ERR_NOT_FOUND, RG_ERR_NOT_FOUND, RG_ERR_NOT_FOUND},
                  {0, RG_ERR_NOT_FOUND, RG_ERR_NOT_FOUND, RG_ERR_NOT_FOUND},
                  {1, RG_OK, RG_ERR_UNSUPPORTED, RG_ERR_UNSUPPORTED},
                  {2, RG_OK, RG_OK, RG_OK},
                  {4, RG_ERR_UNSUPPORTED, RG_ERR_UNSUPPORTED, RG_ERR_UNSUPPORTED},
                  {5, RG_ERR_NOT_FOUND, RG_ERR_NOT_FOUND, RG_ERR_NOT_FOUND}};
    for (int i = 0; i < 12; i++) {
        RgJointId id = {cases[i / 2].joint};
        RgWorld *world = world_of(model, both_forms[i % 2], "rk4");
        double x[7] = {0.0};
        cr_expect(rg_world_joint_position(world, id, x) == cases[i / 2].ask, "joint %d", id.i);
        cr_expect(rg_world_joint_rate(world, id, x) == cases[i / 2].ask, "joint %d", id.i);
        cr_expect(rg_world_joint_effort(world, id, x) == cases[i / 2].effort, "joint %d", id.i);
        cr_expect(rg_world_set_joint_position(world, id, x) == cases[i / 2].set, "joint %d", id.i);
        cr_expect(rg_world_set_joint_rate(world, id, x) == cases[i / 2].set, "joint %d", id.i);
        cr_expect(rg_world_set_joint_effort(world, id, x) == cases[i / 2].set, "joint %d", id.i);
        x[0] = NAN_;
        cr_expect(rg_world_set_joint_effort(world, id, x) == (id.i == 2 ? RG_ERR_NOT_FINITE : cases[i / 2].set));
        RgForce bad = {{0.0, 0.0, 0.0}, {0.0, NAN_, 0.0}}, good = {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
        cr_expect(rg_world_set_link_wrench(world, arm, bad) == RG_ERR_NOT_FINITE);
        cr_expect(rg_world_set_link_wrench(world, (RgLinkId){4}, good) == RG_ERR_NOT_FOUND);
        cr_expect(rg_world_set_link_wrench(world, (RgLinkId){0}, good) == RG_ERR_NOT_FOUND);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A wrench on a welded link acts on the body that it belongs to; one on a link of the world does
   nothing. */
Test(world, wrenches_on_welded_links)
{
    RgBuilder *b = scene_begin("welds");
    RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    RgInertia box = inertia_box(2.0, O, vec(0.1, 0.2, 0.3));
    RgLinkId post = link_add(b, "post", box), arm = link_add(b, "arm", box), tool = link_add(b, "tool", box);
    RgJointDef defs[3] = {joint_at(RG_JOINT_fixed, "foot", (RgLinkId){0}, post, O, y),
                          joint_at(RG_JOINT_revolute, "hinge", post, arm, O, y),
                          joint_at(RG_JOINT_fixed, "grip", arm, tool, vec(1.5, 0.0, 0.0), y)};
    for (int i = 0; i < 3; i++)
        joint_add(b, &defs[i]);
    RgModel *model = scene_end(b);
    RgForce push = {{0.0, 0.0, 0.0}, {0.0, 0.0, 4.0}};
    double inertia = 2.0 * box.I.yy + 2.0 * 1.5 * 1.5, a;
    for (int i = 0; i < 2; i++) {
        RgWorldDef def = world_def(model, both_forms[i], "rk4");
        def.gravity = O;
        RgWorld *world = world_make(&def);
        cr_expect(rg_world_set_link_wrench(world, post, push) == RG_OK && rg_world_acceleration(world, &a) == RG_OK);
        CHECK_NEAR(a, 0.0, 1e-13, "rad/s^2");
        cr_expect(rg_world_set_link_wrench(world, tool, push) == RG_OK && rg_world_acceleration(world, &a) == RG_OK);
        CHECK_REL(a, -4.0 * 1.5 / inertia, 1e-12, "rad/s^2");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The world itself, frames on it and on links. */
Test(world, poses_of_frames)
{
    RgBuilder *b = scene_begin("frames");
    RgLinkId link =
        link_add_at(b, "link", inertia_box(2.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.2, 0.3)), place_at(1.0, 2.0, 3.0));
    RgFrameDef frames[2] = {rg_frame_def_default(), rg_frame_def_default()};
    frames[0].name = "on_world";
    frames[0].X_LF = place_at(5.0, 0.0, 0.0);
    frames[1].name = "on_link";
    frames[1].X_LF = place_at(0.5, 0.0, 0.0);
    frames[1].link = link;
    RgFrameId ids[2] = {rg_builder_add_frame(b, &frames[0]), rg_builder_add_frame(b, &frames[1])};
    RgModel *model = scene_end(b);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        CHECK_NEAR(vec_distance(rg_world_frame_pose(world, ids[0]).p, vec(5.0, 0.0, 0.0)), 0.0, 0.0, "m");
        CHECK_NEAR(vec_distance(rg_world_frame_pose(world, ids[1]).p, vec(1.5, 2.0, 3.0)), 0.0, 1e-15, "m");
        CHECK_NEAR(vec_norm(rg_world_link_pose(world, (RgLinkId){0}).p), 0.0, 0.0, "m");
        CHECK_NEAR(vec_norm(rg_world_link_twist(world, (RgLinkId){0}).v), 0.0, 0.0, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Time is part of the state: it takes no number that is none. */
Test(world, time_stays_finite)
{
    RgModel *model = scene_box();
    RgWorld *world = world_of(model, "minimal", "rk4");
    rg_world_set_time(world, 4.0);
    rg_world_set_time(world, NAN_);
    rg_world_set_time(world, (double)INFINITY);
    CHECK_NEAR(rg_world_time(world), 4.0, 0.0, "s");
    rg_world_set_time(world, 1.7e308);
    cr_expect(rg_world_step(world, 1.7e308, NULL) != RG_OK, "time overflowed");
    cr_expect(isfinite(rg_world_time(world)));
    world_end(world, model);
}

/* Assembling keeps a state that is right, and takes one that is wrong to the nearest right one, velocities
   too. */
Test(world, assembling)
{
    RgModel *model = scene_four_bar();
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        uint64_t hash = rg_world_hash(world);
        double left = 1.0;
        cr_expect(rg_world_assemble(world, &left) == RG_OK && left < 1e-12);
        cr_expect(rg_world_hash(world) == hash, "a closed loop was moved");
        const double q[3] = {0.02, 0.0, 0.0}, v[3] = {1.0, 1.0, 1.0};
        rg_world_set_state(world, q, v);
        cr_expect(rg_world_assemble(world, NULL) == RG_OK);
        CHECK_NEAR(rg_world_joint_error(world), 0.0, 1e-12, "m");
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(rg_world_q(world)[k], q[k], 0.06, "rad");

        /* The pin's ends move together: the velocities are those of a closed loop. */
        RgMotion coupler = rg_world_link_twist(world, rg_model_find_link(model, "coupler"));
        RgMotion rocker = rg_world_link_twist(world, rg_model_find_link(model, "rocker"));
        RgPose X = rg_world_link_pose(world, rg_model_find_link(model, "coupler"));
        RgPose Y = rg_world_link_pose(world, rg_model_find_link(model, "rocker"));
        RgVec3 one = vec_add(coupler.v, vec_cross(coupler.w, mat_apply(X.R, vec(1.2, 0.0, 0.5))));
        RgVec3 two = vec_add(rocker.v, vec_cross(rocker.w, mat_apply(Y.R, vec(0.0, 0.0, 0.9))));
        CHECK_NEAR(vec_distance(one, two), 0.0, 1e-11, "m/s");
        cr_expect(vec_norm(one) > 0.1, "it does not move");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* All efforts at once are those of the joints one by one; what is not finite is refused, and nothing of the row is
   taken. */
Test(world, efforts_at_once)
{
    RgModel *model = scene_arm();
    const double tau[6] = {1.0, -2.0, 0.5, 0.25, 0.0, 0.125}, bad[6] = {9.0, 9.0, 9.0, 9.0, 9.0, NAN};
    for (int i = 0; i < 2; i++) {
        RgWorld *one = world_of(model, both_forms[i], "semi-implicit");
        RgWorld *all = world_of(model, both_forms[i], "semi-implicit");
        for (int k = 0; k < 6; k++) {
            RgJointId joint = {k + 1};
            cr_assert(rg_world_set_joint_effort(one, joint, &tau[rg_model_joint(model, joint).v_index]) == RG_OK);
        }
        cr_expect(rg_world_set_efforts(all, tau) == RG_OK);
        cr_expect(rg_world_set_efforts(all, bad) == RG_ERR_NOT_FINITE);
        world_run(one, 10, 1e-3);
        world_run(all, 10, 1e-3);
        cr_expect(rg_world_hash(one) == rg_world_hash(all), "%s", both_forms[i]);
        rg_world_destroy(one);
        rg_world_destroy(all);
    }
    rg_model_destroy(model);
}
