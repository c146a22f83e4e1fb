/*
 * triangle_contact.h - the normals along which a convex shape can touch one triangle of a surface.
 */
#ifndef RIGOR_TRIANGLE_CONTACT_H
#define RIGOR_TRIANGLE_CONTACT_H

#include "collision/distance.h"

/* A triangle as a convex shape, facing the other shape. Contains pointers into itself: must not be copied. */
typedef struct RgPlate {
    int32_t number;       /* index of the triangle in the surface */
    bool back;            /* seen from behind: `triangle` is turned over */
    RgTriangle triangle;  /* across[i] of an open edge: in the plane, pointing away from the triangle */
    uint32_t inner_edges; /* bit e: flat or concave beyond edge e, so that the edge cannot be touched */
    RgVec3 normal[2];
    double offset[2];
    RgPolytope polytope;
    RgShape shape;
} RgPlate;

void rg_plate_make(const RgSurface *surface, int32_t number, bool back, RgPlate *out);

/* Converts a feature of a plate to one of the triangle in its original orientation. */
RgFeature rg_plate_feature(const RgPlate *plate, RgFeature feature);

/* Returns true if the line along the plate's normal through x (in the surface's frame) intersects it, to within
   same. */
bool rg_plate_contains(const RgPlate *plate, RgVec3 x, double same);

/* A convex shape near a surface. */
typedef struct RgSurfaceQuery {
    const RgSurface *surface;
    const RgShape *shape;
    RgPose X_AB;     /* pose of the surface in the frame of the shape */
    RgBounds bounds; /* of the shape */
    double size;     /* m, of the shape */
    double margin;
} RgSurfaceQuery;

/* Makes the plate of a triangle, facing the shape, and the shape's least (height[0]) and greatest (height[1]) height
   over its plane. Returns false if the shape is in front of the plane by more than the margin. */
bool rg_plate_face(const RgSurfaceQuery *q, int32_t number, RgPlate *plate, double height[2]);

/* Returns true if the surface can be touched along n' (unit, away from it, in its frame) at a feature of the plate. */
bool rg_plate_allows(const RgSurface *surface, const RgPlate *plate, RgFeature feature, RgVec3 n);

/* The contact along n', whose witness is the lowest point of the shape; p: a point of the feature. Features are not
   set. */
void rg_plate_contact_along(const RgSurfaceQuery *q, RgVec3 n, RgVec3 p, RgDistance *at);

/* Exit: the least translation off the line of edge i, or off corner i, that the surface allows. Returns false if there
   is none, or the feature is not near. */
bool rg_plate_edge_exit(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgDistance *at);
bool rg_plate_corner_exit(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgDistance *at);

/* Overlap test of the shape and the plate without the depth; UNCLEAR: undecided. */
typedef enum RgPlateOverlap { RG_PLATE_UNDECIDED, RG_PLATE_APART, RG_PLATE_OVERLAPS } RgPlateOverlap;
RgPlateOverlap rg_plate_overlap(const RgSurfaceQuery *q, const RgPlate *plate, const RgPose *X_AB);

/* Contact with a feature of a plate. */
typedef struct RgPlateContact {
    RgDistance at; /* normal, distance and witness, in the frame of the convex shape */
    bool witness;  /* the witness points are contact points */
} RgPlateContact;

/* Contact along the normal of the face; with edge i; with corner i. Returns false if there is none, or the surface does
   not allow it. The contact points remain to be found: the feature may lie beside the shape. */
bool rg_plate_face_contact(const RgSurfaceQuery *q, const RgPlate *plate, const double height[2], RgPlateContact *out);
bool rg_plate_edge_contact(const RgSurfaceQuery *q, const RgPlate *plate, int i, const double height[2],
                           RgPlateContact *out);
bool rg_plate_corner_contact(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgPlateContact *out);

#endif
