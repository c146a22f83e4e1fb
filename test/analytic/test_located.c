/*
 * test_located.c - events and motion of the stepper that locates, by closed forms.
 *
 * Bounces. A ball that falls from a gap H with restitution e hits at t0 = sqrt(2 H / g), then every 2 e^k v / g; the
 * sequence ends at t0 (1 + e) / (1 - e) (Zeno): flights shorter than event_time are one contact that lasts.
 *
 * Block. It slides with v0 and stops at v0 / (mu g), after v0^2 / (2 mu g). On a slope of angle a it starts to slide
 * when tan a > mu, with g (sin a - mu cos a).
 *
 * Ball that slides first: rolls from 2 v0 / (7 mu g) on, with 5/7 v0.
 *
 * Pendulum on a limit: falls from the horizontal; the time to a hanging stop is that of a quarter swing, K(1/2)
 * sqrt(L/g) for a point mass, which the pendulum's own length gives.
 *
 * Nearer than half of half the gap nothing ever is.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#include <math.h>

#define GAP 1e-7
#define FINE 1e-11 /* m: where speeds of a few mm/s shall be right to g GAP / v */
#define RADIUS 0.1

typedef struct Events {
    RgEvent list[4096];
    int count;
} Events;

static void collect(const RgEvent *event, void *context)
{
    Events *events = context;
    if (events->count < 4096)
        events->list[events->count++] = *event;
}

/* event_time as small as solves tell accelerations apart. */
static RgWorld *sharp_world(const RgModel *model, const char *coords, double gap, double event_time, Events *events)
{
    RgWorldDef def = world_def(model, coords, "rigid");
    RgAdaptOptions adapt = rg_adapt_options_default();
    adapt.gap = gap;
    adapt.event_time = event_time;
    def.solver = "cone";
    def.adapt = &adapt;
    RgWorld *world = world_make(&def);
    events->count = 0;
    rg_world_set_event_fn(world, collect, events);
    return world;
}

static RgWorld *located_world(const RgModel *model, const char *coords, double gap, Events *events)
{
    return sharp_world(model, coords, gap, rg_adapt_options_default().event_time, events);
}

/* The n-th event of a kind; a time of NaN: there is none. */
static RgEvent event_at(const Events *events, RgEventKind kind, int n)
{
    for (int i = 0; i < events->count; i++)
        if (events->list[i].kind == kind && n-- == 0)
            return events->list[i];
    return (RgEvent){.t = NAN};
}

static RgSurfaceDef bouncing(double mu, double e)
{
    RgSurfaceDef s = surface_mu(mu);
    s.restitution = e;
    s.restitution_threshold = 0.0;
    return s;
}

static void check_apart(RgWorld *world, double gap)
{
    RgShapeDistance near[16];
    int count = 0;
    cr_assert(rg_world_distances(world, 1e-3, near, 16, &count, NULL) == RG_OK);
    for (int i = 0; i < count && i < 16; i++)
        cr_assert(near[i].distance.distance >= 0.25 * gap, "%g m at %g s", near[i].distance.distance,
                  rg_world_time(world));
}

Test(located, a_ball_bounces_at_its_times)
{
    static Events events;
    for (int form = 0; form < 2; form++) {
        RgBuilder *b = scene_begin("bounce");
        ground_add(b, bouncing(0.0, 0.5));
        ball_add(b, "ball", 0.7, RADIUS, vec(0, 0, RADIUS + 1.0), bouncing(0.0, 0.5));
        RgModel *model = scene_end(b);
        RgWorld *world = located_world(model, both_forms[form], FINE, &events);
        double v = sqrt(2.0 * TOUCH_G * 1.0), t = v / TOUCH_G;
        for (int i = 0; i < 200; i++) {
            cr_assert(rg_world_step(world, 0.01, NULL) == RG_OK);
            check_apart(world, FINE);
        }
        for (int k = 0; k < 12; k++) {
            RgEvent hit = event_at(&events, RG_EVENT_impact, k);
            CHECK_NEAR(hit.t, t, 1e-6, "s");
            CHECK_NEAR(hit.value, v, 1e-5, "m/s");
            CHECK_NEAR(hit.impulse, 0.7 * 1.5 * v, 1e-5, "N s");
            v *= 0.5;
            t += 2.0 * v / TOUCH_G;
        }
        cr_assert(events.count < 200, "%d events", events.count);
        CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){1}).v.z, 0.0, 1e-9, "m/s");
        world_end(world, model);
    }
}

