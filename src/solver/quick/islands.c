/*
 * islands.c - connected sets of movers, and a colouring of their patches.
 *
 * Nodes are the free movers and the groups; the ground is none. A patch or a row joins its nodes (union-find
 * with halving of paths, the smaller number becomes the root). Islands are numbered by their first patch,
 * then their first row.
 *
 * A mover with a single patch of a single point and nothing else is alone. Many of them (balls on the ground) are taken
 * LONERS at a time as one island, so that they fill the lanes of the kernel and cost no island each; it says so.
 *
 * Order: patches farthest from the ground first, counted in patches on the shortest way down (breadth first),
 * then by number: a sweep from the top brings all of a pile's weight down at once. Colours: in this order
 * each patch takes the first colour that neither of its nodes has (greedy); a pile of equal boxes needs 3 to
 * 6. Cost: linear, but for the inverse Ackermann function.
 */
#include "solver/quick/islands.h"
#include "base/union_find.h"

#include <string.h>

static int32_t node_of(const RgPatchProblem *p, int32_t mover)
{
    int32_t group = p->movers[mover].group;
    return group >= 0 ? p->nmovers + group : mover;
}

/* The nodes of a patch: b is NONE where the ground is on the other side. At least one: nothing pushes the ground
   against itself. */
typedef struct Ends {
    int32_t a, b;
} Ends;
#define NONE (-1)

static Ends ends_of(const RgPatchProblem *p, const RgPatch *patch)
{
    int32_t a = patch->mover[0], b = patch->mover[1];
    if (a > 0)
        return (Ends){node_of(p, a), b > 0 ? node_of(p, b) : NONE};
    return (Ends){node_of(p, b), NONE};
}

/* The nodes of a row; the ground is left out. Returns how many. */
static int row_nodes(const RgPatchProblem *p, int32_t row, int32_t node[RG_ROW_SPANS])
{
    const RgPatchRow *r = &p->rows[row];
    int count = 0;
    node[0] = 0;
    for (int k = 0; k < r->nspans; k++) {
        if (r->span[k].mover > 0)
            node[count++] = node_of(p, r->span[k].mover);
        else if (r->span[k].single >= 0)
            node[count++] = p->nmovers + p->single_group[r->span[k].single];
    }
    return count;
}

/* How many that are alone make an island. */
#define LONERS 16
/* Weight of their root. */
#define ALONE (-1)

typedef struct Survey {
    Ends *ends;      /* patches */
    int32_t *parent; /* nodes */
    int32_t *weight; /* nodes: of a root, patches and rows; zero at first */
    int32_t *number; /* nodes: island of a root, -1: none yet */
    int32_t *of_patch, *of_row;
} Survey;

static int32_t number_island(Survey *s, int32_t node, int32_t *count)
{
    int32_t root = rg_set_root(s->parent, node);
    if (s->number[root] < 0)
        s->number[root] = (*count)++;
    return s->number[root];
}

/* Joins those who are alone. Returns how many islands fewer that makes. */
static int32_t join_loners(const RgPatchProblem *p, Survey *s)
{
    int32_t node[RG_ROW_SPANS], first = 0, count = 0, joined = 0;
    for (int32_t i = 0; i < p->npatches; i++)
        s->weight[rg_set_root(s->parent, s->ends[i].a)]++;
    for (int32_t i = 0; i < p->nrows; i++)
        if (row_nodes(p, i, node) > 0)
            s->weight[rg_set_root(s->parent, node[0])]++;
    for (int32_t i = 0; i < p->npatches; i++) {
        int32_t root = rg_set_root(s->parent, s->ends[i].a);
        if (s->weight[root] != 1 || p->patches[i].count != 1)
            continue;
        s->weight[root] = ALONE;
        first = count % LONERS == 0 ? root : first;
        joined += first != root;
        rg_set_join(s->parent, first, root);
        s->weight[rg_set_root(s->parent, root)] = ALONE;
        count++;
    }
    return joined;
}

/* Joins everything, then numbers. Returns the number of islands. */
static int32_t survey(const RgPatchProblem *p, Survey *s, int32_t *joined)
{
    int32_t node[RG_ROW_SPANS], count = 0, nnodes = p->nmovers + p->ngroups;
    for (int32_t i = 0; i < nnodes; i++) {
        s->parent[i] = i;
        s->number[i] = -1;
    }
    for (int32_t i = 0; i < p->npatches; i++)
        rg_set_join(s->parent, s->ends[i].a, s->ends[i].b);
    for (int32_t i = 0; i < p->nrows; i++) {
        int n = row_nodes(p, i, node);
        if (p->rows[i].patch >= 0 && n > 0)
            rg_set_join(s->parent, node[0], s->ends[p->rows[i].patch].a);
        for (int k = 1; k < n; k++)
            rg_set_join(s->parent, node[0], node[k]);
    }
    *joined = join_loners(p, s);
    for (int32_t i = 0; i < p->npatches; i++)
        s->of_patch[i] = number_island(s, s->ends[i].a, &count);
    for (int32_t i = 0; i < p->nrows; i++) {
        row_nodes(p, i, node);
        s->of_row[i] = number_island(s, node[0], &count);
    }
    return count;
}

