/*
 * union_find.h - sets that are joined: parent[i] leads from i to the root of its set, itself at first.
 *
 * Paths are halved while they are walked; the smaller number becomes the root, so that the result does not depend on
 * the order of joining. Cost: the inverse Ackermann function but for the missing ranks, which never mattered.
 */
#ifndef RIGOR_UNION_FIND_H
#define RIGOR_UNION_FIND_H

#include <stdint.h>

static inline int32_t rg_set_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Negative numbers are none and join nothing. */
static inline void rg_set_join(int32_t *parent, int32_t a, int32_t b)
{
    if (a < 0 || b < 0)
        return;
    a = rg_set_root(parent, a);
    b = rg_set_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

#endif
