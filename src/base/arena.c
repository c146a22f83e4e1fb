/* arena.c - a chain of blocks, filled from the front. */
#include "base/arena.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

/* Cache line; also enough for every vector type. */
#define ARENA_ALIGN ((size_t)64)

/* First block; later ones double, so that a chain stays short. */
#define ARENA_FIRST_BYTES ((size_t)16384)

struct RgArenaBlock {
    RgArenaBlock *next;
    size_t size, used; /* bytes after the header */
    unsigned char *start;
};

static RgArenaBlock *block_create(const RgAllocator *allocator, size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(RgArenaBlock) - ARENA_ALIGN)
        return NULL;
    RgArenaBlock *block = rg_alloc(allocator, 1, sizeof(RgArenaBlock) + ARENA_ALIGN + bytes);
    if (block == NULL)
        return NULL;
    uintptr_t at = (uintptr_t)(block + 1);
    block->start = (unsigned char *)(block + 1) + (ARENA_ALIGN - at % ARENA_ALIGN) % ARENA_ALIGN;
    block->size = bytes;
    return block;
}

void rg_arena_init(RgArena *arena, const RgAllocator *allocator)
{
    memset(arena, 0, sizeof *arena);
    if (allocator != NULL)
        arena->allocator = *allocator;
}

void rg_arena_free(RgArena *arena)
{
    for (RgArenaBlock *block = arena->first; block != NULL;) {
        RgArenaBlock *next = block->next;
        rg_free(&arena->allocator, block);
        block = next;
    }
    arena->first = arena->current = NULL;
}

void rg_arena_reset(RgArena *arena)
{
    for (RgArenaBlock *block = arena->first; block != NULL; block = block->next)
        block->used = 0;
    arena->current = arena->first;
    arena->failed = false;
}

/* The next block of the chain that has room, made if there is none. */
static RgArenaBlock *block_with_room(RgArena *arena, size_t bytes)
{
    RgArenaBlock *last = NULL;
    for (RgArenaBlock *block = arena->current; block != NULL; block = block->next) {
        if (block->size - block->used >= bytes)
            return block;
        last = block;
    }
    size_t size = last != NULL ? 2 * last->size : ARENA_FIRST_BYTES;
    RgArenaBlock *block = block_create(&arena->allocator, size > bytes ? size : bytes);
    if (block == NULL)
        return NULL;
    if (last != NULL)
        last->next = block;
    else
        arena->first = block;
    return block;
}

static size_t rounded(size_t bytes)
{
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    return bytes > 0 ? bytes : ARENA_ALIGN;
}

void *rg_arena_take_raw(RgArena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        arena->failed = true;
        return NULL;
    }
    size_t bytes = rounded(count * size);
    RgArenaBlock *block = block_with_room(arena, bytes);
    if (block == NULL) {
        arena->failed = true;
        return NULL;
    }
    arena->current = block;
    void *place = block->start + block->used;
    block->used += bytes;
    return place;
}

void *rg_arena_take(RgArena *arena, size_t count, size_t size)
{
    void *place = rg_arena_take_raw(arena, count, size);
    if (place != NULL)
        memset(place, 0, rounded(count * size));
    return place;
}

char *rg_arena_strdup(RgArena *arena, const char *text)
{
    if (text == NULL)
        return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = rg_arena_take(arena, bytes, 1);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}
