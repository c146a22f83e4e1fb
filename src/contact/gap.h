/*
 * gap.h - the gap at one contact point as a function of the poses of its two bodies.
 *
 * A contact point is a pair of features: a vertex over a face, two crossing edges, the centre of a round shape over a
 * face, an edge or a vertex. The gap of each pair has a closed form that stays valid while the bodies move.
 */
#ifndef RIGOR_GAP_H
#define RIGOR_GAP_H

#include "contact/contact_scene.h"

typedef enum RgGapKind {
    RG_GAP_PLANE_POINT, /* plane of A, point of B */
    RG_GAP_POINT_PLANE, /* point of A, plane of B */
    RG_GAP_LINES,       /* two edges */
    RG_GAP_POINTS,      /* round shapes: two centres, or a centre and a vertex */
    RG_GAP_LINE_POINT,  /* edge of A, centre of B */
    RG_GAP_POINT_LINE,
    RG_GAP_PLANE_ROUND, /* plane of A, ellipsoid of B; a flat ellipsoid is the rim of a cylinder */
    RG_GAP_ROUND_PLANE
} RgGapKind;

typedef struct RgGap {
    RgGapKind kind;
    int32_t shape_a, shape_b; /* numbers, from 0 */
    int32_t body_a, body_b;   /* -1: the world */
    uint64_t id;              /* of the contact point */
    RgVec3 place_a, place_b;  /* in the body's frame (world: world axes): the point, or a point of the plane or line */
    RgVec3 along_a, along_b;  /* in the body's frame: normal of the plane (from A to B), direction of the line; unit */
    double side;              /* lines: sign for which side (along_a x along_b) points from A to B */
    double radius;            /* m: sum of both radii, subtracted from the distance */
    double radius_a;          /* m: radius of A */
    RgSym3 round;             /* ellipsoid: matrix of squared half axes, in the body's frame; its centre is the place */
} RgGap;

typedef struct RgGapAt {
    double value;                    /* m */
    RgVec3 point_a, point_b, normal; /* world; on the surfaces, opposite each other along the normal from A to B */
} RgGapAt;

/* X_WA, X_WB: poses of the bodies' frames; identity for the world. */
RgGapAt rg_gap_at(const RgGap *gap, const RgPose *X_WA, const RgPose *X_WB);

/* d value / dt; V: twists of the bodies' frames at their origins, world axes. */
double rg_gap_rate(const RgGap *gap, const RgPose *X_WA, const RgMotion *V_A, const RgPose *X_WB, const RgMotion *V_B);

#endif
