/*
 * test_walking_state.c - a quadruped that trots on a floor, by every kind that takes a gait: saved in the middle and
 * loaded elsewhere it goes on with the same bits, and its steps allocate nothing but for more contacts than ever
 * before.
 */
#include "controls.h"
#include "counting.h"
#include "vectors.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NJOINTS 12
#define NFEET 4
#define STEP 4e-3

static const char *const legs[NFEET] = {"front_left", "front_right", "hind_left", "hind_right"};
static const char *const kinds[] = {"foot-pd", "inverse-dynamics", "no-slip", "implicit-pd", "hard", "pd"};
#define NKINDS ((int)(sizeof kinds / sizeof kinds[0]))

typedef struct Dog {
    RgModel *model;
    RgWorld *world;
    RgControl *control;
} Dog;

/* Knees bent, feet on the floor. */
static void stand(RgWorld *world)
{
    const RgModel *model = rg_world_model(world);
    const double angle[3] = {0.0, 0.7, -1.4};
    const char *const parts[3] = {"roll", "pitch", "knee"};
    for (int i = 0; i < NJOINTS; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", legs[i / 3], parts[i % 3]);
        RgJointId joint = rg_model_find_joint(model, name);
        cr_assert(rg_world_set_joint_position(world, joint, &angle[i % 3]) == RG_OK);
    }
    double q[64];
    RgModelInfo info = rg_model_info(model);
    memcpy(q, rg_world_q(world), (size_t)info.nq * sizeof *q);
    q[rg_model_link(model, rg_model_find_link(model, "body")).q_index + 6] = 0.4075;
    cr_assert(rg_world_set_state(world, q, NULL) == RG_OK);
}

static Dog dog_make(const char *kind, const char *form, RgAllocator allocator)
{
    Dog dog = {.model = model_on_floor("models/quadruped.sdf")};
    RgWorldDef def = world_def(dog.model, form, "semi-implicit");
    def.allocator = allocator;
    dog.world = world_make(&def);
    stand(dog.world);
    char text[NJOINTS][64];
    const char *names[NJOINTS];
    RgFoot feet[NFEET];
    RgVec3 neutral[NFEET];
    const double touchdown[NFEET] = {0.25, 0.75, 0.75, 0.25};
    for (int i = 0; i < NJOINTS; i++) {
        snprintf(text[i], sizeof text[i], "%s_%s", legs[i / 3], (const char *[]){"roll", "pitch", "knee"}[i % 3]);
        names[i] = text[i];
    }
    for (int i = 0; i < NFEET; i++) {
        char link[64];
        snprintf(link, sizeof link, "%s_shank", legs[i]);
        feet[i] = (RgFoot){.base = rg_model_find_link(dog.model, "body"),
                           .link = rg_model_find_link(dog.model, link),
                           .point = vec(0.0, 0.0, -0.25)};
        neutral[i] = vec(i < 2 ? 0.2 : -0.2, i % 2 == 0 ? 0.205 : -0.205, -0.382);
    }
    RgGait gait = {
        .period = 0.3, .duty = 0.75, .lift = 0.03, .nfeet = NFEET, .neutral = neutral, .touchdown = touchdown};
    ControlCase c;
    control_case(&c, dog.world, kind, names, NJOINTS);
    c.controller.gait = &gait;
    c.controller.feet = feet;
    c.controller.nfeet = NFEET;
    if (strcmp(kind, "foot-pd") == 0) {
        c.controller.foot_kp = 3000.0;
        c.controller.foot_kd = 60.0;
    } else if (strcmp(kind, "pd") == 0 || strcmp(kind, "implicit-pd") == 0) {
        control_gains(&c, 60.0, NAN, 1.0);
    } else if (strcmp(kind, "hard") != 0) {
        control_gains(&c, 900.0, NAN, 60.0); /* accelerations */
    }
    c.control.rate = 300.0;
    c.control.allocator = allocator;
    dog.control = control_make(&c);
    return dog;
}

static void dog_free(Dog *dog)
{
    control_end(dog->control, dog->world, dog->model);
}

static void check_restart(const char *kind, const char *form)
{
    RgAllocator usual = {0};
    Dog first = dog_make(kind, form, usual), other = dog_make(kind, form, usual);
    control_run(first.control, 60, STEP);
    size_t size = rg_world_state_size(first.world), more = rg_control_state_size(first.control);
    unsigned char *world = malloc(size), *control = malloc(more);
    rg_world_state_save(first.world, world);
    rg_control_state_save(first.control, control);
    control_run(first.control, 60, STEP);
    control_run(other.control, 13, STEP);
    cr_assert(rg_world_state_load(other.world, world, size) == RG_OK);
    cr_assert(rg_control_state_load(other.control, control, more) == RG_OK);
    control_run(other.control, 60, STEP);
    cr_expect(rg_world_hash(first.world) == rg_world_hash(other.world), "%s %s", kind, form);
    RgTracking a = rg_control_tracking(first.control), b = rg_control_tracking(other.control);
    cr_expect(memcmp(&a, &b, sizeof a) == 0, "%s %s: tracking", kind, form);
    cr_expect_eq(a.failed, 0, "%s %s: %d failed", kind, form, (int)a.failed);
    const RgContactForce *forces;
    cr_expect_gt(rg_world_contact_forces(first.world, &forces), 0, "%s %s: in the air", kind, form);
    free(world);
    free(control);
    dog_free(&first);
    dog_free(&other);
}

Test(walking_state, a_restored_walk_goes_on_with_the_same_bits)
{
    for (int i = 0; i < 2 * NKINDS; i++)
        check_restart(kinds[i / 2], both_forms[i % 2]);
}

Test(walking_state, steps_allocate_nothing)
{
    for (int i = 0; i < NKINDS; i++) {
        Counting counting = {0};
        Dog dog = dog_make(kinds[i], both_forms[i % 2], counting_allocator(&counting));
        control_run(dog.control, 150, STEP); /* two periods: all contacts there are */
        long warm = counting.calls;
        control_run(dog.control, 75, STEP);
        cr_expect(counting.calls == warm, "%s: %ld allocations", kinds[i], counting.calls - warm);
        dog_free(&dog);
        cr_expect(counting.blocks == 0, "%s: %ld blocks leaked", kinds[i], counting.blocks);
    }
}
