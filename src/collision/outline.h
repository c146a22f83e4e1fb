/*
 * outline.h - what of a convex shape lies in the plane of a contact, and where two such outlines overlap.
 *
 *          n ^
 *   B  ______|______         The contact plane is across n, the normal from A to B. The outline of A is the
 *      \     |     /         part of its surface that is highest along n, that of B the part that is lowest,
 *   ----------------- plane  both laid into the plane: a point, a segment, a convex polygon, a disc (cap of a
 *      |   A     |           cylinder) or all of it (half-space). u, v are places in the plane, h heights
 *      |_________|           over it along n.
 *
 * An edge, a cap or a side counts as lying in the plane where its slope against it, dh over the way in the
 * plane, is no more than the one asked for: outlines need not be flat. The height over any place of an
 * outline is that of the shape's own surface there.
 */
#ifndef RIGOR_OUTLINE_H
#define RIGOR_OUTLINE_H

#include "geom/geometry.h"
#include "math/pose.h"

/* Most corners of an outline. Of more every k-th is kept, and reduced says so. */
#define RG_OUTLINE_CORNERS 256

/* Most points of an overlap: every side of one polygon adds at most one corner to the other. */
#define RG_OVERLAP_POINTS (2 * RG_OUTLINE_CORNERS)

/* Places in the plane nearer than this part of the outlines' reach are one place: round-off of coordinates,
   with four digits to spare. */
#define RG_OUTLINE_SAME 1e-12

/* Least slope that can be told from round-off in the normal and the corners. */
#define RG_OUTLINE_LEAST_SLOPE 1e-9

/* The contact plane: unit axes t, s in it and n across it, right-handed. */
typedef struct RgContactFrame {
    RgVec3 origin, t, s, n;
} RgContactFrame;

/* n unit. */
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

/* A corner, and the side that leads from it to the next one. */
typedef struct RgOutlineCorner {
    double u, v, h;
    RgFeature at, side; /* side: NONE where no edge of the shape runs there */
} RgOutlineCorner;

/* A disc c + x X + y Y, x^2 + y^2 <= r^2, X and Y unit and across each other: a near-circle in the plane. */
typedef struct RgOutlineDisc {
    double centre[3], x[3], y[3]; /* u, v, h of c, X, Y */
    double radius;
    bool mirrored;           /* Y is against the shape's own second axis */
    double x_of[2], y_of[2]; /* x = x_of . (u - cu, v - cv), y likewise */
} RgOutlineDisc;

/* All points within r of the segment e + z a, 0 <= z <= length, a unit. */
typedef struct RgRoundBar {
    RgVec3 e, a;
    double length, r;
    bool open; /* the side alone, as long as need be */
} RgRoundBar;

typedef struct RgOutline RgOutline;
struct RgOutline {
    RgOutlineKind kind;
    const RgShape *shape;
    RgContactFrame frame; /* the contact plane in the shape's own axes */
    double side;          /* +1: farthest along n (A), -1: farthest against it (B) */
    double rounding;

    bool curved; /* the surface there is round: its normal is its own at every place */
    bool rim;    /* the point lies on a round edge; its direction: */
    double along[2];
    bool reduced; /* corners were left out */
    bool flat;    /* polygon: one face of the polytope, number face */
    int32_t face; /* polytope: the face most nearly in the plane at the farthest vertex; -1: none */

    /* Triangle of a surface: bit e is set where the surface goes on smoothly beyond edge e. */
    uint32_t inner_edges;

    RgFeature inside, border; /* of discs and planes: their face, their rim */
    RgOutlineDisc disc;
    RgRoundBar bar; /* of a segment that is curved, in the shape's axes */
    int32_t count;
    RgOutlineCorner corner[RG_OUTLINE_CORNERS]; /* polygon: counter-clockwise in u, v */
};

/* Outline of a shape that stands at X_FS in the frame of the question. side: +1 along n, -1 against it. */
void rg_outline_make(const RgShape *shape, const RgPose *X_FS, const RgContactFrame *frame, double side, double slope,
                     RgOutline *out);

/* Height and feature of the shape's surface at a place of the outline; false: the line along n misses it. A
   place outside the outline but over the shape is answered too. */
bool rg_outline_surface(const RgOutline *outline, double u, double v, double *h, RgFeature *feature);

/* Slope of the surface there: dh/du, dh/dv. */
void rg_outline_gradient(const RgOutline *outline, double u, double v, double gradient[2]);

/* The smallest feature of the shape that holds the place, to within same. */
RgFeature rg_outline_locate(const RgOutline *outline, double u, double v, double same);

/* Largest |u|, |v| of the outline; 0 for a plane. */
double rg_outline_reach(const RgOutline *outline);

/* ------------------------------------------------------------------ overlap */

/* A place where contact is: heights and features of A and of B. slot tells apart places with the same
   features. */
typedef struct RgOverlapPoint {
    double u, v;
    double h[2];
    RgFeature feature[2];
    uint32_t slot[2];
} RgOverlapPoint;

typedef struct RgOverlap {
    int32_t count;
    bool reduced; /* an outline was, or there was no room */
    double same;  /* m within which places are one */
    RgOverlapPoint point[RG_OVERLAP_POINTS];
} RgOverlap;

/* Corners of the overlap of two outlines; none for two planes. */
typedef struct RgOverlapRules {
    double parallel; /* sine: segments that turn from each other by no more overlap along their length */
    double same;     /* m: places nearer than this are one, or what round-off makes of one where that is more */
} RgOverlapRules;
void rg_outline_overlap(const RgOutline *a, const RgOutline *b, const RgOverlapRules *rules, RgOverlap *out);

/* For overlaps with a disc (outline_disc.c) and without (outline_overlap.c): o[big] is of the later kind. */
typedef struct RgOverlapCase {
    const RgOutline *o[2];
    int big;
    double parallel;
} RgOverlapCase;
typedef void RgOverlapMaker(const RgOverlapCase *c, RgOverlap *out);
RgOverlapMaker rg_overlap_disc_point, rg_overlap_disc_segment, rg_overlap_disc_polygon, rg_overlap_disc_disc,
    rg_overlap_disc_plane;

/* A new point there, not yet on anything; NULL (and reduced) where there is no room. */
RgOverlapPoint *rg_overlap_push(RgOverlap *overlap, double u, double v);

/* Sets side i of a point: on corner k of the outline, on its side k, or anywhere on its surface (false:
   misses). */
void rg_overlap_on_corner(const RgOutline *o, int32_t k, RgOverlapPoint *p, int i);
void rg_overlap_on_side(const RgOutline *o, int32_t k, RgOverlapPoint *p, int i);
bool rg_overlap_on_surface(const RgOutline *o, RgOverlapPoint *p, int i);

/* The same on the border of a polygon or at an end of a segment where the point is there, else on the
   surface. */
bool rg_overlap_on_nearest(const RgOutline *o, double same, RgOverlapPoint *p, int i);

#endif
