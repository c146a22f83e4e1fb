/*
 * pair_table.h - pairs of kinds with a closed form that is exact, each rg_pair_<a>_<b> in a file of its own.
 * The kinds stand in the order of RG_SHAPE_LIST; the other order is answered by swapping. A pair that is not
 * in the list goes the general way.
 */
#ifndef RIGOR_PAIR_TABLE_H
#define RIGOR_PAIR_TABLE_H

#include "collision/distance.h"

#define RG_PAIR_LIST(X)                                                                                      \
    X(sphere, sphere)                                                                                        \
    X(sphere, box)                                                                                           \
    X(sphere, capsule)                                                                                       \
    X(sphere, cylinder)                                                                                      \
    X(sphere, ellipsoid)                                                                                     \
    X(box, capsule)                                                                                          \
    X(capsule, capsule)                                                                                      \
    X(sphere, halfspace)                                                                                     \
    X(box, halfspace)                                                                                        \
    X(capsule, halfspace)                                                                                    \
    X(cylinder, halfspace)                                                                                   \
    X(ellipsoid, halfspace)                                                                                  \
    X(polytope, halfspace)

#define RG_PAIR_DECLARE(a, b) RgPairDistance rg_pair_##a##_##b;
RG_PAIR_LIST(RG_PAIR_DECLARE)
#undef RG_PAIR_DECLARE

#endif
