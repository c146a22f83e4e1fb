/*
 * plane.h - a plane between two shapes, and what it proves on a piece of their paths.
 *
 * A plane has a normal m(s), not always of length one, and clears the shapes by
 *
 *   S(s) = min over B of m.b - max over A of m.a - radii |m|,        distance >= S / |m|
 *
 * On a piece [s0, s1] four numbers e_i are given with S(s) >= floor |m(s)| + sum of e_i B_i(x), B_i the cubic Bernstein
 * polynomials of x = (s - s0)/(s1 - s0).
 */
#ifndef RIGOR_PLANE_H
#define RIGOR_PLANE_H

#include "path/pair_motion.h"

/* fixed: in A or in B. edges: across an edge of A and one of B. */
typedef enum RgPlaneKind { RG_PLANE_FIXED, RG_PLANE_EDGES } RgPlaneKind;

typedef struct RgPlane {
    RgPlaneKind kind;
    bool in_b;               /* fixed: in B's axes, and from B to A */
    RgVec3 n;                /* fixed: unit */
    double offset;           /* fixed: the carrier's points have n.x <= offset */
    RgVec3 along_a, along_b; /* edges: unit, in the axes of their shapes, made longer by 1/|m| of the start */
    RgVec3 point_a, point_b; /* edges: of them */
    double far_a, far_b;     /* m: edges: bound of the cores' distances from those points */
    int32_t vertex_a, vertex_b; /* guesses of farthest vertices */
} RgPlane;

/* Planes at a time. False: there is none (edges nearly in line). n: from the carrier to the other shape. */
RgPlane rg_plane_fixed(const RgPairMotion *m, bool in_b, RgVec3 n);
bool rg_plane_edges(const RgPairMotion *m, const RgPairAt *at, int32_t edge_a, int32_t edge_b, RgPlane *out);

/* S - floor |m| at one time, and how much it falls per second by the points that are nearest there. */
typedef struct RgClearance {
    double above, fall;
} RgClearance;
RgClearance rg_plane_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor);

/* The four numbers of the piece between two times. */
typedef struct RgPiece {
    double e[4];
    double scale; /* bound of |m|: distances are at least floor + e / scale */
} RgPiece;
RgPiece rg_plane_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor);

/* First x in [0, 1] at which the cubic with these Bernstein coefficients may be negative; 1: nowhere. Never too
   late. */
double rg_bernstein_root(const double e[4]);

#endif
