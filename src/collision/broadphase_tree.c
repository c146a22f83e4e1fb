/*
 * broadphase_tree.c - the tree of boxes: memory, insertion, removal and motion of leaves.
 *
 * With s(X) the surface area of a box X, a traversal costs about the sum of s over the inner nodes. A new leaf L
 * becomes the sibling of the node S that minimises this sum:
 *
 *   cost(S) = s(S u L) + sum over the nodes A above S of  s(A u L) - s(A)
 *
 * S is found by branch and bound: no place below S costs less than s(L) + the sum down to and including S (Bittner et
 * al. 2013). S is a leaf or has two leaves below it, so that the heights of siblings differ by at most one after the
 * nodes above it are rebalanced. That is done node by node upwards, by exchanging subtrees:
 *
 *        A                 A
 *      B   C     -->     F   C        if C is higher than B by two: F is the higher child of C
 *         F G               B G
 *
 * and, if the heights are balanced, by exchanging two subtrees of equal height in A if that reduces the surface area
 * (Kensler 2008), which changes no height.
 *
 * Cost: log n per call, and only a comparison for a move within the fat box. The search for S ends after SEARCH_NODES
 * nodes with the best one so far, since bounds do not help if all boxes overlap.
 *
 * When most leaves have moved, all inner boxes are recomputed from the leaves; if that has degraded the tree, it is
 * rebuilt: halves along the axis of the widest spread, recursively. Every finite box is accepted; sides beyond 1e150 m
 * count as that long.
 */
#include "collision/broadphase_tree.h"

#include "base/alloc.h"
#include "math/vec3.h"

#include <string.h>

/* Nodes visited in the search for the best place of a leaf; trees of separate boxes need about 40. */
#define SEARCH_NODES 256

/* m; longest side used for a surface area, so that it is finite. */
#define LONGEST_SIDE 1e150

/* bytes */
#define CACHE_LINE ((size_t)64)

/* The fat box is extended in the direction of motion by this many steps of the proxy's mean motion, but by no more than
   MAX_EXTENSION of its side, since larger boxes overlap too many others. A proxy that moves by more than half of that
   in one step is not extended. */
#define STEPS_AHEAD 8.0
#define MAX_EXTENSION 0.2

/* A leaf is reinserted when it has enlarged the nodes above by this fraction of its own surface area: in total no more
   than a tenth of all surface area in trees of separate boxes. */
#define REINSERT_SPREAD 0.5

/* The tree is rebuilt when its surface area per leaf has grown by this factor. */
#define REBUILD_GROWTH 1.1

/* ------------------------------------------------------------------ memory */

void rg_box_tree_init(RgBoxTree *tree, const RgAllocator *allocator, double fattening)
{
    *tree = (RgBoxTree){.fattening = fattening, .root = -1, .free_inner = -1};
    if (allocator != NULL)
        tree->allocator = *allocator;
}

void rg_box_tree_free(RgBoxTree *tree)
{
    rg_free(&tree->allocator, tree->block);
    rg_free(&tree->allocator, tree->tight);
    rg_free(&tree->allocator, tree->reach);
    rg_free(&tree->allocator, tree->traces);
    rg_free(&tree->allocator, tree->items);
}

/* Initialises new nodes: leaves as not in the tree, inner nodes on the free list, the lowest first. */
static void add_nodes(RgBoxTree *tree, int32_t first, int32_t end)
{
    for (int32_t p = end - 1; p >= first; p--) {
        tree->nodes[2 * p].height = -1;
        tree->nodes[2 * p + 1] = (RgBoxNode){.child = {tree->free_inner, -1}, .height = -1};
        tree->free_inner = 2 * p + 1;
    }
}

