/*
 * cone_work.h - parts of the interior-point methods for cone programs: cones with their Nesterov-Todd scaling, and the
 * linear system of a step.
 *
 * For s, z in the interior of K there is one symmetric W with W z = W^-1 s = lambda (Nesterov and Todd 1997; formulas
 * of Vandenberghe 2010, "The CVXOPT linear and quadratic cone program solvers", sections 2 to 4).
 *   R>=0          W = sqrt(s / z)
 *   second order  W = eta [w_0 w_1'; w_1  1 + w_1 w_1'/(1 + w_0)],  w_0^2 - |w_1|^2 = 1
 */
#ifndef RIGOR_CONE_WORK_H
#define RIGOR_CONE_WORK_H

#include "math/dense_factor.h"
#include "solver/program/cone_program.h"

/* K: m rows, the first l in R>=0, then ncones second-order cones of cone[j] rows. */
typedef struct RgConeShape {
    int m, l, ncones;
    const int *cone;
} RgConeShape;

typedef struct RgConeScaling {
    double *w;      /* m: sqrt(s / z) of R>=0, then w of each cone */
    double *eta;    /* one for each cone */
    double *lambda; /* m */
} RgConeScaling;

/* Computes W and lambda. False: s or z is not in the interior. */
bool rg_cone_scaling_set(const RgConeShape *k, const double *s, const double *z, RgConeScaling *to);

void rg_cone_times(const RgConeShape *k, const RgConeScaling *by, const double *v, double *out);         /* W v */
void rg_cone_times_inverse(const RgConeShape *k, const RgConeScaling *by, const double *v, double *out); /* W^-1 v */
/* Jordan product of a and b: a_i b_i; (a . b, a_0 b_1 + b_0 a_1). */
void rg_cone_product(const RgConeShape *k, const double *a, const double *b, double *out);
void rg_cone_divide(const RgConeShape *k, const double *lambda, const double *v, double *out); /* u with lambda u = v */
void rg_cone_add_unit(const RgConeShape *k, double t, double *v);                              /* v += t e */

/* Longest step along d from s, at most `most`, that stays in K or on its boundary. */
double rg_cone_max_step(const RgConeShape *k, const double *s, const double *d, double most);

/* Smallest s_i or s_0 - |s_1|; above 0: in the interior. Infinite without rows. */
double rg_cone_margin(const RgConeShape *k, const double *s);

/*
 * Working state of a method: the program scaled to rows and columns with largest entries near one,
 *   x = dx x^,  z = ez z^ / cost,  s = s^ / ez
 */
struct RgConeWork {
    int room_n, room_m; /* largest sizes */
    int n;
    RgConeShape k;
    bool has_quadratic_cost; /* H is not NULL */
    double *H, *G, *c, *h;
    double *dx, *ez, cost;
    double *x, *z, *s;
    RgConeScaling scaling;
    double *Gs;                            /* m x n: W^-1 G */
    double *M;                             /* n x n: L D L' in the upper half */
    int *order;                            /* n: row of M at each pivot */
    double *line;                          /* n + m: scratch */
    double *right, *residual, *correction; /* n + m */
    double *dir[3];                        /* n + m each: steps or residuals (x, z) */
    double *ds, *t1, *t2, *t3;             /* m: step of s; scratch, t1 is used by the linear system */
    double *hx;                            /* n: H x, or the gradient H x + c */
    double *best;                          /* n: the previous point */
};

/* Checks the program, and copies and scales it. */
RgStatus rg_cone_work_load(RgConeWork *w, const RgConeProgram *program);

/* Largest |v_i| f_i, or |v_i| / f_i if divide; f NULL: 1. NaN is passed on. */
double rg_cone_scaled_max(int n, const double *v, const double *f, bool divide);

/* out += M' y */
void rg_cone_add_transpose_times(int rows, int n, const double *M, const double *y, double *out);

/* Factors H + G'W^-2 G with a small regularisation. */
void rg_cone_kkt_factor(RgConeWork *w);

/*
 * Solves H x + G'z = right_x, G x - W^2 z = right_z, with iterative refinement that removes the effect of the
 * regularisation. right and out have n + m entries. Returns the largest entry of the residual over that of the right
 * side.
 */
double rg_cone_kkt_solve(RgConeWork *w, const double *right, double *out);

#endif
