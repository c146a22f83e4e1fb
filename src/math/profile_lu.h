/*
 * profile_lu.h - A = L U of a matrix whose nonzero pattern is symmetric, within its profile, without pivoting.
 *
 * Row i has columns start[i] ... end[i]; what is zero before and behind stays zero if end[i] is the last j with
 * start[j] <= i (Jennings 1966). L has ones on its diagonal, U the pivots. Rows are updated by four rows at a time,
 * element by element: the same bits with and without vector instructions. Cost: the sum over rows of the products of
 * their two widths; memory: n^2 numbers. Failure: a pivot that is round-off.
 */
#ifndef RIGOR_PROFILE_LU_H
#define RIGOR_PROFILE_LU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RgProfileLu {
    int32_t n;
    int32_t *start, *end; /* n: first and last column of a row */
    double *a;            /* n x n by rows; what is outside the profile is never read */
} RgProfileLu;

/* Sets end from start. Returns the products that a factor takes. */
double rg_profile_lu_close(RgProfileLu *lu);

/* A becomes L and U. Returns false if a pivot is no larger than lost times the diagonal of A there: A is then
   half factored. */
bool rg_profile_lu_factor(const RgProfileLu *lu, double lost);

/* x becomes A^-1 x. */
void rg_profile_lu_solve(const RgProfileLu *lu, double *x);

#endif
