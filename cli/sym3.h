/* sym3.h - eigenvalues of symmetric 3x3 matrices, alone and relative to another one. */
#ifndef RIGOR_SYM3_H
#define RIGOR_SYM3_H

#include <rigor/math.h>

#include <stdbool.h>

/* A = sum_k values[k] u_k u_k', values ascending, unit u_k in the columns of axes. */
void rg_sym3_axes(RgSym3 A, double values[3], RgMat3 *axes);

/* Largest u'A u / u'B u over all u, and the unit u. false: B is not positive definite. */
bool rg_sym3_ratio(RgSym3 A, RgSym3 B, double *ratio, RgVec3 *u);

/* R A R'. */
RgSym3 rg_sym3_rotate(RgMat3 R, RgSym3 A);

#endif
