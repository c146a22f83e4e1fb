/*
 * manifold.h - shared by the files of the manifold query: the query, staged contact points, ids.
 */
#ifndef RIGOR_MANIFOLD_H
#define RIGOR_MANIFOLD_H

#include "collision/contact_region.h"
#include "collision/placed_bounds.h"

/* Pairs of features that may be nearest to each other, the most likely first: each is tried, and used only if it proves
   right. axis: initial search direction, world axes, from the first shape to the second; zero: none. */
#define RG_PAIR_GUESSES 4
typedef struct RgPairGuesses {
    int32_t count;
    RgFeature feature[RG_PAIR_GUESSES][2];
    RgVec3 axis;
} RgPairGuesses;

/* a and b are in the order of rg_placed_after. */
typedef struct RgManifoldQuery {
    const RgGeometry *a, *b;
    const RgShape *part[2]; /* the only part of each geometry; NULL: there may be several */
    const RgPose *X_WA;
    RgPose X_AB;
    bool swapped; /* the caller's first geometry is b */
    bool turned;  /* ids name the features of B first */
    RgManifoldOptions options;
    RgPairCache *cache;           /* may be NULL */
    const RgPairGuesses *guesses; /* may be NULL; features of A and B in the order of the query */
    RgVec3 *separating_normal;    /* may be NULL; see RgManifoldAsk */
    RgContactBuffer *out;
    RgStatus status; /* the most severe status of the distance queries */
} RgManifoldQuery;

bool rg_manifold_options_good(const RgManifoldOptions *options);

/* The data of a geometry that every query reads, stored contiguously, because pairs come in no order that suits the
   memory cache. rank: geometries of equal rank are equal, otherwise the lower rank comes first (rg_geometry_order). */
typedef struct RgManifoldGeometry {
    const RgGeometry *geometry;
    int32_t rank;
    bool single;  /* the geometry is one convex part, */
    RgShape part; /* of which this is a copy */
} RgManifoldGeometry;

/* rank is left to the caller. */
RgManifoldGeometry rg_manifold_geometry(const RgGeometry *geometry);

/* Arguments of rg_manifold; the options must be valid. */
typedef struct RgManifoldAsk {
    const RgManifoldGeometry *form[2];
    const RgPose *X_WG[2];
    const RgManifoldOptions *options;
    RgPairCache *cache;           /* may be NULL */
    const RgPairGuesses *guesses; /* of two polytopes; may be NULL */
    /* in: a normal from the first to the second that may separate them, world axes; zero: none. out: one that does. For
       single convex parts; may be NULL */
    RgVec3 *separating_normal;
} RgManifoldAsk;
RgStatus rg_manifold_ask(const RgManifoldAsk *ask, RgContactBuffer *out);

/* A contact point in A's frame. key: of the features on A and on B. */
typedef struct RgStagedPoint {
    RgVec3 point_a;
    double gap;
    RgFeature feature[2];
    uint64_t key[2];
} RgStagedPoint;

/* A 64-bit key of a feature of a part (or another owner); the id of an ordered pair of keys. */
uint64_t rg_contact_key(int32_t owner, RgFeature feature, uint32_t slot);
uint64_t rg_contact_id(uint64_t first, uint64_t second);

/* Appends one manifold to the buffer: transforms it to world axes, sets ids, reduces it. head: part_a, part_b, touch,
   and the normal in A's frame. count is at most RG_OVERLAP_POINTS. */
void rg_manifold_append(RgManifoldQuery *q, const RgManifold *head, const RgStagedPoint *points, int32_t count);

/* Manifold of two convex parts at a known distance, from their outlines (manifold_outlines.c). */
void rg_manifold_outlines(RgManifoldQuery *q, const RgConvexPair *pair, const RgDistance *at, const int32_t part[2]);

/* Manifolds of a part of A with the surface B (manifold_surface.c). at: their distance, at most the margin. */
void rg_manifold_surface(RgManifoldQuery *q, const RgDistance *at);

#endif
