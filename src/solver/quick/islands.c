/*
 * islands.c - connected components of bodies, and a colouring of their patches.
 *
 * Nodes are the free bodies and the articulations; the ground is not a node. A patch or a row joins its nodes
 * (union-find with path halving, the smaller number becomes the root). Islands are numbered by their first patch, then
 * by their first row.
 *
 * A body with one patch of one point and no other coupling is called single-contact. Many of them (balls on the ground)
 * are merged into islands of BODIES_PER_GROUP, so that they fill the lanes of the kernel and save the cost per island.
 * Such islands are marked `alone`.
 *
 * Order: patches farthest from the ground first, measured in patches on the shortest path to it (breadth-first search),
 * then by number. A sweep from the top carries the weight of a whole pile down. Colours: in this order each patch gets
 * the first colour that neither of its nodes has (greedy); a pile of equal boxes needs 3 to 6. Cost: linear up to the
 * inverse Ackermann function.
 */
#include "solver/quick/islands.h"
#include "base/union_find.h"

#include <string.h>

static int32_t body_node(const RgPatchProblem *p, int32_t mover)
{
    int32_t group = p->movers[mover].group;
    return group >= 0 ? p->nmovers + group : mover;
}

/* The nodes of a patch; b is GROUND if the other side is the ground. a always is a node: no patch connects the ground
   with itself. */
typedef struct Ends {
    int32_t a, b;
} Ends;
#define GROUND (-1) /* in place of a node */

static Ends patch_ends(const RgPatchProblem *p, const RgPatch *patch)
{
    int32_t a = patch->mover[0], b = patch->mover[1];
    if (a > 0)
        return (Ends){body_node(p, a), b > 0 ? body_node(p, b) : GROUND};
    return (Ends){body_node(p, b), GROUND};
}

/* Lists the nodes of a row without the ground. Returns how many. */
static int row_nodes(const RgPatchProblem *p, int32_t row, int32_t node[RG_ROW_SPANS])
{
    const RgPatchRow *r = &p->rows[row];
    int count = 0;
    node[0] = 0;
    for (int k = 0; k < r->nspans; k++) {
        if (r->span[k].mover > 0)
            node[count++] = body_node(p, r->span[k].mover);
        else if (r->span[k].single >= 0)
            node[count++] = p->nmovers + p->single_group[r->span[k].single];
    }
    return count;
}

/* Single-contact bodies merged into one island: four sets of lanes. */
#define BODIES_PER_GROUP 16
/* Marks their root in IslandBuild.weight. */
#define SINGLE_CONTACT (-1)

typedef struct IslandBuild {
    Ends *ends;      /* patches */
    int32_t *parent; /* nodes */
    int32_t *weight; /* nodes: number of patches and rows of a root; zero initially */
    int32_t *number; /* nodes: island of a root; -1: not yet numbered */
    int32_t *of_patch, *of_row;
} IslandBuild;

static int32_t number_island(IslandBuild *s, int32_t node, int32_t *count)
{
    int32_t root = rg_set_root(s->parent, node);
    if (s->number[root] < 0)
        s->number[root] = (*count)++;
    return s->number[root];
}

/* Merges single-contact bodies. Returns by how many the islands are reduced. */
static int32_t merge_single_contacts(const RgPatchProblem *p, IslandBuild *s)
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
        s->weight[root] = SINGLE_CONTACT;
        first = count % BODIES_PER_GROUP == 0 ? root : first;
        joined += first != root;
        rg_set_union(s->parent, first, root);
        s->weight[rg_set_root(s->parent, root)] = SINGLE_CONTACT;
        count++;
    }
    return joined;
}

/* Joins the nodes, then numbers the islands. Returns their number. */
static int32_t find_sets(const RgPatchProblem *p, IslandBuild *s, int32_t *joined)
{
    int32_t node[RG_ROW_SPANS], count = 0, nnodes = p->nmovers + p->ngroups;
    for (int32_t i = 0; i < nnodes; i++) {
        s->parent[i] = i;
        s->number[i] = -1;
    }
    for (int32_t i = 0; i < p->npatches; i++)
        rg_set_union(s->parent, s->ends[i].a, s->ends[i].b);
    for (int32_t i = 0; i < p->nrows; i++) {
        int n = row_nodes(p, i, node);
        if (p->rows[i].patch >= 0 && n > 0)
            rg_set_union(s->parent, node[0], s->ends[p->rows[i].patch].a);
        for (int k = 1; k < n; k++)
            rg_set_union(s->parent, node[0], node[k]);
    }
    *joined = merge_single_contacts(p, s);
    for (int32_t i = 0; i < p->npatches; i++)
        s->of_patch[i] = number_island(s, s->ends[i].a, &count);
    for (int32_t i = 0; i < p->nrows; i++) {
        row_nodes(p, i, node);
        s->of_row[i] = number_island(s, node[0], &count);
    }
    return count;
}

