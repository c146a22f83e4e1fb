/*
 * test_momentum.c - momentum and centre of mass: against sums over links, and against the laws of Newton and
 * Euler.
 *
 *   p = sum m_i v_i = m dc/dt          dp/dt = m g + sum f_i
 *   L = sum I_i w_i + m_i r_i x v_i    dL/dt = sum n_i + r_i x f_i     r_i from the centre of mass
 *
 * The laws hold for forests without any joint to the world; efforts, springs, dampers and rotors between the
 * links are inner
 * forces and must drop out. Derivatives are central differences with step H.
 */
#include "check_near.h"
#include "tree_case.h"

#define TREES 100
#define H 1e-5

static void check_vec(RgVec3 actual, RgVec3 expected, double tolerance, const char *unit)
{
    const double a[3] = {actual.x, actual.y, actual.z}, e[3] = {expected.x, expected.y, expected.z};
    CHECK_NEAR_ALL(a, e, 3, tolerance, unit);
}

/* The same sums, written out link by link; links welded to the world do not count. */
static RgMomentum sum_links(TreeCase *t)
{
    RgMomentum m = {0};
    RgVec3 about_origin = {0};
    rg_forward_kinematics(t->dynamics, t->s.q, t->s.v);
    for (int i = 1; i <= t->s.links; i++) {
        RgLinkInfo link = rg_model_link(t->model, (RgLinkId){i});
        if (link.body < 0)
            continue;
        RgPose X = rg_link_pose(t->dynamics, (RgLinkId){i});
        RgMotion V = rg_link_twist(t->dynamics, (RgLinkId){i});
        RgVec3 c = place_point(X, link.inertia.com), v = vec_add(V.v, vec_cross(V.w, vec_sub(c, X.p)));
        RgVec3 p = vec_scale(link.inertia.mass, v), spin = inertia_turned(X, link.inertia.I, V.w);
        m.mass += link.inertia.mass;
        m.com = vec_add(m.com, vec_scale(link.inertia.mass, c));
        m.linear = vec_add(m.linear, p);
        about_origin = vec_add(about_origin, vec_add(spin, vec_cross(c, p)));
    }
    m.com = vec_scale(1.0 / m.mass, m.com);
    m.com_velocity = vec_scale(1.0 / m.mass, m.linear);
    m.angular = vec_sub(about_origin, vec_cross(m.com, m.linear));
    return m;
}

Test(momentum, is_the_sum_over_links)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed, .all_floating = seed % 2 == 0};
        TreeCase t = tree_case(&options);
        if (t.s.nv > 0) {
            RgMomentum sum = sum_links(&t), m = tree_case_momentum(&t, t.s.v, t.s.a, 0.0);
            double scale = 1.0 + vec_norm(sum.angular) + vec_norm(sum.linear);
            CHECK_REL(m.mass, sum.mass, 1e-14, "kg");
            check_vec(m.com, sum.com, 1e-13, "m");
            check_vec(m.com_velocity, sum.com_velocity, 1e-12, "m/s");
            check_vec(m.linear, sum.linear, 1e-12 * scale, "kg m/s");
            check_vec(m.angular, sum.angular, 1e-12 * scale, "kg m^2/s");
        }
        tree_case_end(&t);
    }
}

Test(momentum, centre_of_mass_moves_with_its_velocity)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed, .all_floating = false};
        TreeCase t = tree_case(&options);
        if (t.s.nv > 0) {
            RgVec3 rate = vec_scale(0.5 / H, vec_sub(tree_case_momentum(&t, t.s.v, t.s.a, H).com,
                                                     tree_case_momentum(&t, t.s.v, t.s.a, -H).com));
            check_vec(tree_case_momentum(&t, t.s.v, t.s.a, 0.0).com_velocity, rate, 1e-8, "m/s");
        }
        tree_case_end(&t);
    }
}

Test(momentum, changes_by_outer_forces_alone)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed, .all_floating = true};
        TreeCase t = tree_case(&options);

        /* Efforts of the floating joints would be outer forces: none. */
        RgVec3 force = {0}, moment = {0};
        RgMomentum now = tree_case_momentum(&t, t.s.v, t.s.a, 0.0);
        rg_forward_kinematics(t.dynamics, t.s.q, t.s.v);
        for (int i = 1; i <= t.s.links; i++) {
            RgLinkInfo link = rg_model_link(t.model, (RgLinkId){i});
            for (int k = 0; link.floats && k < 6; k++)
                t.s.tau[link.v_index + k] = 0.0;
            RgForce w = t.s.wrenches[i - 1];
            RgVec3 arm = vec_sub(rg_link_pose(t.dynamics, (RgLinkId){i}).p, now.com);
            force = vec_add(force, w.f);
            moment = vec_add(moment, vec_add(w.n, vec_cross(arm, w.f)));
        }
        force.z -= 9.81 * now.mass;
        cr_assert(rg_forward_dynamics(t.dynamics, t.s.q, t.s.v, t.s.tau, t.s.wrenches, t.s.a) == RG_OK);
        double scale = 1.0 + check_largest(t.s.a, (size_t)t.s.nv);
        RgMomentum next = tree_case_momentum(&t, t.s.v, t.s.a, H), last = tree_case_momentum(&t, t.s.v, t.s.a, -H);
        check_vec(vec_scale(0.5 / H, vec_sub(next.linear, last.linear)), force, 1e-7 * scale, "N");
        check_vec(vec_scale(0.5 / H, vec_sub(next.angular, last.angular)), moment, 1e-7 * scale, "N m");
        tree_case_end(&t);
    }
}
