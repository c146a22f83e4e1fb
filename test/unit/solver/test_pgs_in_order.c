/*
 * test_pgs_in_order.c - solver pgs row by row: the order of ODE by hand, its generator, the three kinds of smoothing
 * against sweeps over the dense matrix of responses.
 */
#include "problem_fixture.h"
#include "solver/pgs/pgs_in_order.h"
#include "solver/pgs/row_order.h"

/* ------------------------------------------------------------------ generator and order */

Test(pgs_in_order, the_generator_jumps_as_it_steps)
{
    for (uint32_t seed = 0; seed < 5000; seed += 499) {
        uint32_t x = seed;
        for (uint32_t n = 0; n <= 300; n++) {
            cr_assert(rg_ode_random_at(seed, n) == x, "seed %u, %u numbers", seed, n);
            uint32_t below = 1 + n * n, drawn = rg_ode_random_below(&x, below);
            cr_assert(drawn < below);
        }
    }
    /* The first numbers of the engine's own test of its generator. */
    cr_assert(rg_ode_random_at(0, 1) == 0x3c6ef35f && rg_ode_random_at(0, 2) == 0x47502932 &&
              rg_ode_random_at(0, 5) == 0x6252e503);
}

/* Ten thousand draws below six are sixteenths: 3, 3, 2, 3, 3, 2 of them, within five standard deviations. */
Test(pgs_in_order, numbers_below_six_are_sixteenths)
{
    static const int shares[6] = {3, 3, 2, 3, 3, 2};
    int count[6] = {0};
    uint32_t x = 7;
    for (int k = 0; k < 10000; k++)
        count[rg_ode_random_below(&x, 6)]++;
    for (int k = 0; k < 6; k++)
        cr_expect(fabs(count[k] - 625.0 * shares[k]) < 5.0 * 39.0, "%d: %d", k, count[k]);
}

static RgRowOrder order_of(RgArena *arena, const ProblemCase *c, RgPgsOrder order)
{
    RgRowOrder out;
    cr_assert(rg_row_order_make(arena, &c->p, order, &out));
    return out;
}

/* Bodies 0 and 1 with a joint of two rows and a limit, body 2 alone; a point of 0, one between 0 and 1, one of 2. The
   islands begin at the last body. Of body 1: point 0-1, then the joint with its limit; then body 0 with its own
   point. */
Test(pgs_in_order, order_of_ode_by_hand)
{
    Draw d = draw_seed(3);
    ProblemCase *c = problem_begin(3, &d);
    int joint = problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
    problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
    int limit = problem_row(c, &d, 0, 1, RG_ROW_BOUNDED), own = c->p.n;
    problem_point(c, &d, 0, -1, 0.5, false);
    int between = c->p.n;
    problem_point(c, &d, 0, 1, 0.5, false);
    int alone = c->p.n;
    problem_point(c, &d, 2, -1, 0.5, false);
    const int expected[] = {alone, alone + 1, alone + 2,   between,     joint,   joint + 1,
                            limit, own,       between + 1, between + 2, own + 1, own + 2};
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgRowOrder order = order_of(&arena, c, RG_PGS_AS_ODE);
    cr_assert(order.nrows == 12 && order.nparts == 2 && order.parts[0].end == 3 && order.parts[1].end == 12);
    for (int k = 0; k < 12; k++)
        cr_expect(order.row[k] == expected[k], "place %d: row %d, not %d", k, order.row[k], expected[k]);
    rg_arena_free(&arena);
    free(c);
}

/* Every order has every row once, and friction behind its normal. */
Test(pgs_in_order, orders_have_every_row_once)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ProblemCase *c = problem_random(seed, 15, seed % 2 == 0);
        int place[PROBLEM_ROWS];
        RgRowOrder order = order_of(&arena, c, (RgPgsOrder)(seed % 4));
        cr_assert(order.nrows == c->p.n);
        memset(place, -1, sizeof place);
        for (int k = 0; k < order.nrows; k++) {
            cr_assert(place[order.row[k]] == -1);
            place[order.row[k]] = k;
        }
        for (int i = 0; i < c->p.n; i++)
            cr_expect(c->normal[i] < 0 || place[i] > place[c->normal[i]]);
        free(c);
    }
    rg_arena_free(&arena);
}

