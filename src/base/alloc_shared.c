/* alloc_shared.c - the user's hooks, protected by a lock. */
#include "base/alloc_shared.h"

static void *locked_alloc(size_t bytes, void *context)
{
    RgSharedAllocator *shared = context;
    pthread_mutex_lock(&shared->lock);
    void *block = shared->user.alloc(bytes, shared->user.context);
    pthread_mutex_unlock(&shared->lock);
    return block;
}

static void locked_release(void *block, void *context)
{
    RgSharedAllocator *shared = context;
    pthread_mutex_lock(&shared->lock);
    shared->user.release(block, shared->user.context);
    pthread_mutex_unlock(&shared->lock);
}

bool rg_shared_allocator_init(RgSharedAllocator *shared, const RgAllocator *user)
{
    shared->user = *user;
    return pthread_mutex_init(&shared->lock, NULL) == 0;
}

void rg_shared_allocator_end(RgSharedAllocator *shared)
{
    pthread_mutex_destroy(&shared->lock);
}

RgAllocator rg_shared_allocator(RgSharedAllocator *shared)
{
    return (RgAllocator){.alloc = shared->user.alloc != NULL ? locked_alloc : NULL,
                         .release = shared->user.release != NULL ? locked_release : NULL,
                         .context = shared};
}
