/*
 * pyramid.h - friction rows of a dense problem as pyramids, so that no bound depends on another row (Stewart, Trinkle
 * 1996; Anitescu, Potra 1997).
 *
 * Two friction rows that share a cone become k impulses b_j >= 0 along d_j = (c_1 cos, c_2 sin)(2 pi j / k) and one l
 * >= 0, approximately the sliding speed; c = mu / largest mu of the two, mu the latter:
 *
 *   z_t = sum b_j d_j,    w_j = d_j . w_t + l,    w_l = mu z_n - sum b_j
 *
 * so that z_t lies in the polygon with corners on the ellipse. A single friction row has two directions. All other rows
 * are unchanged. The matrix is D' W D with the columns of l and the rows of w_l: not symmetric, copositive.
 */
#ifndef RIGOR_PYRAMID_H
#define RIGOR_PYRAMID_H

#include "solver/pivot/dense_lcp.h"

/* A variable of the pyramid problem: an impulse along up to two rows, or l of a contact. */
typedef struct RgPyramidPart {
    int row[2];       /* -1: none */
    double weight[2]; /* contribution to z of those rows */
    int slip;         /* its variable l; -1: none */
    int normal;       /* only l: row of the normal; -1: not an l */
    double mu;        /* only l */
} RgPyramidPart;

typedef struct RgPyramid {
    const RgDenseLcp *rows;
    const bool *cone; /* this row and the next share a cone; NULL: no cones */
    int sides, nparts;
    RgPyramidPart *parts;
} RgPyramid;

/* Allocates and fills parts; rows, cone and sides must be set. False: no memory. */
bool rg_pyramid_alloc(RgArena *arena, RgPyramid *g);

/* Builds the problem over the parts, with z = 0. False: no memory. */
bool rg_pyramid_problem(RgArena *arena, const RgPyramid *g, RgDenseLcp *out);

/* z of the rows from z of the parts, projected onto their bounds. */
void rg_pyramid_impulses(const RgPyramid *g, const double *parts_z, double *z);

#endif
