/*
 * test_quick_newton.c - walls: what sweeps alone would need thousands for, solver `quick` finds in a few. And what it
 * keeps from one problem to the next changes no bit.
 *
 * Bricks of 1 x 0.5 x 0.5 m lie in running bond, every second row half a brick aside and one brick shorter. All fall by
 * one step of gravity; the answer is that nothing moves and the lowest patches carry the weight of all.
 */
#include "solver/quick/quick.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define WIDE 6
#define HIGH 12
#define BRICKS (HIGH * WIDE)
#define MOST_PATCHES (2 * BRICKS)
#define FALL 0.05 /* m/s that gravity gives in a step */
#define MU 0.6

typedef struct Wall {
    RgSolverBody movers[BRICKS + 1];
    RgVec3 centre[BRICKS + 1];
    RgPatch patches[MOST_PATCHES];
    _Alignas(64) double V[RG_BODY_PLACES * (BRICKS + 1)];
    RgPatchProblem problem;
    double mass;
} Wall;

static int row_length(int row)
{
    return WIDE - row % 2;
}

static double brick_x(int row, int column)
{
    return column + (row % 2 == 1 ? 0.5 : 0.0);
}

/* The patch below a brick, from x0 to x1 of its length. */
static void lay(Wall *w, int below, int brick, const double x[2])
{
    static const double corner[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    RgPatch *p = &w->patches[w->problem.npatches++];
    *p = (RgPatch){.mover = {below, brick}, .count = 4, .mu = {MU, MU}};
    p->axis[0] = v3(1.0, 0.0, 0.0);
    p->axis[1] = v3(0.0, 1.0, 0.0);
    p->axis[2] = v3(0.0, 0.0, 1.0);
    RgVec3 mean = {0.5 * (x[0] + x[1]), w->centre[brick].y, w->centre[brick].z - 0.25};
    for (int side = 0; side < 2; side++)
        p->arm[side] = v3_sub(mean, w->centre[p->mover[side]]);
    for (int i = 0; i < 4; i++) {
        p->place[i][0] = 0.5 * (x[1] - x[0]) * corner[i][0];
        p->place[i][1] = 0.25 * corner[i][1];
    }
}

static void lay_brick(Wall *w, int row, int column, int brick, int first_below)
{
    double x = brick_x(row, column);
    if (row == 0) {
        lay(w, 0, brick, (double[2]){x - 0.5, x + 0.5});
        return;
    }
    for (int k = 0; k < row_length(row - 1); k++) {
        double other = brick_x(row - 1, k), low = fmax(x, other) - 0.5, high = fmin(x, other) + 0.5;
        if (high > low + 1e-9)
            lay(w, first_below + k, brick, (double[2]){low, high});
    }
}

static void build(Wall *w, uint64_t seed)
{
    RgRandom random = rg_random_seed(seed);
    int brick = 0, first = 1, first_below = 0;
    memset(w, 0, sizeof *w);
    w->movers[0].group = -1;
    for (int row = 0; row < HIGH; row++) {
        first = brick + 1;
        for (int column = 0; column < row_length(row); column++) {
            double mass = rg_random_uniform(&random, 0.5, 4.0), a = 12.0 / mass;
            brick++;
            w->mass += mass;
            w->movers[brick] = (RgSolverBody){1.0 / mass, {a / 0.5, a / 1.25, a / 1.25, 0.0, 0.0, 0.0}, -1, 0};
            w->centre[brick] = v3(brick_x(row, column), rg_random_uniform(&random, -0.01, 0.01), 0.25 + 0.5 * row);
            w->V[RG_BODY_PLACES * brick + 2] = -FALL;
            lay_brick(w, row, column, brick, first_below);
        }
        first_below = first;
    }
    w->problem.nmovers = brick + 1;
    w->problem.movers = w->movers;
    w->problem.centre = w->centre;
    w->problem.patches = w->patches;
    w->problem.V = w->V;
}

static double kinetic(const Wall *w)
{
    double sum = 0.0;
    for (int i = 1; i < w->problem.nmovers; i++) {
        const double *V = w->V + RG_BODY_PLACES * i;
        const RgSolverBody *m = &w->movers[i];
        sum += 0.5 * (V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) / m->inverse_mass;
        sum += 0.5 * (V[3] * V[3] / m->inverse_inertia.xx + V[4] * V[4] / m->inverse_inertia.yy +
                      V[5] * V[5] / m->inverse_inertia.zz);
    }
    return sum;
}

static void check_allowed(const Wall *w)
{
    for (int i = 0; i < w->problem.npatches; i++)
        for (int k = 0; k < 4; k++) {
            const double *z = w->patches[i].z[k];
            cr_assert(z[0] >= 0.0 && hypot(z[1], z[2]) <= MU * z[0] * (1.0 + 1e-12) + 1e-15, "patch %d", i);
        }
}

Test(quick_newton, walls_come_to_rest)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (uint64_t seed = 0; seed < 8; seed++) {
        static Wall w;
        double carried = 0.0;
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        options.tolerance = 1e-9;
        options.motion_slack = 0.0;
        options.max_sweeps = 2000;
        build(&w, seed);
        cr_assert_eq(rg_quick_solve(&memory, &w.problem, &options, &report), RG_OK);
        cr_assert(report.unfinished == 0 && report.sweeps <= 300, "seed %d: %d sweeps", (int)seed, report.sweeps);
        check_allowed(&w);
        for (int i = 0; i < RG_BODY_PLACES * w.problem.nmovers; i++)
            cr_assert(fabs(w.V[i]) <= 1e-6 * FALL, "seed %d: brick %d moves: %g", (int)seed, i / RG_BODY_PLACES,
                      w.V[i]);
        for (int i = 0; i < WIDE; i++)
            for (int k = 0; k < 4; k++)
                carried += w.patches[i].z[k][0];
        cr_assert(fabs(carried - FALL * w.mass) <= 1e-7 * FALL * w.mass);
    }

    static Wall slow;
    RgQuickOptions options = rg_quick_options_default();
    RgQuickReport report;
    options.tolerance = 1e-9;
    options.max_sweeps = 2000;
    options.accelerate = false;
    build(&slow, 0);
    rg_quick_solve(&memory, &slow.problem, &options, &report);
    cr_assert(report.sweeps > 800, "%d sweeps", report.sweeps);
    rg_quick_memory_free(&memory);
}

