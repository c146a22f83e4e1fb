/*
 * pgs_parallel.c - sweeps of solver `pgs` by several threads, bitwise identical to one thread.
 *
 * Sets of lanes are in lists, one for each thread (pgs_parts.c). A list is visited in the order of the single-threaded
 * sweep. Threads do not synchronise at every colour: a visit waits for the preceding visits, in that order, of the
 * blocks that it acts on, where these are in other lists.
 *
 *   list 0   v0  v1  v2  v3* v4       v3 waits until list 1 has made 2 visits: w1 acts on a block of v3
 *   list 1   w0  w1  w2  w3  w4*      w4 waits until list 0 has made 4 visits
 *
 * So every block undergoes the same changes in the same order as with one thread, and results are bitwise identical.
 * The progress of a list is one counter that continues from sweep to sweep; visits that no other visit waits for do not
 * publish it. Visits that touch more than blocks of their own list are ordered after all earlier and before all later
 * visits (a fence): rows that are not packed, averages of chunks, and the end of a sweep if its change decides whether
 * another follows.
 *
 * A thread works on its own list. If it waits for long, because a thread has not started or processors are busy, it
 * advances the other lists: any thread that holds the lock of a list may work on it.
 *
 * Cost before the first sweep: the table of blocks is visited a few times per set. Failure: no memory; then one thread
 * sweeps.
 */
#include "base/parallel_for.h"
#include "solver/pgs/pgs_sweeps.h"

#include <stdatomic.h>

/* Unsuccessful checks, about 3 us, before a thread takes up other lists. */
#define CHECKS_BEFORE_HELPING 200

enum { VISIT_LANES, VISIT_GENERALS, VISIT_AVERAGE, VISIT_END };

typedef struct Visit {
    int32_t lanes; /* number of the set of lanes */
    int16_t stage;
    int8_t kind;
    bool waited_for;
    int32_t dependencies_end; /* end of its dependencies; they start at the end of those of the previous visit */
} Visit;

/* Visit number `visit` of a list in the current sweep; negative: in the previous sweep. */
typedef struct Dependency {
    int32_t list, visit;
} Dependency;

typedef struct List {
    _Alignas(64) atomic_llong published; /* visits over all sweeps, updated where others wait for them */
    _Alignas(64) atomic_int locked;      /* 1: locked by a thread, which then owns the fields below */
    atomic_bool finished;
    bool filled; /* its rows are written */
    int sweep;
    int32_t visit;
    Visit *visits;
    Dependency *dependencies;
    int32_t count;
} List;

typedef struct Run {
    RgPgsSweeps *g;
    const RgPgsSchedule *schedule;
    List *lists;
    int nlists, checks_allowed;
    atomic_int unfinished; /* number of lists */
    atomic_int sweeps; /* sweeps over all rows, followed by friction-only sweeps; reduced once the change is small */
} Run;

/* ------------------------------------------------------------------ dependencies of visits */

/* The last visit of a block. */
typedef struct LastVisit {
    int32_t list, visit;
    int pass;
    double time;
} LastVisit;

typedef struct Build {
    Run *run;
    LastVisit *last; /* by block number in V */
    int32_t blocks;  /* number of blocks; immobile sides have larger numbers */
    int pass;        /* 0: finds the last visit of each block in the previous sweep; 1: builds the sweep */
    Visit visit;     /* current visit */
    int32_t at[RG_PGS_LISTS], ndependencies[RG_PGS_LISTS];
    int32_t awaited[RG_PGS_LISTS][RG_PGS_LISTS]; /* visits of another list that a list has waited for, plus one */
    int32_t required[RG_PGS_LISTS];              /* the same for the current visit */
    LastVisit fence[RG_PGS_LISTS];               /* visits of the last fence */
    bool fenced[RG_PGS_LISTS];                   /* a list has waited for the last fence */
    double clock[RG_PGS_LISTS], rows[RG_PGS_LISTS];
} Build;

/* Makes the current visit of a list depend on another. Returns the time when that ends, in row visits. */
static double add_dependency(Build *b, int list, const LastVisit *last)
{
    if (last->list >= 0 && last->list != list) {
        int32_t visit = last->visit - (last->pass < b->pass ? b->run->lists[last->list].count : 0);
        if (visit + 1 > b->required[last->list])
            b->required[last->list] = visit + 1;
    }
    return last->time;
}

static void start_visit(Build *b, int list, Visit visit)
{
    b->visit = visit;
    for (int other = 0; other < b->run->nlists; other++)
        b->required[other] = b->awaited[list][other];
    if (b->fenced[list])
        return;
    for (int other = 0; other < b->run->nlists; other++) {
        double time = add_dependency(b, list, &b->fence[other]);
        b->clock[list] = time > b->clock[list] ? time : b->clock[list];
    }
    b->fenced[list] = true;
}

