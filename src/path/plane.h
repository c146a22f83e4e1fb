/*
 * plane.h - a plane between two shapes, and what it proves on a piece of their paths.
 *
 * A plane has a normal m(s), not always of length one, and clears the shapes by
 *
 *   S(s) = min over B of m.b - max over A of m.a - radii |m|,        distance >= S / |m|
 *
 * On a piece [s0, s1] four numbers e_i are given such that S >= floor |m| wherever sum of e_i B_i(x) >= 0, B_i the
 * cubic Bernstein polynomials of x = (s - s0)/(s1 - s0).
 */
#ifndef RIGOR_PLANE_H
#define RIGOR_PLANE_H

#include "path/pair_motion.h"

/* fixed: in A or in B. edges: across an edge of A and one of B. round: across the line from a vertex or an edge of the
   one to a point of the other, where there are radii. */
typedef enum RgPlaneKind { RG_PLANE_FIXED, RG_PLANE_EDGES, RG_PLANE_ROUND } RgPlaneKind;

typedef struct RgPlane {
    RgPlaneKind kind;
    bool in_b;     /* fixed, round: carried by B, as _a below, and seen from it */
    RgVec3 n;      /* fixed: unit, from the carrier to the other */
    double offset; /* fixed: the carrier's points have n.x <= offset */
    RgVec3 along_a,
        along_b; /* edges: unit, but along_a longer by 1/|m| of the start; round: unit, or zero for a vertex */
    RgVec3 point_a, point_b;    /* on them, in their shapes' axes */
    double far_a, far_b;        /* m: bounds of the cores' distances from those points */
    int32_t vertex_a, vertex_b; /* guesses of farthest vertices */
} RgPlane;

/* Planes at a time. False: there is none (edges nearly in line, no radii). */
RgPlane rg_plane_fixed(const RgPairMotion *m, bool in_b, RgVec3 n);
bool rg_plane_edges(const RgPairMotion *m, const RgPairAt *at, int32_t edge_a, int32_t edge_b, RgPlane *out);
bool rg_plane_round(const RgPairMotion *m, bool in_b, RgFeature carrier, int32_t vertex, RgPlane *out);

/* How far above the floor the shapes are at one time (about, m), and how much that falls per second. */
typedef struct RgClearance {
    double above, fall;
} RgClearance;
RgClearance rg_plane_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor);

/* The four numbers of the piece between two times. */
typedef struct RgPiece {
    double e[4];
    double scale; /* distances are at least floor + (least of e) / scale where that is not negative */
} RgPiece;
RgPiece rg_plane_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor);

/* First x in [0, 1] at which the cubic with these Bernstein coefficients may be negative; 1: nowhere. Never too
   late. */
double rg_bernstein_root(const double e[4]);

#endif
