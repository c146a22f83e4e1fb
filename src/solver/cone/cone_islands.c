/*
 * cone_islands.c - rows that hang together, island by island, for solvers `cone` and `cone-convex`; in parallel where
 * there are threads.
 *
 * What an island computes depends on its own rows alone, so the bits are the same for any number of threads, and for
 * one after another. With several threads every island has a part of the arena, of the size that such islands mostly
 * need: workers must not allocate. An island whose part is too small (rows of many columns, a matrix that fills in) is
 * solved again by the main thread, from its first guess.
 *
 * Cost: that of the islands, and with several threads one copy of the problem. Failure: no memory.
 */
#include "solver/cone/cone_islands.h"

#include "solver/cone/cone_rows.h"
#include "solver/row_islands.h"

/* Bytes of an island: fixed; a row, a coefficient, an unknown; a node with its part of the matrix. Estimates: one that
   is too small costs a second solve, nothing else. */
#define ROOM_ANY 8192
#define ROOM_ROW 640
#define ROOM_ENTRY 32
#define ROOM_UNKNOWN 128
#define ROOM_NODE 2048
#define ROOM_FILL ((size_t)RG_CONE_NODE * RG_CONE_NODE * 2 * sizeof(double) + 16)

/* Blocks of the factor beside its diagonal, of a node. */
#define FILL 12

typedef struct Side {
    const RgConeIslandSolve *solve;
    RgRowIsland *island;
    RgArena *room;
    RgSolveReport *report;
    bool *done;
} Side;

static void *refuse(size_t bytes, void *context)
{
    (void)bytes;
    (void)context;
    return NULL;
}

static void keep(void *block, void *context)
{
    (void)block;
    (void)context;
}

/* A part of the arena as one of its own, which does not grow. */
static void cut_room(RgArena *arena, const RgProblem *p, RgArena *out)
{
    int32_t alone = (p->nu - RG_CONE_NODE * p->nblocks) / RG_CONE_NODE;
    size_t nodes = (size_t)p->nblocks + (size_t)alone + 2;
    size_t fill = nodes * (nodes - 1) / 2 < FILL * nodes ? nodes * (nodes - 1) / 2 : FILL * nodes;
    size_t bytes = ROOM_ANY + ROOM_ROW * (size_t)p->n + ROOM_ENTRY * (size_t)p->start[p->n] +
                   ROOM_UNKNOWN * (size_t)p->nu + ROOM_NODE * nodes + ROOM_FILL * fill + nodes * nodes / 8;
    RgArenaBlock *block = RG_TAKE_RAW(arena, RgArenaBlock, 1);
    unsigned char *start = RG_TAKE_RAW(arena, unsigned char, bytes);
    *out = (RgArena){.allocator = {.alloc = refuse, .release = keep}, .failed = block == NULL || start == NULL};
    if (out->failed)
        return;
    *block = (RgArenaBlock){.size = bytes, .start = start};
    out->first = out->current = block;
}

static void add_report(const RgSolveReport *own, RgSolveReport *all)
{
    if (own->outcome == RG_SOLVE_SINGULAR || own->outcome == RG_SOLVE_INFEASIBLE)
        all->outcome = own->outcome;
    all->iterations = own->iterations > all->iterations ? own->iterations : all->iterations;
    all->converged = all->converged && own->converged;
    all->indeterminate += own->indeterminate;
    all->as_solved += own->as_solved;
}

static void solve_some(void *context, int32_t first, int32_t end, int thread)
{
    const Side *s = context;
    (void)thread;
    for (int32_t k = first; k < end; k++)
        s->done[k] = s->solve->one(s->solve->context, &s->room[k], &s->island[k].problem, &s->report[k]);
}

/* All islands copied, solved by the thread pool, copied back. */
static bool solve_beside(const RgConeIslandSolve *solve, RgArena *arena, RgProblem *p, const RgRowIslands *islands,
                         int *local, RgSolveReport *report)
{
    Side s = {solve, RG_TAKE_RAW(arena, RgRowIsland, islands->count), RG_TAKE_RAW(arena, RgArena, islands->count),
              RG_TAKE_RAW(arena, RgSolveReport, islands->count), RG_TAKE_RAW(arena, bool, islands->count)};
    if (arena->failed)
        return false;
    for (int k = 0; k < islands->count; k++) {
        if (!rg_row_island_pick(arena, p, islands, k, local, &s.island[k]))
            return false;
        cut_room(arena, &s.island[k].problem, &s.room[k]);
    }
    rg_parallel_for(p->crew, islands->count, 1, solve_some, &s);
    for (int k = 0; k < islands->count; k++) {
        if (!s.done[k] && (!rg_row_island_pick(arena, p, islands, k, local, &s.island[k]) ||
                           !solve->one(solve->context, arena, &s.island[k].problem, &s.report[k])))
            return false;
        rg_row_island_put(&s.island[k], p);
        add_report(&s.report[k], report);
    }
    return true;
}

bool rg_cone_islands_solve(const RgConeIslandSolve *solve, RgArena *arena, RgProblem *p, RgSolveReport *report)
{
    RgRowIslands islands;
    RgSolveReport own;
    if (!rg_row_islands_find(arena, p, &islands))
        return false;
    report->islands = islands.count;
    if (islands.count == 1) {
        bool well = solve->one(solve->context, arena, p, &own);
        add_report(&own, report);
        return well;
    }
    int *local = RG_TAKE_RAW(arena, int, p->nu);
    if (local == NULL)
        return false;
    for (int k = 0; k < p->nu; k++)
        local[k] = -1;
    if (p->crew != NULL && rg_crew_size(p->crew) > 1)
        return solve_beside(solve, arena, p, &islands, local, report);
    for (int k = 0; k < islands.count; k++) {
        RgRowIsland island;
        if (!rg_row_island_pick(arena, p, &islands, k, local, &island) ||
            !solve->one(solve->context, arena, &island.problem, &own))
            return false;
        rg_row_island_put(&island, p);
        add_report(&own, report);
    }
    return true;
}
