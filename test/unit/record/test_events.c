/* test_events.c - every kind of event where mechanics puts it in time, found by watching; or passed on where told. */
#define _POSIX_C_SOURCE 200809L
#include "record/events.h"
#include "worlds.h"

#include "heard.h"
#include "record_files.h"
#include "touching.h"

#include <rigor/record.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#define STEP 1e-3
/* Link of every shape. */
static void shape_links(const RgModel *model, uint32_t *links)
{
    for (int i = 0; i < rg_model_info(model).shapes; i++)
        links[i] = (uint32_t)rg_model_shape(model, (RgShapeId){i + 1}).link.i - 1;
}

static RgWorld *make_world(RgBuilder *builder, RgModel **model)
{
    RgError error = {0};
    *model = rg_builder_finish(builder, &error);
    cr_assert_not_null(*model, "%s", error.text);
    rg_builder_destroy(builder);
    RgWorldDef def = rg_world_def_default();
    def.model = *model;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    return world;
}

/* Everything that happens in that many steps, looked at after each. */
static void listen(RgWorld *world, int steps, Heard *heard)
{
    const RgModel *model = rg_world_model(world);
    uint32_t links[64];
    RgArena arena;
    RgEvents events;
    rg_arena_init(&arena, NULL);
    shape_links(model, links);
    cr_assert(rg_events_init(&events, model, links, &arena));
    for (int i = 0; i <= steps; i++) {
        cr_assert_eq(rg_events_update(&events, world, hear, heard), RG_OK);
        int before = heard->count;
        cr_assert_eq(rg_events_update(&events, world, hear, heard), RG_OK);
        cr_assert_eq(heard->count, before, "a second look at one time finds nothing");
        cr_assert_eq(rg_world_step(world, STEP, NULL), RG_OK);
    }
    rg_events_free(&events);
    rg_arena_free(&arena);
}

/* A ball falls from 0.5 m: t = sqrt(2 h / g) at sqrt(2 g h); with restitution e it leaves again, and is back 2 e sqrt(2
   h / g) later, at e times the speed. */
Test(events, bouncing_ball)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgSurfaceDef bouncy = surface_mu(0.5);
    bouncy.restitution = 0.5;
    ground_add(builder, bouncy);
    RgLinkId ball = ball_add(builder, "ball", 1.0, 0.1, (RgVec3){0.0, 0.0, 0.6}, bouncy);
    RgModel *model;
    RgWorld *world = make_world(builder, &model);
    Heard heard = {.count = 0};
    listen(world, 700, &heard);

    double t = sqrt(2.0 * 0.5 / TOUCH_G), v = sqrt(2.0 * 0.5 * TOUCH_G);
    RgEvent touch, impact, parted;
    cr_expect_eq(heard_of(&heard, RG_EVENT_touch, &touch), 2);
    cr_expect_eq(heard_of(&heard, RG_EVENT_impact, &impact), 2);
    cr_expect_geq(heard_of(&heard, RG_EVENT_break, &parted), 1);
    cr_expect_float_eq(touch.t, t, 3.0 * STEP);
    cr_expect_float_eq(impact.value, v, 0.05);
    cr_expect_float_eq(parted.t, t, 4.0 * STEP);
    cr_expect(touch.link_a == UINT32_MAX && touch.link_b == (uint32_t)ball.i - 1);
    cr_expect_float_eq(impact.point.z, 0.0, 0.005);

    /* The second time. */
    const RgEvent *last = NULL;
    for (int i = 0; i < heard.count; i++)
        if (heard.events[i].kind == RG_EVENT_impact)
            last = &heard.events[i];
    cr_assert_not_null(last);
    cr_expect_float_eq(last->t, 2.0 * t, 0.02);
    cr_expect_float_eq(last->value, 0.5 * v, 0.1);
    world_end(world, model);
}

/* A box thrown along the floor slips from the start and sticks after v / (mu g). */
Test(events, sliding_box)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.4));
    RgLinkId box = box_add(builder, "box", 2.0, (RgVec3){0.4, 0.4, 0.1}, (RgVec3){0.0, 0.0, 0.05}, surface_mu(0.4));
    RgModel *model;
    RgWorld *world = make_world(builder, &model);
    link_launch(world, box, (RgVec3){0.0, 0.0, 0.0}, (RgVec3){1.0, 0.0, 0.0});
    Heard heard = {.count = 0};
    listen(world, 500, &heard);
    RgEvent touch, slip, stick, other;
    cr_expect_eq(heard_of(&heard, RG_EVENT_touch, &touch), 1);
    cr_expect_eq(heard_of(&heard, RG_EVENT_stick, &stick), 1);
    cr_expect_eq(heard_of(&heard, RG_EVENT_slip, &slip), 1);
    cr_expect_eq(slip.t, touch.t, "it slipped from the first touch on");
    cr_expect_eq(heard_of(&heard, RG_EVENT_roll, &other), 0);
    cr_expect_eq(heard_of(&heard, RG_EVENT_break, &other), 0);
    cr_expect_eq(heard_of(&heard, RG_EVENT_impact, &other), 0);
    cr_expect_float_eq(stick.t, 1.0 / (0.4 * TOUCH_G), 5.0 * STEP);
    world_end(world, model);
}

