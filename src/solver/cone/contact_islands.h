/* contact_islands.h - contacts whose blocks hang together, each set as a dense problem. */
#ifndef RIGOR_CONTACT_ISLANDS_H
#define RIGOR_CONTACT_ISLANDS_H

#include "base/arena.h"
#include "solver/cone/cone_blocks.h"

/* Contacts of island k: contacts[first[k]] ... contacts[first[k + 1] - 1], ascending. */
typedef struct RgContactIslands {
    int count, largest; /* islands; contacts of the largest */
    int *first;         /* count + 1 */
    int *contacts;      /* n */
} RgContactIslands;

/* Blocks of zeros join nothing. False: no memory. */
bool rg_contact_islands_find(RgArena *arena, const RgConeBlocks *blocks, RgContactIslands *out);

/* W of n contacts, dense, 3 n x 3 n by rows; place: as many numbers as blocks->n, left as they were (0). */
void rg_contact_island_matrix(const RgConeBlocks *blocks, const int *contacts, int n, int *place, double *W);

/* Whether all numbers are finite, mu not negative, columns within their range. */
bool rg_cone_blocks_valid(const RgConeBlocks *blocks);

#endif
