/*
 * contact_memory.h - contacts of the last step: their places and impulses.
 *
 * The memory is part of the state: with it a step depends on the state alone, and a saved state continues bit for bit.
 */
#ifndef RIGOR_CONTACT_MEMORY_H
#define RIGOR_CONTACT_MEMORY_H

#include "math/pose.h"

#include <rigor/sim.h>

/* A pair of shapes at the time its manifolds were computed. */
typedef struct RgRememberedPair {
    int32_t shape_a, shape_b; /* numbers; a < b, in ascending order */
    int32_t first_manifold, nmanifolds;
    int32_t first_point, npoints;
    RgPose X_AB;
    double reach;  /* m: largest distance of a contact point from the origin of B */
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

/* Last reported state of a touching pair of shapes, or of a joint at its limit, for steppers that report events
   (stepper/contact_events.c). */
typedef struct RgReportedContact {
    int32_t shape_a, shape_b; /* as in RgRememberedPair; a = 0: slot of a limit in b; in ascending order */
    uint64_t motion;          /* code of the motion, defined by the reporting stepper */
    RgVec3 point, normal;     /* at the last report */
} RgReportedContact;

typedef struct RgContactMemory {
    RgRememberedPair *pairs;
    RgRememberedManifold *manifolds;
    RgRememberedPoint *points;
    int32_t npairs, nmanifolds, npoints;
    double *rows; /* impulses of rows other than contacts, by slot; 0: the row did not exist */
    int32_t nrows;
    RgReportedContact *told;
    int32_t nreported;
    int32_t pair_room, manifold_room, point_room, row_room, reported_room;
    double h;       /* s: length of the step of these impulses; 0: none */
    uint32_t draws; /* number of random numbers drawn by solvers so far */
    uint64_t stamp; /* memories with the same stamp differ only in impulses and moments; 0: unknown */
} RgContactMemory;

void rg_contact_memory_free(RgContactMemory *memory, const RgAllocator *allocator);

/* Number of pairs that precede two shapes, in the order of their numbers. */
int32_t rg_contact_memory_before(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b);

/* Finds a pair of shapes from position *at on, and advances *at to it; NULL: not found. Pairs must be requested in
   ascending order. */
const RgRememberedPair *rg_contact_memory_seek(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b,
                                               int32_t *at);

/* The point of a pair of shapes with that id; NULL: not found. */
const RgRememberedPoint *rg_contact_memory_point(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b,
                                                 uint64_t id);

/* Sets the impulse of such a point, if found, to zero. */
void rg_contact_memory_clear_impulse(RgContactMemory *memory, int32_t shape_a, int32_t shape_b, uint64_t id);

/* Appends the remembered contacts of a pair, moved along with the shapes, if these hardly moved against each other
   since then, relative to the size (m) of the smaller one; otherwise returns false. There must be room. */
bool rg_contact_memory_recall(const RgContactMemory *memory, const RgRememberedPair *pair, const RgPose *X_WA,
                              const RgPose *X_WB, double size, RgContactBuffer *out);

/* Number of entries of each kind. */
typedef struct RgContactCounts {
    int32_t pairs, manifolds, points, rows, told;
} RgContactCounts;

/* Makes room for these numbers; false: out of memory. */
bool rg_contact_memory_reserve(RgContactMemory *memory, const RgAllocator *allocator, RgContactCounts counts);

/* Makes as much room as another memory has, so that two that alternate grow in the same step. False: out of memory. */
bool rg_contact_memory_match(RgContactMemory *memory, const RgAllocator *allocator, const RgContactMemory *other);

/* Removes all entries. */
void rg_contact_memory_clear(RgContactMemory *memory);

/* Writes a pair from *at on and advances *at: memorise, with the contacts of the view at the given poses;
   memorise_again, as it was remembered. impulses: one per point of the view; NULL: those remembered, scaled to the step
   length of the memory. There must be room; the caller sets the number of entries. */
void rg_contact_memory_store(RgContactMemory *memory, RgContactCounts *at, const RgContactView *contacts,
                             const RgShapeContacts *pair, const RgPose X[2], const RgVec3 *impulses);
void rg_contact_memory_copy(RgContactMemory *memory, RgContactCounts *at, const RgContactMemory *last,
                            const RgRememberedPair *old, const RgVec3 *impulses);

#endif
