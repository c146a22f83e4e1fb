/*
 * test_restitution.c - bounces by their closed forms.
 *
 * A ball that falls from a gap H0 hits with v = sqrt(2 g H0) at t = v / g; after the k-th bounce it rises to
 * e^2k H0, and the next one comes 2 e^k v / g later. A step bounces from where it finds the ball, at most v h
 * above the ground, and then takes it up by e v h at most: heights are right to 2 v h a bounce, the first time
 * to h, the next ones to the 4 h a bounce that such heights make.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define RADIUS 0.1
#define DROP 1.0

static RgSurfaceDef bouncing(double mu, double e, double threshold)
{
    RgSurfaceDef s = surface_mu(mu);
    s.restitution = e;
    s.restitution_threshold = threshold;
    return s;
}

typedef struct Ball {
    RgModel *model;
    RgWorld *world;
    RgLinkId link;
} Ball;

/* What a case is made of: form, solver, stepper; pgs by Newton's or Poisson's rule. */
typedef struct Way {
    const char *coords, *solver, *stepper;
    bool poisson;
} Way;

static const Way ways[] = {
    {"minimal", "quick", "semi-implicit", false}, {"maximal", "quick", "semi-implicit", false},
    {"minimal", "pgs", "semi-implicit", false},   {"maximal", "pgs", "semi-implicit", false},
    {"maximal", "pgs", "semi-implicit", true},    {"minimal", "quick", "rk4", false},
};
#define WAYS ((int)(sizeof ways / sizeof ways[0]))

static Ball ball_begin(const Way *way, RgSurfaceDef surface, double gap, RgVec3 gravity)
{
    Ball out = {0};
    RgBuilder *b = scene_begin("bounce");
    ground_add(b, surface);
    out.link = ball_add(b, "ball", 0.7, RADIUS, vec(0, 0, RADIUS + gap), surface);
    out.model = scene_end(b);
    RgContactLaw law = rg_contact_law_default();
    law.restitution = way->poisson ? RG_RESTITUTION_POISSON : RG_RESTITUTION_NEWTON;
    RgPgsOptions o = rg_pgs_options_default();
    o.iterations = 200;
    RgWorldDef def = world_def(out.model, way->coords, way->stepper);
    def.solver = way->solver;
    def.law = &law;
    def.pgs = &o;
    def.gravity = gravity;
    out.world = world_make(&def);
    return out;
}

static void ball_end(Ball *ball)
{
    world_end(ball->world, ball->model);
}

#define BOUNCES 5
typedef struct Bounces {
    double t[BOUNCES], height[BOUNCES]; /* when, and how high it rose then */
} Bounces;

static Bounces let_bounce(Ball *ball, double h)
{
    Bounces out = {{0.0}, {0.0}};
    int n = 0;
    double before = 0.0, highest = 0.0;
    while (n <= BOUNCES && rg_world_time(ball->world) < 10.0) {
        cr_assert(rg_world_step(ball->world, h, NULL) == RG_OK);
        double v = rg_world_link_twist(ball->world, ball->link).v.z;
        double z = rg_world_link_pose(ball->world, ball->link).p.z - RADIUS;
        highest = fmax(highest, z);
        if (before < 0.0 && v > 0.0) {
            if (n > 0)
                out.height[n - 1] = highest;
            if (n < BOUNCES)
                out.t[n] = rg_world_time(ball->world);
            n++;
            highest = 0.0;
        }
        before = v;
    }
    cr_expect(n == BOUNCES + 1, "%d bounces", n);
    return out;
}

/* Largest errors of times (in steps) and heights. */
static void compare(const Bounces *b, double e, double h, double *steps, double *height)
{
    double v = sqrt(2.0 * TOUCH_G * DROP), t = v / TOUCH_G;
    *steps = *height = 0.0;
    for (int k = 0; k < BOUNCES; k++) {
        v *= e;
        *steps = fmax(*steps, fabs(b->t[k] - t) / (h * (k + 1)));
        *height = fmax(*height, fabs(b->height[k] - v * v / (2.0 * TOUCH_G)));
        t += 2.0 * v / TOUCH_G;
    }
}

