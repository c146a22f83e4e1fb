/*
 * test_indeterminacy.c - ranges of contact forces over all solutions: closed forms for a table, a stool and a
 * wedge, random walks through the solutions of a table, contacts that slide or are open.
 */
#include "blocks_fixture.h"
#include "solver/cone/indeterminacy.h"

#define UPRIGHT                                                                                                        \
    {                                                                                                                  \
        {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0},                                                                              \
        {                                                                                                              \
            0.0, 1.0, 0.0                                                                                              \
        }                                                                                                              \
    }

typedef struct Answer {
    RgForceRange range[BLOCKS_CONTACTS];
    RgIndeterminacy all;
} Answer;

static Answer find(const BlocksCase *c)
{
    RgArena arena;
    Answer a;
    RgIndeterminacyOptions o = rg_indeterminacy_defaults();
    rg_arena_init(&arena, NULL);
    cr_assert(rg_indeterminacy_find(&arena, &c->b, NULL, &o, a.range, &a.all) == RG_OK);
    rg_arena_free(&arena);
    return a;
}

/* A body of mass 2 on legs around its centre, 0.5 above the ground, under an impulse of 2 g downward, at rest. */
static void stand(BlocksCase *c, const double (*legs)[2], int count, double mu)
{
    double axes[3][3] = UPRIGHT, per_mass[6] = {0.5, 0.5, 0.5, 2.0, 3.0, 1.5};
    *c = (BlocksCase){.nu = 6};
    memcpy(c->per_mass, per_mass, sizeof per_mass);
    c->v[2] = -9.81;
    for (int i = 0; i < count; i++)
        blocks_point(c, (double[3]){legs[i][0], legs[i][1], -0.5}, axes, mu);
    blocks_close(c);
    for (int i = 0; i < count; i++)
        c->r[3 * i] = 2.0 * 9.81 / count;
}

static const double corners[4][2] = {{0.6, 0.4}, {-0.6, 0.4}, {-0.6, -0.4}, {0.6, -0.4}};

/* Three equations for four normals: opposite corners carry alike, two neighbours together half the weight. */
Test(indeterminacy, a_table_on_four_legs)
{
    BlocksCase c;
    stand(&c, corners, 4, 0.5);
    Answer a = find(&c);
    cr_expect(a.all.rows == 12 && a.all.rank == 6 && a.all.unknowns == 12 && a.all.freedoms == 6);
    cr_expect(a.all.sticking == 4 && a.all.not_unique == 4 && a.all.unbounded == 0 && a.all.unknown == 0);
    CHECK_NEAR(a.all.misfit, 0.0, 1e-14, "");
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(a.range[i].low[0], 0.0, 1e-6, "N s");
        CHECK_NEAR(a.range[i].high[0], 9.81, 1e-6, "N s");
        cr_expect(!a.range[i].unique && a.range[i].state == RG_CONTACT_STICKING);
    }
    stand(&c, corners, 4, 0.0);
    a = find(&c);
    cr_expect(a.all.unknowns == 4 && a.all.freedoms == 1 && a.all.not_unique == 4);
    CHECK_NEAR(a.range[2].high[0], 9.81, 1e-6, "N s");
    CHECK_NEAR(a.range[2].high[1] - a.range[2].low[1], 0.0, 0.0, "N s");
}

/* Forces of the table that move nothing: normals in turn, pairs that push along the line between them. */
static void self_stress(Draw *d, double f[12])
{
    memset(f, 0, 12 * sizeof *f);
    double turn = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < 4; i++)
        f[3 * i] = i % 2 == 0 ? turn : -turn;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            double s = draw_between(d, -1.0, 1.0);
            for (int e = 0; e < 2; e++) {
                f[3 * i + 1 + e] += s * (corners[j][e] - corners[i][e]);
                f[3 * j + 1 + e] -= s * (corners[j][e] - corners[i][e]);
            }
        }
}

static bool allowed(const double f[12], double mu)
{
    for (int i = 0; i < 4; i++)
        if (!(f[3 * i] >= 0.0 && hypot(f[3 * i + 1], f[3 * i + 2]) <= mu * f[3 * i]))
            return false;
    return true;
}

