/*
 * test_bad_states.c - states that no solver can like: a bounded answer with a report.
 *
 * Bounded means: every step is taken, every number is finite, no link is ever faster than its start, gravity
 * over the whole run and the stated push allow (bad_scenes.h), and the kinetic energy stays below that of all
 * mass at that speed. Where a step must be refused (no memory, a number that is not finite), the state stays as
 * it was, bit by bit, and the world goes on from there as if nothing had happened.
 */
#include "bad_scenes.h"
#include "check_near.h"
#include "counting.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

static const char *const solvers[2] = {"quick", "pgs"};

/* Sweeps are bounded whatever happens, also where an island is asked twice (view_patches.c). */
#define MOST_SWEEPS 400
/* Round-off in speeds that are sums of many. */
#define ROUND_OFF 1e-6

static bool report_is_finite(const RgStepReport *r)
{
    return isfinite(r->joint_error) && isfinite(r->projected) && isfinite(r->contact_work) && isfinite(r->residual) &&
           isfinite(r->residual_impulse) && isfinite(r->residual_velocity) && isfinite(r->work.total) &&
           isfinite(r->dissipated);
}

static bool forces_are_finite(RgWorld *world)
{
    const RgContactForce *f;
    int count = rg_world_contact_forces(world, &f);
    for (int i = 0; i < count; i++)
        if (!isfinite(vec_norm(f[i].force)) || !isfinite(vec_norm(f[i].slip)) || !isfinite(f[i].gap))
            return false;
    return true;
}

static double fastest_link(RgWorld *world)
{
    double most = 0.0;
    int links = rg_model_info(rg_world_model(world)).links;
    for (int i = 1; i <= links; i++) {
        RgMotion V = rg_world_link_twist(world, (RgLinkId){i});
        double speed = vec_norm(V.v) + 0.0 * vec_norm(V.w);
        most = isfinite(speed) ? fmax(most, speed) : INFINITY;
    }
    return most;
}

static void endure(const BadScene *scene, const RgModel *model, const char *coords, const char *solver)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.gravity = scene->gravity;
    RgWorld *world = world_make(&def);
    if (scene->start != NULL)
        scene->start(world);
    double most = 0.0, bound = bad_scene_fastest(scene) * (1.0 + ROUND_OFF) + ROUND_OFF;
    for (int i = 0; i < scene->steps; i++) {
        RgStepReport r;
        RgMomentum m;
        RgStatus status = rg_world_step(world, scene->h, &r);
        cr_assert(status == RG_OK, "%s, %s, %s: step %d: %s %s", scene->name, coords, solver, i, rg_status_text(status),
                  r.offender);
        cr_assert(report_is_finite(&r) && forces_are_finite(world), "%s, %s, %s: report of step %d", scene->name,
                  coords, solver, i);
        cr_assert(r.sweeps <= MOST_SWEEPS);
        most = fmax(most, fastest_link(world));
        cr_assert(most <= bound, "%s, %s, %s: %g m/s in step %d, at most %g", scene->name, coords, solver, most, i,
                  bound);
        cr_assert(rg_world_momentum(world, &m) == RG_OK);
        cr_assert(m.kinetic <= 0.5 * rg_model_info(model).mass * bound * bound, "%s, %s, %s: %g J in step %d",
                  scene->name, coords, solver, m.kinetic, i);
    }
    rg_world_destroy(world);
}

Test(bad_states, are_answered)
{
    for (const BadScene *scene = bad_scenes; scene->name != NULL; scene++) {
        RgModel *model = scene->build();
        for (int k = 0; k < 4; k++)
            endure(scene, model, both_forms[k % 2], solvers[k / 2]);
        rg_model_destroy(model);
    }
}

/* ------------------------------------------------------------------ numbers that cannot be */

Test(bad_states, surfaces_that_cannot_be_are_refused)
{
    static const double bad[] = {-1e-300, -1.0, -INFINITY};
    RgSurfaceDef fresh = rg_shape_def_default().surface;
    size_t places[] = {offsetof(RgSurfaceDef, mu),          offsetof(RgSurfaceDef, mu2),
                       offsetof(RgSurfaceDef, slip1),       offsetof(RgSurfaceDef, slip2),
                       offsetof(RgSurfaceDef, restitution), offsetof(RgSurfaceDef, restitution_threshold),
                       offsetof(RgSurfaceDef, kp),          offsetof(RgSurfaceDef, kd),
                       offsetof(RgSurfaceDef, max_vel),     offsetof(RgSurfaceDef, min_depth),
                       offsetof(RgSurfaceDef, torsional),   offsetof(RgSurfaceDef, rolling)};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++)
        for (int i = 0; i < 3; i++) {
            RgBuilder *b = scene_begin("surface");
            RgShapeDef shape = rg_shape_def_default();
            shape.type = RG_SHAPE_halfspace;
            shape.surface = fresh;
            cr_assert(rg_builder_add_shape(b, &shape).i != 0);
            memcpy((char *)&shape.surface + places[k], &bad[i], sizeof bad[i]);
            cr_expect(rg_builder_add_shape(b, &shape).i == 0, "number %zu of %g was taken", k, bad[i]);
            rg_builder_destroy(b);
        }
}