/* Island of a mover or a single, -1: nothing touches it. */
static int32_t island_of_node(Survey *s, int32_t node)
{
    return s->number[rg_set_root(s->parent, node)];
}

static void count_members(const RgPatchProblem *p, Survey *s, RgIsland *island)
{
    for (int32_t i = 0; i < p->npatches; i++) {
        island[s->of_patch[i]].npatches++;
        island[s->of_patch[i]].alone = s->weight[rg_set_root(s->parent, s->ends[i].a)] == ALONE;
    }
    for (int32_t i = 0; i < p->nrows; i++)
        island[s->of_row[i]].nrows++;
    for (int32_t i = 1; i < p->nmovers; i++) {
        int32_t k = island_of_node(s, node_of(p, i));
        if (k >= 0)
            island[k].nmovers++;
    }
    for (int32_t i = 0; i < p->nsingles; i++) {
        int32_t k = island_of_node(s, p->nmovers + p->single_group[i]);
        if (k >= 0)
            island[k].nsingles++;
    }
}

/* First places from counts; the counts start again at 0, to be counted up by filling. */
static void begin_lists(RgIslands *out)
{
    int32_t patches = 0, rows = 0, movers = 0, singles = 0;
    for (int32_t k = 0; k < out->count; k++) {
        RgIsland *i = &out->island[k];
        i->first_patch = patches;
        i->first_row = rows;
        i->first_mover = movers;
        i->first_single = singles;
        patches += i->npatches;
        rows += i->nrows;
        movers += i->nmovers;
        singles += i->nsingles;
        i->npatches = i->nrows = i->nmovers = i->nsingles = 0;
    }
}

static void fill_lists(const RgPatchProblem *p, Survey *s, const int32_t *order, RgIslands *out)
{
    for (int32_t i = 0; i < p->npatches; i++) {
        RgIsland *island = &out->island[s->of_patch[order[i]]];
        out->patches[island->first_patch + island->npatches++] = order[i];
    }
    for (int32_t i = 0; i < p->nrows; i++) {
        RgIsland *island = &out->island[s->of_row[i]];
        out->rows[island->first_row + island->nrows++] = i;
    }
    for (int32_t i = 1; i < p->nmovers; i++) {
        int32_t k = island_of_node(s, node_of(p, i));
        if (k >= 0)
            out->movers[out->island[k].first_mover + out->island[k].nmovers++] = i;
    }
    for (int32_t i = 0; i < p->nsingles; i++) {
        int32_t k = island_of_node(s, p->nmovers + p->single_group[i]);
        if (k >= 0)
            out->singles[out->island[k].first_single + out->island[k].nsingles++] = i;
    }
}

/* Patches of every node, one list after the other. */
typedef struct Links {
    int32_t *start; /* nodes + 1 */
    int32_t *patch;
} Links;

static bool link_nodes(RgArena *arena, const RgPatchProblem *p, const Ends *ends, Links *out)
{
    int32_t nnodes = p->nmovers + p->ngroups;
    out->start = RG_TAKE(arena, int32_t, nnodes + 2);
    out->patch = RG_TAKE_RAW(arena, int32_t, 2 * p->npatches);
    if (arena->failed)
        return false;
    int32_t *next = out->start + 1; /* becomes start while the lists fill */
    for (int32_t i = 0; i < p->npatches; i++) {
        next[ends[i].a + 1]++;
        if (ends[i].b != NONE)
            next[ends[i].b + 1]++;
    }
    for (int32_t k = 0; k < nnodes; k++)
        next[k + 1] += next[k];
    for (int32_t i = 0; i < p->npatches; i++) {
        if (ends[i].b != NONE)
            out->patch[next[ends[i].b]++] = i;
        out->patch[next[ends[i].a]++] = i;
    }
    return true;
}

/* Levels: patches on the shortest way from a node to the ground, itself included; what never reaches it
   has 0. queue: nodes. */
static void find_levels(int32_t npatches, const Ends *ends, const Links *links, int32_t *level, int32_t *queue)
{
    int32_t count = 0;
    for (int32_t i = 0; i < npatches; i++)
        if (ends[i].b == NONE && level[ends[i].a] == 0) {
            level[ends[i].a] = 1;
            queue[count++] = ends[i].a;
        }
    for (int32_t at = 0; at < count; at++) {
        int32_t from = queue[at];
        for (int32_t i = links->start[from]; i < links->start[from + 1]; i++) {
            /* The other end; of a patch with the ground or within a group, the same. */
            Ends e = ends[links->patch[i]];
            int32_t other = e.b != NONE && e.a == from ? e.b : e.a;
            if (level[other] > 0)
                continue;
            level[other] = level[from] + 1;
            queue[count++] = other;
        }
    }
}

