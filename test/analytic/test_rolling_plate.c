/*
 * test_rolling_plate.c - a plate of 10 kg, 20 m x 20 m x 1 m, pulled over the ground by 150 N at 60 degrees to
 * its edge, with 25 balls of 1 kg and radius 0.5 m on it that roll without slip (mu 0.4 between ground and
 * plate, 0.8 between plate and balls).
 *
 * A ball on a plate with acceleration a: its own is 2/7 a (m b = f, 2/5 m r^2 w' = r f, a - b = r w'). So
 *
 *   (M + 25 (2/7) m) a = F - mu (M + 25 m) g:      a = 0.7385, b = 0.211 m/s^2,   along the force
 *
 * A friction pyramid holds the plate; friction that does not know where the force points pushes it aside.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define BALLS 25
#define FORCE 150.0
#define H 1e-3
#define SECONDS 4.0
#define ERROR2 1e-8 /* (m/s)^2: mean squared error of the velocities of plate and balls */

typedef struct Scene {
    RgModel *model;
    RgLinkId plate, ball[BALLS];
} Scene;

/* Two surfaces meet with the smaller coefficient: the ground's own is that between ground and plate. */
static Scene scene_of(double spread)
{
    Scene s = {0};
    RgBuilder *b = scene_begin("rolling");
    ground_add(b, surface_mu(0.4));
    s.plate = box_add(b, "plate", 10.0, vec(20.0, 20.0, 1.0), vec(0.0, 0.0, 0.5), surface_mu(0.8));
    for (int i = 0; i < BALLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        RgVec3 p = vec(spread * (i % 5 - 2), spread * (i / 5 - 2), 1.5);
        s.ball[i] = ball_add(b, name, 1.0, 0.5, p, surface_mu(0.8));
    }
    s.model = scene_end(b);
    return s;
}

static double error2(RgWorld *world, RgLinkId link, RgVec3 d, double speed)
{
    RgVec3 off = vec_sub(rg_world_link_twist(world, link).v, vec_scale(speed, d));
    return vec_dot(off, off);
}

/* Mean of the plate's and the balls' squared errors over the run. */
static double run(const Scene *s, const char *coords, double degrees)
{
    double angle = degrees * TEST_PI / 180.0, sum = 0.0;
    double a = (FORCE - 0.4 * 35.0 * TOUCH_G) / (10.0 + BALLS * 2.0 / 7.0);
    RgVec3 d = vec(cos(angle), sin(angle), 0.0);
    CHECK_NEAR(a, 0.7385, 5e-5, "m/s^2");
    CHECK_NEAR(2.0 / 7.0 * a, 0.211, 5e-5, "m/s^2");
    RgWorld *world = world_of(s->model, coords, "semi-implicit");
    rg_world_set_link_wrench(world, s->plate, (RgForce){.f = vec_scale(FORCE, d)});
    int samples = 0;
    while (rg_world_time(world) < SECONDS - 0.5 * H) {
        world_run(world, 100, H);
        double t = rg_world_time(world);
        sum += error2(world, s->plate, d, a * t);
        for (int i = 0; i < BALLS; i++)
            sum += error2(world, s->ball[i], d, 2.0 / 7.0 * a * t);
        samples += 1 + BALLS;
    }
    rg_world_destroy(world);
    return sum / samples;
}

Test(rolling_plate, velocities_at_sixty_degrees)
{
    Scene s = scene_of(2.0);
    for (int form = 0; form < 2; form++) {
        double worst = run(&s, both_forms[form], 60.0);
        cr_expect(worst < ERROR2, "%s: %g", both_forms[form], worst);
    }
    rg_model_destroy(s.model);
}

/* And at any other angle. */
Test(rolling_plate, velocities_at_other_angles)
{
    Scene s = scene_of(2.6); /* none comes to the edge */
    const double degrees[3] = {0.0, 17.0, 45.0};
    for (int k = 0; k < 3; k++) {
        double worst = run(&s, "minimal", degrees[k]);
        cr_expect(worst < ERROR2, "%g degrees: %g", degrees[k], worst);
    }
    rg_model_destroy(s.model);
}
