/*
 * test_events.c - events of every stepper that locates them: in the order of time and within their step, to the
 * callback as to the list, counted once; the same after a state was saved and loaded; none of a step that was refused.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "touching.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };
#define STEP 0.01 /* s */

typedef struct Heard {
    RgEvent events[MOST];
    int count;
} Heard;

static Heard heard[3]; /* too large for the stack */

static void hear(const RgEvent *event, void *context)
{
    Heard *to = context;
    cr_assert_lt(to->count, MOST);
    to->events[to->count++] = *event;
}

/* A box thrown at the floor with a spin, a ball that bounces, a bar that falls on its stop. */
static RgModel *busy_scene(void)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgSurfaceDef bouncy = surface_mu(0.4);
    bouncy.restitution = 0.5;
    ground_add(builder, surface_mu(0.4));
    box_add(builder, "box", 1.0, (RgVec3){0.2, 0.3, 0.1}, (RgVec3){0.0, 0.0, 0.3}, surface_mu(0.4));
    ball_add(builder, "ball", 1.0, 0.1, (RgVec3){1.0, 0.0, 0.15}, bouncy);
    RgLinkDef bar = rg_link_def_default();
    bar.name = "bar";
    bar.inertia = (RgInertia){.mass = 1.0, .com = {0.5, 0.0, 0.0}, .I = {.xx = 1e-3, .yy = 0.02, .zz = 0.02}};
    RgJointDef hinge = rg_joint_def_default();
    hinge.name = "hinge";
    hinge.type = RG_JOINT_revolute;
    hinge.child = rg_builder_add_link(builder, &bar);
    hinge.X_PJ.p = (RgVec3){0.0, 5.0, 3.0};
    hinge.axis = (RgVec3){0.0, 1.0, 0.0};
    hinge.dof[0].lower = -1.0;
    hinge.dof[0].upper = 0.5;
    rg_builder_add_joint(builder, &hinge);
    return scene_end(builder);
}

/* Nothing, until the time in the context; then a number that is none. */
static void poison(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    if (state->t > *(const double *)context)
        input->tau[0] = NAN;
}

static RgWorld *busy_world(const RgModel *model, const char *stepper, double *poisoned_from)
{
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.stepper = stepper;
    def.solver = "cone";
    def.input = poisoned_from != NULL ? poison : NULL;
    def.input_context = poisoned_from;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s: %s", stepper, error.text);
    link_launch(world, rg_model_find_link(model, "box"), (RgVec3){4.0, 5.0, 1.0}, (RgVec3){0.5, 0.0, 0.0});
    return world;
}

/* Everything that so many steps tell, checked on the way. */
static void run(RgWorld *world, int steps, Heard *to)
{
    for (int i = 0; i < steps; i++) {
        double t = rg_world_time(world);
        RgStepReport report;
        RgStatus status = rg_world_step(world, STEP, &report);
        cr_assert_eq(status, RG_OK, "%s at t = %g: %s", rg_world_settings(world).stepper, t, report.offender);
        const RgEvent *events;
        int n = rg_world_events(world, &events);
        for (int k = 0; k < n; k++) {
            cr_expect(events[k].t >= (k > 0 ? events[k - 1].t : t) && events[k].t <= t + STEP * (1.0 + 1e-9));
            cr_expect(events[k].uncertainty >= 0.0 && isfinite(events[k].value) && isfinite(events[k].impulse));
            hear(&events[k], to);
        }
    }
}

/* Steps that a stepper is run for. Those of rigid-001 come down to microseconds where something touches, as its paper
   says: the ball's first bounces must do. */
static int length_of(int stepper, int steps)
{
    return strcmp(rg_stepper_name(stepper), "rigid-001") == 0 && steps > 12 ? 12 : steps;
}

static void expect_same(const Heard *a, const Heard *b, const char *what)
{
    cr_assert_eq(a->count, b->count, "%s: %d and %d events", what, a->count, b->count);
    cr_expect(memcmp(a->events, b->events, (size_t)a->count * sizeof *a->events) == 0, "%s", what);
}

static int count_kind(const Heard *all, RgEventKind kind)
{
    int n = 0;
    for (int i = 0; i < all->count; i++)
        n += all->events[i].kind == kind;
    return n;
}

