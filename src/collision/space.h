/*
 * space.h - internals of a space of colliders.
 *
 * A collider occupies the slot with index id - 1. A bounded collider is a proxy of the tree, with the slot's index as
 * the proxy's number. Half-spaces are kept in a separate list.
 *
 * Near pairs: all pairs that may touch and whose fat boxes are within `margin` of each other (or whose fat box is
 * within `margin` of the half-space), sorted by key. This list changes only where a collider is added, is removed or
 * leaves its fat box. Such a collider is stale: its pairs are searched again. The caller gets those near pairs whose
 * tight boxes are within the margin requested.
 *
 * Swept pairs: each collider has a reach, the distance it can move within the time considered. Two colliders are near
 * if
 *
 *   gap of the tight boxes  <=  margin + reach_a + reach_b
 *
 * so a fast collider enlarges the search for its own pairs only. Fat boxes are made for a larger reach (tree.reach), so
 * that a speed that varies from call to call leaves most of them unchanged. A pair needs no test where the boxes that
 * the two colliders contain until they become stale overlap (rg_box_guaranteed). All other pairs are doubtful and are tested.
 */
#ifndef RIGOR_SPACE_H
#define RIGOR_SPACE_H

#include "base/parallel_for.h"
#include "collision/broadphase_tree.h"
#include "collision/pair_filter.h"
#include "collision/placed_bounds.h"

typedef struct RgCollider {
    RgColliderDef def;
    RgPlacedBounds bounds;
    int32_t next; /* next free slot; -1: last */
} RgCollider;

enum {
    RG_SLOT_DIRTY = 1, /* moved since the last query of pairs */
    RG_SLOT_STALE = 2, /* added, removed or outside its fat box since the last query */
    RG_SLOT_PLANE = 4, /* a half-space */
    RG_SLOT_USED = 8   /* the slot holds a collider */
};

/* A growing list of pairs of slots. */
typedef struct RgPairList {
    RgColliderPair *pairs;
    int32_t count, capacity;
} RgPairList;

enum {
    RG_PAIR_TOUCHES = 1, /* within the margin when last tested */
    RG_PAIR_CERTAIN = 2  /* no test needed */
};

typedef struct RgNearPairs {
    bool whole;           /* false: the list must be rebuilt */
    bool tested;          /* all doubtful pairs were tested for answer_margin, except those of dirty colliders */
    bool swept;           /* that test included the colliders' reach */
    bool copied;          /* answer holds the copied result; false: the result is the list itself */
    double margin;        /* m */
    double answer_margin; /* m; of the last query */
    int32_t spare_calls;  /* consecutive calls whose margin was much smaller than `margin` */
    int64_t work;         /* stale slots processed since all fat boxes were last rebuilt */
    RgPairList list, other, found, answer;
    RgPairList *parts; /* nparts: found in parallel, each for a range of tree nodes */
    int32_t nparts;
    uint8_t *marks, *other_marks; /* of the list: flags RG_PAIR_... */
    int32_t *doubtful;            /* indices into the list */
    int32_t ndoubtful, capacity;  /* of marks and doubtful */
} RgNearPairs;

struct RgSpace {
    RgAllocator allocator;
    RgBoxTree tree;
    RgPairFilter filter;
    int32_t count, capacity;
    int32_t free_slot;         /* -1: none */
    RgCollider *colliders;     /* capacity */
    RgFilterTag *tags;         /* capacity */
    uint8_t *state;            /* capacity: RG_SLOT_... */
    int32_t *order;            /* count: slots sorted by key */
    int32_t *rank;             /* capacity: position in the order, valid if ranked */
    int32_t *bins;             /* capacity + 1: for the sort */
    int32_t *stale;            /* capacity */
    int32_t *planes;           /* capacity: slots of the half-spaces */
    RgHalfSpace *halves;       /* capacity, by slot */
    double *reach;             /* capacity, by slot, m: set by rg_space_sweep */
    RgBounds *boxes;           /* capacity, by slot: scratch of rg_space_move_all */
    uint8_t *verdicts;         /* capacity, by slot: scratch of rg_space_move_all */
    RgThreadPool *thread_pool; /* thread pool for large spaces; NULL: none */
    int32_t nstale, ndirty, nplanes;
    bool ranked;
    RgNearPairs near;
};

/* Returns true if there is a collider with this id. */
static inline bool rg_space_has(const RgSpace *space, RgColliderId collider)
{
    return space != NULL && collider.i > 0 && collider.i <= space->capacity &&
           (space->state[collider.i - 1] & RG_SLOT_USED) != 0;
}

void rg_near_pairs_free(RgNearPairs *near, const RgAllocator *allocator);

/* The half-space z <= 0 of a frame. */
RgHalfSpace rg_half_space(const RgPose *X_WG);

/* Moves the colliders of a list whose entry in `moves` is true to their poses. No collider may occur twice. Returns the
   number of entries processed: count, or the index of the first collider that cannot be moved; *status is then the
   error of rg_space_move for it. */
int32_t rg_space_move_all(RgSpace *space, const RgColliderId *colliders, const RgPose *X_WG, const bool *moves,
                          int32_t count, RgStatus *status);

/* Removes the rule of a pair of owners (exclude or include): masks and groups decide again. */
RgStatus rg_space_forget(RgSpace *space, int32_t owner_a, int32_t owner_b);

/* Sets the distance a collider can move, m, for rg_space_swept_pairs. Default 0. */
void rg_space_sweep(RgSpace *space, RgColliderId collider, double reach);

/* The same for a list in which no collider may occur twice. Null ids are skipped. */
void rg_space_sweep_all(RgSpace *space, const RgColliderId *colliders, const double *reach, int32_t count);

/* As rg_space_pairs, for pairs within margin + the reach of both. */
RgStatus rg_space_swept_pairs(RgSpace *space, double margin, const RgColliderPair **pairs, int32_t *count);

#endif
