/*
 * test_energy.c - forces against derivatives of energies, on random forests of all joint kinds.
 *
 *   holding force at rest   RNEA(q, 0, 0) - passive(q, 0) = dV/dq         V: gravity and springs
 *   mass matrix             kinetic = v' M v / 2
 *   power                   d(T + V)/dt = tau' v + sum wrench . twist - v' D v
 *
 * The derivatives are central differences with step H, error of order H^2.
 */
#include "check_near.h"
#include "tree_case.h"

#include <stdlib.h>
#include <string.h>

#define TREES 100
#define H 1e-5

Test(energy, holding_force_is_the_slope_of_the_potential)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        TreeCase t = tree_case(&options);
        double *zero = tree_case_vector(&t), *unit = tree_case_vector(&t), *passive = tree_case_vector(&t);
        rg_inverse_dynamics(t.dynamics, t.s.q, zero, zero, NULL, t.s.tau);
        rg_passive_forces(t.dynamics, t.s.q, zero, passive);
        double scale = 1.0 + check_largest(t.s.tau, (size_t)t.s.nv);
        for (int k = 0; k < t.s.nv; k++) {
            unit[k] = 1.0;
            double above = tree_case_momentum(&t, unit, zero, H).potential;
            double below = tree_case_momentum(&t, unit, zero, -H).potential;
            unit[k] = 0.0;
            CHECK_NEAR(t.s.tau[k] - passive[k], (above - below) / (2.0 * H), 1e-8 * scale, "N m or N");
        }
        free(zero);
        free(unit);
        free(passive);
        tree_case_end(&t);
    }
}

Test(energy, kinetic_energy_is_half_v_M_v)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        TreeCase t = tree_case(&options);
        double *M = calloc((size_t)t.s.nv * (size_t)t.s.nv + 1, sizeof *M), twice = 0.0;
        cr_assert(rg_mass_matrix(t.dynamics, t.s.q, M) == RG_OK);
        for (int k = 0; k < t.s.nv * t.s.nv; k++)
            twice += t.s.v[k / t.s.nv] * M[k] * t.s.v[k % t.s.nv];
        RgMomentum m;
        rg_momentum(t.dynamics, t.s.q, t.s.v, &m);
        CHECK_NEAR(m.kinetic, 0.5 * twice, 1e-12 * twice, "J");
        free(M);
        tree_case_end(&t);
    }
}

/* Power of all wrenches at the links' twists. */
static double wrench_power(TreeCase *t)
{
    double power = 0.0;
    rg_forward_kinematics(t->dynamics, t->s.q, t->s.v);
    for (int i = 0; i < t->s.links; i++) {
        RgMotion V = rg_link_twist(t->dynamics, (RgLinkId){i + 1});
        power += vec_dot(V.w, t->s.wrenches[i].n) + vec_dot(V.v, t->s.wrenches[i].f);
    }
    return power;
}

Test(energy, power_of_all_forces_is_the_rate_of_energy)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        TreeCase t = tree_case(&options);
        double *passive = tree_case_vector(&t), *tau = tree_case_vector(&t);
        double *spring = tree_case_vector(&t), *zero = tree_case_vector(&t);
        rg_passive_forces(t.dynamics, t.s.q, t.s.v, passive);
        rg_passive_forces(t.dynamics, t.s.q, zero, spring);
        double power = wrench_power(&t), size = fabs(power);
        for (int i = 0; i < t.s.nv; i++) {
            tau[i] = t.s.tau[i] + passive[i];
            power += (tau[i] - spring[i]) * t.s.v[i];
            size += fabs(tau[i] * t.s.v[i]);
        }
        cr_assert(rg_forward_dynamics(t.dynamics, t.s.q, t.s.v, tau, t.s.wrenches, t.s.a) == RG_OK);
        RgMomentum next = tree_case_momentum(&t, t.s.v, t.s.a, H);
        RgMomentum last = tree_case_momentum(&t, t.s.v, t.s.a, -H);
        double rate = (next.kinetic + next.potential - last.kinetic - last.potential) / (2.0 * H);
        double third = check_largest(t.s.a, (size_t)t.s.nv);
        CHECK_NEAR(rate, power, 1e-7 * (size + 1.0) * (1.0 + H * third), "W");
        free(passive);
        free(tau);
        free(spring);
        free(zero);
        tree_case_end(&t);
    }
}