Test(events, list_callback_and_counts)
{
    RgModel *model = busy_scene();
    for (int s = 0; s < rg_stepper_count(); s++) {
        if (!rg_stepper_locates(s))
            continue;
        RgWorld *world = busy_world(model, rg_stepper_name(s), NULL);
        heard[0].count = heard[1].count = 0;
        rg_world_set_event_fn(world, hear, &heard[1]);
        run(world, length_of(s, 60), &heard[0]);
        expect_same(&heard[0], &heard[1], rg_stepper_name(s));
        RgStepStatistics counts = rg_world_step_statistics(world);
        for (int k = 0; k < RG_EVENT_COUNT; k++)
            cr_expect_eq(counts.events[k], count_kind(&heard[0], (RgEventKind)k), "%s: %s", rg_stepper_name(s),
                         rg_event_name((RgEventKind)k));
        int least = length_of(s, 60) == 60 ? 2 : 1;
        cr_expect_geq(count_kind(&heard[0], RG_EVENT_touch), least, "%s", rg_stepper_name(s));
        cr_expect_geq(count_kind(&heard[0], RG_EVENT_impact), least, "%s", rg_stepper_name(s));
        cr_expect_geq(count_kind(&heard[0], RG_EVENT_limit), least - 1, "%s", rg_stepper_name(s));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Saved at any time of the run and loaded, in the same world and in another. */
Test(events, after_a_state_was_loaded)
{
    RgModel *model = busy_scene();
    for (int s = 0; s < rg_stepper_count(); s++) {
        if (!rg_stepper_locates(s))
            continue;
        RgWorld *world = busy_world(model, rg_stepper_name(s), NULL);
        RgWorld *other = busy_world(model, rg_stepper_name(s), NULL);
        for (int k = 0; k < length_of(s, 48) / 12; k++) {
            size_t size = rg_world_state_size(world);
            void *saved = malloc(size);
            rg_world_state_save(world, saved);
            RgWorld *by[3] = {world, other, world};
            for (int i = 0; i < 3; i++) {
                heard[i].count = 0;
                cr_assert_eq(rg_world_state_load(by[i], saved, size), RG_OK);
                run(by[i], length_of(s, 15), &heard[i]);
            }
            expect_same(&heard[0], &heard[1], rg_stepper_name(s));
            expect_same(&heard[0], &heard[2], rg_stepper_name(s));
            cr_assert_eq(rg_world_state_load(world, saved, size), RG_OK);
            heard[0].count = 0;
            run(world, 12, &heard[0]);
            free(saved);
        }
        rg_world_destroy(world);
        rg_world_destroy(other);
    }
    rg_model_destroy(model);
}

/* The input goes bad in the middle of a step in which things happen: nothing has happened, nobody hears of it. */
Test(events, of_a_refused_step)
{
    RgModel *model = busy_scene();
    for (int s = 0; s < rg_stepper_count(); s++) {
        if (!rg_stepper_locates(s))
            continue;
        double from = INFINITY;
        RgWorld *world = busy_world(model, rg_stepper_name(s), &from);
        heard[0].count = heard[1].count = 0;
        rg_world_set_event_fn(world, hear, &heard[1]);
        int refused = 0;
        int tries = length_of(s, 40);
        for (int k = 0; k < tries; k++) {
            double t = rg_world_time(world);
            RgStepStatistics before = rg_world_step_statistics(world);
            uint64_t hash = rg_world_hash(world);
            from = t + 0.7 * STEP;
            if (rg_world_step(world, STEP, NULL) == RG_OK)
                heard[1].count = heard[0].count; /* it asked for no input so late */
            else
                refused++;
            const RgEvent *none;
            RgStepStatistics after = rg_world_step_statistics(world);
            if (rg_world_time(world) == t) {
                cr_expect_eq(rg_world_events(world, &none), 0);
                cr_expect(memcmp(&before, &after, sizeof after) == 0 && rg_world_hash(world) == hash);
                cr_expect_eq(heard[1].count, heard[0].count);
            }
            from = INFINITY;
            run(world, 1, &heard[0]);
        }
        expect_same(&heard[0], &heard[1], rg_stepper_name(s));
        cr_expect_geq(refused, tries / 2, "%s", rg_stepper_name(s));
        cr_expect_geq(heard[0].count, tries == 40 ? 3 : 1, "%s", rg_stepper_name(s));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
