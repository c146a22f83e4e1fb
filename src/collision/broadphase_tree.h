/*
 * broadphase_tree.h - a balanced binary tree of boxes along the world's axes, over things that move.
 *
 * A thing is called a proxy and has a number that the caller gives it. The tree keeps two boxes of it: the
 * tight one, as told, and the fat one in the leaf, which is larger, so that a small motion changes nothing.
 * The fat box also holds the swept box: the tight one widened on all sides by the proxy's reach, how far it can
 * move until it is asked about again.
 * An inner node's box holds both children's. Questions are answered from the fat boxes: the caller tests the
 * tight ones.
 *
 * The heights of two siblings differ by at most one (Adelson-Velsky and Landis 1962), so a tree of n leaves
 * is no higher than 1.45 log2(n + 2): every walk has a stack of fixed size, whatever the boxes are.
 */
#ifndef RIGOR_BROADPHASE_TREE_H
#define RIGOR_BROADPHASE_TREE_H

#include "geom/shape.h"

/* Higher than any tree of 2^30 leaves. */
#define RG_BOX_TREE_STACK 64

/* One cache line. Leaf of proxy p: node 2 p. Inner nodes are odd. */
typedef struct RgBoxNode {
    RgBounds box;
    union {
        int32_t child[2]; /* inner node; a free one: the next free one in child[0] */
        double room;      /* leaf, m; each side of the swept box is within this of the same side of the fat one */
    };
    int32_t parent; /* -1: root */
    int32_t height; /* 0: leaf; -1: not in the tree */
} RgBoxNode;

/* Where a proxy was when its fat box was made, and what that has cost. */
typedef struct RgBoxTrace {
    RgVec3 low;
    uint64_t clock;
    double spread; /* m^2; by how much the nodes above were widened for it since it was put where it is */
} RgBoxTrace;

/* A leaf while the tree is built anew. */
typedef struct RgBoxItem {
    float centre[3];
    int32_t proxy;
} RgBoxItem;

typedef struct RgBoxTree {
    RgAllocator allocator;
    double fattening;   /* m */
    double surface;     /* m^2 a leaf; of all inner nodes when the tree was built last; 0: never */
    uint64_t clock;     /* steps, as the caller counts them */
    int32_t root;       /* -1: empty */
    int32_t count;      /* leaves */
    int32_t limit;      /* no proxy has this number or a higher one */
    int32_t capacity;   /* of proxies */
    int32_t free_inner; /* -1: none */
    void *block;        /* holds the nodes, which begin at a cache line */
    RgBoxNode *nodes;   /* 2 capacity */
    RgBounds *tight;    /* capacity */
    double *reach;      /* capacity, m; set by rg_box_tree_sweep */
    RgBoxTrace *traces; /* capacity */
    RgBoxItem *items;   /* capacity */
} RgBoxTree;

void rg_box_tree_init(RgBoxTree *tree, const RgAllocator *allocator, double fattening);
void rg_box_tree_free(RgBoxTree *tree);

/* Room for proxies 0 ... capacity - 1. Nothing else allocates. False: out of memory, nothing changed. */
bool rg_box_tree_reserve(RgBoxTree *tree, int32_t capacity);

static inline bool rg_box_tree_has(const RgBoxTree *tree, int32_t proxy)
{
    return proxy >= 0 && proxy < tree->limit && tree->nodes[2 * proxy].height == 0;
}

/* Boxes are finite. insert: a proxy that is not in the tree and for which there is room. */
void rg_box_tree_insert(RgBoxTree *tree, int32_t proxy, const RgBounds *box);
void rg_box_tree_remove(RgBoxTree *tree, int32_t proxy);

/* Sets the reach of a proxy; 0 after insert. Its fat box is made anew. */
void rg_box_tree_sweep(RgBoxTree *tree, int32_t proxy, double reach);

/* Whether a tight box would neither leave the fat one nor have become smaller by more than the leaf's room. */
bool rg_box_tree_fits(const RgBoxTree *tree, int32_t proxy, const RgBounds *box);

/* New tight box. True: it left the fat one, or has become smaller by more than the leaf's room; the fat one
   was made anew, and the nodes above were widened where needed. */
