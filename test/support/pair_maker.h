/*
 * pair_maker.h - random convex shapes and pairs of them with a wanted gap, for the tests of distances.
 *
 * Sizes spread over 1e4. A third of the shapes are up to 1000 times thinner one way than another, a fifth
 * have all sizes equal; a quarter of all have sizes of 1, 1/2 or 1/4, so that shapes of equal sizes meet.
 * Pairs:
 *
 *   spots    a point of A's surface with a normal there, one of B's: B is turned so that the normals are
 *            opposite, and placed so that the points are the wanted gap apart. Apart, that gap is the
 *            distance.
 *   aligned  the same, and edges, axes or face edges at the spots are parallel too
 *   square   the same with both rotations exact: turns by quarters about the axes
 *   free     any orientation; the gap is that along a random direction
 *   nested   centres at the same place, or nearly
 *   grid     centres on a lattice of eighths of the size, turns by eighths: many directions equally good
 */
#ifndef TEST_SUPPORT_PAIR_MAKER_H
#define TEST_SUPPORT_PAIR_MAKER_H

#include "convex_oracle.h"

/* The convex kinds, in the order of RgShapeType. */
#define PAIR_KINDS 7
extern const RgShapeType pair_kinds[PAIR_KINDS];

typedef struct MadeShape {
    RgShapeDef def;
    double *points; /* of a polytope */
    RgGeometry *geometry;
    OracleShape *oracle;
} MadeShape;

/* Any size and proportions; def and oracle alone. */
MadeShape made_shape_draw(Draw *d, RgShapeType type);

/* The geometry too. Ends the test if the shape is refused. */
void made_shape_prepare(MadeShape *shape);
void made_shape_release(MadeShape *shape);

/* The def of a polytope of count points spread over a ball of radius 1, made 1 wide; the points are the
   caller's to free. */
RgShapeDef made_polytope(Draw *d, int count, double **points);

/* Moves both shapes. */
typedef enum PairMode { PAIR_SPOTS, PAIR_ALIGNED, PAIR_SQUARE, PAIR_FREE, PAIR_NESTED, PAIR_GRID, PAIR_MODES } PairMode;
typedef struct MadePair {
    PairMode mode;
    RgPose X_WA, X_WB;
    double size; /* larger extent of the two, m */
    double gap;  /* m, as wanted */
} MadePair;
MadePair made_pair_draw(Draw *d, MadeShape *a, MadeShape *b);

/* 10^x, x uniform between the two. */
double draw_decades(Draw *d, double low, double high);

#endif