/* Ends the current visit: in the first pass it is stored, in the second, when all have numbers, its dependencies
   are. */
static LastVisit end_visit(Build *b, int list, double rows)
{
    List *to = &b->run->lists[list];
    b->clock[list] += rows;
    b->rows[list] += b->pass * rows;
    if (b->pass == 0)
        to->visits[b->at[list]] = b->visit;
    for (int other = 0; other < b->run->nlists; other++) {
        if (b->required[other] <= b->awaited[list][other])
            continue;
        b->awaited[list][other] = b->required[other];
        if (b->pass == 0)
            continue;
        List *from = &b->run->lists[other];
        int32_t visit = b->required[other] - 1;
        to->dependencies[b->ndependencies[list]++] = (Dependency){other, visit};
        from->visits[visit < 0 ? visit + from->count : visit].waited_for = true;
    }
    if (b->pass == 1)
        to->visits[b->at[list]].dependencies_end = b->ndependencies[list];
    return (LastVisit){list, b->at[list]++, b->pass, b->clock[list]};
}

/* Row visits of a stage, including the zero rows of padding. */
static double row_visits(const RgPgsStage *stage, const RgPgsLanes *lanes)
{
    int rows = stage->act != RG_PGS_ACT_FRICTION ? lanes->nrows : 0;
    return (double)(rows + (stage->act != RG_PGS_ACT_ROWS ? lanes->nfriction : 0)) * lanes->lanes;
}

static void add_lanes(Build *b, int stage, int32_t number)
{
    const RgPgsLanes *lanes = &b->run->g->packed.lanes[number];
    int list = lanes->list;
    start_visit(b, list, (Visit){.lanes = number, .stage = (int16_t)stage, .kind = VISIT_LANES});
    for (int k = 0; k < 2 * lanes->lanes; k++) {
        int32_t block = lanes->place[k % 2][k / 2] / RG_PGS_STRIDE;
        double time = block < b->blocks ? add_dependency(b, list, &b->last[block]) : 0.0;
        b->clock[list] = time > b->clock[list] ? time : b->clock[list];
    }
    LastVisit done = end_visit(b, list, row_visits(&b->run->schedule->stages[stage], lanes));
    for (int k = 0; k < 2 * lanes->lanes; k++) {
        int32_t block = lanes->place[k % 2][k / 2] / RG_PGS_STRIDE;
        if (block < b->blocks)
            b->last[block] = done;
    }
}

/* Adds a fence: a visit in each of the first lists that follows all earlier visits, also of the previous sweep, and
   precedes all later ones. */
static void add_fence(Build *b, int lists, Visit visit, double rows)
{
    LastVisit before[RG_PGS_LISTS], fence[RG_PGS_LISTS];
    int n = b->run->nlists;
    for (int list = 0; list < n; list++) {
        bool any = b->at[list] > 0 || b->pass > 0;
        before[list] = (LastVisit){any ? list : -1, b->at[list] - 1, b->pass, b->clock[list]};
        fence[list].list = -1;
    }
    for (int list = 0; list < lists; list++) {
        start_visit(b, list, visit);
        for (int other = 0; other < n; other++) {
            double time = add_dependency(b, list, &before[other]);
            b->clock[list] = time > b->clock[list] ? time : b->clock[list];
        }
        fence[list] = end_visit(b, list, rows);
    }
    for (int list = 0; list < n; list++) {
        b->fence[list] = fence[list];
        b->fenced[list] = false;
    }
}

static double general_rows(const RgPgsPacked *packed, const RgPgsStage *stage)
{
    const int32_t *first = packed->first_general, group = stage->group;
    bool rubs = group == RG_PGS_CONTACTS && stage->act != RG_PGS_ACT_ROWS;
    return (stage->act != RG_PGS_ACT_FRICTION ? first[group + 1] - first[group] : 0) +
           (rubs ? first[RG_PGS_GROUPS + 1] - first[RG_PGS_GROUPS] : 0);
}

