/* dense_lu.h - L U factors of a dense matrix, with whole pivoting: its rank, and a solution where there is one. */
#ifndef RIGOR_DENSE_LU_H
#define RIGOR_DENSE_LU_H

#include <stddef.h>

typedef struct RgLu {
    int n, rank;
    double *a;    /* n x n by rows: the matrix, then its factors */
    int *row;     /* n: place k holds row row[k] of the matrix */
    int *column;  /* n */
    double *work; /* n */
} RgLu;

/* Doubles and ints that a matrix of n rows needs. */
static inline size_t rg_lu_doubles(int n)
{
    return (size_t)n * ((size_t)n + 1);
}

static inline size_t rg_lu_ints(int n)
{
    return 2 * (size_t)n;
}

/* Gives the parts their places in the two runs of memory. */
void rg_lu_place(RgLu *lu, int n, double *doubles, int *ints);

/* Factors a; pivots below tolerance times the largest entry count as zero and end it. */
void rg_lu_factor(RgLu *lu, double tolerance);

/* x: a solution of the rows that the rank reaches; unknowns beyond it are 0. b and x may be the same. */
void rg_lu_solve(const RgLu *lu, const double *b, double *x);

#endif
