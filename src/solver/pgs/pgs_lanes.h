/*
 * pgs_lanes.h - rows of four pairs of blocks side by side, as the kernels of solver `pgs` read them. Field
 * [k][lane].
 *
 * A bundle is a run of rows on the same one or two blocks: those of a joint, or the normals of up to four
 * contact points and then their friction rows. Its velocities are read once and written once. Four bundles
 * that share no block lie in one set of lanes; a lane with fewer rows has rows of zeros.
 *
 * Bundles of bilateral rows may be solved as a whole: d = B (target - J V - C z), B = omega (J J' + C)^-1. Their rows
 * then hold per = 1, decay = -C, goal = target, so that what a row wishes for is its miss.
 */
#ifndef RIGOR_PGS_LANES_H
#define RIGOR_PGS_LANES_H

#include "solver/pgs/pgs.h"

#define RG_PGS_LANES 4
#define RG_PGS_POINTS 4
#define RG_PGS_JOINT_ROWS 6
#define RG_PGS_PER_POINT 5 /* friction rows: two tangents, torsion, two of rolling */
#define RG_PGS_FRICTION (RG_PGS_POINTS * RG_PGS_PER_POINT)
#define RG_PGS_STRIDE 8 /* places of a block in V: six velocities, two spare */
#define RG_PGS_LISTS 16 /* most lists of sets of lanes that threads share */

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

/* One bundle that is solved as a whole, with its rows side by side: where too few can be visited at once to fill the
   lanes. Rows are padded with zeros to RG_PGS_SOLO. */
#define RG_PGS_SOLO 8
typedef struct RgPgsSolo {
    _Alignas(64) double across[12][RG_PGS_SOLO];        /* J by columns */
    double along[RG_PGS_JOINT_ROWS][2 * RG_PGS_STRIDE]; /* J by rows, as its blocks lie in V */
    double block[RG_PGS_JOINT_ROWS][RG_PGS_SOLO];       /* B by columns */
    double decay[RG_PGS_SOLO], goal[RG_PGS_SOLO], diagonal[RG_PGS_SOLO], z[RG_PGS_SOLO];
    int32_t place[2];
    int32_t n; /* rows */
} RgPgsSolo;

/* A patch's point (RgRowPatch): its normal, and the cone of its friction. */
typedef struct RgPgsPoint {
    _Alignas(64) RgPgsLane x, y;
    RgPgsLane per, decay, goal, low, high, z, diagonal;
    RgPgsLane rub_per, rub_decay[2], rub_high[2], rub_z[2], rub_diagonal[2];
    int32_t row[RG_PGS_LANES]; /* number of the normal's row; -1: none */
} RgPgsPoint;

#define RG_PGS_PATCH_PAIRS (RG_PGS_POINTS * (RG_PGS_POINTS - 1) / 2)

/* Patches with a cone at every point, by their six base rows: first those of normals, then those of friction. between:
   per_j J_j . J_i of the points i < j, likewise of the cones: of both of i on both of j. */
typedef struct RgPgsPatch {
    _Alignas(64) RgPgsLane base[2][3][12];
    RgPgsLane between[RG_PGS_PATCH_PAIRS], rub_between[RG_PGS_PATCH_PAIRS][2][2];
    RgPgsPoint point[RG_PGS_POINTS];
} RgPgsPatch;

typedef struct RgPgsLanes {
    double *sum;        /* lane by lane: squares of the changes of its rows' velocities in the present sweep */
    RgPgsRow *rows;     /* nrows, then nfriction */
    RgPgsLane *between; /* J_k . J_j of the rows j < k, row after row; then the same of the friction rows */
    RgPgsLane *block;   /* B, nrows x nrows; NULL: row after row */
    RgPgsPatch *patch;  /* in place of all rows: nrows points; NULL: none */
    RgPgsSolo *solo;    /* lanes of them, which hold z while there are sweeps; NULL: lanes side by side */
    int32_t (*number)[RG_PGS_LANES]; /* beside rows: of the row in the problem; -1: none */
    int32_t place[2][RG_PGS_LANES];  /* of a side that does not move: zeros that no other set has */
    int32_t bundle[RG_PGS_LANES];    /* numbers of the bundles in the order of the rows */
    int32_t list;                    /* that it is in */
    int32_t from;                    /* number of its first bundle in their order of visits */
    int32_t lanes;                   /* used: the first ones */
    int32_t nrows, nfriction;
    int8_t normal[RG_PGS_FRICTION]; /* row of each friction row's normal; -1: its bounds are its own */
    bool cone[RG_PGS_FRICTION];     /* with the next */
    /* Friction rows 2 i and 2 i + 1 are the cone of row i, with target 0, and there is nothing else. */
    bool cones;
    bool hangs; /* all friction is bounded by normal impulses: without any there is nothing to do */
} RgPgsLanes;