/* All patches by level, the highest first, then by number: a counting sort into order. */
static bool order_patches(RgArena *arena, const RgPatchProblem *p, const Ends *ends, int32_t *level, int32_t *order)
{
    int32_t nnodes = p->nmovers + p->ngroups, highest = 0;
    Links links;
    int32_t *queue = RG_TAKE_RAW(arena, int32_t, nnodes);
    int32_t *of_patch = RG_TAKE_RAW(arena, int32_t, p->npatches);
    if (!link_nodes(arena, p, ends, &links) || arena->failed)
        return false;
    find_levels(p->npatches, ends, &links, level, queue);
    for (int32_t i = 0; i < p->npatches; i++) {
        int32_t a = level[ends[i].a], b = ends[i].b != NONE ? level[ends[i].b] : 0;
        of_patch[i] = a > b ? a : b;
        highest = of_patch[i] > highest ? of_patch[i] : highest;
    }
    int32_t *start = RG_TAKE(arena, int32_t, highest + 2);
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < p->npatches; i++)
        start[highest - of_patch[i] + 1]++;
    for (int32_t k = 0; k <= highest; k++)
        start[k + 1] += start[k];
    for (int32_t i = 0; i < p->npatches; i++)
        order[start[highest - of_patch[i]]++] = i;
    return true;
}

/* Colours the patches of an island and sorts them by it. used: colours of each node; spare: npatches. */
static void colour_island(const Ends *ends, RgIslands *out, const RgIsland *island, uint64_t *used, int32_t *spare)
{
    int32_t *list = out->patches + island->first_patch, start[RG_COLOURS + 2];
    int8_t *colour = out->colour + island->first_patch;
    int last = -1; /* highest colour so far */
    start[0] = 0;
    for (int32_t i = 0; i < island->npatches; i++) {
        Ends e = ends[list[i]];
        uint64_t taken = used[e.a] | (e.b != NONE ? used[e.b] : 0);
        int c = ~taken != 0 ? __builtin_ctzll(~taken) : RG_COLOURS;
        uint64_t bit = c < RG_COLOURS ? UINT64_C(1) << c : 0;
        used[e.a] |= bit;
        if (e.b != NONE)
            used[e.b] |= bit;
        while (last < c)
            start[++last + 1] = 0;
        colour[i] = (int8_t)c;
        start[c + 1]++;
    }
    for (int c = 0; c < last; c++)
        start[c + 1] += start[c];

    /* Counting sort; start[c] becomes the place of the next patch of colour c. */
    for (int32_t i = 0; i < island->npatches; i++)
        spare[start[colour[i]]++] = list[i];
    memcpy(list, spare, (size_t)island->npatches * sizeof *list);
    int32_t i = 0;
    for (int c = 0; c <= last; c++)
        for (; i < start[c]; i++)
            colour[i] = (int8_t)c;
}

bool rg_islands_find(RgArena *arena, const RgPatchProblem *p, RgIslands *out)
{
    int32_t nnodes = p->nmovers + p->ngroups;
    Survey s = {RG_TAKE_RAW(arena, Ends, p->npatches),    RG_TAKE_RAW(arena, int32_t, nnodes),
                RG_TAKE(arena, int32_t, nnodes),          RG_TAKE_RAW(arena, int32_t, nnodes),
                RG_TAKE_RAW(arena, int32_t, p->npatches), RG_TAKE_RAW(arena, int32_t, p->nrows)};
    uint64_t *used = RG_TAKE(arena, uint64_t, nnodes);
    int32_t *spare = RG_TAKE_RAW(arena, int32_t, p->npatches);
    *out = (RgIslands){.patches = RG_TAKE_RAW(arena, int32_t, p->npatches),
                       .colour = RG_TAKE_RAW(arena, int8_t, p->npatches),
                       .level = RG_TAKE(arena, int32_t, nnodes),
                       .rows = RG_TAKE_RAW(arena, int32_t, p->nrows),
                       .movers = RG_TAKE_RAW(arena, int32_t, p->nmovers),
                       .singles = RG_TAKE_RAW(arena, int32_t, p->nsingles)};
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < p->npatches; i++)
        s.ends[i] = ends_of(p, &p->patches[i]);
    if (!order_patches(arena, p, s.ends, out->level, spare))
        return false;
    out->count = survey(p, &s, &out->joined);
    out->island = RG_TAKE(arena, RgIsland, out->count);
    if (arena->failed)
        return false;
    count_members(p, &s, out->island);
    begin_lists(out);
    fill_lists(p, &s, spare, out);
    for (int32_t k = 0; k < out->count; k++)
        colour_island(s.ends, out, &out->island[k], used, spare);
    return true;
}
