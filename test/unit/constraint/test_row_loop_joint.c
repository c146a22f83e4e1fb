/*
 * test_row_loop_joint.c - the rows of loop joints of every kind, in both forms.
 *
 * Two floating bodies, the second carried by the first on a free joint, closed by the loop joint under
 * test:
 *   J . u   the rate of the row's error, by differences, for any velocities
 *   bias    the rate of J . u at du/dt = 0, for velocities that keep the joint
 *   J       a pair of opposite wrenches: no force of the world, and power w z for a force z along the row
 */
#include "scene_parts.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

#define DRAWS 5

/* The model, and a state in which the loop is closed and keeps closed. */
typedef struct Closed {
    RgModel *model;
    double q[14], v[12];
} Closed;

static RgInertia draw_box(Draw *d)
{
    double mass = draw_between(d, 0.5, 2.0);
    return inertia_box(mass, draw_vec(d, 0.2), vec(0.3, 0.2, 0.4));
}

static RgJointDef draw_loop(Draw *d, RgJointType type, RgLinkId a, RgLinkId b)
{
    RgJointDef def = joint_at(type, "loop", a, b, vec(0.0, 0.0, 0.0), draw_direction(d));
    do
        def.axis2 = draw_direction(d);
    while (vec_norm(vec_cross(def.axis, def.axis2)) < 0.4);
    def.X_PJ = draw_pose(d, 0.5);
    def.X_CJ = draw_pose(d, 0.5);
    def.pitch = draw_between(d, 0.1, 0.3);
    def.may_close_loop = true;
    return def;
}

static Closed draw_closed(Draw *d, RgJointType type)
{
    Closed c;
    RgBuilder *builder = scene_begin("pair");
    RgLinkId a = link_add(builder, "a", draw_box(d)), b = link_add(builder, "b", draw_box(d));
    RgJointDef carrier = joint_at(RG_JOINT_free, "carrier", a, b, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0));
    RgJointDef def = draw_loop(d, type, a, b);
    joint_add(builder, &carrier);
    joint_add(builder, &def);
    c.model = scene_end(builder);
    cr_assert(c.model->nloops == 1 && c.model->nv == 12);

    /* A anywhere; B where the loop joint wants it, moving as the loop joint moves. */
    const RgLoop *loop = &c.model->loops[0];
    double step[12], q[7], v[6];
    for (int i = 0; i < 12; i++) {
        step[i] = draw_between(d, -1.2, 1.2);
        c.v[i] = draw_between(d, -1.0, 1.0);
        v[i % 6] = draw_between(d, -1.0, 1.0);
    }
    rg_model_neutral(c.model, c.q);
    rg_integrate_positions(c.model, c.q, step, c.q);
    loop->kind->neutral(q);
    loop->kind->integrate(q, step, q);
    RgPose X_FG;
    RgMotion S[6], V_G = mv_zero();
    loop->kind->motion(&loop->geometry, q, &X_FG, S);
    RgPose X_AB = pose_mul(pose_mul(loop->X_AF, X_FG), pose_inverse(loop->X_BG));
    rg_joint_kind(RG_JOINT_free)->fit(NULL, X_AB, c.q + 7, c.q + 7);
    for (int k = 0; k < loop->kind->nv; k++)
        V_G = mv_axpy(v[k], S[k], V_G);

    /* Twist of B against A at G, to that at B's origin: angular in B's axes, velocity of the position in
       A's. */
    RgMotion V_B = mv_shift(mv_rotate(loop->X_BG.R, V_G), v3_neg(loop->X_BG.p));
    RgVec3 rate = m3_apply(X_AB.R, V_B.v);
    const double six[6] = {V_B.w.x, V_B.w.y, V_B.w.z, rate.x, rate.y, rate.z};
    memcpy(c.v + 6, six, sizeof six);
    return c;
}

/* Looks at time t with velocities u, assembles and projects; biases into bias. */
static void look(FormCase *f, double t, const double *u, double *bias)
{
    form_look(f, t, u);
    form_weigh(f, f->move);
    rg_assemble_hard_rows(f->c);
    rg_project_rows(f->c, bias);
}

/* The rows of the loop joint are the last ones. */
static int loop_rows(const FormCase *f)
{
    return f->c->rows.n - f->c->loops[0].nrows;
}

