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

/* Whether planes across n (unit to round-off, in A's frame, from A to B) part two polytopes by more than the margin (at
   least 0), so that no way to measure their distance would say less. False where a shape is no polytope. */
bool rg_pair_parted(const RgConvexPair *pair, RgVec3 n, double margin);

#endif
