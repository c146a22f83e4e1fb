/*
 * broadphase_tree.h - a balanced binary tree of axis-aligned boxes over moving objects (dynamic AABB tree).
 *
 * An object is called a proxy and has a number chosen by the caller. The tree stores two boxes per proxy: the tight box
 * given by the caller, and the fat box in the leaf, which is larger, so that a small motion changes nothing. The fat
 * box also contains the swept box: the tight box enlarged on all sides by the proxy's reach, the distance it can move
 * until the next query. The box of an inner node contains those of both children. Queries use the fat boxes; the caller
 * tests the tight boxes.
 *
 * The heights of two siblings differ by at most one (Adelson-Velsky and Landis 1962), so a tree of n leaves is no
 * higher than 1.45 log2(n + 2): every traversal needs a stack of fixed size only.
 */
#ifndef RIGOR_BROADPHASE_TREE_H
#define RIGOR_BROADPHASE_TREE_H

#include "geom/shape.h"

/* Stack size of a traversal: exceeds the height of any tree of 2^30 leaves. */
#define RG_BOX_TREE_STACK 64

/* One cache line. The leaf of proxy p is node 2 p. Inner nodes have odd indices. */
typedef struct RgBoxNode {
    RgBounds box;
    union {
        int32_t child[2]; /* inner node; of a free node, child[0] is the next free node */
        /* leaf, m; each side of the swept box is within this distance of the same side of the fat box */
        double room;
    };
    int32_t parent; /* -1: root */
    int32_t height; /* 0: leaf; -1: not in the tree */
} RgBoxNode;

/* Position of a proxy when its fat box was made, and the growth of its ancestors since then. */
typedef struct RgBoxTrace {
    RgVec3 low;
    uint64_t clock;
    double spread; /* m^2; total growth of the ancestors' boxes due to this proxy since it was inserted at its place */
} RgBoxTrace;

/* A leaf during a rebuild of the tree. */
typedef struct RgBoxItem {
    float centre[3];
    int32_t proxy;
} RgBoxItem;

typedef struct RgBoxTree {
    RgAllocator allocator;
    double fattening;   /* m */
    double surface;     /* m^2 per leaf; summed over all inner nodes at the last rebuild; 0: never rebuilt */
    uint64_t clock;     /* step counter, set by the caller */
    int32_t root;       /* -1: empty */
    int32_t count;      /* leaves */
    int32_t limit;      /* all proxy numbers are below this */
    int32_t capacity;   /* of proxies */
    int32_t free_inner; /* -1: none */
    void *block;        /* memory of the nodes, which start at a cache line inside it */
    RgBoxNode *nodes;   /* 2 capacity */
    RgBounds *tight;    /* capacity */
    double *reach;      /* capacity, m; set by rg_box_tree_sweep */
    RgBoxTrace *traces; /* capacity */
    RgBoxItem *items;   /* capacity */
} RgBoxTree;

void rg_box_tree_init(RgBoxTree *tree, const RgAllocator *allocator, double fattening);
void rg_box_tree_free(RgBoxTree *tree);

/* Allocates room for proxies 0 ... capacity - 1. No other function allocates. Returns false if out of memory; the tree
   is then unchanged. */
bool rg_box_tree_reserve(RgBoxTree *tree, int32_t capacity);

static inline bool rg_box_tree_has(const RgBoxTree *tree, int32_t proxy)
{
    return proxy >= 0 && proxy < tree->limit && tree->nodes[2 * proxy].height == 0;
}

/* Boxes must be finite. insert: the proxy must not be in the tree, and its number must be below the capacity. */
void rg_box_tree_insert(RgBoxTree *tree, int32_t proxy, const RgBounds *box);
void rg_box_tree_remove(RgBoxTree *tree, int32_t proxy);

/* Sets the reach of a proxy (0 after insert) and rebuilds its fat box. */
void rg_box_tree_sweep(RgBoxTree *tree, int32_t proxy, double reach);

/* Returns true if the tight box stays within the fat box and has not shrunk by more than the leaf's room. */
bool rg_box_tree_fits(const RgBoxTree *tree, int32_t proxy, const RgBounds *box);

/* Sets the tight box. Returns true if it left the fat box, or shrank by more than the leaf's room: the fat box is then
   rebuilt and its ancestors are enlarged where needed. */
bool rg_box_tree_move(RgBoxTree *tree, int32_t proxy, const RgBounds *box);

/* Moves a proxy to a better place in the tree if its ancestors have grown much because of it. Optional: without it the
   tree stays valid but queries become slower. */
void rg_box_tree_reinsert(RgBoxTree *tree, int32_t proxy);

/* Rebuilds all fat boxes from the current positions and motions. Rebuilds the tree if its quality has degraded. Cost: n
   log n. */
void rg_box_tree_refresh(RgBoxTree *tree);

/* Visits all pairs of proxies whose fat boxes are within margin of each other along every axis: each pair once, in no
   particular order. */