bool rg_box_tree_reserve(RgBoxTree *tree, int32_t capacity)
{
    if (capacity <= tree->capacity)
        return true;
    const RgAllocator *allocator = &tree->allocator;
    size_t n = (size_t)capacity, old = (size_t)tree->capacity;
    void *block = rg_alloc(allocator, 2 * n + 1, sizeof(RgBoxNode));
    RgBounds *tight = rg_alloc(allocator, n, sizeof *tight);
    double *reach = rg_alloc(allocator, n, sizeof *reach);
    RgBoxTrace *traces = rg_alloc(allocator, n, sizeof *traces);
    RgBoxItem *items = rg_alloc(allocator, n, sizeof *items);
    if (block == NULL || tight == NULL || reach == NULL || traces == NULL || items == NULL) {
        rg_free(allocator, block);
        rg_free(allocator, tight);
        rg_free(allocator, reach);
        rg_free(allocator, traces);
        rg_free(allocator, items);
        return false;
    }
    size_t shift = (CACHE_LINE - (uintptr_t)block % CACHE_LINE) % CACHE_LINE;
    RgBoxNode *nodes = (RgBoxNode *)(void *)((unsigned char *)block + shift);
    if (old > 0) {
        memcpy(nodes, tree->nodes, 2 * old * sizeof *nodes);
        memcpy(tight, tree->tight, old * sizeof *tight);
        memcpy(reach, tree->reach, old * sizeof *reach);
        memcpy(traces, tree->traces, old * sizeof *traces);
    }
    rg_box_tree_free(tree);
    tree->block = block;
    tree->nodes = nodes;
    tree->tight = tight;
    tree->reach = reach;
    tree->traces = traces;
    tree->items = items;
    add_nodes(tree, tree->capacity, capacity);
    tree->capacity = capacity;
    return true;
}

/* ------------------------------------------------------------------ boxes */

static double side(double low, double high)
{
    double length = high - low;
    return length < LONGEST_SIDE ? length : LONGEST_SIDE;
}

/* Half the surface area. */
static double surface(const RgBounds *box)
{
    double x = side(box->low.x, box->high.x), y = side(box->low.y, box->high.y);
    double z = side(box->low.z, box->high.z);
    return x * y + y * z + z * x;
}

/* Returns true if every side of the box lies between the same sides of the other two. Without branches: called for
   every motion. */
static bool is_between(const RgBounds *inner, const RgBounds *box, const RgBounds *outer)
{
    return (outer->low.x <= box->low.x) & (box->low.x <= inner->low.x) & (outer->low.y <= box->low.y) &
           (box->low.y <= inner->low.y) & (outer->low.z <= box->low.z) & (box->low.z <= inner->low.z) &
           (inner->high.x <= box->high.x) & (box->high.x <= outer->high.x) & (inner->high.y <= box->high.y) &
           (box->high.y <= outer->high.y) & (inner->high.z <= box->high.z) & (box->high.z <= outer->high.z);
}

static double joined_surface(const RgBoxTree *tree, int32_t a, int32_t b)
{
    RgBounds box = rg_box_union(&tree->nodes[a].box, &tree->nodes[b].box);
    return surface(&box);
}

/* Signed extension of a proxy's box along one axis. */
static double extension_along(double drift, double steps, double length)
{
    double step = drift / steps, longest = MAX_EXTENSION * length;
    if (!(fabs(step) <= 0.5 * longest && longest < LONGEST_SIDE))
        return 0.0;
    return fmin(fmax(STEPS_AHEAD * step, -longest), longest);
}

static void extend(double reach, double *low, double *high)
{
    if (reach < 0.0)
        *low += reach;
    else
        *high += reach;
}

static RgBounds grow_box(const RgBounds *box, double by)
{
    return (RgBounds){.low = {box->low.x - by, box->low.y - by, box->low.z - by},
                      .high = {box->high.x + by, box->high.y + by, box->high.z + by}};
}

