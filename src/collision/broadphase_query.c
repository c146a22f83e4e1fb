/*
 * broadphase_query.c - queries of the tree of boxes: near pairs, and the boxes in a box, below a plane, or on a ray.
 *
 * Pairs: the tree against itself. Every pair of leaves has exactly one lowest common ancestor, so the pairs are those
 * across the two children of each inner node, each once. The pairs across two nodes are those across their children;
 * nodes whose boxes are separated have none.
 *
 * All tests are such that a node's box passes whenever a box in it does, round-off included: their sums and products
 * are monotone, and rounding preserves that.
 */
#include "collision/broadphase_tree.h"

#include "math/vec3.h"

#include <string.h>

/* Node pairs on a stack, and how many are processed at once: a batch of independent tests keeps the processor's
   pipeline full. */
#define PAIR_STACK 1024
#define PAIR_BATCH 16

/* Space above which node pairs are processed one by one: then at most 3 are added per level of the tree. */
#define PAIR_SPARE (4 * PAIR_BATCH + 4 * RG_BOX_TREE_STACK)

typedef struct NodePair {
    int32_t a, b;
} NodePair;

/* Pairs of nodes, neither an ancestor of the other, whose boxes are near each other; by how many of the two are
   leaves. */
typedef struct PairTraversal {
    const RgBoxNode *nodes;
    double margin;
    int32_t top[3];
    NodePair list[3][PAIR_STACK];
} PairTraversal;

/* Adds a pair if it is near. Without a branch, because about every second pair is not near, in random order, and a
   branch would be mispredicted as often. */
static inline void push(PairTraversal *w, int32_t a, int32_t b)
{
    bool near = rg_box_gap(&w->nodes[a].box, &w->nodes[b].box) <= w->margin;
    int a_is_leaf = (a & 1) == 0, leaves = a_is_leaf + ((b & 1) == 0);
    w->list[leaves][w->top[leaves]] = a_is_leaf ? (NodePair){b, a} : (NodePair){a, b};
    w->top[leaves] += near;
}

/* Replaces some pairs by those of their children, and visits the pairs of leaves. In a pair with one leaf, the leaf is
   the second. */
static void descend(PairTraversal *w, RgBoxPairVisit *visit, void *context)
{
    NodePair batch[PAIR_BATCH];
    int leaves = w->top[1] >= PAIR_BATCH || w->top[0] == 0;
    int32_t count = w->top[leaves] < PAIR_BATCH ? w->top[leaves] : PAIR_BATCH;
    if (w->top[leaves] > PAIR_STACK - PAIR_SPARE)
        count = 1;
    w->top[leaves] -= count;
    memcpy(batch, w->list[leaves] + w->top[leaves], (size_t)count * sizeof *batch);
    for (int32_t i = 0; i < count; i++) {
        const int32_t *a = w->nodes[batch[i].a].child, *b = w->nodes[batch[i].b].child;
        if (leaves == 1) {
            push(w, a[0], batch[i].b);
            push(w, a[1], batch[i].b);
        } else {
            push(w, a[0], b[0]);
            push(w, a[0], b[1]);
            push(w, a[1], b[0]);
            push(w, a[1], b[1]);
        }
    }
    for (int32_t i = 0; i < w->top[2]; i++)
        if (w->list[2][i].a != w->list[2][i].b) /* NOLINT: push has written them */
            visit(context, w->list[2][i].a / 2, w->list[2][i].b / 2);
    w->top[2] = 0;
}

/* Processes until fewer than `few` pairs remain. */
static void descend_to(PairTraversal *w, int32_t few, RgBoxPairVisit *visit, void *context)
{
    while (w->top[0] + w->top[1] + w->top[2] >= few)
        descend(w, visit, context);
}

static void init_traversal(PairTraversal *w, const RgBoxTree *tree, double margin)
{
    w->nodes = tree->nodes;
    w->margin = margin;
    w->top[0] = w->top[1] = w->top[2] = 0;
}

void rg_box_tree_pairs(const RgBoxTree *tree, double margin, RgBoxPairVisit *visit, void *context)
{
    rg_box_tree_pairs_at(tree, (int32_t[2]){0, tree->capacity}, margin, visit, context);
}

void rg_box_tree_pairs_at(const RgBoxTree *tree, const int32_t range[2], double margin, RgBoxPairVisit *visit,
                          void *context)
{
    PairTraversal w;
    init_traversal(&w, tree, margin);
    for (int32_t a = 2 * range[0] + 1; a < 2 * range[1]; a += 2) {
        if (w.nodes[a].height <= 0)
            continue;
        push(&w, w.nodes[a].child[0], w.nodes[a].child[1]);
        descend_to(&w, PAIR_BATCH, visit, context);
    }
    descend_to(&w, 1, visit, context);
}