/* ------------------------------------------------------------------ smoothing */

/* The same sweeps over w = W x + q, W dense and x what has acted; pyramids. */
static void sweep_dense(const ProblemCase *c, const RgRowOrder *order, const RgPgsOptions *o, double *z, double *x)
{
    for (int k = 0; k < order->nrows; k++) {
        int i = order->row[k];
        double rate = rg_problem_row_times(&c->p, i, c->s_free), e[PROBLEM_UNKNOWNS], diagonal = 0.0;
        for (int j = 0; j < c->p.n; j++) {
            memset(e, 0, sizeof e);
            rg_problem_apply_impulse(&c->p, j, 1.0, e);
            rate += x[j] * rg_problem_row_times(&c->p, i, e);
            diagonal = j == i ? rg_problem_row_times(&c->p, i, e) + c->compliance[i] : diagonal;
        }
        double high = c->high[i], low = c->low[i], keep = 1.0;
        if (c->row_class[i] == RG_ROW_FRICTION)
            low = -(high = c->high[i] * z[c->normal[i]]);
        if (c->row_class[i] != RG_ROW_BILATERAL)
            keep = 1.0 - o->smoothing;
        double P = z[i] + o->sor / diagonal * (c->target[i] - c->compliance[i] * z[i] - rate), before = z[i];
        P = fmin(fmax(P, low), high);
        z[i] = before + keep * (P - before);
        if (o->smoothing_kind == RG_PGS_SMOOTH_LAST_STEP && keep < 1.0)
            z[i] = keep * P + (1.0 - keep) * c->p.last[i];
        x[i] += (o->smoothing_kind == RG_PGS_SMOOTH_IMPULSE ? P : z[i]) - before;
    }
}

Test(pgs_in_order, smoothing_as_over_the_dense_matrix)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = problem_random(seed, 6, false);
        double last[PROBLEM_ROWS], z[PROBLEM_ROWS] = {0.0}, x[PROBLEM_ROWS] = {0.0};
        for (int i = 0; i < c->p.n; i++)
            last[i] = c->row_class[i] == RG_ROW_NORMAL ? draw_between(&d, 0.0, 0.3) : 0.0;
        c->p.last = last;
        RgPgsOptions o = rg_pgs_options_default();
        o.order = (RgPgsOrder)(seed % 4);
        o.smoothing_kind = (RgPgsSmoothing)(1 + seed % 2);
        o.smoothing = 0.1;
        o.iterations = 7;
        o.friction_sweeps = 0;
        RgRowOrder order = order_of(&arena, c, o.order);
        for (int k = 0; k < o.iterations; k++)
            sweep_dense(c, &order, &o, z, x);
        problem_solve(c, &o);
        for (int i = 0; i < c->p.n; i++)
            CHECK_NEAR(c->z[i], x[i], 1e-12, "N s");
        CHECK_NEAR(problem_mismatch(c), 0.0, 1e-12, "m/s");
        free(c);
    }
    rg_arena_free(&arena);
}

/* One resting point, target 0, from z = 0: with smoothing e of impulses what has acted stops the fall, with that of the
   last step a part of the last step's impulse stays in the answer: w = e (z_last - z*) A to first order. */
Test(pgs_in_order, one_point_at_rest)
{
    const double last[3] = {3.0, 0.0, 0.0};
    ProblemCase *c = problem_sliding_point(0.5, 0.0);
    RgPgsOptions o = rg_pgs_options_default();
    o.iterations = 400;
    o.sor = 1.0;
    o.smoothing = 0.01;
    o.smoothing_kind = RG_PGS_SMOOTH_IMPULSE;
    problem_reset(c);
    problem_solve(c, &o);
    CHECK_NEAR(c->z[0], 1.0, 1e-12, "N s");
    CHECK_NEAR(c->s[0], 0.0, 1e-12, "m/s");
    problem_reset(c);
    c->p.last = last;
    o.smoothing_kind = RG_PGS_SMOOTH_LAST_STEP;
    problem_solve(c, &o);
    CHECK_NEAR(c->z[0], 0.99 * 1.0 + 0.01 * 3.0, 1e-12, "N s");
    CHECK_NEAR(c->s[0], 0.02, 1e-12, "m/s");
    free(c);
}

