/*
 * test_turning.c - the midpoint rule for w x I w against its own equation, and what it leaves alone.
 */
#include "check_near.h"
#include "draw.h"
#include "scene_parts.h"
#include "sim/world_internal.h"
#include "worlds.h"

/* A free body with drawn inertia and a drawn wrench, in one form. */
static RgModel *body_drawn(Draw *d, RgVec3 com)
{
    RgBuilder *b = scene_begin("body");
    RgVec3 size = vec(draw_between(d, 0.1, 1.0), draw_between(d, 0.1, 1.0), draw_between(d, 0.1, 1.0));
    link_add(b, "body", inertia_box(draw_between(d, 0.5, 3.0), com, size));
    return scene_end(b);
}

/* I (w1 - w0) + h wm x I wm = h torque about the centre, in the axes of the body, to the last digits. */
Test(turning, midpoint_rule)
{
    Draw d = draw_seed(20);
    for (int k = 0; k < 40; k++) {
        RgModel *model = body_drawn(&d, vec(0, 0, 0));
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.gravity = vec(0, 0, 0);
        RgWorld *world = world_make(&def);
        double v[6], h = draw_between(&d, 1e-3, 0.1);
        for (int i = 0; i < 6; i++)
            v[i] = draw_between(&d, -8.0, 8.0);
        rg_world_set_state(world, NULL, v);
        RgForce wrench = {.n = vec(draw_between(&d, -1, 1), draw_between(&d, -1, 1), draw_between(&d, -1, 1))};
        rg_world_set_link_wrench(world, (RgLinkId){1}, wrench); /* not turned yet: world axes are the body's */
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
        const double *next = rg_world_v(world);
        RgSym3 I = rg_model_link(model, (RgLinkId){1}).inertia.I;
        RgVec3 w0 = vec(v[0], v[1], v[2]), w1 = vec(next[0], next[1], next[2]);
        RgVec3 mid = vec_scale(0.5, vec_add(w0, w1)), gyro = vec_cross(mid, s3_apply(I, mid));
        RgVec3 change = s3_apply(I, vec_sub(w1, w0));
        double left[3] = {change.x + h * gyro.x, change.y + h * gyro.y, change.z + h * gyro.z};
        double right[3] = {h * wrench.n.x, h * wrench.n.y, h * wrench.n.z};
        CHECK_NEAR_ALL(left, right, 3, 1e-11, "kg m^2/s");
        world_end(world, model);
    }
}

/* Accelerations of a body that does not turn, and of one whose moments are all the same, are left alone. */
Test(turning, nothing_to_do)
{
    RgBuilder *b = scene_begin("two");
    link_add(b, "cube", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)));
    link_add(b, "brick", inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.2, 0.3)));
    RgModel *model = scene_end(b);
    RgWorld *world = world_of(model, "maximal", "semi-implicit");
    double u[12] = {3.0, 2.0, 1.0, 0, 0, 0, 0, 0, 0, 1.0, 0, 0}, a[12], before[12];
    for (int i = 0; i < 12; i++)
        a[i] = before[i] = 0.1 * i;
    rg_stage_gyroscopic(&world->scope, u, 1e-3, a);
    CHECK_NEAR_ALL(a, before, 12, 1e-12, "rad/s^2");
    world_end(world, model);
}

