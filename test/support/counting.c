/* counting.c - malloc and free with a count. */
#include "counting.h"

#include <stdlib.h>

static void *count_alloc(size_t bytes, void *context)
{
    Counting *c = context;
    c->calls++;
    if (c->fail_at > 0 && c->calls >= c->fail_at)
        return NULL;
    void *block = malloc(bytes);
    c->blocks += block != NULL;
    return block;
}

static void count_release(void *block, void *context)
{
    Counting *c = context;
    c->blocks -= block != NULL;
    free(block);
}

RgAllocator counting_allocator(Counting *counting)
{
    return (RgAllocator){count_alloc, count_release, counting};
}
