/*
 * gjk.h - the point of the difference of two cores that is nearest to the origin, for cores that do not overlap.
 */
#ifndef RIGOR_GJK_H
#define RIGOR_GJK_H

#include "collision/distance.h"
#include "collision/simplex.h"

/* Round-off of a coordinate of D along a unit normal, as a fraction of the largest coordinate of A and B: a few
   roundings. Bounds that differ by less count as equal. */
#define RG_DIFFERENCE_ROUND 1e-15

/* The difference D = B - A of two cores, given by its support function; all in A's frame. A core that is not a polytope
   is the shape minus the ball of its rounding: its support point is that of the shape, moved back (shave_a,
   shave_b). */
typedef struct RgDifference {
    const RgConvexPair *pair;
    double round_a, round_b; /* A and B are the cores grown by these radii, m */
    double shave_a, shave_b; /* the parts of these radii that the support functions below include, m */
    RgVec3 (*support_a)(const RgShape *shape, RgVec3 direction);
    RgVec3 (*support_b)(const RgShape *shape, RgVec3 direction);
    int32_t hint_a, hint_b; /* support vertices of the last query */
    /* Square of the largest coordinate seen, in the shapes' own frames, and of the pose: round-off is 1e-16 of its
       root. */
    double scale2;
    double limit; /* m; > 0: the search may end at a lower bound of the pair's distance that exceeds it */
    int32_t calls;
} RgDifference;

/* Support point of one shape along n (any length but zero), its shave not removed. number: support vertex, a guess on
   entry; -1 if the core is not a polytope. */
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

/* Initialises with zero hints and zero scale. Returns false if a shape is unbounded. */
bool rg_difference_init(RgDifference *d, const RgConvexPair *pair);

/* The same without shaving the cores: a search that ends at the first separating plane gains nothing from it. */
bool rg_difference_init_unshaved(RgDifference *d, const RgConvexPair *pair);

/* Updates the scale by points of A and B, each in its own frame: their round-off in A's frame is relative to these
   coordinates. */
static inline void rg_difference_update_scale(RgDifference *d, RgVec3 a, RgVec3 b_B)
{
    double a2 = v3_norm2(a), b2 = v3_norm2(b_B), larger = a2 > b2 ? a2 : b2;
    d->scale2 = larger > d->scale2 ? larger : d->scale2;
}

/* The point of D that is least along n (unit). */
RgSupport rg_difference_support(RgDifference *d, RgVec3 n);

/* The point of D given by two vertices. Returns false if there are no such vertices. */
bool rg_difference_vertex(RgDifference *d, int32_t va, int32_t vb, RgSupport *out);

/*
 * Bounds of the distance of the cores, and a unit normal.
 *
 *   lower = min over D of normal.w  <=  distance  <=  upper = |nearest|
 */
typedef struct RgGjk {
    RgSimplex simplex;
    RgVec3 normal;
    double lower, upper;
    RgVec3 last; /* direction of the current simplex, and the lower bound along it */
    double last_lower;
    bool apart;  /* false: the origin lies in the simplex, up to round-off; bounds are not set */
    bool beyond; /* the search ended at a lower bound above the limit; only lower and normal are set */
} RgGjk;

/* RG_DIFFERENCE_ROUND in m. */
double rg_difference_noise(const RgDifference *d);

/* Unit normal of the face of D through three given points, on the side of n, computed from the features of the cores.
   Zero if the points are so far apart that their plane is as accurate, if they lie on no face of D, or if a core is not
   a polytope. */
RgVec3 rg_difference_normal(const RgDifference *d, const RgSupport point[3], RgVec3 n);

/* Feature of a polytope perpendicular to n (unit); v: its farthest vertex. See rg_shape_feature. */
RgFeature rg_box_feature(int32_t v, RgVec3 n, double angle);
RgFeature rg_polytope_feature(const RgPolytope *p, int32_t v, RgVec3 n, double angle);

/* Fast steps for two polytopes, from the points in g->simplex and their nearest point; if there are none, along start.
   Returns true if g holds the result; otherwise g holds points from which rg_gjk can continue. */
bool rg_gjk_fast_steps(RgDifference *d, RgVec3 start, RgGjk *g);

/* Tests by fast steps whether the cores come within reach (>= 0) of each other; UNCLEAR: undecided. d must be unshaved.
   start: first search direction, any length but zero. *axis: separating direction found, from A to B. */
typedef enum RgReach { RG_REACH_UNDECIDED, RG_REACH_WITHIN, RG_REACH_BEYOND } RgReach;
RgReach rg_gjk_reach(RgDifference *d, RgVec3 start, double reach, RgVec3 *axis);

/* Starts from the points in out->simplex; if there are none, with the direction start, of any length but zero. */
void rg_gjk(RgDifference *d, RgVec3 start, RgGjk *out);

#endif
