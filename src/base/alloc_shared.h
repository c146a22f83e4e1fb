/* alloc_shared.h - shares a user's allocator between threads: its hooks are called by one thread at a time. */
#ifndef RIGOR_ALLOC_SHARED_H
#define RIGOR_ALLOC_SHARED_H

#include <rigor/base.h>

#include <pthread.h>

typedef struct RgSharedAllocator {
    RgAllocator user;
    pthread_mutex_t lock;
} RgSharedAllocator;

/* False: the lock cannot be created. shared must not move, and must outlive all memory allocated through it. */
bool rg_shared_allocator_init(RgSharedAllocator *shared, const RgAllocator *user);
void rg_shared_allocator_end(RgSharedAllocator *shared);

/* An allocator that several threads may use. malloc and free are used directly, as they are thread-safe. */
RgAllocator rg_shared_allocator(RgSharedAllocator *shared);

#endif