/* A box at rest begins to slip when a growing force passes mu m g. */
Test(events, pushed_box)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.4));
    RgLinkId box = box_add(builder, "box", 2.0, (RgVec3){0.4, 0.4, 0.1}, (RgVec3){0.0, 0.0, 0.05}, surface_mu(0.4));
    RgModel *model;
    RgWorld *world = make_world(builder, &model);
    Heard heard = {.count = 0};
    uint32_t links[4];
    RgArena arena;
    RgEvents events;
    rg_arena_init(&arena, NULL);
    shape_links(model, links);
    cr_assert(rg_events_init(&events, model, links, &arena));
    for (int i = 0; i < 700; i++) {
        double t = i * STEP;
        rg_world_set_link_wrench(world, box, (RgForce){.f = {20.0 * t, 0.0, 0.0}});
        cr_assert_eq(rg_world_step(world, STEP, NULL), RG_OK);
        cr_assert_eq(rg_events_update(&events, world, hear, &heard), RG_OK);
    }
    RgEvent slip;
    cr_expect_eq(heard_of(&heard, RG_EVENT_slip, &slip), 1);
    cr_expect_float_eq(slip.t, 0.4 * 2.0 * TOUCH_G / 20.0, 0.01);
    cr_expect_gt(slip.value, 0.0);
    rg_events_free(&events);
    rg_arena_free(&arena);
    world_end(world, model);
}

/* A ball that slides with v0 rolls without slipping after 2 v0 / (7 mu g); one that is set down to spin about the
   vertical does not roll. */
Test(events, rolling_ball)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.2));
    RgLinkId ball = ball_add(builder, "ball", 2.0, 0.1, (RgVec3){0.0, 0.0, 0.1}, surface_mu(0.2));
    RgLinkId top = ball_add(builder, "top", 2.0, 0.1, (RgVec3){0.0, 1.0, 0.1}, surface_mu(0.2));
    RgModel *model;
    RgWorld *world = make_world(builder, &model);
    link_launch(world, ball, (RgVec3){0.0, 0.0, 0.0}, (RgVec3){1.0, 0.0, 0.0});
    link_launch(world, top, (RgVec3){0.0, 0.0, 20.0}, (RgVec3){0.0, 0.0, 0.0});
    Heard heard = {.count = 0};
    listen(world, 400, &heard);
    RgEvent roll, stick;
    cr_assert_eq(heard_of(&heard, RG_EVENT_roll, &roll), 1);
    cr_assert_eq(heard_of(&heard, RG_EVENT_stick, &stick), 1);
    cr_expect_eq(roll.link_b, (uint32_t)ball.i - 1);
    cr_expect_eq(roll.t, stick.t);
    cr_expect_float_eq(roll.t, 2.0 / (7.0 * 0.2 * TOUCH_G), 5.0 * STEP);
    cr_expect_float_eq(roll.normal.z, 1.0, 1e-12);
    cr_expect(roll.joint == -1 && rg_model_shape(model, roll.shape_b).link.i == ball.i);
    cr_expect_float_eq(roll.uncertainty, STEP, 1e-12);
    world_end(world, model);
}

/* A pendulum that falls to its limit, told once while it rests there; then it is pulled off. */
Test(events, joint_limit)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgJointId hinge_id = stopped_bar_add(builder, (RgSym3){.xx = 1e-3, .yy = 1e-3, .zz = 1e-3});
    RgModel *model;
    RgWorld *world = make_world(builder, &model);
    Heard heard = {.count = 0};
    listen(world, 1500, &heard);
    RgEvent limit = {.joint = -1};
    cr_expect_eq(heard_of(&heard, RG_EVENT_limit, &limit), 1);
    cr_expect(limit.joint == 0 && limit.dof == 0);
    cr_expect_float_eq(limit.value, 0.5, 2e-3);
    cr_expect_float_eq(limit.t, 0.322, 0.01, "at %g", limit.t);
    cr_expect_eq(heard_of(&heard, RG_EVENT_leave, &limit), 0);

    double up = -20.0, t = rg_world_time(world);
    rg_world_set_joint_effort(world, hinge_id, &up);
    listen(world, 100, &heard);
    cr_expect_eq(heard_of(&heard, RG_EVENT_limit, &limit), 1);
    cr_expect_eq(heard_of(&heard, RG_EVENT_leave, &limit), 1);
    cr_expect(limit.joint == 0 && limit.dof == 0);
    cr_expect_float_eq(limit.t, t + 0.014, 5.0 * STEP, "1 mrad at %g after %g", limit.t, t);
    world_end(world, model);
}

