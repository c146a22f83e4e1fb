/* test_body_jacobian.c - J v is the twist of the point, each column the rate for one velocity alone, the
   rest zero. */
#include "kin_fixture.h"
#include "scenes.h"

#include <criterion/criterion.h>

static void twist_at(const RgKin *kin, int body, RgVec3 p, double out[6])
{
    RgMotion V = mv_shift(kin->V[body], v3_sub(p, kin->X_WB[body].p));
    double six[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
    memcpy(out, six, sizeof six);
}

Test(body_jacobian, times_velocities_is_the_twist)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        KinCase c = kin_case_drawn(seed);
        int nv = c.s.nv;
        double *J = RG_ARENA_ALLOC(&c.arena, double, 6 * nv);
        for (int body = 0; body < c.model->nbodies; body++) {
            RgVec3 p = v3_add(c.kin->X_WB[body].p, v3(0.3, -0.2, 0.5));
            double twist[6], Jv[6] = {0};
            rg_body_jacobian(c.kin, body, p, J);
            twist_at(c.kin, body, p, twist);
            for (int i = 0; i < 6 * nv; i++)
                Jv[i / nv] += J[i] * c.s.v[i % nv];
            CHECK_NEAR_ALL(Jv, twist, 6, 1e-11, "rad/s, m/s");
        }
        kin_case_end(&c);
    }
}

/* Central differences of a point fixed to the body, one velocity at a time. */
Test(body_jacobian, columns_are_differences_of_a_point)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        KinCase c = kin_case_drawn(seed);
        int nv = c.s.nv, body = c.model->nbodies - 1;
        double h = 1e-5, *J = RG_ARENA_ALLOC(&c.arena, double, 6 * nv);
        RgVec3 p_B = v3(0.4, 0.1, -0.3);
        rg_body_jacobian(c.kin, body, pose_apply(c.kin->X_WB[body], p_B), J);
        for (int k = 0; k < nv; k++) {
            memset(c.s.v, 0, (size_t)nv * sizeof *c.s.v);
            c.s.v[k] = 1.0;
            kin_case_look(&c, h);
            RgPose after = c.kin->X_WB[body];
            kin_case_look(&c, -h);
            RgPose before = c.kin->X_WB[body];
            RgVec3 v = vec_scale(0.5 / h, vec_sub(pose_apply(after, p_B), pose_apply(before, p_B)));
            RgVec3 w = vec_scale(0.5 / h, mat_axial(mat_mul(after.R, mat_transpose(before.R))));
            double rate[6] = {w.x, w.y, w.z, v.x, v.y, v.z}, column[6];
            for (int i = 0; i < 6; i++)
                column[i] = J[i * nv + k];
            CHECK_NEAR_ALL(column, rate, 6, 1e-6, "rad, m");
        }
        kin_case_end(&c);
    }
}

/* Velocities that are not on the way to the root have columns of zeros, whatever was there before. */
Test(body_jacobian, other_branches_are_zero)
{
    KinCase c = kin_case(scene_quadruped(), 11);
    const RgModel *m = c.model;
    double *J = RG_ARENA_ALLOC(&c.arena, double, 6 * m->nv);
    for (int i = 0; i < 6 * m->nv; i++)
        J[i] = 1e9;
    int body = m->nbodies - 1;
    rg_body_jacobian(c.kin, body, c.kin->X_WB[body].p, J);
    int off = 0;
    for (int k = 0; k < m->nv; k++) {
        bool on_the_way = false;
        for (int i = body; i >= 0; i = m->bodies[i].parent)
            on_the_way |= m->dof_body[k] == i;
        for (int i = 0; i < 6 && !on_the_way; i++, off++)
            cr_expect(J[i * m->nv + k] == 0.0, "row %d, column %d", i, k);
    }
    cr_expect(off == 6 * 9, "three other legs of three hinges, not %d entries", off);
    kin_case_end(&c);
}
