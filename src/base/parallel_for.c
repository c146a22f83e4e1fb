/*
 * parallel_for.c - a pool of POSIX threads.
 *
 * The remaining work of a job is one atomic word, ticket = (job number, chunks left), which threads decrement by
 * compare-and-swap:
 *
 *   caller                               worker
 *   write the job, done = 0              read ticket, then the job
 *   ticket = (job, chunks)               (job, r > 0) -> (job, r - 1) succeeds: process chunk chunks - r; repeat
 *   process chunks likewise              no chunk is left: done += number of its chunks
 *   wait for done = chunks
 *
 * The caller overwrites the job only after every chunk is done. If the swap of a ticket with r > 0 succeeds, chunk
 * chunks - r is not done, so the job fields read before belong to this job. A worker that is late, or that has no
 * processor at the moment, finds r = 0 or another job; the caller does not wait for it.
 *
 * An idle worker spins for about IDLE_SPINS checks, during a step (rg_thread_pool_begin_step) for up to STEP_SPINS, and then
 * sleeps; waking it costs more than most jobs take. "write ticket, then read asleep" and "write asleep, then read
 * ticket" are sequentially consistent: either the worker sees the job or the caller wakes the worker.
 *
 * Whole runs of a batch use OpenMP instead (team_for.c): one pool for the program, but microseconds per job.
 *
 * Failure cases: if threads cannot be created the pool is smaller. A worker that loses its processor within a chunk
 * delays the caller until the chunk is done. A child made by fork has no workers and must not use the pool.
 */
#define _GNU_SOURCE /* sched_getcpu */
#include "base/parallel_for.h"
#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* Checks for a job, at about 20 ns each, before a worker sleeps: between steps, and within a step. The second is also
   the number of checks for the end of a job after which the caller yields its processor. */
#define IDLE_SPINS 2000
#define STEP_SPINS 50000
/* Checks of a spin loop between two tests of whether to yield the processor. */
#define SPINS_PER_YIELD 64

typedef struct Worker {
    RgThreadPool *thread_pool;
    int number;
    pthread_t thread;
} Worker;

/* A counter that several threads write, padded to a cache line of its own. */
typedef struct Counter {
    char before[64];
    atomic_int n;
} Counter;

/* A late worker may read it while the caller writes the next job, so the fields are atomic. */
typedef struct Job {
    _Atomic(RgRangeFn *) work;
    _Atomic(void *) context;
    atomic_int count, chunk;
} Job;

struct RgThreadPool {
    RgAllocator allocator;
    int size;
    bool spins;    /* there is a processor for each thread */
    uint32_t jobs; /* number of jobs so far */
    Job job;
    char padding[64];
    atomic_uint_least64_t ticket; /* job number, chunks left */
    Counter done;                 /* chunks done */
    Counter asleep;               /* sleeping workers */
    atomic_int processor;         /* of the caller when it submitted the last job; -1: unknown */
    atomic_uint steps;            /* number of steps begun */
    atomic_bool in_step, ends;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Worker workers[RG_MOST_THREADS];
};

int rg_thread_pool_size(const RgThreadPool *thread_pool)
{
    return thread_pool != NULL ? thread_pool->size : 1;
}

