/* grow_ldl.h - L D L' of a symmetric matrix whose rows come and go one at a time. */
#ifndef RIGOR_GROW_LDL_H
#define RIGOR_GROW_LDL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct RgGrowLdl {
    int n, room;
    double *L;    /* room x room, by rows, below the diagonal of ones */
    double *D;    /* room */
    double *work; /* room */
} RgGrowLdl;

/* Doubles that room rows need. */
static inline size_t rg_grow_ldl_doubles(int room)
{
    return (size_t)room * ((size_t)room + 2);
}

/* No rows yet; memory for room of them. */
void rg_grow_ldl_place(RgGrowLdl *ldl, int room, double *doubles);

/* A row more at the end: its entries with the rows that are there, and on the diagonal. False: what is left of the
   diagonal is not above least, the row depends on the others and is not taken. */
bool rg_grow_ldl_add(RgGrowLdl *ldl, const double *row, double diagonal, double least);

/* Takes row k out; those after it move up. */
void rg_grow_ldl_remove(RgGrowLdl *ldl, int k);

/* Solves in place. */
void rg_grow_ldl_solve(const RgGrowLdl *ldl, double *x);

#endif
