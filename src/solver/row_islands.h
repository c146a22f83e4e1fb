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

/* An island as a problem of its own: its rows, over the unknowns that they speak of. */
typedef struct RgRowIsland {
    RgProblem problem; /* without patches and rates */
    const int *rows;   /* problem.n: which they are in the whole */
    int *unknowns;     /* problem.nu: the same */
} RgRowIsland;

/* local (nu of the whole): scratch, all -1 before and after. Bodies (blocks) come in whole. False: no memory. */
bool rg_row_island_pick(RgArena *arena, const RgProblem *whole, const RgRowIslands *islands, int number, int *local,
                        RgRowIsland *out);

/* Its impulses and velocities into the whole. */
void rg_row_island_put(const RgRowIsland *island, RgProblem *whole);

#endif
