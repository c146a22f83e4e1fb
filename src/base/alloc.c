/* alloc.c - memory through the user's hooks. */
#include "base/alloc.h"

#include "base/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *rg_alloc(const RgAllocator *allocator, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    if (bytes == 0)
        bytes = 1;
    if (allocator == NULL || allocator->alloc == NULL)
        return calloc(1, bytes);
    void *block = allocator->alloc(bytes, allocator->context);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void *rg_alloc_object(const RgAllocator *allocator, size_t size, const char *file, RgError *error)
{
    void *object = rg_alloc(allocator, 1, size);
    if (object == NULL)
        rg_fail(error, RG_ERR_MEMORY, file, 0, "out of memory");
    return object;
}

void *rg_realloc(const RgAllocator *allocator, void *block, size_t old_count, size_t new_count, size_t size)
{
    void *grown = rg_alloc(allocator, new_count, size);
    if (grown == NULL)
        return NULL;
    if (block != NULL) {
        memcpy(grown, block, (old_count < new_count ? old_count : new_count) * size);
        rg_free(allocator, block);
    }
    return grown;
}

void rg_free(const RgAllocator *allocator, void *block)
{
    if (block == NULL)
        return;
    if (allocator == NULL || allocator->release == NULL)
        free(block);
    else
        allocator->release(block, allocator->context);
}

char *rg_strdup(const RgAllocator *allocator, const char *text)
{
    if (text == NULL)
        return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = rg_alloc(allocator, bytes, 1);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}
