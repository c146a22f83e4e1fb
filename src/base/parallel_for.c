/*
 * parallel_for.c - a pool of POSIX threads.
 *
 * A job is cut into chunks. What is left of it is one word, ticket = (number of the job, chunks left), which threads
 * move on by compare-and-swap:
 *
 *   caller                               worker
 *   fields of the job, done = 0          read ticket, then the fields of the job
 *   ticket = (job, chunks)               (job, r > 0) -> (job, r - 1) succeeds: do chunk chunks - r, and so on
 *   does chunks likewise                 no chunk is left: done += chunks that it did
 *   waits for done = chunks
 *
 * The caller writes fields again only when every chunk is done. A ticket with r > 0 that is still there when it is
 * swapped says that chunk chunks - r is not done, so that the fields read before are those of this job. A worker that
 * comes late, or has no processor just then, finds r = 0 or another job, and nobody waits for it.
 *
 * A worker without a job looks for one, then sleeps: for about IDLE_SPINS looks, but as long as a step lasts
 * (rg_crew_begin_step) for up to STEP_SPINS, since waking it costs more than most jobs. "ticket, then asleep" and
 * "asleep, then ticket" are sequentially consistent: either it sees the job or the caller wakes it.
 *
 * Whole runs of a batch go to OpenMP's threads instead (team_for.c): one pool for a program, but microseconds a job.
 *
 * Failure cases: threads that cannot be made are done without. A worker that loses its processor in a chunk keeps the
 * caller waiting: nothing but the end of the chunk helps. A child made by fork has no workers and must leave the pool
 * alone.
 */
#define _GNU_SOURCE /* sched_getcpu */
#include "base/parallel_for.h"
#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* Looks for a job before a worker sleeps, at some 20 ns each: between steps, and within one. The second is also how
   often the caller looks for the end of a job before it gives its processor to others. */
#define IDLE_SPINS 2000
#define STEP_SPINS 50000
#define SPINS_A_YIELD 64 /* checks after which a thread thinks of those that it may keep from a processor */

typedef struct Worker {
    RgCrew *crew;
    int number;
    pthread_t thread;
} Worker;

/* A number that several threads write, away from others by a line of the cache. */
typedef struct Counter {
    char before[64];
    atomic_int n;
} Counter;

/* Read by workers that may be late: atomic, though nobody writes it while a chunk is left. */
typedef struct Job {
    _Atomic(RgRangeFn *) work;
    _Atomic(void *) context;
    atomic_int count, chunk;
} Job;

struct RgCrew {
    RgAllocator allocator;
    int size;
    bool spins;    /* there is a processor for each thread */
    uint32_t jobs; /* so far */
    Job job;
    char apart[64];
    atomic_uint_least64_t ticket; /* number of the job, chunks left */
    Counter done;                 /* chunks */
    Counter asleep;               /* workers that must be woken */
    atomic_int processor;         /* of the caller, when it handed out the last job */
    atomic_uint steps;            /* begun */
    atomic_bool in_step, ends;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Worker workers[RG_MOST_THREADS];
};

int rg_crew_size(const RgCrew *crew)
{
    return crew != NULL ? crew->size : 1;
}

static void pause_shortly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* That this thread runs on; -1: not known. */
static int processor(void)
{
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

static uint32_t job_of(uint64_t ticket)
{
    return (uint32_t)(ticket >> 32);
}

/* One thread's part of the current job. Returns the number of the job. */
static uint32_t do_job(RgCrew *crew, int member)
{
    int done = 0;
    uint64_t ticket = atomic_load(&crew->ticket);
    uint32_t job = job_of(ticket);
    RgRangeFn *work = atomic_load_explicit(&crew->job.work, memory_order_relaxed);
    void *context = atomic_load_explicit(&crew->job.context, memory_order_relaxed);
    int32_t count = atomic_load_explicit(&crew->job.count, memory_order_relaxed);
    int32_t chunk = atomic_load_explicit(&crew->job.chunk, memory_order_relaxed);
    while (job_of(ticket) == job && (uint32_t)ticket > 0) {
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
    if (rg_crew_spins(crew) && (checks < IDLE_SPINS || checks % SPINS_A_YIELD != 0))
        pause_shortly();
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
    do_job(crew, 0);
    for (int spun = 0; atomic_load(&crew->done.n) < chunks; spun++) {
        if (crew->spins && spun < STEP_SPINS)
            pause_shortly();
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

/* Where the caller has its processor here, nothing will come until it has it again. */
static void pause_for_caller(RgCrew *crew, int checks)
{
    if (checks % SPINS_A_YIELD == 0 && processor() == atomic_load_explicit(&crew->processor, memory_order_relaxed))
        sched_yield();
    else
        pause_shortly();
}

/* Until there is a job other than the last, a step begins (not where spinning is of no use), or none will come. */
static void sleep_on(RgCrew *crew, uint32_t last)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep.n, 1);
    unsigned step = atomic_load(&crew->steps);
    while (job_of(atomic_load(&crew->ticket)) == last && !atomic_load(&crew->ends) &&
           !(crew->spins && atomic_load(&crew->steps) != step))
        pthread_cond_wait(&crew->wake, &crew->lock);
    atomic_fetch_sub(&crew->asleep.n, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void *serve(void *context)
{
    const Worker *me = context;
    RgCrew *crew = me->crew;
    int spun = 0;
    for (uint32_t last = 0; !atomic_load(&crew->ends);) {
        if (job_of(atomic_load(&crew->ticket)) != last) {
            last = do_job(crew, me->number);
            spun = 0;
            continue;
        }
        int most = !crew->spins                                                 ? 0
                   : atomic_load_explicit(&crew->in_step, memory_order_relaxed) ? STEP_SPINS
                                                                                : IDLE_SPINS;
        if (spun++ < most) {
            pause_for_caller(crew, spun);
            continue;
        }
        sleep_on(crew, last);
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
        if (pthread_create(&worker->thread, NULL, serve, worker) != 0)
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