/* And heights come nearer as steps get smaller. */
Test(restitution, heights_and_times_of_a_bouncing_ball)
{
    const double e = 0.8;
    for (int i = 0; i < WAYS; i++) {
        double steps[2], height[2];
        for (int k = 0; k < 2; k++) {
            double h = k == 0 ? 1e-3 : 2e-4;
            Ball ball = ball_begin(&ways[i], bouncing(0.5, e, 0.01), DROP, vec(0, 0, -TOUCH_G));
            Bounces b = let_bounce(&ball, h);
            compare(&b, e, h, &steps[k], &height[k]);
            double first = sqrt(2.0 * DROP / TOUCH_G);
            CHECK_NEAR(b.t[0], first, 1.1 * h, "s");
            ball_end(&ball);
        }
        cr_expect(steps[0] < 4.0 && steps[1] < 4.0, "%s %s %s: %g, %g steps a bounce", ways[i].coords, ways[i].solver,
                  ways[i].stepper, steps[0], steps[1]);
        cr_expect(height[0] < 0.02 && height[1] < 0.2 * 0.02, "%s %s %s: %g, %g m", ways[i].coords, ways[i].solver,
                  ways[i].stepper, height[0], height[1]);
    }
}

/* Without loss: as many bounces as wanted, to the same height but for m (g h)^2 / 2 a bounce. */
Test(restitution, an_elastic_ball_keeps_its_height)
{
    Ball ball = ball_begin(&ways[5], bouncing(0.0, 1.0, 0.01), DROP, vec(0, 0, -TOUCH_G));
    const double h = 2.5e-4, each = TOUCH_G * h * h;
    Bounces b = let_bounce(&ball, h);
    for (int k = 0; k < BOUNCES; k++)
        CHECK_NEAR(b.height[k], DROP, (k + 1) * each, "m");
    ball_end(&ball);
}

/* Below the threshold it stays. Above it, without gravity, v' = e v to the last bit that the solver has. */
Test(restitution, threshold)
{
    for (int i = 0; i < WAYS; i++)
        for (int above = 0; above < 2; above++) {
            double v = above == 1 ? 0.51 : 0.49;
            Ball ball = ball_begin(&ways[i], bouncing(0.5, 0.6, 0.5), 0.01, vec(0, 0, 0));
            link_launch(ball.world, ball.link, vec(0, 0, 0), vec(0, 0, -v));
            world_run(ball.world, 100, 1e-3);
            CHECK_NEAR(rg_world_link_twist(ball.world, ball.link).v.z, above == 1 ? 0.6 * v : 0.0,
                       above == 1 ? 1e-9 : 1e-3, "m/s");
            ball_end(&ball);
        }
}

/*
 * With friction, without gravity, a ball with speeds v across and w towards the plane, not spinning, leaves with
 *   e w,  and across  v - mu (1 + e) w  while it slips,  5/7 v if friction is enough for it to roll
 */
Test(restitution, with_friction)
{
    const double e = 0.7, v = 2.0, w = 1.0;
    for (int i = 0; i < WAYS; i++)
        for (int rolls = 0; rolls < 2; rolls++) {
            double mu = rolls == 1 ? 0.6 : 0.2;
            if (ways[i].poisson)
                continue; /* that rule gives the bounce no friction of its own */
            Ball ball = ball_begin(&ways[i], bouncing(mu, e, 0.01), 1e-8, vec(0, 0, 0));
            link_launch(ball.world, ball.link, vec(0, 0, 0), vec(0.6 * v, 0.8 * v, -w));
            world_run(ball.world, 20, 1e-3);
            RgMotion V = rg_world_link_twist(ball.world, ball.link);
            double after = rolls == 1 ? 5.0 / 7.0 * v : v - mu * (1.0 + e) * w;
            CHECK_NEAR(V.v.z, e * w, 1e-6, "m/s");
            CHECK_NEAR(V.v.x, 0.6 * after, 1e-6, "m/s");
            CHECK_NEAR(V.v.y, 0.8 * after, 1e-6, "m/s");
            CHECK_NEAR(hypot(V.w.x, V.w.y), 2.5 * (v - after) / RADIUS, 1e-4, "rad/s");
            ball_end(&ball);
        }
}

/*
 * Three balls in a line, elastic, the last one a little apart: the blow of the first goes through to the last,
 * also where the gap is less than a step's way, so that both blows fall into one step. Nothing is lost but in a
 * gap of what rests.
 */
Test(restitution, a_blow_is_passed_on_across_a_gap)
{
    static const double gaps[3] = {2e-4, 5e-4, 9e-4};
    for (int i = 0; i < WAYS * 3; i++) {
        const Way *way = &ways[i / 3];
        double gap = gaps[i % 3], x[3] = {-2.0 * RADIUS - 5e-4, 0.0, 2.0 * RADIUS + gap};
        if (way->poisson)
            continue; /* that rule solves the second blow in the same step */
        RgBuilder *b = scene_begin("line");
        RgLinkId ball[3];
        for (int k = 0; k < 3; k++)
            ball[k] = ball_add(b, (const char *[3]){"first", "second", "third"}[k], 1.0, RADIUS, vec(x[k], 0, 0),
                               bouncing(0.0, 1.0, 0.01));
        RgModel *model = scene_end(b);
        RgWorldDef def = world_def(model, way->coords, way->stepper);
        def.solver = way->solver;
        def.gravity = vec(0, 0, 0);
        RgWorld *world = world_make(&def);
        link_launch(world, ball[0], vec(0, 0, 0), vec(1.0, 0, 0));
        world_run(world, 20, 1e-3);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(rg_world_link_twist(world, ball[k]).v.x, k == 2 ? 1.0 : 0.0, 1e-6, "m/s");
        world_end(world, model);
    }
}

