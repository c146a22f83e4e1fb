/*
 * test_turning_friction.c - torsional and rolling friction of a ball on a plane by their closed forms, with
 * both solvers in both coordinate forms.
 *
 * Torsion of length k: the moment about the normal is k m g against the spin, until that is over:
 *
 *   I w' = -k m g,   I = 2/5 m r^2,   stops at t = I w0 / (k m g)
 *
 * Rolling of length k, without slip: the moment k m g across the normal, about the point of contact:
 *
 *   (I + m r^2) w' = -k m g,   so v' = -(5/7) k g / r whatever the direction
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#include <stdlib.h>

#define MASS 2.0
#define RADIUS 0.1
#define H 1e-3

/* Sweeps of pgs leave a part of 1e-7 of what is still undone; quick's tolerance is 1e-5 of the impulses. */
#define SOLVED 1e-4

static const char *const solvers[] = {"quick", "pgs"};

typedef struct Case {
    RgModel *model;
    RgWorld *world;
    RgLinkId ball;
} Case;

/* Case number k of 4: form and solver. */
static Case begin(int k, RgSurfaceDef ground, RgSurfaceDef ball, RgVec3 gravity)
{
    Case c = {0};
    RgBuilder *b = scene_begin("ball");
    ground_add(b, ground);
    c.ball = ball_add(b, "ball", MASS, RADIUS, vec(0.0, 0.0, RADIUS), ball);
    c.model = scene_end(b);
    RgPgsOptions o = rg_pgs_options_default();
    o.iterations = 200;
    RgWorldDef def = world_def(c.model, both_forms[k / 2], "semi-implicit");
    def.solver = solvers[k % 2];
    def.pgs = &o;
    def.gravity = gravity;
    c.world = world_make(&def);
    return c;
}

static void end(Case *c)
{
    world_end(c->world, c->model);
}

Test(turning_friction, a_spinning_ball_stops_when_torsion_says)
{
    const double k = 0.004, w0 = 3.0, I = 0.4 * MASS * RADIUS * RADIUS, brake = k * MASS * TOUCH_G / I;
    RgSurfaceDef surface = surface_mu(0.6);
    surface.torsional = k;
    for (int i = 0; i < 4; i++) {
        Case c = begin(i, surface_mu(0.6), surface, vec(0.0, 0.0, -TOUCH_G));
        link_launch(c.world, c.ball, vec(0.0, 0.0, w0), vec(0.0, 0.0, 0.0));
        int half = (int)(0.5 * w0 / brake / H);
        world_run(c.world, half, H);
        CHECK_REL(rg_world_link_twist(c.world, c.ball).w.z, w0 - brake * half * H, SOLVED, "rad/s");

        /* The moment is told, and the spin is over within a step of its time. */
        const RgContactForce *force = NULL;
        cr_assert(rg_world_contact_forces(c.world, &force) == 1);
        CHECK_REL(force[0].moment.z * (force[0].normal.z > 0.0 ? -1.0 : 1.0), k * MASS * TOUCH_G, SOLVED, "N m");
        int whole = (int)(w0 / brake / H);
        world_run(c.world, whole - half - 1, H);
        cr_expect(rg_world_link_twist(c.world, c.ball).w.z > 0.0);
        world_run(c.world, 3, H);
        CHECK_NEAR(rg_world_link_twist(c.world, c.ball).w.z, 0.0, SOLVED * brake * H, "rad/s");
        end(&c);
    }
}

/* In any direction, the frames of contacts have no say. */
Test(turning_friction, a_rolling_ball_is_braked_alike_in_every_direction)
{
    const double k = 0.002, v0 = 1.0, brake = 5.0 / 7.0 * k * TOUCH_G / RADIUS;
    RgSurfaceDef surface = surface_mu(0.8);
    surface.rolling = k;
    for (int i = 0; i < 4; i++)
        for (int turn = 0; turn < 8; turn++) {
            Case c = begin(i, surface_mu(0.8), surface, vec(0.0, 0.0, -TOUCH_G));
            double angle = 0.1 + turn * TEST_PI / 4.0;
            RgVec3 d = vec(cos(angle), sin(angle), 0.0);
            link_launch(c.world, c.ball, vec_scale(v0 / RADIUS, vec(-d.y, d.x, 0.0)), vec_scale(v0, d));
            world_run(c.world, 2000, H);
            RgVec3 v = rg_world_link_twist(c.world, c.ball).v;
            CHECK_NEAR(vec_dot(v, d), v0 - 2.0 * brake, SOLVED, "m/s");
            CHECK_NEAR(vec_dot(v, vec(-d.y, d.x, 0.0)), 0.0, SOLVED, "m/s");
            end(&c);
        }
}

