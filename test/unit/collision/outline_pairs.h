/*
 * outline_pairs.h - two shapes on either side of the plane z = 0, and their outlines along z.
 */
#ifndef TEST_COLLISION_OUTLINE_PAIRS_H
#define TEST_COLLISION_OUTLINE_PAIRS_H

#include "collision/outline.h"
#include "manifold_fixture.h"

typedef struct OutlinePair {
    RgContactFrame frame;
    RgOutline a, b;
    RgOverlap overlap;
} OutlinePair;

/* The contact plane is across n, near z; A stands below, B above. */
static inline void overlap_along(const RgPlaced *a, const RgPlaced *b, RgVec3 n, double slope, OutlinePair *out)
{
    out->frame = rg_contact_frame(vec(0.0, 0.0, 0.0), n);
    rg_outline_make(&a->geometry->parts[0], &a->X_WG, &out->frame, 1.0, slope, &out->a);
    rg_outline_make(&b->geometry->parts[0], &b->X_WG, &out->frame, -1.0, slope, &out->b);
    rg_outline_overlap(&out->a, &out->b, &(RgOverlapRules){.parallel = slope}, &out->overlap);
}

/* Prism from z = low to high over a random convex polygon (hull of points in the unit disc, stretched). */
static inline RgGeometry *draw_prism(Draw *d, double low, double high)
{
    double xyz[3 * 32];
    int n = 3 + draw_below(d, 13);
    double sx = draw_between(d, 0.05, 1.5), sy = draw_between(d, 0.05, 1.5);
    for (int i = 0; i < n; i++) {
        double a = draw_between(d, -PI, PI), r = draw_between(d, 0.3, 1.0);
        double x = i < 3 ? cos(2.0 * i) : r * cos(a), y = i < 3 ? sin(2.0 * i) : r * sin(a);
        for (int k = 0; k < 2; k++) {
            xyz[6 * i + 3 * k] = sx * x;
            xyz[6 * i + 3 * k + 1] = sy * y;
            xyz[6 * i + 3 * k + 2] = k == 0 ? low : high;
        }
    }
    return make_polytope(xyz, 2 * n);
}

/* Corners of an outline in the plane. */
static inline int outline_flat(const RgOutline *o, Flat *out)
{
    for (int32_t i = 0; i < o->count; i++)
        out[i] = (Flat){o->corner[i].u, o->corner[i].v};
    return o->count;
}

static inline double overlap_hull_area(const RgOverlap *overlap)
{
    Flat place[RG_OVERLAP_POINTS];
    for (int32_t i = 0; i < overlap->count; i++)
        place[i] = (Flat){overlap->point[i].u, overlap->point[i].v};
    return hull_area(place, overlap->count);
}

/* Pose that turns about z and shifts along the plane. */
static inline RgPose draw_slide(Draw *d, double reach)
{
    return (RgPose){turn_about(2, draw_between(d, -PI, PI)),
                    {draw_between(d, -reach, reach), draw_between(d, -reach, reach), 0.0}};
}

#endif