bool rg_box_tree_move(RgBoxTree *tree, int32_t proxy, const RgBounds *box);

/* Takes a proxy to a better place if the nodes above were widened much for it. The tree is right without
   that, but slower by and by. */
void rg_box_tree_settle(RgBoxTree *tree, int32_t proxy);

/* All fat boxes made anew from where the proxies are and where they are going. The tree is built from scratch
   where it has become bad: n log n. */
void rg_box_tree_refresh(RgBoxTree *tree);

/* All pairs of proxies whose fat boxes are within margin of each other along every axis; each pair once, in
   no order. */
typedef void RgBoxPairVisit(void *context, int32_t a, int32_t b);
void rg_box_tree_pairs(const RgBoxTree *tree, double margin, RgBoxPairVisit *visit, void *context);

/* The same, of them those that part ways at inner nodes range[0] ... range[1] - 1 of 0 ... capacity - 1. */
void rg_box_tree_pairs_at(const RgBoxTree *tree, const int32_t range[2], double margin, RgBoxPairVisit *visit,
                          void *context);

/* The same, but only pairs of one of count proxies (a) with any other (b); of two of them, twice. */
void rg_box_tree_pairs_of(const RgBoxTree *tree, const int32_t *proxies, int32_t count, double margin,
                          RgBoxPairVisit *visit, void *context);

/* All proxies whose fat box is within margin of box along every axis. */
typedef void RgBoxVisit(void *context, int32_t proxy);
void rg_box_tree_overlap(const RgBoxTree *tree, const RgBounds *box, double margin, RgBoxVisit *visit, void *context);

/* All points with n.x <= offset. */
typedef struct RgHalfSpace {
    RgVec3 n;
    double offset;
} RgHalfSpace;

/* All proxies whose fat box comes within margin of the half-space. */
void rg_box_tree_below(const RgBoxTree *tree, const RgHalfSpace *space, double margin, RgBoxVisit *visit,
                       void *context);

/* The line origin + t direction, 0 <= t <= reach. */
typedef struct RgBoxRay {
    RgVec3 origin, direction, inverse; /* inverse: 1 / direction, not used where that is 0 */
    double reach;
} RgBoxRay;
RgBoxRay rg_box_ray(RgVec3 origin, RgVec3 direction, double reach);

/* Where the ray enters the box (0: it begins inside); infinite where it misses it. A larger box is never
   entered later, round-off included. */
double rg_box_ray_enter(const RgBoxRay *ray, const RgBounds *box);

/* All proxies whose fat box the ray enters within reach, near ones first as the tree gives them. visit
   returns the reach from there on, no longer than the one it gets. */
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

/* The widest gap between two boxes along the three axes; < 0 where they overlap along all of them. Larger
   boxes are never farther apart, round-off included. */
static inline double rg_box_gap(const RgBounds *a, const RgBounds *b)
{
    double x = rg_larger(a->low.x - b->high.x, b->low.x - a->high.x);
    double y = rg_larger(a->low.y - b->high.y, b->low.y - a->high.y);
    double z = rg_larger(a->low.z - b->high.z, b->low.z - a->high.z);
    return rg_larger(rg_larger(x, y), z);
}

/* The box that the swept box of a leaf holds as long as it does not leave the fat one. */
static inline RgBounds rg_box_kept(const RgBoxNode *leaf)
{
    const RgBounds *box = &leaf->box;
    double r = leaf->room;
    return (RgBounds){.low = {box->low.x + r, box->low.y + r, box->low.z + r},
                      .high = {box->high.x - r, box->high.y - r, box->high.z - r}};
}

/* Distance of the box's nearest point above the plane of the half-space, < 0 below. A larger box is never
   farther, round-off included. */
static inline double rg_box_above(const RgBounds *box, const RgHalfSpace *space)
{
    double x = space->n.x * (space->n.x > 0.0 ? box->low.x : box->high.x);
    double y = space->n.y * (space->n.y > 0.0 ? box->low.y : box->high.y);
    double z = space->n.z * (space->n.z > 0.0 ? box->low.z : box->high.z);
    return (x + y) + z - space->offset;
}

#endif