/* Makes the fat box of a proxy, and records its position. */
static void fatten(RgBoxTree *tree, int32_t proxy)
{
    const RgBounds *tight = &tree->tight[proxy];
    RgBoxTrace *trace = &tree->traces[proxy];
    uint64_t steps_since = tree->clock - trace->clock;
    double f = tree->fattening, steps = steps_since > 0 ? (double)steps_since : 1.0;
    RgVec3 drift = v3_sub(tight->low, trace->low), sides = v3_sub(tight->high, tight->low);
    RgBounds fat = grow_box(tight, f + tree->reach[proxy]);
    RgVec3 on = {extension_along(drift.x, steps, sides.x), extension_along(drift.y, steps, sides.y),
                 extension_along(drift.z, steps, sides.z)};
    extend(on.x, &fat.low.x, &fat.high.x);
    extend(on.y, &fat.low.y, &fat.high.y);
    extend(on.z, &fat.low.z, &fat.high.z);
    tree->nodes[2 * proxy].box = fat;
    tree->nodes[2 * proxy].room = 2.0 * f + rg_larger(rg_larger(fabs(on.x), fabs(on.y)), fabs(on.z));
    trace->low = tight->low;
    trace->clock = tree->clock;
}

/* ------------------------------------------------------------------ balance */

static void refit(RgBoxTree *tree, int32_t a)
{
    RgBoxNode *node = &tree->nodes[a];
    const RgBoxNode *b = &tree->nodes[node->child[0]], *c = &tree->nodes[node->child[1]];
    node->box = rg_box_union(&b->box, &c->box);
    node->height = 1 + (b->height > c->height ? b->height : c->height);
}

static void replace_child(RgBoxTree *tree, int32_t parent, int32_t old, int32_t new)
{
    RgBoxNode *node = &tree->nodes[parent];
    node->child[node->child[1] == old] = new;
    tree->nodes[new].parent = parent;
}

/* Exchanges two subtrees; neither contains the other. */
static void exchange(RgBoxTree *tree, int32_t x, int32_t y)
{
    int32_t above_x = tree->nodes[x].parent, above_y = tree->nodes[y].parent;
    replace_child(tree, above_x, x, y);
    replace_child(tree, above_y, y, x);
}

/* c is higher than its sibling b by two: its higher child takes the place of b, and b becomes a child of c. If c's
   children have equal height, b joins the one with the smaller common surface area. */
static void rotate_up(RgBoxTree *tree, int32_t b, int32_t c)
{
    int32_t f = tree->nodes[c].child[0], g = tree->nodes[c].child[1];
    int32_t rise = tree->nodes[f].height - tree->nodes[g].height;
    if (rise < 0 || (rise == 0 && joined_surface(tree, b, f) < joined_surface(tree, b, g)))
        f = g;
    exchange(tree, b, f);
    refit(tree, c);
}

/* An exchange of two subtrees, and its reduction of the surface area. */
typedef struct Exchange {
    int32_t x, y;
    double gain;
} Exchange;

/* Tries to exchange b and a child of its sibling c. */
static void try_child(const RgBoxTree *tree, int32_t b, int32_t c, Exchange *best)
{
    const RgBoxNode *node = &tree->nodes[c];
    double now = surface(&node->box);
    for (int k = 0; k < 2; k++) {
        int32_t f = node->child[k], g = node->child[1 - k];
        double gain = now - joined_surface(tree, b, g);
        if (tree->nodes[f].height == tree->nodes[b].height && gain > best->gain)
            *best = (Exchange){b, f, gain};
    }
}

/* Tries to exchange a child of b and a child of c. */
static void try_children(const RgBoxTree *tree, int32_t b, int32_t c, Exchange *best)
{
    const int32_t *of_b = tree->nodes[b].child, *of_c = tree->nodes[c].child;
    double now = surface(&tree->nodes[b].box) + surface(&tree->nodes[c].box);
    for (int k = 0; k < 2; k++) {
        int32_t f = of_c[k], g = of_c[1 - k];
        double gain = now - joined_surface(tree, f, of_b[1]) - joined_surface(tree, of_b[0], g);
        if (tree->nodes[f].height == tree->nodes[of_b[0]].height && gain > best->gain)
            *best = (Exchange){of_b[0], f, gain};
    }
}

