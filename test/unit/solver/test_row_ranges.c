/*
 * test_row_ranges.c - ranges of impulses of joints, limits and motors beside contacts: closed forms for redundant
 * loops, a jaw between stops, an arm whose motor shares a load with the table; corners of polygons enumerated.
 */
#include "blocks_fixture.h"
#include "solver/cone/indeterminacy.h"

typedef struct Case {
    BlocksCase c;
    RgBlockRow row[BLOCKS_CONTACTS];
    RgForceRange range[BLOCKS_CONTACTS];
    RgIndeterminacy all;
} Case;

static void begin(Case *k, int nu)
{
    *k = (Case){.c = {.nu = nu}};
    for (int i = 0; i < nu; i++)
        k->c.per_mass[i] = 1.0;
}

/* A row with impulse z over the first velocities. */
static void add_row(Case *k, const double *J, RgBlockRow row, double z)
{
    int i = k->c.b.n++;
    cr_assert(i < BLOCKS_CONTACTS);
    memcpy(k->c.J[3 * i], J, (size_t)k->c.nu * sizeof *J);
    k->c.r[3 * i] = z;
    k->row[i] = row;
    k->row[i].is_row = true;
}

static const RgBlockRow bilateral = {.low = -INFINITY, .high = INFINITY}, stop = {.low = 0.0, .high = INFINITY};

static RgBlockRow motor(double most)
{
    return (RgBlockRow){.low = -most, .high = most};
}

/* The velocities that the impulses leave become q: by default none. */
static RgStatus find(Case *k)
{
    RgArena arena;
    RgIndeterminacyOptions o = rg_indeterminacy_defaults();
    rg_arena_init(&arena, NULL);
    RgStatus status = rg_indeterminacy_find(&arena, &k->c.b, k->row, &o, k->range, &k->all);
    rg_arena_free(&arena);
    return status;
}

/* At rest after the impulses. */
static void rest(Case *k)
{
    for (int j = 0; j < k->c.nu; j++) {
        k->c.v[j] = 0.0;
        for (int i = 0; i < 3 * k->c.b.n; i++)
            k->c.v[j] -= k->c.per_mass[j] * k->c.J[i][j] * k->c.r[i];
    }
    blocks_close(&k->c);
    cr_assert_eq(find(k), RG_OK);
    CHECK_NEAR(k->all.misfit, 0.0, 1e-12, "");
    cr_expect_eq(k->all.unknown, 0);
}

static void expect_range(const Case *k, int i, double low, double high)
{
    const RgForceRange *r = &k->range[i];
    cr_expect(r->known);
    cr_expect(isinf(low) ? r->low[0] == low : fabs(r->low[0] - low) < 1e-6, "%d: from %g, not %g", i, r->low[0], low);
    cr_expect(isinf(high) ? r->high[0] == high : fabs(r->high[0] - high) < 1e-6, "%d: to %g, not %g", i, r->high[0],
              high);
}

/* A loop closed twice along x and once along y: x is shared in any way, y is not. */
Test(row_ranges, a_loop_closed_twice)
{
    Case k;
    begin(&k, 2);
    add_row(&k, (double[]){1.0, 0.0}, bilateral, 2.0);
    add_row(&k, (double[]){0.5, 0.0}, bilateral, -1.0);
    add_row(&k, (double[]){0.0, 1.0}, bilateral, 3.0);
    rest(&k);
    expect_range(&k, 0, -INFINITY, INFINITY);
    expect_range(&k, 1, -INFINITY, INFINITY);
    expect_range(&k, 2, 3.0, 3.0);
    cr_expect(k.all.rows == 3 && k.all.rank == 2 && k.all.held == 3 && k.all.contacts == 0);
    cr_expect(k.all.freedoms == 1 && k.all.not_unique == 2 && k.all.unbounded == 2 && k.range[2].unique);
}

/* A block of weight 4 on the ground, mu 0.5, held along x by one joint: what the joint pushes friction takes, up to 2.
   By two: the joints strain each other besides, and friction stays where it was. */
