/*
 * test_advance.c - steppers of papers 000 and 001 (advance, c2a, rigid-001): nothing is missed, nothing overlaps, work
 * ends, rest is rest; orders and tolerances; what is refused.
 */
#include "check_near.h"
#include "located_shots.h"
#include "scenes.h"
#include "touching.h"
#include "worlds.h"

#include <string.h>

static const char *const names[] = {"advance", "c2a", "rigid-001"};

static RgWorldDef def_of(const RgModel *model, const char *coords, const char *stepper, RgAdaptOptions *adapt)
{
    RgWorldDef def = world_def(model, coords, stepper);
    *adapt = rg_adapt_options_default();
    def.adapt = adapt;
    return def;
}

/* ------------------------------------------------------------------ nothing is missed */

/* Whether a shot goes through what it should meet. */
static bool misses(const char *stepper, ShotKind kind, double speed, double h, uint64_t seed)
{
    Draw d = draw_seed(seed);
    Shot shot = shot_create(kind, speed, h, &d);
    RgWorldDef def = world_def(shot.model, "minimal", stepper);
    def.gravity = shot.gravity;
    RgWorld *world = world_make(&def);
    shot_start(&shot, world);
    ShotJudge judge = {.shot = &shot, .t = (double)NAN};
    while (rg_world_time(world) < shot.end) {
        cr_assert(rg_world_step(world, h, NULL) == RG_OK, "%s: shot %d of %g m/s", stepper, kind, speed);
        shot_look(world, &judge);
    }
    bool missed = !isnan(shot.touch) && shot_missed(&judge, world);
    cr_expect(!(rg_world_step_statistics(world).least_distance < 0.0));
    rg_world_destroy(world);
    shot_destroy(&shot);
    return missed;
}

Test(advance, thin_things_stop_fast_ones)
{
    static const double speeds[] = {10.0, 100.0, 1e3, 1e4}, steps[] = {0.1, 0.01, 1e-3};
    int plain = 0, shots = 0;
    for (int i = 0; i < 12; i++) {
        double speed = speeds[i / 3], h = steps[i % 3];
        for (int k = 0; k < 2; k++)
            cr_expect(!misses(names[k], SHOT_FIXED, speed, h, 7), "%s: %g m/s at %g s", names[k], speed, h);
        plain += misses("semi-implicit-000", SHOT_FIXED, speed, h, 7);
        shots++;
    }
    cr_expect(plain > shots / 3, "plain steps miss %d of %d", plain, shots);
}

Test(advance, plates_and_swings)
{
    int plain = 0;
    for (int i = 0; i < 6; i++) {
        ShotKind kind = i % 2 == 0 ? SHOT_GATE : SHOT_SWING;
        for (int k = 0; k < 2; k++)
            cr_expect(!misses(names[k], kind, 0.0, 0.01, 30u + (uint64_t)i), "%s: %d", names[k], i);
        plain += misses("semi-implicit-000", kind, 0.0, 0.01, 30u + (uint64_t)i);
    }
    cr_expect(plain > 0, "plain steps miss none");
}

Test(advance, end_of_a_chain)
{
    cr_expect(!misses("advance", SHOT_CHAIN, 0.0, 0.01, 1));
}

/* ------------------------------------------------------------------ rest, bounces */

