/*
 * mass_properties.h - mass, centre and inertia of solids given by the triangles of their surface.
 */
#ifndef RIGOR_MASS_PROPERTIES_H
#define RIGOR_MASS_PROPERTIES_H

#include "geom/shape.h"

/* Integrals over the enclosed volume of 1, x and x x', x measured from the apex; and the area of the surface. */
typedef struct RgMoments {
    double volume, area;
    RgVec3 first;
    RgSym3 second;
} RgMoments;

/* Adds the tetrahedron from the apex to a triangle, counter-clockwise from outside; corners are relative to the apex.
   sign -1: the triangle is turned over. */
void rg_moments_add(RgMoments *sum, double sign, const RgVec3 corner[3]);

/* Returns the sum over all triangles of a solid. */
typedef RgMoments RgMomentsAbout(const void *solid, RgVec3 apex);

/* Mass properties of a closed surface with the bounds `box`. RG_ERR_UNSUPPORTED: no volume; RG_ERR_NOT_FINITE:
   overflow. */
RgStatus rg_moments_inertia(RgMomentsAbout *about, const void *solid, RgBounds box, double density, RgInertia *out);

#endif
