/*
 * parallel_for.c - crews of POSIX threads.
 *
 * The captain opens a job by writing its number; helpers who see a number they have not worked on go inside and look
 * again. It is closed when no chunk is left: who comes late finds the door shut, so that a helper who has no processor
 * just then keeps nobody waiting. The captain goes on when nobody is inside.
 *
 *   captain                         helper
 *   fields of the job               inside += 1
 *   open = number                   read open: a new number: work; else nothing
 *   work                            inside -= 1
 *   open = 0
 *   wait for inside = 0
 *
 * The two orders "open, then inside" and "inside, then open" are sequentially consistent: either the helper finds the
 * door shut or the captain sees him. A helper without a job looks for one for some tens of microseconds, then sleeps;
 * likewise "open, then asleep" and "asleep, then open": either he sees the job or the captain wakes him.
 *
 * Whole runs of a batch go to OpenMP's threads instead (team_for.c): one pool for a program, but microseconds a job.
 *
 * Failure cases: threads that cannot be made are done without. A child made by fork has no helpers and must leave the
 * crew alone.
 */
#include "base/parallel_for.h"
#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* Looks for a job, or at who is inside, before the processor is given to others. */
#define SPINS 2000

/* What a helper knows of himself. */
typedef struct Helper {
    RgCrew *crew;
    int number;
    pthread_t thread;
} Helper;

/* A number that several threads write, away from others by a line of the cache. */
typedef struct Counter {
    char before[64];
    atomic_int n;
} Counter;

struct RgCrew {
    RgAllocator allocator;
    int size;
    int spins;
    int jobs; /* so far */

    /* The job. */
    RgRangeFn *work;
    void *context;
    int32_t count, chunk;

    Counter open;   /* number of the job that may be joined; 0: none; -1: the crew is sent home */
    Counter inside; /* helpers who may be at it */
    Counter next;   /* chunk that is taken next */
    Counter asleep; /* helpers who must be woken */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Helper helpers[RG_MOST_THREADS];
};

int rg_crew_size(const RgCrew *crew)
{
    return crew != NULL ? crew->size : 1;
}

/* A short wait. False: it has been long enough. */
static bool spin(int *spun, int spins)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return (*spun)++ < spins;
}

/* One member's part of the job. */
static void do_job(RgCrew *crew, int member)
{
    int32_t chunks = (crew->count - 1) / crew->chunk + 1;
    for (int32_t k; (k = atomic_fetch_add_explicit(&crew->next.n, 1, memory_order_relaxed)) < chunks;)
        rg_do_chunk(k, crew->count, crew->chunk, crew->work, crew->context, member);
}

static void open_door(RgCrew *crew, int number)
{
    atomic_store(&crew->open.n, number);
    if (atomic_load(&crew->asleep.n) == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
}

void rg_parallel_for_crew(RgCrew *crew, int32_t count, int32_t chunk, RgRangeFn *work, void *context)
{
    crew->work = work;
    crew->context = context;
    crew->count = count;
    crew->chunk = chunk;
    crew->jobs = crew->jobs == INT32_MAX ? 1 : crew->jobs + 1;
    atomic_store_explicit(&crew->next.n, 0, memory_order_relaxed);
    open_door(crew, crew->jobs);
    do_job(crew, 0);
    atomic_store(&crew->open.n, 0);
    for (int spun = 0; atomic_load(&crew->inside.n) > 0;)
        if (!spin(&spun, crew->spins))
            sched_yield();
}

/* ------------------------------------------------------------------ helpers */

/* Until there is a job other than the last, or none will come. */
static void sleep_on(RgCrew *crew, int last)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep.n, 1);
    for (int open; (open = atomic_load(&crew->open.n)) == 0 || open == last;)
        pthread_cond_wait(&crew->wake, &crew->lock);
    atomic_fetch_sub(&crew->asleep.n, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void *serve(void *context)
{
    const Helper *me = context;
    RgCrew *crew = me->crew;
    for (int last = 0, spun = 0;;) {
        int open = atomic_load(&crew->open.n);
        if (open == -1)
            return NULL;
        if (open == 0 || open == last) {
            if (!spin(&spun, crew->spins))
                sleep_on(crew, last);
            continue;
        }
        atomic_fetch_add(&crew->inside.n, 1);
        open = atomic_load(&crew->open.n);
        if (open > 0 && open != last) {
            last = open;
            do_job(crew, me->number);
        }
        atomic_fetch_sub(&crew->inside.n, 1);
        spun = 0;
    }
}

RgCrew *rg_crew_create(int threads, const RgAllocator *allocator)
{
    threads = threads > RG_MOST_THREADS ? RG_MOST_THREADS : threads;
    RgCrew *crew = threads > 1 ? rg_alloc(allocator, 1, sizeof *crew) : NULL;
    if (crew == NULL)
        return NULL;
    crew->allocator = *allocator;
    crew->spins = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    for (crew->size = 1; crew->size < threads; crew->size++) {
        Helper *helper = &crew->helpers[crew->size];
        *helper = (Helper){.crew = crew, .number = crew->size};
        if (pthread_create(&helper->thread, NULL, serve, helper) != 0)
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
    open_door(crew, -1);
    for (int i = 1; i < crew->size; i++)
        pthread_join(crew->helpers[i].thread, NULL);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->lock);
    RgAllocator allocator = crew->allocator;
    rg_free(&allocator, crew);
}
