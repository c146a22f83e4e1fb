/*
 * contact_facet.h - the part of a polytope or half-space that lies in a contact plane, for simple cases.
 */
#ifndef RIGOR_CONTACT_FACET_H
#define RIGOR_CONTACT_FACET_H

#include "collision/contact_direct.h"

/* The outline of one shape: corners in the plane, counter-clockwise, and the edge from each corner to the next. */
typedef struct RgFacet {
    bool plane;   /* a half-space: no corners */
    int32_t face; /* -1: no single face */
    /* corners of several faces, one of which is start; edge is -1 where no edge leads to the next corner */
    bool rough;
    int32_t start;
    int32_t count;
    int32_t vertex[RG_DIRECT_CORNERS], edge[RG_DIRECT_CORNERS];
    double u[RG_DIRECT_CORNERS], v[RG_DIRECT_CORNERS], h[RG_DIRECT_CORNERS];
    double level, rise_u, rise_v; /* height of a face or a half-space: h = level + rise_u u + rise_v v */
} RgFacet;

/* Two shapes, the contact plane in A's axes, and their outlines there. */
typedef struct RgFacetQuery {
    const RgConvexPair *pair;
    RgContactFrame frame;
    double slope2;
    double clear; /* m */
    bool touching;
    RgFacet facet[2];
} RgFacetQuery;

static inline double rg_facet_height(const RgFacet *f, double u, double v)
{
    return f->level + f->rise_u * u + f->rise_v * v;
}

/* Makes the outline of A (0) or B (1). feature: the feature of that shape that is farthest along the normal. Returns
   false if the outline has too many corners or the shape is round. */
bool rg_facet_make(RgFacetQuery *q, int which, RgFeature feature);

/* Height and face at a point inside an outline of at least three corners. Returns false if the point is within `clear`
   of an edge of the face. */
bool rg_facet_height_inside(const RgFacetQuery *q, int which, double u, double v, double *h, int32_t *face);

/* Height at a point on side k of such an outline. Returns false if no edge of the shape runs along that side. */
bool rg_facet_height_on_side(const RgFacet *f, int32_t k, double u, double v, double *h);

#endif
