/*
 * pgs_parts.c - partitions a problem for solver `pgs` into parts that threads sweep in parallel.
 *
 * Blocks are the nodes of a graph, bundles on two blocks its edges. Nodes are ordered island by island, within an
 * island by breadth-first search from an end (the last node of a search from any node), so that neighbours are close in
 * the order. The order is cut where half of the rows lie on either side, or at an island boundary close to that place.
 * Each half is ordered and cut again (recursive level-structure bisection: George and Liu 1981, chapter 7).
 *
 *     part 0        between        part 1           bundles inside the parts come first, colour by colour, then those
 *    o--o--o--o - - - - - - - o--o--o--o            between parts: threads synchronise twice in a stage of a sweep
 *    |  |  |  |               |  |  |  |            rather than at every colour
 *    o--o--o--o - - - - - - - o--o--o--o
 *
 * The number of parts depends on the number of rows, not of threads, so the order of visits and every bit of the result
 * are the same for any number of threads. Each thread gets consecutive parts with about as many rows as the others. A
 * body that supports everything leaves many rows between parts; then threads gain little.
 *
 * Cost: at most three searches of the graph for each doubling of the parts.
 */
#include "solver/pgs/pgs_pack.h"

#include <string.h>

#define ROWS_PER_PART 64 /* at least: the number of parts is doubled while they have as many */
/* An island with fewer rows is not cut: rows between parts would leave more lanes empty than a second thread gains. */
#define MIN_ROWS_TO_CUT 1000
#define MIDDLE_TOLERANCE 0.05 /* part of the rows: cut at an island boundary that is this close to the middle */

typedef struct Graph {
    int32_t count;    /* nodes */
    int32_t *first;   /* count + 1: first neighbour of each node */
    int32_t *next;    /* the neighbours */
    int32_t *weight;  /* count: twice the number of rows */
    int32_t *part;    /* count */
    int32_t *order;   /* count: nodes in part order */
    int32_t *queue;   /* count: scratch */
    int32_t *seen;    /* count: number of the last search that reached the node */
    int32_t *half_of; /* count: number of the half that contains the node */
    int32_t searches, halves;
} Graph;

static bool is_edge(const RgPgsBundle *b)
{
    return b->packs && b->block[1] > 0;
}

static bool make_graph(const RgPgsPacker *k, Graph *g)
{
    int32_t n = k->cells->nblocks;
    *g = (Graph){.count = n,
                 .first = RG_ARENA_ALLOC(k->arena, int32_t, n + 2),
                 .next = RG_ARENA_ALLOC_RAW(k->arena, int32_t, 2 * k->nbundles),
                 .weight = RG_ARENA_ALLOC(k->arena, int32_t, n),
                 .part = RG_ARENA_ALLOC(k->arena, int32_t, n),
                 .order = RG_ARENA_ALLOC_RAW(k->arena, int32_t, n),
                 .queue = RG_ARENA_ALLOC_RAW(k->arena, int32_t, n),
                 .seen = RG_ARENA_ALLOC(k->arena, int32_t, n),
                 .half_of = RG_ARENA_ALLOC(k->arena, int32_t, n)};
    if (k->arena->failed)
        return false;
    /* Counting sort: sizes, shifted by two, become list starts, then list ends. */
    for (int32_t i = 0; i < k->nbundles; i++) {
        const RgPgsBundle *b = &k->bundles[i];
        for (int side = 0; side < 2 && b->packs && b->block[side] > 0; side++) {
            g->weight[b->block[side] - 1] += b->block[1] > 0 ? b->count : 2 * b->count;
            g->first[b->block[side] + 1] += is_edge(b);
        }
    }
    for (int32_t i = 2; i <= n; i++)
        g->first[i] += g->first[i - 1];
    for (int32_t i = 0; i < k->nbundles; i++)
        for (int side = 0; side < 2 && is_edge(&k->bundles[i]); side++)
            g->next[g->first[k->bundles[i].block[side]]++] = k->bundles[i].block[1 - side] - 1;
    for (int32_t i = 0; i < n; i++)
        g->order[i] = i;
    return true;
}

/* Nodes of the current half that are connected to one node, in the order of a search from it. Returns how many. */
static int32_t breadth_first_search(Graph *g, int32_t from, int32_t *out)
{
    int32_t end = 0, stamp = ++g->searches;
    out[end++] = from;
    g->seen[from] = stamp;
    for (int32_t at = 0; at < end; at++)
        for (int32_t e = g->first[out[at]]; e < g->first[out[at] + 1]; e++) {
            int32_t node = g->next[e];
            if (g->half_of[node] != g->halves || g->seen[node] == stamp)
                continue;
            g->seen[node] = stamp;
            out[end++] = node;
        }
    return end;
}