/* Makes the best exchange of two subtrees of equal height below a, if it reduces the surface area. */
static void exchange_best(RgBoxTree *tree, int32_t a)
{
    int32_t b = tree->nodes[a].child[0], c = tree->nodes[a].child[1];
    int32_t rise = tree->nodes[c].height - tree->nodes[b].height;
    Exchange best = {-1, -1, 0.0};
    if (rise > 0)
        try_child(tree, b, c, &best);
    else if (rise < 0)
        try_child(tree, c, b, &best);
    else if (tree->nodes[b].height > 0)
        try_children(tree, b, c, &best);
    if (best.x < 0)
        return;
    exchange(tree, best.x, best.y);
    if (tree->nodes[b].height > 0)
        refit(tree, b);
    if (tree->nodes[c].height > 0)
        refit(tree, c);
}

/* Recomputes boxes and heights from a to the root, and rebalances. */
static void rebalance(RgBoxTree *tree, int32_t a)
{
    for (; a >= 0; a = tree->nodes[a].parent) {
        int32_t b = tree->nodes[a].child[0], c = tree->nodes[a].child[1];
        int32_t rise = tree->nodes[c].height - tree->nodes[b].height;
        if (rise > 1)
            rotate_up(tree, b, c);
        else if (rise < -1)
            rotate_up(tree, c, b);
        else
            exchange_best(tree, a);
        refit(tree, a);
    }
}

/* ------------------------------------------------------------------ insertion and removal */

/* A node of the search: cost of the places below it except the last term, and its surface area with the leaf. */
typedef struct SearchNode {
    int32_t node;
    double above, joined;
} SearchNode;

static SearchNode search_node(const RgBoxTree *tree, int32_t node, double above, const RgBounds *box)
{
    RgBounds joined = rg_box_union(&tree->nodes[node].box, box);
    return (SearchNode){node, above, surface(&joined)};
}

/* The node at or below `from` that becomes the sibling of a leaf with this box. */
static int32_t best_sibling(const RgBoxTree *tree, int32_t from, const RgBounds *box)
{
    SearchNode stack[RG_BOX_TREE_STACK];
    int32_t top = 0, found = -1;
    double own = surface(box), best = INFINITY;
    stack[top++] = search_node(tree, from, 0.0, box);
    for (int visits = 0; top > 0 && (visits < SEARCH_NODES || found < 0); visits++) {
        SearchNode at = stack[--top];
        const RgBoxNode *node = &tree->nodes[at.node];
        if (own + at.above >= best)
            continue;
        if (node->height <= 1 && at.above + at.joined < best) {
            best = at.above + at.joined;
            found = at.node;
        }
        if (node->height == 0)
            continue;

        /* Both children; the one that grows less first. */
        double above = at.above + (at.joined - surface(&node->box));
        SearchNode b = search_node(tree, node->child[0], above, box);
        SearchNode c = search_node(tree, node->child[1], above, box);
        double grows_b = b.joined - surface(&tree->nodes[b.node].box);
        double grows_c = c.joined - surface(&tree->nodes[c.node].box);
        bool b_first = grows_b < grows_c;
        stack[top++] = b_first ? c : b;
        stack[top++] = b_first ? b : c;
    }
    return found;
}

/* Inserts the leaf, whose box is set, below the node `from`. */
static void attach(RgBoxTree *tree, int32_t leaf, int32_t from)
{
    RgBoxNode *nodes = tree->nodes;
    if (tree->root < 0) {
        tree->root = leaf;
        nodes[leaf].parent = -1;
        return;
    }
    int32_t sibling = best_sibling(tree, from, &nodes[leaf].box);
    int32_t joint = tree->free_inner, above = nodes[sibling].parent;
    tree->free_inner = nodes[joint].child[0];
    nodes[joint].child[0] = sibling;
    nodes[joint].child[1] = leaf;
    nodes[joint].parent = above;
    if (above < 0)
        tree->root = joint;
    else
        replace_child(tree, above, sibling, joint);
    nodes[sibling].parent = nodes[leaf].parent = joint;
    rebalance(tree, joint);
}

