/*
 * test_rnea.c - inverse dynamics against energy, Newton's law of the whole, and the sum of virtual powers;
 * the pairwise
 * kernel against its plain twin.
 */
#include "scenes.h"
#include "tree_fixture.h"

#include <criterion/criterion.h>

static double potential(TreeBench *b, double t)
{
    RgMomentum m;
    kin_case_look(&b->k, t);
    rg_tree_momentum(b->kin, tree_gravity, b->k.q, b->k.s.v, &m);
    return m.potential;
}

/* At rest the efforts are the gradient of the potential energy: tau . v = dU/dt. Springs off: they are not
   RNEA's. */
Test(rnea, holds_gravity)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomTree options = {.seed = seed, .no_passive = true};
        TreeBench b = tree_bench(random_tree(&options), seed);
        double h = 1e-5, *rest = tree_numbers(&b, b.nv), *tau = tree_numbers(&b, b.nv), power = 0.0;
        double rate = (potential(&b, h) - potential(&b, -h)) / (2.0 * h);
        rg_forward_kin(b.k.s.q, rest, b.kin);
        rg_rnea(b.kin, tree_gravity, NULL, NULL, b.work, tau);
        for (int k = 0; k < b.nv; k++)
            power += tau[k] * b.k.s.v[k];
        CHECK_NEAR(power, rate, 1e-5 * fmax(1.0, fabs(rate)), "W");
        tree_bench_end(&b);
    }
}

/* A floating robot: what its root carries is the change of the whole momentum, F = m (a_com - g) - sum of
   wrenches. */
Test(rnea, root_carries_newtons_law)
{
    TreeBench b = tree_bench(scene_humanoid(), 5);
    double h = 1e-6, *tau = tree_numbers(&b, b.nv), *zero = tree_numbers(&b, b.nv);
    rg_rnea(b.kin, tree_gravity, zero, b.f_ext, b.work, tau);
    RgVec3 carried = b.work->f[0].f;

    /* Velocities are constant, so the momentum changes with the configuration alone. */
    RgMomentum after, before;
    kin_case_look(&b.k, h);
    rg_tree_momentum(b.kin, tree_gravity, b.k.q, b.k.s.v, &after);
    kin_case_look(&b.k, -h);
    rg_tree_momentum(b.kin, tree_gravity, b.k.q, b.k.s.v, &before);
    RgVec3 F = vec_scale(0.5 / h, vec_sub(after.linear, before.linear));
    F = vec_sub(F, vec_scale(after.mass, tree_gravity));
    for (int i = 0; i < b.model->nlinks; i++)
        F = vec_sub(F, b.k.s.wrenches[i].f);
    CHECK_NEAR(vec_distance(F, carried), 0.0, 1e-5 * vec_norm(F), "N");
    tree_bench_end(&b);
}

/* d'Alembert: tau_k is the power of all bodies' forces along the motion of velocity k alone. */
Test(rnea, efforts_are_virtual_powers)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        double *a = b.k.s.tau, *tau = tree_numbers(&b, b.nv), *power = tree_numbers(&b, b.nv);
        double *J = tree_numbers(&b, 6 * b.nv);
        RgForce *f = RG_ARENA_ALLOC(&b.k.arena, RgForce, b.model->nbodies);
        rg_rnea(b.kin, tree_gravity, a, b.f_ext, b.work, tau);
        rg_body_forces_plain(b.kin, b.work->A, f);
        for (int i = 0; i < b.model->nbodies; i++) {
            RgForce F = fv_sub(f[i], b.f_ext[i]);
            double six[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
            rg_body_jacobian(b.kin, i, b.kin->X_WB[i].p, J);
            for (int k = 0; k < 6 * b.nv; k++)
                power[k % b.nv] += J[k] * six[k / b.nv];
        }
        for (int k = 0; k < b.nv; k++)
            power[k] += b.model->armature[k] * a[k];
        CHECK_REL_ALL(tau, power, b.nv, 1e-11, "N m");
        tree_bench_end(&b);
    }
}

Test(rnea, pairs_give_the_bits_of_the_plain_loop)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.model->nbodies;
        RgForce *fast = RG_ARENA_ALLOC(&b.k.arena, RgForce, n), *plain = RG_ARENA_ALLOC(&b.k.arena, RgForce, n);
        rg_rnea(b.kin, tree_gravity, b.k.s.tau, NULL, b.work, tree_numbers(&b, b.nv));
        rg_body_forces(b.kin, b.work->solids, b.work->A, rg_tree_whole(b.model), fast);
        rg_body_forces_plain(b.kin, b.work->A, plain);
        cr_expect(same_bits(fast, plain, (size_t)n * sizeof *fast), "tree %u of %d bodies", (unsigned)seed, n);
        tree_bench_end(&b);
    }
}

/* A_i at dv = 0 without gravity is what RNEA leaves there. */
Test(rnea, bias_acceleration_is_the_outward_pass)
{
    TreeBench b = tree_bench_drawn(9);
    RgMotion *A = RG_ARENA_ALLOC(&b.k.arena, RgMotion, b.model->nbodies);
    rg_rnea(b.kin, v3_zero(), NULL, NULL, b.work, tree_numbers(&b, b.nv));
    rg_velocity_product_accelerations(b.kin, A);
    for (int i = 0; i < b.model->nbodies; i++) {
        CHECK_NEAR(vec_distance(A[i].w, b.work->A[i].w), 0.0, 1e-12, "rad/s^2");
        CHECK_NEAR(vec_distance(A[i].v, b.work->A[i].v), 0.0, 1e-12, "m/s^2");
    }
    tree_bench_end(&b);
}
