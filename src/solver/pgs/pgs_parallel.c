/*
 * pgs_parallel.c - sweeps of solver `pgs` by several threads, with the bits of one.
 *
 * Sets of lanes lie in lists, one for a thread (pgs_parts.c). A list is visited in the order of one thread's sweep.
 * Threads do not meet at every colour: a visit waits for the last visits before it, in that order, of the blocks that
 * it is on, where these are of other lists.
 *
 *   list 0   v0  v1  v2  v3* v4       v3 waits until list 1 has made 2 visits: w1 is on a block of v3
 *   list 1   w0  w1  w2  w3  w4*      w4 waits until list 0 has made 4 visits
 *
 * So every block goes through the same changes in the same order as with one thread: the same bits. What a list has
 * made is one number, which goes on from sweep to sweep; visits that no other waits for do not publish it. What touches
 * more than blocks of its own list stands between all visits before and after (a fence): rows that are not packed,
 * averages of chunks, and the end of a sweep where its change decides whether there is another.
 *
 * A thread works on its own list. If it has to wait for long, because a thread did not come or others use the
 * processors, it goes on with the list that it waits for: a list is worked on by whichever thread holds it.
 *
 * Cost before the first sweep: a few visits of every set to the table of blocks. Failure: no memory; then one thread
 * sweeps.
 */
#include "base/parallel_for.h"
#include "solver/pgs/pgs_sweeps.h"

#include <stdatomic.h>

/* Checks in vain, about 3 us, before a thread takes up other lists. */
#define PATIENCE 200

enum { VISIT_LANES, VISIT_GENERALS, VISIT_AVERAGE, VISIT_END };

typedef struct Visit {
    int32_t lanes; /* number of the set */
    int16_t stage;
    int8_t kind;
    bool waited_for;
    int32_t needs; /* end of its needs; they begin where those of the visit before end */
} Visit;

/* Visit number `visit` of a list, of this sweep; negative: of the sweep before. */
typedef struct Need {
    int32_t list, visit;
} Need;

typedef struct List {
    _Alignas(64) atomic_llong made; /* visits of all sweeps, as far as others wait for them */
    _Alignas(64) atomic_int held;   /* by a thread, whose are the numbers below */
    atomic_bool finished;
    bool filled; /* with its rows */
    int sweep;
    int32_t visit;
    Visit *visits;
    Need *needs;
    int32_t count;
} List;

typedef struct Run {
    RgPgsSweeps *g;
    const RgPgsCourse *course;
    List *lists;
    int nlists, patience;
    atomic_int unfinished; /* lists */
    atomic_int made;       /* sweeps over all rows after which there is only friction: fewer once the change is small */
} Run;

/* ------------------------------------------------------------------ dependencies of visits */

/* The last visit of a block. */
typedef struct Last {
    int32_t list, visit;
    int pass;
    double time;
} Last;

typedef struct Build {
    Run *run;
    Last *last;     /* of blocks, by their numbers in V */
    int32_t blocks; /* with what does not move: above */
    int pass;       /* 0: finds the last visit of each block in the sweep before; 1: the sweep */
    Visit visit;    /* present one */
    int32_t at[RG_PGS_LISTS], nneeds[RG_PGS_LISTS];
    int32_t seen[RG_PGS_LISTS][RG_PGS_LISTS]; /* visits of another list that a list has waited for, and one more */
    int32_t wanted[RG_PGS_LISTS];             /* the same for the present visit */
    Last fence[RG_PGS_LISTS];                 /* visits of the last one */
    bool fenced[RG_PGS_LISTS];                /* a list has waited for it */
    double clock[RG_PGS_LISTS], rows[RG_PGS_LISTS];
} Build;

/* The present visit of a list comes after another. Returns when that ends, in visits of rows. */
static double after(Build *b, int list, const Last *last)
{
    if (last->list >= 0 && last->list != list) {
        int32_t visit = last->visit - (last->pass < b->pass ? b->run->lists[last->list].count : 0);
        if (visit + 1 > b->wanted[last->list])
            b->wanted[last->list] = visit + 1;
    }
    return last->time;
}

static void begin_visit(Build *b, int list, Visit visit)
{
    b->visit = visit;
    for (int other = 0; other < b->run->nlists; other++)
        b->wanted[other] = b->seen[list][other];
    if (b->fenced[list])
        return;
    for (int other = 0; other < b->run->nlists; other++) {
        double time = after(b, list, &b->fence[other]);
        b->clock[list] = time > b->clock[list] ? time : b->clock[list];
    }
    b->fenced[list] = true;
}

