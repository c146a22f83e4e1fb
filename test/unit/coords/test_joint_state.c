/*
 * test_joint_state.c - a joint seen from its two frames: F and G move on their own, and the joint must be
 * found in between.
 *
 *   on the joint    q and v are those that made the poses and twists, the error is zero
 *   T'S = 0, W'S = 1, T orthonormal
 *   displaced       error = T' d to first order, for a small displacement d of G
 *   along_world     the same of T along the world's axes, which spans the same space, and follows the joint's axis smoothly
 *   c               A_G - A_F = c where v is constant, by differences of the twists
 */
#include "draw.h"
#include "model/model.h"
#include "unit/coords/form_fixture.h"

/* A joint between a frame F that moves as a free body and G, at constant v. */
typedef struct Pair {
    const RgJointKind *kind;
    RgJointGeometry geometry;
    double q[7], v[6];   /* of the joint */
    double qF[7], vF[6]; /* of F, as of a free joint */
    bool along_world;
} Pair;

static Pair draw_pair(Draw *d, RgJointType type)
{
    RgJointDef def = rg_joint_def_default();
    def.type = type;
    def.axis = draw_direction(d);
    do
        def.axis2 = draw_direction(d);
    while (vec_norm(vec_cross(def.axis, def.axis2)) < 0.3);
    def.pitch = draw_between(d, -0.4, 0.4);
    Pair p = {.kind = rg_joint_kind(type), .geometry = rg_joint_geometry(&def, rg_joint_align(&def, false))};
    double step[6], stepF[6];
    for (int i = 0; i < 6; i++) {
        step[i] = draw_between(d, -1.7, 1.7);
        stepF[i] = draw_between(d, -1.7, 1.7);
        p.v[i] = draw_between(d, -1.0, 1.0);
        p.vF[i] = draw_between(d, -1.0, 1.0);
    }
    p.kind->neutral(p.q);
    p.kind->integrate(p.q, step, p.q);
    rg_joint_kind(RG_JOINT_free)->neutral(p.qF);
    rg_joint_kind(RG_JOINT_free)->integrate(p.qF, stepF, p.qF);
    return p;
}

/* Poses, and twists each about its own origin, at time t. */
typedef struct Moment {
    RgPose X_WF, X_WG;
    RgMotion V_F, V_G;
    double q[7];
} Moment;

static Moment at_time(const Pair *p, double t)
{
    const RgJointKind *free_motion = rg_joint_kind(RG_JOINT_free);
    Moment m;
    double step[6], qF[7];
    RgMotion S[6];
    RgPose X_FG;
    for (int i = 0; i < 6; i++)
        step[i] = t * p->vF[i];
    free_motion->integrate(p->qF, step, qF);
    free_motion->motion(NULL, qF, &m.X_WF, S);
    m.V_F = (RgMotion){m3_apply(m.X_WF.R, v3(p->vF[0], p->vF[1], p->vF[2])), {p->vF[3], p->vF[4], p->vF[5]}};
    for (int i = 0; i < 6; i++)
        step[i] = t * p->v[i];
    p->kind->integrate(p->q, step, m.q);
    p->kind->motion(&p->geometry, m.q, &X_FG, S);
    m.X_WG = pose_mul(m.X_WF, X_FG);
    m.V_G = mv_shift(m.V_F, v3_sub(m.X_WG.p, m.X_WF.p));
    for (int k = 0; k < p->kind->nv; k++)
        m.V_G = mv_axpy(p->v[k], mv_rotate(m.X_WG.R, S[k]), m.V_G);
    return m;
}

static RgJointState state_of(const Pair *p, const Moment *m, RgPose X_WG, const double *near_q)
{
    RgJointState s;
    const RgMotion V_FG[2] = {mv_shift(m->V_F, v3_sub(X_WG.p, m->X_WF.p)), m->V_G};
    RgJointSpec spec = rg_joint_spec(p->kind, &p->geometry);
    spec.along_world = p->along_world;
    rg_joint_state(&spec, m->X_WF, X_WG, V_FG, near_q, &s);
    return s;
}