/* A walk through all solutions never leaves the ranges and comes near to their ends. */
Test(indeterminacy, a_walk_through_all_solutions)
{
    BlocksCase c;
    Draw d = draw_seed(9);
    double seen[12][2] = {{0.0}}, f[12], step[12], next[12];
    stand(&c, corners, 4, 0.5);
    Answer a = find(&c);
    memcpy(f, c.r, sizeof f);
    for (int k = 0; k < 200000; k++) {
        self_stress(&d, step);
        double t = draw_between(&d, 0.0, 4.0);
        for (int i = 0; i < 12; i++)
            next[i] = f[i] + t * step[i];
        if (!allowed(next, 0.5))
            continue;
        memcpy(f, next, sizeof f);
        for (int i = 0; i < 12; i++) {
            double low = a.range[i / 3].low[i % 3], high = a.range[i / 3].high[i % 3];
            cr_assert(f[i] >= low - 1e-6 && f[i] <= high + 1e-6, "%d: %g not in %g ... %g", i, f[i], low, high);
            seen[i][0] = fmax(seen[i][0], i % 3 == 0 ? 1.0 - f[i] / high : f[i] / low);
            seen[i][1] = fmax(seen[i][1], f[i] / high);
        }
    }
    for (int i = 0; i < 12; i++)
        cr_expect(seen[i][0] > 0.8 && seen[i][1] > 0.8, "%d: %g %g", i, seen[i][0], seen[i][1]);
}

/* Three normals are unique; tangents push against each other, each as far as friction lets it. */
Test(indeterminacy, a_stool_on_three_legs)
{
    BlocksCase c;
    const double legs[3][2] = {{0.0, 0.5}, {-0.25 * 1.7320508075688772, -0.25}, {0.25 * 1.7320508075688772, -0.25}};
    double third = 2.0 * 9.81 / 3.0;
    stand(&c, legs, 3, 0.4);
    Answer a = find(&c);
    cr_expect(a.all.rank == 6 && a.all.freedoms == 3);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR_ALL(a.range[i].low, ((double[]){third, -0.4 * third, -0.4 * third}), 3, 1e-5, "N s");
        CHECK_NEAR_ALL(a.range[i].high, ((double[]){third, 0.4 * third, 0.4 * third}), 3, 1e-5, "N s");
    }
    stand(&c, legs, 3, 0.0);
    a = find(&c);
    cr_expect(a.all.freedoms == 0 && a.all.not_unique == 0 && a.range[1].unique);
}

/* A weight of 3 between two walls that rise at the angle from the vertical plane: normals (+-cos b, sin b). */
static void wedge(BlocksCase *c, double b, double mu, double half)
{
    double one[3][3] = {{cos(b), 0.0, sin(b)}, {-sin(b), 0.0, cos(b)}, {0.0, 1.0, 0.0}};
    double two[3][3] = {{-cos(b), 0.0, sin(b)}, {sin(b), 0.0, cos(b)}, {0.0, 1.0, 0.0}};
    *c = (BlocksCase){.nu = 3, .per_mass = {1.0, 1.0, 1.0}, .v = {0.0, 0.0, -3.0}};
    blocks_point(c, (double[3]){0.0, 0.0, 0.0}, one, mu);
    blocks_point(c, (double[3]){0.0, 0.0, 0.0}, two, mu);
    blocks_close(c);
    for (int i = 0; i < 2; i++) { /* (half, 1.5) and (-half, 1.5) */
        c->r[3 * i] = half * cos(b) + 1.5 * sin(b);
        c->r[3 * i + 1] = -half * sin(b) + 1.5 * cos(b);
    }
}

/* mu = tan phi > tan b: any squeeze holds. Below: r = (a, z), (-a, 3 - z), z and 3 - z within a tan(b -+ phi); the
   corners of that tell the range. */
