/* pool.h - memory of one command, released as a whole. Running out of memory ends the command with a message. */
#ifndef RIGOR_POOL_H
#define RIGOR_POOL_H

#include <stddef.h>

typedef struct RgPoolBlock RgPoolBlock;

typedef struct RgPool {
    RgPoolBlock *last; /* zeroed: empty */
} RgPool;

/* count items of size bytes, zeroed; never NULL. */
void *rg_pool_take(RgPool *pool, size_t count, size_t size);

/* Room for one item after the first count: the same array, or a copy of twice the size. */
void *rg_pool_grow(RgPool *pool, void *items, int count, size_t size);

/* printf into the pool. */
char *rg_pool_print(RgPool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

void rg_pool_free(RgPool *pool);

#endif
