/*
 * pair_guess.h - distance of two polytopes that are apart, from the features that were nearest before.
 */
#ifndef RIGOR_PAIR_GUESS_H
#define RIGOR_PAIR_GUESS_H

#include "collision/distance.h"

/* Whether the nearest points of two polytopes lie inside the given features of A and B: a face of one and the vertex of
   the other that is deepest under it, or two edges. Then out is what rg_convex_distance says, to round-off; else it is
   left alone. The answer does not depend on why these features were asked. */
bool rg_pair_guess(const RgConvexPair *pair, const RgFeature feature[2], RgDistance *out);

/* Whether planes across n (unit to round-off, world axes, from the first shape to the second) part two shapes by more
   than the margin (at least 0), so that no way to measure their distance would say less. Two balls need no n. n zero,
   or a shape that is neither a polytope nor a ball: false. */
bool rg_shapes_parted(const RgShape *const shape[2], const RgPose *const X_W[2], RgVec3 n, double margin);

#endif