/* In the first pass a visit takes its place; in the second, where all have one, it learns what it waits for. */
static Last end_visit(Build *b, int list, double rows)
{
    List *to = &b->run->lists[list];
    b->clock[list] += rows;
    b->rows[list] += b->pass * rows;
    if (b->pass == 0)
        to->visits[b->at[list]] = b->visit;
    for (int other = 0; other < b->run->nlists; other++) {
        if (b->wanted[other] <= b->seen[list][other])
            continue;
        b->seen[list][other] = b->wanted[other];
        if (b->pass == 0)
            continue;
        List *from = &b->run->lists[other];
        int32_t visit = b->wanted[other] - 1;
        to->needs[b->nneeds[list]++] = (Need){other, visit};
        from->visits[visit < 0 ? visit + from->count : visit].waited_for = true;
    }
    if (b->pass == 1)
        to->visits[b->at[list]].needs = b->nneeds[list];
    return (Last){list, b->at[list]++, b->pass, b->clock[list]};
}

/* Rows that a stage visits: as many as are side by side in the lanes, some of them of zeros. */
static double row_visits(const RgPgsStage *stage, const RgPgsLanes *lanes)
{
    int rows = stage->act != RG_PGS_ACT_FRICTION ? lanes->nrows : 0;
    return (double)(rows + (stage->act != RG_PGS_ACT_ROWS ? lanes->nfriction : 0)) * lanes->lanes;
}

static void add_lanes(Build *b, int stage, int32_t number)
{
    const RgPgsLanes *lanes = &b->run->g->packed.lanes[number];
    int list = lanes->list;
    begin_visit(b, list, (Visit){.lanes = number, .stage = (int16_t)stage, .kind = VISIT_LANES});
    for (int k = 0; k < 2 * lanes->lanes; k++) {
        int32_t block = lanes->place[k % 2][k / 2] / RG_PGS_STRIDE;
        double time = block < b->blocks ? after(b, list, &b->last[block]) : 0.0;
        b->clock[list] = time > b->clock[list] ? time : b->clock[list];
    }
    Last done = end_visit(b, list, row_visits(&b->run->course->stages[stage], lanes));
    for (int k = 0; k < 2 * lanes->lanes; k++) {
        int32_t block = lanes->place[k % 2][k / 2] / RG_PGS_STRIDE;
        if (block < b->blocks)
            b->last[block] = done;
    }
}