/* Nobody is calmed who turns by less than a radian; then a whole mechanism is, and its twists come back. */
Test(turning, calms_what_turns_too_far)
{
    RgBuilder *b = scene_begin("arm");
    RgLinkId one = link_add(b, "one", inertia_rod(1.0, vec(0, 0, 0), vec(0, 0, -0.3), 0.02));
    RgLinkId two = link_add(b, "two", inertia_rod(1.0, vec(0, 0, 0), vec(0, 0, -0.3), 0.02));
    RgJointDef first = joint_at(RG_JOINT_revolute, "first", (RgLinkId){0}, one, vec(0, 0, 0), vec(1, 0, 0));
    RgJointDef second = joint_at(RG_JOINT_revolute, "second", one, two, vec(0, 0, -0.3), vec(0, 1, 0));
    joint_add(b, &first);
    joint_add(b, &second);
    RgModel *model = scene_end(b);
    for (int form = 0; form < 2; form++) {
        RgWorld *world = world_of(model, both_forms[form], "semi-implicit");
        double v[2] = {0.5, 30.0};
        rg_world_set_state(world, NULL, v);
        rg_world_q(world);
        cr_expect(!rg_stage_drop_products(&world->scope, 0.01));
        RgMotion V = world->scope.form->kin->V[1];
        RgStepReport report = {0};
        world->scope.report = &report;
        cr_expect(rg_stage_drop_products(&world->scope, 0.1) && report.dropped_products == 2);
        cr_expect(v3_norm(world->scope.form->kin->V[1].w) == 0.0 && v3_norm(world->scope.form->kin->V[0].w) == 0.0);
        rg_stage_restore_twists(&world->scope);
        cr_expect(v3_norm(v3_sub(world->scope.form->kin->V[1].w, V.w)) == 0.0);
        world->scope.report = &world->reports.idle;
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A wheel of moment C on a gimbal of moment I, both hinged. */
static bool calms_wheel(const char *coords, double C, double I, double spin, double swing)
{
    RgBuilder *b = scene_begin("gyroscope");
    RgLinkId gimbal = link_add(b, "gimbal", inertia_diagonal(1.0, vec(0, 0, 0), vec(I, 2.0 * I, 2.0 * I)));
    RgLinkId wheel = link_add(b, "wheel", inertia_diagonal(1.0, vec(0, 0.1, 0), vec(0.6 * C, C, 0.6 * C)));
    RgJointDef first = joint_at(RG_JOINT_revolute, "first", (RgLinkId){0}, gimbal, vec(0, 0, 0), vec(1, 0, 0));
    RgJointDef second = joint_at(RG_JOINT_continuous, "second", gimbal, wheel, vec(0, 0, 0), vec(0, 1, 0));
    joint_add(b, &first);
    joint_add(b, &second);
    RgModel *model = scene_end(b);
    RgWorld *world = world_of(model, coords, "semi-implicit");
    const double v[2] = {swing, spin};
    rg_world_set_state(world, NULL, v);
    rg_world_q(world);
    RgStepReport report = {0};
    world->scope.report = &report;
    bool calm = rg_stage_drop_products(&world->scope, 1e-3);
    if (calm)
        rg_stage_restore_twists(&world->scope);
    world->scope.report = &world->reports.idle;
    world_end(world, model);
    return calm;
}

/* The spin of a round wheel counts by the nutation that it gives its carrier; a carrier's own turn as ever. */
Test(turning, calms_no_rotor_for_its_spin_alone)
{
    for (int form = 0; form < 2; form++) {
        const char *coords = both_forms[form];
        cr_expect(!calms_wheel(coords, 1e-4, 0.1, 5e3, 1.0), "a small rotor in a heavy link");
        cr_expect(calms_wheel(coords, 1e-2, 1e-4, 5e3, 1.0), "a heavy wheel in a light gimbal");
        cr_expect(calms_wheel(coords, 1e-4, 0.1, 5e3, 2e3), "a carrier that turns too far itself");
    }
}

/* One that is not balanced is no rotor. */
Test(turning, calms_what_is_not_round)
{
    RgBuilder *b = scene_begin("flail");
    RgLinkId bar = link_add(b, "bar", inertia_diagonal(1.0, vec(0.01, 0, 0), vec(0.6, 1.0, 0.6)));
    RgJointDef hinge = joint_at(RG_JOINT_continuous, "hinge", (RgLinkId){0}, bar, vec(0, 0, 0), vec(0, 1, 0));
    RgLinkId tip = link_add(b, "tip", inertia_diagonal(1.0, vec(0.1, 0, 0), vec(0.1, 0.1, 0.1)));
    RgJointDef second = joint_at(RG_JOINT_revolute, "second", (RgLinkId){0}, tip, vec(1, 0, 0), vec(0, 1, 0));
    RgCouplingDef gear = rg_coupling_def_default();
    gear.joint = joint_add(b, &hinge);
    gear.reference = joint_add(b, &second);
    gear.ratio = 10.0;
    cr_assert(rg_builder_add_coupling(b, &gear));
    RgModel *model = scene_end(b);
    for (int form = 0; form < 2; form++) {
        RgWorld *world = world_of(model, both_forms[form], "semi-implicit");
        const double v[2] = {2000.0, 200.0};
        rg_world_set_state(world, NULL, v);
        rg_world_q(world);
        RgStepReport report = {0};
        world->scope.report = &report;
        cr_expect(rg_stage_drop_products(&world->scope, 1e-3));
        rg_stage_restore_twists(&world->scope);
        world->scope.report = &world->reports.idle;
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