Test(row_ranges, a_joint_beside_friction)
{
    double axes[3][3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    for (int joints = 1; joints <= 2; joints++) {
        Case k;
        begin(&k, 3);
        blocks_point(&k.c, (double[3]){0.0, 0.0, 0.0}, axes, 0.5);
        memset(k.c.J[0] + 3, 0, 3 * sizeof(double));
        k.c.r[0] = 4.0;
        for (int i = 0; i < joints; i++)
            add_row(&k, (double[]){1.0, 0.0, 0.0}, bilateral, 1.0 / joints);
        rest(&k);
        expect_range(&k, 0, 4.0, 4.0);
        CHECK_NEAR(k.range[0].low[1], -2.0, 1e-5, "N s");
        CHECK_NEAR(k.range[0].high[1], 2.0, 1e-5, "N s");
        CHECK_NEAR(k.range[0].high[2] - k.range[0].low[2], 0.0, 1e-9, "N s");
        expect_range(&k, 1, joints == 1 ? -1.0 : -INFINITY, joints == 1 ? 3.0 : INFINITY);
        cr_expect(k.all.contacts == 1 && k.all.unbounded == (joints == 1 ? 0 : 2), "%d", k.all.unbounded);
    }
}

/* A jaw that a motor of at most F presses against a stop under a load of 3: stop + motor = 3. Between two stops: they
   may jam. */
Test(row_ranges, a_jaw_between_stops)
{
    Case k;
    const double along[] = {1.0}, against[] = {-1.0};
    for (int strong = 0; strong < 2; strong++) {
        double most = strong ? 5.0 : 2.0;
        begin(&k, 1);
        add_row(&k, along, stop, 2.0);
        add_row(&k, along, motor(most), 1.0);
        rest(&k);
        expect_range(&k, 0, strong ? 0.0 : 1.0, 3.0 + most);
        expect_range(&k, 1, -most, strong ? 3.0 : 2.0);
        cr_expect_eq(k.all.unbounded, 0);
    }
    begin(&k, 1);
    add_row(&k, along, stop, 2.0);
    add_row(&k, against, stop, 0.0);
    add_row(&k, along, motor(2.0), 1.0);
    rest(&k);
    expect_range(&k, 0, 1.0, INFINITY);
    expect_range(&k, 1, 0.0, INFINITY);
    expect_range(&k, 2, -2.0, 2.0);
    cr_expect(k.all.unbounded == 2 && k.all.not_unique == 3 && k.all.held == 3);
}

/* An arm of length 0.5 that turns under a load of 4 about its hinge, its tip on a table with mu 0.3: 0.5 n + motor = 4.
   Tangents at the tip move nothing: the arm cannot slide. */
Test(row_ranges, an_arm_on_a_table)
{
    Case k;
    const double turn[] = {1.0};
    double reach = 0.5, load = 4.0;
    for (int strong = 0; strong < 2; strong++) {
        double most = strong ? 10.0 : 1.5, largest = (load + most) / reach;
        begin(&k, 1);
        k.c.b.n = 1;
        k.c.J[0][0] = reach;
        k.c.mu[0] = 0.3;
        k.c.r[0] = 6.0;
        add_row(&k, turn, motor(most), 1.0);
        rest(&k);
        expect_range(&k, 0, strong ? 0.0 : (load - most) / reach, largest);
        expect_range(&k, 1, -most, strong ? load : most);
        for (int e = 1; e < 3; e++) {
            CHECK_NEAR(k.range[0].low[e], -0.3 * largest, 1e-5, "N s");
            CHECK_NEAR(k.range[0].high[e], 0.3 * largest, 1e-5, "N s");
        }
    }
}

/* A motor that is too weak stays at its bound, a stop that is left has no force, a soft stop has one. */
Test(row_ranges, bounds_that_are_reached_and_softness)
{
    Case k;
    const double x[] = {1.0, 0.0}, y[] = {0.0, 1.0};
    begin(&k, 2);
    add_row(&k, x, motor(2.0), 2.0);
    add_row(&k, x, stop, 0.0);
    add_row(&k, y, stop, 2.0);
    add_row(&k, y, motor(9.0), 1.0);
    rest(&k);
    k.c.q[0] -= 1.0; /* it would have to push more */
    k.c.q[3] += 1.0;
    cr_assert_eq(find(&k), RG_OK);
    cr_expect(k.range[0].state == RG_ROW_AT_HIGH && k.range[1].state == RG_ROW_AT_LOW && k.all.at_bound == 2);
    expect_range(&k, 0, 2.0, 2.0);
    expect_range(&k, 1, 0.0, 0.0);
    expect_range(&k, 3, -9.0, 3.0);
    k.c.block[9 * (2 * 4 + 2)] += 0.01; /* C of row 2 */
    k.c.q[6] -= 0.02;
    cr_assert_eq(find(&k), RG_OK);
    expect_range(&k, 2, 2.0, 2.0);
    expect_range(&k, 3, 1.0, 1.0);
    cr_expect(k.all.not_unique == 0 && k.all.freedoms == 0);
}

/* Four bounded rows over two velocities: the polygon J'z = J'z0 in its box has its corners where two of them are at
   bounds. */
static void corners_of(const Case *k, double low[4], double high[4])
{
    double load[2] = {0.0, 0.0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            load[j] += k->c.J[3 * i][j] * k->c.r[3 * i];
    for (int corner = 0; corner < 6 * 4; corner++) {
        static const int pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                        {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
        const int *p = pairs[corner / 4];
        double z[4], rest[2] = {load[0], load[1]};
        for (int e = 0; e < 2; e++) {
            z[p[e]] = corner >> e & 1 ? k->row[p[e]].high : k->row[p[e]].low;
            for (int j = 0; j < 2; j++)
                rest[j] -= k->c.J[3 * p[e]][j] * z[p[e]];
        }
        const double *a = k->c.J[3 * p[2]], *b = k->c.J[3 * p[3]];
        double det = a[0] * b[1] - a[1] * b[0];
        z[p[2]] = (rest[0] * b[1] - rest[1] * b[0]) / det;
        z[p[3]] = (a[0] * rest[1] - a[1] * rest[0]) / det;
        bool inside = true;
        for (int i = 0; i < 4; i++)
            inside = inside && z[i] >= k->row[i].low - 1e-12 && z[i] <= k->row[i].high + 1e-12;
        for (int i = 0; i < 4 && inside; i++) {
            low[i] = fmin(low[i], z[i]);
            high[i] = fmax(high[i], z[i]);
        }
    }
}

Test(row_ranges, corners_of_polygons)
{
    Draw d = draw_seed(31);
    for (int trial = 0; trial < 200; trial++) {
        Case k;
        begin(&k, 2);
        for (int i = 0; i < 4; i++) {
            double J[2] = {draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0)};
            RgBlockRow row = {.low = draw_between(&d, -3.0, 0.0), .high = draw_between(&d, 1.0, 4.0)};
            add_row(&k, J, row, draw_between(&d, row.low, row.high));
        }
        k.c.per_mass[1] = draw_between(&d, 0.1, 5.0);
        rest(&k);
        double low[4] = {9.0, 9.0, 9.0, 9.0}, high[4] = {-9.0, -9.0, -9.0, -9.0};
        corners_of(&k, low, high);
        for (int i = 0; i < 4; i++)
            expect_range(&k, i, low[i], high[i]);
    }
}

Test(row_ranges, bounds_without_numbers_are_refused)
{
    Case k;
    const RgBlockRow wrong[] = {
        {.low = 1.0, .high = -1.0}, {.low = NAN, .high = 1.0}, {.low = INFINITY, .high = INFINITY}};
    for (int i = 0; i < 3; i++) {
        begin(&k, 1);
        add_row(&k, (double[]){1.0}, wrong[i], 0.0);
        blocks_close(&k.c);
        cr_expect_eq(find(&k), RG_ERR_ARGUMENT);
    }
}
