/*
 * test_body_path.c - ends are met, rates are those of finite differences, bounds hold and are nearly reached.
 */
#include "path_fixture.h"

#include <criterion/criterion.h>

static RgBodyEnd draw_end(Draw *d, double speed, double spin)
{
    RgPose X = draw_pose(d, 3.0);
    RgVec3 v = draw_vec(d, speed), w = draw_vec(d, spin);
    return end_at(X, v3(0.1, -0.2, 0.3), v, w);
}

/* Another end that the body can have reached in h. */
static RgBodyEnd draw_next(Draw *d, const RgBodyEnd *begin, double h, double spin)
{
    RgBodyEnd end = *begin;
    end.X_WB.R = m3_mul(begin->X_WB.R, q_matrix(q_exp(draw_vec(d, h * spin))));
    end.centre = v3_add(begin->centre, draw_vec(d, h));
    RgVec3 com = m3_apply_t(begin->X_WB.R, v3_sub(begin->centre, begin->X_WB.p));
    end.X_WB.p = v3_sub(end.centre, m3_apply(end.X_WB.R, com));
    end.velocity = draw_vec(d, 1.0);
    end.w = draw_vec(d, spin);
    return end;
}

Test(body_path, meets_both_ends)
{
    Draw d = draw_seed(1);
    for (int k = 0; k < 500; k++) {
        double h = pow(10.0, draw_between(&d, -4.0, 0.0)), spin = draw_between(&d, 0.0, 1.5) / h;
        RgBodyEnd end[2] = {draw_end(&d, 1.0, spin)};
        end[1] = draw_next(&d, &end[0], h, spin);
        RgBodyPath path;
        cr_assert(rg_body_path_between(&end[0], &end[1], h, &path));
        for (int i = 0; i < 2; i++) {
            RgPose X = rg_body_path_pose(&path, i * h);
            RgMotion V = rg_body_path_twist(&path, i * h);
            CHECK_NEAR_ALL(&X.R.m[0][0], &end[i].X_WB.R.m[0][0], 9, 3e-15, "");
            CHECK_NEAR_ALL(&X.p.x, &end[i].X_WB.p.x, 3, 1e-14, "m");
            CHECK_NEAR_ALL(&V.v.x, &end[i].velocity.x, 3, 1e-14 / h, "m/s");
            CHECK_NEAR_ALL(&V.w.x, &end[i].w.x, 3, 1e-14 / h, "rad/s");
        }
    }
}

/* Central differences of the pose are the twist. */
Test(body_path, twist_is_the_rate_of_the_pose)
{
    Draw d = draw_seed(2);
    for (int k = 0; k < 200; k++) {
        RgBodyEnd begin = draw_end(&d, 1.0, 1.5), end = draw_next(&d, &begin, 1.0, 1.5);
        RgBodyPath path;
        cr_assert(rg_body_path_between(&begin, &end, 1.0, &path));
        double s = draw_between(&d, 0.1, 0.9), e = 1e-4;
        RgMotion V = rg_body_path_twist(&path, s);
        RgBodyAt back = rg_body_path_at(&path, s - e), on = rg_body_path_at(&path, s + e);
        RgVec3 w = v3_scale(0.5 / e, m3_apply(back.R, q_log(q_from_matrix(m3_mul_t(back.R, on.R)))));
        RgVec3 v = v3_scale(0.5 / e, v3_sub(on.centre, back.centre));
        RgBodyAt at = rg_body_path_at(&path, s);
        w = m3_apply(m3_mul(at.R, m3_transpose(back.R)), w); /* half way: second order */
        CHECK_NEAR_ALL(&V.v.x, &v.x, 3, 1e-6, "m/s");
        CHECK_NEAR_ALL(&V.w.x, &w.x, 3, 1e-3, "rad/s");
    }
}

