/*
 * test_solver_quick.c - solver `quick` on random problems: contact and Coulomb's law hold, momentum is kept, both
 * kernels give the same bits, movers in groups behave as free ones, rows keep their bounds.
 */
#include "patch_fixture.h"

#include <criterion/criterion.h>

#define TRIALS 40

static RgQuickOptions exact(void)
{
    RgQuickOptions options = rg_quick_options_default();
    options.max_sweeps = 20000;
    options.tolerance = 1e-14;
    options.motion_slack = 0.0;
    return options;
}

Test(solver_quick, contact_and_coulomb)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
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
    rg_quick_memory_free(&memory);
}

/* Whatever the number of sweeps: the velocities are those that the impulses make. */
Test(solver_quick, momentum)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < TRIALS; trial++) {
        Made made = made_problem((uint64_t)(100 + trial), 6, 8);
        double V0[6 * RG_BODY_PLACES], V[6 * RG_BODY_PLACES];
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
        for (int i = RG_BODY_PLACES; i < 6 * RG_BODY_PLACES; i++)
            cr_assert(fabs(V[i] - made.problem.V[i]) <= 1e-11, "trial %d, place %d: %g", trial, i,
                      V[i] - made.problem.V[i]);
        made_release(&made);
    }
    rg_quick_memory_free(&memory);
}

/* Bits of the plain kernel, and of a second run. */
Test(solver_quick, same_bits)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < TRIALS; trial++) {
        Made one = made_problem((uint64_t)(200 + trial), 40, 80), two = made_problem((uint64_t)(200 + trial), 40, 80);
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        rg_quick_solve(&memory, &one.problem, &options, &report);
        options.plain = true;
        rg_quick_solve(&memory, &two.problem, &options, &report);
        cr_assert_eq(memcmp(one.problem.V, two.problem.V, 40 * RG_BODY_PLACES * sizeof(double)), 0, "trial %d", trial);
        for (int k = 0; k < 80; k++)
            cr_assert_eq(memcmp(one.problem.patches[k].z, two.problem.patches[k].z, sizeof one.problem.patches[k].z),
                         0);
        made_release(&one);
        made_release(&two);
    }
    rg_quick_memory_free(&memory);
}

/* The inverse mass matrices of two free movers, written as the L of a group. */
static void group_two(Made *made, int32_t place[12], double L[144], RgArticulation *group)
{
    memset(L, 0, 144 * sizeof *L);
    for (int k = 0; k < 2; k++) {
        const RgSolverBody *m = &made->movers[k + 1];
        const double I[3][3] = {{m->inverse_inertia.xx, m->inverse_inertia.xy, m->inverse_inertia.xz},
                                {m->inverse_inertia.xy, m->inverse_inertia.yy, m->inverse_inertia.yz},
                                {m->inverse_inertia.xz, m->inverse_inertia.yz, m->inverse_inertia.zz}};
        for (int i = 0; i < 3; i++) {
            L[(6 * k + i) * 12 + 6 * k + i] = m->inverse_mass;
            for (int j = 0; j < 3; j++)
                L[(6 * k + 3 + i) * 12 + 6 * k + 3 + j] = I[i][j];
        }
        for (int i = 0; i < 6; i++)
            place[6 * k + i] = RG_BODY_PLACES * (k + 1) + i;
        made->movers[k + 1].group = 0;
        made->movers[k + 1].output = 6 * k;
    }
    *group = (RgArticulation){.noutputs = 12, .place = place, .L = L};
    made->problem.groups = group;
    made->problem.ngroups = 1;
}

Test(solver_quick, groups_are_movers)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < TRIALS; trial++) {
        Made one = made_problem((uint64_t)(300 + trial), 5, 5), two = made_problem((uint64_t)(300 + trial), 5, 5);
        int32_t place[12];
        double L[144];
        RgArticulation group;
        group_two(&two, place, L, &group);
        RgQuickOptions options = exact();
        RgQuickReport report, other;
        rg_quick_solve(&memory, &one.problem, &options, &report);
        rg_quick_solve(&memory, &two.problem, &options, &other);
        if (report.unfinished == 0 && other.unfinished == 0)
            for (int i = RG_BODY_PLACES; i < 5 * RG_BODY_PLACES; i++)
                cr_assert(fabs(one.problem.V[i] - two.problem.V[i]) <= 1e-8, "trial %d, place %d: %g and %g", trial, i,
                          one.problem.V[i], two.problem.V[i]);
        made_release(&one);
        made_release(&two);
    }
    rg_quick_memory_free(&memory);
}

