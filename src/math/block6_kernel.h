/*
 * block6_kernel.h - products of 6 x 6 blocks (block6.h), written once and compiled for two and for four numbers at a
 * time. The including file defines
 *
 *   WIDE, COUNT      a vector type, and how many vectors make a row
 *   FIELD            the same vector type for unaligned access to an array
 *   KERNEL, FN(name) function attributes, and a name suffix
 */

typedef struct FN(Row) {
    WIDE x[COUNT];
} FN(Row);

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

KERNEL inline __attribute__((always_inline)) FN(Row) FN(load)(const double *from)
{
    FN(Row) row;
    UNROLL for (int k = 0; k < COUNT; k++) row.x[k] = ((const FIELD *)from)[k];
    return row;
}

KERNEL inline __attribute__((always_inline)) void FN(store)(FN(Row) row, double *to)
{
    UNROLL for (int k = 0; k < COUNT; k++)((FIELD *)to)[k] = row.x[k];
}

KERNEL inline __attribute__((always_inline)) FN(Row) FN(axpy)(double a, const double *from, FN(Row) row)
{
    FN(Row) x = FN(load)(from);
    UNROLL for (int k = 0; k < COUNT; k++) row.x[k] += a * x.x[k];
    return row;
}

KERNEL void FN(times)(RgBlock6Row *A, RgBlock6Row *B, RgBlock6Row *C)
{
    for (int i = 0; i < 6; i++) {
        FN(Row) row;
        UNROLL for (int k = 0; k < COUNT; k++) row.x[k] = (WIDE){0.0};
        UNROLL for (int k = 0; k < 6; k++) row = FN(axpy)(A[i][k], B[k], row);
        FN(store)(row, C[i]);
    }
}

KERNEL void FN(add_product)(RgBlock6Row *C, double sign, RgBlock6Row *A, RgBlock6Row *B)
{
    for (int i = 0; i < 6; i++) {
        FN(Row) row = FN(load)(C[i]);
        UNROLL for (int k = 0; k < 6; k++) row = FN(axpy)(sign * A[k][i], B[k], row);
        FN(store)(row, C[i]);
    }
}

KERNEL void FN(subtract_product)(RgBlock6Row *C, RgBlock6Row *A, RgBlock6Row *B)
{
    for (int i = 0; i < 6; i++) {
        FN(Row) row = FN(load)(C[i]);
        UNROLL for (int k = 0; k < 6; k++) row = FN(axpy)(-A[i][k], B[k], row);
        FN(store)(row, C[i]);
    }
}

KERNEL void FN(divide)(RgBlock6Row *L, RgBlock6Row *X)
{
    for (int i = 0; i < 6; i++) {
        FN(Row) row = FN(load)(X[i]);
        for (int c = 0; c < i; c++)
            row = FN(axpy)(-L[i][c], X[c], row);
        UNROLL for (int k = 0; k < COUNT; k++) row.x[k] *= L[i][i];
        FN(store)(row, X[i]);
    }
}

KERNEL void FN(subtract_t)(RgBlock6Row *A, const double *x, double *y)
{
    FN(Row) row = FN(load)(y);
    UNROLL for (int i = 0; i < 6; i++) row = FN(axpy)(-x[i], A[i], row);
    FN(store)(row, y);
}

KERNEL void FN(subtract)(RgBlock6Row *A, const double *x, double *y)
{
    UNROLL for (int i = 0; i < 6; i++)
    {
        double sum = y[i];
        UNROLL for (int j = 0; j < 6; j++) sum -= A[i][j] * x[j];
        y[i] = sum;
    }
}
