/* test_aba.c - articulated bodies against the factored mass matrix and against RNEA, joints without inertia, and the
   pairwise kernel against its plain twin. */
#include "scenes.h"
#include "tree_fixture.h"

#include <criterion/criterion.h>

/* M a + b - J' f = tau */
Test(aba, is_the_inverse_of_rnea)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        double *a = tree_numbers(&b, b.nv), *tau = tree_numbers(&b, b.nv);
        int bad;
        RgTreeForces forces = {tree_gravity, b.k.s.tau, b.f_ext, NULL};
        cr_assert(rg_aba(b.kin, &forces, b.work, a, &bad));
        rg_rnea(b.kin, tree_gravity, a, b.f_ext, b.work, tau);
        CHECK_REL_ALL(tau, b.k.s.tau, b.nv, 1e-9, "N m");
        tree_bench_end(&b);
    }
}

/* (M + diagonal) a = tau - b */
Test(aba, agrees_with_the_factor_with_more_on_the_diagonal)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.nv, bad;
        double *diagonal = tree_numbers(&b, n), *a = tree_numbers(&b, n), *x = tree_numbers(&b, n);
        for (int k = 0; k < n; k++)
            diagonal[k] = 0.3 + 0.05 * k;
        RgTreeForces forces = {tree_gravity, b.k.s.tau, NULL, diagonal};
        cr_assert(rg_aba(b.kin, &forces, b.work, a, &bad));
        RgMassFactor f = {b.model, tree_mass(&b, diagonal), (size_t)n, tree_numbers(&b, n)};
        cr_assert(rg_mass_factor_compute(&f, &bad));
        rg_rnea(b.kin, tree_gravity, NULL, NULL, b.work, x);
        for (int k = 0; k < n; k++)
            x[k] = b.k.s.tau[k] - x[k];
        rg_mass_factor_solve(&f, x);
        CHECK_REL_ALL(a, x, n, 1e-9, "rad/s^2");
        tree_bench_end(&b);
    }
}

/* A free body in a field of gravity falls, whatever its spin. */
Test(aba, free_bodies_fall)
{
    TreeBench b = tree_bench(scene_box(), 8);
    double *zero = tree_numbers(&b, b.nv), *a = tree_numbers(&b, b.nv);
    int bad;
    RgTreeForces forces = {tree_gravity, zero, NULL, NULL};
    cr_assert(rg_aba(b.kin, &forces, b.work, a, &bad));
    double fall[3] = {tree_gravity.x, tree_gravity.y, tree_gravity.z};
    CHECK_NEAR_ALL(a + 3, fall, 3, 1e-12, "m/s^2");
    tree_bench_end(&b);
}

/* Two hinges on one axis with nothing between them: the first has no inertia of its own, together they have. A slider
   at the end that carries no mass has none at all. */
Test(aba, names_the_velocity_without_inertia)
{
    RgBuilder *builder = scene_begin("massless end");
    RgLinkId arm = link_add(builder, "arm", inertia_box(1.0, vec(0.1, 0.0, 0.0), vec(0.1, 0.1, 0.1)));
    RgLinkId end = link_add(builder, "end", (RgInertia){0});
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, arm, vec(0, 0, 0), vec(0, 1, 0));
    RgJointDef slider = joint_at(RG_JOINT_prismatic, "slider", arm, end, vec(0.2, 0, 0), vec(1, 0, 0));
    joint_add(builder, &hinge);
    joint_add(builder, &slider);
    TreeBench b = tree_bench(scene_end(builder), 1);
    double *a = tree_numbers(&b, b.nv), rotor[2] = {0.0, 0.5};
    int bad = -1;
    RgTreeForces forces = {tree_gravity, b.k.s.tau, NULL, NULL};
    cr_expect(!rg_aba(b.kin, &forces, b.work, a, &bad));
    cr_expect(bad == 1, "velocity %d", bad);
    forces.diagonal = rotor;
    cr_expect(rg_aba(b.kin, &forces, b.work, a, &bad));
    tree_bench_end(&b);
}

Test(aba, pairs_give_the_bits_of_the_plain_loop)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.model->nbodies;
        RgArticulated *fast = RG_ARENA_ALLOC(&b.k.arena, RgArticulated, n);
        RgArticulated *plain = RG_ARENA_ALLOC(&b.k.arena, RgArticulated, n);
        rg_rigid_bodies(b.kin, b.work->solids, fast);
        rg_rigid_bodies_plain(b.kin, plain);
        cr_expect(same_bits(fast, plain, (size_t)n * sizeof *fast), "tree %u of %d bodies", (unsigned)seed, n);
        tree_bench_end(&b);
    }
}
