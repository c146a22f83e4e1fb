/*
 * test_solver_quick.c - solver `quick` on random problems: contact and Coulomb's law hold, momentum is kept, both kernels
 * give the same bits, movers in groups behave as free ones, rows keep their bounds.
 */
#include "patch_fixture.h"

#include <criterion/criterion.h>

#define TRIALS 40

static RgQuickOptions exact(void)
{
    RgQuickOptions options = rg_quick_options_default();
    options.max_sweeps = 20000;
    options.tolerance = 1e-14;
    return options;
}

Test(solver_quick, contact_and_coulomb)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    int unfinished = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        Made made = made_problem((uint64_t)trial, 3 + trial % 10, 2 + trial % 10 + trial % 3);
        RgQuickOptions options = exact();
        RgQuickReport report;
        cr_assert_eq(rg_quick_solve(&memory, &made.problem, &options, &report), RG_OK);
        unfinished += report.unfinished;
        for (int32_t k = 0; k < made.problem.npatches && report.unfinished == 0; k++) {
            double off = patch_residual(&made.problem, &made.problem.patches[k]);
            cr_assert(off <= 1e-9, "trial %d, patch %d: %g", trial, k, off);
        }
        made_release(&made);
    }
    cr_assert(unfinished <= TRIALS / 10, "%d islands of %d trials did not come to rest", unfinished, TRIALS);
    rg_arena_free(&memory);
}

/* Whatever the number of sweeps: the velocities are those that the impulses make. */
Test(solver_quick, momentum)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    for (int trial = 0; trial < TRIALS; trial++) {
        Made made = made_problem((uint64_t)(100 + trial), 6, 8);
        double V0[6 * RG_MOVER_PLACES], V[6 * RG_MOVER_PLACES];
        Draw d = draw_seed((uint64_t)trial);
        for (int32_t k = 0; k < made.problem.npatches; k++)
            for (int i = 0; i < made.problem.patches[k].count; i++)
                made.problem.patches[k].z[i][0] = draw_between(&d, 0.0, 0.5);
        memcpy(V0, made.problem.V, sizeof V0);
        RgQuickOptions options = rg_quick_options_default();
        options.max_sweeps = 1 + trial;
        options.tolerance = 0.0;
        RgQuickReport report;
        cr_assert_eq(rg_quick_solve(&memory, &made.problem, &options, &report), RG_OK);
        cr_assert_eq(report.sweeps, 1 + trial);
        momentum_velocities(&made.problem, V0, V);
        for (int i = RG_MOVER_PLACES; i < 6 * RG_MOVER_PLACES; i++)
            cr_assert(fabs(V[i] - made.problem.V[i]) <= 1e-11, "trial %d, place %d: %g", trial, i,
                      V[i] - made.problem.V[i]);
        made_release(&made);
    }
    rg_arena_free(&memory);
}

/* Bits of the plain kernel, and of a second run. */
Test(solver_quick, same_bits)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    for (int trial = 0; trial < TRIALS; trial++) {
        Made one = made_problem((uint64_t)(200 + trial), 40, 80), two = made_problem((uint64_t)(200 + trial), 40, 80);
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        rg_quick_solve(&memory, &one.problem, &options, &report);
        options.plain = true;
        rg_quick_solve(&memory, &two.problem, &options, &report);
        cr_assert_eq(memcmp(one.problem.V, two.problem.V, 40 * RG_MOVER_PLACES * sizeof(double)), 0, "trial %d", trial);
        for (int k = 0; k < 80; k++)
            cr_assert_eq(memcmp(one.problem.patches[k].z, two.problem.patches[k].z, sizeof one.problem.patches[k].z), 0);
        made_release(&one);
        made_release(&two);
    }
    rg_arena_free(&memory);
}