/* A brick is knocked out: whatever the budget, impulses are allowed and nothing gains energy. */
Test(quick_newton, knocked)
{
    RgQuickMemory memory;
    rg_quick_memory_init(&memory, NULL);
    for (int trial = 0; trial < 60; trial++) {
        static Wall w;
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        options.tolerance = 0.0;
        options.max_sweeps = 1 + trial;
        build(&w, (uint64_t)trial);
        double *hit = w.V + RG_BODY_PLACES * (1 + trial % (w.problem.nmovers - 1));
        hit[0] = trial % 2 == 0 ? 4.0 : 0.0;
        hit[1] = trial % 3 == 0 ? -3.0 : 0.0;
        hit[5] = trial % 5 == 0 ? 10.0 : 0.0;
        double before = kinetic(&w);
        cr_assert_eq(rg_quick_solve(&memory, &w.problem, &options, &report), RG_OK);
        check_allowed(&w);
        cr_assert(kinetic(&w) <= before * (1.0 + 1e-12), "trial %d: %g J of %g", trial, kinetic(&w), before);
    }
    rg_quick_memory_free(&memory);
}

/* The same problem with new memory, and after others of the same and of another layout. */
Test(quick_newton, what_is_kept_changes_no_bit)
{
    RgQuickMemory fresh, used;
    rg_quick_memory_init(&used, NULL);
    for (int trial = 0; trial < 12; trial++) {
        static Wall one, two, other;
        RgQuickOptions options = rg_quick_options_default();
        RgQuickReport report;
        build(&one, (uint64_t)trial);
        build(&two, (uint64_t)trial);
        build(&other, (uint64_t)(100 + trial));
        other.problem.npatches -= trial % 3; /* 0: the layout stays */
        if (trial % 2 == 1)
            other.V[RG_BODY_PLACES * 9] = one.V[RG_BODY_PLACES * 9] = two.V[RG_BODY_PLACES * 9] = 2.0;
        rg_quick_memory_init(&fresh, NULL);
        cr_assert_eq(rg_quick_solve(&fresh, &one.problem, &options, &report), RG_OK);
        cr_assert_eq(rg_quick_solve(&used, &other.problem, &options, &report), RG_OK);
        cr_assert_eq(rg_quick_solve(&used, &two.problem, &options, &report), RG_OK);
        cr_assert(memcmp(one.V, two.V, sizeof one.V) == 0, "trial %d", trial);
        for (int i = 0; i < one.problem.npatches; i++)
            cr_assert(memcmp(one.patches[i].z, two.patches[i].z, sizeof one.patches[i].z) == 0);
        rg_quick_memory_free(&fresh);
    }
    rg_quick_memory_free(&used);
}

