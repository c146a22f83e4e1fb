/*
 * pgs_lanes.h - rows of four pairs of blocks side by side, as the kernels of solver `pgs` read them. Field
 * [k][lane].
 *
 * A bundle is a run of rows on the same one or two blocks: those of a joint, or the normals of up to four
 * contact points and then their friction rows. Its velocities are read once and written once. Four bundles
 * that share no block lie in one set of lanes; a lane with fewer rows has rows of zeros.
 *
 * Bundles of bilateral rows may be solved as a whole: d = B (target - J V - C z), B = omega (J J' + C)^-1. Their rows then
 * hold per = 1, decay = -C, goal = target, so that what a row wishes for is its miss.
 */
#ifndef RIGOR_PGS_LANES_H
#define RIGOR_PGS_LANES_H

#include "solver/pgs/pgs.h"

#define RG_PGS_LANES 4
#define RG_PGS_POINTS 4
#define RG_PGS_JOINT_ROWS 6
#define RG_PGS_PER_POINT 5 /* friction rows: two tangents, torsion, two of rolling */
#define RG_PGS_FRICTION (RG_PGS_POINTS * RG_PGS_PER_POINT)
#define RG_PGS_STRIDE 8 /* places of a block in V: six velocities, two spare. Block 0 does not move */

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
    RgPgsRow *rows;     /* nrows, then nfriction */
    RgPgsLane *between; /* J_k . J_j of the rows j < k, row after row; then the same of the friction rows */
    RgPgsLane *block;   /* B, nrows x nrows; NULL: row after row */
    RgPgsPatch *patch;  /* in place of all rows: nrows points; NULL: none */
    RgPgsSolo *solo;    /* lanes of them, which hold z while there are sweeps; NULL: lanes side by side */
    int32_t (*number)[RG_PGS_LANES]; /* beside rows: of the row in the problem; -1: none */
    int32_t place[2][RG_PGS_LANES];
    int32_t lanes; /* used: the first ones */
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

/* keep: part of a change that is made. sum: adds the squares of the changes of the rows' velocities, lane
   by lane. */
typedef struct RgPgsKernel {
    void (*begin)(RgPgsLanes *p, double *V); /* brings the first guess into the velocities */
    void (*rows)(RgPgsLanes *p, double keep, double *V, RgPgsLane sum);
    void (*friction)(RgPgsLanes *p, double keep, double *V, RgPgsLane sum);
} RgPgsKernel;
extern const RgPgsKernel rg_pgs_kernel, rg_pgs_kernel_simd;

/* What every row does with its miss: all n of the problem. */
typedef struct RgPgsSteps {
    double *diagonal, *response; /* rg_problem_responses */
    double *per;                 /* over-relaxation / response */
    int32_t not_in_sweeps;
} RgPgsSteps;

bool rg_pgs_steps_take(RgArena *arena, const RgProblem *p, RgPgsSteps *out); /* false: no memory */
void rg_pgs_steps(const RgProblem *p, const RgPgsOptions *o, RgPgsSteps *out);

/* A problem laid out for the sweeps. */
typedef struct RgPgsGeneral {
    int32_t row;    /* of the problem */
    int32_t normal; /* likewise; -1: bounds are its own */
    bool cone;      /* with the next of the list */
} RgPgsGeneral;

enum { RG_PGS_JOINTS, RG_PGS_BOUNDED, RG_PGS_CONTACTS, RG_PGS_GROUPS };

typedef struct RgPgsPacked {
    RgPgsLanes *lanes;
    int32_t first_lanes[RG_PGS_GROUPS + 1]; /* by group */
    RgPgsGeneral *general; /* rows that are not of one or two blocks: by group, then friction */
    int32_t first_general[RG_PGS_GROUPS + 2];
    int32_t *place;  /* nu: where an unknown stands in V */
    int32_t *at;     /* the same of every coefficient of those rows, in the places of the problem's values */
    int32_t nplaces; /* of V */
    double *V;       /* nplaces */
    RgPgsSteps steps;
} RgPgsPacked;

/* False: no memory. */
bool rg_pgs_pack(RgArena *arena, const RgProblem *p, const RgPgsOptions *options, RgPgsPacked *out);

/* z and s back to the problem. */
void rg_pgs_unpack(const RgPgsPacked *packed, RgProblem *p);

#endif
