/*
 * elimination.h - in which order the nodes of a graph are eliminated, and what fills in: by least degree (Tinney and
 * Walker 1967).
 */
#ifndef RIGOR_ELIMINATION_H
#define RIGOR_ELIMINATION_H

#include "base/arena.h"

typedef struct RgElimination {
    int32_t n, words, room; /* nodes; words a set of them; entries below the diagonal that there is room for */
    uint64_t *near;         /* n sets: nodes that touch, or will by fill */
    int32_t *order;         /* n: node at a place in the order of elimination */
    int32_t *place;         /* n: the other way round */
    int32_t *degree;        /* n; -1: eliminated */
    int32_t *start, *row;   /* n + 1: entries of a column of the factor; their rows (places), ascending */
} RgElimination;

/* A new graph, without edges; an edge. */
void rg_elimination_begin(RgElimination *e);
void rg_elimination_touch(RgElimination *e, int32_t a, int32_t b);

/* Order and pattern. False: more fill than there is room for, or more than work products of two entries. */
bool rg_elimination_find(RgElimination *e, int64_t work);

/* Number of the entry (row, column) of the factor, by places, row > column; it is in the pattern. */
static inline int32_t rg_elimination_at(const RgElimination *e, int32_t row, int32_t column)
{
    int32_t low = e->start[column], high = e->start[column + 1] - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (e->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
