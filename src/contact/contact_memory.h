/*
 * contact_memory.h - contacts of the last step: where they were found, and what impulses they carried.
 *
 * It is part of the state: with it a step depends on the state alone, and a saved state goes on with the same
 * bits.
 */
#ifndef RIGOR_CONTACT_MEMORY_H
#define RIGOR_CONTACT_MEMORY_H

#include "math/pose.h"

#include <rigor/sim.h>

/* A pair of shapes, as it stood when its manifolds were made. */
typedef struct RgRememberedPair {
    int32_t shape_a, shape_b; /* numbers; a < b, in ascending order */
    int32_t first_manifold, nmanifolds;
    int32_t first_point, npoints;
    RgPose X_AB;
    double reach;  /* m, of the farthest contact point from the origin of B */
    RgVec3 moment; /* on B, N m s, world axes: torsional and rolling friction */
} RgRememberedPair;

typedef struct RgRememberedManifold {
    RgVec3 normal_A;
    RgTouch touch;
    int32_t part_a, part_b;
    int32_t first, count;
} RgRememberedManifold;

typedef struct RgRememberedPoint {
    RgVec3 point_A, point_B; /* on A in the frame of A, on B in that of B */
    uint64_t id;
    RgFeature feature_a, feature_b;
    RgVec3 impulse; /* on B, N s, world axes */
} RgRememberedPoint;

/* What was last told of a pair of shapes that touches, or of a joint at its limit, by steppers that tell events
   (stepper/contact_events.c). */
typedef struct RgTold {
    int32_t shape_a, shape_b; /* as of pairs; a = 0: slot of a limit in b; in ascending order */
    uint64_t motion;          /* that teller's word for how it moved */
    RgVec3 point, normal;     /* as last seen */
} RgTold;

typedef struct RgContactMemory {
    RgRememberedPair *pairs;
    RgRememberedManifold *manifolds;
    RgRememberedPoint *points;
    int32_t npairs, nmanifolds, npoints;
    double *rows; /* impulses of rows beside the contacts, by slot; 0: the row was not there */
    int32_t nrows;
    RgTold *told;
    int32_t ntold;
    int32_t pair_room, manifold_room, point_room, row_room, told_room;
    double h;       /* s, of the step whose impulses they are; 0: none */
    uint32_t draws; /* random numbers that solvers have taken so far */
    uint64_t stamp; /* memories of the same stamp differ in impulses and moments alone; 0: nobody knows */
} RgContactMemory;

void rg_contact_memory_free(RgContactMemory *memory, const RgAllocator *allocator);

/* How many of the pairs come before two shapes, in the order of their numbers. */
int32_t rg_contact_memory_before(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b);

/* The pair of shapes, from position *at on, which is moved up to it; NULL: not there. Pairs are asked in
   ascending order. */
const RgRememberedPair *rg_contact_memory_seek(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b,
                                               int32_t *at);

/* The point of a pair of shapes with that number; NULL: not there. */
const RgRememberedPoint *rg_contact_memory_point(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b,
                                                 uint64_t id);

/* Such a point, if it is there, has carried nothing. */
void rg_contact_memory_unload(RgContactMemory *memory, int32_t shape_a, int32_t shape_b, uint64_t id);

/* Appends the remembered contacts of a pair, moved along with the shapes, where these have hardly moved
   against each other since, measured by the size (m) of the smaller one; false: they have. There must be room. */
bool rg_contact_recall(const RgContactMemory *memory, const RgRememberedPair *pair, const RgPose *X_WA,
                       const RgPose *X_WB, double size, RgContactBuffer *out);

/* How many of each. */
typedef struct RgContactCounts {
    int32_t pairs, manifolds, points, rows, told;
} RgContactCounts;

/* Room for so many; false: no memory. */
bool rg_contact_memory_reserve(RgContactMemory *memory, const RgAllocator *allocator, RgContactCounts counts);

/* As much room as another has: two that take turns then grow in the same step. False: no memory. */
bool rg_contact_memory_match(RgContactMemory *memory, const RgAllocator *allocator, const RgContactMemory *other);

/* Forgets all. */
void rg_contact_memory_clear(RgContactMemory *memory);

/* Writes a pair with the contacts of the view at the given poses, or as it was remembered, from *at on, which is moved
   behind it. impulses: beside the view's points; NULL: those remembered, for a step of the length that the memory now
   has. There must be room; how much of it is used is the caller's to say. */
void rg_contact_memorise(RgContactMemory *memory, RgContactCounts *at, const RgContactView *contacts,
                         const RgShapeContacts *pair, const RgPose X[2], const RgVec3 *impulses);
void rg_contact_memorise_again(RgContactMemory *memory, RgContactCounts *at, const RgContactMemory *last,
                               const RgRememberedPair *old, const RgVec3 *impulses);

#endif