/* Four boxes on each other and a fifth dropped beside them: nominal steps once all rests, nothing lost of the gaps. */
Test(advance, what_rests_takes_whole_steps)
{
    for (int i = 0; i < 6; i++) {
        RgBuilder *b = scene_begin("stack");
        ground_add(b, surface_mu(0.5));
        RgLinkId top = {0};
        for (int k = 0; k < 4; k++)
            top = box_add(b, (const char *[]){"a", "b", "c", "d"}[k], 1.0, vec(0.2, 0.2, 0.2),
                          vec(0.0, 0.0, 0.1 + 0.2 * k + 5e-8 * (k + 1)), surface_mu(0.5));
        box_add(b, "e", 1.0, vec(0.2, 0.2, 0.2), vec(1.0, 0.0, 0.3), surface_mu(0.5));
        RgModel *model = scene_end(b);
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, both_forms[i % 2], names[i / 2], &adapt);
        RgWorld *world = world_make(&def);
        world_run(world, 100, 0.01);
        RgStepStatistics before = rg_world_step_statistics(world);
        world_run(world, 100, 0.01);
        RgStepStatistics after = rg_world_step_statistics(world);
        cr_expect(after.steps - before.steps == 100, "%s: %d", def.stepper, (int)(after.steps - before.steps));
        cr_expect(after.least_distance > 1e-8, "%s: %g", def.stepper, after.least_distance);
        CHECK_NEAR(rg_world_link_pose(world, top).p.z, 0.7, 1e-6, "m");
        CHECK_NEAR(contact_force_on(world, top).z, TOUCH_G, 1e-6, "N");
        cr_expect(after.events[RG_EVENT_touch] == 5 && after.events[RG_EVENT_impact] >= 1);
        world_end(world, model);
    }
}

/* A ball that bounces ever lower comes to rest, in finite work; the first touch is when it should be. */
Test(advance, bouncing_ends)
{
    for (int i = 0; i < 3; i++) {
        RgBuilder *b = scene_begin("ball");
        RgSurfaceDef surface = surface_mu(0.5);
        surface.restitution = 0.5;
        surface.restitution_threshold = 0.0;
        ground_add(b, surface);
        RgLinkId ball = ball_add(b, "ball", 1.0, 0.1, vec(0.0, 0.0, 0.6), surface);
        RgModel *model = scene_end(b);
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, "minimal", names[i], &adapt);
        adapt.h_min = 1e-6;
        RgWorld *world = world_make(&def);
        double first = 0.0;
        for (int k = 0; k < 3000; k++) {
            const RgEvent *events;
            cr_assert(rg_world_step(world, 1e-3, NULL) == RG_OK);
            if (rg_world_events(world, &events) > 0 && first == 0.0)
                first = events[0].t;
        }
        CHECK_NEAR(first, sqrt(2.0 * 0.5 / TOUCH_G), i == 1 ? 1e-7 : 1e-3, "s");
        CHECK_NEAR(rg_world_link_pose(world, ball).p.z, 0.1, 1e-5, "m");
        cr_expect(rg_world_step_statistics(world).steps < 200000);
        cr_expect(rg_world_step_statistics(world).events[RG_EVENT_impact] > 5);
        world_end(world, model);
    }
}

/* ------------------------------------------------------------------ ordinary time stepping */

/* With h_min of a whole step: one inner step each, and without contacts the very numbers of semi-implicit-000. */
Test(advance, h_min_of_a_step_is_time_stepping)
{
    for (int i = 0; i < 2; i++) {
        RgModel *model = scene_double_pendulum();
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, both_forms[i], "advance", &adapt);
        adapt.h_min = 1e-3;
        RgWorld *advance = world_make(&def), *plain = world_of(model, both_forms[i], "semi-implicit-000");
        world_run(advance, 500, 1e-3);
        world_run(plain, 500, 1e-3);
        RgModelInfo info = rg_model_info(model);
        CHECK_NEAR_ALL(rg_world_q(advance), rg_world_q(plain), info.nq, 0.0, "rad");
        cr_expect(rg_world_step_statistics(advance).steps == 500);
        rg_world_destroy(advance);
        world_end(plain, model);
    }
}

