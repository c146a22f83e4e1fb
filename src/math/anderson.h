/*
 * anderson.h - Anderson acceleration (Anderson 1965) of the fixed-point iteration x = g(x).
 *
 * The method stores differences of f = g - x and of g over the last iterates. The next x is g minus that combination of
 * the differences of g whose f differences fit f best (least squares). If |f| grows to twice the last value the stored
 * differences are discarded.
 */
#ifndef RIGOR_ANDERSON_H
#define RIGOR_ANDERSON_H

#include "base/arena.h"

#define RG_ANDERSON_MEMORY 6 /* stored differences; each costs three vectors of n, and O(n) work per difference */

typedef struct RgAnderson {
    int n, count;
    bool has_previous;        /* x, f, g hold the last iterate */
    double size;              /* |f|^2 of the last iterate */
    double *x, *f, *g, *rest; /* n each; rest: residual of the least-squares fit */
    double *df, *dg, *q;      /* RG_ANDERSON_MEMORY columns of n: differences, orthonormal basis of df */
} RgAnderson;

/* n: length of x. False: out of memory. */
bool rg_anderson_alloc(RgArena *arena, RgAnderson *a, int n);

/* Discards the stored differences. */
void rg_anderson_reset(RgAnderson *a);

/* next: on entry g(x) of the last x (at the first call: any g); on return the next x, each entry at least least. */
void rg_anderson_next(RgAnderson *a, double least, double *next);

#endif
