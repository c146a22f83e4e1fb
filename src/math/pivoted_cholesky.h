/* pivoted_cholesky.h - a factor of a symmetric matrix that may be singular, and its rank. */
#ifndef RIGOR_PIVOTED_CHOLESKY_H
#define RIGOR_PIVOTED_CHOLESKY_H

/* A (n x n, symmetric, positive semidefinite) = L L'; L (n x n, row-major, zero at first) gets as many columns as the
   rank that is returned. It ends when no diagonal that is left is above tolerance times the largest of A. spare: n. */
int rg_pivoted_cholesky(const double *A, int n, double tolerance, double *L, double *spare);

/* Largest |A - L L'| over the largest |A|; 0 if A is zero. */
double rg_cholesky_residue(const double *A, int n, const double *L, int rank);

#endif
