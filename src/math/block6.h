/*
 * block6.h - 6 x 6 blocks of larger matrices: accumulated products, and factors of diagonal blocks.
 *
 * A row has eight numbers, whole vector registers; the last two are always zero. Every entry of a product is summed in
 * the order of the inner index for any register width, so both kernels give the same bits. Output arguments must not
 * alias inputs.
 */
#ifndef RIGOR_BLOCK6_H
#define RIGOR_BLOCK6_H

#include "math/pair_simd.h"

#define RG_BLOCK6_STRIDE 8

typedef double RgBlock6Row[RG_BLOCK6_STRIDE];
typedef RgBlock6Row RgBlock6[6];

typedef struct RgBlock6Kernel {
    void (*times)(RgBlock6Row *A, RgBlock6Row *B, RgBlock6Row *C);                    /* C = A B */
    void (*add_product)(RgBlock6Row *C, double sign, RgBlock6Row *A, RgBlock6Row *B); /* C += sign A' B */
    void (*subtract_product)(RgBlock6Row *C, RgBlock6Row *A, RgBlock6Row *B);         /* C -= A B */
    void (*divide)(RgBlock6Row *L, RgBlock6Row *X);                 /* X <- L^-1 X, L from b6_factor */
    void (*subtract_t)(RgBlock6Row *A, const double *x, double *y); /* y -= A' x */
    void (*subtract)(RgBlock6Row *A, const double *x, double *y);   /* y -= A x */
} RgBlock6Kernel;
extern const RgBlock6Kernel rg_block6_plain, rg_block6_simd;

static inline const RgBlock6Kernel *rg_block6(void)
{
    return rg_has_avx2() ? &rg_block6_simd : &rg_block6_plain;
}

/* Cholesky factor A = L L' in the lower triangle, with 1 / diagonal on the diagonal. False: a pivot is at most
   tolerance times its diagonal entry. */
bool b6_factor(RgBlock6Row *A, double tolerance);

/* x <- L^-1 x, and x <- L^-T x. */
void b6_forward(RgBlock6Row *L, double *x);
void b6_backward(RgBlock6Row *L, double *x);

/* S = L D L' in the lower triangle, with 1 / D on the diagonal; 0 if a pivot is at most tolerance times A's diagonal
   entry: the row is dependent and has no part in solutions. */
void b6_ldl_factor(RgBlock6Row *S, RgBlock6Row *A, double tolerance);
void b6_ldl_solve(RgBlock6Row *F, double x[6]);

#endif