static void spin_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Processor that runs this thread; -1: unknown. */
static int processor(void)
{
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

static uint32_t job_number(uint64_t ticket)
{
    return (uint32_t)(ticket >> 32);
}

/* Processes chunks of the current job until none is left. Returns the job number. */
static uint32_t process_job(RgThreadPool *thread_pool, int member)
{
    int done = 0;
    uint64_t ticket = atomic_load(&thread_pool->ticket);
    uint32_t job = job_number(ticket);
    RgRangeFn *work = atomic_load_explicit(&thread_pool->job.work, memory_order_relaxed);
    void *context = atomic_load_explicit(&thread_pool->job.context, memory_order_relaxed);
    int32_t count = atomic_load_explicit(&thread_pool->job.count, memory_order_relaxed);
    int32_t chunk = atomic_load_explicit(&thread_pool->job.chunk, memory_order_relaxed);
    while (job_number(ticket) == job && (uint32_t)ticket > 0) {
        if (!atomic_compare_exchange_weak(&thread_pool->ticket, &ticket, ticket - 1))
            continue;
        int32_t chunks = (count - 1) / chunk + 1;
        rg_do_chunk(chunks - (int32_t)(uint32_t)ticket, count, chunk, work, context, member);
        done++;
        ticket = atomic_load(&thread_pool->ticket);
    }
    if (done > 0)
        atomic_fetch_add(&thread_pool->done.n, done);
    return job;
}

bool rg_thread_pool_spins(const RgThreadPool *thread_pool)
{
    return thread_pool != NULL && thread_pool->spins;
}

void rg_thread_pool_wait(const RgThreadPool *thread_pool, int checks)
{
    if (rg_thread_pool_spins(thread_pool) && (checks < IDLE_SPINS || checks % SPINS_PER_YIELD != 0))
        spin_pause();
    else
        sched_yield();
}

static void wake_workers(RgThreadPool *thread_pool)
{
    if (atomic_load(&thread_pool->asleep.n) == 0)
        return;
    pthread_mutex_lock(&thread_pool->lock);
    pthread_cond_broadcast(&thread_pool->wake);
    pthread_mutex_unlock(&thread_pool->lock);
}

void rg_parallel_for_pool(RgThreadPool *thread_pool, int32_t count, int32_t chunk, RgRangeFn *work, void *context)
{
    int32_t chunks = (count - 1) / chunk + 1;
    atomic_store_explicit(&thread_pool->job.work, work, memory_order_relaxed);
    atomic_store_explicit(&thread_pool->job.context, context, memory_order_relaxed);
    atomic_store_explicit(&thread_pool->job.count, count, memory_order_relaxed);
    atomic_store_explicit(&thread_pool->job.chunk, chunk, memory_order_relaxed);
    atomic_store_explicit(&thread_pool->done.n, 0, memory_order_relaxed);
    atomic_store_explicit(&thread_pool->processor, processor(), memory_order_relaxed);
    thread_pool->jobs++;
    atomic_store(&thread_pool->ticket, (uint64_t)thread_pool->jobs << 32 | (uint32_t)chunks);
    wake_workers(thread_pool);
    process_job(thread_pool, 0);
    for (int spun = 0; atomic_load(&thread_pool->done.n) < chunks; spun++) {
        if (thread_pool->spins && spun < STEP_SPINS)
            spin_pause();
        else
            sched_yield();
    }
}

void rg_thread_pool_begin_step(RgThreadPool *thread_pool)
{
    if (thread_pool == NULL)
        return;
    atomic_store_explicit(&thread_pool->processor, processor(), memory_order_relaxed);
    atomic_store(&thread_pool->in_step, true);
    atomic_fetch_add(&thread_pool->steps, 1);
    wake_workers(thread_pool);
}

void rg_thread_pool_end_step(RgThreadPool *thread_pool)
{
    if (thread_pool != NULL)
        atomic_store(&thread_pool->in_step, false);
}

/* ------------------------------------------------------------------ workers */

/* Pauses a spinning worker. Yields if the caller last ran on the same processor, as no job can arrive until it runs
   again. */
static void pause_worker(RgThreadPool *thread_pool, int checks)
{
    if (checks % SPINS_PER_YIELD == 0 &&
        processor() == atomic_load_explicit(&thread_pool->processor, memory_order_relaxed))
        sched_yield();
    else
        spin_pause();
}

/* Sleeps until a job other than last arrives, a step begins (only if spinning is allowed), or the pool ends. */
static void sleep_until_job(RgThreadPool *thread_pool, uint32_t last)
{
    pthread_mutex_lock(&thread_pool->lock);
    atomic_fetch_add(&thread_pool->asleep.n, 1);
    unsigned step = atomic_load(&thread_pool->steps);
    while (job_number(atomic_load(&thread_pool->ticket)) == last && !atomic_load(&thread_pool->ends) &&
           !(thread_pool->spins && atomic_load(&thread_pool->steps) != step))
        pthread_cond_wait(&thread_pool->wake, &thread_pool->lock);
    atomic_fetch_sub(&thread_pool->asleep.n, 1);
    pthread_mutex_unlock(&thread_pool->lock);
}

static void *run_worker(void *context)
{
    const Worker *me = context;
    RgThreadPool *thread_pool = me->thread_pool;
    int spun = 0;
    for (uint32_t last = 0; !atomic_load(&thread_pool->ends);) {
        if (job_number(atomic_load(&thread_pool->ticket)) != last) {
            last = process_job(thread_pool, me->number);
            spun = 0;
            continue;
        }
        int most = !thread_pool->spins                                                 ? 0
                   : atomic_load_explicit(&thread_pool->in_step, memory_order_relaxed) ? STEP_SPINS
                                                                                       : IDLE_SPINS;
        if (spun++ < most) {
            pause_worker(thread_pool, spun);
            continue;
        }
        sleep_until_job(thread_pool, last);
        spun = 0;
    }
    return NULL;
}

RgThreadPool *rg_thread_pool_create(int threads, const RgAllocator *allocator)
{
    threads = threads > RG_MOST_THREADS ? RG_MOST_THREADS : threads;
    RgThreadPool *thread_pool = threads > 1 ? rg_alloc(allocator, 1, sizeof *thread_pool) : NULL;
    if (thread_pool == NULL)
        return NULL;
    thread_pool->allocator = *allocator;
    thread_pool->spins = threads <= sysconf(_SC_NPROCESSORS_ONLN);
    pthread_mutex_init(&thread_pool->lock, NULL);
    pthread_cond_init(&thread_pool->wake, NULL);
    for (thread_pool->size = 1; thread_pool->size < threads; thread_pool->size++) {
        Worker *worker = &thread_pool->workers[thread_pool->size];
        *worker = (Worker){.thread_pool = thread_pool, .number = thread_pool->size};
        if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0)
            break;
    }
    if (thread_pool->size == 1) {
        rg_thread_pool_destroy(thread_pool);
        thread_pool = NULL;
    }
    return thread_pool;
}

void rg_thread_pool_destroy(RgThreadPool *thread_pool)
{
    if (thread_pool == NULL)
        return;
    atomic_store(&thread_pool->ends, true);
    wake_workers(thread_pool);
    for (int i = 1; i < thread_pool->size; i++)
        pthread_join(thread_pool->workers[i].thread, NULL);
    pthread_cond_destroy(&thread_pool->wake);
    pthread_mutex_destroy(&thread_pool->lock);
    RgAllocator allocator = thread_pool->allocator;
    rg_free(&allocator, thread_pool);
}
