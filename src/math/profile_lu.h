/*
 * profile_lu.h - A = L U of a matrix with symmetric nonzero pattern, within its profile, without pivoting.
 *
 * Row i has columns start[i] ... end[i]. Entries outside stay zero if end[i] is the last j with start[j] <= i (Jennings
 * 1966). L has a unit diagonal, U the pivots. Rows are updated by four pivot rows at a time, element by element: the
 * same bits with and without vector instructions. Cost: sum over rows of the products of their two half-widths; memory
 * n^2 numbers. Failure: a pivot of the size of round-off.
 */
#ifndef RIGOR_PROFILE_LU_H
#define RIGOR_PROFILE_LU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RgProfileLu {
    int32_t n;
    int32_t *start, *end; /* n: first and last column of a row */
    double *a;            /* n x n, row-major; entries outside the profile are not used */
} RgProfileLu;

/* Computes end from start. Returns the number of multiplications of a factorisation. */
double rg_profile_lu_close(RgProfileLu *lu);

/* Replaces A by L and U. False: a pivot is at most tolerance times the diagonal entry of A; A is then partly
   factored. */
bool rg_profile_lu_factor(const RgProfileLu *lu, double tolerance);

/* x <- A^-1 x. */
void rg_profile_lu_solve(const RgProfileLu *lu, double *x);

#endif