void rg_box_tree_pairs_of(const RgBoxTree *tree, const int32_t *proxies, int32_t count, double margin,
                          RgBoxPairVisit *visit, void *context)
{
    PairTraversal w;
    init_traversal(&w, tree, margin);
    for (int32_t i = 0; i < count; i++) {
        if (!rg_box_tree_has(tree, proxies[i]))
            continue;
        push(&w, tree->root, 2 * proxies[i]);
        descend_to(&w, PAIR_BATCH, visit, context);
    }
    descend_to(&w, 1, visit, context);
}

/* Distance of a box from what a query asks for: a box or a half-space. */
typedef double GapFn(const RgBounds *box, const void *asked);

/* Visits the boxes of the leaves that are within the margin. Inlined with its gap. */
static inline void visit_near(const RgBoxTree *tree, GapFn *gap, const void *asked, double margin, RgBoxVisit *visit,
                              void *context)
{
    int32_t stack[RG_BOX_TREE_STACK], top = 0;
    if (tree->root >= 0)
        stack[top++] = tree->root;
    while (top > 0) {
        int32_t at = stack[--top];
        const RgBoxNode *node = &tree->nodes[at];
        if (!(gap(&node->box, asked) <= margin))
            continue;
        if (node->height == 0) {
            visit(context, at / 2);
            continue;
        }
        stack[top++] = node->child[1];
        stack[top++] = node->child[0];
    }
}

static inline double gap_to_box(const RgBounds *box, const void *asked)
{
    return rg_box_gap(box, asked);
}

static inline double gap_to_space(const RgBounds *box, const void *asked)
{
    return rg_box_above(box, asked);
}

void rg_box_tree_overlap(const RgBoxTree *tree, const RgBounds *box, double margin, RgBoxVisit *visit, void *context)
{
    visit_near(tree, gap_to_box, box, margin, visit, context);
}

void rg_box_tree_below(const RgBoxTree *tree, const RgHalfSpace *space, double margin, RgBoxVisit *visit, void *context)
{
    visit_near(tree, gap_to_space, space, margin, visit, context);
}

/* ------------------------------------------------------------------ rays */

RgBoxRay rg_box_ray(RgVec3 origin, RgVec3 direction, double reach)
{
    return (RgBoxRay){.origin = origin,
                      .direction = direction,
                      .inverse = {1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z},
                      .reach = reach};
}

/* The interval of a ray between two planes normal to an axis. */
typedef struct Slab {
    double enter, leave;
} Slab;

/* The exit of a slab is delayed by a few units in the last place: a ray along a side of a box counts as inside (Ize
   2013). */
#define EXIT_GROWTH (1.0 + 8.0 * 0x1p-53)

static Slab clip_slab(Slab s, double origin, double inverse, double low, double high)
{
    double t0 = (low - origin) * inverse, t1 = (high - origin) * inverse;
    if (!(fabs(inverse) < INFINITY)) /* parallel to the planes: everything or nothing */
        return low <= origin && origin <= high ? s : (Slab){INFINITY, -INFINITY};
    double near = t0 < t1 ? t0 : t1, far = (t0 < t1 ? t1 : t0) * EXIT_GROWTH;
    return (Slab){near > s.enter ? near : s.enter, far < s.leave ? far : s.leave};
}

double rg_box_ray_enter(const RgBoxRay *ray, const RgBounds *box)
{
    Slab s = {0.0, ray->reach};
    s = clip_slab(s, ray->origin.x, ray->inverse.x, box->low.x, box->high.x);
    s = clip_slab(s, ray->origin.y, ray->inverse.y, box->low.y, box->high.y);
    s = clip_slab(s, ray->origin.z, ray->inverse.z, box->low.z, box->high.z);
    return s.enter <= s.leave ? s.enter : INFINITY;
}

typedef struct Entry {
    int32_t node;
    double enter;
} Entry;

void rg_box_tree_ray(const RgBoxTree *tree, const RgBoxRay *ray, RgBoxRayVisit *visit, void *context)
{
    Entry stack[RG_BOX_TREE_STACK];
    int32_t top = 0;
    double reach = ray->reach;
    if (tree->root >= 0)
        stack[top++] = (Entry){tree->root, rg_box_ray_enter(ray, &tree->nodes[tree->root].box)};
    while (top > 0) {
        Entry at = stack[--top];
        const RgBoxNode *node = &tree->nodes[at.node];
        if (!(at.enter <= reach) || at.enter == INFINITY)
            continue;
        if (node->height == 0) {
            reach = visit(context, at.node / 2, reach);
            continue;
        }
        Entry b = {node->child[0], rg_box_ray_enter(ray, &tree->nodes[node->child[0]].box)};
        Entry c = {node->child[1], rg_box_ray_enter(ray, &tree->nodes[node->child[1]].box)};
        bool b_first = b.enter <= c.enter;
        stack[top++] = b_first ? c : b;
        stack[top++] = b_first ? b : c;
    }
}
