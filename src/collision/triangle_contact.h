/*
 * triangle_contact.h - along which normals a convex shape touches one triangle of a surface.
 */
#ifndef RIGOR_TRIANGLE_CONTACT_H
#define RIGOR_TRIANGLE_CONTACT_H

#include "collision/distance.h"

/* A triangle as a convex shape, seen from the side where the other shape is. Points into itself: not to be
   copied. */
typedef struct RgPlate {
    int32_t number;       /* of the triangle in the surface */
    bool back;            /* seen from behind: the triangle below is turned over */
    RgTriangle triangle;  /* across[i] of an open edge: in the plane, away from it */
    uint32_t inner_edges; /* bit e: flat or hollow beyond edge e, nothing there can be touched */
    RgVec3 normal[2];
    double offset[2];
    RgPolytope polytope;
    RgShape shape;
} RgPlate;

void rg_plate_make(const RgSurface *surface, int32_t number, bool back, RgPlate *out);

/* The feature of a plate as the triangle's own, the right way round. */
RgFeature rg_plate_feature(const RgPlate *plate, RgFeature feature);

/* Does the line along the plate's normal through x (in the surface's frame) pass through it, to within same?
   */
bool rg_plate_has(const RgPlate *plate, RgVec3 x, double same);

/* A convex shape near a surface. */
typedef struct RgSurfaceQuery {
    const RgSurface *surface;
    const RgShape *shape;
    RgPose X_AB;     /* where the surface stands in the frame of the shape */
    RgBounds bounds; /* of the shape */
    double size;     /* m, of the shape */
    double margin;
} RgSurfaceQuery;

/* The plate of a triangle, turned to the shape, and how far that reaches over its plane: height[0] the least,
   height[1] the greatest. False: it is before the plane by more than the margin. */
bool rg_plate_face(const RgSurfaceQuery *q, int32_t number, RgPlate *plate, double height[2]);

/* Can the surface be touched along n' (unit, away from it, in its frame) in a feature of the plate? */
bool rg_plate_allows(const RgSurface *surface, const RgPlate *plate, RgFeature feature, RgVec3 n);

/* The contact along n', whose witness is the lowest point of the shape; p: a point of the feature. The
   features are not set. */
void rg_plate_contact_along(const RgSurfaceQuery *q, RgVec3 n, RgVec3 p, RgDistance *at);

/* The least translation off the line of edge i, or off corner i, that the surface allows; false: none, or the
   feature is not near. */
bool rg_plate_edge_way(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgDistance *at);
bool rg_plate_corner_way(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgDistance *at);

/* Does the shape overlap the plate, as far as that can be told without asking how deep? */
typedef enum RgPlateMeets { RG_PLATE_UNCLEAR, RG_PLATE_APART, RG_PLATE_MEETS } RgPlateMeets;
RgPlateMeets rg_plate_meets(const RgSurfaceQuery *q, const RgPlate *plate, const RgPose *X_AB);

/* The contact with a feature of a plate. */
typedef struct RgPlateContact {
    RgDistance at; /* normal, distance and witness, in the frame of the convex shape */
    bool witness;  /* the witness points are points of contact */
} RgPlateContact;

/* Contact along the normal of the face; with edge i; with corner i. False: none there, or the surface does
   not allow it. Points of contact are still to be found: the feature may lie beside the shape. */
bool rg_plate_face_contact(const RgSurfaceQuery *q, const RgPlate *plate, const double height[2], RgPlateContact *out);
bool rg_plate_edge_contact(const RgSurfaceQuery *q, const RgPlate *plate, int i, const double height[2],
                           RgPlateContact *out);
bool rg_plate_corner_contact(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgPlateContact *out);

#endif