Test(indeterminacy, a_wedge)
{
    BlocksCase c;
    double b = 0.5;
    wedge(&c, b, 0.9, 2.0);
    Answer a = find(&c);
    cr_expect(a.all.sticking == 2 && a.all.unbounded == 2);
    cr_expect(a.range[0].high[0] == INFINITY && a.range[1].high[0] == INFINITY && a.range[0].low[1] == -INFINITY);
    cr_expect(isfinite(a.range[0].low[0]) && a.range[0].high[2] == INFINITY);
    double mu = 0.4, phi = atan(mu), t1 = tan(b - phi), t2 = tan(b + phi), low = INFINITY, high = 0.0;
    double corner[4][2] = {{1.5 / t1, 1.5},
                           {1.5 / t2, 1.5},
                           {3.0 / (t1 + t2), 3.0 * t2 / (t1 + t2)},
                           {3.0 / (t1 + t2), 3.0 * t1 / (t1 + t2)}};
    for (int k = 0; k < 4; k++) {
        low = fmin(low, corner[k][0] * cos(b) + corner[k][1] * sin(b));
        high = fmax(high, corner[k][0] * cos(b) + corner[k][1] * sin(b));
    }
    wedge(&c, b, mu, 3.0);
    a = find(&c);
    cr_expect(a.all.misfit < 1e-12 && a.all.unbounded == 0);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(a.range[i].low[0], low, 1e-6, "N s");
        CHECK_NEAR(a.range[i].high[0], high, 1e-6, "N s");
    }
}

/* The table slides: every force lies on its ray, and one freedom of the normals is left. One leg in the air: none. */
Test(indeterminacy, sliding_and_open_contacts)
{
    BlocksCase c;
    double weight = 2.0 * 9.81;
    stand(&c, corners, 4, 0.1);
    c.v[0] = 5.0;
    /* Friction of 0.1 weight at the ground, 0.5 below the centre, turns the table: the front legs carry 0.05 weight /
       0.6 more than the rear ones. */
    for (int i = 0; i < 4; i++) {
        double more = 0.1 * weight * 0.5 / (4.0 * 0.6);
        c.r[3 * i] = 0.25 * weight + (corners[i][0] > 0.0 ? more : -more);
        c.r[3 * i + 1] = -0.1 * c.r[3 * i];
        c.r[3 * i + 2] = 0.0;
    }
    double r[12];
    memcpy(r, c.r, sizeof r);
    blocks_close(&c);
    Answer a = find(&c);
    cr_expect(a.all.sliding == 4 && a.all.unknowns == 4 && a.all.freedoms == 1 && a.all.misfit < 1e-12, "%d %d %d %g",
              a.all.sliding, a.all.unknowns, a.all.freedoms, a.all.misfit);
    for (int i = 0; i < 4; i++) {
        double least = fmin(r[0], r[3]); /* the whole of the smaller may go from one leg to its neighbour */
        CHECK_NEAR(a.range[i].low[0], r[3 * i] - least, 1e-6, "N s");
        CHECK_NEAR(a.range[i].high[0], r[3 * i] + least, 1e-6, "N s");
        CHECK_NEAR(a.range[i].low[1], -0.1 * a.range[i].high[0], 1e-9, "N s");
    }
    c.q[9] = 1.0; /* leg 3 leaves whatever the others do */
    c.r[0] = c.r[6] = 0.5 * weight;
    memset(c.r + 9, 0, 3 * sizeof(double));
    memset(c.r + 3, 0, 3 * sizeof(double));
    a = find(&c);
    cr_expect(a.range[3].state == RG_CONTACT_OPEN && a.range[3].unique && a.range[3].high[0] == 0.0);
}

Test(indeterminacy, nothing_and_no_number)
{
    BlocksCase c = {.nu = 6};
    blocks_close(&c);
    Answer a = find(&c);
    cr_expect(a.all.contacts == 0 && a.all.rank == 0);
    stand(&c, corners, 4, 0.5);
    c.q[1] = NAN;
    RgArena arena;
    RgIndeterminacyOptions o = rg_indeterminacy_defaults();
    rg_arena_init(&arena, NULL);
    cr_expect(rg_indeterminacy_find(&arena, &c.b, NULL, &o, a.range, &a.all) == RG_ERR_ARGUMENT);
    rg_arena_free(&arena);
}
