/*
 * islands.h - islands of patches and rows, and a colouring of the patches of each island.
 */
#ifndef RIGOR_ISLANDS_H
#define RIGOR_ISLANDS_H

#include "solver/patch_problem.h"

/* An island as ranges of the lists of RgIslands. */
typedef struct RgIsland {
    int32_t first_patch, npatches;
    int32_t first_row, nrows;
    int32_t first_mover, nmovers;
    int32_t first_single, nsingles;
    bool alone; /* a collection of independent bodies with one patch of one point each */
} RgIsland;

/* Patches of a colour below RG_COLOURS share no body or articulation; the last colour takes all others, which may
   share. */
#define RG_COLOURS 64

typedef struct RgIslands {
    int32_t count;
    int32_t joined; /* islands that were merged into others because their body is alone */
    RgIsland *island;
    int32_t *patches; /* sorted by island, then colour, then order of visits (farthest from the ground first) */
    int32_t *rows, *movers, *singles;
    int8_t *colour; /* parallel to patches */
    int32_t *level; /* bodies, then articulations: patches on the shortest path to the ground; 0: not connected to it */
} RgIslands;

/* The result depends only on the numbering of patches and rows. False: no memory. */
bool rg_islands_find(RgArena *arena, const RgPatchProblem *problem, RgIslands *out);

#endif
