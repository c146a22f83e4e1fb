/*
 * quick_columns_simd.c - products with the Jacobians of patches over the coordinates of articulations, six entries per
 * column.
 *
 *   J_c = (axes (v_c + w_c x arm), axes w_c)        column c of a side, (v_c, w_c) the body velocity for coordinate c
 *   y = free + J x        x += J' W        K = J J'        V += B' x
 *
 * Each is a loop over columns; the six entries of a column are held as a quad and a pair. Sums run column by column, so
 * AVX2, narrower vector code and a plain loop (test_quick_columns.c) give bitwise identical results.
 */
#include "math/pair_simd.h"
#include "solver/quick/quick_work.h"

typedef double Quad __attribute__((vector_size(32)));
typedef Quad Field __attribute__((may_alias, aligned(8))); /* four consecutive values of an array */

#define LOAD(from) ((Quad) * (const Field *)(from))
#define STORE(a, to) (*(Field *)(to) = (a))
#define SPLAT(a) ((Quad){(a), (a), (a), (a)})

/* ------------------------------------------------------------------ construction */

/* by[k]: sign times component k of the three axes. */
RG_KERNEL void load_axes(const RgVec3 axis[3], double sign, Quad by[3])
{
    by[0] = SPLAT(sign) * (Quad){axis[0].x, axis[1].x, axis[2].x, 0.0};
    by[1] = SPLAT(sign) * (Quad){axis[0].y, axis[1].y, axis[2].y, 0.0};
    by[2] = SPLAT(sign) * (Quad){axis[0].z, axis[1].z, axis[2].z, 0.0};
}

/* Whether six values are all zero, of either sign. */
RG_KERNEL bool are_zero(const double b[6])
{
    uint64_t bits[6];
    memcpy(bits, b, sizeof bits);
    return (bits[0] | bits[1] | bits[2] | bits[3] | bits[4] | bits[5]) << 1 == 0;
}

/* Destination of new columns. */
typedef struct Destination {
    int32_t *at;
    double *J;
} Destination;

RG_KERNEL int32_t make_columns(const RgPatch *patch, int side, const RgQuickCoordinates *own, int32_t output,
                               Destination to)
{
    Quad by[3];
    const RgVec3 arm = patch->arm[side];
    const Quad arm_yzx = {arm.y, arm.z, arm.x, 0.0}, arm_zxy = {arm.z, arm.x, arm.y, 0.0};
    const double *b = own->B + output;
    int32_t count = 0;
    load_axes(patch->axis, side == 1 ? 1.0 : -1.0, by);
    for (int32_t k = 0; k < own->rank; k++, b += own->noutputs) {
        bool moves = own->span != NULL ? output >= own->span[k].low && output < own->span[k].high : !are_zero(b);
        if (!moves)
            continue;
        Quad v = LOAD(b), w = LOAD(b + 2); /* w: last linear component, then the angular velocity */
        Quad w_yzx = __builtin_shufflevector(w, w, 2, 3, 1, 0), w_zxy = __builtin_shufflevector(w, w, 3, 1, 2, 0);
        Quad u = v + (w_yzx * arm_zxy - w_zxy * arm_yzx), turns = SPLAT(0.0);
        Quad slides = by[0] * SPLAT(u[0]) + by[1] * SPLAT(u[1]) + by[2] * SPLAT(u[2]);
        if (patch->count > 1)
            turns = by[0] * SPLAT(b[3]) + by[1] * SPLAT(b[4]) + by[2] * SPLAT(b[5]);
        STORE(slides, to.J);
        STORE(turns, to.J + 3); /* its fourth value is overwritten by the next column */
        to.J += 6;
        to.at[count++] = own->first + k;
    }
    return count;
}

RG_AVX2 static int32_t make_columns_avx2(const RgPatch *patch, int side, const RgQuickCoordinates *own, int32_t output,
                                         Destination to)
{
    return make_columns(patch, side, own, output, to);
}

void rg_columns_add_side(const RgPatch *patch, int side, const RgQuickCoordinates *own, int32_t output,
                         RgQuickColumns *to)
{
    Destination destination = {to->at + to->count, to->J + (size_t)to->count * 6};
    to->count += rg_has_avx2() ? make_columns_avx2(patch, side, own, output, destination)
                               : make_columns(patch, side, own, output, destination);
}

/* ------------------------------------------------------------------ products */

/* y = from + J x; entries of from are stride apart and were stored one by one, so they are loaded one by one (store
   forwarding). A point has three values followed by zeros. */
RG_KERNEL void multiply(const RgQuickColumns *c, const double *x, const double *from, size_t stride, double y[6])
{
    Quad first = {from[0], from[stride], from[2 * stride], from[3 * stride]};
    RgPair last = {from[4 * stride], from[5 * stride]};
    const double *J = c->J;
    for (int32_t i = 0; c->point && i < c->count; i++, J += 6)
        first += LOAD(J) * SPLAT(x[c->at[i]]);
    for (int32_t i = 0; !c->point && i < c->count; i++, J += 6) {
        double by = x[c->at[i]];
        first += LOAD(J) * SPLAT(by);
        last += pair_load(J + 4) * pair_both(by);
    }
    STORE(first, y);
    pair_store(last, y + 4);
}

