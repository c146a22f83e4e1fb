/*
 * test_snapshot.c - saved states: what is refused, that a refusal leaves no trace, and that all that
 * matters is in them.
 *
 * Layout under test: 56 bytes of numbers (magic to nu must agree, the counts must fit the size, one is the draws of a
 * generator, one is kept for later), the signature, t, h_next, the step of the remembered contacts, then x, u and the
 * contacts.
 */
#include "check_near.h"
#include "scenes.h"
#include "sim/world_internal.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 88
#define DRAWS 44
#define AT_T 64
#define AT_H_NEXT 72
#define AT_MEMORY_H 80

/* Where positions and velocities end and remembered contacts begin. */
static size_t numbers_end(const RgWorld *world)
{
    return HEADER + 8 * (size_t)(world->scope.form->nx + world->scope.form->nu);
}

/* A world that has moved, and a saved copy of its state. */
static char *save(RgWorld *world)
{
    char *saved = malloc(rg_world_state_size(world));
    rg_world_state_save(world, saved);
    return saved;
}

static void expect_refused(RgWorld *world, const char *saved, size_t size, RgStatus status, const char *what)
{
    char *before = save(world);
    uint64_t hash = rg_world_hash(world);
    cr_expect(rg_world_state_load(world, saved, size) == status, "%s", what);
    char *after = save(world);
    cr_expect(memcmp(before, after, rg_world_state_size(world)) == 0 && rg_world_hash(world) == hash,
              "%s: the state has changed", what);
    free(before);
    free(after);
}

