/*
 * convex_oracle.h - signed distance of two convex shapes, judged by other means than the library's: long
 * double, every direction that can matter tried one by one.
 *
 *   d(A, B) = max over unit n of  sep(n),   sep(n) = min_{b in B} n.b - max_{a in A} n.a
 *
 * Every sep(n) is a proven lower bound of d. Which directions n have to be tried:
 *
 *   polytopes, boxes, spheres and capsules (as points and segments grown by a ball): the maximum is reached
 *     at a face normal, at the cross product of two edges, along a line from vertex to vertex, or at right
 *     angles from an edge to a vertex. All of them are tried: the result is exact to round-off.
 *   half-spaces: its normal.
 *   cylinders and ellipsoids, apart: the given witness points and normal are a proof. sep(normal) bounds d
 *     from below, the distance of the witness points, and how far each lies outside its shape, from above.
 *   cylinders and ellipsoids, overlapping: -d = min h(n), h = -sep. Its smallest value is at a face normal,
 *     at a cross product, on a circle at right angles to an edge or axis (searched by tangents, with a
 *     bound on what is missed) or where h is smooth (Newton's method on the sphere, from many starts).
 *
 * Cost: microseconds for simple shapes, milliseconds for two polytopes of 40 vertices.
 */
#ifndef TEST_SUPPORT_CONVEX_ORACLE_H
#define TEST_SUPPORT_CONVEX_ORACLE_H

#include "draw.h"

#include <rigor/collision.h>

/* A convex shape with a pose of its own. */
typedef struct OracleShape OracleShape;

/* sphere, box, capsule, cylinder, ellipsoid, half-space, polytope. The hull of a polytope of at most 64
   points is found by trying all triples of points. For more, view gives faces and edges: they are checked
   against all points. NULL: no such kind, or a view that is no hull. */
OracleShape *oracle_create(const RgShapeDef *def, const RgPolytopeView *view);
void oracle_destroy(OracleShape *shape);
void oracle_move(OracleShape *shape, const RgPose *X_WS);

/* Longest side of the box round the shape, along its axes, m; 0 for a half-space. */
double oracle_extent(const OracleShape *shape);
RgShapeType oracle_type(const OracleShape *shape);

/* Whether the distance of the pair needs no given result: neither is a cylinder or an ellipsoid, or one is a
   half-space. */
bool oracle_is_exact(const OracleShape *a, const OracleShape *b);
double oracle_distance(const OracleShape *a, const OracleShape *b); /* exact pairs only */

/* How far apart the planes with unit normal n are that touch A and B. */
double oracle_separation(const OracleShape *a, const OracleShape *b, RgVec3 n);

/* How far a point lies outside the shape (0: in it), never less than the truth. */
double oracle_outside(const OracleShape *shape, RgVec3 point);

/* The least and the greatest distance that the pair can have. */
typedef struct OracleBounds {
    double lower, upper;
} OracleBounds;
OracleBounds oracle_bounds(const OracleShape *a, const OracleShape *b, const RgDistance *given);

/* What the given witness points and normal prove by themselves; any kinds but half-spaces, where the shapes
   without their balls are apart. */
OracleBounds oracle_proof(const OracleShape *a, const OracleShape *b, const RgDistance *given);

/* A point of the surface in the shape's frame, with a unit normal there and a unit vector along the edge,
   axis or face that it lies on. rank: 0 vertex, 1 edge, 2 face, where the kind has them. */
typedef struct OracleSpot {
    RgVec3 point, normal, tangent;
} OracleSpot;
OracleSpot oracle_spot(const OracleShape *shape, int rank, Draw *d);

#endif
