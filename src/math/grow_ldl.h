/* grow_ldl.h - dense L D L' of a symmetric matrix, updated as rows are added and removed. */
#ifndef RIGOR_GROW_LDL_H
#define RIGOR_GROW_LDL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct RgGrowLdl {
    int n, room;  /* rows; capacity */
    double *L;    /* room x room, by rows, below the diagonal of ones */
    double *D;    /* room */
    double *work; /* room */
} RgGrowLdl;

/* Number of doubles for a capacity of room rows. */
static inline size_t rg_grow_ldl_doubles(int room)
{
    return (size_t)room * ((size_t)room + 2);
}

/* Initialises an empty factor with capacity room in the given memory. */
void rg_grow_ldl_place(RgGrowLdl *ldl, int room, double *doubles);

/* Adds a row at the end: its entries with the present rows, and its diagonal. False: the new pivot is not above least,
   as the row depends on the others; it is not added. */
bool rg_grow_ldl_add(RgGrowLdl *ldl, const double *row, double diagonal, double least);

/* Removes row k; later rows move up. */
void rg_grow_ldl_remove(RgGrowLdl *ldl, int k);

/* x <- A^-1 x. */
void rg_grow_ldl_solve(const RgGrowLdl *ldl, double *x);

#endif