/* A quaternion that is no rotation is refused, in both forms. */
Test(snapshot, rotations_that_are_none)
{
    RgModel *model = scene_box();
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        world_run(world, 3, 1e-3);
        char *saved = save(world);
        cr_expect(rg_world_state_load(world, saved, rg_world_state_size(world)) == RG_OK);
        memset(saved + HEADER, 0, 4 * sizeof(double));
        expect_refused(world, saved, rg_world_state_size(world), RG_ERR_ARGUMENT, "a zero quaternion");
        free(saved);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(snapshot, numbers_that_are_not_finite)
{
    static const double bad[2] = {(double)NAN, (double)INFINITY};
    RgModel *model = scene_quadruped();
    for (int i = 0; i < 4; i++) {
        RgWorld *world = world_of(model, both_forms[i % 2], "rk4");
        world_run(world, 5, 1e-3);
        size_t size = rg_world_state_size(world);
        char *saved = save(world);
        const size_t places[5] = {AT_T, AT_H_NEXT, HEADER, HEADER + 8 * (size_t)world->scope.form->nx,
                                  numbers_end(world) - 8};
        for (int k = 0; k < 5; k++) {
            char *spoilt = malloc(size);
            memcpy(spoilt, saved, size);
            memcpy(spoilt + places[k], &bad[i / 2], sizeof bad[0]);
            expect_refused(world, spoilt, size, RG_ERR_NOT_FINITE, "a number that is not finite");
            free(spoilt);
        }
        const double negative = -1.0;
        memcpy(saved + AT_H_NEXT, &negative, sizeof negative);
        expect_refused(world, saved, size, RG_ERR_NOT_FINITE, "a negative step");
        const double none = 0.0;
        memcpy(saved + AT_H_NEXT, &none, sizeof none);
        memcpy(saved + AT_MEMORY_H, &bad[i / 2], sizeof bad[0]);
        expect_refused(world, saved, size, RG_ERR_ARGUMENT, "a step of the contacts that is not finite");
        free(saved);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Every byte of the part that must agree. */
Test(snapshot, foreign_headers)
{
    RgModel *model = scene_arm();
    RgWorld *world = world_of(model, "minimal", "rk4");
    size_t size = rg_world_state_size(world);
    char *saved = save(world);
    for (size_t k = 0; k < AT_T; k++) {
        if (k >= DRAWS && k < DRAWS + 4)
            continue; /* of the generator of preset ode: any number is one */
        saved[k] ^= 0x10;
        expect_refused(world, saved, size, RG_ERR_ARGUMENT, "a foreign header");
        saved[k] ^= 0x10;
    }
    expect_refused(world, saved, size - 1, RG_ERR_ARGUMENT, "too short");
    expect_refused(world, saved, size + 1, RG_ERR_ARGUMENT, "too long");
    expect_refused(world, saved, 0, RG_ERR_ARGUMENT, "nothing");
    cr_expect(rg_world_state_load(world, saved, size) == RG_OK);
    free(saved);
    world_end(world, model);
}

/* A model of the same size is not the same model. */
Test(snapshot, another_model_of_the_same_size)
{
    RgInertia light = inertia_diagonal(1.0, vec(0.0, 0.0, -0.5), vec(0.1, 0.1, 0.1)), heavy = light;
    heavy.mass = 2.0;
    RgModel *one = scene_pendulum(light, NULL), *two = scene_pendulum(heavy, NULL), *same = scene_pendulum(light, NULL);
    for (int i = 0; i < 2; i++) {
        RgWorld *a = world_of(one, both_forms[i], "rk4"), *b = world_of(two, both_forms[i], "rk4");
        RgWorld *c = world_of(same, both_forms[i], "euler");
        world_run(a, 10, 1e-2);
        char *saved = save(a);
        expect_refused(b, saved, rg_world_state_size(b), RG_ERR_ARGUMENT, "another model");

        /* A twin of the model, run by another stepper, may take it. */
        cr_expect(rg_world_state_load(c, saved, rg_world_state_size(c)) == RG_OK);
        cr_expect(rg_world_hash(c) == rg_world_hash(a) && rg_world_time(c) == rg_world_time(a));
        free(saved);
        rg_world_destroy(a);
        rg_world_destroy(b);
        rg_world_destroy(c);
    }
    rg_model_destroy(one);
    rg_model_destroy(two);
    rg_model_destroy(same);
}

/* The error-controlled stepper remembers the step it would take; a restored world takes it, a changed one
   finds it anew. */
Test(snapshot, next_step_of_the_reference_stepper)
{
    RgModel *model = scene_double_pendulum();
    for (int i = 0; i < 2; i++) {
        RgWorld *one = world_of(model, both_forms[i], "reference"), *two = world_of(model, both_forms[i], "reference");
        RgStepReport reports[2];
        world_run(one, 3, 0.1);
        char *saved = save(one);
        double h_next;
        memcpy(&h_next, saved + AT_H_NEXT, sizeof h_next);
        cr_expect(h_next > 0.0, "the next step is not in the state");
        cr_assert(rg_world_state_load(two, saved, rg_world_state_size(two)) == RG_OK);
        cr_assert(rg_world_step(one, 0.1, &reports[0]) == RG_OK && rg_world_step(two, 0.1, &reports[1]) == RG_OK);
        cr_expect(reports[0].substeps == reports[1].substeps && reports[0].evaluations == reports[1].evaluations);
        cr_expect(reports[0].h == reports[1].h && rg_world_hash(one) == rg_world_hash(two));

        cr_assert(rg_world_set_state(two, rg_world_q(two), NULL) == RG_OK);
        free(saved);
        saved = save(two);
        memcpy(&h_next, saved + AT_H_NEXT, sizeof h_next);
        cr_expect(h_next == 0.0, "a state set from outside has no history");
        free(saved);
        rg_world_destroy(one);
        rg_world_destroy(two);
    }
    rg_model_destroy(model);
}

/* Time, positions and velocities all count in the hash, whatever their size. */
Test(snapshot, hash_sees_every_bit)
{
    RgModel *model = scene_arm();
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        world_run(world, 10, 1e-3);
        size_t size = rg_world_state_size(world);
        uint64_t hash = rg_world_hash(world);
        char *saved = save(world);
        for (size_t k = AT_T; k < numbers_end(world); k += 8) {
            if (k == AT_H_NEXT || k == AT_MEMORY_H)
                continue;
            saved[k] ^= 1; /* the last bit of a number */
            cr_assert(rg_world_state_load(world, saved, size) == RG_OK);
            cr_expect(rg_world_hash(world) != hash, "number %zu does not count", (k - AT_T) / 8);
            saved[k] ^= 1;
        }
        cr_assert(rg_world_state_load(world, saved, size) == RG_OK && rg_world_hash(world) == hash);
        free(saved);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
