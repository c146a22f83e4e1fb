/*
 * test_stepper.c - the table of steppers, and at which times and states each of them asks for the forces.
 *
 *   euler, semi-implicit   t
 *   semi-implicit-000      t + h, at the new position with the old velocity
 *   rk4                    t, t + h/2 twice, t + h
 *   reference              within [t, t + h], never outside
 */
#include "check_near.h"
#include "scenes.h"
#include "stepper/stepper.h"
#include "worlds.h"

#include <string.h>

#define MOST 64

Test(stepper, table)
{
    static const char *const names[] = {
        "euler", "semi-implicit", "semi-implicit-000", "rk4", "reference", "advance", "c2a",
        "rigid", "auto",          "rigid-001"};
    const int count = (int)(sizeof names / sizeof names[0]);
    cr_assert(rg_stepper_count() == count);
    for (int i = 0; i < count; i++) {
        cr_expect_str_eq(rg_stepper_name(i), names[i]);
        cr_expect(rg_stepper_find(names[i]) == i && rg_stepper_at(i)->name == rg_stepper_name(i));
        cr_expect(rg_stepper_summary(i)[0] != '\0' && rg_stepper_at(i)->step != NULL);
    }
    cr_expect(rg_stepper_find("Euler") == -1 && rg_stepper_find("") == -1);
    cr_expect(rg_stepper_name(-1) == NULL && rg_stepper_name(count) == NULL);
    cr_expect(rg_stepper_summary(-1) == NULL && rg_stepper_summary(count) == NULL);
}

/* What the input function was shown. */
typedef struct Calls {
    int count;
    double t[MOST], q[MOST], v[MOST];
} Calls;

static void note(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    Calls *c = context;
    input->tau[0] = 1.0;
    if (c->count < MOST) {
        c->t[c->count] = state->t;
        c->q[c->count] = state->q[0];
        c->v[c->count] = state->v[0];
    }
    c->count++;
}

/* One step of h = 0.25 from t = 2, q = 0.5, v = 3 of a balanced wheel with inertia 0.5 under an effort of
   1: a = 2. */
static RgStepReport one_step(const char *stepper, const char *coords, Calls *calls)
{
    RgModel *model = scene_pendulum(inertia_diagonal(1.0, vec(0.0, 0.0, 0.0), vec(0.5, 0.5, 0.5)), NULL);
    RgWorldDef def = world_def(model, coords, stepper);
    def.input = note;
    def.input_context = calls;
    RgWorld *world = world_make(&def);
    const double q = 0.5, v = 3.0;
    rg_world_set_state(world, &q, &v);
    rg_world_set_time(world, 2.0);
    RgStepReport report;
    cr_assert(rg_world_step(world, 0.25, &report) == RG_OK);
    CHECK_NEAR(rg_world_time(world), 2.25, 0.0, "s");
    CHECK_NEAR(world_rate(world, "hinge"), 3.5, 1e-14, "rad/s");
    world_end(world, model);
    return report;
}

Test(stepper, input_is_asked_at_the_stages)
{
    static const struct {
        const char *stepper;
        int count;
        double t[4], q[4], v[4], end;
    } cases[4] = {
        {"euler", 1, {2.0}, {0.5}, {3.0}, 0},
        {"semi-implicit", 1, {2.0}, {0.5}, {3.0}, 0},
        {"semi-implicit-000", 1, {2.25}, {1.25}, {3.0}, 0},
        {"rk4", 4, {2.0, 2.125, 2.125, 2.25}, {0.5, 0.875, 0.90625, 1.3125}, {3.0, 3.25, 3.25, 3.5}, 0},
    };
    for (int i = 0; i < 8; i++) {
        Calls calls = {0};
        RgStepReport report = one_step(cases[i / 2].stepper, both_forms[i % 2], &calls);
        cr_assert(calls.count == cases[i / 2].count && report.evaluations == calls.count, "%s: %d calls",
                  cases[i / 2].stepper, calls.count);
        CHECK_NEAR_ALL(calls.t, cases[i / 2].t, calls.count, 0.0, "s");
        CHECK_NEAR_ALL(calls.q, cases[i / 2].q, calls.count, 1e-14, "rad");
        CHECK_NEAR_ALL(calls.v, cases[i / 2].v, calls.count, 1e-14, "rad/s");
        cr_expect(report.status == RG_OK && report.t == 2.25 && report.h == 0.25 && report.offender[0] == '\0');
        cr_expect(report.substeps == 0 && report.rejected == 0);
    }
}

