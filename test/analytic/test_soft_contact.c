/*
 * test_soft_contact.c - surfaces that are springs and dampers (kp, kd), and how overlaps are taken away: max_vel
 * and min_depth. A ball of mass m on a plane.
 *
 * In contact a step of semi-implicit Euler with the spring and damper at its end is, with depth d and velocity
 * v upwards,
 *
 *   m (v1 - v) / h = -m g + kp d1 - kd v1,    d1 = d - h v1        while that force is not negative
 *
 * which is compared number for number; and with the damped oscillation that it stands for.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define MASS 0.5
#define RADIUS 0.1
#define H 1e-3
#define KP 4000.0
#define KD 6.0

/* The ground is rigid, so that the ball's spring is that of the pair (but for a part KP / 1e12). */
#define SERIES 1e-7

static RgSurfaceDef soft(void)
{
    RgSurfaceDef s = surface_mu(0.5);
    s.kp = KP;
    s.kd = KD;
    return s;
}

typedef struct Case {
    RgModel *model;
    RgWorld *world;
    RgLinkId ball;
} Case;

static Case begin(int k, RgSurfaceDef ground, RgSurfaceDef ball, double gap)
{
    Case c = {0};
    RgBuilder *b = scene_begin("soft");
    ground_add(b, ground);
    c.ball = ball_add(b, "ball", MASS, RADIUS, vec(0, 0, RADIUS + gap), ball);
    c.model = scene_end(b);
    RgWorldDef def = world_def(c.model, both_forms[k / 2], "semi-implicit");
    def.solver = k % 2 == 0 ? "quick" : "pgs";
    c.world = world_make(&def);
    return c;
}

static void end(Case *c)
{
    world_end(c->world, c->model);
}

static double depth(const Case *c)
{
    return RADIUS - rg_world_link_pose(c->world, c->ball).p.z;
}

/* Dropped from 5 cm: every step as the recurrence says, through several bounces, to rest at m g / kp. */
Test(soft_contact, drop_on_a_spring_step_by_step)
{
    for (int k = 0; k < 4; k++) {
        Case c = begin(k, surface_mu(0.5), soft(), 0.05);
        double d = -0.05, v = 0.0, worst = 0.0;
        for (int i = 0; i < 3000; i++) {
            /* Touches only if it would come to overlap: a gap is first closed, the rest of the step pushes. */
            double free = v - H * TOUCH_G;
            double stiff = H * (H * KP + KD), b = H * KP * H / stiff;
            double target = d > 0.0 ? b * d / H : d / H, next = free;
            double z = (target - free) / (1.0 / MASS + 1.0 / stiff);
            if (z > 0.0)
                next = free + z / MASS;
            v = next;
            d -= H * v;
            cr_assert(rg_world_step(c.world, H, NULL) == RG_OK);
            worst = fmax(worst, fabs(depth(&c) - d));
        }
        CHECK_NEAR(worst, 0.0, 0.05 * SERIES * 100.0, "m");
        CHECK_REL(depth(&c), MASS * TOUCH_G / KP, 1e-6, "m");
        CHECK_NEAR(contact_force_on(c.world, c.ball).z, MASS * TOUCH_G, 1e-6, "N");
        end(&c);
    }
}

/* The oscillation about rest, too small to open the contact: x = a exp(-k t / 2m) cos(w t), first order in h. */
Test(soft_contact, small_oscillation)
{
    const double a = 0.5 * MASS * TOUCH_G / KP, rest = MASS * TOUCH_G / KP;
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        double h = fine == 1 ? 1e-5 : 1e-4;
        Case c = begin(0, surface_mu(0.5), soft(), -(rest + a));
        double g = 0.5 * KD / MASS, w = sqrt(KP / MASS - g * g);
        error[fine] = 0.0;
        for (int i = 1; i <= (int)(0.2 / h + 0.5); i++) {
            cr_assert(rg_world_step(c.world, h, NULL) == RG_OK);
            double t = i * h, x = a * exp(-g * t) * (cos(w * t) + g / w * sin(w * t));
            error[fine] = fmax(error[fine], fabs(depth(&c) - rest - x));
        }
        end(&c);
    }
    cr_expect(error[0] < 0.05 * a, "%g of %g m", error[0], a);
    cr_expect(error[1] < 0.15 * error[0], "%g, then %g m", error[0], error[1]);
}