/* Island of a node; -1: no patch or row acts on it. */
static int32_t island_of_node(IslandBuild *s, int32_t node)
{
    return s->number[rg_set_root(s->parent, node)];
}

static void count_members(const RgPatchProblem *p, IslandBuild *s, RgIsland *island)
{
    for (int32_t i = 0; i < p->npatches; i++) {
        island[s->of_patch[i]].npatches++;
        island[s->of_patch[i]].alone = s->weight[rg_set_root(s->parent, s->ends[i].a)] == SINGLE_CONTACT;
    }
    for (int32_t i = 0; i < p->nrows; i++)
        island[s->of_row[i]].nrows++;
    for (int32_t i = 1; i < p->nmovers; i++) {
        int32_t k = island_of_node(s, body_node(p, i));
        if (k >= 0)
            island[k].nmovers++;
    }
    for (int32_t i = 0; i < p->nsingles; i++) {
        int32_t k = island_of_node(s, p->nmovers + p->single_group[i]);
        if (k >= 0)
            island[k].nsingles++;
    }
}

/* Turns counts into list starts; the counts are reset to 0 for filling. */
static void set_list_starts(RgIslands *out)
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

static void fill_lists(const RgPatchProblem *p, IslandBuild *s, const int32_t *order, RgIslands *out)
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
        int32_t k = island_of_node(s, body_node(p, i));
        if (k >= 0)
            out->movers[out->island[k].first_mover + out->island[k].nmovers++] = i;
    }
    for (int32_t i = 0; i < p->nsingles; i++) {
        int32_t k = island_of_node(s, p->nmovers + p->single_group[i]);
        if (k >= 0)
            out->singles[out->island[k].first_single + out->island[k].nsingles++] = i;
    }
}

/* Patches of every node in compressed lists. */
typedef struct Adjacency {
    int32_t *start; /* nodes + 1 */
    int32_t *patch;
} Adjacency;

static bool build_adjacency(RgArena *arena, const RgPatchProblem *p, const Ends *ends, Adjacency *out)
{
    int32_t nnodes = p->nmovers + p->ngroups;
    out->start = RG_ARENA_ALLOC(arena, int32_t, nnodes + 2);
    out->patch = RG_ARENA_ALLOC_RAW(arena, int32_t, 2 * p->npatches);
    if (arena->failed)
        return false;
    int32_t *next = out->start + 1; /* shifted by one: becomes start while the lists are filled */
    for (int32_t i = 0; i < p->npatches; i++) {
        next[ends[i].a + 1]++;
        if (ends[i].b != GROUND)
            next[ends[i].b + 1]++;
    }
    for (int32_t k = 0; k < nnodes; k++)
        next[k + 1] += next[k];
    for (int32_t i = 0; i < p->npatches; i++) {
        if (ends[i].b != GROUND)
            out->patch[next[ends[i].b]++] = i;
        out->patch[next[ends[i].a]++] = i;
    }
    return true;
}

/* Levels: patches on the shortest path from a node to the ground; 0: not connected to it. queue: nodes. */
static void find_levels(int32_t npatches, const Ends *ends, const Adjacency *links, int32_t *level, int32_t *queue)
{
    int32_t count = 0;
    for (int32_t i = 0; i < npatches; i++)
        if (ends[i].b == GROUND && level[ends[i].a] == 0) {
            level[ends[i].a] = 1;
            queue[count++] = ends[i].a;
        }
    for (int32_t at = 0; at < count; at++) {
        int32_t from = queue[at];
        for (int32_t i = links->start[from]; i < links->start[from + 1]; i++) {
            /* The other end; for a patch with the ground or within an articulation the same node. */
            Ends e = ends[links->patch[i]];
            int32_t other = e.b != GROUND && e.a == from ? e.b : e.a;
            if (level[other] > 0)
                continue;
            level[other] = level[from] + 1;
            queue[count++] = other;
        }
    }
}