typedef void RgBoxPairVisit(void *context, int32_t a, int32_t b);
void rg_box_tree_pairs(const RgBoxTree *tree, double margin, RgBoxPairVisit *visit, void *context);

/* The same, restricted to pairs whose lowest common ancestor is one of the inner nodes range[0] ... range[1] - 1 of 0
   ... capacity - 1. */
void rg_box_tree_pairs_at(const RgBoxTree *tree, const int32_t range[2], double margin, RgBoxPairVisit *visit,
                          void *context);

/* The same, restricted to pairs of one of the given proxies (a) with any other (b). A pair of two given proxies is
   visited twice. */
void rg_box_tree_pairs_of(const RgBoxTree *tree, const int32_t *proxies, int32_t count, double margin,
                          RgBoxPairVisit *visit, void *context);

/* Visits all proxies whose fat box is within margin of `box` along every axis. */
typedef void RgBoxVisit(void *context, int32_t proxy);
void rg_box_tree_overlap(const RgBoxTree *tree, const RgBounds *box, double margin, RgBoxVisit *visit, void *context);

/* All points with n.x <= offset. */
typedef struct RgHalfSpace {
    RgVec3 n;
    double offset;
} RgHalfSpace;

/* Visits all proxies whose fat box is within margin of the half-space. */
void rg_box_tree_below(const RgBoxTree *tree, const RgHalfSpace *space, double margin, RgBoxVisit *visit,
                       void *context);

/* The line origin + t direction, 0 <= t <= reach. */
typedef struct RgBoxRay {
    RgVec3 origin, direction, inverse; /* inverse: 1 / direction; unused for axes where the direction is 0 */
    double reach;
} RgBoxRay;
RgBoxRay rg_box_ray(RgVec3 origin, RgVec3 direction, double reach);

/* Returns the parameter at which the ray enters the box: 0 if it starts inside, infinite if it misses. A larger box is
   never entered later, round-off included. */
double rg_box_ray_enter(const RgBoxRay *ray, const RgBounds *box);

/* Visits all proxies whose fat box the ray enters within reach, roughly in order of distance. visit returns the new
   reach, at most the one passed to it. */
typedef double RgBoxRayVisit(void *context, int32_t proxy, double reach);
void rg_box_tree_ray(const RgBoxTree *tree, const RgBoxRay *ray, RgBoxRayVisit *visit, void *context);

/* ------------------------------------------------------------------ boxes */

static inline RgBounds rg_box_union(const RgBounds *a, const RgBounds *b)
{
    return (RgBounds){.low = {a->low.x < b->low.x ? a->low.x : b->low.x, a->low.y < b->low.y ? a->low.y : b->low.y,
                              a->low.z < b->low.z ? a->low.z : b->low.z},
                      .high = {a->high.x > b->high.x ? a->high.x : b->high.x,
                               a->high.y > b->high.y ? a->high.y : b->high.y,
                               a->high.z > b->high.z ? a->high.z : b->high.z}};
}

static inline bool rg_box_contains(const RgBounds *a, const RgBounds *b)
{
    return a->low.x <= b->low.x && a->low.y <= b->low.y && a->low.z <= b->low.z && b->high.x <= a->high.x &&
           b->high.y <= a->high.y && b->high.z <= a->high.z;
}

static inline double rg_larger(double a, double b)
{
    return a > b ? a : b;
}

/* The widest gap between two boxes along the three axes; < 0 if they overlap along all axes. Larger boxes never have a
   larger gap, round-off included. */
static inline double rg_box_gap(const RgBounds *a, const RgBounds *b)
{
    double x = rg_larger(a->low.x - b->high.x, b->low.x - a->high.x);
    double y = rg_larger(a->low.y - b->high.y, b->low.y - a->high.y);
    double z = rg_larger(a->low.z - b->high.z, b->low.z - a->high.z);
    return rg_larger(rg_larger(x, y), z);
}

/* The box that the swept box of a leaf is certain to contain until it leaves the fat box or shrinks by more than the
   room. */
static inline RgBounds rg_box_guaranteed(const RgBoxNode *leaf)
{
    const RgBounds *box = &leaf->box;
    double r = leaf->room;
    return (RgBounds){.low = {box->low.x + r, box->low.y + r, box->low.z + r},
                      .high = {box->high.x - r, box->high.y - r, box->high.z - r}};
}

/* Height of the box's lowest point over the plane of the half-space; < 0: below. A larger box is never higher,
   round-off included. */
static inline double rg_box_above(const RgBounds *box, const RgHalfSpace *space)
{
    double x = space->n.x * (space->n.x > 0.0 ? box->low.x : box->high.x);
    double y = space->n.y * (space->n.y > 0.0 ? box->low.y : box->high.y);
    double z = space->n.z * (space->n.z > 0.0 ? box->low.z : box->high.z);
    return (x + y) + z - space->offset;
}

#endif
