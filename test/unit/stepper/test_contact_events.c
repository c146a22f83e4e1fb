/*
 * test_contact_events.c - events of inner steps where mechanics puts them in time, with its impulses; that they reach
 * who asked, that a refused step tells nothing, and that a loaded state goes on with the same events.
 */
#include "record/events.h"
#include "scene_parts.h"
#include "telling.h"

#define INNER_STEP (OUTER / INNER)

static const char *const forms[2] = {"minimal", "maximal"};

static RgModel *bouncing_ball(void)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgSurfaceDef bouncy = surface_mu(0.5);
    bouncy.restitution = 0.5;
    ground_add(builder, bouncy);
    ball_add(builder, "ball", 2.0, 0.1, (RgVec3){0.0, 0.0, 0.6}, bouncy);
    return scene_end(builder);
}

/* A ball falls 0.5 m: v = sqrt(2 g h) after sqrt(2 h / g); it strikes with m (1 + e) v, and leaves at once. */
Test(contact_events, bouncing_ball)
{
    RgModel *model = bouncing_ball();
    for (int f = 0; f < 2; f++) {
        Between between;
        RgWorld *world = telling_world(model, forms[f], &between);
        Heard heard = {.count = 0};
        telling_run(world, 100, &heard);
        double t = sqrt(2.0 * 0.5 / TOUCH_G), v = sqrt(2.0 * 0.5 * TOUCH_G);
        cr_assert_geq(heard.count, 3);
        const RgEvent *e = heard.events;
        cr_expect(e[0].kind == RG_EVENT_touch && e[1].kind == RG_EVENT_impact && e[2].kind == RG_EVENT_break);
        CHECK_NEAR(e[0].t, t, 2.0 * INNER_STEP, "s");
        CHECK_NEAR(e[1].value, v, 0.02, "m/s");
        CHECK_NEAR(e[1].impulse, 2.0 * 1.5 * v, 0.1, "N s");
        CHECK_NEAR(e[1].normal.z, 1.0, 1e-9, "");
        CHECK_NEAR(e[1].point.z, 0.0, 5e-3, "m");
        cr_expect(e[1].t == e[0].t && e[2].t == e[0].t && e[1].uncertainty == 0.5 * INNER_STEP);
        cr_expect(e[1].link_a == UINT32_MAX && e[1].link_b == 0 && e[1].joint == -1);
        cr_expect(e[1].shape_a.i == 1 && e[1].shape_b.i == 2);

        /* The second time half as fast, twice the time of fall e later. */
        RgEvent first;
        cr_expect_eq(heard_of(&heard, RG_EVENT_impact, &first), 1);
        telling_run(world, 80, &heard);
        cr_expect_geq(heard_of(&heard, RG_EVENT_impact, &first), 2);
        CHECK_NEAR(heard.events[4].value, 0.5 * v, 0.05, "m/s");
        CHECK_NEAR(heard.events[4].t, 2.0 * t, 5.0 * INNER_STEP, "s");
        telling_end(world, &between);
    }
    rg_model_destroy(model);
}

/* A ball that slides with v0 rolls without slipping after 2 v0 / (7 mu g). */
Test(contact_events, slip_then_roll)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.2));
    RgLinkId ball = ball_add(builder, "ball", 2.0, 0.1, (RgVec3){0.0, 0.0, 0.1}, surface_mu(0.2));
    RgModel *model = scene_end(builder);
    for (int f = 0; f < 2; f++) {
        Between between;
        RgWorld *world = telling_world(model, forms[f], &between);
        link_launch(world, ball, (RgVec3){0.0, 0.0, 0.0}, (RgVec3){1.0, 0.0, 0.0});
        Heard heard = {.count = 0};
        telling_run(world, 100, &heard);
        static const RgEventKind order[4] = {RG_EVENT_touch, RG_EVENT_slip, RG_EVENT_stick, RG_EVENT_roll};
        cr_assert_eq(heard.count, 4);
        for (int i = 0; i < 4; i++)
            cr_expect_eq(heard.events[i].kind, order[i], "%d: %s", i, rg_event_name(heard.events[i].kind));
        CHECK_NEAR(heard.events[1].value, 1.0, 0.02, "m/s");
        CHECK_NEAR(heard.events[2].t, 2.0 / (7.0 * 0.2 * TOUCH_G), 2.0 * INNER_STEP, "s");
        cr_expect_eq(heard.events[2].t, heard.events[3].t);
        telling_end(world, &between);
    }
    rg_model_destroy(model);
}

