/*
 * alloc_shared.h - one user's allocator for several threads: its hooks are called by one of them at a time.
 */
#ifndef RIGOR_ALLOC_SHARED_H
#define RIGOR_ALLOC_SHARED_H

#include <rigor/base.h>

#include <pthread.h>

typedef struct RgSharedAllocator {
    RgAllocator user;
    pthread_mutex_t lock;
} RgSharedAllocator;

/* False: the system has no lock. It must stay where it is, and outlive all that is allocated. */
bool rg_shared_allocator_init(RgSharedAllocator *shared, const RgAllocator *user);
void rg_shared_allocator_end(RgSharedAllocator *shared);

/* What threads may use at once. malloc and free, which lock by themselves, are called straight. */
RgAllocator rg_shared_allocator(RgSharedAllocator *shared);

#endif
