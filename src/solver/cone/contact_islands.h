/* contact_islands.h - islands of contacts that are coupled through blocks of W, each as a dense problem. */
#ifndef RIGOR_CONTACT_ISLANDS_H
#define RIGOR_CONTACT_ISLANDS_H

#include "base/arena.h"
#include "solver/cone/cone_blocks.h"

/* Contacts of island k: contacts[first[k]] ... contacts[first[k + 1] - 1], ascending. */
typedef struct RgContactIslands {
    int count, largest; /* number of islands; contacts of the largest */
    int *first;         /* count + 1 */
    int *contacts;      /* n */
} RgContactIslands;

/* Blocks of zeros couple nothing. False: no memory. */
bool rg_contact_islands_find(RgArena *arena, const RgConeBlocks *blocks, RgContactIslands *out);

/* W of n contacts as a dense matrix, 3 n x 3 n, row-major. place: scratch, blocks->n numbers, all 0 before and
   after. */
void rg_contact_island_matrix(const RgConeBlocks *blocks, const int *contacts, int n, int *place, double *W);

/* Whether all numbers are finite, mu is not negative, and columns are in range. */
bool rg_cone_blocks_valid(const RgConeBlocks *blocks);

#endif
