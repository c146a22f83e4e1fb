/*
 * distance.h - signed distance of two convex shapes, in the frame of the first.
 *
 *   d(A, B) = max over unit n of  min_{b in B} n.b - max_{a in A} n.a
 *
 * is the distance if it is positive, and minus the penetration depth (the least translation that separates the shapes)
 * otherwise. A and B are cores grown by balls (RgShapeKind.rounding): d is that of the cores minus the two radii.
 */
#ifndef RIGOR_DISTANCE_H
#define RIGOR_DISTANCE_H

#include "geom/geometry.h"
#include "math/pose.h"

/* Two convex shapes. X_AB: pose of B in A. */
typedef struct RgConvexPair {
    const RgShape *a, *b;
    RgPose X_AB;
} RgConvexPair;

/* Distance of a pair. Points and normal of out are in A's frame; parts are not set. cache may be NULL; its axis is in
   A's frame. Uses the closed form of pair_table.h if there is one, else GJK and EPA. */
typedef RgStatus RgPairDistance(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out);
RgPairDistance rg_convex_distance;

/* The same up to a limit (m; 0: no limit). If the distance exceeds the limit, the result may be any lower bound that
   exceeds it too: the search ends at the first plane that separates the shapes by that much. Nothing else is then set,
   except possibly the normal, and the cache is unchanged. For boxes the features are not set. */
RgStatus rg_convex_distance_within(const RgConvexPair *pair, double limit, RgPairCache *cache, RgDistance *out);

/* The general algorithm for any two bounded convex shapes. The tests compare every closed form with it. */
RgPairDistance rg_convex_distance_gjk;

/* The same pair with its members exchanged, and the result converted back. */
RgConvexPair rg_pair_swap(const RgConvexPair *pair);
void rg_distance_swap(const RgPose *X_AB, RgDistance *out); /* out: from B's frame to A's */

/* Geometries of several convex parts, or with a surface. a must come first in the query order; out and the cache are in
   A's frame. */
RgStatus rg_distance_parts(const RgGeometry *a, const RgGeometry *b, const RgPose *X_AB, RgPairCache *cache,
                           RgDistance *out);

/* Returns true if a comes after b in the order that all queries use, so that swapped arguments give the same bits: by
   type, then sizes, then pose. */
bool rg_placed_after(const RgPlaced *a, const RgPlaced *b);

/* The two keys of that order: < 0 if a comes first, 0 if equal. rg_geometry_order ignores poses; rg_pose_order compares
   the poses of two equal geometries. */
int rg_geometry_order(const RgGeometry *a, const RgGeometry *b);
int rg_pose_order(const RgPose *a, const RgPose *b);

/* Returns true if the pose is finite and the squares of its lengths do not overflow. Every query requires it. */
bool rg_pose_reachable(const RgPose *X);

/* Feature of a shape's core that is farthest along the unit direction n, to within angle (rad): the face perpendicular
   to n, else the edge, else the vertex. */
RgFeature rg_shape_feature(const RgShape *shape, RgVec3 n, double angle);

/* Size of a pair: the larger of the two shapes' largest extents, m. All tolerances are relative to it. */
double rg_pair_size(const RgConvexPair *pair);

#endif
