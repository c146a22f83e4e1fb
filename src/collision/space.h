/*
 * space.h - the inside of a space of colliders.
 *
 * A collider has a slot, its id less one. Bounded ones are proxies of the tree under the number of their
 * slot; half-spaces stand in a list apart.
 *
 * Near pairs: all pairs that may touch and whose fat boxes are within margin of each other (or whose fat box
 * is within margin of the half-space), in the order of their keys. They change only where a collider comes,
 * goes or leaves its fat box: it is stale then, and its pairs are looked for again. What the caller gets are
 * those of them whose tight boxes are within the margin asked for.
 *
 * Swept pairs: colliders that move have a reach, how far they can move within the time asked about. Two are near
 * where
 *
 *   gap of the tight boxes  <=  margin + reach_a + reach_b
 *
 * so that a fast collider widens its own pairs and no others. Fat boxes are made for a reach that is larger
 * (tree.reach), so that a speed that changes from call to call leaves most of them alone. Where the boxes overlap that
 * two colliders keep until they are stale, there is nothing to test; the others are doubtful.
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
    int32_t next; /* of the free slots; -1: the last */
} RgCollider;

enum {
    RG_SLOT_DIRTY = 1, /* moved since the pairs were asked for */
    RG_SLOT_STALE = 2, /* came, went or left its fat box since then */
    RG_SLOT_PLANE = 4, /* a half-space */
    RG_SLOT_USED = 8   /* there is a collider */
};

/* A growing list of pairs of slots. */
typedef struct RgPairList {
    RgColliderPair *pairs;
    int32_t count, capacity;
} RgPairList;

enum {
    RG_PAIR_TOUCHES = 1, /* within the margin when last tested */
    RG_PAIR_CERTAIN = 2  /* need not be tested */
};

typedef struct RgNearPairs {
    bool whole;           /* false: the list is to be made from scratch */
    bool tested;          /* the doubtful pairs were tested for answer_margin, but for those of dirty colliders */
    bool swept;           /* so it was for: with the colliders' reach */
    bool copied;          /* the answer is that of the list */
    double margin;        /* m */
    double answer_margin; /* m; asked for last */
    int32_t spare_calls;  /* in a row that asked for much less than margin */
    int64_t work;         /* stale slots since all fat boxes were made anew */
    RgPairList list, other, found, answer;
    RgPairList *parts; /* nparts: found by threads, each for some nodes of the tree */
    int32_t nparts;
    uint8_t *marks, *other_marks; /* of the list: RG_PAIR_... */
    int32_t *doubtful;            /* places in the list */
    int32_t ndoubtful, capacity;  /* of marks and doubtful */
} RgNearPairs;

struct RgSpace {
    RgAllocator allocator;
    RgBoxTree tree;
    RgPairFilter filter;
    int32_t count, capacity;
    int32_t free_slot;     /* -1: none */
    RgCollider *colliders; /* capacity */
    RgFilterTag *tags;     /* capacity */
    uint8_t *state;        /* capacity: RG_SLOT_... */
    int32_t *order;        /* count: slots in the order of their keys */
    int32_t *rank;         /* capacity: place in the order, where ranked */
    int32_t *bins;         /* capacity + 1: for sorting */
    int32_t *stale;        /* capacity */
    int32_t *planes;       /* capacity: slots of the half-spaces */
    RgHalfSpace *halves;   /* capacity, by slot */
    double *reach;         /* capacity, by slot, m: of the last rg_space_sweep */
    RgBounds *boxes;       /* capacity, by slot: scratch of rg_space_move_all */
    uint8_t *verdicts;     /* the same */
    RgCrew *crew;          /* threads that help with many colliders; NULL: none */
    int32_t nstale, ndirty, nplanes;
    bool ranked;
    RgNearPairs near;
};

/* Whether there is a collider with this id. */
static inline bool rg_space_has(const RgSpace *space, RgColliderId collider)
{
    return space != NULL && collider.i > 0 && collider.i <= space->capacity &&
           (space->state[collider.i - 1] & RG_SLOT_USED) != 0;
}

void rg_near_pairs_free(RgNearPairs *near, const RgAllocator *allocator);

/* The half-space z <= 0 of a frame. */
RgHalfSpace rg_half_space(const RgPose *X_WG);

/* Moves the colliders of a list to their poses, those that are marked; none comes twice. Returns how many entries it
   got through: count, or the place of the first that cannot be moved, for which *status is what rg_space_move says. */
int32_t rg_space_move_all(RgSpace *space, const RgColliderId *colliders, const RgPose *X_WG, const bool *moves,
                          int32_t count, RgStatus *status);

/* Nothing is said of a pair of owners any more: masks and groups decide. */
RgStatus rg_space_forget(RgSpace *space, int32_t owner_a, int32_t owner_b);

/* Sets how far a collider can move, m, for rg_space_swept_pairs; 0 until then. */
void rg_space_sweep(RgSpace *space, RgColliderId collider, double reach);

/* The same for a list, in which none comes twice; ids of none are passed over. */
void rg_space_sweep_all(RgSpace *space, const RgColliderId *colliders, const double *reach, int32_t count);

/* As rg_space_pairs, but pairs within margin + the reach of both. */
RgStatus rg_space_swept_pairs(RgSpace *space, double margin, const RgColliderPair **pairs, int32_t *count);

#endif