/* A box that is pushed harder and harder slips from mu m g on; let go, it sticks. Set anew, it touches anew. */
Test(contact_events, pushed_box)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.4));
    RgLinkId box = box_add(builder, "box", 2.0, (RgVec3){0.4, 0.4, 0.1}, (RgVec3){0.0, 0.0, 0.05}, surface_mu(0.4));
    RgModel *model = scene_end(builder);
    Between between;
    RgWorld *world = telling_world(model, "minimal", &between);
    Heard heard = {.count = 0};
    for (int i = 0; i < 250; i++) {
        double push = i < 150 ? 20.0 * i * OUTER : 0.0;
        rg_world_set_link_wrench(world, box, (RgForce){.f = {push, 0.0, 0.0}});
        telling_run(world, 1, &heard);
    }
    RgEvent touch, slip, stick, other;
    cr_expect_eq(heard_of(&heard, RG_EVENT_touch, &touch), 1);
    cr_expect_eq(heard_of(&heard, RG_EVENT_slip, &slip), 1);
    cr_expect_eq(heard_of(&heard, RG_EVENT_stick, &stick), 1);
    cr_expect_eq(heard_of(&heard, RG_EVENT_break, &other), 0);
    cr_expect_eq(heard_of(&heard, RG_EVENT_impact, &other), 0);
    cr_expect_eq(touch.t, 0.0);
    CHECK_NEAR(slip.t, 0.4 * 2.0 * TOUCH_G / 20.0, 2.0 * OUTER, "s");
    cr_expect_gt(stick.t, 150 * OUTER);

    cr_assert_eq(rg_world_set_state(world, rg_world_q(world), NULL), RG_OK);
    const RgEvent *none;
    cr_expect_eq(rg_world_events(world, &none), 0, "there is no last step");
    telling_run(world, 1, &heard);
    cr_expect_eq(heard_of(&heard, RG_EVENT_touch, &touch), 2);
    telling_end(world, &between);
    rg_model_destroy(model);
}

/* A bar that falls on its stop, rests on it, and is lifted off. Rows of limits let it come up to the stop within a
   step, so that the first impulse is a part of I w. */
Test(contact_events, limit_and_leave)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    stopped_bar_add(builder, (RgSym3){.xx = 1e-3, .yy = 1e-3, .zz = 1e-3});
    RgModel *model = scene_end(builder);
    for (int f = 0; f < 2; f++) {
        Between between;
        RgWorld *world = telling_world(model, forms[f], &between);
        Heard heard = {.count = 0};
        telling_run(world, 150, &heard);
        cr_assert_eq(heard.count, 1, "one limit, %d events", heard.count);
        double lift = -20.0;
        cr_assert_eq(rg_world_set_joint_effort(world, (RgJointId){1}, &lift), RG_OK);
        telling_run(world, 10, &heard);
        cr_assert_eq(heard.count, 2);
        RgEvent limit = heard.events[0], leave = heard.events[1];
        double w = sqrt(2.0 * TOUCH_G * sin(0.5) / 1.001);
        cr_expect(limit.kind == RG_EVENT_limit && limit.joint == 0 && limit.dof == 0);
        CHECK_NEAR(limit.value, 0.5, 5e-3, "rad");
        CHECK_NEAR(limit.t, 0.322, 5e-3, "s");
        cr_expect(limit.impulse > 0.0 && limit.impulse < 1.001 * w * 1.02);
        cr_expect(leave.kind == RG_EVENT_leave && leave.joint == 0 && leave.dof == 0 && leave.value == 0.0);
        CHECK_NEAR(leave.t, 0.6, INNER_STEP, "s");
        telling_end(world, &between);
    }
    rg_model_destroy(model);
}