/* Many pairs that come and go: the table grows and is made anew, no event is lost or told twice. */
Test(events, many_pairs)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.5));
    for (int i = 0; i < 60; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        ball_add(builder, name, 1.0, 0.1, (RgVec3){0.5 * i, 0.0, 0.11 + 0.002 * i}, surface_mu(0.5));
    }
    RgModel *model;
    RgWorld *world = make_world(builder, &model);
    Heard heard = {.count = 0};
    listen(world, 400, &heard);
    bool touched[60] = {false};
    for (int i = 0; i < heard.count; i++) {
        if (heard.events[i].kind != RG_EVENT_touch)
            continue;
        cr_expect_not(touched[heard.events[i].link_b], "ball %u touches twice", heard.events[i].link_b);
        touched[heard.events[i].link_b] = true;
    }
    for (int i = 0; i < 60; i++)
        cr_expect(touched[i], "ball %d", i);
    world_end(world, model);
}

/* Where "key":NUMBER stands in a message. */
static double number_in(const RgMessage *message, const char *key)
{
    char text[1024], pattern[32];
    snprintf(text, sizeof text, "%.*s", (int)message->size, (const char *)message->data);
    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    const char *at = strstr(text, pattern);
    return at != NULL ? strtod(at + strlen(pattern), NULL) : (double)NAN;
}

/* A recording of a world that locates its events has all of them, with their own times and impulses, to the bit. */
Test(events, located_ones_in_a_recording)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    ground_add(builder, surface_mu(0.4));
    RgLinkId box = box_add(builder, "box", 2.0, (RgVec3){0.4, 0.3, 0.1}, (RgVec3){0.0, 0.0, 0.3}, surface_mu(0.4));
    RgError error = {0};
    RgModel *model = rg_builder_finish(builder, &error);
    rg_builder_destroy(builder);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.stepper = "rigid";
    def.solver = "cone";
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    link_launch(world, box, (RgVec3){2.0, 3.0, 0.0}, (RgVec3){0.5, 0.0, 0.0});
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "run.mcap");
    RgRecorder *recorder = rg_recorder_create(model, path.text, NULL, &error);
    cr_assert_not_null(recorder, "%s", error.text);
    rg_recorder_add(recorder, world);
    Heard told = {.count = 0};
    rg_world_set_event_fn(world, hear, &told);
    for (int i = 0; i < 60; i++) {
        cr_assert_eq(rg_world_step(world, 0.01, NULL), RG_OK);
        cr_assert_eq(rg_recorder_step(recorder, world), RG_OK);
        if (i % 5 == 0)
            cr_assert_eq(rg_recorder_add(recorder, world), RG_OK);
    }
    cr_assert_eq(rg_recorder_finish(recorder, &error), RG_OK);
    cr_expect_geq(told.count, 4);

    RgRecording *recording = rg_recording_open(path.text, &error);
    cr_assert_not_null(recording, "%s", error.text);
    int channel = rg_recording_find_channel(recording, "/rigor/events"), n = 0;
    RgMessage message;
    while (rg_recording_next(recording, &message, &error) == RG_OK && message.data != NULL) {
        if (message.channel != channel)
            continue;
        cr_assert_lt(n, told.count);
        cr_expect_eq(number_in(&message, "t"), told.events[n].t);
        cr_expect_eq(number_in(&message, "uncertainty"), told.events[n].uncertainty);
        cr_expect_eq(number_in(&message, "value"), told.events[n].value);
        cr_expect_eq(number_in(&message, "impulse"), told.events[n].impulse);
        n++;
    }
    cr_expect_eq(n, told.count);
    rg_recording_close(recording);
    folder_remove(&folder);
    world_end(world, model);
}

/* A mass on a slider against which a drive with a bound pushes: m x" = f + most until the spring's pull is within the
   bound. Told once, and that it is over once it is for good. */
Test(events, efforts_at_their_bounds)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgLinkDef mass = rg_link_def_default();
    mass.name = "mass";
    mass.inertia = (RgInertia){.mass = 2.0, .I = {.xx = 1e-3, .yy = 1e-3, .zz = 1e-3}};
    RgJointDef slide = rg_joint_def_default();
    slide.name = "slide";
    slide.type = RG_JOINT_prismatic;
    slide.child = rg_builder_add_link(builder, &mass);
    slide.axis = (RgVec3){1.0, 0.0, 0.0};
    RgJointId id = rg_builder_add_joint(builder, &slide);
    RgModel *model;
    RgWorld *world = make_world(builder, &model);
    RgDrive drive = {.position = 1.0, .kp = 10.0, .kd = 12.0, .max_effort = 4.0};
    cr_assert_eq(rg_world_set_joint_drive(world, id, 0, &drive), RG_OK);
    Heard heard = {.count = 0};
    listen(world, 2000, &heard);
    RgEvent saturate = {.joint = -1}, recover = {.joint = -1};
    cr_expect_eq(heard_of(&heard, RG_EVENT_saturate, &saturate), 1);
    cr_expect_eq(heard_of(&heard, RG_EVENT_recover, &recover), 1);
    cr_expect(saturate.joint == 0 && saturate.dof == 0 && recover.joint == 0 && saturate.t <= 2.0 * STEP);
    cr_expect_float_eq(saturate.value, 4.0, 1e-9);

    /* 10 (1 - t^2) - 12 (2 t) = 4 */
    cr_expect_float_eq(recover.t, -1.2 + sqrt(1.44 + 0.6), 5.0 * STEP, "at %g", recover.t);
    world_end(world, model);
}
