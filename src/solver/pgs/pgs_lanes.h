/*
 * pgs_lanes.h - the data layout of the kernels of solver `pgs`: the rows of four pairs of blocks side by side, field
 * [k][lane].
 *
 * A bundle is a run of rows on the same one or two blocks: those of a joint, or the normals of up to four contact
 * points followed by their friction rows. Its velocities are read and written once. Four bundles that share no block
 * form one set of lanes; a lane with fewer rows is padded with rows of zeros.
 *
 * Bundles of bilateral rows may be solved as a whole: d = B (target - J V - C z), B = omega (J J' + C)^-1. Their rows
 * then have per = 1, decay = -C, goal = target, so that the unbounded impulse of a row is its velocity error.
 */
#ifndef RIGOR_PGS_LANES_H
#define RIGOR_PGS_LANES_H

#include "solver/pgs/pgs.h"

#define RG_PGS_LANES 4      /* doubles of an AVX2 register */
#define RG_PGS_POINTS 4     /* most contact points of a bundle */
#define RG_PGS_JOINT_ROWS 6 /* most rows of a bundle without contacts */
#define RG_PGS_PER_POINT 5  /* friction rows: two tangents, torsion, two of rolling */
#define RG_PGS_FRICTION (RG_PGS_POINTS * RG_PGS_PER_POINT)
#define RG_PGS_STRIDE 8 /* places of a block in V: six velocities, two unused */
#define RG_PGS_LISTS 16 /* largest number of lists of sets of lanes, which are distributed over threads */

typedef double RgPgsLane[RG_PGS_LANES];

typedef struct RgPgsRow {
    _Alignas(64) RgPgsLane J[2][6];
    RgPgsLane per;   /* over-relaxation / A_ii */
    RgPgsLane decay; /* 1 - per C */
    RgPgsLane high;
    RgPgsLane z;
    RgPgsLane goal; /* per target */
    RgPgsLane low;
    RgPgsLane diagonal; /* A_ii */
} RgPgsRow;

/* One bundle that is solved as a whole, with its rows side by side; used where too few bundles are independent to fill
   the lanes. Rows are padded with zeros to RG_PGS_SOLO. */
#define RG_PGS_SOLO 8
typedef struct RgPgsSolo {
    _Alignas(64) double across[12][RG_PGS_SOLO];        /* J by columns */
    double along[RG_PGS_JOINT_ROWS][2 * RG_PGS_STRIDE]; /* J by rows, in the layout of its blocks in V */
    double block[RG_PGS_JOINT_ROWS][RG_PGS_SOLO];       /* B by columns */
    double decay[RG_PGS_SOLO], goal[RG_PGS_SOLO], diagonal[RG_PGS_SOLO], z[RG_PGS_SOLO];
    int32_t place[2];
    int32_t n; /* rows */
} RgPgsSolo;

/* A point of a patch (RgRowPatch): its normal and its friction cone (t_). */
typedef struct RgPgsPoint {
    _Alignas(64) RgPgsLane x, y;
    RgPgsLane per, decay, goal, low, high, z, diagonal;
    RgPgsLane t_per, t_decay[2], t_high[2], t_z[2], t_diagonal[2];
    int32_t row[RG_PGS_LANES]; /* row number of the normal; -1: none */
} RgPgsPoint;

#define RG_PGS_PATCH_PAIRS (RG_PGS_POINTS * (RG_PGS_POINTS - 1) / 2)

/* A patch with a cone at every point, in terms of its six base rows: those of normals, then those of friction. between:
   per_j J_j . J_i of the points i < j; t_between: the same of the cones, both rows of i on both rows of j. */
typedef struct RgPgsPatch {
    _Alignas(64) RgPgsLane base[2][3][12];
    RgPgsLane between[RG_PGS_PATCH_PAIRS], t_between[RG_PGS_PATCH_PAIRS][2][2];
    RgPgsPoint point[RG_PGS_POINTS];
} RgPgsPatch;

typedef struct RgPgsLanes {
    double *sum;                     /* by lane: squared velocity changes of its rows in the current sweep */
    RgPgsRow *rows;                  /* nrows, then nfriction */
    RgPgsLane *between;              /* J_k . J_j of the rows j < k, row by row; then the same for the friction rows */
    RgPgsLane *block;                /* B, nrows x nrows; NULL: rows are visited one by one */
    RgPgsPatch *patch;               /* instead of rows: nrows points; NULL: none */
    RgPgsSolo *solo;                 /* one per lane, holds z during the sweeps; NULL: lanes side by side */
    int32_t (*number)[RG_PGS_LANES]; /* parallel to rows: row number in the problem; -1: none */
    int32_t place[2][RG_PGS_LANES];  /* index in V; an immobile side has zeros of its own */
    int32_t bundle[RG_PGS_LANES];    /* bundle numbers in row order */
    int32_t list;                    /* list that contains it */
    int32_t from;                    /* index of its first bundle in the order of visits */
    int32_t lanes;                   /* lanes in use, the first ones */
    int32_t nrows, nfriction;
    int8_t normal[RG_PGS_FRICTION]; /* row of the normal of each friction row; -1: fixed bounds */
    bool cone[RG_PGS_FRICTION];     /* shares a cone with the next row */
    /* friction rows 2 i and 2 i + 1 are the cone of row i, with target 0, and there is no other friction */
    bool cones;
    /* all friction is bounded by normal impulses: without any, the friction visit is skipped */
    bool friction_needs_normal;
} RgPgsLanes;

