/*
 * block6.c - 6 x 6 blocks (block6.h): factors, and the kernels for two numbers at a time.
 */
#include "math/block6.h"

#include <math.h>

typedef RgPair Field __attribute__((may_alias, aligned(8))); /* two numbers of an array */

#define WIDE RgPair
#define FIELD Field
#define COUNT 4
#define KERNEL static
#define FN(name) name##_pair
#include "math/block6_kernel.h"

const RgBlock6Kernel rg_block6_plain = {times_pair,  add_product_pair, subtract_product_pair,
                                        divide_pair, subtract_t_pair,  subtract_pair};

bool b6_factor(RgBlock6Row *A, double tolerance)
{
    for (int j = 0; j < 6; j++) {
        double d = A[j][j];
        for (int c = 0; c < j; c++)
            d -= A[j][c] * A[j][c];
        if (!(d > tolerance * A[j][j]))
            return false;
        double inverse = 1.0 / sqrt(d);
        A[j][j] = inverse;
        for (int i = j + 1; i < 6; i++) {
            double x = A[i][j];
            for (int c = 0; c < j; c++)
                x -= A[i][c] * A[j][c];
            A[i][j] = x * inverse;
        }
    }
    return true;
}

void b6_forward(RgBlock6Row *L, double *x)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] *= L[i][i];
    }
}

void b6_backward(RgBlock6Row *L, double *x)
{
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++)
            x[i] -= L[j][i] * x[j];
        x[i] *= L[i][i];
    }
}

void b6_ldl_factor(RgBlock6Row *S, RgBlock6Row *A, double tolerance)
{
    for (int j = 0; j < 6; j++) {
        double inverse = S[j][j] > tolerance * A[j][j] ? 1.0 / S[j][j] : 0.0;
        S[j][j] = inverse;
        for (int i = j + 1; i < 6; i++) {
            double l = S[i][j] * inverse;
            for (int c = j + 1; c <= i; c++)
                S[i][c] -= l * S[c][j];
        }
        for (int i = j + 1; i < 6; i++)
            S[i][j] *= inverse;
    }
}

void b6_ldl_solve(RgBlock6Row *F, double x[6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            x[i] -= F[i][j] * x[j];
    for (int i = 0; i < 6; i++)
        x[i] *= F[i][i];
    for (int i = 5; i >= 0; i--)
        for (int j = i + 1; j < 6; j++)
            x[i] -= F[j][i] * x[j];
}
