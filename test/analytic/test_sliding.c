/*
 * test_sliding.c - what Coulomb's law says in closed form of a block that slides to rest and of a ball that begins to
 * roll, with the exact solvers, to round-off; and the convex cone's way to be wrong.
 *
 * Block. Semi-implicit Euler: while it slides v falls by a h a step, a = mu g, and x grows by h v with the new v. With
 * T = v0 / (a h), which is K whole steps and a part f, it rests after K + 1 steps at
 *
 *   x = h sum of (v0 - k a h), k = 1 ... K   =   v0^2 / (2 a) - v0 h / 2 + f (1 - f) a h^2 / 2
 *
 * which tends to v0^2 / (2 a), v0 h / 2 off to the first order.
 *
 * Ball of radius r, not turning at first: v = v0 - a t, r w = 5/2 a t, until both are the same at t = 2 v0 / (7 a); it
 * goes on with 5/7 v0, whatever happens on the way, since friction has no moment about the line of touch.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#include <string.h>

#define V0 1.0
#define RADIUS 0.1
#define SOLVED 1e-10 /* m/s: tolerance of a solve, times V0 */

static RgWorld *world_with(const RgModel *model, const char *coords, const char *solver)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    return world_make(&def);
}

/* ------------------------------------------------------------------ block */

static RgModel *block_on_ground(double mu, RgLinkId *block)
{
    RgBuilder *b = scene_begin("block");
    ground_add(b, surface_mu(mu));
    *block = box_add(b, "block", 2.0, vec(0.3, 0.2, 0.1), vec(0.0, 0.0, 0.05), surface_mu(mu));
    return scene_end(b);
}

static double way_of_scheme(double a, double h)
{
    double whole, f = modf(V0 / (a * h), &whole);
    return V0 * V0 / (2.0 * a) - V0 * h / 2.0 + f * (1.0 - f) * a * h * h / 2.0;
}

/* Where the block comes to rest along a direction; and that it does, without leaving the ground. */
static double slide_to_rest(const char *solver, const char *coords, RgVec3 along, double mu, double h)
{
    RgLinkId block;
    RgModel *model = block_on_ground(mu, &block);
    RgWorld *world = world_with(model, coords, solver);
    link_launch(world, block, vec(0, 0, 0), vec_scale(V0, along));
    world_run(world, (int)(V0 / (mu * TOUCH_G * h)) + 50, h);
    RgVec3 p = rg_world_link_pose(world, block).p;
    CHECK_NEAR(vec_norm(rg_world_link_twist(world, block).v), 0.0, SOLVED, "m/s");
    CHECK_NEAR(vec_dot(p, vec(-along.y, along.x, 0.0)), 0.0, 1e-9, "m");
    CHECK_NEAR(p.z, 0.05, 1e-9, "m");
    double x = vec_dot(p, along);
    world_end(world, model);
    return x;
}

Test(sliding, a_block_stops_where_the_scheme_says)
{
    static const struct {
        const char *solver;
        RgVec3 along;
    } cases[] = {{"cone", {1, 0, 0}},
                 {"cone", {0.6, -0.8, 0}},
                 {"dantzig", {1, 0, 0}},
                 {"dantzig", {0, 1, 0}},
                 {"lemke", {1, 0, 0}}};
    static const double mus[] = {0.1, 0.4, 0.9}, steps[] = {1e-2, 1e-3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int k = 0; k < 12; k++) {
            double mu = mus[k % 3], h = steps[k / 3 % 2], a = mu * TOUCH_G;
            double x = slide_to_rest(cases[i].solver, both_forms[k / 6], cases[i].along, mu, h);
            cr_log_info("%s, %s, mu %g, h %g: x = %.12g", cases[i].solver, both_forms[k / 6], mu, h, x);
            CHECK_NEAR(x, way_of_scheme(a, h), 1e-9, "m");
        }
}

/* The formula is the sum it stands for, and the sum tends to the formula of mechanics by half v0 h. */
Test(sliding, the_way_tends_to_that_of_mechanics)
{
    const double mu = 0.4, a = mu * TOUCH_G, way = V0 * V0 / (2.0 * a);
    static const double steps[] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 3; i++) {
        double h = steps[i], x = 0.0, v = V0;
        while ((v -= a * h) > 0.0)
            x += h * v;
        CHECK_NEAR(x, way_of_scheme(a, h), 1e-12, "m");
        CHECK_REL(way - x, V0 * h / 2.0, 0.5 * a * h / V0, "m");
    }
    double coarse = slide_to_rest("cone", "minimal", vec(0.8, 0.6, 0), mu, 4e-3),
           fine = slide_to_rest("cone", "minimal", vec(0.8, 0.6, 0), mu, 5e-4);
    CHECK_NEAR((8.0 * fine - coarse) / 7.0, way, a * 4e-3 * 4e-3 / 8.0, "m");
}

/* ------------------------------------------------------------------ ball */

/* Velocity with which its lowest point slips. */
static double slip_of(RgWorld *world, RgLinkId ball)
{
    RgMotion twist = rg_world_link_twist(world, ball);
    return twist.v.x - RADIUS * twist.w.y;
}

