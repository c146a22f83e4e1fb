/* test_mat3.c - 3x3 matrices: frames from an axis, symmetric products, eigenvalues. */
#include "check_near.h"

#include "base/random.h"
#include "math/mat3.h"

static double matrix_distance(RgMat3 a, RgMat3 b)
{
    return check_worst(&a.m[0][0], &b.m[0][0], 9).error;
}

static RgVec3 draw_vector(RgRandom *random)
{
    double x = rg_random_uniform(random, -1.0, 1.0), y = rg_random_uniform(random, -1.0, 1.0);
    return v3(x, y, rg_random_uniform(random, -1.0, 1.0));
}

static RgSym3 draw_symmetric(RgRandom *random)
{
    RgVec3 a = draw_vector(random), b = draw_vector(random);
    return (RgSym3){a.x, a.y, a.z, b.x, b.y, b.z};
}

static RgVec3 unit(RgVec3 a)
{
    return v3_scale(1.0 / v3_norm(a), a);
}

/* V diag(values) V' */
static RgMat3 recompose(const double values[3], RgMat3 V)
{
    RgMat3 scaled = V;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            scaled.m[i][j] *= values[j];
    return m3_mul(scaled, m3_transpose(V));
}

/* det(A - x 1) */
static double characteristic(RgSym3 a, double x)
{
    a.xx -= x;
    a.yy -= x;
    a.zz -= x;
    return m3_det(s3_full(a));
}

static void check_eigen(RgSym3 a, double scale)
{
    double values[3];
    RgMat3 V;
    rg_sym3_eigen(a, values, &V);
    cr_expect(values[0] <= values[1] && values[1] <= values[2], "%g %g %g", values[0], values[1], values[2]);
    CHECK_NEAR(matrix_distance(m3_mul_t(V, V), m3_identity()), 0.0, 4e-15, "");
    CHECK_NEAR(m3_det(V), 1.0, 4e-15, "");
    CHECK_NEAR(matrix_distance(recompose(values, V), s3_full(a)), 0.0, 4e-15 * scale, "");
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(characteristic(a, values[i]), 0.0, 2e-14 * scale * scale * scale, "");
}

Test(mat3, eigenvalues_of_drawn_matrices)
{
    RgRandom random = rg_random_seed(1);
    for (int i = 0; i < 2000; i++)
        check_eigen(draw_symmetric(&random), 2.0);
    for (int i = 0; i < 200; i++)
        check_eigen(s3_scale(1e9, draw_symmetric(&random)), 2e9);
}

Test(mat3, eigenvalues_of_special_matrices)
{
    check_eigen((RgSym3){0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1.0);
    check_eigen((RgSym3){2.0, 2.0, 2.0, 0.0, 0.0, 0.0}, 2.0);
    check_eigen((RgSym3){3.0, 2.0, 1.0, 0.0, 0.0, 0.0}, 3.0);
    check_eigen((RgSym3){1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, 3.0);           /* rank one */
    check_eigen((RgSym3){1.0, 1.0, 1.0, 1e-200, 0.0, 1e-200}, 1.0);     /* couplings that vanish */
    check_eigen((RgSym3){1e12, 1.0, 1e-12, 1.0, 1e-6, 1e-12}, 1e12);    /* far apart */
    check_eigen((RgSym3){1.0, 1.0 + 1e-15, 1.0, 1e-15, 0.0, 0.0}, 1.0); /* nearly equal */
}

Test(mat3, symmetric_products_are_those_of_full_matrices)
{
    RgRandom random = rg_random_seed(2);
    for (int i = 0; i < 500; i++) {
        RgSym3 a = draw_symmetric(&random);
        RgMat3 R = m3_align_z(unit(draw_vector(&random)));
        RgMat3 twin = m3_mul(m3_mul(R, s3_full(a)), m3_transpose(R));
        CHECK_NEAR(matrix_distance(s3_full(s3_rotate(a, R)), twin), 0.0, 4e-15, "");

        /* A point mass: I w = r x (w x r). */
        RgVec3 r = draw_vector(&random), w = draw_vector(&random);
        RgVec3 difference = v3_sub(s3_apply(s3_point_inertia(r), w), v3_cross(r, v3_cross(w, r)));
        CHECK_NEAR(v3_norm(difference), 0.0, 4e-15, "");
    }
}

/* A rotation whose z column is n. */
static void check_frame(RgVec3 n)
{
    RgMat3 R = m3_align_z(n);
    CHECK_NEAR(matrix_distance(m3_mul_t(R, R), m3_identity()), 0.0, 4e-15, "");
    CHECK_NEAR(m3_det(R), 1.0, 4e-15, "");
    CHECK_NEAR(v3_norm(v3_sub(m3_column(R, 2), n)), 0.0, 4e-15, "");
    RgVec3 t = v3_orthogonal(n);
    CHECK_NEAR(v3_norm(t), 1.0, 4e-15, "");
    CHECK_NEAR(v3_dot(t, n), 0.0, 4e-15, "");
}

Test(mat3, frames_along_any_axis)
{
    RgRandom random = rg_random_seed(3);
    for (int i = 0; i < 1000; i++)
        check_frame(unit(draw_vector(&random)));
    const RgVec3 axes[] = {{1.0, 0.0, 0.0},  {0.0, 1.0, 0.0},  {0.0, 0.0, 1.0},
                           {-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}};
    for (int i = 0; i < 6; i++)
        check_frame(axes[i]);
}

Test(mat3, frames_along_axes_close_to_the_poles)
{
    for (double tilt = 1.0; tilt > 1e-20; tilt *= 0.3)
        for (int pole = -1; pole <= 1; pole += 2) {
            check_frame(unit(v3(tilt, 0.0, pole)));
            check_frame(unit(v3(0.6 * tilt, -0.8 * tilt, pole)));
        }
}

Test(mat3, turning_about_z_is_a_product)
{
    RgRandom random = rg_random_seed(4);
    for (int i = 0; i < 100; i++) {
        RgMat3 a = m3_align_z(unit(draw_vector(&random)));
        double angle = rg_random_uniform(&random, -4.0, 4.0), s = sin(angle), c = cos(angle);
        RgMat3 Rz = {{{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, 1.0}}};
        CHECK_NEAR(matrix_distance(m3_rotate_z(a, s, c), m3_mul(a, Rz)), 0.0, 4e-15, "");
        RgVec3 x = draw_vector(&random), back = m3_apply_t(a, m3_apply(a, x));
        CHECK_NEAR(v3_norm(v3_sub(back, x)), 0.0, 4e-15, "");
    }
}
