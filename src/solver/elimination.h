/*
 * elimination.h - minimum-degree elimination order of a graph, and the fill it causes (Tinney and Walker 1967).
 */
#ifndef RIGOR_ELIMINATION_H
#define RIGOR_ELIMINATION_H

#include "base/arena.h"

typedef struct RgElimination {
    int32_t n, words, room; /* nodes; 64-bit words of a set of nodes; capacity for entries below the diagonal */
    uint64_t *near;         /* n bit sets: neighbours in the graph, with fill as nodes are eliminated */
    int32_t *order;         /* n: node at each place of the elimination order */
    int32_t *place;         /* n: place of each node (inverse of order) */
    int32_t *degree;        /* n: current degree; -1: eliminated */
    int32_t *start, *row;   /* n + 1: first entry of each column of the factor; row places of the entries, ascending */
} RgElimination;

/* begin: a graph without edges; touch: adds the edge (a, b). */
void rg_elimination_init(RgElimination *e);
void rg_elimination_add_edge(RgElimination *e, int32_t a, int32_t b);

/* Finds the order and the pattern of the factor. False: more fill than room, or more than `work` products of two
   entries. */
bool rg_elimination_find(RgElimination *e, int64_t work);

/* Index of entry (row, column) of the factor, given as places with row > column; the entry must be in the pattern. */
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
