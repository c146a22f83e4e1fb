/*
 * dense_lu.c - P A Q = L U with whole pivoting.
 *
 * At each step the largest entry of what is left is the pivot; when it is below a part of the largest entry of A,
 * the rest is taken for zero and the rank is known. Ties fall to the first row, then the first column.
 * Cost n^3 / 3 products and as many comparisons. Failure: none; NaN entries end the factor where they stand.
 */
#include "math/dense_lu.h"

#include <math.h>

void rg_lu_place(RgLu *lu, int n, double *doubles, int *ints)
{
    *lu = (RgLu){
        .n = n, .a = doubles, .work = doubles + (size_t)n * (size_t)n, .row = ints, .column = ints + n};
}

/* Largest entry of rows and columns from k on. */
static double find_largest(const RgLu *lu, int k, int *row, int *column)
{
    double largest = 0.0;
    *row = *column = k;
    for (int i = k; i < lu->n; i++) {
        const double *a = lu->a + (size_t)i * (size_t)lu->n;
        for (int j = k; j < lu->n; j++)
            if (fabs(a[j]) > largest) {
                largest = fabs(a[j]);
                *row = i;
                *column = j;
            }
    }
    return largest;
}

static void swap_rows(RgLu *lu, int i, int k)
{
    double *a = lu->a + (size_t)i * (size_t)lu->n, *b = lu->a + (size_t)k * (size_t)lu->n;
    for (int j = 0; j < lu->n && i != k; j++) {
        double held = a[j];
        a[j] = b[j];
        b[j] = held;
    }
    int held = lu->row[i];
    lu->row[i] = lu->row[k];
    lu->row[k] = held;
}

static void swap_columns(RgLu *lu, int j, int k)
{
    for (int i = 0; i < lu->n && j != k; i++) {
        double *a = lu->a + (size_t)i * (size_t)lu->n, held = a[j];
        a[j] = a[k];
        a[k] = held;
    }
    int held = lu->column[j];
    lu->column[j] = lu->column[k];
    lu->column[k] = held;
}

void rg_lu_factor(RgLu *lu, double tolerance)
{
    int n = lu->n;
    double least = 0.0;
    for (int k = 0; k < n; k++)
        lu->row[k] = lu->column[k] = k;
    for (lu->rank = 0; lu->rank < n; lu->rank++) {
        int k = lu->rank, row, column;
        double largest = find_largest(lu, k, &row, &column);
        if (k == 0)
            least = tolerance * largest;
        if (!(largest > least) || !isfinite(largest))
            return;
        swap_rows(lu, k, row);
        swap_columns(lu, k, column);
        const double *pivot = lu->a + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; i++) {
            double *a = lu->a + (size_t)i * (size_t)n, factor = a[k] / pivot[k];
            a[k] = factor;
            for (int j = k + 1; j < n && factor != 0.0; j++)
                a[j] -= factor * pivot[j];
        }
    }
}

void rg_lu_solve(const RgLu *lu, const double *b, double *x)
{
    int n = lu->n, rank = lu->rank;
    double *y = lu->work;
    for (int i = 0; i < rank; i++) {
        const double *a = lu->a + (size_t)i * (size_t)n;
        double sum = b[lu->row[i]];
        for (int j = 0; j < i; j++)
            sum -= a[j] * y[j];
        y[i] = sum;
    }
    for (int i = rank - 1; i >= 0; i--) {
        const double *a = lu->a + (size_t)i * (size_t)n;
        double sum = y[i];
        for (int j = i + 1; j < rank; j++)
            sum -= a[j] * y[j];
        y[i] = sum / a[i];
    }
    for (int k = 0; k < n; k++)
        x[lu->column[k]] = k < rank ? y[k] : 0.0;
}
