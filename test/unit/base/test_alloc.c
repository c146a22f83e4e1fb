/* test_alloc.c - memory through the user's hooks: zeroed, counted, refused. */
#include "pool.h"

#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Test(alloc, memory_is_zeroed_with_and_without_hooks)
{
    Pool pool = {0, 0, 10};
    RgAllocator hooks = {pool_take, pool_release, &pool}, none = {NULL, NULL, NULL};
    const RgAllocator *allocators[3] = {&hooks, &none, NULL};
    for (int i = 0; i < 3; i++) {
        unsigned char *block = rg_alloc(allocators[i], 1000, 3);
        cr_assert_not_null(block);
        for (int k = 0; k < 3000; k++)
            cr_assert_eq(block[k], 0);
        rg_free(allocators[i], block);
    }
    cr_expect_eq(pool.taken, 1);
    cr_expect_eq(pool.released, 1);
}

Test(alloc, sizes_that_overflow_are_refused)
{
    Pool pool = {0, 0, 10};
    RgAllocator hooks = {pool_take, pool_release, &pool};
    cr_expect_null(rg_alloc(&hooks, SIZE_MAX, 2));
    cr_expect_null(rg_alloc(&hooks, SIZE_MAX / 8 + 1, 8));
    cr_expect_null(rg_alloc(NULL, SIZE_MAX / 2, 4));
    cr_expect_eq(pool.taken, 0, "the hook must not be asked for a wrapped size");
}

Test(alloc, nothing_is_a_valid_block)
{
    void *block = rg_alloc(NULL, 0, 8), *other = rg_alloc(NULL, 8, 0);
    cr_expect_not_null(block);
    cr_expect_not_null(other);
    rg_free(NULL, block);
    rg_free(NULL, other);
    rg_free(NULL, NULL);
}

Test(alloc, growing_keeps_the_old_items_and_zeroes_the_new)
{
    Pool pool = {0, 0, 3};
    RgAllocator hooks = {pool_take, pool_release, &pool};
    int *items = rg_alloc(&hooks, 4, sizeof(int));
    for (int i = 0; i < 4; i++)
        items[i] = i + 1;
    items = rg_realloc(&hooks, items, 4, 8, sizeof(int));
    cr_assert_not_null(items);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(items[i], i < 4 ? i + 1 : 0);
    items = rg_realloc(&hooks, items, 8, 2, sizeof(int));
    cr_expect_eq(items[1], 2);

    /* Out of memory: the old block is still there. */
    cr_expect_null(rg_realloc(&hooks, items, 2, 100, sizeof(int)));
    cr_expect_eq(items[1], 2);
    rg_free(&hooks, items);
    cr_expect_eq(pool.taken, pool.released);

    /* From no block at all. */
    int *fresh = rg_realloc(NULL, NULL, 0, 3, sizeof(int));
    cr_assert_not_null(fresh);
    cr_expect_eq(fresh[2], 0);
    rg_free(NULL, fresh);
}

Test(alloc, strings_are_copied)
{
    Pool pool = {0, 0, 1};
    RgAllocator hooks = {pool_take, pool_release, &pool};
    char *copy = rg_strdup(&hooks, "wheel");
    cr_expect_str_eq(copy, "wheel");
    cr_expect_null(rg_strdup(&hooks, "no memory left"));
    cr_expect_null(rg_strdup(&hooks, NULL));
    rg_free(&hooks, copy);
}
