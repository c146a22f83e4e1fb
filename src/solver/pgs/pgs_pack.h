/*
 * pgs_pack.h - bundles of rows while a problem is laid out for solver `pgs`: found and ordered in pgs_bundles.c, given
 * to parts of the problem in pgs_parts.c, written into lanes in pgs_pack.c.
 */
#ifndef RIGOR_PGS_PACK_H
#define RIGOR_PGS_PACK_H

#include "solver/pgs/pgs_lanes.h"

/* Below this many rows a problem is one thread's: a sweep takes half a microsecond, as long as a few meetings of
   threads. */
#define RG_PGS_LEAST_ROWS 250
#define RG_PGS_COLOURS 64 /* bundles of this colour have none, and may share blocks */

/* Within a part; within, on a block that has rows between parts too; between. Visited in this order. */
enum { RG_PGS_INNER, RG_PGS_RIM, RG_PGS_BETWEEN, RG_PGS_ZONES };

/* Rows first ... first + count - 1 of the problem. */
typedef struct RgPgsBundle {
    int32_t first, count;
    int32_t number;   /* in the order of the rows */
    int32_t block[2]; /* numbers of the blocks from 1; 0: none. Once cells have places: of their copies */
    int32_t chunk;    /* of rows that see each other's changes within a sweep */
    int32_t list;     /* that its set of lanes is in */
    int8_t group, colour;
    int8_t points; /* contacts: normals among the rows, each with as many friction rows */
    bool packs;    /* all its rows are on the same one or two whole blocks */
    int8_t zone;   /* of a part, or between parts */
    bool whole;    /* its rows are solved at once */
    bool idle;     /* contacts: none of them pressed in the step before */
    int32_t patch; /* it is this patch whole, worth to be taken by its base rows; -1: it is not */
} RgPgsBundle;

typedef struct RgPgsPacker {
    RgArena *arena;
    const RgProblem *p;
    const RgPgsOptions *o;
    const RgPgsCells *cells;
    RgPgsBundle *bundles, *sorted; /* those that do not pack are not among the sorted */
    int32_t nbundles, nsorted;
    int32_t next_patch; /* the first that does not lie before the present row */
    int chunks, lists;
    int32_t *list_of_block; /* of its part; NULL: all are of the first */
} RgPgsPacker;

static inline int rg_pgs_friction_rows(const RgPgsBundle *b)
{
    return b->points > 0 ? b->count / b->points - 1 : 0;
}

/* Whether two points have friction of the same kind, row by row. */
bool rg_pgs_same_kind(const RgProblem *p, int i, int j, int count);

/* Whether all friction of a bundle is cones with target 0. */
bool rg_pgs_has_cones(const RgProblem *p, const RgPgsBundle *b);

/* All bundles in the order of the rows. */
void rg_pgs_find_bundles(RgPgsPacker *packer);

/* In the order of visits. nblocks: copies of blocks. False: no memory. */
bool rg_pgs_sort_bundles(RgPgsPacker *packer, int nblocks);

/* Which bundles lie between parts, and the list of each. threads: that there are. False: no memory. */
bool rg_pgs_part_bundles(RgPgsPacker *packer, int threads);

#endif