/* ------------------------------------------------------------------ too thick for a factor */

/* Cubes in a pyramid of LAYERS square layers, each cube on four. */
#define LAYERS 11
#define CUBES (LAYERS * (LAYERS + 1) * (2 * LAYERS + 1) / 6)

typedef struct Heap {
    RgSolverBody movers[CUBES + 1];
    RgVec3 centre[CUBES + 1];
    RgPatch patches[4 * CUBES];
    _Alignas(64) double V[RG_BODY_PLACES * (CUBES + 1)];
    RgPatchProblem problem;
} Heap;

static void set_cube(Heap *h, int below, int cube, double dx, double dy)
{
    RgPatch *p = &h->patches[h->problem.npatches++];
    static const double corner[4][2] = {{-0.25, -0.25}, {0.25, -0.25}, {0.25, 0.25}, {-0.25, 0.25}};
    *p = (RgPatch){.mover = {below, cube}, .count = 4, .mu = {MU, MU}};
    p->axis[0] = v3(1.0, 0.0, 0.0);
    p->axis[1] = v3(0.0, 1.0, 0.0);
    p->axis[2] = v3(0.0, 0.0, 1.0);
    RgVec3 mean = {h->centre[cube].x + 0.5 * dx, h->centre[cube].y + 0.5 * dy, h->centre[cube].z - 0.5};
    for (int side = 0; side < 2; side++)
        p->arm[side] = v3_sub(mean, h->centre[p->mover[side]]);
    memcpy(p->place, corner, sizeof corner);
}

static void heap_up(Heap *h)
{
    int cube = 0, first_below = 0;
    memset(h, 0, sizeof *h);
    h->movers[0].group = -1;
    for (int layer = 0; layer < LAYERS; layer++) {
        int n = LAYERS - layer, first = cube + 1;
        for (int i = 0; i < n * n; i++) {
            int x = i % n, y = i / n;
            cube++;
            h->movers[cube] = (RgSolverBody){1.0, {6.0, 6.0, 6.0, 0.0, 0.0, 0.0}, -1, 0};
            h->centre[cube] = v3(x + 0.5 * layer, y + 0.5 * layer, 0.5 + layer);
            h->V[RG_BODY_PLACES * cube + 2] = -FALL;
            for (int k = 0; k < 4; k++)
                set_cube(h, layer == 0 ? 0 : first_below + (x + k % 2) + (y + k / 2) * (n + 1), cube,
                         k % 2 == 0 ? -0.5 : 0.5, k / 2 == 0 ? -0.5 : 0.5);
        }
        first_below = first;
    }
    h->problem.nmovers = cube + 1;
    h->problem.movers = h->movers;
    h->problem.centre = h->centre;
    h->problem.patches = h->patches;
    h->problem.V = h->V;
}

/* The factor is refused. With new memory and with what was kept, the same bits. */
Test(quick_newton, what_is_refused_changes_no_bit)
{
    static Heap one, two;
    RgQuickMemory memory;
    RgQuickOptions options = rg_quick_options_default();
    RgQuickReport report;
    options.max_sweeps = 20;
    rg_quick_memory_init(&memory, NULL);
    heap_up(&one);
    heap_up(&two);
    cr_assert_eq(rg_quick_solve(&memory, &one.problem, &options, &report), RG_OK);
    cr_assert_eq(rg_quick_solve(&memory, &two.problem, &options, &report), RG_OK);
    cr_assert_eq(memcmp(one.V, two.V, sizeof one.V), 0);
    rg_quick_memory_free(&memory);
}
