/*
 * test_event_times.c - every kind of event of steppers rigid and auto at the time, and with the impulse, that mechanics
 * gives it.
 *
 *   limit    a joint that turns freely at w reaches its stop after angle / w, with the impulse I w
 *   leave    an effort that falls from +1 to -1 lets go of the stop where it passes 0
 *   slip     a push that grows as k t passes mu m g
 *   break    a pull that grows as k t passes m g
 *   stick    a block that slides at v stops after v / (mu g)
 *   roll     a ball that slides at v rolls after 2 v / (7 mu g)
 *   touch, impact    a ball that falls by h meets the floor after sqrt(2 h / g), with m (1 + e) sqrt(2 g h)
 */
#include "check_near.h"
#include "heard.h"
#include "touching.h"
#include "worlds.h"

#include <string.h>

enum { WAYS = 4 };
#define STEP 0.01    /* s */
#define LOCATED 3e-5 /* s: event_time, and what follows from the gap */
/* A force that grows as k t gives a mass the speed k t^2 / 2 m: it is seen when that is 1e-6 m/s. */
#define PULLED 1.2e-3 /* s */

/* The only event of a kind; its time NaN where there are none, or several. */
static RgEvent only(const Heard *heard, RgEventKind kind)
{
    RgEvent found = {.t = NAN};
    int n = 0;
    for (int i = 0; i < heard->count; i++) {
        if (heard->events[i].kind != kind)
            continue;
        found = heard->events[i];
        n++;
    }
    cr_expect_eq(n, 1, "%d events of kind %s", n, rg_event_name(kind));
    return found;
}

static int count_of(const Heard *heard, RgEventKind kind)
{
    int n = 0;
    for (int i = 0; i < heard->count; i++)
        n += heard->events[i].kind == kind;
    return n;
}

/* What drives a case: an effort or force that changes with time. */
typedef struct Drive {
    double start, slope;
} Drive;

static void push_joint(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const Drive *drive = context;
    input->tau[0] = drive->start + drive->slope * state->t;
}

static void push_along_x(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const Drive *drive = context;
    input->wrenches[0].f.x = drive->start + drive->slope * state->t;
}

static void pull_up(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const Drive *drive = context;
    input->wrenches[0].f.z = drive->start + drive->slope * state->t;
}

typedef struct Case {
    RgModel *model;
    RgWorld *world;
} Case;

/* which: one of WAYS, a form and a stepper. */
static Case open_case(RgBuilder *builder, int which, RgInputFn *input, Drive *drive, bool weightless)
{
    RgError error = {0};
    Case c = {.model = rg_builder_finish(builder, &error)};
    cr_assert_not_null(c.model, "%s", error.text);
    rg_builder_destroy(builder);
    RgWorldDef def = rg_world_def_default();
    def.model = c.model;
    def.coords = which % 2 == 0 ? "minimal" : "maximal";
    def.stepper = which < 2 ? "rigid" : "auto";
    def.solver = "cone";
    def.input = input;
    def.input_context = drive;
    if (weightless)
        def.gravity = (RgVec3){0.0, 0.0, 0.0};
    c.world = rg_world_create(&def, &error);
    cr_assert_not_null(c.world, "%s", error.text);
    return c;
}

static void run_case(Case *c, int steps, Heard *heard)
{
    rg_world_set_event_fn(c->world, hear, heard);
    for (int i = 0; i < steps; i++) {
        RgStepReport report;
        cr_assert_eq(rg_world_step(c->world, STEP, &report), RG_OK, "step %d: %s", i, report.offender);
    }
}

static void close_case(Case *c)
{
    world_end(c->world, c->model);
}

/* A bar of moment 1.25 kg m^2 about its hinge, with stops at -1 and 0.5 rad. */
static RgBuilder *bar_with_stops(void)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    stopped_bar_add(builder, (RgSym3){.xx = 0.1, .yy = 0.25, .zz = 0.25});
    return builder;
}

Test(event_times, limit)
{
    for (int f = 0; f < WAYS; f++) {
        for (int side = 0; side < 2; side++) {
            Case c = open_case(bar_with_stops(), f, NULL, NULL, true);
            double rate = side == 0 ? 1.7 : -1.7;
            cr_assert_eq(rg_world_set_joint_rate(c.world, (RgJointId){1}, &rate), RG_OK);
            Heard heard = {.count = 0};
            run_case(&c, 70, &heard);
            RgEvent limit = only(&heard, RG_EVENT_limit);
            CHECK_NEAR(limit.t, (side == 0 ? 0.5 : 1.0) / 1.7, LOCATED, "s");
            CHECK_NEAR(limit.impulse, 1.25 * 1.7, 1e-3, "N m s");
            CHECK_NEAR(limit.value, side == 0 ? 0.5 : -1.0, 1e-4, "rad");
            cr_expect(limit.joint == 0 && limit.dof == 0);
            close_case(&c);
        }
    }
}

Test(event_times, leave)
{
    for (int f = 0; f < WAYS; f++) {
        Drive drive = {.start = 1.0, .slope = -1.0 / 0.3337};
        Case c = open_case(bar_with_stops(), f, push_joint, &drive, true);
        double at = 0.5;
        cr_assert_eq(rg_world_set_joint_position(c.world, (RgJointId){1}, &at), RG_OK);
        Heard heard = {.count = 0};
        run_case(&c, 50, &heard);
        RgEvent leave = only(&heard, RG_EVENT_leave);
        CHECK_NEAR(leave.t, 0.3337, PULLED, "s");
        cr_expect(fabs(leave.t - 0.3337) <= leave.uncertainty + PULLED, "%g is farther than %g off", leave.t,
                  leave.uncertainty);
        only(&heard, RG_EVENT_limit);
        close_case(&c);
    }
}

