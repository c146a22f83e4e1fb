/*
 * dense_lcp.h - linear complementarity with bounds over a dense matrix.
 *
 *   w = M z + q,   low <= z <= high,   w >= 0 at low, <= 0 at high, 0 between
 *
 * A free variable (no bounds) has w = 0: equalities of a mixed problem. A friction row i has normal[i] >= 0 and
 * |z_i| <= high_i z_normal, where high_i is its coefficient. M need not be symmetric.
 */
#ifndef RIGOR_DENSE_LCP_H
#define RIGOR_DENSE_LCP_H

#include "math/grow_ldl.h"
#include "solver/problem.h"

typedef struct RgDenseLcp {
    int n;
    double *M;          /* n x n, by rows */
    double *q;          /* n */
    double *low, *high; /* n; infinities are allowed; of friction rows high is the coefficient, low is not read */
    int *normal;        /* n; -1: no friction row; NULL: there are none */
    bool symmetric;     /* M is symmetric and positive semidefinite */
    bool stiff; /* of solutions with different w the limit of stiff springs is wanted: M + e, e -> 0 (lemke.c) */
    double *z;  /* n: first guess, then the solution */
    double *w;  /* n: M z + q at the end */
} RgDenseLcp;

typedef struct RgLcpResidual {
    double natural; /* largest |z - P(z - w / scale)| scale, scale: M_ii where that is positive, else 1 */
    double plain;   /* largest |z - P(z - w)|; of an LCP: |min(z, w)| */
    int worst;      /* row of the latter; -1: none */
} RgLcpResidual;

/* Where a variable stands. */
typedef enum RgLcpPlace { RG_LCP_LOW, RG_LCP_FREE, RG_LCP_HIGH } RgLcpPlace;

/* Bounds of row i with the present normal impulses. */
void rg_dense_lcp_bounds(const RgDenseLcp *lcp, int i, double *low, double *high);

/* Whether row i is an equality: without bounds. */
bool rg_dense_lcp_equality(const RgDenseLcp *lcp, int i);

/* w_i = M_i z + q_i. */
double rg_dense_lcp_rate(const RgDenseLcp *lcp, int i);

/* w = M z + q, and the judge's word. */
RgLcpResidual rg_dense_lcp_judge(RgDenseLcp *lcp);

/* Room for n rows; false: no memory. With friction: normal too, all -1. */
bool rg_dense_lcp_take(RgArena *arena, int n, bool friction, RgDenseLcp *lcp);

/* Whether every number is one, bounds in their order, normals rows without friction. */
bool rg_dense_lcp_valid(const RgDenseLcp *lcp);

/* A problem with a symmetric matrix, its equalities f eliminated; those that depend on others are left out, z = 0:
     S = M_bb - M_bf M_ff^-1 M_fb,   p = q_b - M_bf M_ff^-1 q_f */
typedef struct RgLcpReduced {
    int nf, nb;
    int *equal;    /* nf: equalities that are kept */
    int *row;      /* nb: the other rows */
    int *place;    /* n of the problem: among the nb; -1: an equality */
    RgGrowLdl ldl; /* M_ff */
    double *y;     /* equalities: scratch */
    double *S,
        *p; /* nb x nb, nb; without equalities M and q themselves. One that depends on the equalities has S_ii = 0 */
} RgLcpReduced;

/* False: no memory. */
bool rg_dense_lcp_reduce(RgArena *arena, const RgDenseLcp *lcp, RgLcpReduced *out);

/* Equalities to w = 0, from the z that there is. */
void rg_dense_lcp_meet_equalities(const RgLcpReduced *r, RgDenseLcp *lcp);

/* Factors that bring the entries of a matrix near 1. */
typedef struct RgLcpScales {
    const double *row, *column; /* n */
} RgLcpScales;

/* With all variables that stand LOW or HIGH at their bounds, the free ones once more from w = 0: whole pivoting, then
   refinement; those that depend on others keep their z. No friction rows. Returns the rank that was missing;
   -1: no memory. */
int rg_dense_lcp_polish(RgArena *arena, RgDenseLcp *lcp, const uint8_t *place, RgLcpScales scales);

/* The rows `rows` of a problem (NULL: all) with W = J J' + C and q = J s* - target, s* = problem->s; normals must be
   among them. First guess from the problem's. False: no memory. */
bool rg_dense_lcp_of_rows(RgArena *arena, const RgProblem *problem, const int *rows, int n, RgDenseLcp *lcp);

#endif
