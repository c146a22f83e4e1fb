/*
 * dense_lcp.h - linear complementarity problem with bounds over a dense matrix:
 *
 *   w = M z + q,   low <= z <= high,   w >= 0 at low, <= 0 at high, 0 between
 *
 * A variable without bounds has w = 0: an equality of a mixed problem. A friction row i has normal[i] >= 0 and |z_i| <=
 * high_i z_normal, where high_i is its coefficient. M need not be symmetric.
 */
#ifndef RIGOR_DENSE_LCP_H
#define RIGOR_DENSE_LCP_H

#include "math/grow_ldl.h"
#include "solver/problem.h"

typedef struct RgDenseLcp {
    int n;
    double *M;          /* n x n, row-major */
    double *q;          /* n */
    double *low, *high; /* n; may be infinite; of friction rows high is the coefficient, low is not used */
    int *normal;        /* n: row of the normal; -1: not a friction row; NULL: no friction rows */
    bool symmetric;     /* M is symmetric and positive semidefinite */
    /* if solutions with different w exist, the limit of stiff springs is computed: M + e, e -> 0 (lemke.c) */
    bool stiff;
    double *z; /* n: initial guess, then the solution */
    double *w; /* n: M z + q on return */
} RgDenseLcp;

typedef struct RgLcpResidual {
    double natural; /* largest |z - P(z - w / scale)| scale, scale: M_ii where that is positive, else 1 */
    double plain;   /* largest |z - P(z - w)|; of an LCP: |min(z, w)| */
    int worst;      /* row of the latter; -1: none */
} RgLcpResidual;

/* Position of a variable: at a bound, or free with w = 0. */
typedef enum RgLcpPlace { RG_LCP_LOW, RG_LCP_FREE, RG_LCP_HIGH } RgLcpPlace;

/* Bounds of row i for the present normal impulses. */
void rg_dense_lcp_bounds(const RgDenseLcp *lcp, int i, double *low, double *high);

/* Whether row i is an equality: a row without bounds that is not friction. */
bool rg_dense_lcp_equality(const RgDenseLcp *lcp, int i);

/* w_i = M_i z + q_i. */
double rg_dense_lcp_rate(const RgDenseLcp *lcp, int i);

/* Sets w = M z + q and returns the residual. */
RgLcpResidual rg_dense_lcp_residual(RgDenseLcp *lcp);

/* Allocates a problem of n rows; with friction also normal, all -1. False: no memory. */
bool rg_dense_lcp_alloc(RgArena *arena, int n, bool friction, RgDenseLcp *lcp);

/* Whether no input is NaN (M, q and coefficients also finite), bounds are in order, and normals are not friction
   rows. */
bool rg_dense_lcp_valid(const RgDenseLcp *lcp);

/*
 * A problem with a symmetric matrix whose equalities f are eliminated; equalities that depend on others are left out,
 * with z = 0:
 *   S = M_bb - M_bf M_ff^-1 M_fb,   p = q_b - M_bf M_ff^-1 q_f
 */
typedef struct RgLcpReduced {
    int nf, nb;
    int *equal;    /* nf: independent equalities */
    int *row;      /* nb: the other rows */
    int *place;    /* n of the problem: index among the nb rows; -1: an equality */
    RgGrowLdl ldl; /* M_ff */
    double *y;     /* scratch, one number per equality */
    /* nb x nb, nb; without equalities M and q themselves. A row that depends on the equalities has S_ii = 0 */
    double *S, *p;
} RgLcpReduced;

/* False: no memory. */
bool rg_dense_lcp_reduce(RgArena *arena, const RgDenseLcp *lcp, RgLcpReduced *out);

/* Corrects z of the equalities so that their w is 0, with all other z fixed. */
void rg_dense_lcp_solve_equalities(const RgLcpReduced *r, RgDenseLcp *lcp);

/* Scale factors that bring the entries of a matrix near 1. */
typedef struct RgLcpScales {
    const double *row, *column; /* n */
} RgLcpScales;

/* Sets variables that are LOW or HIGH to their bounds and solves w = 0 for the free ones again, by L U with complete
   pivoting and iterative refinement; dependent ones keep their z. No friction rows. Returns the rank deficiency; -1: no
   memory. */
int rg_dense_lcp_polish(RgArena *arena, RgDenseLcp *lcp, const uint8_t *place, RgLcpScales scales);

/* The dense problem of the rows `rows` (NULL: all) with W = J J' + C and q = J s* - target, s* = problem->s. The
   normals of friction rows must be among them. The initial guess is that of the problem. False: no memory. */
bool rg_dense_lcp_from_rows(RgArena *arena, const RgProblem *problem, const int *rows, int n, RgDenseLcp *lcp);

#endif
