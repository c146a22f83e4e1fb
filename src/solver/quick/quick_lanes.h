/*
 * quick_lanes.h - four patches side by side, as the kernels of solver `quick` read them. Field [k][lane].
 */
#ifndef RIGOR_QUICK_LANES_H
#define RIGOR_QUICK_LANES_H

#include "solver/patch_problem.h"

#define RG_LANES 4

/* Largest condition number of the points' spread (sum of r^2, -rs; -rs, s^2) that is inverted: points whose width is
   less than 1e-4 of their length are visited one after another, with the same solution. Then the inverse, and the share
   of each point in a moment, is good to 1e8 of the machine's 2e-16: half its digits. */
#define RG_PATCH_CONDITION 1e8
/* Largest K_ii (K^-1)_ii of a patch that is solved as a whole. With the diagonal of K scaled to 1, its eigenvalues are
   at most 6 and those of the inverse at most 6 times this: the condition number is at most 36 times this. */
#define RG_PATCH_DEPENDENT 1e9

typedef double RgLane[RG_LANES];

typedef struct RgPatchLanes {
    /* Given. */
    _Alignas(64) RgLane axis[3][3]; /* t1, t2, n; x, y, z */
    RgLane arm[2][3];
    RgLane inverse_mass[2];
    RgLane inverse_inertia[2][6]; /* xx yy zz xy xz yz */
    RgLane place[RG_PATCH_POINTS][2];
    RgLane target[RG_PATCH_POINTS];
    RgLane mu, stretch[2]; /* (a stretch1)^2 + (b stretch2)^2 <= (mu n)^2 */
    RgLane rubs[2];        /* 1, or 0: friction acts along the other tangent alone */
    RgLane compliance[3];
    RgLane present[RG_PATCH_POINTS];   /* 1, or 0: no such point */
    RgLane active[6];                  /* 1, or 0: the points cannot make that part of a wrench */
    RgLane share;                      /* 1 / count */
    RgLane slack[RG_PATCH_POINTS];     /* normals along which four points make no wrench; none: 0 */
    RgLane per_slack[RG_PATCH_POINTS]; /* 1 / slack, or 0 */
    RgLane spread[3];                  /* inverse of [sum r^2, -sum rs; -sum rs, sum s^2]: 00 01 11; 0: on a line */
    RgLane twist;                      /* 1 / sum (s^2 + r^2) */
    /* 1: no compliance, spread and K within their condition numbers: the whole patch may be solved at once */
    RgLane rigid;

    /* Made of them. */
    RgLane aim[6];             /* velocity that meets the targets as well as a plane can */
    RgLane K[21], inverse[21]; /* response of (u, w) to a wrench at the mean, by rows of the lower half; its inverse */
    RgLane per_normal[RG_PATCH_POINTS];
    RgLane stick[RG_PATCH_POINTS][3],
        slip[RG_PATCH_POINTS];       /* of a point's tangents: inverse response 11 12 22, step */
    RgLane felt[RG_PATCH_POINTS][2]; /* velocity of its tangents after a unit normal */
    RgLane free[6];                  /* y without impulses */
    RgLane reach2;                   /* mean square of the points' distance from their mean, m^2 */
    RgLane least;                    /* a response that is no more than this is none */

    /* Unknown. */
    RgLane z[RG_PATCH_POINTS][3];
    RgLane before[RG_PATCH_POINTS][3]; /* after the sweep before */
    RgLane whole;                      /* 1: solved at once by the last visit: all points stick */
    RgLane wait;                       /* visits before that is tried again */
    RgLane along;                      /* (z - z before the visit) (z - before) */
    RgLane change2, size2;             /* |z - last|^2, |z|^2 */
    RgLane moved2, total2, slides2;    /* |y - y before the visit|^2, |y - free|^2, |y|^2; turning times reach, m/s */
    int32_t mover[2][RG_LANES];
    int32_t patch[RG_LANES];
    int32_t level[RG_LANES]; /* of quick_levels.c */
    int32_t points;          /* most of any lane */
    int32_t lanes;           /* used: the first ones. The others are a patch of the ground with itself */
    uint8_t looked;          /* bits of the lanes whose stick, slip and felt are made */
    bool grouped;            /* one lane, with a mover of a group */
    bool half_free;          /* grouped, and the other mover is free */
} RgPatchLanes;

/* Everything is for lanes first ... RG_LANES - 1 of free movers; _simd for all four, with the same bits.
   No two lanes share a mover, but for the ground. */
typedef struct RgPatchKernel {
    void (*prepare)(RgPatchLanes *p, int lanes,
                    const double *V);                     /* what is made of what is given; V without impulses */
    void (*begin)(RgPatchLanes *p, int lanes, double *V); /* brings the first guess into the velocities */
    void (*visit)(RgPatchLanes *p, int lanes, double *V); /* new impulses, given all others */
} RgPatchKernel;
extern const RgPatchKernel rg_patch_kernel, rg_patch_kernel_simd;

/* The parts of a visit, for patches on movers of groups. y: velocity of B less that of A at the mean; W:
   wrench on B there; both in the patch's axes, velocity and force first. */
void rg_patch_finish(RgPatchLanes *p, int lane, const double free[6]); /* prepare, given K and y without impulses */
void rg_patch_wrench(const RgPatchLanes *p, int lane, double W[6]);
void rg_patch_settle(RgPatchLanes *p, int lane, const double y[6], double dW[6]);

#endif