Test(joint_state, finds_the_position_and_rate_that_made_the_poses)
{
    Draw d = draw_seed(31);
    for (int i = 0; i < 30 * RG_JOINT_COUNT; i++) {
        Pair p = draw_pair(&d, (RgJointType)(i % RG_JOINT_COUNT));
        bool plain = p.kind->dexpinv == NULL;
        for (int k = 0; k < p.kind->nq && plain; k++)
            p.q[k] += draw_between(&d, -40.0, 40.0);
        Moment m = at_time(&p, 0.0);
        RgJointState s = state_of(&p, &m, m.X_WG, p.q);
        cr_expect(s.nv == p.kind->nv && s.nrows == 6 - p.kind->nv);
        CHECK_NEAR_ALL(s.q, p.q, p.kind->nq, 1e-13, p.kind->name);
        CHECK_NEAR_ALL(s.v, p.v, p.kind->nv, 2e-13, p.kind->name);
        CHECK_NEAR(check_largest(s.error, (size_t)s.nrows), 0.0, 1e-13, p.kind->name);
        CHECK_NEAR(vec_distance(s.origin, m.X_WG.p), 0.0, 0.0, "m");
    }
}

Test(joint_state, directions_are_complements_and_inverses_of_the_subspace)
{
    Draw d = draw_seed(32);
    for (int i = 0; i < 30 * RG_JOINT_COUNT; i++) {
        Pair p = draw_pair(&d, (RgJointType)(i % RG_JOINT_COUNT));
        p.along_world = i / RG_JOINT_COUNT % 2 == 1;
        Moment m = at_time(&p, 0.0);
        RgJointState s = state_of(&p, &m, m.X_WG, p.q);
        double worst = 0.0;
        for (int k = 0; k < s.nv; k++) {
            for (int j = 0; j < s.nrows; j++)
                worst = fmax(worst, fabs(mv_dot(s.S[k], s.T[j])));
            for (int j = 0; j < s.nv; j++)
                worst = fmax(worst, fabs(mv_dot(s.S[k], s.W[j]) - (j == k)));
        }
        for (int k = 0; k < s.nrows; k++)
            for (int j = 0; j < s.nrows; j++)
                worst = fmax(worst, fabs(v3_dot(s.T[k].n, s.T[j].n) + v3_dot(s.T[k].f, s.T[j].f) - (j == k)));
        CHECK_NEAR(worst, 0.0, 3e-14, p.kind->name);
    }
}

/* Along S the joint gives way, and q changes; across it the error is the part of the displacement along
   T. */
Test(joint_state, error_is_the_displacement_along_the_constraint)
{
    Draw d = draw_seed(33);
    for (int i = 0; i < 30 * RG_JOINT_COUNT; i++) {
        Pair p = draw_pair(&d, (RgJointType)(i % RG_JOINT_COUNT));
        p.along_world = i / RG_JOINT_COUNT % 2 == 1;
        Moment m = at_time(&p, 0.0);
        const double small = 1e-6;
        RgVec3 turn = draw_vec(&d, small), shift = draw_vec(&d, small);
        RgPose moved = pose_mul(m.X_WG, (RgPose){q_matrix(q_exp(turn)), shift});
        RgMotion displacement = mv_rotate(m.X_WG.R, (RgMotion){turn, shift});
        RgJointState s = state_of(&p, &m, moved, p.q);
        double expected[6];
        for (int k = 0; k < s.nrows; k++)
            expected[k] = mv_dot(displacement, s.T[k]);
        CHECK_NEAR_ALL(s.error, expected, s.nrows, 50.0 * small * small, p.kind->name);
    }
}

