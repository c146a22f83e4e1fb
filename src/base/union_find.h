/*
 * union_find.h - disjoint sets: parent[i] leads from i to the root of its set; initially parent[i] = i.
 *
 * Path halving; the smaller number becomes the root, so that the result does not depend on the order of joins. Without
 * union by rank the amortised cost is O(log n) per operation (Tarjan, van Leeuwen 1984).
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

/* Joins the sets of a and b; no effect if one is negative. */
static inline void rg_set_union(int32_t *parent, int32_t a, int32_t b)
{
    if (a < 0 || b < 0)
        return;
    a = rg_set_root(parent, a);
    b = rg_set_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* Lists the sets of items first ... first + n - 1, in the order of their first items, and returns their number. items:
   numbers from 0, set by set; start: start of each set in items, then the end (n + 2 zeros on entry). number: scratch
   of the length of parent. */
static inline int rg_set_list(int32_t *parent, int32_t first, int n, int32_t *number, int *start, int *items)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        number[rg_set_root(parent, first + i)] = -1;
    /* Counting sort: sizes, stored two entries ahead, become starts, then ends. */
    for (int i = 0; i < n; i++) {
        int32_t root = rg_set_root(parent, first + i);
        if (number[root] < 0)
            number[root] = count++;
        start[number[root] + 2]++;
    }
    for (int k = 2; k <= count; k++)
        start[k] += start[k - 1];
    for (int i = 0; i < n; i++)
        items[start[number[rg_set_root(parent, first + i)] + 1]++] = i;
    return count;
}

#endif
