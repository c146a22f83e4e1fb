/*
 * patch_problem.h - contact patches and single rows between movers: the problem of solver `quick`.
 *
 * Velocities. All of them stand in one array V. A mover has eight places of it: velocity v of its centre,
 * turning velocity w, two spare ones. Mover 0 is the ground and never moves. A single (the rate of a joint,
 * say) has one place, behind the movers. An impulse (f, m) at the centre of a free mover changes its velocity
 * by
 *
 *   dv = f / mass        dw = I^-1 m
 *
 * Movers and singles of a group (a robot) move together: dV = L g, g the impulses on all outputs of the
 * group, L symmetric, given by the caller.
 *
 * Patches. Up to four points in a plane between movers A and B: axes t1, t2, normal n from A to B, places d_i
 * = (s_i, r_i) from their mean. With u and w the velocity of B less that of A at the mean, in these axes,
 *
 *   v_i = u + w x d_i        z_i = (n_i, a_i, b_i), the impulse on B at point i along n, t1, t2
 *   0 <= n_i,   v_in + C_n n_i >= target_i,   one of them an equation
 *   (a_i / mu1)^2 + (b_i / mu2)^2 <= n_i^2;  v_it + (C_1 a_i, C_2 b_i) = 0 inside it, against (a_i, b_i)
 *   on its edge
 *
 * Rows. w = J V + C z - target with low <= z <= high; w >= 0 at low, <= 0 at high, 0 between. A row with a
 * patch has -bound N <= z <= bound N, N the sum of that patch's normal impulses (torsion, rolling); two such rows
 * may share a disc of that radius.
 */
#ifndef RIGOR_PATCH_PROBLEM_H
#define RIGOR_PATCH_PROBLEM_H

#include "base/arena.h"
#include "base/parallel_for.h"
#include "math/mat3.h"

#define RG_PATCH_POINTS 4
#define RG_MOVER_PLACES 8
#define RG_ROW_SPANS 6

typedef struct RgMover {
    double inverse_mass;    /* free ones */
    RgSym3 inverse_inertia; /* about the centre */
    int32_t group;          /* -1: free */
    int32_t output;         /* of a group: number of its first output there */
} RgMover;

/* Outputs low ... high - 1; none: both 0. */
typedef struct RgOutputSpan {
    int32_t low, high;
} RgOutputSpan;

typedef struct RgMoverGroup {
    int32_t noutputs;
    const int32_t *place; /* noutputs: where each output stands in V */
    const double *L;      /* noutputs x noutputs; NULL: B' B */
    const double *B; /* rank x noutputs: velocities of the outputs for each coordinate of unit mass; NULL: L counts */
    int32_t rank;
    const RgOutputSpan *span; /* rank: outputs of movers that each coordinate of B moves; NULL: any */
    int32_t singles;          /* with span: the first output of a single, behind all of movers */
    /* rank: out, coordinates of B that the impulses make; not if those were scaled back. NULL: not requested */
    double *x;
    bool driven; /* equations were taken out of it: few sweeps do, and momentum may sway what slips */
    double mass; /* kg, of all of it; 0: not known */
} RgMoverGroup;

typedef struct RgPatch {
    int32_t mover[2];
    int32_t count;  /* points. Two: t1 is along them */
    RgVec3 axis[3]; /* t1, t2, n */
    RgVec3 arm[2];  /* from each mover's centre to the mean of the points */
    double place[RG_PATCH_POINTS][2];
    double target[RG_PATCH_POINTS];
    double mu[2];
    double compliance[3];         /* C_n, C_1, C_2, of each point */
    double z[RG_PATCH_POINTS][3]; /* n, a, b: first guess, then the solution */
    bool overreached;             /* out: of an island whose targets are out of reach (quick_guard.c) */
} RgPatch;

/* Part of a row: on a mover (six coefficients, force first) or on a single (one). */
typedef struct RgRowSpan {
    int32_t mover;  /* 0: a single */
    int32_t single; /* its number */
    double J[6];
} RgRowSpan;

typedef struct RgPatchRow {
    int32_t nspans;
    RgRowSpan span[RG_ROW_SPANS];
    double target, compliance, low, high;
    int32_t patch; /* -1: low and high count */
    double bound;
    bool disc; /* with a patch: this row and the next together, z1^2 + z2^2 <= (bound N)^2; no target or compliance */
    double z;
} RgPatchRow;

typedef struct RgPatchProblem {
    int32_t nmovers, nsingles, ngroups, npatches, nrows;
    const RgMover *movers;
    const int32_t *single_group, *single_output; /* nsingles: every single belongs to a group */
    const RgMoverGroup *groups;
    RgPatch *patches;
    RgPatchRow *rows;
    bool driven;          /* some group is */
    const RgVec3 *centre; /* nmovers: where they are, in the world; NULL: not known, which may cost sweeps */
    RgCrew *crew;         /* who helps (base/parallel_for.h); NULL: nobody */
    double *V;            /* RG_MOVER_PLACES * nmovers + nsingles: velocities before, then after */
} RgPatchProblem;

#endif
