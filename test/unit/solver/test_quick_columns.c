/*
 * test_quick_columns.c - products with Jacobians of patches over coordinates (quick_columns_simd.c): the bits of plain
 * loops in the same order, and velocities of the bodies themselves.
 */
#include "draw.h"
#include "solver/quick/quick_work.h"

#include <criterion/criterion.h>
#include <string.h>

#define TRIALS 60
#define RANK 21
#define BODIES 3
#define SINGLES 2
#define OUTPUTS (6 * BODIES + SINGLES)

/* Three bodies and two joint velocities, B with zeros where its spans say so. */
typedef struct Drawn {
    double B[RANK * OUTPUTS], x[RANK];
    RgOutputSpan span[RANK];
    RgQuickCoordinates own;
    RgPatch patch;
} Drawn;

static RgVec3 draw_vector(Draw *d)
{
    double x = draw_between(d, -1.0, 1.0), y = draw_between(d, -1.0, 1.0), z = draw_between(d, -1.0, 1.0);
    return v3(x, y, z);
}

static void drawn_make(uint64_t seed, bool spans, Drawn *out)
{
    Draw d = draw_seed(seed);
    memset(out, 0, sizeof *out);
    for (int k = 0; k < RANK; k++) {
        out->x[k] = k % 5 == 0 ? 0.0 : draw_between(&d, -1.0, 1.0);
        int low = 6 * (k % (BODIES + 1)), high = low + 6 * (1 + (k / 4) % 2);
        out->span[k] =
            low < 6 * BODIES ? (RgOutputSpan){low, high < 6 * BODIES ? high : 6 * BODIES} : (RgOutputSpan){0, 0};
        for (int j = 0; j < OUTPUTS; j++)
            if (j >= 6 * BODIES || (j >= out->span[k].low && j < out->span[k].high))
                out->B[k * OUTPUTS + j] = draw_between(&d, -1.0, 1.0);
    }
    out->own = (RgQuickCoordinates){
        .rank = RANK, .noutputs = OUTPUTS, .singles = 6 * BODIES, .B = out->B, .span = spans ? out->span : NULL};
    out->patch = (RgPatch){.count = seed % 2 == 0 ? 1 : 4, .arm = {draw_vector(&d), draw_vector(&d)}};
    for (int i = 0; i < 3; i++)
        out->patch.axis[i] = draw_vector(&d);
}

/* Columns of a patch on body 0 as its side A and body 2 as its side B. */
static void drawn_columns(const Drawn *d, int32_t at[2 * RANK], double J[12 * RANK + 1], RgQuickColumns *c)
{
    *c = (RgQuickColumns){.point = d->patch.count == 1, .at = at, .J = J};
    rg_columns_add_side(&d->patch, 0, &d->own, 0, c);
    rg_columns_add_side(&d->patch, 1, &d->own, 12, c);
}

/* V += B' x, output by output. */
static void plain_outputs(const Drawn *d, double V[OUTPUTS])
{
    for (int k = 0; k < RANK; k++)
        for (int j = 0; d->x[k] != 0.0 && j < OUTPUTS; j++)
            V[j] += d->B[k * OUTPUTS + j] * d->x[k];
}

Test(quick_columns, outputs)
{
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        Drawn d;
        double V[OUTPUTS], plain[OUTPUTS];
        drawn_make(seed, seed % 3 != 0, &d);
        for (int j = 0; j < OUTPUTS; j++)
            V[j] = plain[j] = 0.1 * j;
        rg_columns_outputs(&d.own, d.x, V);
        plain_outputs(&d, plain);
        cr_assert_eq(memcmp(V, plain, sizeof V), 0, "seed %d", (int)seed);
    }
}

/* J x is the velocity of the patch where the bodies have the velocities B' x; of one point without turning. */
Test(quick_columns, velocity_of_bodies)
{
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        Drawn d;
        int32_t at[2 * RANK];
        double J[12 * RANK + 1], out[OUTPUTS] = {0.0}, y[6] = {0.0}, wanted[6];
        double V[RG_BODY_PLACES * 3] = {0.0};
        RgQuickColumns c;
        drawn_make(seed, seed % 3 != 0, &d);
        drawn_columns(&d, at, J, &c);
        rg_columns_velocity(&c, d.x, y, 1, y);
        plain_outputs(&d, out);
        memcpy(V + RG_BODY_PLACES, out, 6 * sizeof *V);
        memcpy(V + 2 * RG_BODY_PLACES, out + 12, 6 * sizeof *V);
        RgPatch patch = d.patch;
        patch.mover[0] = 1;
        patch.mover[1] = 2;
        rg_patch_velocity(&patch, V, wanted);
        for (int i = 0; i < (c.point ? 3 : 6); i++)
            cr_assert(fabs(y[i] - wanted[i]) <= 1e-13, "seed %d, %d: %g", (int)seed, i, y[i] - wanted[i]);
        for (int i = 3; i < 6 && c.point; i++)
            cr_assert_eq(y[i], 0.0);
    }
}

/* y = J x, x += J' W and K = J J' column after column: the same bits; and W . J x = x . J' W. */
Test(quick_columns, same_bits)
{
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        Drawn d;
        int32_t at[2 * RANK];
        double J[12 * RANK + 1], y[6] = {0.0}, plain_y[6] = {0.0}, K[6][6], plain_K[6][6] = {{0.0}};
        double W[6] = {0.3, -1.2, 2.0, 0.0, 0.0, 0.0}, x[RANK] = {0.0}, plain_x[RANK] = {0.0};
        RgQuickColumns c;
        drawn_make(seed, seed % 3 != 0, &d);
        drawn_columns(&d, at, J, &c);
        for (int i = 3; i < 6 && !c.point; i++)
            W[i] = 0.1 * i;
        rg_columns_velocity(&c, d.x, y, 1, y);
        rg_columns_push(&c, W, x);
        rg_columns_respond(&c, K);
        for (int n = 0; n < c.count; n++) {
            const double *j = J + 6 * n;
            plain_x[at[n]] += (j[0] * W[0] + j[2] * W[2] + j[4] * W[4]) + (j[1] * W[1] + j[3] * W[3] + j[5] * W[5]);
            for (int i = 0; i < 36; i++)
                plain_K[i / 6][i % 6] += j[i / 6] * j[i % 6];
            for (int i = 0; i < 6; i++)
                plain_y[i] += j[i] * d.x[at[n]];
        }
        double along = 0.0, back = 0.0;
        for (int i = 0; i < 6; i++) {
            cr_assert_eq(y[i], plain_y[i]);
            along += W[i] * y[i];
            for (int k = 0; k <= i; k++)
                cr_assert_eq(K[i][k], plain_K[i][k], "seed %d, K %d %d", (int)seed, i, k);
        }
        for (int k = 0; k < RANK; k++) {
            cr_assert_eq(x[k], plain_x[k]);
            back += x[k] * d.x[k];
        }
        cr_assert(fabs(along - back) <= 1e-12);
    }
}
