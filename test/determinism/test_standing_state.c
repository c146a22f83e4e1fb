/*
 * test_standing_state.c - balance and walk saved in the middle and loaded elsewhere go on with the same bits, in both
 * forms; after warm-up they allocate nothing, and all they took is given back.
 */
#include "counting.h"
#include "standing_robot.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char *const forms[] = {"minimal", "maximal"};
static const RgVec3 no_push = {0};
#define H 4e-3

static RgWalk numbers(int kind)
{
    RgWalk walk = rg_controller_def_default().walk;
    walk.settle = 0.2;
    if (kind == 0)
        return walk;
    walk.steps = 4.0;
    walk.stride = 0.1;
    walk.turn = 0.1;
    walk.swing = 0.5;
    walk.both = 0.2;
    return walk;
}

/* In the middle of a swing, into a control that has never been asked. */
static void check_restart(int kind, const char *form)
{
    StandingRobot first, other;
    RgWalk walk = numbers(kind);
    standing_begin(&first, ROBOT_HUMANOID, form, &walk, (RgAllocator){0});
    standing_begin(&other, ROBOT_HUMANOID, form, &walk, (RgAllocator){0});
    cr_assert(standing_run(&first, 160, H, no_push));
    size_t nworld = rg_world_state_size(first.world), ncontrol = rg_control_state_size(first.control);
    void *world = malloc(nworld), *control = malloc(ncontrol);
    rg_world_state_save(first.world, world);
    rg_control_state_save(first.control, control);
    cr_assert(standing_run(&first, 300, H, no_push));
    cr_assert_eq(rg_world_state_load(other.world, world, nworld), RG_OK);
    cr_assert_eq(rg_control_state_load(other.control, control, ncontrol), RG_OK);
    cr_assert(standing_run(&other, 300, H, no_push));
    cr_expect_eq(rg_world_hash(first.world), rg_world_hash(other.world), "%d %s", kind, form);
    free(world);
    free(control);
    standing_end(&first);
    standing_end(&other);
}

Test(standing_state, restored_it_goes_on_with_the_same_bits)
{
    for (int i = 0; i < 4; i++)
        check_restart(i / 2, forms[i % 2]);
}

Test(standing_state, steps_allocate_nothing)
{
    for (int i = 0; i < 4; i++) {
        Counting counting = {0};
        StandingRobot robot;
        RgWalk walk = numbers(i / 2);
        standing_begin(&robot, ROBOT_HUMANOID, forms[i % 2], &walk, counting_allocator(&counting));
        cr_assert(standing_run(&robot, 420, H, no_push));
        long warm = counting.calls;
        cr_assert(standing_run(&robot, 300, H, no_push));
        cr_expect_eq(counting.calls, warm, "%ld allocations", counting.calls - warm);
        standing_end(&robot);
        cr_expect_eq(counting.blocks, 0, "%ld blocks leaked", counting.blocks);
    }
}
