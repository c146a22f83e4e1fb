/*
 * pool.c - memory of one command, released as a whole.
 *
 * A chain of malloc blocks. For small objects (names, paths, messages); not optimised. When memory is out the command
 * ends with code 1.
 */
#include "io/pool.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct RgPoolBlock {
    alignas(max_align_t) RgPoolBlock *before;
};

void *rg_pool_take(RgPool *pool, size_t count, size_t size)
{
    RgPoolBlock *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof *block) / size)
        block = calloc(1, sizeof *block + count * size);
    if (!block) {
        fprintf(stderr, "rigor: out of memory\n");
        exit(1);
    }
    block->before = pool->last;
    pool->last = block;
    return block + 1;
}

void *rg_pool_grow(RgPool *pool, void *items, int count, size_t size)
{
    /* Arrays are full at 0, 4, 8, 16, ... items. */
    bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    if (!full)
        return items;
    void *grown = rg_pool_take(pool, count == 0 ? 4 : 2 * (size_t)count, size);
    if (count > 0)
        memcpy(grown, items, (size_t)count * size);
    return grown;
}

char *rg_pool_print(RgPool *pool, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = rg_pool_take(pool, length < 0 ? 1 : (size_t)length + 1, 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void rg_pool_free(RgPool *pool)
{
    while (pool->last) {
        RgPoolBlock *block = pool->last;
        pool->last = block->before;
        free(block);
    }
}