/* The callback gets the list of each step; a step that is refused after it has told events tells nobody anything. */
Test(contact_events, refused_step)
{
    RgModel *model = bouncing_ball();
    Between between;
    RgWorld *world = telling_world(model, "minimal", &between);
    Heard called = {.count = 0}, listed = {.count = 0};
    rg_world_set_event_fn(world, hear, &called);
    int steps = (int)floor(sqrt(2.0 * 0.5 / TOUCH_G) / OUTER) - 1;
    telling_run(world, steps, &listed);
    cr_assert_eq(listed.count, 0, "it has not touched yet");

    /* Step by step, each tried once in vain, until the ball has struck. */
    for (int i = 0; i < 6; i++) {
        RgStepStatistics before = rg_world_step_statistics(world);
        size_t size = rg_world_state_size(world);
        char *saved = malloc(size), *after = malloc(size);
        rg_world_state_save(world, saved);
        between.refuse_at = between.made + INNER - 1;
        int heard = called.count;
        cr_assert_eq(rg_world_step(world, OUTER, NULL), RG_ERR_NOT_FINITE);
        const RgEvent *none;
        RgStepStatistics now = rg_world_step_statistics(world);
        cr_expect_eq(rg_world_events(world, &none), 0);
        cr_expect_eq(called.count, heard);
        cr_expect(memcmp(&before, &now, sizeof now) == 0, "statistics of a refused step");
        cr_assert_eq(rg_world_state_size(world), size);
        rg_world_state_save(world, after);
        cr_expect(memcmp(saved, after, size) == 0, "the state has changed");
        between.refuse_at = -1;
        telling_run(world, 1, &listed);
        free(saved);
        free(after);
    }
    cr_expect_eq(listed.count, 3);
    cr_assert_eq(called.count, listed.count);
    cr_expect(memcmp(called.events, listed.events, (size_t)listed.count * sizeof *listed.events) == 0);
    RgStepStatistics all = rg_world_step_statistics(world);
    cr_expect_eq(all.steps, (steps + 6) * INNER);
    cr_expect_eq(all.events[RG_EVENT_impact], 1);
    cr_expect_eq(all.events[RG_EVENT_roll], 0);
    telling_end(world, &between);
    rg_model_destroy(model);
}

/* From any of its states on, a run that is saved and loaded tells what it told, in the same world and in another. */
Test(contact_events, loaded_state)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.2));
    RgLinkId ball = ball_add(builder, "ball", 2.0, 0.1, (RgVec3){0.0, 0.0, 0.101}, surface_mu(0.2));
    box_add(builder, "wall", 1.0, (RgVec3){0.1, 1.0, 0.5}, (RgVec3){0.3, 0.0, 0.25}, surface_mu(0.2));
    RgModel *model = scene_end(builder);
    Between between, again;
    RgWorld *world = telling_world(model, "minimal", &between), *other = telling_world(model, "minimal", &again);
    link_launch(world, ball, (RgVec3){0.0, 0.0, 0.0}, (RgVec3){1.0, 0.3, 0.0});
    int most = 0;
    for (int k = 0; k < 10; k++) {
        Heard first = {.count = 0}, second = {.count = 0}, third = {.count = 0};
        size_t size = rg_world_state_size(world);
        char *saved = malloc(size);
        rg_world_state_save(world, saved);
        telling_run(world, 100, &first);
        cr_assert_eq(rg_world_state_load(other, saved, size), RG_OK);
        telling_run(other, 100, &second);
        cr_assert_eq(rg_world_state_load(world, saved, size), RG_OK);
        telling_run(world, 100, &third);
        cr_assert_eq(second.count, first.count);
        cr_assert_eq(third.count, first.count);
        cr_expect(memcmp(first.events, second.events, (size_t)first.count * sizeof *first.events) == 0);
        cr_expect(memcmp(first.events, third.events, (size_t)first.count * sizeof *first.events) == 0);
        most = first.count > most ? first.count : most;
        cr_assert_eq(rg_world_state_load(world, saved, size), RG_OK);
        Heard skipped = {.count = 0};
        telling_run(world, 20, &skipped);
        free(saved);
    }
    cr_expect_geq(most, 5, "at most %d events: nothing was tried", most);
    telling_end(world, &between);
    telling_end(other, &again);
    rg_model_destroy(model);
}

/* Who watches a world that tells its events gets these, once, and makes up none. */
Test(contact_events, recorders_pass_them_on)
{
    RgModel *model = bouncing_ball();
    Between between;
    RgWorld *world = telling_world(model, "minimal", &between);
    const uint32_t links[2] = {UINT32_MAX, 0};
    RgArena arena;
    RgEvents watcher;
    rg_arena_init(&arena, NULL);
    cr_assert(rg_events_init(&watcher, model, links, &arena));
    Heard told = {.count = 0}, passed = {.count = 0};
    for (int i = 0; i < 200; i++) {
        telling_run(world, 1, &told);
        cr_assert_eq(rg_events_update(&watcher, world, hear, &passed), RG_OK);
        cr_assert_eq(rg_events_update(&watcher, world, hear, &passed), RG_OK);
    }
    cr_expect_geq(told.count, 6);
    cr_assert_eq(passed.count, told.count);
    cr_expect(memcmp(passed.events, told.events, (size_t)told.count * sizeof *told.events) == 0);
    rg_events_free(&watcher);
    rg_arena_free(&arena);
    telling_end(world, &between);
    rg_model_destroy(model);
}
