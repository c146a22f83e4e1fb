/*
 * gjk.h - the nearest point of the difference of two cores, searched from outside.
 */
#ifndef RIGOR_GJK_H
#define RIGOR_GJK_H

#include "collision/distance.h"
#include "collision/simplex.h"

/* Round-off of a coordinate of D along a unit normal, as a part of the largest coordinate of A and B: a few
   roundings. Bounds this near are equal. */
#define RG_DIFFERENCE_ROUND 1e-15

/* The difference D = B - A of two cores, known by its farthest points; all in A's frame. A core that is no
   polytope is what is left of the shape without the ball of its rounding: its farthest point is that of the
   shape, taken back (shave_a, shave_b). */
typedef struct RgDifference {
    const RgConvexPair *pair;
    double round_a, round_b; /* A and B are the cores grown by these radii */
    double shave_a, shave_b; /* the parts of them that the supports below leave on */
    RgVec3 (*support_a)(const RgShape *shape, RgVec3 direction);
    RgVec3 (*support_b)(const RgShape *shape, RgVec3 direction);
    int32_t hint_a, hint_b; /* vertices of the last answer */
    /* Largest squared coordinate met, in the shapes' own frames, and of the pose: round-off is 1e-16 of its
       root. */
    double scale2;
    double limit; /* m; above 0: the search may end at a lower bound of the pair's distance that is above it */
    int32_t calls;
} RgDifference;

/* Farthest point of one side along n (any length but zero), its shave left on. number: its vertex, a guess
   before; -1 where the core is no polytope. */
static inline RgVec3 rg_difference_side(const RgShape *shape, RgVec3 (*support)(const RgShape *, RgVec3), RgVec3 n,
                                        int32_t *number)
{
    if (shape->core == NULL) {
        *number = -1;
        return support(shape, n);
    }
    *number = shape->core->is_box ? rg_box_corner(n) : rg_polytope_support(shape->core, n, *number);
    return shape->core->vertex[*number];
}

/* Zero hints, nothing met yet. False: a shape has no bound. */
bool rg_difference_begin(RgDifference *d, const RgConvexPair *pair);

/* The same with nothing shaved off the cores: a search that ends at the first plane gains nothing by it. */
bool rg_difference_begin_whole(RgDifference *d, const RgConvexPair *pair);

/* Takes notice of points of A and B, each in its own frame: what they lose in that of A is round-off of
   these. */
static inline void rg_difference_measure(RgDifference *d, RgVec3 a, RgVec3 b_B)
{
    double a2 = v3_norm2(a), b2 = v3_norm2(b_B), larger = a2 > b2 ? a2 : b2;
    d->scale2 = larger > d->scale2 ? larger : d->scale2;
}

/* The point of D that is least along n (unit). */
RgSupport rg_difference_support(RgDifference *d, RgVec3 n);

/* The point of D that two vertices make; false: no such vertices. */
bool rg_difference_vertex(RgDifference *d, int32_t va, int32_t vb, RgSupport *out);

/* What is known of the distance of the cores: a unit normal, and bounds of both sides.
 *
 *   lower = min over D of normal.w  <=  distance  <=  upper = |nearest|
 */
typedef struct RgGjk {
    RgSimplex simplex;
    RgVec3 normal;
    double lower, upper;
    RgVec3 last; /* the direction that the simplex has, and the bound that it gives */
    double last_lower;
    bool apart;  /* false: the origin lies in the simplex or within round-off of it; bounds are not set */
    bool beyond; /* the search ended at a lower bound above the limit; nothing but lower and normal is set */
} RgGjk;

/* RG_DIFFERENCE_ROUND in m. */
double rg_difference_noise(const RgDifference *d);

/* Unit normal of the face of D that has three given points, on the side of n, from the features of the cores;
   zero: the points are so far apart that their plane is as good, or lie on no face of D, or a core is no
   polytope. */
RgVec3 rg_difference_normal(const RgDifference *d, const RgSupport point[3], RgVec3 n);

/* Feature of a polytope across n (unit), its farthest vertex v known; as rg_shape_feature. */
RgFeature rg_box_feature(int32_t v, RgVec3 n, double angle);
RgFeature rg_polytope_feature(const RgPolytope *p, int32_t v, RgVec3 n, double angle);

/* Fast steps for two polytopes, from the points in g->simplex and their nearest; none: along start. True: g
   holds the answer; else it has points to go on from. */
bool rg_gjk_hasten(RgDifference *d, RgVec3 start, RgGjk *g);

/* Whether the cores come within reach (>= 0) of each other, as far as fast steps can tell. d without shaves.
   start, of any length but zero: where to look first; *axis: where the answer was found, from A to B. */
typedef enum RgReach { RG_REACH_UNCLEAR, RG_REACH_WITHIN, RG_REACH_BEYOND } RgReach;
RgReach rg_gjk_reach(RgDifference *d, RgVec3 start, double reach, RgVec3 *axis);

/* Begins with the points in out->simplex; none: with the direction start, of any length but zero. */
void rg_gjk(RgDifference *d, RgVec3 start, RgGjk *out);

#endif
