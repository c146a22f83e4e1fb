/* row_islands.h - the islands of a problem: rows that are coupled directly or through other rows. */
#ifndef RIGOR_ROW_ISLANDS_H
#define RIGOR_ROW_ISLANDS_H

#include "solver/problem.h"

/* Rows of island k: rows[first[k]] ... rows[first[k + 1] - 1], ascending. Islands are ordered by their first rows. */
typedef struct RgRowIslands {
    int count;
    int *first; /* count + 1 */
    int *rows;  /* n */
} RgRowIslands;

/* False: no memory. */
bool rg_row_islands_find(RgArena *arena, const RgProblem *problem, RgRowIslands *out);

/* An island as a separate problem: its rows over the unknowns with nonzero coefficients. */
typedef struct RgRowIsland {
    RgProblem problem; /* without patches and rates */
    const int *rows;   /* problem.n: row numbers in the whole problem */
    int *unknowns;     /* problem.nu: unknowns in the whole problem */
} RgRowIsland;

/* local (nu of the whole): scratch, all -1 before and after. Blocks (bodies) are included as a whole. False: no
   memory. */
bool rg_row_island_extract(RgArena *arena, const RgProblem *whole, const RgRowIslands *islands, int number, int *local,
                           RgRowIsland *out);

/* Copies impulses and velocities of the island to the whole problem. */
void rg_row_island_scatter(const RgRowIsland *island, RgProblem *whole);

#endif