/* A motor on a free mover: reaches its speed, or pushes as hard as it may; torsion is bound by the normal. */
Test(solver_quick, rows)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
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
        const double *V = made.problem.V + RG_BODY_PLACES;
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
    made.movers[1] = (RgSolverBody){1.0, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, -1, 0};
    double V[6] = {0.0, 0.0, -2.0, 0.0, 0.0, 5.0};
    memcpy(made.problem.V + RG_BODY_PLACES, V, sizeof V);
    RgPatchRow row = {
        .nspans = 1, .span = {{.mover = 1, .J = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0}}}, .patch = 0, .bound = 0.25};
    made.problem.rows = &row;
    made.problem.nrows = 1;
    RgQuickOptions options = exact();
    RgQuickReport report;
    rg_quick_solve(&memory, &made.problem, &options, &report);
    cr_assert(fabs(patch->z[0][0] - 2.0) <= 1e-12 && fabs(row.z + 0.5) <= 1e-12);
    cr_assert(fabs(made.problem.V[RG_BODY_PLACES + 5] - 4.5) <= 1e-12);
    made_release(&made);
    rg_quick_memory_free(&memory);
}

/* ------------------------------------------------------------------ piles */

#define TALL 20
#define FALL 0.05 /* m/s that gravity gives in a step */

typedef struct Tower {
    RgSolverBody movers[TALL + 1];
    RgPatch patches[TALL];
    RgVec3 centre[TALL + 1];
    _Alignas(64) double V[RG_BODY_PLACES * (TALL + 1)];
    RgPatchProblem problem;
} Tower;

/* Unit cubes on each other, each shifted a little; mass of the topmost: top times that of the others. */
static void stack(Tower *t, uint64_t seed, double top)
{
    static const double corner[4][2] = {{-0.4, -0.4}, {0.4, -0.4}, {0.4, 0.4}, {-0.4, 0.4}};
    Draw d = draw_seed(seed);
    memset(t, 0, sizeof *t);
    t->movers[0].group = -1;
    for (int i = 1; i <= TALL; i++) {
        double per = i == TALL ? 1.0 / top : 1.0;
        t->movers[i] = (RgSolverBody){per, {6.0 * per, 6.0 * per, 6.0 * per, 0.0, 0.0, 0.0}, -1, 0};
        t->centre[i] = vec(draw_between(&d, -0.02, 0.02), draw_between(&d, -0.02, 0.02), i - 0.5);
        t->V[RG_BODY_PLACES * i + 2] = -FALL;
        RgPatch *patch = &t->patches[i - 1];
        *patch = (RgPatch){.mover = {i - 1, i}, .count = 4, .mu = {0.5, 0.5}};
        patch->axis[0] = vec(1.0, 0.0, 0.0);
        patch->axis[1] = vec(0.0, 1.0, 0.0);
        patch->axis[2] = vec(0.0, 0.0, 1.0);
        RgVec3 mean = vec(t->centre[i].x, t->centre[i].y, i - 1.0);
        for (int side = 0; side < 2; side++)
            patch->arm[side] = vec_sub(mean, t->centre[i - 1 + side]);
        memcpy(patch->place, corner, sizeof corner);
    }
    t->problem = (RgPatchProblem){.nmovers = TALL + 1, .npatches = TALL, .movers = t->movers};
    t->problem.patches = t->patches;
    t->problem.centre = t->centre;
    t->problem.V = t->V;
}

/* Every cube rests and every patch carries what is above it; a few sweeps from nothing are enough, whatever the masses.
   Without momentum and levels it takes thousands. */
