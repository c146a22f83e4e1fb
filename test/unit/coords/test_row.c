/*
 * test_row.c - rows in body and joint terms, projected onto the velocities of a form.
 *
 *   J . u = the rate of what the row measures, here the distance of two points, by differences
 *   bias  = its second derivative at du/dt = 0, with the row turning along
 */
#include "coords/row.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

#define TREES 40

/* Terms on the same body add up; the world takes none. */
Test(row, terms_of_one_body_are_summed)
{
    RgRow row = {.rotor = -1};
    RgForce up = {{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}, turn = {{0.0, 2.0, 0.0}, {0.0, 0.0, 0.0}};
    RgVec3 origin = {1.0, 0.0, 0.0}, p = {3.0, 0.0, 0.0};
    rg_row_add_body(&row, -1, origin, up, p);
    cr_expect(row.nbodies == 0);
    rg_row_add_body(&row, 4, origin, up, p);
    rg_row_add_body(&row, 2, origin, turn, p);
    rg_row_add_body(&row, 4, origin, turn, p);
    cr_assert(row.nbodies == 2 && row.body[0] == 4 && row.body[1] == 2);

    /* A force of 1 N upwards 2 m to the right of the origin turns about -y with 2 N m. */
    CHECK_NEAR(vec_distance(row.J[0].n, vec(0.0, 0.0, 0.0)), 0.0, 0.0, "N m");
    CHECK_NEAR(vec_distance(row.J[0].f, vec(0.0, 0.0, 1.0)), 0.0, 0.0, "N");
    CHECK_NEAR(vec_distance(row.J[1].n, vec(0.0, 2.0, 0.0)), 0.0, 0.0, "N m");
}

static double dot_row(int count, const int *columns, const double *values, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += values[i] * u[columns[i]];
    return sum;
}

/* n . (p_1 - p_2) of points fixed to two bodies, at the present kinematics. */
static double gap(const RgForm *form, const int *bodies, const RgVec3 *points, RgVec3 n)
{
    RgVec3 p1 = pose_apply(form->kin->X_WB[bodies[0]], points[0]);
    RgVec3 p2 = pose_apply(form->kin->X_WB[bodies[1]], points[1]);
    return v3_dot(n, v3_sub(p1, p2));
}

/* The row of that gap. */
static RgRow gap_row(const RgForm *form, const int *bodies, const RgVec3 *points, RgVec3 n)
{
    RgRow row = {.rotor = -1};
    for (int i = 0; i < 2; i++) {
        RgPose X = form->kin->X_WB[bodies[i]];
        RgForce J = {{0.0, 0.0, 0.0}, v3_scale(i == 0 ? 1.0 : -1.0, n)};
        rg_row_add_body(&row, bodies[i], X.p, J, pose_apply(X, points[i]));

        /* The gap's own second derivative has n . w x (w x r + v) beyond J . A. */
        RgMotion V = form->kin->V[bodies[i]];
        RgVec3 v = v3_add(V.v, v3_cross(V.w, m3_apply(X.R, points[i])));
        row.bias += v3_dot(J.f, v3_cross(V.w, v));
    }
    return row;
}

Test(row, projection_is_the_rate_of_a_gap)
{
    for (uint64_t seed = 1; seed <= 2 * TREES; seed++) {
        TestState s;
        FormCase f = form_seed(seed, &s);
        Draw d = draw_seed(seed);
        for (int k = 0; k < f.form->nu; k++)
            f.u[k] += draw_between(&d, -0.5, 0.5);
        for (int i = 0; i < 3 && f.model->nbodies > 0; i++) {
            const int bodies[2] = {draw_below(&d, f.model->nbodies), draw_below(&d, f.model->nbodies)};
            const RgVec3 points[2] = {draw_vec(&d, 0.5), draw_vec(&d, 0.5)}, n = draw_direction(&d);
            double values[4], rates[4], bias;
            for (int k = 0; k < 4; k++) {
                form_look(&f, form_times[k], NULL);
                RgRow row = gap_row(f.form, bodies, points, n);
                values[k] = gap(f.form, bodies, points, n);
                int count = f.form->kind->project(f.form, &row, f.c->scratch.columns, f.c->scratch.values, &bias);
                rates[k] = dot_row(count, f.c->scratch.columns, f.c->scratch.values, f.u);
            }
            form_look(&f, 0.0, NULL);
            form_weigh(&f, f.move);
            RgRow row = gap_row(f.form, bodies, points, n);
            int count = f.form->kind->project(f.form, &row, f.c->scratch.columns, f.c->scratch.values, &bias);
            for (int k = 1; k < count; k++)
                cr_expect(f.c->scratch.columns[k] > f.c->scratch.columns[k - 1], "columns must ascend");
            CHECK_NEAR(dot_row(count, f.c->scratch.columns, f.c->scratch.values, f.u), form_difference(values), 1e-8,
                       "m/s");
            CHECK_NEAR(bias, form_difference(rates), 1e-7, "m/s^2");
        }
        form_seed_end(&f, &s);
    }
}

/* A joint term is the joint's rate times its coefficient, whatever the bodies do: joints may come apart in
   the maximal form. */
Test(row, projection_of_joint_terms_is_the_joint_rate)
{
    for (uint64_t seed = 1; seed <= 2 * TREES; seed++) {
        TestState s;
        FormCase f = form_seed(seed, &s);
        Draw d = draw_seed(seed);
        for (int k = 0; k < f.form->nu; k++)
            f.u[k] += draw_between(&d, -0.5, 0.5);
        form_look(&f, 0.0, NULL);
        form_weigh(&f, f.move);
        for (int i = 0; i < 5 && s.nv > 0; i++) {
            RgRow row = {.rotor = -1, .ndofs = 2};
            double expected = 0.0, bias;
            for (int k = 0; k < 2; k++) {
                row.dof[k] = draw_below(&d, s.nv);
                row.coefficient[k] = draw_between(&d, -2.0, 2.0);
                expected += row.coefficient[k] * f.form->v[row.dof[k]];
            }
            int count = f.form->kind->project(f.form, &row, f.c->scratch.columns, f.c->scratch.values, &bias);
            CHECK_NEAR(dot_row(count, f.c->scratch.columns, f.c->scratch.values, f.u), expected, 1e-11, "rad/s or m/s");

            /* One joint velocity alone takes the short way: the same coefficients, to the bit. */
            row.ndofs = 1;
            row.bias = draw_between(&d, -1.0, 1.0);
            double short_bias, short_values[6 * RG_ROW_BODIES + 1];
            int short_columns[6 * RG_ROW_BODIES + 1];
            count = f.form->kind->project(f.form, &row, f.c->scratch.columns, f.c->scratch.values, &bias);
            cr_assert_eq(rg_row_project(f.form, &row, short_columns, short_values, &short_bias), count);
            cr_expect(memcmp(short_values, f.c->scratch.values, (size_t)count * sizeof *short_values) == 0);
            cr_expect(memcmp(short_columns, f.c->scratch.columns, (size_t)count * sizeof *short_columns) == 0);
            cr_expect_eq(short_bias, bias);
        }
        form_seed_end(&f, &s);
    }
}
