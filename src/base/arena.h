/*
 * arena.h - memory that is all given back at once.
 *
 * A chain of blocks, filled from the front. Reset keeps the memory: a second filling of the same size
 * allocates nothing, so a step that works in an arena allocates only while it warms up. Everything handed out
 * is aligned to 64 bytes.
 */
#ifndef RIGOR_ARENA_H
#define RIGOR_ARENA_H

#include <rigor/base.h>

#include <stdint.h>
#include <string.h>

/* Cache line; also enough for every vector type. */
#define RG_ARENA_ALIGN ((size_t)64)

typedef struct RgArenaBlock RgArenaBlock;

struct RgArenaBlock {
    RgArenaBlock *next;
    size_t size, used; /* bytes after the header */
    unsigned char *start;
};

typedef struct RgArena {
    RgAllocator allocator;
    RgArenaBlock *first, *current;
    bool failed; /* some request could not be met; sticks until reset */
} RgArena;

void rg_arena_init(RgArena *arena, const RgAllocator *allocator);
void rg_arena_free(RgArena *arena);

/* Gives everything back, keeps the memory. */
static inline void rg_arena_reset(RgArena *arena)
{
    for (RgArenaBlock *block = arena->first; block != NULL; block = block->next)
        block->used = 0;
    arena->current = arena->first;
    arena->failed = false;
}

/* Where an arena stands, to give back what is taken later. */
typedef struct RgArenaMark {
    RgArenaBlock *block;
    size_t used;
} RgArenaMark;

static inline RgArenaMark rg_arena_mark(const RgArena *arena)
{
    return (RgArenaMark){arena->current, arena->current != NULL ? arena->current->used : 0};
}

/* Gives back what was taken since the mark, keeps the memory. */
static inline void rg_arena_rewind(RgArena *arena, RgArenaMark mark)
{
    RgArenaBlock *from = mark.block != NULL ? mark.block : arena->first;
    for (RgArenaBlock *block = from; block != NULL; block = block->next)
        block->used = block == mark.block ? mark.used : 0;
    arena->current = from;
}

/* Bytes that a request takes. */
static inline size_t rg_arena_rounded(size_t bytes)
{
    bytes = (bytes + RG_ARENA_ALIGN - 1) / RG_ARENA_ALIGN * RG_ARENA_ALIGN;
    return bytes > 0 ? bytes : RG_ARENA_ALIGN;
}

/* The same from the next block that has room, made if there is none. */
void *rg_arena_take_next(RgArena *arena, size_t bytes);

#ifdef __clang_analyzer__
/* The analyser does not see that a take of NULL sets `failed`: for it these are functions of another file. */
void *rg_arena_take_raw(RgArena *arena, size_t count, size_t size);
void *rg_arena_take(RgArena *arena, size_t count, size_t size);
#else
/* count items of size bytes, not zeroed: for what is written before it is read, at every step anew. NULL (and failed)
   when memory is out. */
static inline void *rg_arena_take_raw(RgArena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        arena->failed = true;
        return NULL;
    }
    size_t bytes = rg_arena_rounded(count * size);
    RgArenaBlock *block = arena->current;
    if (block == NULL || block->size - block->used < bytes)
        return rg_arena_take_next(arena, bytes);
    void *place = block->start + block->used;
    block->used += bytes;
    return place;
}

/* The same, zeroed. */
static inline void *rg_arena_take(RgArena *arena, size_t count, size_t size)
{
    void *place = rg_arena_take_raw(arena, count, size);
    if (place != NULL)
        memset(place, 0, rg_arena_rounded(count * size));
    return place;
}
#endif

/* Copy of a string, NULL for NULL. */
char *rg_arena_strdup(RgArena *arena, const char *text);

#define RG_TAKE(arena, type, count) ((type *)rg_arena_take((arena), (size_t)(count), sizeof(type)))
#define RG_TAKE_RAW(arena, type, count) ((type *)rg_arena_take_raw((arena), (size_t)(count), sizeof(type)))

#endif
