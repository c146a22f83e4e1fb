/*
 * test_quat.c - quaternions, the exponential map and its derivative.
 *
 * Twins: the Taylor series of the matrix exponential, finite differences, and the closed form of the right
 * Jacobian.
 */
#include "check_near.h"

#include "base/random.h"
#include "math/quat.h"

static RgVec3 draw_vector(RgRandom *random)
{
    double x = rg_random_uniform(random, -1.0, 1.0), y = rg_random_uniform(random, -1.0, 1.0);
    return v3(x, y, rg_random_uniform(random, -1.0, 1.0));
}

/* A rotation vector of the given length. */
static RgVec3 draw_turn(RgRandom *random, double angle)
{
    RgVec3 direction = draw_vector(random);
    return v3_scale(angle / v3_norm(direction), direction);
}

static double distance(RgVec3 a, RgVec3 b)
{
    return v3_norm(v3_sub(a, b));
}

static double matrix_distance(RgMat3 a, RgMat3 b)
{
    return check_worst(&a.m[0][0], &b.m[0][0], 9).error;
}

/* exp of the cross-product matrix of w by its series. */
static RgMat3 series_exp(RgVec3 w)
{
    RgMat3 hat = {{{0.0, -w.z, w.y}, {w.z, 0.0, -w.x}, {-w.y, w.x, 0.0}}}, term = m3_identity(), sum = term;
    for (int k = 1; k < 60; k++) {
        term = m3_mul(term, hat);
        for (int i = 0; i < 9; i++) {
            (&term.m[0][0])[i] /= k;
            (&sum.m[0][0])[i] += (&term.m[0][0])[i];
        }
    }
    return sum;
}

/* Right Jacobian of the exponential map: w = u' - (1 - cos t)/t^2 u x u' + (t - sin t)/t^3 u x (u x u'). */
static RgVec3 dexp(RgVec3 u, RgVec3 rate)
{
    double t = v3_norm(u);
    RgVec3 once = v3_cross(u, rate), twice = v3_cross(u, once);
    return v3_axpy((t - sin(t)) / (t * t * t), twice, v3_axpy(-(1.0 - cos(t)) / (t * t), once, rate));
}

Test(quat, exponential_is_that_of_the_matrix_series)
{
    RgRandom random = rg_random_seed(1);
    for (int i = 0; i < 2000; i++) {
        RgVec3 w = draw_turn(&random, 6.0 * i / 2000.0);
        CHECK_NEAR(matrix_distance(q_matrix(q_exp(w)), series_exp(w)), 0.0, 2e-14, "");
    }
}

Test(quat, exponential_is_smooth_where_the_series_ends)
{
    /* The switch is at the angle 0.2. */
    double before = nextafter(0.2, 0.0), after = nextafter(0.2, 1.0);
    RgQuat a = q_exp(v3(before, 0.0, 0.0)), b = q_exp(v3(after, 0.0, 0.0));
    CHECK_NEAR(a.w, b.w, 3e-16, "");
    CHECK_NEAR(a.x, b.x, 1e-16, "");
    CHECK_NEAR(a.x, sin(0.1), 2e-17, "");
    CHECK_NEAR(a.w, cos(0.1), 2e-16, "");
}

Test(quat, logarithm_undoes_the_exponential)
{
    RgRandom random = rg_random_seed(2);
    for (int power = -300; power <= 0; power += 5) {
        RgVec3 w = draw_turn(&random, pow(10.0, power));
        CHECK_NEAR(distance(q_log(q_exp(w)), w), 0.0, 1e-15 * v3_norm(w), "rad");
    }
    for (int i = 0; i < 2000; i++) {
        RgVec3 w = draw_turn(&random, (RG_PI - 1e-6) * i / 2000.0);
        CHECK_NEAR(distance(q_log(q_exp(w)), w), 0.0, 4e-15, "rad");
    }

    /* Both signs of a quaternion are the same turn; half a turn has the length pi. */
    RgQuat q = q_exp(v3(0.3, -0.2, 0.9)), minus = {-q.w, -q.x, -q.y, -q.z};
    CHECK_NEAR(distance(q_log(q), q_log(minus)), 0.0, 0.0, "rad");
    CHECK_NEAR(v3_norm(q_log((RgQuat){0.0, 0.6, 0.0, 0.8})), RG_PI, 1e-15, "rad");
}

