/*
 * block6.h - 6 x 6 blocks of larger matrices: products that are added up, and the factor of a diagonal block.
 *
 * A row is eight numbers, the last two of which are zero and stay so: whole registers. Every number of a result is
 * summed in the order of the inner index, whatever the registers: the same bits from both kernels. What is written is
 * no other argument.
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
    void (*divide)(RgSix *L, RgSix *X);                             /* X <- L^-1 X, L as b6_factor leaves it */
    void (*subtract_t)(RgSix *A, const double *x, double *y);       /* y -= A' x */
    void (*subtract)(RgSix *A, const double *x, double *y);         /* y -= A x */
} RgBlock6Kernel;
extern const RgBlock6Kernel rg_block6_plain, rg_block6_simd;

static inline const RgBlock6Kernel *rg_block6(void)
{
    return rg_has_avx2() ? &rg_block6_simd : &rg_block6_plain;
}

/* A = L L' in place of its lower half, 1 / diagonal on the diagonal. False: a pivot is no more than the part lost of
   its diagonal. */
bool b6_factor(RgSix *A, double lost);

/* x <- L^-1 x, and x <- L^-T x. */
void b6_forward(RgSix *L, double *x);
void b6_backward(RgSix *L, double *x);

/* S = L D L' in place of its lower half, 1 / D on the diagonal; 0 where a pivot is no more than the part lost of A's
   diagonal: that row has no part in solutions. */
void b6_ldl_factor(RgSix *S, RgSix *A, double lost);
void b6_ldl_solve(RgSix *F, double x[6]);

#endif
