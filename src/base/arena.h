/*
 * arena.h - bump allocation: memory that is released all at once.
 *
 * A chain of blocks, filled from the front. A reset keeps the memory: refilling to the same size does not allocate, so
 * a step that works in an arena allocates only during its first calls. All allocations are aligned to 64 bytes.
 */
#ifndef RIGOR_ARENA_H
#define RIGOR_ARENA_H

#include <rigor/base.h>

#include <stdint.h>
#include <string.h>

/* Bytes: a cache line; also enough for every vector type. */
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
    bool failed; /* an allocation failed since the last reset */
} RgArena;

void rg_arena_init(RgArena *arena, const RgAllocator *allocator);
void rg_arena_free(RgArena *arena);

/* Frees an object that its allocator gave and that holds this arena, and both. */
void rg_arena_free_with(RgArena *arena, void *holder);

/* Releases all allocations, keeps the memory. */
static inline void rg_arena_reset(RgArena *arena)
{
    for (RgArenaBlock *block = arena->first; block != NULL; block = block->next)
        block->used = 0;
    arena->current = arena->first;
    arena->failed = false;
}

/* Position in an arena, to release later allocations by rg_arena_rewind. */
typedef struct RgArenaMark {
    RgArenaBlock *block;
    size_t used;
} RgArenaMark;

static inline RgArenaMark rg_arena_mark(const RgArena *arena)
{
    return (RgArenaMark){arena->current, arena->current != NULL ? arena->current->used : 0};
}

/* Releases all allocations since the mark, keeps the memory. */
static inline void rg_arena_rewind(RgArena *arena, RgArenaMark mark)
{
    RgArenaBlock *from = mark.block != NULL ? mark.block : arena->first;
    for (RgArenaBlock *block = from; block != NULL; block = block->next)
        block->used = block == mark.block ? mark.used : 0;
    arena->current = from;
}

/* Bytes used by an allocation of the given size. */
static inline size_t rg_arena_rounded(size_t bytes)
{
    bytes = (bytes + RG_ARENA_ALIGN - 1) / RG_ARENA_ALIGN * RG_ARENA_ALIGN;
    return bytes > 0 ? bytes : RG_ARENA_ALIGN;
}

/* Allocates from the next block with enough room, or from a new one. */
void *rg_arena_next_block(RgArena *arena, size_t bytes);

#ifdef __clang_analyzer__
/* The analyser does not see that a NULL result sets `failed`, so it gets external functions. */
void *rg_arena_alloc_raw(RgArena *arena, size_t count, size_t size);
void *rg_arena_alloc(RgArena *arena, size_t count, size_t size);
#else
/* count items of size bytes, not zeroed: for memory that is always written before it is read. NULL if out of memory;
   then failed is set. */
static inline void *rg_arena_alloc_raw(RgArena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        arena->failed = true;
        return NULL;
    }
    size_t bytes = rg_arena_rounded(count * size);
    RgArenaBlock *block = arena->current;
    if (block == NULL || block->size - block->used < bytes)
        return rg_arena_next_block(arena, bytes);
    void *place = block->start + block->used;
    block->used += bytes;
    return place;
}

/* The same, zeroed. */
static inline void *rg_arena_alloc(RgArena *arena, size_t count, size_t size)
{
    void *place = rg_arena_alloc_raw(arena, count, size);
    if (place != NULL)
        memset(place, 0, rg_arena_rounded(count * size));
    return place;
}
#endif

/* Copy of a string, NULL for NULL. */
char *rg_arena_strdup(RgArena *arena, const char *text);

#define RG_ARENA_ALLOC(arena, type, count) ((type *)rg_arena_alloc((arena), (size_t)(count), sizeof(type)))
#define RG_ARENA_ALLOC_RAW(arena, type, count) ((type *)rg_arena_alloc_raw((arena), (size_t)(count), sizeof(type)))

#endif
