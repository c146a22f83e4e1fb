/*
 * distance.h - signed distance of two convex shapes, all in the frame of the first.
 *
 *   d(A, B) = max over unit n of  min_{b in B} n.b - max_{a in A} n.a
 *
 * is the distance where it is positive, and minus the depth of penetration (the least translation that parts
 * them) where it is not. A and B are cores grown by balls (RgShapeKind.rounding): d is that of the cores less
 * the two radii.
 */
#ifndef RIGOR_DISTANCE_H
#define RIGOR_DISTANCE_H

#include "geom/geometry.h"
#include "math/pose.h"

/* Two convex shapes. X_AB: where B stands in A. */
typedef struct RgConvexPair {
    const RgShape *a, *b;
    RgPose X_AB;
} RgConvexPair;

/* Distance of a pair; points and normal of out in A's frame, parts left alone. cache may be NULL; its axis is
   in A's frame. Uses the closed form of pair_table.h where there is one, else GJK and EPA. */
typedef RgStatus RgPairDistance(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out);
RgPairDistance rg_convex_distance;

/* The same up to limit (m; 0: none). A distance above it may come out as any lower bound that is above it too, with
   nothing else set (but perhaps the normal of the plane, else zero or left alone) and the cache as it was: the search
   ends at the first plane that parts the shapes by so much. Of boxes the features are not set. */
RgStatus rg_convex_distance_within(const RgConvexPair *pair, double limit, RgPairCache *cache, RgDistance *out);

/* The general way, for any two bounded convex shapes. Also the twin of every closed form in the tests. */
RgPairDistance rg_convex_distance_gjk;

/* The same pair with its members changed, and the answer turned back. */
RgConvexPair rg_pair_swap(const RgConvexPair *pair);
void rg_distance_swap(const RgPose *X_AB, RgDistance *out); /* out in B's frame becomes out in A's */

/* Geometries of several convex parts, or with a surface, the first of them in the order of queries; out and
   the cache in A's frame. */
RgStatus rg_distance_parts(const RgGeometry *a, const RgGeometry *b, const RgPose *X_AB, RgPairCache *cache,
                           RgDistance *out);

/* Whether a placed geometry comes second in the order that all queries use, so that swapped arguments give
   the same bits: by type, then sizes, then pose. */
bool rg_placed_after(const RgPlaced *a, const RgPlaced *b);

/* That order: below 0, a comes first; 0, they are the same. Of geometries wherever they stand, and of the poses of
   two that are the same. */
int rg_geometry_order(const RgGeometry *a, const RgGeometry *b);
int rg_pose_order(const RgPose *a, const RgPose *b);

/* Finite, and near enough that squares of its lengths are: what every query asks of its poses. */
bool rg_pose_reachable(const RgPose *X);

/* Feature of a shape's core whose points are farthest along the unit direction n, to within angle (rad): the
   face across n, else the edge, else the vertex. */
RgFeature rg_shape_feature(const RgShape *shape, RgVec3 n, double angle);

/* Size of a pair: the larger of the two shapes' greatest extents, m. The unit of every tolerance. */
double rg_pair_size(const RgConvexPair *pair);

#endif