/* Adds all visits of a sweep in single-threaded order. */
static void add_sweep(Build *b)
{
    const RgPgsSchedule *schedule = b->run->schedule;
    const RgPgsPacked *packed = &b->run->g->packed;
    for (int k = 0; k < schedule->nstages; k++) {
        const RgPgsStage *stage = &schedule->stages[k];
        for (int32_t j = packed->first_lanes[stage->group]; j < packed->first_lanes[stage->group + 1]; j++)
            add_lanes(b, k, j);
        if (rg_pgs_has_generals(packed, stage))
            add_fence(b, 1, (Visit){.stage = (int16_t)k, .kind = VISIT_GENERALS}, general_rows(packed, stage));
    }
    if (packed->cells.nshared > 0)
        add_fence(b, b->run->nlists, (Visit){.kind = VISIT_AVERAGE}, 0.0);
    if (b->run->g->o->tolerance > 0.0)
        add_fence(b, 1, (Visit){.kind = VISIT_END, .waited_for = true}, 0.0);
}

/* Allocates the visits of each list, with at most one dependency on every other list for each visit. */
static bool alloc_lists(RgArena *arena, Run *run)
{
    const RgPgsSchedule *schedule = run->schedule;
    const RgPgsPacked *packed = &run->g->packed;
    int32_t most[RG_PGS_LISTS];
    for (int list = 0; list < run->nlists; list++)
        most[list] = schedule->nstages + 2;
    for (int k = 0; k < schedule->nstages; k++)
        for (int32_t j = packed->first_lanes[schedule->stages[k].group];
             j < packed->first_lanes[schedule->stages[k].group + 1]; j++)
            most[packed->lanes[j].list]++;
    run->lists = RG_ARENA_ALLOC(arena, List, run->nlists);
    for (int list = 0; list < run->nlists && run->lists != NULL; list++) {
        run->lists[list].visits = RG_ARENA_ALLOC_RAW(arena, Visit, most[list]);
        run->lists[list].dependencies =
            rg_arena_alloc_raw(arena, (size_t)most[list] * (size_t)(run->nlists - 1), sizeof(Dependency));
    }
    return !arena->failed;
}

static bool build(RgArena *arena, Run *run, RgPgsShares *shares)
{
    const RgPgsCells *cells = &run->g->packed.cells;
    Build *b = RG_ARENA_ALLOC(arena, Build, 1);
    int32_t blocks = cells->first[cells->nblocks] + 1;
    LastVisit *last = RG_ARENA_ALLOC_RAW(arena, LastVisit, blocks);
    if (!alloc_lists(arena, run) || arena->failed)
        return false;
    b->run = run;
    b->last = last;
    b->blocks = blocks;
    for (int32_t i = 0; i < blocks; i++)
        last[i] = (LastVisit){.list = -1};
    for (int list = 0; list < run->nlists; list++)
        b->fence[list].list = -1;
    double end[2] = {0.0, 0.0};
    for (b->pass = 0; b->pass < 2; b->pass++) {
        add_sweep(b);
        for (int list = 0; list < run->nlists; list++) {
            List *to = &run->lists[list];
            to->count = b->at[list];
            b->at[list] = 0;
            end[b->pass] = b->clock[list] > end[b->pass] ? b->clock[list] : end[b->pass];
        }
        for (int list = 0; list < run->nlists; list++)
            for (int other = 0; other < run->nlists; other++)
                b->awaited[list][other] -= run->lists[other].count;
    }
    double all = 0.0, largest = 0.0;
    for (int list = 0; list < run->nlists; list++) {
        all += b->rows[list];
        largest = b->rows[list] > largest ? b->rows[list] : largest;
    }
    if (all > 0.0)
        *shares = (RgPgsShares){largest / all, (end[1] - end[0]) / all};
    return true;
}

/* ------------------------------------------------------------------ sweeps */

/* Sweep 0 adds the initial impulses; sweeps over all rows follow, then those over friction. */
static RgPgsPhase phase_of(const Run *run, int sweep)
{
    return sweep == 0                                                          ? RG_PGS_PHASE_WARM_START
           : sweep <= atomic_load_explicit(&run->sweeps, memory_order_relaxed) ? RG_PGS_PHASE_ALL
                                                                               : RG_PGS_PHASE_FRICTION;
}

static void make_visit(Run *run, int number, const Visit *v)
{
    RgPgsSweeps *g = run->g;
    RgPgsPacked *packed = &g->packed;
    const RgPgsStage *stage = &run->schedule->stages[v->stage];
    int sweep = run->lists[number].sweep;
    RgPgsPhase phase = phase_of(run, sweep);
    int64_t shared = packed->cells.nshared;
    switch (v->kind) {
    case VISIT_LANES:
        rg_pgs_visit(g, stage, phase, &packed->lanes[v->lanes]);
        break;
    case VISIT_GENERALS:
        rg_pgs_visit_generals(g, stage, phase);
        break;
    case VISIT_AVERAGE:
        rg_pgs_average(&packed->cells, packed->V, (int32_t)(shared * number / run->nlists),
                       (int32_t)(shared * (number + 1) / run->nlists));
        break;
    default:
        if (phase == RG_PGS_PHASE_ALL && rg_pgs_change(g) <= g->o->tolerance)
            atomic_store_explicit(&run->sweeps, sweep, memory_order_relaxed);
    }
}

