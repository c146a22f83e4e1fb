/* block6_simd.c - products of 6 x 6 blocks (block6.h) with AVX2; not used on other processors. */
#include "math/block6.h"

#if defined(__x86_64__)

typedef double Quad __attribute__((vector_size(32)));
typedef Quad Field __attribute__((may_alias, aligned(8))); /* four numbers of an array */

#define WIDE Quad
#define FIELD Field
#define COUNT 2
#define KERNEL RG_AVX2 static
#define FN(name) name##_quad
#include "math/block6_kernel.h"

const RgBlock6Kernel rg_block6_simd = {times_quad,  add_product_quad, subtract_product_quad,
                                       divide_quad, subtract_t_quad,  subtract_quad};
#else

const RgBlock6Kernel rg_block6_simd = {0};

#endif