Test(bad_states, restitution_above_one_is_refused)
{
    static const double bad[] = {1.0 + 1e-15, 2.0, INFINITY};
    for (int i = 0; i < 3; i++) {
        RgBuilder *b = scene_begin("bounce");
        RgShapeDef shape = rg_shape_def_default();
        shape.type = RG_SHAPE_halfspace;
        shape.surface.restitution = bad[i];
        cr_expect(rg_builder_add_shape(b, &shape).i == 0, "restitution %g was taken", bad[i]);
        cr_expect(strstr(rg_builder_error(b)->text, "restitution") != NULL, "%s", rg_builder_error(b)->text);
        rg_builder_destroy(b);
    }
}

/* ------------------------------------------------------------------ steps that fail */

static const BadScene *scene_named(const char *name)
{
    const BadScene *scene = bad_scenes;
    while (scene->name != NULL && strcmp(scene->name, name) != 0)
        scene++;
    cr_assert(scene->name != NULL, "%s", name);
    return scene;
}

static char *saved_state(const RgWorld *world, size_t *size)
{
    *size = rg_world_state_size(world);
    char *state = malloc(*size);
    cr_assert(state != NULL);
    rg_world_state_save(world, state);
    return state;
}

/* The state is what it was, with its memory of contacts. */
static void expect_state(const RgWorld *world, const char *state, size_t size, const char *when)
{
    size_t now;
    char *other = saved_state(world, &now);
    cr_expect(now == size && memcmp(state, other, size) == 0, "%s: the state has changed", when);
    free(other);
}

/* Memory that fails once in the middle of step number at, at every place it can: the step is refused, nothing is
   lost, and the same step taken again leads where it would have. */
static void lose_memory(const RgModel *model, const char *coords, const char *solver, int at)
{
    for (long k = 1;; k++) {
        Counting counting = {0};
        RgWorldDef def = world_def(model, coords, "semi-implicit");
        def.solver = solver;
        RgWorld *twin = world_make(&def);
        def.allocator = counting_allocator(&counting);
        RgWorld *world = world_make(&def);
        world_run(twin, at + 3, 1e-3);
        world_run(world, at, 1e-3);
        size_t size;
        char *state = saved_state(world, &size);
        RgStepReport r;
        const RgContactForce *forces;
        counting.fail_at = counting.calls + k;
        RgStatus status = rg_world_step(world, 1e-3, &r);
        counting.fail_at = 0;
        cr_assert(status == RG_OK || status == RG_ERR_MEMORY);
        if (status != RG_OK) {
            expect_state(world, state, size, solver);
            cr_expect(rg_world_contact_forces(world, &forces) == 0, "forces of a step that was not taken");
            world_run(world, 1, 1e-3);
        }
        world_run(world, 2, 1e-3);
        cr_expect(rg_world_hash(world) == rg_world_hash(twin), "%s, %s: lost memory %ld in step %d", coords, solver, k,
                  at);
        free(state);
        rg_world_destroy(world);
        rg_world_destroy(twin);
        cr_assert(counting.blocks == 0);
        if (status == RG_OK)
            return;
    }
}

Test(bad_states, lost_memory_costs_a_step_and_nothing_else)
{
    RgModel *model = scene_named("without area")->build();
    for (int k = 0; k < 8; k++)
        lose_memory(model, both_forms[k % 2], solvers[k / 2 % 2], k / 4);
    rg_model_destroy(model);
}

/* An input that is not a number, once. */
static void spoil(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    (void)state;
    if (*(const bool *)context)
        input->wrenches[0].f.x = NAN;
}

Test(bad_states, input_that_is_no_number_is_refused_among_contacts)
{
    RgModel *model = scene_named("mass ratio of 1e8")->build();
    for (int k = 0; k < 4; k++) {
        bool bad = false;
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.solver = solvers[k / 2];
        def.input = spoil;
        def.input_context = &bad;
        RgWorld *world = world_make(&def), *twin = world_make(&def);
        world_run(world, 10, 1e-3);
        world_run(twin, 20, 1e-3);
        size_t size;
        char *state = saved_state(world, &size);
        bad = true;
        RgStepReport r;
        const RgContactForce *forces;
        cr_expect(rg_world_step(world, 1e-3, &r) == RG_ERR_NOT_FINITE);
        cr_expect(r.status == RG_ERR_NOT_FINITE && r.offender[0] != '\0' && r.t == rg_world_time(world));
        cr_expect(rg_world_contact_forces(world, &forces) == 0);
        expect_state(world, state, size, def.solver);
        bad = false;
        world_run(world, 10, 1e-3);
        cr_expect(rg_world_hash(world) == rg_world_hash(twin));
        free(state);
        rg_world_destroy(world);
        rg_world_destroy(twin);
    }
    rg_model_destroy(model);
}