/* Pairs of n rows. */
static inline int rg_pgs_pairs(int n)
{
    return n * (n - 1) / 2;
}

/* keep: part of a change that is made. rows begins the set's sum of squares, friction goes on with it. */
typedef struct RgPgsKernel {
    void (*begin)(RgPgsLanes *p, double *V); /* brings the first guess into the velocities */
    void (*rows)(RgPgsLanes *p, double keep, double *V);
    void (*friction)(RgPgsLanes *p, double keep, double *V);
} RgPgsKernel;
extern const RgPgsKernel rg_pgs_kernel, rg_pgs_kernel_simd;

/* What every row does with its miss: all n of the problem. */
typedef struct RgPgsSteps {
    double *diagonal, *response; /* rg_problem_responses */
    double *per;                 /* over-relaxation / response */
} RgPgsSteps;

bool rg_pgs_steps_take(RgArena *arena, int n, RgPgsSteps *out); /* false: no memory */
/* Of rows first ... end - 1. Returns how many dampers are too strong for the sweeps. */
int rg_pgs_fill_steps(const RgProblem *p, const RgPgsOptions *o, int first, int end, RgPgsSteps *out);

/* A problem laid out for the sweeps. */
typedef struct RgPgsGeneral {
    int32_t row;    /* of the problem */
    int32_t normal; /* likewise; -1: bounds are its own */
    bool cone;      /* with the next of the list */
} RgPgsGeneral;

enum { RG_PGS_JOINTS, RG_PGS_BOUNDED, RG_PGS_CONTACTS, RG_PGS_GROUPS };

/* Where unknowns stand in V. A cell is a block, or one unknown that is in none; blocks come first. Each chunk of rows
   has a copy of the cells that its rows are on (pgs_jacobi.c); with a single chunk every cell has one. */
typedef struct RgPgsCells {
    int32_t count, nblocks;
    int32_t *unknown;    /* count: the first of it */
    int32_t *of_unknown; /* nu: cell of an unknown */
    int32_t *first;      /* count + 1: copies of each */
    int32_t *place;      /* of the copies */
    double *root;        /* count: root of the number of chunks among which its mass is split */
    int32_t *shared;     /* nshared: cells of several copies */
    int32_t nshared;
    double *before; /* RG_PGS_STRIDE for each of these: velocities before the present sweep */
    int32_t end;    /* places of all copies */
} RgPgsCells;

static inline int rg_pgs_cell_width(const RgPgsCells *cells, int32_t cell)
{
    return cell < cells->nblocks ? 6 : 1;
}

typedef struct RgPgsPacked {
    RgPgsLanes *lanes;                      /* by group; in the order of visits */
    int32_t first_lanes[RG_PGS_GROUPS + 1]; /* by group */
    RgPgsGeneral *general;                  /* rows that are not of one or two blocks: by group, then friction */
    int32_t first_general[RG_PGS_GROUPS + 2];
    RgPgsCells cells;
    int32_t *at; /* where the coefficients of those rows stand in V, in the places of the problem's values */
    double *V;
    double *squares; /* nbundles: scratch */
    int32_t nbundles;
    int lists;        /* of sets of lanes; 1: the problem is one thread's */
    RgProblem scaled; /* the problem over velocities by the roots of the cells; else as it is */
    RgPgsSteps steps;
    int32_t refused[RG_PGS_LISTS];    /* by list: dampers too strong for the sweeps */
    const struct RgPgsPacker *packer; /* what lists are filled from */
} RgPgsPacked;

/* All but the rows in the lanes. False: no memory. */
bool rg_pgs_pack(RgArena *arena, const RgProblem *p, const RgPgsOptions *options, int chunks, RgPgsPacked *out);

/* The rows of a list into its lanes; their impulses back to the problem. Lists may be taken side by side. */
void rg_pgs_fill_list(RgPgsPacked *packed, int list);
void rg_pgs_unpack_list(const RgPgsPacked *packed, int list, RgProblem *p);

/* Velocities back to the problem. */
void rg_pgs_take_velocities(const RgPgsPacked *packed, double *s);

#endif
