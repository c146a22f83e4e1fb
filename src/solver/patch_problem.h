/*
 * patch_problem.h - contact patches and single rows between bodies: the problem of solver `quick`.
 *
 * Velocities. All velocities are in one array V. Each body has eight places: velocity v of its centre, angular velocity
 * w, two unused. Body 0 is the fixed ground. A single is one scalar velocity (a joint rate, for example) and has one
 * place, after all bodies. An impulse (f, m) at the centre of a free body changes its velocity by
 *
 *   dv = f / mass        dw = I^-1 m
 *
 * Bodies and singles of an articulation (a robot) move together: dV = L g, g the impulses on all outputs (velocity
 * components) of the articulation, L symmetric, given by the caller.
 *
 * Patches. Up to four points in a plane between bodies A and B: axes t1, t2, normal n from A to B, positions d_i =
 * (s_i, r_i) relative to their mean. With u and w the velocity of B minus that of A at the mean, in these axes,
 *
 *   v_i = u + w x d_i        z_i = (n_i, a_i, b_i), the impulse on B at point i along n, t1, t2
 *   0 <= n_i,   v_in + C_n n_i >= target_i,   complementary
 *   (a_i / mu1)^2 + (b_i / mu2)^2 <= n_i^2;  v_it + (C_1 a_i, C_2 b_i) = 0 inside, opposed to (a_i, b_i) on the edge
 *
 * Rows. w = J V + C z - target with low <= z <= high; w >= 0 at low, <= 0 at high, 0 between. A row with a patch has
 * -bound N <= z <= bound N, N the sum of the normal impulses of that patch (torsion, rolling); two such rows may share
 * a disc of that radius.
 */
#ifndef RIGOR_PATCH_PROBLEM_H
#define RIGOR_PATCH_PROBLEM_H

#include "base/arena.h"
#include "base/parallel_for.h"
#include "math/mat3.h"

#define RG_PATCH_POINTS 4 /* most points of a patch */
#define RG_BODY_PLACES 8  /* places of a body in V: six velocities, two unused */
#define RG_ROW_SPANS 6    /* most bodies and singles of a row */

typedef struct RgSolverBody {
    double inverse_mass;    /* 1/kg; free bodies only */
    RgSym3 inverse_inertia; /* about the centre; free bodies only */
    int32_t group;          /* articulation; -1: free body */
    int32_t output;         /* first output of this body in the articulation */
} RgSolverBody;

/* Outputs low ... high - 1; empty: both 0. */
typedef struct RgOutputSpan {
    int32_t low, high;
} RgOutputSpan;

typedef struct RgArticulation {
    int32_t noutputs;
    const int32_t *place; /* noutputs: index of each output in V */
    const double *L;      /* noutputs x noutputs; NULL: B' B */
    const double *B; /* rank x noutputs: output velocities per coordinate of unit mass, L = B' B; NULL: L is given */
    int32_t rank;
    const RgOutputSpan *span; /* rank: body outputs that each coordinate of B moves; NULL: any */
    int32_t singles;          /* with span: first output that is a single; these follow all body outputs */
    /* rank: out, coordinates of B that the impulses cause; NULL: not requested. Not written if the impulses were scaled
       back */
    double *x;
    /* constraint equations were eliminated from it: few sweeps suffice, and momentum may make sliding contacts
       oscillate */
    bool driven;
    double mass; /* kg, total mass; 0: not known */
} RgArticulation;

typedef struct RgPatch {
    int32_t mover[2];
    int32_t count;  /* number of points; for two, t1 is along their line */
    RgVec3 axis[3]; /* t1, t2, n */
    RgVec3 arm[2];  /* from the centre of each body to the mean of the points */
    double place[RG_PATCH_POINTS][2];
    double target[RG_PATCH_POINTS];
    double mu[2];
    double compliance[3];         /* C_n, C_1, C_2, the same for each point */
    double z[RG_PATCH_POINTS][3]; /* n, a, b: initial guess, then the solution */
    bool unattainable;            /* out: the island has targets that are out of reach (quick_guard.c) */
} RgPatch;

/* Part of a row: on a body (six coefficients, force first) or on a single (one coefficient). */
typedef struct RgRowSpan {
    int32_t mover;  /* 0: this part is on a single */
    int32_t single; /* number of the single */
    double J[6];
} RgRowSpan;

typedef struct RgPatchRow {
    int32_t nspans;
    RgRowSpan span[RG_ROW_SPANS];
    double target, compliance, low, high;
    int32_t patch; /* patch whose normal impulses bound the row; -1: low and high are the bounds */
    double bound;
    /* with a patch: this row and the next satisfy z1^2 + z2^2 <= (bound N)^2; they have no target or compliance */
    bool disc;
    double z;
} RgPatchRow;

typedef struct RgPatchProblem {
    int32_t nmovers, nsingles, ngroups, npatches, nrows;
    const RgSolverBody *movers;
    /* nsingles: articulation and output of each single; every single belongs to an articulation */
    const int32_t *single_group, *single_output;
    const RgArticulation *groups;
    RgPatch *patches;
    RgPatchRow *rows;
    bool driven; /* some articulation is driven */
    /* nmovers: centres of the bodies in world coordinates; NULL: not known, which may cost sweeps */
    const RgVec3 *centre;
    RgThreadPool *thread_pool; /* thread pool (base/parallel_for.h); NULL: single-threaded */
    double *V; /* RG_BODY_PLACES * nmovers + nsingles: velocities without impulses on entry, final ones on return */
} RgPatchProblem;

#endif
