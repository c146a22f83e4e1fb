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

#define RG_SIX 8

typedef double RgSix[RG_SIX];
typedef RgSix RgBlock6[6];

typedef struct RgBlock6Kernel {
    void (*times)(RgSix *A, RgSix *B, RgSix *C);                    /* C = A B */
    void (*add_product)(RgSix *C, double sign, RgSix *A, RgSix *B); /* C += sign A' B */
    void (*subtract_product)(RgSix *C, RgSix *A, RgSix *B);         /* C -= A B */
    void (*divide)(RgSix *L, RgSix *X);                             /* X <- L^-1 X, L from b6_factor */
    void (*subtract_t)(RgSix *A, const double *x, double *y);       /* y -= A' x */
    void (*subtract)(RgSix *A, const double *x, double *y);         /* y -= A x */
} RgBlock6Kernel;
extern const RgBlock6Kernel rg_block6_plain, rg_block6_simd;

static inline const RgBlock6Kernel *rg_block6(void)
{
    return rg_has_avx2() ? &rg_block6_simd : &rg_block6_plain;
}

/* Cholesky factor A = L L' in the lower triangle, with 1 / diagonal on the diagonal. False: a pivot is at most
   tolerance times its diagonal entry. */
bool b6_factor(RgSix *A, double tolerance);

/* x <- L^-1 x, and x <- L^-T x. */
void b6_forward(RgSix *L, double *x);
void b6_backward(RgSix *L, double *x);

/* S = L D L' in the lower triangle, with 1 / D on the diagonal; 0 if a pivot is at most tolerance times A's diagonal
   entry: the row is dependent and has no part in solutions. */
void b6_ldl_factor(RgSix *S, RgSix *A, double tolerance);
void b6_ldl_solve(RgSix *F, double x[6]);

#endif
