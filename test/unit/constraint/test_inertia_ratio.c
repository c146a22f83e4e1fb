/*
 * test_inertia_ratio.c - what moving inertia across a hinge keeps (004, section 5.2):
 *
 *   I_1 + I_2;  I_k u for u across S;  the kinetic energy where w_1 . S = w_2 . S;  positive definite
 */
#include "check_near.h"
#include "constraint/inertia_ratio.h"
#include "draw.h"
#include "math/quat.h"

static RgSym3 draw_inertia(Draw *d, double scale)
{
    double moments[3];
    RgMat3 R = draw_pose(d, 1.0).R;
    for (int k = 0; k < 3; k++)
        moments[k] = scale * draw_between(d, 0.8, 1.4);
    return s3_rotate((RgSym3){moments[0], moments[1], moments[2], 0.0, 0.0, 0.0}, R);
}

static RgInertiaRule at_most(double ratio)
{
    return (RgInertiaRule){.most = ratio};
}

static double energy(RgSym3 I, RgVec3 w)
{
    return 0.5 * v3_dot(w, s3_apply(I, w));
}

Test(inertia_ratio, keeps_what_the_motion_of_the_hinge_sees)
{
    int moved = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Draw d = draw_seed(seed);
        double ratio = exp(draw_between(&d, 0.0, 9.0));
        RgSym3 a = draw_inertia(&d, 1.0), b = draw_inertia(&d, 1.0 / ratio), a0 = a, b0 = b;
        RgVec3 S = draw_direction(&d);
        double d_moved = rg_inertia_share(&a, &b, S, at_most(20.0));
        moved += d_moved != 0.0;

        RgVec3 x = draw_vec(&d, 1.0), across = v3_axpy(-v3_dot(x, S), S, x);
        RgVec3 sum = v3_add(s3_apply(a, x), s3_apply(b, x)), sum0 = v3_add(s3_apply(a0, x), s3_apply(b0, x));
        CHECK_NEAR(v3_norm(v3_sub(sum, sum0)), 0.0, 1e-14, "kg m^2/s");
        CHECK_NEAR(v3_norm(v3_sub(s3_apply(a, across), s3_apply(a0, across))), 0.0, 1e-14, "kg m^2/s");
        CHECK_NEAR(v3_norm(v3_sub(s3_apply(b, across), s3_apply(b0, across))), 0.0, 1e-14, "kg m^2/s");

        RgVec3 y = draw_vec(&d, 1.0);
        y = v3_axpy(v3_dot(x, S) - v3_dot(y, S), S, y);
        CHECK_NEAR(energy(a, x) + energy(b, y), energy(a0, x) + energy(b0, y), 1e-13, "J");

        double values[3];
        RgMat3 axes;
        rg_sym3_eigen(a, values, &axes);
        cr_expect(values[0] > 0.0);
        rg_sym3_eigen(b, values, &axes);
        cr_expect(values[0] > 0.0);
    }
    cr_expect(moved > 60 && moved < 190, "%d of 200 moved", moved);
}

Test(inertia_ratio, brings_the_ratio_to_the_bound)
{
    RgSym3 a = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, b = {1e-4, 1e-4, 1e-4, 0.0, 0.0, 0.0};
    RgVec3 S = {0.0, 1.0, 0.0};
    double moved = rg_inertia_share(&b, &a, S, at_most(200.0));
    CHECK_REL(a.yy / b.yy, 200.0, 1e-12, "");
    CHECK_REL(moved, -(1.0 - 200.0 * 1e-4) / 201.0, 1e-12, "kg m^2");
    CHECK_NEAR(rg_inertia_share(&a, &b, S, at_most(200.0 * (1.0 + 1e-12))), 0.0, 0.0, "kg m^2");
}

/* A rod has little to give about a slanted axis: half of what keeps it positive definite goes, whatever is asked. */
Test(inertia_ratio, moves_what_there_is)
{
    RgSym3 rod = {1.0, 1.0, 1e-3, 0.0, 0.0, 0.0}, light = {1e-5, 1e-5, 1e-5, 0.0, 0.0, 0.0};
    RgVec3 S = v3(0.0, sqrt(0.5), sqrt(0.5));
    double most = 1.0 / (0.5 / 1.0 + 0.5 / 1e-3), last = 0.0; /* 1 / (S' I^-1 S) */
    const double ratios[] = {1e4, 1e3, 300.0, 100.0, 10.0, 1.0};
    for (int k = 0; k < 6; k++) {
        RgSym3 a = rod, b = light;
        double asked = (0.5005 - ratios[k] * 1e-5) / (1.0 + ratios[k]);
        double moved = rg_inertia_share(&a, &b, S, at_most(ratios[k]));
        CHECK_REL(moved, asked < 0.5 * most ? asked : 0.5 * most, 1e-12, "kg m^2");
        cr_expect(moved >= last);
        last = moved;
        double values[3];
        RgMat3 axes;
        rg_sym3_eigen(a, values, &axes);
        cr_expect(values[0] > 0.4e-3, "%g", values[0]);
    }
}

/* The printed form: a part of the difference, whatever the ratio; a half makes both alike; the limit does not count
   then. */
Test(inertia_ratio, moves_a_part_of_the_difference)
{
    const double factors[] = {0.1, 0.3, 0.5};
    for (int k = 0; k < 3; k++) {
        RgSym3 a = {1.0, 2.0, 1.5, 0.0, 0.0, 0.0}, b = {0.4, 0.5, 0.6, 0.0, 0.0, 0.0};
        RgVec3 S = {0.0, 1.0, 0.0};
        double moved = rg_inertia_share(&a, &b, S, (RgInertiaRule){.most = 200.0, .factor = factors[k]});
        CHECK_REL(moved, factors[k] * 1.5, 1e-14, "kg m^2");
        CHECK_REL(a.yy, 2.0 + factors[k] * (0.5 - 2.0), 1e-14, "kg m^2");
        CHECK_REL(b.yy, 0.5 + factors[k] * (2.0 - 0.5), 1e-14, "kg m^2");
        cr_expect(a.xx == 1.0 && b.zz == 0.6);
    }
}