/* Whether all dependencies of a visit are done. */
static bool is_ready(const Run *run, const List *list, const Visit *v)
{
    for (int32_t k = list->visit > 0 ? v[-1].dependencies_end : 0; k < v->dependencies_end; k++) {
        const Dependency *dependency = &list->dependencies[k];
        const List *other = &run->lists[dependency->list];
        long long visit = (long long)list->sweep * other->count + dependency->visit;
        if (atomic_load_explicit(&other->published, memory_order_acquire) <= visit)
            return false;
    }
    return true;
}

/* Whether it is decided if the current sweep of a list takes place: the end of the previous sweep decides. */
static bool is_decided(const Run *run, const List *list)
{
    return run->g->o->tolerance == 0.0 || atomic_load_explicit(&run->lists[0].published, memory_order_acquire) >=
                                              (long long)list->sweep * run->lists[0].count;
}

static void finish_list(Run *run, int number)
{
    rg_pgs_unpack_list(&run->g->packed, number, run->g->p);
    atomic_store_explicit(&run->lists[number].finished, true, memory_order_relaxed);
    atomic_fetch_sub(&run->unfinished, 1);
}

/* Advances a list as far as possible; the thread holds its lock. Returns whether it made progress. */
static bool advance_list(Run *run, int number)
{
    List *list = &run->lists[number];
    bool progressed = !list->filled;
    if (progressed)
        rg_pgs_fill_list(&run->g->packed, number);
    for (list->filled = true;; progressed = true) {
        if (list->visit == 0 && !is_decided(run, list))
            return progressed;
        int sweeps = atomic_load_explicit(&run->sweeps, memory_order_relaxed) + run->g->o->friction_sweeps;
        if (list->count == 0 || (list->visit == 0 && list->sweep > sweeps)) {
            finish_list(run, number);
            return true;
        }
        const Visit *v = &list->visits[list->visit];
        if (!is_ready(run, list, v))
            return progressed;
        make_visit(run, number, v);
        list->visit++;
        if (v->waited_for)
            atomic_store_explicit(&list->published, (long long)list->sweep * list->count + list->visit,
                                  memory_order_release);
        list->sweep += list->visit == list->count;
        list->visit = list->visit < list->count ? list->visit : 0;
    }
}

static bool try_list(Run *run, int number)
{
    List *list = &run->lists[number];
    int unlocked = 0;
    if (atomic_load_explicit(&list->finished, memory_order_relaxed) ||
        !atomic_compare_exchange_strong_explicit(&list->locked, &unlocked, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    bool progressed = !atomic_load_explicit(&list->finished, memory_order_relaxed) && advance_list(run, number);
    atomic_store_explicit(&list->locked, 0, memory_order_release);
    return progressed;
}

/* Work of one thread. If it could advance the list of another thread, it does not wait for that thread the next
   time. */
static void work(void *context, int32_t own, int32_t end, int thread)
{
    (void)end;
    (void)thread;
    Run *run = context;
    int waited = 0, checks_allowed = run->checks_allowed;
    while (atomic_load(&run->unfinished) > 0) {
        bool progressed = try_list(run, own), helped = false;
        if (!progressed && waited++ >= checks_allowed) {
            for (int k = 1; k < run->nlists; k++)
                helped = try_list(run, (own + k) % run->nlists) || helped;
            checks_allowed = helped ? 0 : run->checks_allowed;
        }
        waited = progressed || helped ? 0 : waited;
        if (!progressed && !helped)
            rg_thread_pool_wait(run->g->p->thread_pool, waited);
    }
}

int rg_pgs_sweep_parallel(RgArena *arena, RgPgsSweeps *g, const RgPgsSchedule *schedule, RgPgsShares *shares)
{
    RgThreadPool *thread_pool = g->p->thread_pool;
    Run run = {.g = g,
               .schedule = schedule,
               .nlists = g->packed.lists,
               .checks_allowed = rg_thread_pool_spins(thread_pool) ? CHECKS_BEFORE_HELPING : 0,
               .unfinished = g->packed.lists,
               .sweeps = g->o->iterations};
    if (!build(arena, &run, shares))
        return -1;
    rg_parallel_for(thread_pool, run.nlists, 1, work, &run);
    return atomic_load(&run.sweeps);
}