/* A visit in each of the first lists, after all before, those of the sweep before too, and before all to come. */
static void add_fence(Build *b, int lists, Visit visit, double rows)
{
    Last before[RG_PGS_LISTS], fence[RG_PGS_LISTS];
    int n = b->run->nlists;
    for (int list = 0; list < n; list++) {
        bool any = b->at[list] > 0 || b->pass > 0;
        before[list] = (Last){any ? list : -1, b->at[list] - 1, b->pass, b->clock[list]};
        fence[list].list = -1;
    }
    for (int list = 0; list < lists; list++) {
        begin_visit(b, list, visit);
        for (int other = 0; other < n; other++) {
            double time = after(b, list, &before[other]);
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

/* All visits of a sweep in the order of one thread. */
static void add_sweep(Build *b)
{
    const RgPgsCourse *course = b->run->course;
    const RgPgsPacked *packed = &b->run->g->packed;
    for (int k = 0; k < course->nstages; k++) {
        const RgPgsStage *stage = &course->stages[k];
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

/* Room for the visits of each list, and no more than one need of every other list for each. */
static bool take_lists(RgArena *arena, Run *run)
{
    const RgPgsCourse *course = run->course;
    const RgPgsPacked *packed = &run->g->packed;
    int32_t most[RG_PGS_LISTS];
    for (int list = 0; list < run->nlists; list++)
        most[list] = course->nstages + 2;
    for (int k = 0; k < course->nstages; k++)
        for (int32_t j = packed->first_lanes[course->stages[k].group];
             j < packed->first_lanes[course->stages[k].group + 1]; j++)
            most[packed->lanes[j].list]++;
    run->lists = RG_TAKE(arena, List, run->nlists);
    for (int list = 0; list < run->nlists && run->lists != NULL; list++) {
        run->lists[list].visits = RG_TAKE_RAW(arena, Visit, most[list]);
        run->lists[list].needs = rg_arena_take_raw(arena, (size_t)most[list] * (size_t)(run->nlists - 1), sizeof(Need));
    }
    return !arena->failed;
}

static bool build(RgArena *arena, Run *run, RgPgsShares *shares)
{
    const RgPgsCells *cells = &run->g->packed.cells;
    Build *b = RG_TAKE(arena, Build, 1);
    int32_t blocks = cells->first[cells->nblocks] + 1;
    Last *last = RG_TAKE_RAW(arena, Last, blocks);
    if (!take_lists(arena, run) || arena->failed)
        return false;
    b->run = run;
    b->last = last;
    b->blocks = blocks;
    for (int32_t i = 0; i < blocks; i++)
        last[i] = (Last){.list = -1};
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
                b->seen[list][other] -= run->lists[other].count;
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

/* Sweep 0 begins, then come those over all rows. */
static RgPgsPhase phase_of(const Run *run, int sweep)
{
    return sweep == 0                                                        ? RG_PGS_PHASE_BEGIN
           : sweep <= atomic_load_explicit(&run->made, memory_order_relaxed) ? RG_PGS_PHASE_ALL
                                                                             : RG_PGS_PHASE_FRICTION;
}

static void make_visit(Run *run, int number, const Visit *v)
{
    RgPgsSweeps *g = run->g;
    RgPgsPacked *packed = &g->packed;
    const RgPgsStage *stage = &run->course->stages[v->stage];
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
            atomic_store_explicit(&run->made, sweep, memory_order_relaxed);
    }
}

/* Whether what a visit waits for is done. */
static bool is_ready(const Run *run, const List *list, const Visit *v)
{
    for (int32_t k = list->visit > 0 ? v[-1].needs : 0; k < v->needs; k++) {
        const Need *need = &list->needs[k];
        const List *other = &run->lists[need->list];
        long long visit = (long long)list->sweep * other->count + need->visit;
        if (atomic_load_explicit(&other->made, memory_order_acquire) <= visit)
            return false;
    }
    return true;
}

/* Whether it is known how many sweeps there are, as far as the present one of a list goes: the end of the one before
   tells. */
static bool is_decided(const Run *run, const List *list)
{
    return run->g->o->tolerance == 0.0 || atomic_load_explicit(&run->lists[0].made, memory_order_acquire) >=
                                              (long long)list->sweep * run->lists[0].count;
}

static void finish(Run *run, int number)
{
    rg_pgs_unpack_list(&run->g->packed, number, run->g->p);
    atomic_store_explicit(&run->lists[number].finished, true, memory_order_relaxed);
    atomic_fetch_sub(&run->unfinished, 1);
}

/* As far as a list can go. The thread holds it. Returns whether it went on. */
static bool go_on(Run *run, int number)
{
    List *list = &run->lists[number];
    bool moved = !list->filled;
    if (moved)
        rg_pgs_fill_list(&run->g->packed, number);
    for (list->filled = true;; moved = true) {
        if (list->visit == 0 && !is_decided(run, list))
            return moved;
        int sweeps = atomic_load_explicit(&run->made, memory_order_relaxed) + run->g->o->friction_sweeps;
        if (list->count == 0 || (list->visit == 0 && list->sweep > sweeps)) {
            finish(run, number);
            return true;
        }
        const Visit *v = &list->visits[list->visit];
        if (!is_ready(run, list, v))
            return moved;
        make_visit(run, number, v);
        list->visit++;
        if (v->waited_for)
            atomic_store_explicit(&list->made, (long long)list->sweep * list->count + list->visit,
                                  memory_order_release);
        list->sweep += list->visit == list->count;
        list->visit = list->visit < list->count ? list->visit : 0;
    }
}

static bool try_list(Run *run, int number)
{
    List *list = &run->lists[number];
    int unheld = 0;
    if (atomic_load_explicit(&list->finished, memory_order_relaxed) ||
        !atomic_compare_exchange_strong_explicit(&list->held, &unheld, 1, memory_order_acquire, memory_order_relaxed))
        return false;
    bool moved = !atomic_load_explicit(&list->finished, memory_order_relaxed) && go_on(run, number);
    atomic_store_explicit(&list->held, 0, memory_order_release);
    return moved;
}

/* One thread's part. Where it could go on with another's list, it does not wait for that thread the next time. */
static void work(void *context, int32_t own, int32_t end, int thread)
{
    (void)end;
    (void)thread;
    Run *run = context;
    int waited = 0, patience = run->patience;
    while (atomic_load(&run->unfinished) > 0) {
        bool moved = try_list(run, own), others = false;
        if (!moved && waited++ >= patience) {
            for (int k = 1; k < run->nlists; k++)
                others = try_list(run, (own + k) % run->nlists) || others;
            patience = others ? 0 : run->patience;
        }
        waited = moved || others ? 0 : waited;
        if (!moved && !others)
            rg_crew_wait(run->g->p->crew, waited);
    }
}

int rg_pgs_sweep_parallel(RgArena *arena, RgPgsSweeps *g, const RgPgsCourse *course, RgPgsShares *shares)
{
    RgCrew *crew = g->p->crew;
    Run run = {.g = g,
               .course = course,
               .nlists = g->packed.lists,
               .patience = rg_crew_spins(crew) ? PATIENCE : 0,
               .unfinished = g->packed.lists,
               .made = g->o->iterations};
    if (!build(arena, &run, shares))
        return -1;
    rg_parallel_for(crew, run.nlists, 1, work, &run);
    return atomic_load(&run.made);
}
