/*
 * plane.h - a plane between two shapes, and the distance it proves on an interval of their paths.
 *
 * A plane has a normal m(s), not necessarily of unit length, and separates the shapes by
 *
 *   S(s) = min over B of m.b - max over A of m.a - radii |m|,        distance >= S / |m|
 *
 * For an interval [s0, s1] (a piece) it gives four numbers e_i such that S >= floor |m| wherever sum e_i B_i(x) >= 0,
 * with the cubic Bernstein polynomials B_i of x = (s - s0)/(s1 - s0).
 */
#ifndef RIGOR_PLANE_H
#define RIGOR_PLANE_H

#include "path/pair_motion.h"

/* fixed: in A or in B. edges: parallel to an edge of A and one of B. round: perpendicular to the line from a vertex or
   an edge of one to a vertex of the other, for shapes with radii. */
typedef enum RgPlaneKind { RG_PLANE_FIXED, RG_PLANE_EDGES, RG_PLANE_ROUND } RgPlaneKind;

typedef struct RgPlane {
    RgPlaneKind kind;
    bool in_b;     /* fixed, round: B is the carrier; then _a below refers to B, and _b to A */
    RgVec3 n;      /* fixed: unit, from the carrier to the other */
    double offset; /* fixed: the carrier's points have n.x <= offset */
    /* Directions. edges: along_b is a unit vector, along_a has the length for which |m| = 1 at the start. round:
       along_a is a unit vector, or zero for a vertex. */
    RgVec3 along_a, along_b;
    RgVec3 point_a, point_b;    /* points on the edges or vertices, in their shapes' axes */
    double far_a, far_b;        /* m: bounds of the distances of the cores' points from these points */
    int32_t vertex_a, vertex_b; /* starting vertices of searches for farthest points; -1: none */
} RgPlane;

/* Planes at one time. False: there is none (edges nearly parallel, no radii). */
RgPlane rg_plane_fixed(const RgPairMotion *m, bool in_b, RgVec3 n);
bool rg_plane_edges(const RgPairMotion *m, const RgPairAt *at, int32_t edge_a, int32_t edge_b, RgPlane *out);
bool rg_plane_round(const RgPairMotion *m, bool in_b, RgFeature carrier, int32_t vertex, RgPlane *out);

/* Distance of the shapes above the floor at one time (estimate, m), and the rate at which it decreases, m/s. */
typedef struct RgClearance {
    double above, fall;
} RgClearance;
RgClearance rg_plane_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor);

/* The four numbers of the interval between two times. */
typedef struct RgPiece {
    double e[4];
    double scale; /* the distance is at least floor + (least of e) / scale if that is not negative */
} RgPiece;
RgPiece rg_plane_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor);

/* Lower bound of the first x in [0, 1] at which the cubic with these Bernstein coefficients is negative; 1: none. */
double rg_bernstein_root(const double e[4]);

#endif