/* Sorts all patches by level, highest first, then by number (counting sort). */
static bool order_patches(RgArena *arena, const RgPatchProblem *p, const Ends *ends, int32_t *level, int32_t *order)
{
    int32_t nnodes = p->nmovers + p->ngroups, highest = 0;
    Adjacency links;
    int32_t *queue = RG_ARENA_ALLOC_RAW(arena, int32_t, nnodes);
    int32_t *of_patch = RG_ARENA_ALLOC_RAW(arena, int32_t, p->npatches);
    if (!build_adjacency(arena, p, ends, &links) || arena->failed)
        return false;
    find_levels(p->npatches, ends, &links, level, queue);
    for (int32_t i = 0; i < p->npatches; i++) {
        int32_t a = level[ends[i].a], b = ends[i].b != GROUND ? level[ends[i].b] : 0;
        of_patch[i] = a > b ? a : b;
        highest = of_patch[i] > highest ? of_patch[i] : highest;
    }
    int32_t *start = RG_ARENA_ALLOC(arena, int32_t, highest + 2);
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

/* Colours the patches of an island and sorts them by colour. used: colours of each node; scratch: npatches. */
static void colour_island(const Ends *ends, RgIslands *out, const RgIsland *island, uint64_t *used, int32_t *scratch)
{
    int32_t *list = out->patches + island->first_patch, start[RG_COLOURS + 2];
    int8_t *colour = out->colour + island->first_patch;
    int last = -1; /* highest colour used */
    start[0] = 0;
    for (int32_t i = 0; i < island->npatches; i++) {
        Ends e = ends[list[i]];
        uint64_t taken = used[e.a] | (e.b != GROUND ? used[e.b] : 0);
        int c = ~taken != 0 ? __builtin_ctzll(~taken) : RG_COLOURS;
        uint64_t bit = c < RG_COLOURS ? UINT64_C(1) << c : 0;
        used[e.a] |= bit;
        if (e.b != GROUND)
            used[e.b] |= bit;
        while (last < c)
            start[++last + 1] = 0;
        colour[i] = (int8_t)c;
        start[c + 1]++;
    }
    for (int c = 0; c < last; c++)
        start[c + 1] += start[c];

    /* Counting sort; start[c] is the place of the next patch of colour c. */
    for (int32_t i = 0; i < island->npatches; i++)
        scratch[start[colour[i]]++] = list[i];
    memcpy(list, scratch, (size_t)island->npatches * sizeof *list);
    int32_t i = 0;
    for (int c = 0; c <= last; c++)
        for (; i < start[c]; i++)
            colour[i] = (int8_t)c;
}

bool rg_islands_find(RgArena *arena, const RgPatchProblem *p, RgIslands *out)
{
    int32_t nnodes = p->nmovers + p->ngroups;
    IslandBuild s = {RG_ARENA_ALLOC_RAW(arena, Ends, p->npatches),    RG_ARENA_ALLOC_RAW(arena, int32_t, nnodes),
                     RG_ARENA_ALLOC(arena, int32_t, nnodes),          RG_ARENA_ALLOC_RAW(arena, int32_t, nnodes),
                     RG_ARENA_ALLOC_RAW(arena, int32_t, p->npatches), RG_ARENA_ALLOC_RAW(arena, int32_t, p->nrows)};
    uint64_t *used = RG_ARENA_ALLOC(arena, uint64_t, nnodes);
    int32_t *scratch = RG_ARENA_ALLOC_RAW(arena, int32_t, p->npatches);
    *out = (RgIslands){.patches = RG_ARENA_ALLOC_RAW(arena, int32_t, p->npatches),
                       .colour = RG_ARENA_ALLOC_RAW(arena, int8_t, p->npatches),
                       .level = RG_ARENA_ALLOC(arena, int32_t, nnodes),
                       .rows = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nrows),
                       .movers = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nmovers),
                       .singles = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nsingles)};
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < p->npatches; i++)
        s.ends[i] = patch_ends(p, &p->patches[i]);
    if (!order_patches(arena, p, s.ends, out->level, scratch))
        return false;
    out->count = find_sets(p, &s, &out->joined);
    out->island = RG_ARENA_ALLOC(arena, RgIsland, out->count);
    if (arena->failed)
        return false;
    count_members(p, &s, out->island);
    set_list_starts(out);
    fill_lists(p, &s, scratch, out);
    for (int32_t k = 0; k < out->count; k++)
        colour_island(s.ends, out, &out->island[k], used, scratch);
    return true;
}