Test(event_times, slip)
{
    for (int f = 0; f < WAYS; f++) {
        Drive drive = {.start = 0.0, .slope = 20.0};
        RgBuilder *builder = rg_builder_create(NULL, NULL);
        ground_add(builder, surface_mu(0.4));
        box_add(builder, "box", 2.0, (RgVec3){0.4, 0.4, 0.1}, (RgVec3){0.0, 0.0, 0.05 + 5e-8}, surface_mu(0.4));
        Case c = open_case(builder, f, push_along_x, &drive, false);
        Heard heard = {.count = 0};
        run_case(&c, 60, &heard);
        double t = 0.4 * 2.0 * TOUCH_G / 20.0;
        RgEvent slip = only(&heard, RG_EVENT_slip);
        CHECK_NEAR(slip.t, t, PULLED, "s");
        cr_expect(fabs(slip.t - t) <= slip.uncertainty + PULLED, "%g for %g, told to %g", slip.t, t, slip.uncertainty);
        cr_expect_eq(count_of(&heard, RG_EVENT_impact), 0);
        cr_expect_eq(count_of(&heard, RG_EVENT_break), 0);
        close_case(&c);
    }
}

/* A contact that carries next to nothing may be taken up again for a moment: every break is at the time. */
Test(event_times, break_by_a_pull)
{
    for (int f = 0; f < WAYS; f++) {
        Drive drive = {.start = 0.0, .slope = 50.0};
        RgBuilder *builder = rg_builder_create(NULL, NULL);
        ground_add(builder, surface_mu(0.4));
        ball_add(builder, "ball", 2.0, 0.1, (RgVec3){0.0, 0.0, 0.1 + 5e-8}, surface_mu(0.4));
        Case c = open_case(builder, f, pull_up, &drive, false);
        Heard heard = {.count = 0};
        run_case(&c, 60, &heard);
        double t = 2.0 * TOUCH_G / 50.0;
        int breaks = 0;
        for (int i = 0; i < heard.count; i++) {
            const RgEvent *e = &heard.events[i];
            if (e->kind != RG_EVENT_break)
                continue;
            breaks++;
            CHECK_NEAR(e->t, t, PULLED, "s");
            cr_expect(fabs(e->t - t) <= e->uncertainty + PULLED, "%g for %g, told to %g", e->t, t, e->uncertainty);
        }
        cr_expect(breaks >= 1 && breaks <= 2, "%d breaks", breaks);
        cr_expect_eq(count_of(&heard, RG_EVENT_touch), breaks);
        cr_expect_eq(count_of(&heard, RG_EVENT_impact), 0);
        close_case(&c);
    }
}

Test(event_times, stick_and_roll)
{
    for (int f = 0; f < WAYS; f++) {
        RgBuilder *builder = rg_builder_create(NULL, NULL);
        ground_add(builder, surface_mu(0.2));
        RgLinkId box =
            box_add(builder, "box", 2.0, (RgVec3){0.4, 0.4, 0.1}, (RgVec3){0.0, 2.0, 0.05 + 5e-8}, surface_mu(0.2));
        RgLinkId ball = ball_add(builder, "ball", 2.0, 0.1, (RgVec3){0.0, 0.0, 0.1 + 5e-8}, surface_mu(0.2));
        Case c = open_case(builder, f, NULL, NULL, false);
        link_launch(c.world, box, (RgVec3){0.0, 0.0, 0.0}, (RgVec3){0.7, 0.0, 0.0});
        link_launch(c.world, ball, (RgVec3){0.0, 0.0, 0.0}, (RgVec3){1.0, 0.0, 0.0});
        Heard heard = {.count = 0};
        run_case(&c, 60, &heard);
        RgEvent roll = only(&heard, RG_EVENT_roll);
        CHECK_NEAR(roll.t, 2.0 / (7.0 * 0.2 * TOUCH_G), LOCATED, "s");
        cr_expect_eq(roll.link_b, (uint32_t)ball.i - 1);
        cr_expect_eq(count_of(&heard, RG_EVENT_slip), 2);
        cr_expect_eq(count_of(&heard, RG_EVENT_stick), 2);
        for (int i = 0; i < heard.count; i++)
            if (heard.events[i].kind == RG_EVENT_stick && heard.events[i].link_b == (uint32_t)box.i - 1)
                CHECK_NEAR(heard.events[i].t, 0.7 / (0.2 * TOUCH_G), LOCATED, "s");
        close_case(&c);
    }
}

Test(event_times, impact)
{
    for (int f = 0; f < WAYS; f++) {
        RgBuilder *builder = rg_builder_create(NULL, NULL);
        RgSurfaceDef bouncy = surface_mu(0.2);
        bouncy.restitution = 0.5;
        ground_add(builder, bouncy);
        ball_add(builder, "ball", 2.0, 0.1, (RgVec3){0.0, 0.0, 0.6}, bouncy);
        Case c = open_case(builder, f, NULL, NULL, false);
        Heard heard = {.count = 0};
        run_case(&c, 60, &heard);
        double t = sqrt(2.0 * 0.5 / TOUCH_G), v = TOUCH_G * t;
        cr_assert_geq(heard.count, 3);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(heard.events[i].t, t, LOCATED, "s");
        RgEvent impact = only(&heard, RG_EVENT_impact);
        CHECK_NEAR(impact.value, v, 1e-3, "m/s");
        CHECK_NEAR(impact.impulse, 2.0 * 1.5 * v, 1e-2, "N s");
        CHECK_NEAR(impact.normal.z, 1.0, 1e-9, "");
        close_case(&c);
    }
}