/* |k-th derivative| of the centre and of R r for the worst of some unit r, by central differences. */
static void differences(const RgBodyPath *path, double s, double e, double travel[5], double turning[5])
{
    static const double weight[5][5] = {
        {0, 0, 1, 0, 0}, {0, -0.5, 0, 0.5, 0}, {0, 1, -2, 1, 0}, {-0.5, 1, 0, -1, 0.5}, {1, -4, 6, -4, 1}};
    RgBodyAt at[5];
    for (int i = 0; i < 5; i++)
        at[i] = rg_body_path_at(path, s + (i - 2) * e);
    for (int k = 1; k < 5; k++) {
        RgVec3 c = v3_zero();
        RgMat3 R = {{{0.0}}};
        for (int i = 0; i < 5; i++) {
            c = v3_axpy(weight[k][i], at[i].centre, c);
            for (int j = 0; j < 9; j++)
                (&R.m[0][0])[j] += weight[k][i] * (&at[i].R.m[0][0])[j];
        }
        double unit = pow(e, k), largest = 0.0;
        for (int j = 0; j < 3; j++) /* |R r| over unit r is at least any column's */
            largest = fmax(largest, v3_norm(m3_column(R, j)));
        travel[k] = v3_norm(c) / unit;
        turning[k] = largest / unit;
    }
}

Test(body_path, bounds_hold)
{
    Draw d = draw_seed(3);
    for (int n = 0; n < 300; n++) {
        double spin = draw_between(&d, 0.0, 1.6);
        RgBodyEnd begin = draw_end(&d, 1.0, spin), end = draw_next(&d, &begin, 1.0, spin);
        RgBodyPath path;
        cr_assert(rg_body_path_between(&begin, &end, 1.0, &path));
        for (int i = 0; i <= 50; i++) {
            double e = 0.01, s = 2.0 * e + (1.0 - 4.0 * e) * i / 50.0, travel[5], turning[5];
            differences(&path, s, e, travel, turning);
            for (int k = 1; k < 5; k++) {
                cr_expect_leq(travel[k], path.travel[k] * (1.0 + 1e-9) + 1e-5, "%d: derivative %d", n, k);
                cr_expect_leq(turning[k], path.turning[k] * (1.0 + 1e-9) + 1e-6, "%d: derivative %d", n, k);
            }
        }
    }
}

/* About one axis at a constant rate w: |R^(k)| = w^k, and the bounds are that. */
Test(body_path, bounds_of_a_steady_turn_are_exact)
{
    Draw d = draw_seed(4);
    for (int n = 0; n < 100; n++) {
        double w = draw_between(&d, 0.1, 10.0), h = draw_between(&d, 0.01, 0.25);
        RgVec3 axis = draw_direction(&d);
        RgBodyEnd begin = end_at(draw_pose(&d, 1.0), v3_zero(), v3_zero(), v3_scale(w, axis)), end = begin;
        end.X_WB.R = m3_mul(mat_turn(axis, w * h), begin.X_WB.R);
        RgBodyPath path;
        cr_assert(rg_body_path_between(&begin, &end, h, &path));
        for (int k = 1; k < 5; k++)
            CHECK_REL(path.turning[k], pow(w, k), 1e-8 / (w * h * w * h), "1/s^k");
    }
}

Test(body_path, refuses_what_it_cannot_tell)
{
    RgBodyEnd begin = end_at(pose_identity(), v3_zero(), v3_zero(), v3(0.0, 0.0, 5.0)), end = begin;
    RgBodyPath path;
    end.X_WB.R = mat_turn(v3(0.0, 0.0, 1.0), 5.0);
    cr_expect(!rg_body_path_between(&begin, &end, 1.0, &path), "more than half a turn");
    end = begin;
    cr_expect(!rg_body_path_between(&begin, &end, 0.0, &path));
    cr_expect(!rg_body_path_between(&begin, &end, -1.0, &path));
    cr_expect(!rg_body_path_between(&begin, &end, (double)NAN, &path));
    end.velocity.x = (double)INFINITY;
    cr_expect(!rg_body_path_between(&begin, &end, 0.1, &path));
    end = begin;
    end.X_WB.R.m[1][1] = (double)NAN;
    cr_expect(!rg_body_path_between(&begin, &end, 0.1, &path));
    end = begin;
    end.centre.x = 1e300;
    end.velocity.x = -1e308;
    cr_expect(!rg_body_path_between(&begin, &end, 1e-9, &path), "bounds that are not finite");
}