/* Number of pairs of n rows. */
static inline int rg_pgs_pairs(int n)
{
    return n * (n - 1) / 2;
}

/* keep: part of a change that is made. rows starts the sum of squares of the set, friction adds to it. */
typedef struct RgPgsKernel {
    void (*warm_start)(RgPgsLanes *p, double *V); /* adds the initial impulses to the velocities */
    void (*rows)(RgPgsLanes *p, double keep, double *V);
    void (*friction)(RgPgsLanes *p, double keep, double *V);
} RgPgsKernel;
extern const RgPgsKernel rg_pgs_kernel, rg_pgs_kernel_simd;

/* Step lengths of all n rows. */
typedef struct RgPgsSteps {
    double *diagonal, *response; /* rg_problem_responses */
    double *per;                 /* over-relaxation / response */
} RgPgsSteps;

bool rg_pgs_steps_alloc(RgArena *arena, int n, RgPgsSteps *out); /* false: no memory */
/* Fills rows first ... end - 1. Returns how many dampers are too strong for the sweeps. */
int rg_pgs_fill_steps(const RgProblem *p, const RgPgsOptions *o, int first, int end, RgPgsSteps *out);

/* A row that is not packed into lanes. */
typedef struct RgPgsGeneral {
    int32_t row;    /* row number */
    int32_t normal; /* row of its normal; -1: fixed bounds */
    bool cone;      /* shares a cone with the next row of the list */
} RgPgsGeneral;

enum { RG_PGS_JOINTS, RG_PGS_BOUNDED, RG_PGS_CONTACTS, RG_PGS_GROUPS };

/* Positions of the unknowns in V. A cell is a block, or one unknown outside blocks; blocks come first. Each chunk of
   rows has a copy of the cells that its rows act on (pgs_jacobi.c); with a single chunk every cell has one copy. */
typedef struct RgPgsCells {
    int32_t count, nblocks;
    int32_t *unknown;    /* count: first unknown of the cell */
    int32_t *of_unknown; /* nu: cell of an unknown */
    int32_t *first;      /* count + 1: first copy of each cell */
    int32_t *place;      /* index in V of each copy */
    double *root;        /* count: square root of the number of chunks that share its mass */
    int32_t *shared;     /* nshared: cells with several copies */
    int32_t nshared;
    double *before; /* RG_PGS_STRIDE per shared cell: velocities before the current sweep */
    int32_t end;    /* length of V for all copies */
} RgPgsCells;

static inline int rg_pgs_cell_width(const RgPgsCells *cells, int32_t cell)
{
    return cell < cells->nblocks ? 6 : 1;
}

typedef struct RgPgsPacked {
    RgPgsLanes *lanes;                      /* by group, in the order of visits */
    int32_t first_lanes[RG_PGS_GROUPS + 1]; /* by group */
    RgPgsGeneral *general;                  /* rows not on one or two blocks: by group, then friction */
    int32_t first_general[RG_PGS_GROUPS + 2];
    RgPgsCells cells;
    int32_t *at; /* indices in V for the coefficients of these rows, parallel to the values of the problem */
    double *V;
    double *squares; /* nbundles: scratch */
    int32_t nbundles;
    int lists;        /* number of lists of sets of lanes; 1: single-threaded */
    RgProblem scaled; /* the problem scaled by the roots of the cells; without mass splitting unchanged */
    RgPgsSteps steps;
    int32_t refused[RG_PGS_LISTS];    /* by list: dampers too strong for the sweeps */
    const struct RgPgsPacker *packer; /* source from which lists are filled */
} RgPgsPacked;

/* Builds everything except the rows in the lanes. False: no memory. */
bool rg_pgs_pack(RgArena *arena, const RgProblem *p, const RgPgsOptions *options, int chunks, RgPgsPacked *out);

/* fill: writes the rows of a list to its lanes; unpack: their impulses back to the problem. Different lists may be
   processed in parallel. */
void rg_pgs_fill_list(RgPgsPacked *packed, int list);
void rg_pgs_unpack_list(const RgPgsPacked *packed, int list, RgProblem *p);

/* Writes the velocities back to the problem. */
void rg_pgs_unpack_velocities(const RgPgsPacked *packed, double *s);

#endif
