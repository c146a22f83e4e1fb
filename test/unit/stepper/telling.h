/*
 * telling.h - a world whose stepper makes inner steps and tells their events, of the plainest kind: semi-implicit
 * steps, contacts and limits looked at after the solve at the start of each. For tests of what is told, and of who
 * listens.
 */
#ifndef TEST_TELLING_H
#define TEST_TELLING_H

#include "check_near.h"
#include "heard.h"
#include "sim/world_internal.h"
#include "stepper/contact_events.h"
#include "touching.h"

#include <stdlib.h>
#include <string.h>

enum { INNER = 4 };
#define OUTER 4e-3 /* s */

/* States between the inner steps; and the inner step (of all) after whose events the outer one is refused, -1: none. */
typedef struct Between {
    RgState state[2];
    int made, refuse_at;
} Between;

static RgStatus telling_step(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    Between *between = s->stepper_data;
    const RgStepper *plain = rg_stepper_at(rg_stepper_find("semi-implicit"));
    const RgState *from = s0;
    RgStatus status = RG_OK;
    s->call.h = h / INNER;
    for (int i = 0; i < INNER && status == RG_OK; i++) {
        RgState *to = i + 1 < INNER ? &between->state[i % 2] : s1;
        status = plain->step(s, from, s->call.h, to);
        to->t = from->t + s->call.h;
        if (status != RG_OK)
            return status;
        status = rg_contact_events_find(s,
                                        &(RgContactEventsAsk){.last = &from->memory,
                                                              .u = from->u,
                                                              .t = from->t,
                                                              .uncertainty = 0.5 * s->call.h,
                                                              .since = s->call.h,
                                                              .impact_speed = 0.05},
                                        to);
        rg_step_log_inner(s->log, &(RgInnerStep){.t = from->t,
                                                 .h = s->call.h,
                                                 .cut = RG_CUT_whole,
                                                 .shape_a = -1,
                                                 .shape_b = -1,
                                                 .least_distance = INFINITY});
        if (status == RG_OK && i + 1 < INNER)
            status = rg_stage_finish(s, to);
        if (between->made++ == between->refuse_at)
            return RG_ERR_NOT_FINITE;
        from = to;
    }
    return status;
}

static const RgStepper telling_stepper = {
    .name = "telling", .summary = "for tests", .locates = true, .step = telling_step};

/* A world of the finished builder that tells. */
static inline RgWorld *telling_world(const RgModel *model, const char *coords, Between *between)
{
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    *between = (Between){.refuse_at = -1};
    for (int i = 0; i < 2; i++) {
        between->state[i].x = calloc((size_t)world->scope.form->nx, sizeof(double));
        between->state[i].u = calloc((size_t)world->scope.form->nu, sizeof(double));
    }
    world->stepper = &telling_stepper;
    world->scope.stepper_data = between;
    return world;
}

static inline void telling_end(RgWorld *world, Between *between)
{
    for (int i = 0; i < 2; i++) {
        free(between->state[i].x);
        free(between->state[i].u);
        rg_contact_memory_free(&between->state[i].memory, &world->log.allocator);
    }
    rg_world_destroy(world);
}

/* Everything that so many steps tell by rg_world_events, in the order of time. */
static inline void telling_run(RgWorld *world, int steps, Heard *heard)
{
    for (int i = 0; i < steps; i++) {
        cr_assert_eq(rg_world_step(world, OUTER, NULL), RG_OK);
        const RgEvent *events;
        int n = rg_world_events(world, &events);
        for (int k = 0; k < n; k++) {
            cr_expect(heard->count == 0 || events[k].t >= heard->events[heard->count - 1].t);
            hear(&events[k], heard);
        }
    }
}

#endif
