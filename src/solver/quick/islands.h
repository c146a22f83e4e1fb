/*
 * islands.h - which patches and rows hang together, and which of them may be visited at the same time.
 */
#ifndef RIGOR_ISLANDS_H
#define RIGOR_ISLANDS_H

#include "solver/patch_problem.h"

/* Numbers are places in the lists of RgIslands. */
typedef struct RgIsland {
    int32_t first_patch, npatches;
    int32_t first_row, nrows;
    int32_t first_mover, nmovers;
    int32_t first_single, nsingles;
    bool alone; /* its movers have nothing to do with each other: one patch of one point each */
} RgIsland;

/* Colours 0 ... RG_COLOURS - 1 share no mover or group within; patches beyond have the last and share. */
#define RG_COLOURS 64

typedef struct RgIslands {
    int32_t count;
    int32_t joined; /* so many more there would be, if movers that are alone were islands each */
    RgIsland *island;
    int32_t *patches; /* by island, then colour, then number */
    int32_t *rows, *movers, *singles;
    int8_t *colour; /* beside patches */
    int32_t *level; /* of free movers: patches on the shortest way to the ground; 0: there is none */
} RgIslands;

/* The order follows the numbers of patches and rows alone. False: no memory. */
bool rg_islands_find(RgArena *arena, const RgPatchProblem *problem, RgIslands *out);

#endif