static void detach(RgBoxTree *tree, int32_t leaf)
{
    RgBoxNode *nodes = tree->nodes;
    int32_t joint = nodes[leaf].parent;
    if (joint < 0) {
        tree->root = -1;
        return;
    }
    int32_t sibling = nodes[joint].child[nodes[joint].child[0] == leaf], above = nodes[joint].parent;
    if (above < 0)
        tree->root = sibling;
    else
        replace_child(tree, above, joint, sibling);
    nodes[sibling].parent = above;
    nodes[joint] = (RgBoxNode){.child = {tree->free_inner, -1}, .height = -1};
    tree->free_inner = joint;
    rebalance(tree, above);
}

void rg_box_tree_insert(RgBoxTree *tree, int32_t proxy, const RgBounds *box)
{
    tree->tight[proxy] = *box;
    tree->reach[proxy] = 0.0;
    tree->traces[proxy] = (RgBoxTrace){.low = box->low, .clock = tree->clock};
    tree->nodes[2 * proxy].height = 0;
    fatten(tree, proxy);
    tree->count++;
    if (tree->limit <= proxy)
        tree->limit = proxy + 1;
    attach(tree, 2 * proxy, tree->root);
}

void rg_box_tree_remove(RgBoxTree *tree, int32_t proxy)
{
    detach(tree, 2 * proxy);
    tree->nodes[2 * proxy].height = -1;
    tree->count--;
}

/* Rebuilds a fat box, and enlarges the nodes above. */
static void fatten_in_place(RgBoxTree *tree, int32_t proxy)
{
    RgBoxNode *nodes = tree->nodes, *leaf = &nodes[2 * proxy];
    fatten(tree, proxy);
    for (int32_t a = leaf->parent; a >= 0; a = nodes[a].parent) {
        if (rg_box_contains(&nodes[a].box, &leaf->box))
            break;
        double before = surface(&nodes[a].box);
        nodes[a].box = rg_box_union(&nodes[a].box, &leaf->box);
        tree->traces[proxy].spread += surface(&nodes[a].box) - before;
    }
}

bool rg_box_tree_fits(const RgBoxTree *tree, int32_t proxy, const RgBounds *box)
{
    const RgBoxNode *leaf = &tree->nodes[2 * proxy];
    RgBounds kept = rg_box_guaranteed(leaf), swept = grow_box(box, tree->reach[proxy]);
    return is_between(&kept, &swept, &leaf->box);
}

bool rg_box_tree_move(RgBoxTree *tree, int32_t proxy, const RgBounds *box)
{
    bool fits = rg_box_tree_fits(tree, proxy, box);
    tree->tight[proxy] = *box;
    if (fits)
        return false;
    fatten_in_place(tree, proxy);
    return true;
}

void rg_box_tree_sweep(RgBoxTree *tree, int32_t proxy, double reach)
{
    tree->reach[proxy] = reach;
    fatten_in_place(tree, proxy);
}

void rg_box_tree_reinsert(RgBoxTree *tree, int32_t proxy)
{
    RgBoxNode *nodes = tree->nodes;
    int32_t leaf = 2 * proxy, from = nodes[leaf].parent;
    if (from < 0 || tree->traces[proxy].spread <= REINSERT_SPREAD * surface(&nodes[leaf].box))
        return;

    /* Nodes that contain the box cost nothing: the search starts at the lowest of them. */
    from = nodes[from].parent;
    detach(tree, leaf);
    while (from >= 0 && !rg_box_contains(&nodes[from].box, &nodes[leaf].box))
        from = nodes[from].parent;
    attach(tree, leaf, from >= 0 ? from : tree->root);
    tree->traces[proxy].spread = 0.0;
}

/* ------------------------------------------------------------------ rebuild */

/* Reorders items so that item[k] is the one it would be after sorting along the axis, lower ones before it and higher
   ones after it (quickselect, Hoare 1961). The pivot's position is hashed, so that no order of the input is
   systematically bad. */
