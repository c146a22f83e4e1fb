/*
 * cone_islands.c - solves the islands of a problem one by one for solvers `cone` and `cone-convex`; in parallel if
 * there is a thread pool.
 *
 * The result of an island depends on its own rows alone, so the bits are the same for any number of threads. With
 * several threads every island gets a fixed part of the arena, of a size that is mostly sufficient, because workers
 * must not allocate. An island whose part is too small (rows with many columns, large fill of the matrix) is solved
 * again by the main thread, from its initial guess.
 *
 * Cost: that of the islands, plus one copy of the problem with several threads. Failure: no memory.
 */
#include "solver/cone/cone_islands.h"

#include "solver/cone/cone_rows.h"
#include "solver/row_islands.h"

/* Bytes of memory of an island: constant part; per row, per coefficient, per unknown, per node with its part of the
   matrix, per off-diagonal block. Estimates: one that is too small only costs a second solve. */
#define BYTES_FIXED 8192
#define BYTES_PER_ROW 640
#define BYTES_PER_COEFFICIENT 32
#define BYTES_PER_UNKNOWN 128
#define BYTES_PER_NODE 2048
#define BYTES_PER_FILL_BLOCK ((size_t)RG_CONE_NODE * RG_CONE_NODE * 2 * sizeof(double) + 16)

/* Off-diagonal blocks of the factor per node, at most as estimated. */
#define FILL_PER_NODE 12

typedef struct ParallelSolve {
    const RgConeIslandSolve *solve;
    RgRowIsland *island;
    RgArena *room;
    RgSolveReport *report;
    bool *done;
} ParallelSolve;

static void *refuse_allocation(size_t bytes, void *context)
{
    (void)bytes;
    (void)context;
    return NULL;
}

static void ignore_release(void *block, void *context)
{
    (void)block;
    (void)context;
}

/* Takes a part of the arena as a separate arena of fixed size. */
static void split_off_arena(RgArena *arena, const RgProblem *p, RgArena *out)
{
    int32_t alone = (p->nu - RG_CONE_NODE * p->nblocks) / RG_CONE_NODE;
    size_t nodes = (size_t)p->nblocks + (size_t)alone + 2;
    size_t fill = nodes * (nodes - 1) / 2 < FILL_PER_NODE * nodes ? nodes * (nodes - 1) / 2 : FILL_PER_NODE * nodes;
    size_t bytes = BYTES_FIXED + BYTES_PER_ROW * (size_t)p->n + BYTES_PER_COEFFICIENT * (size_t)p->start[p->n] +
                   BYTES_PER_UNKNOWN * (size_t)p->nu + BYTES_PER_NODE * nodes + BYTES_PER_FILL_BLOCK * fill +
                   nodes * nodes / 8;
    RgArenaBlock *block = RG_ARENA_ALLOC_RAW(arena, RgArenaBlock, 1);
    unsigned char *start = RG_ARENA_ALLOC_RAW(arena, unsigned char, bytes);
    *out = (RgArena){.allocator = {.alloc = refuse_allocation, .release = ignore_release},
                     .failed = block == NULL || start == NULL};
    if (out->failed)
        return;
    *block = (RgArenaBlock){.size = bytes, .start = start};
    out->first = out->current = block;
}

/* The worst outcome of an island is the outcome: singular, then infeasible. */
static void merge_report(const RgSolveReport *island_report, RgSolveReport *all)
{
    RgSolveOutcome outcome = island_report->outcome;
    if ((outcome == RG_SOLVE_SINGULAR || outcome == RG_SOLVE_INFEASIBLE) && outcome > all->outcome)
        all->outcome = outcome;
    all->iterations = island_report->iterations > all->iterations ? island_report->iterations : all->iterations;
    all->converged = all->converged && island_report->converged;
    all->indeterminate += island_report->indeterminate;
    all->as_solved += island_report->as_solved;
}

static void solve_range(void *context, int32_t first, int32_t end, int thread)
{
    const ParallelSolve *s = context;
    (void)thread;
    for (int32_t k = first; k < end; k++)
        s->done[k] = s->solve->solve_island(s->solve->context, &s->room[k], &s->island[k].problem, &s->report[k]);
}

/* Copies all islands, solves them on the thread pool and copies the results back. */
static bool solve_in_parallel(const RgConeIslandSolve *solve, RgArena *arena, RgProblem *p, const RgRowIslands *islands,
                              int *local, RgSolveReport *report)
{
    ParallelSolve s = {solve, RG_ARENA_ALLOC_RAW(arena, RgRowIsland, islands->count),
                       RG_ARENA_ALLOC_RAW(arena, RgArena, islands->count),
                       RG_ARENA_ALLOC_RAW(arena, RgSolveReport, islands->count),
                       RG_ARENA_ALLOC_RAW(arena, bool, islands->count)};
    if (arena->failed)
        return false;
    for (int k = 0; k < islands->count; k++) {
        if (!rg_row_island_extract(arena, p, islands, k, local, &s.island[k]))
            return false;
        split_off_arena(arena, &s.island[k].problem, &s.room[k]);
    }
    rg_parallel_for(p->thread_pool, islands->count, 1, solve_range, &s);
    for (int k = 0; k < islands->count; k++) {
        if (!s.done[k] && (!rg_row_island_extract(arena, p, islands, k, local, &s.island[k]) ||
                           !solve->solve_island(solve->context, arena, &s.island[k].problem, &s.report[k])))
            return false;
        rg_row_island_scatter(&s.island[k], p);
        merge_report(&s.report[k], report);
    }
    return true;
}

bool rg_cone_islands_solve(const RgConeIslandSolve *solve, RgArena *arena, RgProblem *p, RgSolveReport *report)
{
    RgRowIslands islands;
    RgSolveReport island_report;
    if (!rg_row_islands_find(arena, p, &islands))
        return false;
    report->islands = islands.count;
    if (islands.count == 1) {
        bool solved = solve->solve_island(solve->context, arena, p, &island_report);
        merge_report(&island_report, report);
        return solved;
    }
    int *local = RG_ARENA_ALLOC_RAW(arena, int, p->nu);
    if (local == NULL)
        return false;
    for (int k = 0; k < p->nu; k++)
        local[k] = -1;
    if (p->thread_pool != NULL && rg_thread_pool_size(p->thread_pool) > 1)
        return solve_in_parallel(solve, arena, p, &islands, local, report);
    for (int k = 0; k < islands.count; k++) {
        RgRowIsland island;
        if (!rg_row_island_extract(arena, p, &islands, k, local, &island) ||
            !solve->solve_island(solve->context, arena, &island.problem, &island_report))
            return false;
        rg_row_island_scatter(&island, p);
        merge_report(&island_report, report);
    }
    return true;
}
