/* arena.c - a chain of blocks, filled from the front. */
#include "base/arena.h"

#include "base/alloc.h"

/* Size of the first block; later ones double, so that the chain stays short. */
#define ARENA_FIRST_BYTES ((size_t)16384)

static RgArenaBlock *block_create(const RgAllocator *allocator, size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(RgArenaBlock) - RG_ARENA_ALIGN)
        return NULL;
    RgArenaBlock *block = rg_alloc(allocator, 1, sizeof(RgArenaBlock) + RG_ARENA_ALIGN + bytes);
    if (block == NULL)
        return NULL;
    uintptr_t at = (uintptr_t)(block + 1);
    block->start = (unsigned char *)(block + 1) + (RG_ARENA_ALIGN - at % RG_ARENA_ALIGN) % RG_ARENA_ALIGN;
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

void rg_arena_free_with(RgArena *arena, void *holder)
{
    RgAllocator allocator = arena->allocator;
    rg_arena_free(arena);
    rg_free(&allocator, holder);
}

/* The next block of the chain with enough room; a new one if there is none. */
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

void *rg_arena_next_block(RgArena *arena, size_t bytes)
{
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

char *rg_arena_strdup(RgArena *arena, const char *text)
{
    if (text == NULL)
        return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = rg_arena_alloc(arena, bytes, 1);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}