Test(row_loop_joint, a_closed_loop_has_no_error_and_keeps_closed)
{
    Draw d = draw_seed(41);
    for (int i = 0; i < 2 * RG_JOINT_COUNT * DRAWS; i++) {
        RgJointType type = (RgJointType)(i / 2 % RG_JOINT_COUNT);
        Closed closed = draw_closed(&d, type);
        FormCase f = form_case(closed.model, both_forms[i % 2]);
        double bias[16];
        form_set(&f, closed.q, closed.v);
        look(&f, 0.0, NULL, bias);
        cr_expect(f.c->rows.n - loop_rows(&f) == 6 - rg_joint_kind(type)->nv, "%s", rg_joint_type_name(type));
        for (int k = loop_rows(&f); k < f.c->rows.n; k++) {
            CHECK_NEAR(f.c->rows.row[k].error, 0.0, 1e-14, rg_joint_type_name(type));
            CHECK_NEAR(rg_row_times(&f.c->problem, k, f.u), 0.0, 1e-13, rg_joint_type_name(type));
        }
        form_case_end(&f);
        rg_model_destroy(closed.model);
    }
}

Test(row_loop_joint, jacobian_is_the_derivative_of_the_error)
{
    Draw d = draw_seed(42);
    for (int i = 0; i < 2 * RG_JOINT_COUNT * DRAWS; i++) {
        RgJointType type = (RgJointType)(i / 2 % RG_JOINT_COUNT);
        Closed closed = draw_closed(&d, type);
        FormCase f = form_case(closed.model, both_forms[i % 2]);
        double bias[16], errors[4][6];
        form_set(&f, closed.q, closed.v);
        for (int k = 0; k < f.form->nu; k++)
            f.u[k] += draw_between(&d, -1.0, 1.0);
        for (int t = 0; t < 4; t++) {
            look(&f, form_times[t], NULL, bias);
            for (int k = 0; k < f.c->loops[0].nrows; k++)
                errors[t][k] = f.c->rows.row[loop_rows(&f) + k].error;
        }
        look(&f, 0.0, NULL, bias);
        for (int k = 0; k < f.c->loops[0].nrows; k++) {
            const double e[4] = {errors[0][k], errors[1][k], errors[2][k], errors[3][k]};
            double rate = rg_row_times(&f.c->problem, loop_rows(&f) + k, f.u);
            CHECK_NEAR(rate, form_difference(e), 1e-8, rg_joint_type_name(type));
        }
        form_case_end(&f);
        rg_model_destroy(closed.model);
    }
}

Test(row_loop_joint, bias_is_the_acceleration_at_constant_velocities)
{
    Draw d = draw_seed(43);
    for (int i = 0; i < 2 * RG_JOINT_COUNT * DRAWS; i++) {
        RgJointType type = (RgJointType)(i / 2 % RG_JOINT_COUNT);
        Closed closed = draw_closed(&d, type);
        FormCase f = form_case(closed.model, both_forms[i % 2]);
        double bias[16], rates[4][6];
        form_set(&f, closed.q, closed.v);
        for (int t = 0; t < 4; t++) {
            look(&f, form_times[t], NULL, bias);
            for (int k = 0; k < f.c->loops[0].nrows; k++)
                rates[t][k] = rg_row_times(&f.c->problem, loop_rows(&f) + k, f.u);
        }
        look(&f, 0.0, NULL, bias);
        for (int k = 0; k < f.c->loops[0].nrows; k++) {
            const double e[4] = {rates[0][k], rates[1][k], rates[2][k], rates[3][k]};
            CHECK_NEAR(bias[loop_rows(&f) + k], form_difference(e), 1e-7, rg_joint_type_name(type));
        }
        form_case_end(&f);
        rg_model_destroy(closed.model);
    }
}

/* Both wrenches of a row, about the world's origin, cancel; and its power is that of the pair on the
   twists. */
Test(row_loop_joint, rows_are_pairs_of_opposite_wrenches)
{
    Draw d = draw_seed(44);
    for (int i = 0; i < 2 * RG_JOINT_COUNT; i++) {
        Closed closed = draw_closed(&d, (RgJointType)(i / 2));
        FormCase f = form_case(closed.model, both_forms[i % 2]);
        double bias[16];
        form_set(&f, closed.q, closed.v);
        for (int k = 0; k < f.form->nu; k++)
            f.u[k] += draw_between(&d, -1.0, 1.0);
        look(&f, 0.0, NULL, bias);
        for (int k = 0; k < f.c->rows.n; k++) {
            const RgRow *row = &f.c->rows.row[k];
            RgForce sum = fv_zero();
            double power = 0.0;
            for (int b = 0; b < row->nbodies; b++) {
                sum = fv_add(sum, fv_shift(row->J[b], v3_neg(f.form->kin->X_WB[row->body[b]].p)));
                power += mv_dot(f.form->kin->V[row->body[b]], row->J[b]);
            }
            CHECK_NEAR(fmax(vec_norm(sum.n), vec_norm(sum.f)), 0.0, 1e-14, "N m or N");
            CHECK_NEAR(rg_row_times(&f.c->problem, k, f.u), power, 1e-13, "W");
        }
        form_case_end(&f);
        rg_model_destroy(closed.model);
    }
}
