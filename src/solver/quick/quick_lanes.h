/*
 * quick_lanes.h - the data layout of the patch kernels of solver `quick`: four patches side by side, field [k][lane].
 */
#ifndef RIGOR_QUICK_LANES_H
#define RIGOR_QUICK_LANES_H

#include "solver/patch_problem.h"

#define RG_LANES 4 /* doubles of an AVX2 register */

/* Largest condition number of the spread of the points (sum of r^2, -rs; -rs, s^2) that is inverted. Points whose width
   is less than 1e-4 of their length are visited one by one, with the same solution. At this limit the inverse, and the
   share of each point in a moment, has a relative error of 1e8 times the machine's 2e-16: half the digits. */
#define RG_PATCH_CONDITION 1e8
/* Largest K_ii (K^-1)_ii of a patch that is solved as a whole. With the diagonal of K scaled to 1, its eigenvalues are
   at most 6 and those of the inverse at most 6 times this value, so the condition number is at most 36 times this
   value. */
#define RG_PATCH_DEPENDENT 1e9

typedef double RgLane[RG_LANES];

typedef struct RgPatchLanes {
    /* Input. */
    _Alignas(64) RgLane axis[3][3]; /* t1, t2, n; x, y, z */
    RgLane arm[2][3];
    RgLane inverse_mass[2];
    RgLane inverse_inertia[2][6]; /* xx yy zz xy xz yz */
    RgLane place[RG_PATCH_POINTS][2];
    RgLane target[RG_PATCH_POINTS];
    RgLane mu, stretch[2]; /* (a stretch1)^2 + (b stretch2)^2 <= (mu n)^2 */
    RgLane tangent_on[2];  /* 1; 0: no friction along this tangent */
    RgLane compliance[3];
    RgLane present[RG_PATCH_POINTS]; /* 1; 0: no such point */
    RgLane active[6];                /* 1; 0: the points cannot transmit that component of a wrench */
    RgLane share;                    /* 1 / count */
    /* null vector of four normal impulses: it has no resultant wrench; fewer points: 0 */
    RgLane slack[RG_PATCH_POINTS];
    RgLane per_slack[RG_PATCH_POINTS]; /* 1 / slack, or 0 */
    RgLane spread[3];                  /* inverse of [sum r^2, -sum rs; -sum rs, sum s^2]: 00 01 11; 0: collinear */
    RgLane twist;                      /* 1 / sum (s^2 + r^2) */
    /* 1: no compliance, spread and K within their condition numbers, so that the patch may be solved as a whole */
    RgLane rigid;

    /* Derived in prepare. */
    RgLane aim[6]; /* velocity of the plane that fits the targets best */
    /* response of (u, w) to a wrench at the mean, and its inverse; rows of the lower triangle */
    RgLane K[21], inverse[21];
    RgLane per_normal[RG_PATCH_POINTS];
    RgLane stick[RG_PATCH_POINTS][3],
        slip[RG_PATCH_POINTS]; /* tangents of a point: inverse response 11 12 22 (stick), step length (slip) */
    RgLane coupling[RG_PATCH_POINTS][2]; /* tangential velocity caused by a unit normal impulse */
    RgLane free[6];                      /* y without impulses */
    RgLane reach2;                       /* mean square distance of the points from their mean, m^2 */
    RgLane min_response;                 /* smallest response that is not round-off */

    /* State. */
    RgLane z[RG_PATCH_POINTS][3];
    RgLane before[RG_PATCH_POINTS][3]; /* impulses after the previous sweep */
    RgLane whole;                      /* 1: the last visit solved the patch as a whole, all points stick */
    RgLane skip;                       /* visits to skip before the whole solve is tried again */
    RgLane along;                      /* (change of z in the visit) . (z - before) */
    RgLane change2, size2;             /* |change of z in the visit|^2, |z|^2 */
    /* |change of y in the visit|^2, |y - free|^2, |y|^2, with rotation times reach, (m/s)^2 */
    RgLane moved2, total2, slides2;
    int32_t mover[2][RG_LANES];
    int32_t patch[RG_LANES];
    int32_t level[RG_LANES]; /* level of the upper body, with sign (quick_levels.c) */
    int32_t points;          /* largest number of points of any lane */
    int32_t lanes;           /* lanes in use, the first ones; the others hold a patch of the ground with itself */
    uint8_t points_ready;    /* bit mask of lanes whose stick, slip and coupling are computed */
    bool grouped;            /* one lane, with a body of an articulation */
    bool half_free;          /* grouped, and the other body is free */
} RgPatchLanes;

/* All functions process the first `lanes` lanes, whose bodies are free; _simd processes all four with bitwise identical
   results. No two lanes share a body other than the ground. */
typedef struct RgPatchKernel {
    void (*prepare)(RgPatchLanes *p, int lanes, const double *V); /* derived fields; V without impulses */
    void (*warm_start)(RgPatchLanes *p, int lanes, double *V);    /* adds the initial impulses to the velocities */
    void (*visit)(RgPatchLanes *p, int lanes, double *V);         /* new impulses, with all others fixed */
} RgPatchKernel;
extern const RgPatchKernel rg_patch_kernel, rg_patch_kernel_simd;

/* Parts of a visit, for patches on articulated bodies. y: velocity of B minus that of A at the mean; W: wrench on B
   there; both in the axes of the patch, linear part first. */
/* Rest of prepare, with K and the free velocity given. */
void rg_patch_finish(RgPatchLanes *p, int lane, const double free[6]);
void rg_patch_wrench(const RgPatchLanes *p, int lane, double W[6]);
void rg_patch_solve(RgPatchLanes *p, int lane, const double y[6], double dW[6]);

#endif
