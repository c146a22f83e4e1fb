/*
 * cone_work.h - the parts of the interior-point methods for cone programs: cones with their Nesterov-Todd
 * scaling, and the linear system of a step.
 *
 * For s, z inside K there is one symmetric W with W z = W^-1 s = lambda (Nesterov and Todd 1997; formulas of
 * Vandenberghe 2010, "The CVXOPT linear and quadratic cone program solvers", sections 2 to 4).
 *   R>=0          W = sqrt(s / z)
 *   second order  W = eta [w_0 w_1'; w_1  1 + w_1 w_1'/(1 + w_0)],  w_0^2 - |w_1|^2 = 1
 * Product of two vectors: (a b) in R, (a'b, a_0 b_1 + b_0 a_1) in a second-order cone; the unit is 1 or (1, 0).
 */
#ifndef RIGOR_CONE_WORK_H
#define RIGOR_CONE_WORK_H

#include "math/dense_factor.h"
#include "solver/program/cone_program.h"

typedef struct RgConeShape {
    int m, l, ncones;
    const int *cone;
} RgConeShape;

typedef struct RgConeScaling {
    double *w;      /* m: sqrt(s / z), then w of each cone */
    double *eta;    /* one for each cone */
    double *lambda; /* m */
} RgConeScaling;

/* false: s or z is not inside. */
bool rg_cone_scaling_set(const RgConeShape *k, const double *s, const double *z, RgConeScaling *to);

void rg_cone_times(const RgConeShape *k, const RgConeScaling *by, const double *v, double *out); /* W v */
void rg_cone_over(const RgConeShape *k, const RgConeScaling *by, const double *v, double *out);  /* W^-1 v */
void rg_cone_product(const RgConeShape *k, const double *a, const double *b, double *out);
void rg_cone_divide(const RgConeShape *k, const double *lambda, const double *v, double *out); /* lambda u = v */
void rg_cone_add_unit(const RgConeShape *k, double t, double *v);                              /* v += t e */

/* Longest step along d from s, at most `most`, that ends inside or on the edge. */
double rg_cone_reach(const RgConeShape *k, const double *s, const double *d, double most);

/* Smallest distance to the edge, s_i or s_0 - |s_1|; above 0: inside. Infinite without rows. */
double rg_cone_depth(const RgConeShape *k, const double *s);

/* A method's numbers: the program scaled to rows and columns near one,
     x = dx x^,  z = ez z^ / cost,  s = s^ / ez */
struct RgConeWork {
    int room_n, room_m;
    int n;
    RgConeShape k;
    bool curved; /* H is there */
    double *H, *G, *c, *h;
    double *dx, *ez, cost;
    double *x, *z, *s;
    RgConeScaling scaling;
    double *Gs;                            /* m x n: W^-1 G */
    double *M;                             /* n x n: upper half of L D L' */
    int *order;                            /* n: rows of M as they were */
    double *line;                          /* n + m */
    double *right, *residual, *correction; /* n + m */
    double *dir[3];                        /* n + m each: steps (x, z) */
    double *ds, *t1, *t2, *t3;             /* m; t1 is the system's own */
    double *hx;                            /* n */
    double *best;                          /* n: the last point */
};

/* Checks the program and copies it, scaled. */
RgStatus rg_cone_work_load(RgConeWork *w, const RgConeProgram *program);

/* Largest |v_i| f_i, or with over |v_i| / f_i; NULL: f = 1. */
double rg_cone_largest(int n, const double *v, const double *f, bool over);

/* out += M' y */
void rg_cone_matrix_add_back(int rows, int n, const double *M, const double *y, double *out);

/* Factors H + G'W^-2 G with a small regularisation. */
void rg_cone_kkt_factor(RgConeWork *w);

/*
 * H x + G'z = right_x, G x - W^2 z = right_z, refined without the regularisation. All of n + m numbers. Returns the
 * largest entry of the residual over that of the right side.
 */
double rg_cone_kkt_solve(RgConeWork *w, const double *right, double *out);

#endif
