/*
 * problem.h - what a solver sees: numbers only.
 *
 * Bilateral problem, of n rows over nu unknowns:
 *   a = a_free + M^-1 J' z,    J a + C z = b
 *   (J Y + C) z = b - J a_free,  Y = M^-1 J'
 * J is sparse by rows; Y has either the same columns (M diagonal) or all of them.
 *
 * Problem of n rows with bounds, at the level of velocities. Velocities are scaled by the root of the mass,
 * so that M = 1:
 *   s = s* + J' z,    w = J s + C z - target,    one of three for every row:
 *   bilateral   w = 0
 *   bounded     low <= z <= high,  w >= 0 at low, <= 0 at high, 0 between          (normals: low = 0)
 *   friction    |z| <= high z_N, z_N the impulse of row `normal`; likewise. Two with `cone`: together
 *               (z_i / high_i)^2 + (z_j / high_j)^2 <= z_N^2, and w against z on the edge
 * The friction rows of a normal follow it at once. A block is a run of six unknowns (a body that moves
 * alone): rows on one or two whole blocks are what a solver can do fast.
 */
#ifndef RIGOR_PROBLEM_H
#define RIGOR_PROBLEM_H

#include "base/arena.h"
#include "base/parallel_for.h"

typedef struct RgBilateral {
    int n, nu;
    int *start;     /* n + 1 */
    int *columns;   /* of J, ascending within a row */
    double *values; /* of J */
    bool diagonal_mass;
    double *Y;          /* diagonal mass: in the places of values; else n x nu, row i is M^-1 J_i' */
    double *compliance; /* n */
    double *rhs;        /* n: b - J a_free */
    double *z;          /* n: the solution */
    int redundant;      /* rows that depend on others: their z is 0 */
    double residual;    /* largest of |A z - rhs| over the independent rows */
} RgBilateral;

typedef enum RgRowClass {
    RG_ROW_BILATERAL,
    RG_ROW_BOUNDED,
    RG_ROW_NORMAL,
    RG_ROW_FRICTION, /* high is a coefficient of friction */
    RG_ROW_BOX       /* friction with low and high of its own */
} RgRowClass;

/* The rows of up to four points of a plane are sums of six: with b_k along, b_k' about the axes t1, t2, n of the plane,
   and a point at (x, y),
     normal b_n + y b_1' - x b_2'      tangents b_1 - y b_n',  b_2 + x b_n'
   Told beside the rows, for solvers that make use of it. */
#define RG_ROW_PATCH_POINTS 4
typedef struct RgRowPatch {
    int first, points;                    /* row of the first normal, points */
    double place[RG_ROW_PATCH_POINTS][2]; /* x, y */
    double base[6][12];                   /* b_n, b_1', b_2', b_1, b_2, b_n' over the columns of the rows */
} RgRowPatch;

typedef struct RgProblem {
    RgCrew *crew; /* who helps (base/parallel_for.h); NULL: nobody */
    int n, nu;
    int nblocks;
    const int *block; /* nblocks: first unknown of each, ascending */
    int *start;       /* n + 1 */
    int *columns;     /* ascending within a row */
    double *values;
    double *target, *compliance, *low, *high; /* n */
    int *normal;                              /* n; -1: none */
    uint8_t *row_class;                       /* n */
    bool *cone;                               /* n: this row and the next share a cone */
    bool *damper;                             /* n: the row is a damper alone; NULL: none is */
    bool *asks;       /* n: a target without bounds, below all other rows (attainable_targets.h); NULL: none is */
    double *conflict; /* n: its share in what contradicts the targets, at most 1; 0: none. NULL where asks is */
    int npatches;
    RgRowPatch *patches; /* ascending by their first rows; contacts need not be in one */
    double *z;           /* n: first guess, then the solution */
    const double *last;  /* n: impulses of the last time step, within bounds; NULL: none, or not wanted */
    uint32_t draws;      /* random numbers taken so far, by solvers that take any; in and out */
    double *s;           /* nu: s*, then s */
    double *rate;        /* n: takes J s at the end; NULL: not wanted */
    bool unjudged;       /* rate and residual are not wanted */
} RgProblem;

/* What a row comes from, in words ("limit", "motor", "loop") and the name of the joint; NULL: not told. */
typedef struct RgRowOrigin {
    const char *kind, *joint;
} RgRowOrigin;

/* How far a problem is from solved: the natural map z - P(z - w / A_ii), P onto the bounds. */
typedef struct RgResidual {
    double impulse;  /* its largest entry, N s (N m s) */
    double velocity; /* its largest entry times A_ii, m/s (rad/s) */
    double mean;     /* root of the mean square of the latter */
    int worst;       /* row of the largest velocity; -1: no rows */
} RgResidual;

/* One judge for all solvers. s must be the velocities that belong to z. response (n): what
   rg_problem_responses says; NULL: asks it row by row. rate (n): takes J s; may be NULL. */
RgResidual rg_problem_residual(const RgProblem *problem, const double *response, double *rate);

/* A_ii of rows first ... end - 1, which cut no cone; response: the same, but of two rows of a cone the larger
   eigenvalue of their block. Into the places of all rows. */
void rg_problem_responses(const RgProblem *problem, int first, int end, double *diagonal, double *response);

/* J_i . x */
static inline double rg_problem_row_times(const RgProblem *p, int i, const double *x)
{
    double sum = 0.0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * x[p->columns[e]];
    return sum;
}

/* J_i . J_i + C_i */
static inline double rg_problem_diagonal(const RgProblem *p, int i)
{
    double sum = p->compliance[i];
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * p->values[e];
    return sum;
}

/* x += J_i' z */
static inline void rg_problem_push(const RgProblem *p, int i, double z, double *x)
{
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        x[p->columns[e]] += p->values[e] * z;
}

typedef struct RgDirect RgDirect;

/* Memory of the direct solver for up to room rows with entries coefficients; NULL: none. */
RgDirect *rg_direct_take(RgArena *arena, int room, int entries, int nu);

/* Gives back the memory of the pattern, which is not the arena's. */
void rg_direct_free(RgDirect *direct);

/* Fills z, redundant, residual. RG_ERR_MEMORY: the pattern changed and there was no room for its analysis. */
RgStatus rg_direct_solve(RgDirect *direct, RgBilateral *problem);

/* x = another solution of A x = rhs with the last factor; in place. */
void rg_direct_again(RgDirect *direct, const RgBilateral *problem, double *x);

#endif