/* The same with contacts: a box lands, slides and stops as there, to what the two make of a gap. */
Test(advance, time_stepping_with_contacts)
{
    RgBuilder *b = scene_begin("box");
    ground_add(b, surface_mu(0.4));
    RgLinkId box = box_add(b, "box", 2.0, vec(0.3, 0.3, 0.1), vec(0.0, 0.0, 0.1), surface_mu(0.4));
    RgModel *model = scene_end(b);
    RgVec3 end[2];
    for (int i = 0; i < 2; i++) {
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, "minimal", i == 0 ? "advance" : "semi-implicit-000", &adapt);
        adapt.h_min = 1e-3;
        RgWorld *world = world_make(&def);
        link_launch(world, box, vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0));
        world_run(world, 1000, 1e-3);
        end[i] = rg_world_link_pose(world, box).p;
        cr_expect(i == 1 || rg_world_step_statistics(world).steps == 1000);
        rg_world_destroy(world);
    }
    CHECK_NEAR(end[0].x, end[1].x, 2e-3, "m");
    CHECK_NEAR(end[0].z, 0.05, 1e-6, "m");
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ order and tolerance of c2a */

/* Angle of the double pendulum after 0.4 s. */
static double pendulum_by(const char *stepper, const char *coords, double h, double relative)
{
    RgModel *model = scene_chain(2);
    RgAdaptOptions adapt;
    RgWorldDef def = def_of(model, coords, stepper, &adapt);
    adapt.energy_relative = relative;
    adapt.tolerance = 1e-13;
    RgWorld *world = world_make(&def);
    world_run(world, (int)(0.4 / h + 0.5), h);
    double angle = rg_world_q(world)[1];
    world_end(world, model);
    return angle;
}

Test(advance, richardson_makes_second_order)
{
    double truth = pendulum_by("reference", "minimal", 0.01, 1.0);
    double e1 = fabs(pendulum_by("c2a", "minimal", 4e-3, 1e9) - truth);
    double e2 = fabs(pendulum_by("c2a", "minimal", 2e-3, 1e9) - truth);
    double e4 = fabs(pendulum_by("c2a", "minimal", 1e-3, 1e9) - truth);
    cr_expect(e1 / e2 > 3.6 && e1 / e2 < 4.4 && e2 / e4 > 3.6 && e2 / e4 < 4.4, "%g %g %g", e1, e2, e4);
    double a2 = fabs(pendulum_by("advance", "minimal", 2e-3, 1.0) - truth);
    double a4 = fabs(pendulum_by("advance", "minimal", 1e-3, 1.0) - truth);
    cr_expect(a2 / a4 > 1.8 && a2 / a4 < 2.2 && e4 < 0.05 * a4, "%g %g, %g", a2, a4, e4);
}

/* Whatever the step asked for, the error follows the tolerance; tighter ones cost more steps. */
Test(advance, tolerance_decides)
{
    double truth = pendulum_by("reference", "minimal", 0.01, 1.0), last = INFINITY;
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6};
    for (int i = 0; i < 4; i++) {
        double error = fabs(pendulum_by("c2a", "minimal", 0.02, tolerances[i]) - truth);
        cr_expect(error < 0.5 * last, "%g after %g", error, last);
        last = error;
    }
    cr_expect(last < 1e-4, "%g", last);
}

/* ------------------------------------------------------------------ input, refusals */

static void count_calls(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    (void)input;
    ++*(int *)context;
    cr_expect(isfinite(state->t));
}

