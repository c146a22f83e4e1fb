/*
 * contact_facet.h - what of a polytope or a half-space lies in the plane of a contact, where that is plain.
 */
#ifndef RIGOR_CONTACT_FACET_H
#define RIGOR_CONTACT_FACET_H

#include "collision/contact_direct.h"

/* The outline of one shape: corners in the plane, counter-clockwise, and the edges that lead from each to the next. */
typedef struct RgFacet {
    bool plane;   /* a half-space: no corners */
    int32_t face; /* -1: none */
    bool rough;   /* corners of several faces, one of which is start; edge is -1 where none leads to the next corner */
    int32_t start;
    int32_t count;
    int32_t vertex[RG_DIRECT_CORNERS], edge[RG_DIRECT_CORNERS];
    double u[RG_DIRECT_CORNERS], v[RG_DIRECT_CORNERS], h[RG_DIRECT_CORNERS];
    double level, rise_u, rise_v; /* of a face or a half-space: h = level + rise_u u + rise_v v */
} RgFacet;

/* Two shapes, the contact plane in A's axes, and their outlines there. */
typedef struct RgFacetQuestion {
    const RgConvexPair *pair;
    RgContactFrame frame;
    double slope2;
    double clear; /* m */
    bool touching;
    RgFacet facet[2];
} RgFacetQuestion;

static inline double rg_facet_height(const RgFacet *f, double u, double v)
{
    return f->level + f->rise_u * u + f->rise_v * v;
}

/* The outline of A (0) or B (1). feature: of that shape, on which it is farthest. False: it has too many corners, or
   the shape is round. */
bool rg_facet_make(RgFacetQuestion *q, int which, RgFeature feature);

/* Height and face over a place inside an outline of three and more corners; false: within clear of an edge of the
   face. */
bool rg_facet_over(const RgFacetQuestion *q, int which, double u, double v, double *h, int32_t *face);

/* Height at a place of side k of such an outline; false: no edge of the shape runs there. */
bool rg_facet_beside(const RgFacet *f, int32_t k, double u, double v, double *h);

#endif