/* ------------------------------------------------------------------ the generator's state */

/* A row that pulls, as the normal of friction rows: there is no friction, in any order, with pyramids and cones. */
Test(pgs_in_order, no_friction_of_a_normal_that_pulls)
{
    static const RgPgsOrder orders[] = {RG_PGS_BY_KIND, RG_PGS_BY_CONTACT, RG_PGS_JOINTS_LAST, RG_PGS_AS_ODE};
    for (int k = 0; k < 8; k++) {
        ProblemCase *c = problem_sliding_point(0.5, 1.0);
        RgPgsOptions o = rg_pgs_options_default();
        o.order = orders[k / 2];
        c->cone[1] = k % 2 == 1;
        c->low[0] = -1.0;
        c->target[0] = -5.0; /* it moves on as if it were pulled */
        memcpy(c->s, c->s_free, sizeof c->s);
        problem_solve(c, &o);
        CHECK_NEAR(c->z[0], -1.0, 1e-12, "N s");
        cr_expect(c->z[1] == 0.0 && c->z[2] == 0.0, "order %d, cone %d: friction %g %g", (int)o.order, c->cone[1],
                  c->z[1], c->z[2]);
        free(c);
    }
}

/* The draws of a solve follow from the rows; a solve that goes on behind another is that of a later seed. */
Test(pgs_in_order, draws_go_on)
{
    RgContactLaw law;
    RgPgsOptions o;
    rg_pgs_preset("ode", &law, &o);
    ProblemCase *c = problem_random(5, 1, false);
    double first[PROBLEM_ROWS];
    o.seed = 11;
    problem_solve(c, &o);
    cr_assert(c->p.draws == 2 * (uint32_t)(c->p.n - 1), "two shuffles of one island: %u", c->p.draws);
    uint32_t draws = c->p.draws;
    problem_reset(c);
    c->p.draws = draws;
    problem_solve(c, &o);
    cr_assert(c->p.draws == 4 * (uint32_t)(c->p.n - 1));
    memcpy(first, c->z, sizeof first);
    problem_reset(c);
    uint32_t seed = rg_ode_random_at(11, 2 * (uint32_t)(c->p.n - 1));
    o.seed = (int)(seed & 0x7fffffff);
    problem_solve(c, &o);
    cr_expect((seed >> 31) != 0 || memcmp(first, c->z, sizeof first) == 0);
    free(c);
}

/* Numbers that name no order, smoothing or seed, and a bound that forbids all corrections, are refused with a word. */
Test(pgs_in_order, bad_options_are_refused)
{
    RgPgsOptions bad[3] = {rg_pgs_options_default(), rg_pgs_options_default(), rg_pgs_options_default()};
    bad[0].order = (RgPgsOrder)4;
    bad[1].smoothing_kind = (RgPgsSmoothing)3;
    bad[2].seed = -1;
    for (int k = 0; k < 3; k++) {
        const char *what = NULL;
        cr_expect(rg_pgs_options_check(&bad[k], &what) == RG_ERR_ARGUMENT && what != NULL, "%d", k);
    }
    RgContactLaw law = rg_contact_law_default();
    law.rigid_max_vel = 0.0;
    const char *what = NULL;
    cr_expect(rg_contact_law_check(&law, &what) == RG_ERR_ARGUMENT && what != NULL);
    for (int k = 0; k < rg_pgs_preset_count(); k++) {
        RgPgsOptions o;
        cr_assert(rg_pgs_preset(rg_pgs_preset_name(k), &law, &o) == RG_OK);
        cr_expect(rg_pgs_options_check(&o, &what) == RG_OK && rg_contact_law_check(&law, &what) == RG_OK);
    }
}