Test(located, a_block_stops_in_its_time)
{
    static Events events;
    for (int form = 0; form < 2; form++) {
        RgLinkId block;
        RgBuilder *b = scene_begin("block");
        ground_add(b, surface_mu(0.3));
        block = box_add(b, "block", 2.0, vec(0.3, 0.2, 0.1), vec(0.0, 0.0, 0.05 + 0.5 * GAP), surface_mu(0.3));
        RgModel *model = scene_end(b);
        RgWorld *world = located_world(model, both_forms[form], GAP, &events);
        link_launch(world, block, vec(0, 0, 0), vec(1.0, 0.0, 0.0));
        double a = 0.3 * TOUCH_G;
        for (int i = 0; i < 50; i++) {
            cr_assert(rg_world_step(world, 0.01, NULL) == RG_OK);
            check_apart(world, GAP);
        }
        CHECK_NEAR(event_at(&events, RG_EVENT_stick, 0).t, 1.0 / a, 2e-5, "s");
        CHECK_NEAR(rg_world_link_pose(world, block).p.x, 1.0 / (2.0 * a), 1e-5, "m");
        CHECK_NEAR(vec_norm(rg_world_link_twist(world, block).v), 0.0, 1e-9, "m/s");
        world_end(world, model);
    }
}

Test(located, a_ball_begins_to_roll_in_its_time)
{
    static Events events;
    for (int form = 0; form < 2; form++) {
        RgBuilder *b = scene_begin("roll");
        ground_add(b, surface_mu(0.2));
        RgLinkId ball = ball_add(b, "ball", 0.7, RADIUS, vec(0, 0, RADIUS + 0.5 * GAP), surface_mu(0.2));
        RgModel *model = scene_end(b);
        RgWorld *world = located_world(model, both_forms[form], GAP, &events);
        link_launch(world, ball, vec(0, 0, 0), vec(1.0, 0.0, 0.0));
        for (int i = 0; i < 50; i++) {
            cr_assert(rg_world_step(world, 0.01, NULL) == RG_OK);
            check_apart(world, GAP);
        }
        CHECK_NEAR(event_at(&events, RG_EVENT_roll, 0).t, 2.0 / (7.0 * 0.2 * TOUCH_G), 2e-5, "s");
        CHECK_NEAR(rg_world_link_twist(world, ball).v.x, 5.0 / 7.0, 1e-6, "m/s");
        world_end(world, model);
    }
}

/* A ball rolls off a fixed one: it leaves where cos a = 10/17 cos a0, a0 the angle from the top at which it was let go.
   Cosine of the angle at which it is told to leave. */
static double leaves_at(const char *form, double a0, double h, double event_time)
{
    static Events events;
    static const double size[3] = {0.5, 0.0, 0.0};
    double far = 0.5 + RADIUS + 0.5 * GAP;
    RgBuilder *b = scene_begin("dome");
    RgPose X = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    shape_add(b, (RgLinkId){0}, RG_SHAPE_sphere, size, X, surface_mu(1e4));
    ball_add(b, "ball", 0.7, RADIUS, vec(far * sin(a0), 0, far * cos(a0)), surface_mu(1e4));
    RgModel *model = scene_end(b);
    RgWorld *world = sharp_world(model, form, GAP, event_time, &events);
    int steps = (int)(0.8 / h);
    for (int i = 0; i < steps; i++) {
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
        check_apart(world, GAP);
    }
    RgEvent left = event_at(&events, RG_EVENT_break, 0);
    cr_assert(isnan(event_at(&events, RG_EVENT_break, 1).t), "it left twice");
    cr_assert(left.uncertainty <= event_time, "%g s", left.uncertainty);
    cr_assert(rg_world_step_statistics(world).steps < steps + 10, "%d steps",
              (int)rg_world_step_statistics(world).steps);
    world_end(world, model);
    return left.point.z / vec_norm(left.point);
}

/* With the default event_time to 1e-4; else to second order of the step, and what an acceleration of 2e-5 m/s^2
   takes. */
Test(located, a_ball_leaves_the_ball_that_it_rolls_off)
{
    double a0 = 0.2, exact = 10.0 / 17.0 * cos(a0);
    for (int form = 0; form < 2; form++) {
        const char *coords = both_forms[form];
        CHECK_NEAR(leaves_at(coords, a0, 0.01, rg_adapt_options_default().event_time), exact, 1e-4, "");
        for (int i = 0; i < 5; i++) {
            double h = 0.04 / (1 << i);
            double error = leaves_at(coords, a0, h, 1e-7) - exact;
            cr_assert(fabs(error) < 0.12 * h * h + 2e-6, "%g at %g s", error, h);
        }
    }
}
