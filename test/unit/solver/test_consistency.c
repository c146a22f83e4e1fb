/*
 * test_consistency.c - Painleve's rod in closed form, walls that close on a body, and what is proven of problems
 * that are known to be solvable.
 */
#include "blocks_fixture.h"
#include "solver/cone/consistency.h"

static RgConsistency find(const BlocksCase *c, const double *slip, double *effect)
{
    RgArena arena;
    RgConsistency out;
    rg_arena_init(&arena, NULL);
    cr_assert(rg_consistency_find(&arena, &c->b, slip, 1e-9, effect, &out) == RG_OK);
    rg_arena_free(&arena);
    return out;
}

/*
 * A rod of mass m and half length l leans at the angle a to the ground and slides on its lower end, its centre ahead:
 *   m W_nn = 1 + 3 cos^2 a,  m W_nt = -+ 3 sin a cos a,  p = (1 + 3 cos^2 a - 3 mu sin a cos a) / m
 * p < 0 needs mu above 4/3, and above (1 + 3 cos^2 a) / (3 sin a cos a).
 */
static void rod(BlocksCase *c, double a, double mu, double slip, double fall)
{
    double axes[3][3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, m = 2.0, l = 0.7;
    double turn = 3.0 / (m * l * l);
    *c = (BlocksCase){.nu = 6, .per_mass = {1.0 / m, 1.0 / m, 1.0 / m, turn, turn, turn}};
    blocks_point(c, (double[3]){-l * cos(a), 0.0, -l * sin(a)}, axes, mu);
    c->v[0] = slip;
    c->v[2] = fall;
    blocks_close(c);
}

Test(consistency, painleves_rod)
{
    BlocksCase c;
    for (int k = 0; k < 40; k++) {
        double a = 0.05 + 0.037 * k, mu = 0.4 + 0.1 * k;
        for (int side = -1; side <= 1; side += 2) {
            double p = (1.0 + 3.0 * cos(a) * cos(a) + side * 3.0 * mu * sin(a) * cos(a)) / 2.0, effect;
            rod(&c, a, mu, 1.5 * side, -0.2);
            RgConsistency out = find(&c, NULL, &effect);
            CHECK_NEAR(effect, p, 1e-12, "1/kg");
            cr_expect(out.slipping == 1 && out.jamming == (p <= 0.0));
            cr_expect(out.sliding == (p > 0.0 ? RG_EXISTENCE_PROVEN : RG_EXISTENCE_REFUTED), "angle %g mu %g p %g: %s",
                      a, mu, p, rg_existence_name(out.sliding));
            cr_expect(out.sliding_is_unique == (p > 0.0));
            cr_expect(out.solution == RG_EXISTENCE_PROVEN); /* velocities may jump: W has full rank */
        }
    }
}

/* p < 0 and the end would leave: both leaving and pressing are solutions. */
Test(consistency, painleves_rod_undecided)
{
    BlocksCase c;
    rod(&c, 1.1, 3.0, -1.0, 0.3);
    RgConsistency out = find(&c, NULL, NULL);
    cr_expect(out.jamming == 1 && out.sliding == RG_EXISTENCE_PROVEN && !out.sliding_is_unique);
}

/* The slip may be given, for q of accelerations. */
Test(consistency, slip_that_is_given)
{
    BlocksCase c;
    double effect, slip[2] = {-7.0, 0.0}, none[2] = {0.0, 0.0};
    rod(&c, 1.1, 3.0, 0.0, -9.81);
    RgConsistency out = find(&c, slip, &effect);
    cr_expect(effect < 0.0 && out.sliding == RG_EXISTENCE_REFUTED);
    out = find(&c, none, &effect);
    cr_expect(effect > 0.0 && out.slipping == 0 && out.sliding == RG_EXISTENCE_UNKNOWN);
}

/* Two walls close on a body from both sides at 1 m/s: w_1 + w_2 = -2 whatever the forces. One wall: no trouble. */
Test(consistency, walls_that_close)
{
    double left[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double right[3][3] = {{-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, origin[3] = {0.0, 0.0, 0.0};
    for (int walls = 1; walls <= 2; walls++) {
        BlocksCase c = {.nu = 3, .per_mass = {1.0, 1.0, 1.0}};
        blocks_point(&c, origin, left, 0.5);
        if (walls == 2)
            blocks_point(&c, origin, right, 0.5);
        blocks_close(&c);
        for (int i = 0; i < walls; i++)
            c.q[3 * i] = -1.0;
        RgConsistency out = find(&c, NULL, NULL);
        cr_expect(out.solution == (walls == 1 ? RG_EXISTENCE_PROVEN : RG_EXISTENCE_REFUTED));
    }
}

/* Random bodies on points: q = H v, and something lifts them off all points: solvable. */
Test(consistency, bodies_that_can_be_lifted)
{
    Draw d = draw_seed(11);
    for (int trial = 0; trial < 30; trial++) {
        double axes[3][3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
        BlocksCase c = {.nu = 6, .per_mass = {1.0, 1.0, 1.0, 2.0, 2.0, 2.0}};
        int points = 1 + draw_below(&d, BLOCKS_CONTACTS - 1);
        for (int i = 0; i < points; i++)
            blocks_point(&c, (double[3]){draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0), -0.3}, axes,
                         draw_between(&d, 0.0, 3.0));
        for (int k = 0; k < 6; k++)
            c.v[k] = draw_between(&d, -1.0, 1.0);
        blocks_close(&c);
        cr_expect(find(&c, NULL, NULL).solution == RG_EXISTENCE_PROVEN);
    }
}
