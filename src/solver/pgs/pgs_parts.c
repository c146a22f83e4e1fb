/*
 * pgs_parts.c - a problem for solver `pgs` in parts that threads can sweep beside each other.
 *
 * Blocks are the nodes of a graph, bundles on two blocks its edges. Nodes are put in order, island by island, within an
 * island by breadth-first search from an end of it (the last node of a search from anywhere), so that neighbours lie
 * close; the order is cut where half of the rows lie on either side, or between two islands where one ends close to
 * there; each half is put in order and cut again (recursive level-structure bisection: George and Liu 1981, chapter 7).
 *
 *     part 0        between        part 1           bundles within the parts come first, colour by colour, then those
 *    o--o--o--o - - - - - - - o--o--o--o            between parts: threads meet twice in a stage of a sweep, not at
 *    |  |  |  |               |  |  |  |            every colour
 *    o--o--o--o - - - - - - - o--o--o--o
 *
 * How many parts there are follows from the number of rows, not of threads, so that the order of visits, and with it
 * every bit of the result, is the same for any number of threads. Each thread has parts that follow each other, about
 * as many rows as the others. A body on which everything stands leaves much between parts; then threads have little to
 * share.
 *
 * Cost: three searches of the graph at most for each doubling of the parts.
 */
#include "solver/pgs/pgs_pack.h"

#include <string.h>

#define ROWS_OF_PART 64
/* Below this many rows an island is not cut: what lies between parts would leave more lanes empty than a second thread
   gains. */
#define CUT_ROWS 1000
#define CLOSE 0.05 /* of the rows: an island that ends this close to the middle is not cut */

typedef struct Graph {
    int32_t count;   /* nodes */
    int32_t *first;  /* count + 1: neighbours of each */
    int32_t *next;   /* the neighbours */
    int32_t *weight; /* count: rows, twice */
    int32_t *part;   /* count */
    int32_t *order;  /* count: nodes, part by part */
    int32_t *queue;  /* count: scratch */
    int32_t *seen;   /* count: number of the last search that came here */
    int32_t *within; /* count: number of the half that a node is in */
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
                 .first = RG_TAKE(k->arena, int32_t, n + 2),
                 .next = RG_TAKE_RAW(k->arena, int32_t, 2 * k->nbundles),
                 .weight = RG_TAKE(k->arena, int32_t, n),
                 .part = RG_TAKE(k->arena, int32_t, n),
                 .order = RG_TAKE_RAW(k->arena, int32_t, n),
                 .queue = RG_TAKE_RAW(k->arena, int32_t, n),
                 .seen = RG_TAKE(k->arena, int32_t, n),
                 .within = RG_TAKE(k->arena, int32_t, n)};
    if (k->arena->failed)
        return false;
    /* Sizes, two places further on, become beginnings, then ends. */
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

/* Nodes of the present half that hang together with one, in the order of a search from there. Returns how many. */
static int32_t search(Graph *g, int32_t from, int32_t *out)
{
    int32_t end = 0, stamp = ++g->searches;
    out[end++] = from;
    g->seen[from] = stamp;
    for (int32_t at = 0; at < end; at++)
        for (int32_t e = g->first[out[at]]; e < g->first[out[at] + 1]; e++) {
            int32_t node = g->next[e];
            if (g->within[node] != g->halves || g->seen[node] == stamp)
                continue;
            g->seen[node] = stamp;
            out[end++] = node;
        }
    return end;
}

/* Nodes first ... end - 1 of the order, island by island, each from an end of it. Returns where to cut. */
static int32_t arrange(Graph *g, int32_t first, int32_t end)
{
    int64_t all = 0, before = 0;
    int32_t done = 0, cut = -1, close = -1;
    g->halves++;
    for (int32_t i = first; i < end; i++) {
        g->within[g->order[i]] = g->halves;
        all += g->weight[g->order[i]];
    }
    int64_t nearest = all >= 2 * CUT_ROWS ? (int64_t)(CLOSE * (double)all) : all;
    for (int32_t i = first; i < end; i++) {
        int32_t from = g->order[i], *island = g->queue + done;
        if (g->within[from] != g->halves)
            continue;
        int32_t count = search(g, from, island);
        count = count > 2 ? search(g, island[count - 1], island) : count;
        for (int32_t j = 0; j < count; j++) {
            g->within[island[j]] = 0;
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
    int32_t cut = parts > 1 && end - first > 1 ? arrange(g, first, end) : end;
    if (cut == end) {
        for (int32_t i = first; i < end; i++)
            g->part[g->order[i]] = part;
        return;
    }
    bisect(g, first, cut, part, parts / 2);
    bisect(g, cut, end, part + parts / 2, parts / 2);
}

/* Part that a bundle is visited with: of two, the first. */
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
        b->zone = is_between(g, b) ? RG_PGS_BETWEEN : touches ? RG_PGS_RIM : RG_PGS_INNER;
    }
}

/* Others are visited one by one. */
static int32_t count_packed(const RgPgsPacker *k)
{
    int32_t rows = 0;
    for (int32_t i = 0; i < k->nbundles; i++)
        rows += k->bundles[i].packs ? k->bundles[i].count : 0;
    return rows;
}

/* Parts that follow each other to lists of about the same rows, none of them empty. Returns how many lists. */
static int share_parts(const int64_t rows[RG_PGS_LISTS], int parts, int threads, int32_t list[RG_PGS_LISTS])
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

bool rg_pgs_part_bundles(RgPgsPacker *k, int threads)
{
    int32_t packed = count_packed(k), list[RG_PGS_LISTS];
    int parts = 1;
    while (packed >= RG_PGS_LEAST_ROWS && parts < RG_PGS_LISTS && 2 * parts * ROWS_OF_PART <= packed)
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
    k->lists = share_parts(rows, parts, threads < parts ? threads : parts, list);
    for (int32_t i = 0; i < k->nbundles; i++)
        k->bundles[i].list = list[k->bundles[i].list];
    for (int32_t i = 0; i < g.count; i++)
        g.part[i] = list[g.part[i]];
    k->list_of_block = g.part;
    return true;
}
