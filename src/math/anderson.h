/*
 * anderson.h - a fixed point x = g(x) found sooner (Anderson 1965).
 *
 * Of the last few points the differences of f = g - x and of g are kept; the next x is g less the sum of those
 * differences of g whose f together are nearest to f. Where a point is worse than the last by far, all is forgotten.
 */
#ifndef RIGOR_ANDERSON_H
#define RIGOR_ANDERSON_H

#include "base/arena.h"

#define RG_ANDERSON_MEMORY 6

typedef struct RgAnderson {
    int n, count;
    bool began;
    double size; /* square of the last f */
    double *x, *f, *g, *rest;
    double *df, *dg, *q; /* RG_ANDERSON_MEMORY of them */
} RgAnderson;

/* False: no memory. */
bool rg_anderson_take(RgArena *arena, RgAnderson *a, int n);

void rg_anderson_forget(RgAnderson *a);

/* next: in, g of the last x (the first time: any g); out, the next x, not below least. */
void rg_anderson_next(RgAnderson *a, double least, double *next);

#endif