/* Two springs in series, their dampers side by side. */
Test(soft_contact, two_soft_surfaces)
{
    for (int k = 0; k < 4; k++) {
        Case c = begin(k, soft(), soft(), 0.0);
        world_run(c.world, 3000, H);
        CHECK_REL(depth(&c), 2.0 * MASS * TOUCH_G / KP, 1e-6, "m");
        end(&c);
    }
}

/* ------------------------------------------------------------------ overlaps */

/* An overlap goes by max_vel and no faster, until the share of a step is less. */
Test(soft_contact, overlaps_leave_by_max_vel)
{
    for (int k = 0; k < 4; k++) {
        RgSurfaceDef slow = surface_mu(0.5);
        slow.max_vel = 0.05;
        Case c = begin(k, surface_mu(0.5), slow, -0.03);
        world_run(c.world, 200, H);
        CHECK_NEAR(depth(&c), 0.03 - 0.05 * 200 * H, 1e-9, "m");
        CHECK_NEAR(rg_world_link_twist(c.world, c.ball).v.z, 0.05, 1e-9, "m/s");
        end(&c);
    }
}

/* Without a max_vel: the law of contact_law.h, written out. G: size of gravity. */
static double correcting_velocity(double d, double h, double G)
{
    RgContactLaw law = rg_contact_law_default();
    double slow = fmin(law.contact_erp * d * d / (d + law.soft_length) / h, 0.1);
    double r = d / (d + 2e-3);
    return fmax(slow, fmin(law.deep_erp * d * r * r / h, fmin(sqrt(G * d / 3.0), 0.2)));
}

/* Step by step for any h; v no faster than a sixth of its weight stops within d; for all but the shortest steps the
   ball does not leave the ground. */
Test(soft_contact, deep_overlaps_leave_no_faster_than_weight_stops)
{
    const double steps[] = {1e-4, 1e-3, 4e-3, 0.02};
    for (int k = 0; k < 16; k++) {
        double h = steps[k / 4], d = 0.03, v = 0.0, worst = 0.0, highest = 0.0;
        Case c = begin(k % 4, surface_mu(0.5), surface_mu(0.5), -d);
        for (int i = 0; i < (int)(0.5 / h) && d > 0.0; i++) {
            v = fmax(v - h * TOUCH_G, correcting_velocity(d, h, TOUCH_G));
            cr_expect(v <= fmax(0.1, sqrt(TOUCH_G * d / 3.0)) + 1e-12, "%g m/s at %g m", v, d);
            d -= h * v;
            cr_assert(rg_world_step(c.world, h, NULL) == RG_OK);
            worst = fmax(worst, fabs(depth(&c) - d));
        }
        world_run(c.world, (int)(0.1 / h), h);
        highest = fmax(highest, -depth(&c));
        CHECK_NEAR(worst, 0.0, 1e-9, "m");
        CHECK_NEAR(highest, 0.0, h < 1e-3 ? 2e-5 : 1e-9, "m");
        end(&c);
    }
}

/* Weight stops nothing where there is none: 0.1 m/s at most. */
Test(soft_contact, overlaps_without_gravity_leave_by_a_tenth_of_a_metre_a_second)
{
    for (int k = 0; k < 4; k++) {
        Case c = begin(k, surface_mu(0.5), surface_mu(0.5), -0.03);
        rg_world_set_gravity(c.world, vec(0.0, 0.0, 0.0));
        world_run(c.world, 100, H);
        CHECK_NEAR(depth(&c), 0.03 - 0.1 * 100 * H, 1e-9, "m");
        end(&c);
    }
}

/* What is less than min_depth stays. */
Test(soft_contact, min_depth_is_left_alone)
{
    for (int k = 0; k < 4; k++) {
        RgSurfaceDef deep = surface_mu(0.5);
        deep.min_depth = 0.002;
        Case c = begin(k, deep, deep, -0.001);
        world_run(c.world, 1000, H);
        CHECK_NEAR(depth(&c), 0.001, 1e-6, "m");
        end(&c);
        c = begin(k, deep, deep, -0.004);
        world_run(c.world, 3000, H);
        CHECK_NEAR(depth(&c), 0.002, 1e-6, "m");
        end(&c);
    }
}
