/*
 * pair_guess.h - distance of two separated polytopes from the features that were nearest before.
 */
#ifndef RIGOR_PAIR_GUESS_H
#define RIGOR_PAIR_GUESS_H

#include "collision/distance.h"

/* Returns true if the nearest points of two polytopes lie inside the given features of A and B: a face of one and the
   vertex of the other that is deepest under it, or two edges. out is then the result of rg_convex_distance, to
   round-off; otherwise it is unchanged. The result does not depend on how the features were chosen. */
bool rg_pair_guess(const RgConvexPair *pair, const RgFeature feature[2], RgDistance *out);

/* Returns true if planes normal to n (unit up to round-off, world axes, from the first shape to the second) separate
   two shapes by more than the margin (>= 0), by enough that no other distance computation would give less. Two balls
   need no n. Returns false if n is zero or a shape is neither a polytope nor a ball. */
bool rg_shapes_separated(const RgShape *const shape[2], const RgPose *const X_W[2], RgVec3 n, double margin);

#endif