/* The inverse mass matrices of two free movers, written as the L of a group. */
static void group_two(Made *made, int32_t place[12], double L[144], RgMoverGroup *group)
{
    memset(L, 0, 144 * sizeof *L);
    for (int k = 0; k < 2; k++) {
        const RgMover *m = &made->movers[k + 1];
        const double I[3][3] = {{m->inverse_inertia.xx, m->inverse_inertia.xy, m->inverse_inertia.xz},
                                {m->inverse_inertia.xy, m->inverse_inertia.yy, m->inverse_inertia.yz},
                                {m->inverse_inertia.xz, m->inverse_inertia.yz, m->inverse_inertia.zz}};
        for (int i = 0; i < 3; i++) {
            L[(6 * k + i) * 12 + 6 * k + i] = m->inverse_mass;
            for (int j = 0; j < 3; j++)
                L[(6 * k + 3 + i) * 12 + 6 * k + 3 + j] = I[i][j];
        }
        for (int i = 0; i < 6; i++)
            place[6 * k + i] = RG_MOVER_PLACES * (k + 1) + i;
        made->movers[k + 1].group = 0;
        made->movers[k + 1].output = 6 * k;
    }
    *group = (RgMoverGroup){12, place, L};
    made->problem.groups = group;
    made->problem.ngroups = 1;
}

Test(solver_quick, groups_are_movers)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    for (int trial = 0; trial < TRIALS; trial++) {
        Made one = made_problem((uint64_t)(300 + trial), 5, 5), two = made_problem((uint64_t)(300 + trial), 5, 5);
        int32_t place[12];
        double L[144];
        RgMoverGroup group;
        group_two(&two, place, L, &group);
        RgQuickOptions options = exact();
        RgQuickReport report, other;
        rg_quick_solve(&memory, &one.problem, &options, &report);
        rg_quick_solve(&memory, &two.problem, &options, &other);
        if (report.unfinished == 0 && other.unfinished == 0)
            for (int i = RG_MOVER_PLACES; i < 5 * RG_MOVER_PLACES; i++)
                cr_assert(fabs(one.problem.V[i] - two.problem.V[i]) <= 1e-8, "trial %d, place %d: %g and %g", trial, i,
                          one.problem.V[i], two.problem.V[i]);
        made_release(&one);
        made_release(&two);
    }
    rg_arena_free(&memory);
}

/* A motor on a free mover: reaches its speed, or pushes as hard as it may; torsion is bound by the normal. */
Test(solver_quick, rows)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    for (int strong = 0; strong < 2; strong++) {
        Made made = made_problem(7, 2, 0);
        RgPatchRow row = {.nspans = 1, .span = {{.mover = 1, .J = {1.0, 0.0, 0.0, 0.0, 0.0, 0.5}}}, .patch = -1};
        row.target = 3.0;
        row.high = strong ? 1e9 : 0.01;
        row.low = -row.high;
        made.problem.rows = &row;
        made.problem.nrows = 1;
        RgQuickOptions options = exact();
        RgQuickReport report;
        rg_quick_solve(&memory, &made.problem, &options, &report);
        const double *V = made.problem.V + RG_MOVER_PLACES;
        if (strong)
            cr_assert(fabs(V[0] + 0.5 * V[5] - 3.0) <= 1e-12);
        else
            cr_assert(row.z == 0.01 && V[0] + 0.5 * V[5] < 3.0);
        made_release(&made);
    }

    /* A ball that falls and spins on the ground: torsion takes bound * N of its spin. */
    Made made = made_problem(8, 2, 1);
    RgPatch *patch = &made.problem.patches[0];
    *patch = (RgPatch){.mover = {0, 1}, .count = 1, .axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    patch->arm[1] = vec(0.0, 0.0, -1.0);
    made.movers[1] = (RgMover){1.0, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, -1, 0};
    double V[6] = {0.0, 0.0, -2.0, 0.0, 0.0, 5.0};
    memcpy(made.problem.V + RG_MOVER_PLACES, V, sizeof V);
    RgPatchRow row = {.nspans = 1, .span = {{.mover = 1, .J = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0}}}, .patch = 0, .bound = 0.25};
    made.problem.rows = &row;
    made.problem.nrows = 1;
    RgQuickOptions options = exact();
    RgQuickReport report;
    rg_quick_solve(&memory, &made.problem, &options, &report);
    cr_assert(fabs(patch->z[0][0] - 2.0) <= 1e-12 && fabs(row.z + 0.5) <= 1e-12);
    cr_assert(fabs(made.problem.V[RG_MOVER_PLACES + 5] - 4.5) <= 1e-12);
    made_release(&made);
    rg_arena_free(&memory);
}
