/*
 * test_joint.c - every joint kind against its own pose map.
 *
 *   S v             the twist of X_FB along q + v t, in B's axes, by differences of the pose
 *   bias            d/dt (S v) at constant v, seen in B, by differences of S
 *   dexpinv(u, v)   the rate of u in q0 + u when B moves with v, by differences of q - q0
 *   integrate, difference, fit: inverse to each other
 *
 * Differences are of fourth order with steps of 1e-3 s: truncation near 1e-12, rounding near 1e-12.
 */
#include "check_near.h"
#include "draw.h"
#include "model/model.h"
#include "scene_parts.h"

#include <string.h>

#define STEP 1e-3
#define DIFFERENCE_TOLERANCE 2e-10

/* A joint of one kind with random axes at a random place, moving. */
typedef struct Moving {
    const RgJointKind *kind;
    RgJointGeometry geometry;
    double q[7], v[6];
} Moving;

static RgJointGeometry draw_geometry(Draw *d, RgJointType type)
{
    RgJointDef def = rg_joint_def_default();
    def.type = type;
    def.axis = draw_direction(d);
    do
        def.axis2 = draw_direction(d);
    while (vec_norm(vec_cross(def.axis, def.axis2)) < 0.3);
    def.pitch = draw_between(d, 0.05, 0.4);
    return rg_joint_geometry(&def, rg_joint_align(&def, false));
}

static Moving draw_moving(Draw *d, RgJointType type)
{
    Moving m = {.kind = rg_joint_kind(type), .geometry = draw_geometry(d, type)};
    double step[6];
    for (int i = 0; i < 6; i++) {
        step[i] = draw_between(d, -1.7, 1.7);
        m.v[i] = draw_between(d, -1.0, 1.0);
    }
    m.kind->neutral(m.q);
    m.kind->integrate(m.q, step, m.q);
    return m;
}

/* Pose and S v at q + v t. */
static void at_time(const Moving *m, double t, RgPose *X, RgMotion *V)
{
    double step[6], q[7];
    RgMotion S[6];
    for (int i = 0; i < 6; i++)
        step[i] = t * m->v[i];
    m->kind->integrate(m->q, step, q);
    m->kind->motion(&m->geometry, q, X, S);
    *V = mv_zero();
    for (int k = 0; k < m->kind->nv; k++)
        *V = mv_axpy(m->v[k], S[k], *V);
}

static void six(RgMotion m, double out[6])
{
    const double numbers[6] = {m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z};
    memcpy(out, numbers, sizeof numbers);
}

static double difference4(const double f[4])
{
    return (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * STEP);
}

static const double places[4] = {-2.0 * STEP, -STEP, STEP, 2.0 * STEP};