/* Orders the nodes first ... end - 1 island by island, each from an end of it. Returns where to cut. */
static int32_t order_nodes(Graph *g, int32_t first, int32_t end)
{
    int64_t all = 0, before = 0;
    int32_t done = 0, cut = -1, close = -1;
    g->halves++;
    for (int32_t i = first; i < end; i++) {
        g->half_of[g->order[i]] = g->halves;
        all += g->weight[g->order[i]];
    }
    int64_t nearest = all >= 2 * MIN_ROWS_TO_CUT ? (int64_t)(MIDDLE_TOLERANCE * (double)all) : all;
    for (int32_t i = first; i < end; i++) {
        int32_t from = g->order[i], *island = g->queue + done;
        if (g->half_of[from] != g->halves)
            continue;
        int32_t count = breadth_first_search(g, from, island);
        count = count > 2 ? breadth_first_search(g, island[count - 1], island) : count;
        for (int32_t j = 0; j < count; j++) {
            g->half_of[island[j]] = 0;
            before += g->weight[island[j]];
            cut = cut < 0 && 2 * before >= all ? done + j + 1 : cut;
        }
        done += count;
        int64_t off = 2 * before > all ? 2 * before - all : all - 2 * before;
        if (off <= nearest) {
            nearest = off;
            close = done;
        }
    }
    memcpy(g->order + first, g->queue, (size_t)done * sizeof *g->order);
    return first + (close >= 0 ? close : cut);
}

static void bisect(Graph *g, int32_t first, int32_t end, int32_t part, int32_t parts)
{
    int32_t cut = parts > 1 && end - first > 1 ? order_nodes(g, first, end) : end;
    if (cut == end) {
        for (int32_t i = first; i < end; i++)
            g->part[g->order[i]] = part;
        return;
    }
    bisect(g, first, cut, part, parts / 2);
    bisect(g, cut, end, part + parts / 2, parts / 2);
}

/* Part of a bundle: the lower-numbered one of its blocks. */
static int32_t part_of(const Graph *g, const RgPgsBundle *b)
{
    int32_t x = g->part[b->block[0] - 1], y = b->block[1] > 0 ? g->part[b->block[1] - 1] : x;
    return x < y ? x : y;
}

static bool is_between(const Graph *g, const RgPgsBundle *b)
{
    return is_edge(b) && g->part[b->block[0] - 1] != g->part[b->block[1] - 1];
}

static void find_zones(const RgPgsPacker *k, const Graph *g)
{
    bool *rim = memset(g->queue, 0, (size_t)g->count * sizeof *rim);
    for (int32_t i = 0; i < k->nbundles; i++)
        for (int side = 0; side < 2 && is_between(g, &k->bundles[i]); side++)
            rim[k->bundles[i].block[side] - 1] = true;
    for (int32_t i = 0; i < k->nbundles; i++) {
        RgPgsBundle *b = &k->bundles[i];
        bool touches = b->packs && (rim[b->block[0] - 1] || (b->block[1] > 0 && rim[b->block[1] - 1]));
        b->zone = is_between(g, b) ? RG_PGS_BETWEEN : touches ? RG_PGS_BOUNDARY : RG_PGS_INNER;
    }
}

/* Number of rows that pack; others are visited one by one. */
static int32_t count_packed(const RgPgsPacker *k)
{
    int32_t rows = 0;
    for (int32_t i = 0; i < k->nbundles; i++)
        rows += k->bundles[i].packs ? k->bundles[i].count : 0;
    return rows;
}

/* Assigns consecutive parts to lists with about the same number of rows, none of them empty. Returns the number of
   lists. */
static int assign_parts_to_lists(const int64_t rows[RG_PGS_LISTS], int parts, int threads, int32_t list[RG_PGS_LISTS])
{
    int64_t all = 0, before = 0, last = -1;
    int lists = 0;
    for (int i = 0; i < parts; i++)
        all += rows[i];
    for (int i = 0; i < parts; i++) {
        int64_t share = (2 * before + rows[i]) * threads / (2 * all + 1);
        lists += rows[i] > 0 && share > last;
        last = rows[i] > 0 ? share : last;
        list[i] = lists > 0 ? lists - 1 : 0;
        before += rows[i];
    }
    return lists > 0 ? lists : 1;
}

bool rg_pgs_partition_bundles(RgPgsPacker *k, int threads)
{
    int32_t packed = count_packed(k), list[RG_PGS_LISTS];
    int parts = 1;
    while (packed >= RG_PGS_LEAST_ROWS && parts < RG_PGS_LISTS && 2 * parts * ROWS_PER_PART <= packed)
        parts *= 2;
    k->lists = 1;
    if (parts == 1)
        return true;
    Graph g;
    int64_t rows[RG_PGS_LISTS] = {0};
    if (!make_graph(k, &g))
        return false;
    bisect(&g, 0, g.count, 0, parts);
    find_zones(k, &g);
    for (int32_t i = 0; i < k->nbundles; i++) {
        RgPgsBundle *b = &k->bundles[i];
        b->list = b->packs ? part_of(&g, b) : 0;
        rows[b->list] += b->packs ? b->count : 0;
    }
    k->lists = assign_parts_to_lists(rows, parts, threads < parts ? threads : parts, list);
    for (int32_t i = 0; i < k->nbundles; i++)
        k->bundles[i].list = list[k->bundles[i].list];
    for (int32_t i = 0; i < g.count; i++)
        g.part[i] = list[g.part[i]];
    k->list_of_block = g.part;
    return true;
}