Test(solver_quick, towers_at_once)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < 12; trial++) {
        static Tower t;
        double top = trial < 6 ? 1.0 : trial < 9 ? 1e4 : 1e8;
        stack(&t, (uint64_t)trial, top);
        RgQuickOptions options = exact();
        options.tolerance = 1e-10;
        RgQuickReport report;
        cr_assert_eq(rg_quick_solve(&memory, &t.problem, &options, &report), RG_OK);
        cr_assert(report.unfinished == 0 && report.sweeps <= 12, "top %g: %d sweeps", top, report.sweeps);
        for (int i = 1; i <= TALL; i++) {
            double load = FALL * (TALL - i + top), N = 0.0;
            for (int k = 0; k < 4; k++)
                N += t.patches[i - 1].z[k][0];
            cr_assert(fabs(N - load) <= 1e-9 * load, "patch %d carries %g, not %g", i, N, load);
            for (int c = 0; c < 6; c++)
                cr_assert(fabs(t.V[RG_BODY_PLACES * i + c]) <= 1e-9, "cube %d moves: %g", i,
                          t.V[RG_BODY_PLACES * i + c]);
        }
    }

    static Tower slow;
    stack(&slow, 0, 1.0);
    RgQuickOptions options = exact();
    options.accelerate = false;
    options.tolerance = 1e-10;
    RgQuickReport report;
    rg_quick_solve(&memory, &slow.problem, &options, &report);
    cr_assert(report.sweeps > 500, "%d sweeps", report.sweeps);
    rg_quick_memory_free(&memory);
}

/* Sweeps that a budget allows are all made, and wherever they end: normals pull nothing, tangents lie in their cone. */
Test(solver_quick, budget)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int sweeps = 1; sweeps <= 24; sweeps++) {
        static Tower t;
        stack(&t, (uint64_t)sweeps, 3.0);
        t.V[RG_BODY_PLACES * 7] = 4.0; /* one is kicked out */
        RgQuickOptions options = rg_quick_options_default();
        options.max_sweeps = sweeps;
        options.tolerance = 0.0;
        RgQuickReport report;
        cr_assert_eq(rg_quick_solve(&memory, &t.problem, &options, &report), RG_OK);
        cr_assert_eq(report.sweeps, sweeps);
        for (int i = 0; i < TALL; i++)
            for (int k = 0; k < 4; k++) {
                const double *z = t.patches[i].z[k];
                double reach = 0.5 * z[0];
                cr_assert(z[0] >= 0.0 && hypot(z[1], z[2]) <= reach * (1.0 + 1e-12) + 1e-15, "sweep %d, patch %d",
                          sweeps, i);
            }
    }
    rg_quick_memory_free(&memory);
}

/* Any number of threads, one large island and many small ones: the bits of one thread and of the plain kernel. */
Test(solver_quick, same_bits_for_threads)
{
    RgAllocator allocator = (RgAllocator){0};
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < 6; trial++) {
        int nmovers = trial < 3 ? 300 : 400, npatches = trial < 3 ? 700 : 250;
        Made one = made_problem((uint64_t)(400 + trial), nmovers, npatches);
        RgQuickOptions options = rg_quick_options_default();
        options.plain = true;
        options.max_sweeps = 40;
        RgQuickReport report;
        rg_quick_solve(&memory, &one.problem, &options, &report);
        for (int threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5) {
            Made two = made_problem((uint64_t)(400 + trial), nmovers, npatches);
            options.plain = false;
            RgQuickReport other;
            two.problem.thread_pool = rg_thread_pool_create(threads, &allocator);
            rg_quick_solve(&memory, &two.problem, &options, &other);
            rg_thread_pool_destroy(two.problem.thread_pool);
            cr_assert_eq(memcmp(&report, &other, sizeof report), 0);
            cr_assert_eq(memcmp(one.problem.V, two.problem.V, (size_t)nmovers * RG_BODY_PLACES * sizeof(double)), 0,
                         "trial %d, %d threads", trial, threads);
            made_release(&two);
        }
        made_release(&one);
    }
    static Tower alone, team;
    stack(&alone, 1, 2.0);
    stack(&team, 1, 2.0);
    RgQuickOptions options = rg_quick_options_default();
    RgQuickReport report;
    options.plain = true;
    rg_quick_solve(&memory, &alone.problem, &options, &report);
    options.plain = false;
    team.problem.thread_pool = rg_thread_pool_create(2, &allocator);
    rg_quick_solve(&memory, &team.problem, &options, &report);
    rg_thread_pool_destroy(team.problem.thread_pool);
    cr_assert_eq(memcmp(alone.V, team.V, sizeof alone.V), 0);
    rg_quick_memory_free(&memory);
}

