/*
 * touch_set.h - everything that touches: all contact points within a small gap, none left out, each with its gap
 * function.
 */
#ifndef RIGOR_TOUCH_SET_H
#define RIGOR_TOUCH_SET_H

#include "contact/gap.h"

/* Most points of a manifold: as many as a patch of solvers has. */
#define RG_TOUCH_POINTS 4

typedef struct RgTouchSet {
    /* As a step's collision stage gives contacts, but all corners of a contact polygon are there, as manifolds of at
       most RG_TOUCH_POINTS points each; gaps are as measured. */
    RgContactView view;
    RgGap *gaps;        /* view.npoints, beside the points */
    int32_t degenerate; /* of what was found: touches whose normal is open */
    void *memory;
} RgTouchSet;

bool rg_touch_set_init(RgTouchSet *set, const RgAllocator *allocator);
void rg_touch_set_free(RgTouchSet *set);

/* Points of the scene as placed whose gap is at most `gap`, m, above 0. Contacts of the last search of the scene are
   then these. */
RgStatus rg_touch_set_find(RgTouchSet *set, RgContactScene *scene, double gap);

/* The same by rules of the caller's: what a search finds, in manifolds of at most RG_TOUCH_POINTS points. Gaps of deep
   overlaps are depths along the normal of the least way out. */
RgStatus rg_touch_set_search(RgTouchSet *set, RgContactScene *scene, const RgContactSearch *search);

/* Keeps the points for which keep says so (npoints; NULL: all); pairs and manifolds without points go. Measured gaps of
   the view become `seen` where that is not NaN: what solvers shall take them for. */
void rg_touch_set_filter(RgTouchSet *set, const bool *keep, double seen);

/* Gap that solvers shall take that of a point for. */
void rg_touch_set_see(RgTouchSet *set, int32_t point, double gap);

#endif