/* On a slope of angle a the ball stands while r sin a < k cos a. */
Test(turning_friction, rolling_friction_holds_a_ball_on_a_slope)
{
    const double k = 0.005;
    RgSurfaceDef surface = surface_mu(0.8);
    surface.rolling = k;
    for (int i = 0; i < 4; i++)
        for (int steep = 0; steep < 2; steep++) {
            double slope = (steep == 1 ? 1.3 : 0.7) * k / RADIUS;
            RgVec3 g = vec(TOUCH_G * sin(slope), 0.0, -TOUCH_G * cos(slope));
            Case c = begin(i, surface_mu(0.8), surface, g);
            world_run(c.world, 1000, H);
            double a = 5.0 / 7.0 * (TOUCH_G * sin(slope) - k / RADIUS * TOUCH_G * cos(slope));
            double expected = steep == 1 ? a : 0.0;
            CHECK_NEAR(rg_world_link_twist(c.world, c.ball).v.x, expected, SOLVED, "m/s");
            end(&c);
        }
}

/* The smaller of two surfaces that say it, and that of one where the other is silent. */
Test(turning_friction, two_surfaces_agree_on_the_smaller)
{
    const double w0 = 3.0, I = 0.4 * MASS * RADIUS * RADIUS;
    RgSurfaceDef ground = surface_mu(0.6), ball = surface_mu(0.6);
    ground.torsional = 0.001;
    ball.torsional = 0.002;
    Case c = begin(0, ground, ball, vec(0.0, 0.0, -TOUCH_G));
    link_launch(c.world, c.ball, vec(0.0, 0.0, w0), vec(0.0, 0.0, 0.0));
    world_run(c.world, 100, H);
    CHECK_REL(rg_world_link_twist(c.world, c.ball).w.z, w0 - 0.1 * 0.001 * MASS * TOUCH_G / I, SOLVED, "rad/s");
    end(&c);
}

/* Torsional slip: turning velocity by moment. A ball turned by a small moment comes to slip times it. */
Test(turning_friction, torsional_slip)
{
    const double slip = 40.0, moment = 0.01;
    RgSurfaceDef surface = surface_mu(0.6);
    surface.torsional = 0.004;
    surface.torsional_slip = slip;
    for (int i = 0; i < 4; i++) {
        Case c = begin(i, surface, surface, vec(0.0, 0.0, -TOUCH_G));
        rg_world_set_link_wrench(c.world, c.ball, (RgForce){.n = vec(0.0, 0.0, moment)});
        world_run(c.world, 3000, H);
        CHECK_REL(rg_world_link_twist(c.world, c.ball).w.z, slip * moment, SOLVED, "rad/s");
        end(&c);
    }
}

/* The moments are part of the state: a restored world goes on with the same bits. */
Test(turning_friction, a_saved_state_goes_on_alike)
{
    RgSurfaceDef surface = surface_mu(0.6);
    surface.torsional = 0.004;
    surface.rolling = 0.003;
    for (int i = 0; i < 4; i++) {
        Case a = begin(i, surface, surface, vec(0.3, 0.1, -TOUCH_G));
        Case b = begin(i, surface, surface, vec(0.3, 0.1, -TOUCH_G));
        link_launch(a.world, a.ball, vec(1.0, 2.0, 3.0), vec(0.2, -0.1, 0.0));
        world_run(a.world, 100, H);
        size_t size = rg_world_state_size(a.world);
        void *saved = malloc(size);
        cr_assert(saved != NULL);
        rg_world_state_save(a.world, saved);
        cr_assert(rg_world_state_load(b.world, saved, size) == RG_OK);
        free(saved);
        world_run(a.world, 300, H);
        world_run(b.world, 300, H);
        cr_expect(rg_world_hash(a.world) == rg_world_hash(b.world));
        end(&a);
        end(&b);
    }
}
