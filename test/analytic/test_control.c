/*
 * test_control.c - controllers of a pendulum against the discrete maps that they are.
 *
 * A rod of mass m and length l, hinged about y at its end, along +x at q = 0: gravity turns it by m g l/2 cos q, and
 *
 *   v1 = v0 + h (tau + m g l/2 cos q0) / I,    q1 = q0 + h v1,    I = m l^2 / 3
 *
 * is a step of semi-implicit Euler. tau is what the controller's law says, at samples, delayed, held and clipped.
 */
#include "check_near.h"
#include "controls.h"
#include "scenes.h"
#include "worlds.h"

#define MASS 2.0
#define LENGTH 0.5
#define G 9.81
#define INERTIA (MASS * LENGTH * LENGTH / 3.0)
#define H 1e-3

static const char *const hinge[] = {"hinge"};

typedef struct Rod {
    double q, v;
} Rod;

static RgModel *rod_model(void)
{
    return scene_pendulum(inertia_rod(MASS, vec(0, 0, 0), vec(LENGTH, 0, 0), 0.1), NULL);
}

static void rod_step(Rod *rod, double tau)
{
    rod->v += H * (tau + MASS * G * LENGTH / 2.0 * cos(rod->q)) / INERTIA;
    rod->q += H * rod->v;
}

static RgTrajectory *swing(void)
{
    const double position = 0.2, amplitude = 0.5, frequency = 3.0, phase = 0.4;
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "sinusoid";
    def.naxes = 1;
    def.position = &position;
    def.amplitude = &amplitude;
    def.frequency = &frequency;
    def.phase = &phase;
    return trajectory_make(&def);
}

static double pd_law(double t, const Rod *rod, double kp, double kd)
{
    double q = 0.2 + 0.5 * sin(3.0 * t + 0.4), v = 1.5 * cos(3.0 * t + 0.4);
    return kp * (q - rod->q) + kd * (v - rod->v);
}

/* What a joint of the control was given. */
static double effort_of(const RgControl *control)
{
    return rg_control_joint(control, 0).effort;
}

static Rod rod_of(RgWorld *world)
{
    return (Rod){world_angle(world, "hinge"), world_rate(world, "hinge")};
}

/* Explicit PD, one sample a step: the law at every step in both forms, the map where the form's step is that map. */
static void check_pd(const RgModel *model, const RgTrajectory *trajectory, const char *form)
{
    RgWorld *world = world_of(model, form, "semi-implicit");
    ControlCase c;
    control_case(&c, world, "pd", hinge, 1);
    control_gains(&c, 40.0, NAN, 3.0);
    c.controller.trajectory = trajectory;
    RgControl *control = control_make(&c);
    Rod rod = {0.0, 0.0};
    double error = 0.0, worst = 0.0;
    for (int i = 0; i < 2000; i++) {
        Rod before = rod_of(world);
        rod_step(&rod, pd_law(i * H, &rod, 40.0, 3.0));
        cr_assert(rg_control_step(control, H, NULL) == RG_OK);
        CHECK_NEAR(effort_of(control), pd_law(i * H, &before, 40.0, 3.0), 1e-11, "N m");
        double e = fabs(0.2 + 0.5 * sin(3.0 * (i + 1) * H + 0.4) - rod_of(world).q);
        error += e / 2000.0;
        worst = fmax(worst, e);
    }
    RgTracking tracking = rg_control_tracking(control);
    cr_expect_eq(tracking.samples, 2000);
    cr_expect_eq(tracking.saturated, 0);
    CHECK_NEAR(tracking.mean_error, error, 1e-12, "rad");
    CHECK_NEAR(tracking.largest_error, worst, 1e-12, "rad");
    if (form == both_forms[0]) {
        CHECK_NEAR(world_angle(world, "hinge"), rod.q, 1e-11, "rad");
        CHECK_NEAR(world_rate(world, "hinge"), rod.v, 1e-10, "rad/s");
    }
    rg_control_destroy(control);
    rg_world_destroy(world);
}

Test(control, pd_is_its_map)
{
    RgModel *model = rod_model();
    RgTrajectory *trajectory = swing();
    check_pd(model, trajectory, both_forms[0]);
    check_pd(model, trajectory, both_forms[1]);
    rg_trajectory_destroy(trajectory);
    rg_model_destroy(model);
}
