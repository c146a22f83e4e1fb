/* test_arena.c - memory that is all given back at once: aligned, zeroed, and kept for the next filling. */
#include "pool.h"

#include "base/arena.h"
#include "base/random.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One filling: 500 blocks of drawn sizes, each checked to be aligned and zero, then dirtied. */
static void fill(RgArena *arena, uint64_t seed)
{
    RgRandom random = rg_random_seed(seed);
    for (int i = 0; i < 500; i++) {
        size_t bytes = (size_t)rg_random_below(&random, i % 50 == 0 ? 100000 : 500);
        unsigned char *block = rg_arena_alloc(arena, bytes, 1);
        cr_assert_not_null(block);
        cr_assert_eq((uintptr_t)block % 64, 0);
        for (size_t k = 0; k < bytes; k++)
            cr_assert_eq(block[k], 0);
        memset(block, 0xff, bytes);
    }
}

Test(arena, a_second_filling_allocates_nothing)
{
    Pool pool = {0, 0, 1000};
    RgAllocator hooks = {pool_take, pool_release, &pool};
    RgArena arena;
    rg_arena_init(&arena, &hooks);
    cr_expect_eq(pool.taken, 0, "an empty arena needs no memory");
    fill(&arena, 1);
    int taken = pool.taken;
    cr_expect(taken > 1 && taken < 20, "%d blocks", taken);
    for (int i = 0; i < 10; i++) {
        rg_arena_reset(&arena);
        fill(&arena, 1);
    }
    cr_expect_eq(pool.taken, taken);
    rg_arena_free(&arena);
    cr_expect_eq(pool.released, pool.taken);
}

Test(arena, blocks_do_not_overlap)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    enum { COUNT = 200 };
    unsigned char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = RG_ARENA_ALLOC(&arena, unsigned char, 300 * i);
        memset(blocks[i], i, (size_t)(300 * i));
    }
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 300 * i; k++)
            cr_assert_eq(blocks[i][k], i);
    rg_arena_free(&arena);
}

Test(arena, failing_is_remembered_until_the_reset)
{
    Pool pool = {0, 0, 1};
    RgAllocator hooks = {pool_take, pool_release, &pool};
    RgArena arena;
    rg_arena_init(&arena, &hooks);
    cr_expect_not_null(RG_ARENA_ALLOC(&arena, double, 10));
    cr_expect_null(RG_ARENA_ALLOC(&arena, double, 1000000));
    cr_expect(arena.failed);
    cr_expect_not_null(RG_ARENA_ALLOC(&arena, double, 10), "what is there can still be used");
    cr_expect(arena.failed);
    rg_arena_reset(&arena);
    cr_expect_not(arena.failed);
    cr_expect_null(rg_arena_alloc(&arena, SIZE_MAX / 2, 4), "a size that overflows");
    cr_expect(arena.failed);
    rg_arena_free(&arena);
    cr_expect_eq(pool.released, pool.taken);
}

Test(arena, nothing_and_strings)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    void *first = rg_arena_alloc(&arena, 0, 8), *second = rg_arena_alloc(&arena, 8, 0);
    cr_expect(first != NULL && second != NULL && first != second);
    char *copy = rg_arena_strdup(&arena, "gripper");
    cr_expect_str_eq(copy, "gripper");
    cr_expect_null(rg_arena_strdup(&arena, NULL));
    rg_arena_free(&arena);
    rg_arena_free(&arena);
}
