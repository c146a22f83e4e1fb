/*
 * manifold.h - what the files of the manifold query share: the question, contacts that wait to be written,
 * ids.
 */
#ifndef RIGOR_MANIFOLD_H
#define RIGOR_MANIFOLD_H

#include "collision/contact_region.h"
#include "collision/placed_bounds.h"

/* Features that may be nearest to each other, the likeliest first: each is tried, and proven before it counts. axis: a
   direction in which a search may begin, world axes, from the first to the second; zero: none is known. */
#define RG_PAIR_GUESSES 4
typedef struct RgPairGuesses {
    int32_t count;
    RgFeature feature[RG_PAIR_GUESSES][2];
    RgVec3 axis;
} RgPairGuesses;

/* Geometries in the order of rg_placed_after. */
typedef struct RgManifoldQuery {
    const RgGeometry *a, *b;
    const RgShape *part[2]; /* the only ones of both; NULL: there may be several */
    const RgPose *X_WA;
    RgPose X_AB;
    bool swapped; /* the caller's first is B */
    bool turned;  /* ids name the features of B first */
    RgManifoldOptions options;
    RgPairCache *cache;           /* may be NULL */
    const RgPairGuesses *guesses; /* the same; features of A and B in the order of the query */
    RgVec3 *parting;              /* the same; as RgManifoldAsk has it */
    RgContactBuffer *out;
    RgStatus status; /* the worst of the distances */
} RgManifoldQuery;

bool rg_manifold_options_good(const RgManifoldOptions *options);

/* What of a geometry is asked again and again, in one place: pairs come in no order that memory could follow. rank: two
   of the same rank are the same geometry, else the lower one comes first (rg_geometry_order). */
typedef struct RgManifoldForm {
    const RgGeometry *geometry;
    int32_t rank;
    bool single;  /* one convex part, */
    RgShape part; /* and a copy of that */
} RgManifoldForm;

/* rank: left to the caller. */
RgManifoldForm rg_manifold_form(const RgGeometry *geometry);

/* A question of rg_manifold whose options are known to be good. */
typedef struct RgManifoldAsk {
    const RgManifoldForm *form[2];
    const RgPose *X_WG[2];
    const RgManifoldOptions *options;
    RgPairCache *cache;           /* may be NULL */
    const RgPairGuesses *guesses; /* of two polytopes: may be NULL */
    /* a normal from the first to the second that may part them, world axes, zero: none; becomes one that does. Of
       single convex parts; may be NULL */
    RgVec3 *parting;
} RgManifoldAsk;
RgStatus rg_manifold_ask(const RgManifoldAsk *ask, RgContactBuffer *out);

/* A point in A's frame. key: of the features on A and on B. */
typedef struct RgStagedPoint {
    RgVec3 point_a;
    double gap;
    RgFeature feature[2];
    uint64_t key[2];
} RgStagedPoint;

/* 64 bits of a feature of part (or whatever owns it); of a pair of features in their order. */
uint64_t rg_contact_key(int32_t owner, RgFeature feature, uint32_t slot);
uint64_t rg_contact_id(uint64_t first, uint64_t second);

/* Appends one manifold to the buffer: world axes, ids, reduction. head: part_a, part_b, touch, and the normal
   in A's frame. count at most RG_OVERLAP_POINTS. */
void rg_manifold_append(RgManifoldQuery *q, const RgManifold *head, const RgStagedPoint *points, int32_t count);

/* The manifold of two convex parts whose distance is known, by their outlines (manifold_outlines.c). */
void rg_manifold_outlines(RgManifoldQuery *q, const RgConvexPair *pair, const RgDistance *at, const int32_t part[2]);

/* Manifolds of a part of A with the surface B (manifold_surface.c). at: their distance, within the margin. */
void rg_manifold_surface(RgManifoldQuery *q, const RgDistance *at);

#endif
