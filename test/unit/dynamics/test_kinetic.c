/*
 * test_kinetic.c - kinetic energies and twists of four vectors of joint velocities at once: each as its plain twin has
 * it, to the bit; in whole and in parts; and that of the state against its momentum.
 */
#include "scene_parts.h"
#include "tree_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

/* Four vectors: the state's velocities, and others made of them. */
static void check_part(TreeBench *b, RgTreePart part)
{
    size_t bytes = (size_t)b->model->nbodies * sizeof(RgMotion);
    RgKinetics k = {.V = {RG_ARENA_ALLOC(&b->k.arena, RgMotion, b->model->nbodies),
                          RG_ARENA_ALLOC(&b->k.arena, RgMotion, b->model->nbodies)}};
    for (int l = 0; l < 4; l++) {
        double *u = tree_numbers(b, b->nv);
        for (int j = 0; j < b->nv; j++)
            u[j] = b->k.s.v[j] * (1.0 + 0.3 * l) + 0.1 * l * j;
        k.u[l] = u;
    }
    rg_part_kinetics(b->kin, part, b->work, &k);
    for (int l = 0; l < 4; l++) {
        RgMotion *V = RG_ARENA_ALLOC(&b->k.arena, RgMotion, b->model->nbodies);
        rg_twists_part(b->kin, k.u[l], part, V);
        double T = rg_part_kinetic(b->kin, k.u[l], V, part);
        cr_expect(same_bits(&T, &k.T[l], sizeof T), "energy %d: %.17g and %.17g", l, T, k.T[l]);
        cr_expect(l >= RG_KINETICS_TWISTS || same_bits(V, k.V[l], bytes), "twists %d", l);
    }
}

Test(kinetic, four_have_the_bits_of_one)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        check_part(&b, rg_tree_whole(b.model));
        for (int i = 0; i < b.work->nparts; i++)
            check_part(&b, b.work->parts[i]);
        RgMomentum m;
        rg_tree_momentum(b.kin, tree_gravity, b.k.s.q, b.k.s.v, &m);
        double T = rg_part_kinetic(b.kin, b.k.s.v, b.kin->V, rg_tree_whole(b.model));
        CHECK_REL(T, m.kinetic, 1e-12, "J");
        CHECK_REL(rg_tree_energy(b.kin, tree_gravity, b.k.s.q, b.k.s.v), m.kinetic + m.potential, 1e-12, "J");
        tree_bench_end(&b);
    }
}

/* Three boxes and a hinge each, many times: parts begin with an even body and an even velocity, and cover all. */
Test(kinetic, parts_are_whole_trees)
{
    RgBuilder *builder = scene_begin("many");
    for (int i = 0; i < 40; i++) {
        char name[2][32];
        snprintf(name[0], sizeof name[0], "a%d", i);
        snprintf(name[1], sizeof name[1], "b%d", i);
        RgInertia box = inertia_box(1.0 + i, vec(0.1, 0.2, 0.3), vec(0.3, 0.2, 0.1));
        RgLinkId a = link_add(builder, name[0], box), c = link_add(builder, name[1], box);
        RgJointDef hinge = joint_at(RG_JOINT_revolute, name[0], a, c, vec(0.5, 0.0, 0.0), vec(0.0, 1.0, 0.0));
        joint_add(builder, &hinge);
    }
    TreeBench b = tree_bench(scene_end(builder), 7);
    int body = 0, dof = 0;
    for (int i = 0; i < b.work->nparts; i++) {
        RgTreePart p = b.work->parts[i];
        cr_expect(p.body == body && p.dof == dof && p.body % 2 == 0 && p.dof % 2 == 0);
        cr_expect(b.model->bodies[p.body].parent < 0);
        check_part(&b, p);
        body = p.body_end;
        dof = p.dof_end;
    }
    cr_expect(b.work->nparts > 1 && body == b.model->nbodies && dof == b.nv);

    /* Factor and solution by parts are those of the whole. */
    RgMassFactor whole = rg_mass_factor_alloc(&b.k.arena, b.model), parts = rg_mass_factor_alloc(&b.k.arena, b.model);
    double *x = tree_numbers(&b, b.nv), *y = tree_numbers(&b, b.nv);
    RgMotion *bias = RG_ARENA_ALLOC(&b.k.arena, RgMotion, b.model->nbodies);
    RgTreeForces forces = {.gravity = tree_gravity, .f_ext = b.f_ext};
    int bad;
    rg_crba(b.kin, NULL, b.work, &whole);
    cr_assert(rg_mass_factor_compute(&whole, &bad));
    rg_rnea(b.kin, tree_gravity, NULL, b.f_ext, b.work, x);
    rg_mass_factor_solve(&whole, x);
    for (int i = 0; i < b.work->nparts; i++) {
        RgTreePart p = b.work->parts[i];
        cr_assert(rg_part_factor(b.kin, NULL, b.work, &parts, p, &bad));
        rg_part_bias(b.kin, p, bias);
        rg_part_forces(b.kin, &forces, bias, b.work, p, y);
        rg_part_solve(&parts, p, y);
    }
    cr_expect(same_bits(x, y, (size_t)b.nv * sizeof *x));
    tree_bench_end(&b);
}
