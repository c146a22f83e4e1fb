/*
 * test_event_lists.c - the list of events of located steps does not depend on the step.
 *
 * Paper 001's die rolls, rocks and comes to rest: impacts that follow each other faster and faster (Zeno). Twin: the
 * same die at a step of 0.25 ms. At every longer step the same kinds follow each other in the same order. Between
 * events steps are of second order, so the times of what has a time of its own (contacts) differ by no more than RATE
 * h^2 + SHARP; events that are only seen where steps end (rest) say how uncertain they are.
 */
#include "located_thrown.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define MOST 512
#define RATE 10.0  /* 1/s; measured: 7.9 at most */
#define SHARP 2e-5 /* s: twice event_time */

typedef struct List {
    RgEvent event[MOST];
    int count;
} List;

static void run(RgWorld *world, double h, double time, List *list)
{
    long steps = lround(time / h);
    list->count = 0;
    for (long i = 0; i < steps; i++) {
        const RgEvent *events;
        cr_assert_eq(rg_world_step(world, h, NULL), RG_OK, "step %g at %g s", h, (double)i * h);
        int count = rg_world_events(world, &events);
        for (int k = 0; k < count; k++) {
            cr_assert_lt(list->count, MOST);
            list->event[list->count++] = events[k];
        }
    }
}

static RgWorld *make_world(const RgModel *model, const char *solver, RgVec3 gravity)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.stepper = "rigid";
    def.solver = solver;
    def.gravity = gravity;
    return world_make(&def);
}

static void die_list(const char *solver, double h, List *list)
{
    RgModel *model = thrown_die_model(1.0);
    RgWorld *world = make_world(model, solver, (RgVec3){0.0, -9.81, 0.0});
    thrown_die_start(world);
    run(world, h, 2.0, list);
    world_end(world, model);
}

static void throw_list(const Throw *t, double h, List *list)
{
    RgModel *model = thrown_model(t);
    RgWorld *world = make_world(model, "cone", (RgVec3){0.0, 0.0, -9.81});
    thrown_start(t, world);
    run(world, h, 4.0, list);
    world_end(world, model);
}

static bool same_kinds(const List *a, const List *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = a->event[i].kind == b->event[i].kind;
    return same;
}

static void check_same(const List *list, const List *twin, double h, const char *what)
{
    cr_assert_eq(list->count, twin->count, "%s, %g s: %d events, not %d", what, h, list->count, twin->count);
    for (int i = 0; i < list->count; i++) {
        const RgEvent *e = &list->event[i], *of = &twin->event[i];
        cr_assert_eq(e->kind, of->kind, "%s, %g s: event %d is %s, not %s", what, h, i, rg_event_name(e->kind),
                     rg_event_name(of->kind));
        double allowed = RATE * h * h + SHARP + e->uncertainty + of->uncertainty;
        cr_assert_lt(fabs(e->t - of->t), allowed, "%s, %g s: %s at %.9f, not %.9f", what, h, rg_event_name(e->kind),
                     e->t, of->t);
    }
}

static void check_die(const char *solver, int impacts)
{
    static const double steps[] = {1e-2, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4};
    List *twin = malloc(sizeof *twin), *list = malloc(sizeof *list);
    cr_assert(twin != NULL && list != NULL);
    die_list(solver, 2.5e-4, twin);
    int count = 0;
    for (int i = 0; i < twin->count; i++)
        count += twin->event[i].kind == RG_EVENT_impact;
    cr_assert_eq(count, impacts, "%d impacts", count);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        die_list(solver, steps[i], list);
        check_same(list, twin, steps[i], solver);
    }
    free(twin);
    free(list);
}

Test(event_lists, die_that_does_not_slip)
{
    check_die("no-slip", 23);
}

Test(event_lists, die_with_coulomb_friction)
{
    check_die("cone", 23);
}

/* Of other throws most: where two corners strike within a step's error of each other either may be the first. */
Test(event_lists, random_throws)
{
    static const int kinds[] = {0, 1, 3}; /* cube, tetra, box */
    List *twin = malloc(sizeof *twin), *list = malloc(sizeof *list);
    cr_assert(twin != NULL && list != NULL);
    int same = 0, all = 0;
    for (int k = 0; k < 3; k++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            Throw t = {kinds[k], 0, seed};
            throw_list(&t, 5e-4, twin);
            throw_list(&t, 5e-3, list);
            same += same_kinds(list, twin);
            all++;
        }
    cr_assert_geq(same, all - 2, "%d of %d lists are the same at 5 and 0.5 ms", same, all);
    free(twin);
    free(list);
}

/* A body that has rocked to rest goes on resting: nothing is told any more. */
Test(event_lists, rest_is_silent)
{
    List *list = malloc(sizeof *list);
    cr_assert_not_null(list);
    RgModel *model = thrown_die_model(1.0);
    RgWorld *world = make_world(model, "cone", (RgVec3){0.0, -9.81, 0.0});
    thrown_die_start(world);
    run(world, 1e-3, 2.0, list);
    run(world, 1e-3, 1.0, list);
    cr_assert_eq(list->count, 0);
    world_end(world, model);
    free(list);
}
