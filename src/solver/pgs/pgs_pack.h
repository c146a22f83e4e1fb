/*
 * pgs_pack.h - bundles of rows during the packing of a problem for solver `pgs`: found and ordered in pgs_bundles.c,
 * partitioned in pgs_parts.c, written to lanes in pgs_pack.c.
 */
#ifndef RIGOR_PGS_PACK_H
#define RIGOR_PGS_PACK_H

#include "solver/pgs/pgs_lanes.h"

/* With fewer rows a problem is solved by one thread: a sweep takes half a microsecond, as long as a few
   synchronisations of threads. */
#define RG_PGS_LEAST_ROWS 250
#define RG_PGS_COLOURS 64 /* colour of bundles without a colour, which may share blocks */

/* Zones, in the order of visits: inside a part; inside a part, on a block that also has rows between parts; between
   parts. */
enum { RG_PGS_INNER, RG_PGS_BOUNDARY, RG_PGS_BETWEEN, RG_PGS_ZONES };

/* A bundle: rows first ... first + count - 1 of the problem. */
typedef struct RgPgsBundle {
    int32_t first, count;
    int32_t number; /* number in row order */
    /* block numbers from 1; 0: none. After placement: index of their copies in V over RG_PGS_STRIDE */
    int32_t block[2];
    int32_t chunk; /* chunk: its rows see each other's changes within a sweep */
    int32_t list;  /* list of its set of lanes */
    int8_t group, colour;
    int8_t points; /* contacts: number of normals, each with the same number of friction rows */
    bool packs;    /* all rows act on the same one or two whole blocks */
    int8_t zone;   /* inside a part or between parts */
    bool whole;    /* its rows are solved as a whole */
    bool idle;     /* contacts: no normal had an impulse in the previous step */
    int32_t patch; /* patch that it consists of, if that is to be visited by its base rows; -1: none */
} RgPgsBundle;

typedef struct RgPgsPacker {
    RgArena *arena;
    const RgProblem *p;
    const RgPgsOptions *o;
    const RgPgsCells *cells;
    RgPgsBundle *bundles, *sorted; /* sorted: only those that pack */
    int32_t nbundles, nsorted;
    int32_t next_patch; /* first patch that does not start before the current row */
    int chunks, lists;
    int32_t *list_of_block; /* list of the part of each block; NULL: all belong to list 0 */
} RgPgsPacker;

static inline int rg_pgs_friction_rows(const RgPgsBundle *b)
{
    return b->points > 0 ? b->count / b->points - 1 : 0;
}

/* Whether two points have friction rows of the same kind. */
bool rg_pgs_same_kind(const RgProblem *p, int i, int j, int count);

/* Whether all friction of a bundle consists of cones with target 0. */
bool rg_pgs_has_cones(const RgProblem *p, const RgPgsBundle *b);

/* Finds all bundles, in row order. */
void rg_pgs_find_bundles(RgPgsPacker *packer);

/* Sorts the bundles into the order of visits. nblocks: copies of blocks. False: no memory. */
bool rg_pgs_sort_bundles(RgPgsPacker *packer, int nblocks);

/* Partitions the problem: sets the zone and list of each bundle. threads: available threads. False: no memory. */
bool rg_pgs_partition_bundles(RgPgsPacker *packer, int threads);

#endif