/* ------------------------------------------------------------------ patches that cannot move every way */

#define FREEDOMS 5

/* A folded arm: two links of one group whose velocities are J q', fewer joints than a patch has directions, so that its
   response is singular. M = 1: L = J J'. */
typedef struct Fold {
    int joints;
    double J[12][FREEDOMS], L[12][12], rates[FREEDOMS];
    int32_t place[12];
    RgSolverBody movers[3];
    RgArticulation group;
    RgPatch patch;
    _Alignas(64) double V[3 * RG_BODY_PLACES];
    RgPatchProblem problem;
} Fold;

static void fold(Fold *f, uint64_t seed, int joints, int points)
{
    static const double corner[4][2] = {{-0.3, -0.2}, {0.3, -0.2}, {0.3, 0.2}, {-0.3, 0.2}};
    Draw d = draw_seed(seed);
    memset(f, 0, sizeof *f);
    f->joints = joints;
    for (int i = 0; i < 12; i++) {
        f->place[i] = RG_BODY_PLACES * (1 + i / 6) + i % 6;
        for (int k = 0; k < joints; k++)
            f->J[i][k] = draw_between(&d, -1.0, 1.0);
    }
    for (int k = 0; k < joints; k++)
        f->rates[k] = draw_between(&d, -2.0, 2.0);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < joints; k++)
            f->V[f->place[i]] += f->J[i][k] * f->rates[k];
    for (int e = 0; e < 144; e++)
        for (int k = 0; k < joints; k++)
            f->L[e / 12][e % 12] += f->J[e / 12][k] * f->J[e % 12][k];
    for (int i = 0; i < 3; i++)
        f->movers[i] = (RgSolverBody){.group = i > 0 ? 0 : -1, .output = i > 0 ? 6 * (i - 1) : 0};
    f->group = (RgArticulation){.noutputs = 12, .place = f->place, .L = &f->L[0][0]};
    f->patch = (RgPatch){.mover = {1, 2}, .count = points, .mu = {0.6, 0.6}};
    f->patch.axis[0] = vec(1.0, 0.0, 0.0);
    f->patch.axis[1] = vec(0.0, 1.0, 0.0);
    f->patch.axis[2] = vec(0.0, 0.0, 1.0);
    f->patch.arm[0] = vec(0.2, 0.1, 0.3);
    f->patch.arm[1] = vec(-0.1, 0.3, -0.2);
    memcpy(f->patch.place, corner, sizeof corner);
    f->problem = (RgPatchProblem){.nmovers = 3, .ngroups = 1, .npatches = 1, .movers = f->movers};
    f->problem.groups = &f->group;
    f->problem.patches = &f->patch;
    f->problem.V = f->V;
}

/* |q'|^2 after the impulse that the velocities show: the least q' with J q' = V. */
static double fold_energy(const Fold *f)
{
    double A[FREEDOMS][FREEDOMS + 1] = {{0.0}}, sum = 0.0;
    for (int r = 0; r < f->joints; r++)
        for (int i = 0; i < 12; i++) {
            for (int c = 0; c < f->joints; c++)
                A[r][c] += f->J[i][r] * f->J[i][c];
            A[r][f->joints] += f->J[i][r] * f->V[f->place[i]];
        }
    for (int p = 0; p < f->joints; p++)
        for (int r = 0; r < f->joints; r++) {
            double l = r != p ? A[r][p] / A[p][p] : 0.0;
            for (int c = p; c <= f->joints; c++)
                A[r][c] -= l * A[p][c];
        }
    for (int k = 0; k < f->joints; k++)
        sum += pow(A[k][f->joints] / A[k][k], 2.0);
    return sum;
}

