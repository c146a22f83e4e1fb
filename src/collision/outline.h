/*
 * outline.h - the part of a convex shape that lies in the contact plane, and the overlap of two such outlines.
 *
 *          n ^
 *   B  ______|______         The contact plane is normal to n, the normal from A to B. The outline of A is the
 *      \     |     /         part of its surface that is highest along n, that of B the part that is lowest,
 *   ----------------- plane  both projected onto it: a point, a segment, a convex polygon, a disc (cap of a
 *      |   A     |           cylinder) or all of it (half-space). u, v are coordinates in the plane, h the
 *      |_________|           height over it along n.
 *
 * An edge, a cap or a side counts as lying in the plane if its slope (change of h per distance in the plane) is at most
 * the slope given: outlines need not be flat. The height at a point of an outline is that of the shape's own surface.
 */
#ifndef RIGOR_OUTLINE_H
#define RIGOR_OUTLINE_H

#include "geom/geometry.h"
#include "math/pose.h"

/* Largest number of corners of an outline. If there are more, every k-th is kept and `reduced` is set. */
#define RG_OUTLINE_CORNERS 256

/* Largest number of points of an overlap: every side of one polygon adds at most one corner to the other. */
#define RG_OVERLAP_POINTS (2 * RG_OUTLINE_CORNERS)

/* Fraction of the outlines' reach within which two points of the plane coincide: round-off of coordinates, with a
   margin of four digits. */
#define RG_OUTLINE_SAME 1e-12

/* Smallest slope that exceeds the round-off of the normal and the corners. */
#define RG_OUTLINE_LEAST_SLOPE 1e-9

/* The contact plane: unit axes t, s in it and n normal to it, right-handed. */
typedef struct RgContactFrame {
    RgVec3 origin, t, s, n;
} RgContactFrame;

/* n must be unit. */
RgContactFrame rg_contact_frame(RgVec3 origin, RgVec3 n);
RgVec3 rg_contact_frame_point(const RgContactFrame *frame, double u, double v, double h);

typedef enum RgOutlineKind {
    RG_OUTLINE_POINT,
    RG_OUTLINE_SEGMENT,
    RG_OUTLINE_POLYGON,
    RG_OUTLINE_DISC,
    RG_OUTLINE_PLANE,
    RG_OUTLINE_COUNT
} RgOutlineKind;

/* A corner, and the side from it to the next one. */
typedef struct RgOutlineCorner {
    double u, v, h;
    RgFeature at, side; /* side: NONE if no edge of the shape runs there */
} RgOutlineCorner;

/* A disc c + x X + y Y, x^2 + y^2 <= r^2, X and Y unit and perpendicular: projected, nearly a circle in the plane. */
typedef struct RgOutlineDisc {
    double centre[3], x[3], y[3]; /* u, v, h of c, X, Y */
    double radius;
    bool mirrored;           /* Y is opposite to the shape's own second axis */
    double x_of[2], y_of[2]; /* x = x_of . (u - cu, v - cv), y likewise */
} RgOutlineDisc;

/* All points within r of the segment e + z a, 0 <= z <= length, a unit. */
typedef struct RgRoundBar {
    RgVec3 e, a;
    double length, r;
    bool open; /* the side only, without ends */
} RgRoundBar;

typedef struct RgOutline RgOutline;
struct RgOutline {
    RgOutlineKind kind;
    const RgShape *shape;
    RgContactFrame frame; /* the contact plane in the shape's own axes */
    double side;          /* +1: farthest along n (A), -1: farthest along -n (B) */
    double rounding;

    bool curved; /* the surface there is curved: its normal varies from point to point */
    bool rim;    /* the point lies on a curved edge with the following direction */
    double along[2];
    bool reduced; /* corners were left out */
    bool flat;    /* polygon: exactly one face of the polytope, `face` */
    int32_t face; /* polytope: the face at the farthest vertex that is most nearly parallel to the plane; -1: none */

    /* Triangle of a surface: bit e is set if the surface continues smoothly beyond edge e. */
    uint32_t inner_edges;

    RgFeature inside, border; /* features of discs and planes: interior and rim */
    RgOutlineDisc disc;
    RgRoundBar bar; /* curved segment: its shape, in the shape's axes */
    int32_t count;
    RgOutlineCorner corner[RG_OUTLINE_CORNERS]; /* polygon: counter-clockwise in u, v */
};

/* Outline of a shape with the pose X_FS in the frame of the query. side: +1 along n, -1 along -n. */
void rg_outline_make(const RgShape *shape, const RgPose *X_FS, const RgContactFrame *frame, double side, double slope,
                     RgOutline *out);

/* Height and feature of the shape's surface at a point of the outline. Returns false if the line along n misses the
   surface. Points outside the outline but over the shape are valid too. */
bool rg_outline_surface(const RgOutline *outline, double u, double v, double *h, RgFeature *feature);

/* Slope of the surface at a point: dh/du, dh/dv. */
void rg_outline_gradient(const RgOutline *outline, double u, double v, double gradient[2]);

/* The lowest-dimensional feature of the shape that contains the point, to within `same` (m). */
RgFeature rg_outline_locate(const RgOutline *outline, double u, double v, double same);

/* Largest |u|, |v| of the outline, m; 0 for a plane. */
double rg_outline_reach(const RgOutline *outline);

/* ------------------------------------------------------------------ overlap */

/* A point of contact: heights and features of A and of B. slot distinguishes points with the same features. */
typedef struct RgOverlapPoint {
    double u, v;
    double h[2];
    RgFeature feature[2];
    uint32_t slot[2];
} RgOverlapPoint;

typedef struct RgOverlap {
    int32_t count;
    bool reduced; /* an outline was reduced, or there was no room */
    double same;  /* m: points closer than this coincide */
    RgOverlapPoint point[RG_OVERLAP_POINTS];
} RgOverlap;

/* Corners of the overlap of two outlines; none for two planes. */
typedef struct RgOverlapRules {
    double parallel; /* sine: segments at a smaller angle to each other overlap along their length */
    /* m: points closer than this coincide; raised to the round-off of the coordinates if that is larger */
    double same;
} RgOverlapRules;
void rg_outline_overlap(const RgOutline *a, const RgOutline *b, const RgOverlapRules *rules, RgOverlap *out);

/* Overlaps with a disc (outline_disc.c) and without (outline_overlap.c): o[big] is of the later kind of
   RgOutlineKind. */
typedef struct RgOverlapCase {
    const RgOutline *o[2];
    int big;
    double parallel;
} RgOverlapCase;
typedef void RgOverlapMaker(const RgOverlapCase *c, RgOverlap *out);
RgOverlapMaker rg_overlap_disc_point, rg_overlap_disc_segment, rg_overlap_disc_polygon, rg_overlap_disc_disc,
    rg_overlap_disc_plane;

/* Appends a point without features. Returns NULL, and sets reduced, if there is no room. */
RgOverlapPoint *rg_overlap_push(RgOverlap *overlap, double u, double v);

/* Sets side i of a point: on corner k of the outline, on its side k, or anywhere on its surface (returns false if the
   line along n misses it). */
void rg_overlap_on_corner(const RgOutline *o, int32_t k, RgOverlapPoint *p, int i);
void rg_overlap_on_side(const RgOutline *o, int32_t k, RgOverlapPoint *p, int i);
bool rg_overlap_on_surface(const RgOutline *o, RgOverlapPoint *p, int i);

/* The same on the border of a polygon or at an end of a segment if the point lies there (to within same), otherwise on
   the surface. */
bool rg_overlap_on_nearest(const RgOutline *o, double same, RgOverlapPoint *p, int i);

#endif