/* A ball before a wall, and another that comes with speed v (m/s) along x. */
typedef struct Wall {
    RgModel *model;
    RgWorld *world;
    RgLinkId first, second;
} Wall;

#define BEFORE_WALL 5e-4

static Wall wall_begin(const Way *way, double thick, double e, double v)
{
    Wall out = {0};
    RgSurfaceDef surface = bouncing(0.0, e, 0.01);
    RgBuilder *b = scene_begin("wall");
    RgPose X_W = rg_pose_identity();
    X_W.p = vec(RADIUS + BEFORE_WALL + 0.5 * thick, 0, 0);
    shape_add(b, (RgLinkId){0}, RG_SHAPE_box, (const double[3]){thick, 1.0, 1.0}, X_W, surface);
    out.first = ball_add(b, "first", 1.0, RADIUS, vec(-2.0 * RADIUS - 5e-3, 0, 0), surface);
    out.second = ball_add(b, "second", 1.0, RADIUS, vec(0, 0, 0), surface);
    out.model = scene_end(b);
    RgWorldDef def = world_def(out.model, way->coords, way->stepper);
    def.solver = way->solver;
    def.gravity = vec(0, 0, 0);
    out.world = world_make(&def);
    link_launch(out.world, out.first, vec(0, 0, 0), vec(v, 0, 0));
    return out;
}

/* What is sent across a gap into a wall, thin or thick, sinks in by no more than about a tenth of the wall's half
   thickness or of its own radius, and is out again, and on its way back or at rest, after a tenth of a second. */
Test(restitution, a_blow_is_not_passed_on_through_a_wall)
{
    static const Way through[] = {
        {"minimal", "quick", "semi-implicit", false},
        {"maximal", "quick", "semi-implicit", false},
        {"minimal", "cone", "semi-implicit", false},
        {"maximal", "cone", "semi-implicit", false},
        {"minimal", "pgs", "semi-implicit", false},
        {"maximal", "pgs", "semi-implicit", false},
        {"minimal", "quick", "rk4", false},
        {"maximal", "quick", "rk4", false},
        {"minimal", "cone", "rk4", false},
        {"maximal", "pgs", "rk4", false},
    };
    static const double speeds[] = {20.0, 60.0, 600.0}, bounces[] = {1.0, 0.5};
    for (int i = 0; i < 10 * 12; i++) {
        const Way *way = &through[i / 12];
        double v = speeds[i % 3], e = bounces[i / 3 % 2];
        double thick = i / 6 % 2 == 0 ? 2e-3 : 0.5, deepest = 0.0;
        Wall wall = wall_begin(way, thick, e, v);
        for (int k = 0; k < 100; k++) {
            cr_assert(rg_world_step(wall.world, 1e-3, NULL) == RG_OK);
            deepest = fmax(deepest, rg_world_link_pose(wall.world, wall.second).p.x - BEFORE_WALL);
        }
        double depth = rg_world_link_pose(wall.world, wall.second).p.x - BEFORE_WALL;
        double speed = rg_world_link_twist(wall.world, wall.second).v.x;
        cr_expect(deepest < 0.12 * fmin(0.5 * thick, RADIUS) && depth < 1e-4 && speed < 1e-3,
                  "%s %s %s, %g m thick, %g m/s, e = %g: deepest %g, at last %g m, %g m/s", way->coords, way->solver,
                  way->stepper, thick, v, e, deepest, depth, speed);
        world_end(wall.world, wall.model);
    }
}

/* Both surfaces must bounce: the smaller of the two coefficients counts. */
Test(restitution, the_less_elastic_surface_decides)
{
    RgBuilder *b = scene_begin("two");
    ground_add(b, bouncing(0.5, 0.3, 0.01));
    RgLinkId ball = ball_add(b, "ball", 1.0, RADIUS, vec(0, 0, RADIUS + 0.01), bouncing(0.5, 0.9, 0.01));
    RgModel *model = scene_end(b);
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.gravity = vec(0, 0, 0);
    RgWorld *world = world_make(&def);
    link_launch(world, ball, vec(0, 0, 0), vec(0, 0, -1.0));
    world_run(world, 50, 1e-3);
    CHECK_NEAR(rg_world_link_twist(world, ball).v.z, 0.3, 1e-9, "m/s");
    world_end(world, model);
}
