/*
 * touch_set.h - the complete set of contact points within a small gap, each with its gap function.
 */
#ifndef RIGOR_TOUCH_SET_H
#define RIGOR_TOUCH_SET_H

#include "contact/gap.h"

/* Maximum number of points of a manifold: that of a patch of the solvers. */
#define RG_TOUCH_POINTS 4

typedef struct RgTouchSet {
    /* Like the contacts of a step's collision stage, but with all corners of a contact polygon, as manifolds of at most
       RG_TOUCH_POINTS points each; gaps are measured. */
    RgContactView view;
    RgGap *gaps;        /* view.npoints */
    int32_t degenerate; /* number of manifolds found whose normal is not unique */
    void *memory;
} RgTouchSet;

bool rg_touch_set_init(RgTouchSet *set, const RgAllocator *allocator);
void rg_touch_set_free(RgTouchSet *set);

/* Finds the points of the scene as placed whose gap is at most `gap`, m, above 0. The last search of the scene is this
   one. */
RgStatus rg_touch_set_find(RgTouchSet *set, RgContactScene *scene, double gap);

/* The same with the caller's search parameters, in manifolds of at most RG_TOUCH_POINTS points. Gaps of deep overlaps
   are depths along the normal of least penetration. */
RgStatus rg_touch_set_search(RgTouchSet *set, RgContactScene *scene, const RgContactSearch *search);

/* Keeps the points with keep true (npoints; NULL: all); removes pairs and manifolds without points. If seen is not NaN
   it replaces the measured gaps of the view: solvers use it instead. */
void rg_touch_set_filter(RgTouchSet *set, const bool *keep, double seen);

/* Replaces the gap of a point that solvers use. */
void rg_touch_set_override_gap(RgTouchSet *set, int32_t point, double gap);

#endif