Test(solver_quick, patches_within_a_mechanism_add_no_energy)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < 600; trial++) {
        static Fold f;
        fold(&f, (uint64_t)trial, 1 + trial % FREEDOMS, 1 + (trial / FREEDOMS) % 4);
        if (f.patch.count == 2)
            f.patch.place[1][1] = f.patch.place[0][1] = 0.0;
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        double before = fold_energy(&f);
        cr_assert_eq(rg_quick_solve(&memory, &f.problem, &options, &report), RG_OK);
        double after = fold_energy(&f);
        cr_assert(after <= before * (1.0 + 1e-9), "trial %d, %d joints, %d points: %g from %g", trial, f.joints,
                  f.patch.count, after, before);
    }
    rg_quick_memory_free(&memory);
}

/* ------------------------------------------------------------------ single patches */

/* A load beyond the middle of four points leaves some of them without a normal: they have no friction either, but the
   patch sticks, and one sweep says so. */
Test(solver_quick, sticks_with_an_eccentric_load)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    static Tower t;
    for (int trial = 0; trial < 20; trial++) {
        Draw d = draw_seed((uint64_t)trial);
        stack(&t, 3, 1.0);
        t.problem.nmovers = 2;
        t.problem.npatches = 1;
        RgVec3 off = vec(draw_between(&d, -0.2, 0.2), draw_between(&d, -0.15, 0.15), 0.0);
        t.patches[0].arm[1] = vec_add(t.patches[0].arm[1], off);
        double *V = t.V + RG_BODY_PLACES;
        V[0] = 0.2 * FALL;
        V[1] = -0.1 * FALL;
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        rg_quick_solve(&memory, &t.problem, &options, &report);
        cr_assert(report.sweeps <= 2 && report.unfinished == 0);
        for (int c = 0; c < 6; c++)
            cr_assert(fabs(V[c]) <= 1e-15, "trial %d: %g", trial, V[c]);
        cr_assert(patch_residual(&t.problem, &t.patches[0]) <= 1e-15);
    }
    rg_quick_memory_free(&memory);
}

/* Friction of different strength along its two axes: on the edge of the ellipse, straight against the slip. */
Test(solver_quick, ellipse)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    static Tower t;
    for (int trial = 0; trial < 20; trial++) {
        stack(&t, 4, 1.0);
        t.problem.nmovers = 2;
        t.problem.npatches = 1;
        RgPatch *patch = &t.patches[0];
        patch->count = 1;
        patch->place[0][0] = patch->place[0][1] = 0.0;
        patch->arm[1] = vec(0.0, 0.0, 0.0);
        patch->mu[0] = 0.2 + 0.03 * trial;
        patch->mu[1] = 0.5;
        double *V = t.V + RG_BODY_PLACES, angle = 0.3 * trial;
        V[0] = cos(angle);
        V[1] = sin(angle);
        RgQuickOptions options = exact();
        RgQuickReport report;
        rg_quick_solve(&memory, &t.problem, &options, &report);
        const double *z = patch->z[0];
        double a = z[1] / patch->mu[0], b = z[2] / patch->mu[1];
        cr_assert(report.unfinished == 0 && fabs(z[0] - FALL) <= 1e-15);
        cr_assert(fabs(hypot(a, b) - FALL) <= 1e-12, "trial %d: %g", trial, hypot(a, b) - FALL);
        cr_assert(fabs(V[0] * z[2] - V[1] * z[1]) <= 1e-12 && V[0] * z[1] + V[1] * z[2] < 0.0);
    }
    rg_quick_memory_free(&memory);
}

/* Patches of no size: the answer is finite and holds what a point can hold. */
Test(solver_quick, patches_without_area)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    static Tower t;
    static const double sizes[] = {1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        stack(&t, 5, 1.0);
        for (int i = 0; i < TALL; i++)
            for (int j = 0; j < 8; j++)
                t.patches[i].place[j / 2][j % 2] *= sizes[k];
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        cr_assert_eq(rg_quick_solve(&memory, &t.problem, &options, &report), RG_OK);
        for (int i = 0; i < RG_BODY_PLACES * (TALL + 1); i++)
            cr_assert(isfinite(t.V[i]) && fabs(t.V[i]) <= 10.0, "size %g: %g", sizes[k], t.V[i]);
    }
    rg_quick_memory_free(&memory);
}

