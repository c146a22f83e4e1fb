/* sym3.h - one symmetric 3x3 matrix relative to another. */
#ifndef RIGOR_SYM3_H
#define RIGOR_SYM3_H

#include <rigor/model.h>

#include <stdbool.h>

/* Largest u'A u / u'B u over all u, and the unit u. false: B is not positive definite. */
bool rg_sym3_ratio(RgSym3 A, RgSym3 B, double *ratio, RgVec3 *u);

/* R A R'. */
RgSym3 rg_sym3_rotate(RgMat3 R, RgSym3 A);

#endif
