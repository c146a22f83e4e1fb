/* test_crba.c - the mass matrix against RNEA and the kinetic energy, what it leaves alone, and its loops against
   their plain twins. */
#include "scenes.h"
#include "tree_fixture.h"

#include <criterion/criterion.h>

/* M e_j = RNEA(e_j) - RNEA(0) */
Test(crba, columns_are_differences_of_rnea)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.nv;
        double *M = tree_mass(&b, NULL), *e = tree_numbers(&b, n), *column = tree_numbers(&b, n);
        double *with = tree_numbers(&b, n), *bias = tree_numbers(&b, n), *difference = tree_numbers(&b, n);
        rg_rnea(b.kin, v3_zero(), NULL, NULL, b.work, bias);
        for (int j = 0; j < n; j++) {
            memset(e, 0, (size_t)n * sizeof *e);
            e[j] = 1.0;
            rg_rnea(b.kin, v3_zero(), e, NULL, b.work, with);
            for (int k = 0; k < n; k++) {
                column[k] = M[k * n + j];
                difference[k] = with[k] - bias[k];
            }
            CHECK_REL_ALL(column, difference, n, 1e-10, "kg m^2");
        }
        tree_bench_end(&b);
    }
}

/* v . M v / 2 is the kinetic energy; the diagonal adds its own. */
Test(crba, gives_the_kinetic_energy)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        double *diagonal = tree_numbers(&b, b.nv), *v = b.k.s.v, twice = 0.0, extra = 0.0;
        for (int k = 0; k < b.nv; k++) {
            diagonal[k] = 0.1 + 0.01 * k;
            extra += diagonal[k] * v[k] * v[k];
        }
        double *M = tree_mass(&b, diagonal);
        for (int k = 0; k < b.nv * b.nv; k++)
            twice += v[k / b.nv] * M[k] * v[k % b.nv];
        RgMomentum momentum;
        rg_tree_momentum(b.kin, tree_gravity, b.k.s.q, v, &momentum);
        CHECK_REL(0.5 * (twice - extra), momentum.kinetic, 1e-12, "J");
        tree_bench_end(&b);
    }
}

/* Far from the world's origin the matrix is the same: only distances inside the robot enter. */
Test(crba, does_not_care_where_the_robot_is)
{
    TreeBench b = tree_bench(scene_quadruped(), 4);
    double *near = tree_mass(&b, NULL);
    b.k.s.q[4] += 1e6;
    rg_forward_kin(b.k.s.q, b.k.s.v, b.kin);
    double *far = tree_mass(&b, NULL);
    cr_expect(same_bits(near, far, (size_t)(b.nv * b.nv) * sizeof *near));
    tree_bench_end(&b);
}

/* Only the lower half along the branches is written. */
Test(crba, writes_along_the_branches_alone)
{
    TreeBench b = tree_bench(scene_humanoid(), 4);
    double *H = tree_numbers(&b, b.nv * b.nv), *M = tree_mass(&b, NULL);
    for (int k = 0; k < b.nv * b.nv; k++)
        H[k] = 1e300;
    rg_crba(b.kin, NULL, b.work, &(RgMassFactor){b.model, H, (size_t)b.nv, NULL});
    for (int k = 0; k < b.nv; k++)
        for (int j = 0; j < b.nv; j++)
            cr_expect(H[k * b.nv + j] == (is_ancestor(b.model, j, k) ? M[k * b.nv + j] : 1e300), "row %d, column %d", k,
                      j);
    tree_bench_end(&b);
}

/* The whole matrix, whatever was there before: symmetric, zero between branches. */
Test(crba, writes_the_whole_matrix)
{
    TreeBench b = tree_bench(scene_humanoid(), 4);
    double *M = tree_numbers(&b, b.nv * b.nv);
    for (int k = 0; k < b.nv * b.nv; k++)
        M[k] = 1e300;
    rg_crba_whole(b.kin, NULL, b.work, M);
    for (int k = 0; k < b.nv; k++)
        for (int j = 0; j <= k; j++) {
            double low = M[k * b.nv + j];
            cr_expect(low == M[j * b.nv + k] && fabs(low) < 1e300, "row %d, column %d", k, j);
            cr_expect(low == 0.0 || is_ancestor(b.model, j, k), "row %d, column %d", k, j);
        }
    tree_bench_end(&b);
}

Test(crba, pairs_give_the_bits_of_the_plain_loops)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.model->nbodies, pairs = (b.nv + 1) / 2;
        size_t matrix = (size_t)(b.nv * b.nv) * sizeof(double);
        RgCentralInertia *fast = RG_ARENA_ALLOC(&b.k.arena, RgCentralInertia, n),
                         *plain = RG_ARENA_ALLOC(&b.k.arena, RgCentralInertia, n);
        rg_world_inertias(b.kin, b.work->solids, rg_tree_whole(b.model), fast);
        rg_world_inertias_plain(b.kin, plain);
        cr_expect(same_bits(fast, plain, (size_t)n * sizeof *fast), "solids of tree %u", (unsigned)seed);

        /* Axes of the last of an odd number stand twice in the fast one: compare what is used. */
        double *H = tree_mass(&b, NULL), *H_plain = tree_numbers(&b, b.nv * b.nv);
        RgAxisPair *axes = RG_ARENA_ALLOC(&b.k.arena, RgAxisPair, pairs);
        memcpy(axes, b.work->axes, (size_t)pairs * sizeof *axes);
        rg_unit_forces_plain(b.kin, b.work);
        cr_expect(same_bits(axes, b.work->axes, (size_t)pairs * sizeof *axes), "axes of tree %u", (unsigned)seed);
        rg_mass_rows_plain(b.model, b.work->axes, H_plain, (size_t)b.nv, true);
        for (int k = 0; k < b.nv; k++)
            H_plain[k * b.nv + k] += b.model->armature[k] + 0.0;
        cr_expect(same_bits(H, H_plain, matrix), "matrix of tree %u", (unsigned)seed);
        tree_bench_end(&b);
    }
}