Test(joint, table_is_that_of_the_public_list)
{
    int i = 0;
#define EXPECT_KIND(name_, nq_, nv_)                                                                                   \
    cr_expect_str_eq(rg_joint_kind(RG_JOINT_##name_)->name, #name_);                                                   \
    cr_expect(rg_joint_kind(RG_JOINT_##name_)->nq == (nq_) && rg_joint_kind(RG_JOINT_##name_)->nv == (nv_));           \
    cr_expect_str_eq(rg_joint_type_name((RgJointType)i++), #name_);
    RG_JOINT_LIST(EXPECT_KIND)
#undef EXPECT_KIND
    cr_expect(i == RG_JOINT_COUNT);
    cr_expect_str_eq(rg_joint_type_name(RG_JOINT_COUNT), "unknown");
    cr_expect_str_eq(rg_joint_type_name((RgJointType)-1), "unknown");
}

/* A velocity is a length where B does not turn along it. */
Test(joint, says_what_is_a_length)
{
    Draw d = draw_seed(8);
    for (int type = 0; type < RG_JOINT_COUNT; type++) {
        Moving m = draw_moving(&d, (RgJointType)type);
        RgPose X;
        RgMotion S[6];
        m.kind->motion(&m.geometry, m.q, &X, S);
        for (int k = 0; k < 6; k++)
            cr_expect(m.kind->is_length[k] == (k < m.kind->nv && v3_norm(S[k].w) == 0.0), "%s %d", m.kind->name, k);
    }
}

/* The model tells the same of its joints; an axis of zero is refused where it counts. */
Test(joint, model_tells_units_and_needs_the_axis)
{
    for (int type = 0; type < RG_JOINT_COUNT; type++) {
        const RgJointKind *kind = rg_joint_kind((RgJointType)type);
        for (int zero = 0; zero < 2; zero++) {
            RgBuilder *b = scene_begin("joint");
            RgLinkId link = link_add(b, "link", inertia_box(1.0, vec(0, 0, 0), vec(1, 1, 1)));
            RgJointDef def =
                joint_at((RgJointType)type, "joint", (RgLinkId){0}, link, vec(0, 0, 0), vec(0, 0, 1 - zero));
            def.axis2 = vec(1, 0, 0);
            bool refused = rg_builder_add_joint(b, &def).i == 0;
            cr_expect(refused == (zero == 1 && rg_joint_type_has_axis((RgJointType)type)), "%s", kind->name);
            RgModel *model = refused ? NULL : rg_builder_finish(b, NULL);
            RgJointInfo info = model ? rg_model_joint(model, (RgJointId){1}) : (RgJointInfo){.type = RG_JOINT_fixed};
            cr_expect(!model || memcmp(info.is_length, kind->is_length, sizeof info.is_length) == 0, "%s", kind->name);
            rg_model_destroy(model);
            rg_builder_destroy(b);
        }
    }
    cr_expect(!rg_joint_type_has_axis(RG_JOINT_COUNT) && !rg_joint_type_has_axis((RgJointType)-1));
}

Test(joint, frames_coincide_at_the_neutral_position)
{
    Draw d = draw_seed(1);
    for (int type = 0; type < RG_JOINT_COUNT; type++) {
        const RgJointKind *kind = rg_joint_kind((RgJointType)type);
        RgJointGeometry g = draw_geometry(&d, (RgJointType)type);
        double q[7];
        RgPose X;
        RgMotion S[6];
        kind->neutral(q);
        kind->motion(&g, q, &X, S);
        CHECK_NEAR(mat_distance(X.R, mat_identity()), 0.0, 1e-15, kind->name);
        CHECK_NEAR(vec_norm(X.p), 0.0, 0.0, kind->name);
    }
}

Test(joint, subspace_is_the_derivative_of_the_pose)
{
    Draw d = draw_seed(2);
    for (int i = 0; i < 20 * RG_JOINT_COUNT; i++) {
        Moving m = draw_moving(&d, (RgJointType)(i % RG_JOINT_COUNT));
        RgPose X, near_X[4];
        RgMotion V, ignored;
        at_time(&m, 0.0, &X, &V);
        for (int k = 0; k < 4; k++)
            at_time(&m, places[k], &near_X[k], &ignored);

        /* R' dR/dt and R' dp/dt, element by element. */
        RgMat3 dR;
        for (int e = 0; e < 9; e++) {
            double f[4];
            for (int k = 0; k < 4; k++)
                f[k] = near_X[k].R.m[e / 3][e % 3];
            dR.m[e / 3][e % 3] = difference4(f);
        }
        double px[4], py[4], pz[4];
        for (int k = 0; k < 4; k++) {
            px[k] = near_X[k].p.x;
            py[k] = near_X[k].p.y;
            pz[k] = near_X[k].p.z;
        }
        RgVec3 dp = vec(difference4(px), difference4(py), difference4(pz));
        RgMotion by_difference = {mat_axial(mat_mul(mat_transpose(X.R), dR)), mat_apply(mat_transpose(X.R), dp)};
        double expected[6], actual[6];
        six(by_difference, expected);
        six(V, actual);
        CHECK_NEAR_ALL(actual, expected, 6, DIFFERENCE_TOLERANCE, m.kind->name);
    }
}

Test(joint, bias_is_the_derivative_of_the_subspace)
{
    Draw d = draw_seed(3);
    for (int i = 0; i < 20 * RG_JOINT_COUNT; i++) {
        Moving m = draw_moving(&d, (RgJointType)(i % RG_JOINT_COUNT));
        RgPose ignored;
        double samples[4][6], expected[6], actual[6];
        for (int k = 0; k < 4; k++) {
            RgMotion V;
            at_time(&m, places[k], &ignored, &V);
            six(V, samples[k]);
        }
        for (int e = 0; e < 6; e++) {
            const double f[4] = {samples[0][e], samples[1][e], samples[2][e], samples[3][e]};
            expected[e] = difference4(f);
        }
        six(m.kind->bias != NULL ? m.kind->bias(&m.geometry, m.q, m.v) : mv_zero(), actual);
        CHECK_NEAR_ALL(actual, expected, 6, DIFFERENCE_TOLERANCE, m.kind->name);
    }
}

/* q1 = q0 + (q1 - q0), also in place; and two steps along the same velocity are one. */
Test(joint, integrate_and_difference_undo_each_other)
{
    Draw d = draw_seed(4);
    for (int i = 0; i < 50 * RG_JOINT_COUNT; i++) {
        Moving m = draw_moving(&d, (RgJointType)(i % RG_JOINT_COUNT));
        double q[7], back[6], half[6];
        memcpy(q, m.q, sizeof q);
        m.kind->integrate(q, m.v, q);
        m.kind->difference(m.q, q, back);
        CHECK_NEAR_ALL(back, m.v, m.kind->nv, 1e-14, m.kind->name);
        m.kind->difference(q, q, back);
        CHECK_NEAR(check_largest(back, (size_t)m.kind->nv), 0.0, 1e-15, m.kind->name);

        double twice[7];
        for (int k = 0; k < 6; k++)
            half[k] = 0.5 * m.v[k];
        m.kind->integrate(m.q, half, twice);
        m.kind->integrate(twice, half, twice);
        CHECK_NEAR_ALL(twice, q, m.kind->nq, 1e-15, m.kind->name);
    }
}

Test(joint, dexpinv_is_the_rate_of_the_step)
{
    Draw d = draw_seed(5);
    for (int i = 0; i < 50 * RG_JOINT_COUNT; i++) {
        Moving m = draw_moving(&d, (RgJointType)(i % RG_JOINT_COUNT));
        double u[6], q0[7], samples[4][6], rate[6], expected[6];
        for (int k = 0; k < 6; k++)
            u[k] = -draw_between(&d, -1.5, 1.5);

        /* q0 such that q = q0 + u: the way back along u. */
        double away[6];
        for (int k = 0; k < 6; k++)
            away[k] = -u[k];
        m.kind->integrate(m.q, away, q0);
        for (int k = 0; k < 4; k++) {
            double step[6], q[7];
            for (int e = 0; e < 6; e++)
                step[e] = places[k] * m.v[e];
            m.kind->integrate(m.q, step, q);
            m.kind->difference(q0, q, samples[k]);
        }
        memcpy(rate, m.v, sizeof rate);
        if (m.kind->dexpinv != NULL)
            m.kind->dexpinv(u, m.v, rate);
        for (int e = 0; e < m.kind->nv; e++) {
            const double f[4] = {samples[0][e], samples[1][e], samples[2][e], samples[3][e]};
            expected[e] = difference4(f);
        }
        CHECK_NEAR_ALL(rate, expected, m.kind->nv, 1e-9, m.kind->name);
    }
}

/* Angles of any number of turns come back where the near position is less than half a turn away. */
Test(joint, fit_undoes_motion)
{
    Draw d = draw_seed(6);
    for (int i = 0; i < 50 * RG_JOINT_COUNT; i++) {
        Moving m = draw_moving(&d, (RgJointType)(i % RG_JOINT_COUNT));
        bool plain = m.kind->dexpinv == NULL;
        for (int k = 0; k < m.kind->nq && plain; k++)
            m.q[k] += draw_between(&d, -100.0, 100.0);
        double near_q[7], q[7];
        for (int k = 0; k < m.kind->nq; k++)
            near_q[k] = m.q[k] + (plain ? draw_between(&d, -3.0, 3.0) : draw_between(&d, -0.2, 0.2));
        RgPose X;
        RgMotion S[6];
        m.kind->motion(&m.geometry, m.q, &X, S);
        m.kind->fit(&m.geometry, X, near_q, q);
        CHECK_NEAR_ALL(q, m.q, m.kind->nq, 2e-13, m.kind->name);
    }
}

/* A quaternion and its opposite are the same rotation: the one on the side of the near position is
   given. */
Test(joint, fit_keeps_the_sign_of_a_quaternion)
{
    static const RgJointType types[2] = {RG_JOINT_spherical, RG_JOINT_free};
    Draw d = draw_seed(7);
    for (int i = 0; i < 100; i++) {
        Moving m = draw_moving(&d, types[i % 2]);
        for (int k = 0; k < 4 && i % 4 < 2; k++)
            m.q[k] = -m.q[k];
        RgPose X;
        RgMotion S[6];
        double q[7];
        m.kind->motion(&m.geometry, m.q, &X, S);
        m.kind->fit(&m.geometry, X, m.q, q);
        CHECK_NEAR_ALL(q, m.q, m.kind->nq, 1e-14, m.kind->name);
    }
}

/* The slide of a screw counts its turns, whatever the near position; without pitch the near position
   must. */
Test(joint, screw_counts_turns_by_its_slide)
{
    const RgJointKind *screw = rg_joint_kind(RG_JOINT_screw);
    for (int i = 0; i < 2; i++) {
        RgJointGeometry g = {.turn = 1.0, .slide = i == 0 ? 0.01 : 0.0};
        double q = 61.5, near_q = i == 0 ? 0.0 : 60.0, fitted;
        RgPose X;
        RgMotion S[1];
        screw->motion(&g, &q, &X, S);
        screw->fit(&g, X, &near_q, &fitted);
        CHECK_NEAR(fitted, q, 1e-12, "rad");
    }
}