Test(quat, matrices_and_back)
{
    RgRandom random = rg_random_seed(3);
    for (int i = 0; i < 3000; i++) {
        /* All the way round, and often at half a turn, where the scalar part vanishes. */
        double angle = i % 3 == 0 ? RG_PI : rg_random_uniform(&random, 0.0, 2.0 * RG_PI);
        RgQuat q = q_exp(draw_turn(&random, angle));
        RgMat3 R = q_matrix(q), back = q_matrix(q_from_matrix(R));
        CHECK_NEAR(matrix_distance(m3_mul_t(R, R), m3_identity()), 0.0, 2e-15, "");
        CHECK_NEAR(m3_det(R), 1.0, 2e-15, "");
        CHECK_NEAR(matrix_distance(back, R), 0.0, 3e-15, "");
        cr_expect_geq(q_from_matrix(R).w, 0.0);
    }
    /* Half turns about the axes. */
    const RgQuat halves[3] = {{0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(matrix_distance(q_matrix(q_from_matrix(q_matrix(halves[i]))), q_matrix(halves[i])), 0.0, 0.0, "");
}

Test(quat, products_are_products_of_matrices)
{
    RgRandom random = rg_random_seed(4);
    for (int i = 0; i < 1000; i++) {
        RgQuat a = q_exp(draw_turn(&random, 3.0)), b = q_exp(draw_turn(&random, 2.0));
        CHECK_NEAR(matrix_distance(q_matrix(q_mul(a, b)), m3_mul(q_matrix(a), q_matrix(b))), 0.0, 3e-15, "");
        CHECK_NEAR(matrix_distance(q_matrix(q_conjugate(a)), m3_transpose(q_matrix(a))), 0.0, 0.0, "");
        RgVec3 w = draw_turn(&random, 0.5);
        CHECK_NEAR(matrix_distance(q_matrix(q_rotate(a, w)), m3_mul(q_matrix(a), series_exp(w))), 0.0, 3e-15, "");
    }
}

Test(quat, a_million_turns_stay_on_the_unit_sphere)
{
    RgQuat q = q_identity();
    for (int i = 0; i < 1000000; i++)
        q = q_rotate(q, v3(0.01, -0.02, 0.015));
    CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1.0, 5e-16, "");
    cr_expect_eq(q_normalise((RgQuat){0.0, 0.0, 0.0, 0.0}).w, 1.0);
}

Test(quat, dexpinv_is_the_rate_of_the_rotation_vector)
{
    /* u(s) = log(exp(u) exp(s w)); its derivative at 0 by central differences of two widths, extrapolated. */
    RgRandom random = rg_random_seed(5);
    for (int i = 0; i < 500; i++) {
        RgVec3 u = draw_turn(&random, 3.0 * i / 500.0), w = draw_vector(&random), rate[2];
        for (int k = 0; k < 2; k++) {
            double s = k == 0 ? 2e-3 : 1e-3;
            RgVec3 ahead = q_log(q_mul(q_exp(u), q_exp(v3_scale(s, w))));
            RgVec3 behind = q_log(q_mul(q_exp(u), q_exp(v3_scale(-s, w))));
            rate[k] = v3_scale(0.5 / s, v3_sub(ahead, behind));
        }
        RgVec3 difference = v3_axpy(1.0 / 3.0, v3_sub(rate[1], rate[0]), rate[1]);
        CHECK_NEAR(distance(q_dexpinv(u, w), difference), 0.0, 1e-9, "rad/s");
    }
}

Test(quat, dexpinv_undoes_dexp_up_to_nearly_a_full_turn)
{
    RgRandom random = rg_random_seed(6);
    for (int i = 1; i < 1000; i++) {
        double angle = 6.0 * i / 1000.0;
        RgVec3 u = draw_turn(&random, angle), rate = draw_vector(&random);
        /* For small angles the twin itself cancels: its error is round-off over the angle. */
        CHECK_NEAR(distance(q_dexpinv(u, dexp(u, rate)), rate), 0.0, 1e-13 + 1e-15 / angle, "rad/s");
    }
}