static void select_item(RgBoxItem *item, int32_t count, int32_t k, int axis)
{
    int32_t first = 0, last = count - 1;
    while (first < last) {
        uint32_t mixed = ((uint32_t)first * 0x9e3779b9u) ^ ((uint32_t)last * 0x85ebca6bu);
        float pivot = item[first + (int32_t)((mixed >> 8) % (uint32_t)(last - first + 1))].centre[axis];
        int32_t i = first, j = last;
        while (i <= j) {
            while (item[i].centre[axis] < pivot)
                i++;
            while (item[j].centre[axis] > pivot)
                j--;
            if (i <= j) {
                RgBoxItem other = item[i];
                item[i++] = item[j];
                item[j--] = other;
            }
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            return;
    }
}

/* The axis along which the centres have the widest spread. */
static int widest_axis(const RgBoxItem *item, int32_t count)
{
    float low[3], high[3];
    memcpy(low, item[0].centre, sizeof low);
    memcpy(high, item[0].centre, sizeof high);
    for (int32_t i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) {
            float c = item[i].centre[k];
            low[k] = c < low[k] ? c : low[k];
            high[k] = c > high[k] ? c : high[k];
        }
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* Builds the tree over count items by halving them recursively. Inner nodes are numbered in traversal order. */
static int32_t build(RgBoxTree *tree, RgBoxItem *item, int32_t count)
{
    if (count == 1)
        return 2 * item->proxy;
    int32_t node = tree->free_inner;
    tree->free_inner = tree->nodes[node].child[0];
    int32_t half = count / 2;
    select_item(item, count, half, widest_axis(item, count));
    for (int k = 0; k < 2; k++) {
        int32_t child = k == 0 ? build(tree, item, half) : build(tree, item + half, count - half);
        tree->nodes[node].child[k] = child;
        tree->nodes[child].parent = node;
    }
    refit(tree, node);
    return node;
}

/* Midpoint of a side, as a float of bounded size. */
static float middle(double low, double high)
{
    return (float)fmax(-1e30, fmin(1e30, 0.5 * low + 0.5 * high));
}

static void build_all(RgBoxTree *tree)
{
    int32_t count = 0;
    for (int32_t p = 0; p < tree->limit; p++) {
        const RgBoxNode *leaf = &tree->nodes[2 * p];
        if (leaf->height != 0)
            continue;
        RgVec3 low = leaf->box.low, high = leaf->box.high;
        tree->items[count++] = (RgBoxItem){{middle(low.x, high.x), middle(low.y, high.y), middle(low.z, high.z)}, p};
    }
    tree->free_inner = -1;
    for (int32_t p = tree->capacity - 1; p >= 0; p--) {
        tree->nodes[2 * p + 1].child[0] = tree->free_inner;
        tree->nodes[2 * p + 1].height = -1;
        tree->free_inner = 2 * p + 1;
    }
    tree->root = build(tree, tree->items, count);
    tree->nodes[tree->root].parent = -1;
}

/* Recomputes the boxes of all inner nodes below a; returns the sum of their surface areas. */
static double refit_subtree(RgBoxTree *tree, int32_t a)
{
    if (tree->nodes[a].height == 0)
        return 0.0;
    double sum = refit_subtree(tree, tree->nodes[a].child[0]) + refit_subtree(tree, tree->nodes[a].child[1]);
    refit(tree, a);
    return sum + surface(&tree->nodes[a].box);
}

void rg_box_tree_refresh(RgBoxTree *tree)
{
    if (tree->count == 0)
        return;
    for (int32_t p = 0; p < tree->limit; p++) {
        bool is_fresh = tree->traces[p].clock == tree->clock; /* its fat box was made in this step */
        tree->traces[p].spread = 0.0;
        if (tree->nodes[2 * p].height == 0 && !is_fresh)
            fatten(tree, p);
    }
    if (refit_subtree(tree, tree->root) <= REBUILD_GROWTH * tree->surface * tree->count && tree->surface > 0.0)
        return;
    build_all(tree);
    tree->surface = refit_subtree(tree, tree->root) / tree->count;
}
