/* pool.h - memory hooks for the tests of base. */
#ifndef TEST_UNIT_BASE_POOL_H
#define TEST_UNIT_BASE_POOL_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Hooks that count, hand out dirty memory and can run dry. */
typedef struct Pool {
    int taken, released, limit;
} Pool;

static inline void *pool_take(size_t bytes, void *context)
{
    Pool *pool = context;
    if (pool->taken >= pool->limit)
        return NULL;
    pool->taken++;
    void *block = malloc(bytes);
    if (block != NULL)
        memset(block, 0xa5, bytes);
    return block;
}

static inline void pool_release(void *block, void *context)
{
    Pool *pool = context;
    pool->released++;
    free(block);
}

#endif
