/* alloc.h - memory through the user's hooks. A zeroed RgAllocator stands for malloc and free. */
#ifndef RIGOR_ALLOC_H
#define RIGOR_ALLOC_H

#include <rigor/base.h>

/* Zeroed memory for count items of size bytes; NULL on overflow or out of memory. count 0 gives a valid block. */
void *rg_alloc(const RgAllocator *allocator, size_t count, size_t size);

/* Zeroed memory for one object; NULL: out of memory, which error (of that file, which may be NULL) then says. */
void *rg_alloc_object(const RgAllocator *allocator, size_t size, const char *file, RgError *error);

/* Moves a block of old_count items to a new one of new_count items; the added items are zeroed. On failure returns NULL
   and leaves the old block valid. */
void *rg_realloc(const RgAllocator *allocator, void *block, size_t old_count, size_t new_count, size_t size);

void rg_free(const RgAllocator *allocator, void *block);

/* Copy of a string, NULL for NULL. */
char *rg_strdup(const RgAllocator *allocator, const char *text);

#endif