/* Without normal impulse there is no friction: what touches and spins, or moves along, goes on. */
Test(solver_quick, touching_is_not_pressing)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    static Tower t;
    for (int trial = 0; trial < 6; trial++) {
        stack(&t, 3, 1.0);
        t.problem.nmovers = 2;
        t.problem.npatches = 1;
        double *V = t.V + RG_BODY_PLACES, before[6] = {0.0};
        before[trial == 0 ? 5 : trial % 2] = 1.0 + trial;
        memcpy(V, before, sizeof before);
        for (int i = 0; i < t.patches[0].count; i++)
            t.patches[0].target[i] = 0.0;
        t.patches[0].arm[1] = vec(0.0, 0.0, 0.0);
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        rg_quick_solve(&memory, &t.problem, &options, &report);
        for (int c = 0; c < 6; c++)
            cr_assert(fabs(V[c] - before[c]) <= 1e-15, "trial %d: %g, was %g", trial, V[c], before[c]);
    }
    rg_quick_memory_free(&memory);
}

/* J of free movers, by their masses. */
static double kinetic(const RgPatchProblem *p, const double *V)
{
    double T = 0.0;
    for (int32_t i = 1; i < p->nmovers; i++) {
        const double *v = V + RG_BODY_PLACES * i;
        RgSym3 A = p->movers[i].inverse_inertia;
        RgVec3 x = {A.xx, A.xy, A.xz}, y = {A.xy, A.yy, A.yz}, z = {A.xz, A.yz, A.zz}, w = {v[3], v[4], v[5]};
        RgVec3 I_w = {vec_dot(vec_cross(y, z), w), vec_dot(vec_cross(z, x), w), vec_dot(vec_cross(x, y), w)};
        T += 0.5 * vec_dot(w, I_w) / vec_dot(x, vec_cross(y, z));
        T += 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / p->movers[i].inverse_mass;
    }
    return T;
}

/* One to four sweeps from first guesses that are anything: no more energy than the targets give. */
Test(solver_quick, adds_no_energy_of_its_own)
{
    RgQuickMemory memory;
    int guarded = 0;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < 4000; trial++) {
        Made made = made_problem((uint64_t)trial, 2 + trial % 7, 1 + trial % 7 + trial % 3);
        Draw d = draw_seed((uint64_t)trial);
        double V0[9 * RG_BODY_PLACES], size = pow(10.0, draw_between(&d, -2.0, 4.0)), work = 0.0;
        for (int32_t k = 0; k < made.problem.npatches; k++)
            for (int i = 0; i < 3 * made.problem.patches[k].count; i++)
                made.problem.patches[k].z[i / 3][i % 3] = draw_between(&d, -size, size);
        memcpy(V0, made.problem.V, sizeof *V0 * (size_t)(RG_BODY_PLACES * made.problem.nmovers));
        RgQuickOptions options = rg_quick_options_default();
        options.max_sweeps = 1 + trial % 4;
        options.tolerance = 0.0; /* Newton's method would finish them */
        RgQuickReport report;
        cr_assert_eq(rg_quick_solve(&memory, &made.problem, &options, &report), RG_OK);
        guarded += report.guarded;
        for (int32_t k = 0; k < made.problem.npatches; k++)
            for (int i = 0; i < made.problem.patches[k].count; i++)
                work += fmax(made.problem.patches[k].z[i][0] * made.problem.patches[k].target[i], 0.0);
        double T0 = kinetic(&made.problem, V0), T = kinetic(&made.problem, made.problem.V);
        cr_expect(T <= T0 + work + 1e-7 * (T0 + work), "trial %d: %g J after %g, %g by targets", trial, T, T0, work);
        made_release(&made);
    }
    cr_expect_gt(guarded, 20, "%d", guarded);
    rg_quick_memory_free(&memory);
}