Test(advance, a_held_input_is_asked_once_an_inner_step)
{
    RgModel *model = scene_chain(2);
    for (int i = 0; i < 2; i++) {
        int calls = 0;
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, "minimal", names[i], &adapt);
        adapt.hold_input = true;
        def.input = count_calls;
        def.input_context = &calls;
        RgWorld *world = world_make(&def);
        world_run(world, 50, 5e-3);
        cr_expect(calls == (int)rg_world_step_statistics(world).steps, "%s: %d", names[i], calls);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(advance, bad_settings_are_refused)
{
    RgModel *model = scene_chain(1);
    for (int k = 0; k < 8; k++) {
        RgAdaptOptions adapt;
        RgError error;
        RgWorldDef def = def_of(model, "minimal", names[k % 2], &adapt);
        double bad[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
        if (k < 4)
            adapt.h_min = bad[k];
        else if (k < 6)
            adapt.energy_relative = k == 4 ? 0.0 : -1e-3;
        else
            adapt.gap = bad[k - 6];
        cr_expect(rg_world_create(&def, &error) == NULL && error.text[0] != '\0', "%d", k);
    }
    rg_model_destroy(model);
}

/* A start that overlaps: refused with the pair and the depth, or put right. */
Test(advance, a_start_that_overlaps)
{
    RgBuilder *b = scene_begin("sunk");
    ground_add(b, surface_mu(0.5));
    RgLinkId box = box_add(b, "crate", 1.0, vec(0.2, 0.2, 0.2), vec(0.0, 0.0, 0.09), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int i = 0; i < 6; i++) {
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, "minimal", names[i / 2], &adapt);
        adapt.separate = i % 2 == 1;
        RgWorld *world = world_make(&def);
        RgStepReport report;
        RgStatus status = rg_world_step(world, 0.01, &report);
        if (adapt.separate) {
            cr_expect(status == RG_OK);
            CHECK_NEAR(rg_world_link_pose(world, box).p.z, 0.1, 1e-6, "m");
        } else {
            cr_expect(status == RG_ERR_OVERLAP && strstr(report.offender, "overlap by 0.01 m") != NULL, "%s",
                      report.offender);
            CHECK_NEAR(rg_world_link_pose(world, box).p.z, 0.09, 0.0, "m");
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A body that tumbles in free flight, many turns a step, neither gains nor loses. */
Test(advance, free_tumbling_keeps_its_energy)
{
    RgModel *model = scene_box();
    for (int i = 0; i < 4; i++) {
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, both_forms[i % 2], names[i / 2], &adapt);
        def.gravity = vec(0.0, 0.0, 0.0);
        RgWorld *world = world_make(&def);
        link_launch(world, (RgLinkId){1}, vec(100.0, 1.0, 50.0), vec(0.0, 0.0, 1.0));
        double before = world_energy(world);
        world_run(world, 200, 0.05);
        CHECK_REL(world_energy(world), before, 1e-9, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ work */

static double kinetic(RgWorld *world)
{
    RgMomentum m;
    cr_assert_eq(rg_world_momentum(world, &m), RG_OK);
    return m.kinetic;
}

/* A ball falls, lands and rests: what forces and contacts did in a step, inner ones together, is what its kinetic
   energy changed by. */
Test(advance, work_is_that_of_all_inner_steps)
{
    static const char *const steppers[] = {"advance", "rigid-001", "rigid", "auto", "auto"};
    for (int i = 0; i < 5; i++) {
        RgBuilder *b = scene_begin("ball");
        ground_add(b, surface_mu(0.5));
        ball_add(b, "ball", 1.3, 0.1, vec(0.0, 0.0, 0.4), surface_mu(0.5));
        RgModel *model = scene_end(b);
        RgAdaptOptions adapt;
        RgWorldDef def = def_of(model, "minimal", steppers[i], &adapt);
        adapt.order = i == 4 ? 1 : 2;
        RgWorld *world = world_make(&def);
        double lost = 0.0;
        int inner = 0;
        for (int k = 0; k < 20; k++) {
            RgStepReport report;
            double before = kinetic(world);
            cr_assert_eq(rg_world_step(world, 0.05, &report), RG_OK);
            cr_expect_eq(report.contact_work, report.work.total, "%s", steppers[i]);
            if (strncmp(steppers[i], "rigid", 6) != 0 && i != 3) /* in flight they have no solve to account for */
                CHECK_NEAR(kinetic(world) - before, report.work.forces + report.work.total, 1e-9, "J");
            lost += report.contact_work;
            inner += report.substeps;
        }
        cr_expect_gt(inner, 20, "%s", steppers[i]);
        cr_expect_lt(lost, -0.95 * 1.3 * 9.81 * 0.3, "%s: %g J", steppers[i], lost);
        world_end(world, model);
    }
}