RG_KERNEL void form_point_response(const RgQuickColumns *c, double K[6][6])
{
    Quad sum[3] = {SPLAT(0.0), SPLAT(0.0), SPLAT(0.0)};
    const double *J = c->J;
    for (int32_t n = 0; n < c->count; n++, J += 6)
        for (int i = 0; i < 3; i++)
            sum[i] += SPLAT(J[i]) * LOAD(J);
    memset(K, 0, 6 * sizeof *K);
    for (int i = 0; i < 3; i++)
        STORE(sum[i], K[i]);
}

RG_KERNEL void multiply_transposed(const RgQuickColumns *c, const double W[6], double *restrict x)
{
    const RgPair W0 = {W[0], W[1]}, W2 = {W[2], W[3]}, W4 = {W[4], W[5]};
    const double *J = c->J;
    for (int32_t i = 0; c->point && i < c->count; i++, J += 6) {
        RgPair sum = pair_load(J) * W0 + pair_load(J + 2) * W2;
        x[c->at[i]] += sum[0] + sum[1];
    }
    for (int32_t i = 0; !c->point && i < c->count; i++, J += 6) {
        RgPair sum = pair_load(J) * W0 + pair_load(J + 2) * W2 + pair_load(J + 4) * W4;
        x[c->at[i]] += sum[0] + sum[1];
    }
}

RG_KERNEL void form_response(const RgQuickColumns *c, double K[6][6])
{
    if (c->point) {
        form_point_response(c, K);
        return;
    }
    Quad first[6] = {SPLAT(0.0), SPLAT(0.0), SPLAT(0.0), SPLAT(0.0), SPLAT(0.0), SPLAT(0.0)};
    RgPair last[2] = {pair_both(0.0), pair_both(0.0)};
    const double *J = c->J;
    for (int32_t n = 0; n < c->count; n++, J += 6) {
        Quad four = LOAD(J);
        RgPair two = pair_load(J + 4);
        for (int i = 0; i < 6; i++)
            first[i] += SPLAT(J[i]) * four;
        for (int i = 0; i < 2; i++)
            last[i] += pair_both(J[4 + i]) * two;
    }
    for (int i = 0; i < 6; i++)
        STORE(first[i], K[i]);
    for (int i = 0; i < 2; i++)
        pair_store(last[i], K[4 + i] + 4);
}

/* to += row * x, n values. */
RG_KERNEL void add_scaled(const double *restrict row, double x, int32_t n, double *restrict to)
{
    int32_t i = 0;
    for (; i + 4 <= n; i += 4)
        STORE(LOAD(to + i) + LOAD(row + i) * SPLAT(x), to + i);
    for (; i < n; i++)
        to[i] += row[i] * x;
}

RG_KERNEL void add_outputs(const RgQuickCoordinates *own, const double *x, double *V)
{
    const double *b = own->B;
    for (int32_t k = 0; k < own->rank; k++, b += own->noutputs) {
        double by = x[own->first + k];
        if (by == 0.0)
            continue;
        int32_t low = own->span != NULL ? own->span[k].low : 0,
                high = own->span != NULL ? own->span[k].high : own->noutputs,
                singles = own->span != NULL ? own->singles : own->noutputs;
        add_scaled(b + low, by, high - low, V + low);
        add_scaled(b + singles, by, own->noutputs - singles, V + singles);
    }
}

RG_AVX2 static void multiply_avx2(const RgQuickColumns *c, const double *x, const double *from, size_t stride,
                                  double y[6])
{
    multiply(c, x, from, stride, y);
}

RG_AVX2 static void multiply_transposed_avx2(const RgQuickColumns *c, const double W[6], double *x)
{
    multiply_transposed(c, W, x);
}

RG_AVX2 static void form_response_avx2(const RgQuickColumns *c, double K[6][6])
{
    form_response(c, K);
}

RG_AVX2 static void add_outputs_avx2(const RgQuickCoordinates *own, const double *x, double *V)
{
    add_outputs(own, x, V);
}

void rg_columns_velocity(const RgQuickColumns *c, const double *x, const double *from, size_t stride, double y[6])
{
    if (rg_has_avx2())
        multiply_avx2(c, x, from, stride, y);
    else
        multiply(c, x, from, stride, y);
}

void rg_columns_push(const RgQuickColumns *c, const double W[6], double *x)
{
    if (rg_has_avx2())
        multiply_transposed_avx2(c, W, x);
    else
        multiply_transposed(c, W, x);
}

void rg_columns_respond(const RgQuickColumns *c, double K[6][6])
{
    if (rg_has_avx2())
        form_response_avx2(c, K);
    else
        form_response(c, K);
}

void rg_columns_outputs(const RgQuickCoordinates *own, const double *x, double *V)
{
    if (rg_has_avx2())
        add_outputs_avx2(own, x, V);
    else
        add_outputs(own, x, V);
}