static void ball_begins_to_roll(const char *solver, const char *coords, double mu, double h)
{
    const double a = mu * TOUCH_G, when = 2.0 * V0 / (7.0 * a);
    RgBuilder *b = scene_begin("ball");
    ground_add(b, surface_mu(mu));
    RgLinkId ball = ball_add(b, "ball", 3.0, RADIUS, vec(0.0, 0.0, RADIUS), surface_mu(mu));
    RgModel *model = scene_end(b);
    RgWorld *world = world_with(model, coords, solver);
    link_launch(world, ball, vec(0, 0, 0), vec(V0, 0.0, 0.0));
    int last = (int)(when / h); /* step at whose end it still slips */
    for (int n = 1; n <= last; n++) {
        world_run(world, 1, h);
        CHECK_NEAR(slip_of(world, ball), V0 - 3.5 * a * n * h, 1e-9, "m/s");
    }
    world_run(world, 1, h);
    CHECK_NEAR(slip_of(world, ball), 0.0, SOLVED, "m/s");
    CHECK_NEAR(rg_world_link_twist(world, ball).v.x, 5.0 / 7.0 * V0, 1e-9, "m/s");
    world_run(world, 100, h);
    CHECK_NEAR(slip_of(world, ball), 0.0, SOLVED, "m/s");
    CHECK_NEAR(rg_world_link_twist(world, ball).v.x, 5.0 / 7.0 * V0, 1e-9, "m/s");
    world_end(world, model);
}

Test(sliding, a_ball_begins_to_roll_when_mechanics_says)
{
    static const char *const solvers[] = {"cone", "dantzig", "lemke"};
    static const double mus[] = {0.1, 0.35};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
        for (int k = 0; k < 8; k++)
            ball_begins_to_roll(solvers[i], both_forms[k / 4], mus[k % 2], k / 2 % 2 == 0 ? 1e-3 : 5e-3);
}

/* ------------------------------------------------------------------ what the convex cone does */

/*
 * Over the convex cone the velocity at a contact that slides is normal to the cone, not to the ground: w_n = mu |w_t|,
 * where w_n is the gap at the end of the step over h (with contact_erp 1). So a block that slides with v hovers by h mu
 * v above the ground, four corners alike. It is pulled from rest by a force at its base, so that it does not tilt and
 * the gap opens slowly.
 */
static double pulled_gap(const char *solver, const char *coords, double mu, double h, double erp, double *speed)
{
    RgLinkId block;
    RgModel *model = block_on_ground(mu, &block);
    RgContactLaw law = rg_contact_law_for(solver);
    law.contact_erp = erp;
    law.soft_length = 0.0; /* gaps close in proportion */
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.law = &law;
    RgWorld *world = world_make(&def);
    RgVec3 f = vec(2.0 * (mu * TOUCH_G + 2.0), 0.0, 0.0);
    rg_world_set_link_wrench(world, block, (RgForce){.f = f, .n = vec_cross(vec(0.0, 0.0, -0.05), f)});
    world_run(world, 200, h);
    *speed = rg_world_link_twist(world, block).v.x;
    double gap = rg_world_link_pose(world, block).p.z - 0.05;
    world_end(world, model);
    return gap;
}

Test(sliding, the_convex_cone_lifts_off_and_the_true_one_does_not)
{
    static const double mus[] = {0.2, 0.8}, steps[] = {1e-3, 2e-3};
    for (int k = 0; k < 8; k++) {
        const char *coords = both_forms[k / 4];
        double mu = mus[k % 2], h = steps[k / 2 % 2], v, lift;
        double convex = pulled_gap("cone-convex", coords, mu, h, 1.0, &v);
        cr_expect(v > 0.3, "it hardly moves: %g m/s", v);
        lift = h * mu * v;
        CHECK_REL(convex, lift, 1e-6, "m");
        double exact = pulled_gap("cone", coords, mu, h, 1.0, &v);
        cr_log_info("mu %g, h %g, v %g: convex %g m, %.9f of h mu v; exact %g m", mu, h, v, convex, convex / lift,
                    exact);
        CHECK_NEAR(exact, 0.0, 1e-12, "m");
        CHECK_NEAR(v, 200 * h * 2.0, 1e-9, "m/s");
    }

    /* Gaps below 0.1 mm that close by a fifth a step add four fifths of that. */
    double v, gap = pulled_gap("cone-convex", "minimal", 0.2, 1e-3, 0.2, &v);
    CHECK_REL(gap, 1e-3 * 0.2 * v + 0.8e-4, 1e-6, "m");

    /* And one that stays below is five times as wide as it would be, four steps late: 2 % of 200. */
    gap = pulled_gap("cone-convex", "minimal", 0.1, 1e-4, 0.2, &v);
    CHECK_REL(gap, 5.0 * 1e-4 * 0.1 * v * (1.0 - 4.0 / 200.0), 1e-3, "m");
}

/* Sent off with v0 while it lies on the ground, it must leave it in the first step: of the impulse that lifts it to mu
   v friction takes mu, and v0 becomes (v0 - mu g h) / (1 + mu^2). */
Test(sliding, the_convex_cone_takes_speed_at_once)
{
    const double mu = 0.4, h = 1e-3;
    for (int convex = 0; convex < 2; convex++) {
        RgLinkId block;
        RgModel *model = block_on_ground(mu, &block);
        RgWorld *world = world_with(model, "minimal", convex == 1 ? "cone-convex" : "cone");
        link_launch(world, block, vec(0, 0, 0), vec(V0, 0.0, 0.0));
        world_run(world, 1, h);
        RgVec3 v = rg_world_link_twist(world, block).v;
        double left = V0 - mu * TOUCH_G * h;
        CHECK_NEAR(v.x, convex == 1 ? left / (1.0 + mu * mu) : left, 1e-9, "m/s");
        CHECK_NEAR(v.z, convex == 1 ? mu * v.x : 0.0, 1e-9, "m/s");
        world_end(world, model);
    }
}
