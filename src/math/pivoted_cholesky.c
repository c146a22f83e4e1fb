/*
 * pivoted_cholesky.c - A = L L' with the largest diagonal that is left as the next pivot.
 *
 *   d_i = A_ii;   k = 0, 1, ...:  p = argmax d,   L_ik = (A_ip - sum_m<k L_im L_pm) / sqrt(d_p),   d_i -= L_ik^2
 *
 * (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 10.3.) Rows keep their places: L is lower triangular
 * but for their order, L_pk = sqrt(d_p), and 0 behind. Cost n rank^2. The matrix is never changed. A matrix that is not
 * semidefinite has no such factor: entries larger than its diagonal allows are cut, and the residue tells how far off
 * that is. Fails on nothing; rank 0 for the zero matrix.
 */
#include "math/pivoted_cholesky.h"

#include <math.h>
#include <stddef.h>

static double dot(const double *x, const double *y, int n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

int rg_pivoted_cholesky(const double *A, int n, double tolerance, double *L, double *d)
{
    size_t stride = (size_t)n;
    double largest = 0.0;
    for (size_t i = 0; i < stride; i++) {
        d[i] = A[i * stride + i];
        largest = d[i] > largest ? d[i] : largest;
    }
    for (int k = 0; k < n; k++) {
        size_t p = 0;
        for (size_t i = 1; i < stride; i++)
            p = d[i] > d[p] ? i : p;
        if (!(d[p] > tolerance * largest))
            return k;
        double root = sqrt(d[p]);
        const double *pivot = L + p * stride;

        /* Rows that were pivots are done: their d is 0. */
        d[p] = 0.0;
        for (size_t i = 0; i < stride; i++) {
            if (!(d[i] > 0.0))
                continue;
            double *row = L + i * stride;
            double x = (A[i * stride + p] - dot(row, pivot, k)) / root, most = sqrt(d[i]);
            row[k] = x > most ? most : x < -most ? -most : x;
            d[i] = fabs(x) < most ? d[i] - x * x : 0.0;
        }
        L[p * stride + (size_t)k] = root;
    }
    return n;
}

double rg_cholesky_residue(const double *A, int n, const double *L, int rank)
{
    size_t stride = (size_t)n;
    double largest = 0.0, apart = 0.0;
    for (size_t i = 0; i < stride; i++)
        for (size_t j = 0; j <= i; j++) {
            double a = A[i * stride + j];
            largest = fabs(a) > largest ? fabs(a) : largest;
            apart = fmax(apart, fabs(a - dot(L + i * stride, L + j * stride, rank)));
        }
    return largest > 0.0 ? apart / largest : 0.0;
}
