/*
 * arena.h - memory that is all given back at once.
 *
 * A chain of blocks, filled from the front. Reset keeps the memory: a second filling of the same size
 * allocates nothing, so a step that works in an arena allocates only while it warms up. Everything handed out
 * is zeroed and aligned to 64 bytes.
 */
#ifndef RIGOR_ARENA_H
#define RIGOR_ARENA_H

#include <rigor/base.h>

typedef struct RgArenaBlock RgArenaBlock;

typedef struct RgArena {
    RgAllocator allocator;
    RgArenaBlock *first, *current;
    bool failed; /* some request could not be met; sticks until reset */
} RgArena;

void rg_arena_init(RgArena *arena, const RgAllocator *allocator);
void rg_arena_free(RgArena *arena);

/* Gives everything back, keeps the memory. */
void rg_arena_reset(RgArena *arena);

/* count items of size bytes, zeroed; NULL (and failed) when memory is out. */
void *rg_arena_take(RgArena *arena, size_t count, size_t size);

/* The same, not zeroed: for what is written before it is read, at every step anew. */
void *rg_arena_take_raw(RgArena *arena, size_t count, size_t size);

/* Copy of a string, NULL for NULL. */
char *rg_arena_strdup(RgArena *arena, const char *text);

#define RG_TAKE(arena, type, count) ((type *)rg_arena_take((arena), (size_t)(count), sizeof(type)))
#define RG_TAKE_RAW(arena, type, count) ((type *)rg_arena_take_raw((arena), (size_t)(count), sizeof(type)))

#endif