/* A hinge along an axis of the world is held by three forces and then two couples along the others. */
Test(joint_state, along_the_axes_of_the_world)
{
    Draw d = draw_seed(36);
    for (int i = 0; i < 30; i++) {
        Pair p = draw_pair(&d, RG_JOINT_revolute);
        p.along_world = true;
        Moment m = at_time(&p, 0.0);
        RgVec3 axis = state_of(&p, &m, m.X_WG, p.q).S[0].w, wanted_axis = vec(0.0, i % 2 ? -1.0 : 1.0, 0.0);
        RgVec3 across = vec_cross(axis, wanted_axis);
        double sine = vec_norm(across), angle = atan2(sine, vec_dot(axis, wanted_axis));
        RgMat3 R = q_matrix(q_exp(vec_scale(angle / sine, across)));
        m.X_WF.R = m3_mul(R, m.X_WF.R);
        m.X_WG.R = m3_mul(R, m.X_WG.R);
        RgJointState s = state_of(&p, &m, m.X_WG, p.q);
        const double forces[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                     couples[2][3] = {{i % 2 ? 1 : -1, 0, 0}, {0, 0, 1}};
        for (int k = 0; k < 5; k++) {
            const double *wanted = k < 3 ? forces[k] : couples[k - 3];
            RgVec3 part = k < 3 ? s.T[k].f : s.T[k].n, other = k < 3 ? s.T[k].n : s.T[k].f;
            CHECK_NEAR(vec_distance(part, vec(wanted[0], wanted[1], wanted[2])), 0.0, 1e-14, "");
            CHECK_NEAR(vec_norm(other), 0.0, 1e-14, "");
        }
    }
}

/* The axis of every kind of joint swings all round near the horizontal plane, past 45 degrees between two axes of the
   world: the rows turn with it and no faster; nor does their order change. An exact tie, a yaw of -3 pi / 4, is one of
   the places. */
Test(joint_state, rows_along_the_world_follow_the_axis)
{
    enum { PLACES = 720 };
    const RgJointType kinds[] = {RG_JOINT_revolute, RG_JOINT_prismatic, RG_JOINT_screw, RG_JOINT_cylindrical};
    Draw d = draw_seed(37);
    for (int i = 0; i < 40; i++) {
        double rise = i < 4 ? 0.0 : draw_between(&d, -0.7, 0.7), pitch = draw_between(&d, -0.4, 0.4), fastest = 0.0;
        RgForce last[6];
        for (int k = 0; k <= PLACES; k++) {
            double yaw = 2.0 * RG_PI * k / PLACES;
            RgVec3 n = vec(cos(rise) * cos(yaw), cos(rise) * sin(yaw), sin(rise));
            RgMotion turn = {n, vec(0.0, 0.0, 0.0)}, shift = {vec(0.0, 0.0, 0.0), n}, both = {n, vec_scale(pitch, n)};
            RgJointType type = kinds[i % 4];
            RgMotion S[2] = {type == RG_JOINT_prismatic ? shift : type == RG_JOINT_screw ? both : turn, shift};
            RgForce T[6];
            int nv = type == RG_JOINT_cylindrical ? 2 : 1;
            rg_joint_across(S, nv, T);
            for (int r = 0; r < 6 - nv && k > 0; r++)
                fastest = fmax(fastest, hypot(vec_distance(T[r].n, last[r].n), vec_distance(T[r].f, last[r].f)));
            memcpy(last, T, sizeof last);
        }
        cr_expect(fastest <= 2.0 * RG_PI / PLACES * (1.0 + 1e-9), "rise %g: %g", rise, fastest);
    }
}

Test(joint_state, velocity_product_is_the_acceleration_at_constant_rate)
{
    Draw d = draw_seed(34);
    for (int i = 0; i < 30 * RG_JOINT_COUNT; i++) {
        Pair p = draw_pair(&d, (RgJointType)(i % RG_JOINT_COUNT));
        Moment now = at_time(&p, 0.0);
        RgMotion F[4], G[4];
        for (int k = 0; k < 4; k++) {
            Moment m = at_time(&p, form_times[k]);
            F[k] = m.V_F;
            G[k] = m.V_G;
        }
        RgMotion A_F = mv_shift(form_acceleration(F, now.V_F), v3_sub(now.X_WG.p, now.X_WF.p));
        RgMotion A_G = form_acceleration(G, now.V_G);
        RgJointState s = state_of(&p, &now, now.X_WG, p.q);
        CHECK_MOTION(s.c, mv_sub(A_G, A_F), 1e-9, p.kind->name);
    }
}

/* Axes of a universal joint a thousandth of a radian apart: nearly one axis, yet found again. */
Test(joint_state, nearly_parallel_axes)
{
    Draw d = draw_seed(35);
    Pair p = draw_pair(&d, RG_JOINT_universal);
    p.geometry.axis1 = vec(sin(1e-3), 0.0, cos(1e-3));
    Moment m = at_time(&p, 0.0);
    RgJointState s = state_of(&p, &m, m.X_WG, p.q);
    CHECK_NEAR_ALL(s.v, p.v, 2, 1e-9, "rad/s");
    CHECK_NEAR(check_largest(s.error, 4), 0.0, 1e-13, "rad");
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 4; j++)
            CHECK_NEAR(mv_dot(s.S[k], s.T[j]), 0.0, 1e-12, "");
}