Test(stepper, reference_asks_within_the_step)
{
    for (int i = 0; i < 2; i++) {
        Calls calls = {0};
        RgStepReport report = one_step("reference", both_forms[i], &calls);
        cr_expect(report.evaluations == calls.count && report.substeps >= 1 && report.h > 0.0);
        cr_expect(calls.t[0] == 2.0 && calls.q[0] == 0.5 && calls.v[0] == 3.0);
        double last = 0.0;
        for (int k = 0; k < calls.count && k < MOST; k++) {
            cr_expect(calls.t[k] >= 2.0 && calls.t[k] <= 2.25, "asked at %.17g", calls.t[k]);
            last = fmax(last, calls.t[k]);
        }
        CHECK_NEAR(last, 2.25, 0.0, "s");
    }
}

/* A mass that turns freely at w on an arm keeps its speed, though its bearing is a row of the maximal form and must
   turn it round: rows taken to the wrong order would change the speed by (h w)^2 / 2 a step, 5 % here. This is the
   price of semi-implicit-000 in that form, and of advance and rigid-001, which are the same between contacts: their
   rows push along the new direction alone. */
Test(stepper, rows_do_not_drive_what_turns)
{
    RgModel *model = scene_pendulum(inertia_diagonal(1.0, vec(0.5, 0.0, 0.0), vec(0.01, 0.01, 0.01)), NULL);
    for (int i = 0; i < 2 * rg_stepper_count(); i++) {
        RgWorldDef def = world_def(model, both_forms[i % 2], rg_stepper_name(i / 2));
        def.gravity = vec(0.0, 0.0, 0.0);
        RgWorld *world = world_make(&def);
        const double q = 0.3, w = 10.0;
        bool pays = i % 2 == 1 && (strcmp(def.stepper, "semi-implicit-000") == 0 ||
                                   strcmp(def.stepper, "advance") == 0 || strcmp(def.stepper, "rigid-001") == 0);
        rg_world_set_state(world, &q, &w);
        world_run(world, 1000, 1e-3);
        CHECK_NEAR(world_rate(world, "hinge"), w, (pays ? 0.05 : 2e-4) * w, def.stepper);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Step sizes that are none, from every stepper in both forms: refused before anything is asked, nothing
   changes. */
Test(stepper, impossible_steps_are_refused)
{
    static const double steps[5] = {0.0, -1e-3, (double)NAN, (double)INFINITY, -(double)INFINITY};
    RgModel *model = scene_arm();
    for (int i = 0; i < 10 * rg_stepper_count(); i++) {
        Calls calls = {0};
        RgWorldDef def = world_def(model, both_forms[i % 2], rg_stepper_name(i / 10));
        def.input = note;
        def.input_context = &calls;
        RgWorld *world = world_make(&def);
        rg_world_set_time(world, 1.5);
        uint64_t hash = rg_world_hash(world);
        RgStepReport report;
        memset(&report, 0xff, sizeof report);
        cr_expect(rg_world_step(world, steps[i / 2 % 5], &report) == RG_ERR_ARGUMENT);
        cr_expect(report.status == RG_ERR_ARGUMENT && report.t == 1.5 && report.evaluations == 0);
        cr_expect(calls.count == 0 && rg_world_hash(world) == hash);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
