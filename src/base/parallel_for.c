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
 * An idle worker spins for about IDLE_SPINS checks, during a step (rg_crew_begin_step) for up to STEP_SPINS, and then
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
    RgCrew *crew;
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

struct RgCrew {
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

int rg_crew_size(const RgCrew *crew)
{
    return crew != NULL ? crew->size : 1;
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
static uint32_t process_job(RgCrew *crew, int member)
{
    int done = 0;
    uint64_t ticket = atomic_load(&crew->ticket);
    uint32_t job = job_number(ticket);
    RgRangeFn *work = atomic_load_explicit(&crew->job.work, memory_order_relaxed);
    void *context = atomic_load_explicit(&crew->job.context, memory_order_relaxed);
    int32_t count = atomic_load_explicit(&crew->job.count, memory_order_relaxed);
    int32_t chunk = atomic_load_explicit(&crew->job.chunk, memory_order_relaxed);
    while (job_number(ticket) == job && (uint32_t)ticket > 0) {
        if (!atomic_compare_exchange_weak(&crew->ticket, &ticket, ticket - 1))
            continue;
        int32_t chunks = (count - 1) / chunk + 1;
        rg_do_chunk(chunks - (int32_t)(uint32_t)ticket, count, chunk, work, context, member);
        done++;
        ticket = atomic_load(&crew->ticket);
    }
    if (done > 0)
        atomic_fetch_add(&crew->done.n, done);
    return job;
}

bool rg_crew_spins(const RgCrew *crew)
{
    return crew != NULL && crew->spins;
}

void rg_crew_wait(const RgCrew *crew, int checks)
{
    if (rg_crew_spins(crew) && (checks < IDLE_SPINS || checks % SPINS_PER_YIELD != 0))
        spin_pause();
    else
        sched_yield();
}

static void wake_workers(RgCrew *crew)
{
    if (atomic_load(&crew->asleep.n) == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
}

void rg_parallel_for_crew(RgCrew *crew, int32_t count, int32_t chunk, RgRangeFn *work, void *context)
{
    int32_t chunks = (count - 1) / chunk + 1;
    atomic_store_explicit(&crew->job.work, work, memory_order_relaxed);
    atomic_store_explicit(&crew->job.context, context, memory_order_relaxed);
    atomic_store_explicit(&crew->job.count, count, memory_order_relaxed);
    atomic_store_explicit(&crew->job.chunk, chunk, memory_order_relaxed);
    atomic_store_explicit(&crew->done.n, 0, memory_order_relaxed);
    atomic_store_explicit(&crew->processor, processor(), memory_order_relaxed);
    crew->jobs++;
    atomic_store(&crew->ticket, (uint64_t)crew->jobs << 32 | (uint32_t)chunks);
    wake_workers(crew);
    process_job(crew, 0);
    for (int spun = 0; atomic_load(&crew->done.n) < chunks; spun++) {
        if (crew->spins && spun < STEP_SPINS)
            spin_pause();
        else
            sched_yield();
    }
}

void rg_crew_begin_step(RgCrew *crew)
{
    if (crew == NULL)
        return;
    atomic_store_explicit(&crew->processor, processor(), memory_order_relaxed);
    atomic_store(&crew->in_step, true);
    atomic_fetch_add(&crew->steps, 1);
    wake_workers(crew);
}

void rg_crew_end_step(RgCrew *crew)
{
    if (crew != NULL)
        atomic_store(&crew->in_step, false);
}

/* ------------------------------------------------------------------ workers */

/* Pauses a spinning worker. Yields if the caller last ran on the same processor, as no job can arrive until it runs
   again. */
static void pause_worker(RgCrew *crew, int checks)
{
    if (checks % SPINS_PER_YIELD == 0 && processor() == atomic_load_explicit(&crew->processor, memory_order_relaxed))
        sched_yield();
    else
        spin_pause();
}

/* Sleeps until a job other than last arrives, a step begins (only if spinning is allowed), or the pool ends. */
static void sleep_until_job(RgCrew *crew, uint32_t last)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep.n, 1);
    unsigned step = atomic_load(&crew->steps);
    while (job_number(atomic_load(&crew->ticket)) == last && !atomic_load(&crew->ends) &&
           !(crew->spins && atomic_load(&crew->steps) != step))
        pthread_cond_wait(&crew->wake, &crew->lock);
    atomic_fetch_sub(&crew->asleep.n, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void *run_worker(void *context)
{
    const Worker *me = context;
    RgCrew *crew = me->crew;
    int spun = 0;
    for (uint32_t last = 0; !atomic_load(&crew->ends);) {
        if (job_number(atomic_load(&crew->ticket)) != last) {
            last = process_job(crew, me->number);
            spun = 0;
            continue;
        }
        int most = !crew->spins                                                 ? 0
                   : atomic_load_explicit(&crew->in_step, memory_order_relaxed) ? STEP_SPINS
                                                                                : IDLE_SPINS;
        if (spun++ < most) {
            pause_worker(crew, spun);
            continue;
        }
        sleep_until_job(crew, last);
        spun = 0;
    }
    return NULL;
}

RgCrew *rg_crew_create(int threads, const RgAllocator *allocator)
{
    threads = threads > RG_MOST_THREADS ? RG_MOST_THREADS : threads;
    RgCrew *crew = threads > 1 ? rg_alloc(allocator, 1, sizeof *crew) : NULL;
    if (crew == NULL)
        return NULL;
    crew->allocator = *allocator;
    crew->spins = threads <= sysconf(_SC_NPROCESSORS_ONLN);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    for (crew->size = 1; crew->size < threads; crew->size++) {
        Worker *worker = &crew->workers[crew->size];
        *worker = (Worker){.crew = crew, .number = crew->size};
        if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0)
            break;
    }
    if (crew->size > 1)
        return crew;
    rg_crew_destroy(crew);
    return NULL;
}

void rg_crew_destroy(RgCrew *crew)
{
    if (crew == NULL)
        return;
    atomic_store(&crew->ends, true);
    wake_workers(crew);
    for (int i = 1; i < crew->size; i++)
        pthread_join(crew->workers[i].thread, NULL);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->lock);
    RgAllocator allocator = crew->allocator;
    rg_free(&allocator, crew);
}
