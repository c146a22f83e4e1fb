/*
 * pair_table.h - pairs of kinds with an exact closed form, each rg_pair_<a>_<b> in its own file. The kinds are in the
 * order of RG_SHAPE_LIST; the reverse order is handled by swapping. Other pairs use GJK and EPA. One function handles
 * half-spaces against all kinds.
 */
#ifndef RIGOR_PAIR_TABLE_H
#define RIGOR_PAIR_TABLE_H

#include "collision/distance.h"

#define RG_PAIR_LIST(X)                                                                                                \
    X(sphere, sphere)                                                                                                  \
    X(sphere, box)                                                                                                     \
    X(sphere, capsule)                                                                                                 \
    X(sphere, cylinder)                                                                                                \
    X(sphere, ellipsoid)                                                                                               \
    X(box, box)                                                                                                        \
    X(box, capsule)                                                                                                    \
    X(capsule, capsule)

#define RG_PAIR_DECLARE(a, b) RgPairDistance rg_pair_##a##_##b;
RG_PAIR_LIST(RG_PAIR_DECLARE)
#undef RG_PAIR_DECLARE

/* Two boxes up to a limit, without features: see rg_convex_distance_within. */
RgStatus rg_pair_box_box_within(const RgConvexPair *pair, double limit, RgDistance *out);

/* Two boxes from features that may be nearest. Returns false if they are not, or if the boxes overlap. See
   pair_guess.h. */
bool rg_pair_box_box_guess(const RgConvexPair *pair, const RgFeature feature[2], RgDistance *out);

/* Any bounded shape and a half-space. */
RgPairDistance rg_pair_any_halfspace;

#endif
