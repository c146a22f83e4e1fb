/* row_islands.h - which rows of a problem hang together. */
#ifndef RIGOR_ROW_ISLANDS_H
#define RIGOR_ROW_ISLANDS_H

#include "solver/problem.h"

/* Rows of island k: rows[first[k]] ... rows[first[k + 1] - 1], ascending; islands by their first rows. */
typedef struct RgRowIslands {
    int count;
    int *first; /* count + 1 */
    int *rows;  /* n */
} RgRowIslands;

/* False: no memory. */
bool rg_row_islands_find(RgArena *arena, const RgProblem *problem, RgRowIslands *out);

#endif
