/*
 * problem.h - the numerical problems that solvers work on, without bodies, joints or time.
 *
 * Bilateral problem, n rows over nu unknowns:
 *   a = a_free + M^-1 J' z,    J a + C z = b
 *   (J Y + C) z = b - J a_free,  Y = M^-1 J'
 * J is sparse by rows; Y has either the same columns (M diagonal) or all of them.
 *
 * Problem of n rows with bounds, at velocity level. Velocities are scaled by the root of the mass, so that M = 1:
 *   s = s* + J' z,    w = J s + C z - target,    and for every row one of:
 *   bilateral   w = 0
 *   bounded     low <= z <= high,  w >= 0 at low, <= 0 at high, 0 between          (normals: low = 0)
 *   friction    |z| <= high z_N, z_N the impulse of row `normal`, with the same conditions on w. Two rows with `cone`:
 *               (z_i / high_i)^2 + (z_j / high_j)^2 <= z_N^2, and w opposes z on the edge
 * The friction rows of a normal follow it directly. A block is a run of six unknowns (a free body); solvers are fastest
 * for rows on one or two whole blocks.
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
    double *Y;          /* diagonal mass: parallel to values; else n x nu, row i is M^-1 J_i' */
    double *compliance; /* n */
    double *rhs;        /* n: b - J a_free */
    double *z;          /* n: the solution */
    int redundant;      /* number of linearly dependent rows; their z is 0 */
    double residual;    /* largest |A z - rhs| of the independent rows */
    double *alone; /* n: response of the bodies without joints, with which weak rows are compared; 0: the diagonal's */
} RgBilateral;

typedef enum RgRowClass {
    RG_ROW_BILATERAL,
    RG_ROW_BOUNDED,
    RG_ROW_NORMAL,
    RG_ROW_FRICTION, /* high is the friction coefficient */
    RG_ROW_BOX       /* friction with fixed bounds low and high */
} RgRowClass;

/* The rows of up to four contact points in a plane are linear combinations of six base rows: b_k along and b_k' about
   the axes t1, t2, n of the plane. For a point at (x, y): normal b_n + y b_1' - x b_2', tangents b_1 - y b_n' and b_2 +
   x b_n'. Stored beside the rows for solvers that use it. */
#define RG_ROW_PATCH_POINTS 4
typedef struct RgRowPatch {
    int first, points;                    /* row of the first normal; number of points */
    double place[RG_ROW_PATCH_POINTS][2]; /* x, y */
    double base[6][12];                   /* b_n, b_1', b_2', b_1, b_2, b_n' over the columns of the rows */
} RgRowPatch;

typedef struct RgProblem {
    RgThreadPool *thread_pool; /* thread pool (base/parallel_for.h); NULL: single-threaded */
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
    bool *damper;                             /* n: the row is a pure damper; NULL: none is */
    /* n: a target without bounds, with lower priority than all other rows (attainable_targets.h); NULL: none */
    bool *asks;
    double *conflict; /* n: share of the row in a contradiction of targets, 0 to 1; may be NULL where asks is not */
    int npatches;
    RgRowPatch *patches; /* ascending by first row; contacts need not belong to a patch */
    double *z;           /* n: initial guess, then the solution */
    const double *last;  /* n: impulses of the previous time step, within bounds; NULL: none, or not requested */
    uint32_t draws;      /* random numbers drawn so far by solvers that draw any; in and out */
    double *s;           /* nu: s* on entry, s on return */
    double *rate;        /* n: out, J s; NULL: not requested */
    bool skip_residual;  /* rate and residual are not requested */
} RgProblem;

/* The arrays of n rows with so many coefficients, zeroed; those that may be NULL are left as they are. False: no
   memory. */
bool rg_problem_alloc(RgArena *arena, RgProblem *p, int n, size_t entries);

/* Origin of a row in words ("limit", "motor", "loop") and the name of the joint; NULL: not known. */
typedef struct RgRowOrigin {
    const char *kind, *joint;
} RgRowOrigin;

/* Distance from a solution: the natural map z - P(z - w / A_ii), P the projection onto the bounds. */
typedef struct RgResidual {
    double impulse;  /* largest entry, N s (N m s) */
    double velocity; /* largest entry times A_ii, m/s (rad/s) */
    double mean;     /* root mean square of the entries times A_ii, m/s */
    int worst;       /* row of the largest velocity; -1: no rows */
} RgResidual;

/* The same residual for all solvers. s must be the velocities that belong to z. response (n): from
   rg_problem_responses; NULL: computed row by row. rate (n): out, J s; NULL: not requested. */
RgResidual rg_problem_residual(const RgProblem *problem, const double *response, double *rate);

/* A_ii of rows first ... end - 1, a range that splits no cone. response: the same, but for the two rows of a cone the
   larger eigenvalue of their block. Both are indexed by row. */
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
static inline void rg_problem_apply_impulse(const RgProblem *p, int i, double z, double *x)
{
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        x[p->columns[e]] += p->values[e] * z;
}

typedef struct RgDirect RgDirect;

/* Allocates the direct solver for up to room rows with `entries` coefficients and nu unknowns; NULL: no memory. */
RgDirect *rg_direct_alloc(RgArena *arena, int room, int entries, int nu);

/* Frees the memory of the pattern, which is not part of the arena. */
void rg_direct_free(RgDirect *direct);

/* Fills z, redundant and residual. RG_ERR_MEMORY: the pattern changed and there was no memory for its analysis. */
RgStatus rg_direct_solve(RgDirect *direct, RgBilateral *problem);

/* Solves A x = rhs with the existing factor; x: rhs on entry, solution on return. */
void rg_direct_solve_again(RgDirect *direct, const RgBilateral *problem, double *x);

/* Whether some rows are nearly dependent on others; the same solution without what such rows alone ask for. */
bool rg_direct_has_weak_rows(RgDirect *direct, const RgBilateral *problem);
void rg_direct_solve_strong(RgDirect *direct, const RgBilateral *problem, double *x);

#endif
