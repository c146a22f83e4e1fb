/*
 * test_predicted_step.c - inverse dynamics control keeps what it promises in steps of the maximal form, too.
 *
 * Twin: without gains positions go by h v*(t + h) in either form, so that the errors of a UR10 along sinusoids are
 * those of the minimal form, where RNEA and the step agree to round-off; fingers are pressed to their limits meanwhile.
 * With joints eliminated (quick) and as rows of the solver (dantzig, which leaves them apart). Efforts of joint
 * coordinates alone are off by 1.6 to 4.5 times at 50 ms.
 */
#include "check_near.h"
#include "controls.h"

#include <criterion/criterion.h>
#include <math.h>

enum { JOINTS = 6 };
static const char *const names[JOINTS] = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                          "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};
static const double amplitude[JOINTS] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, frequency[JOINTS] = {1, 2, 3, 2, 3, 4};

static RgTrajectory *waves(void)
{
    return trajectory_sinusoid(amplitude, frequency, JOINTS);
}

/* Mean error over 3 s, rad. */
static double mean_error(const RgModel *model, const char *coords, const char *solver, double h)
{
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    def.solver = solver;
    def.contact = false;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    const double closing[2] = {100.0, -100.0};
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "l_finger_actuator"), &closing[0]);
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "r_finger_actuator"), &closing[1]);
    for (int k = 0; k < JOINTS; k++) {
        double rate = amplitude[k] * frequency[k];
        rg_world_set_joint_rate(world, rg_model_find_joint(model, names[k]), &rate);
    }
    RgTrajectory *trajectory = waves();
    ControlCase c;
    control_case(&c, world, "computed-torque", names, JOINTS);
    c.controller.trajectory = trajectory;
    control_unlimited(&c);
    RgControl *control = control_make(&c);
    control_run(control, (int)lround(3.0 / h), h);
    RgTracking tracking = rg_control_tracking(control);
    cr_expect_eq(tracking.failed, 0);
    rg_control_destroy(control);
    rg_trajectory_destroy(trajectory);
    rg_world_destroy(world);
    return tracking.mean_error;
}

Test(predicted, both_forms_track_alike)
{
    RgError error = {0};
    RgModel *model = rg_model_load("models/ur10.sdf", NULL, NULL, &error);
    cr_assert_not_null(model, "%s", error.text);
    static const double steps[3] = {0.05, 0.02, 0.005};
    static const char *const solvers[2] = {"quick", "dantzig"};
    for (int i = 0; i < 3; i++) {
        double minimal = mean_error(model, "minimal", "quick", steps[i]);
        for (int s = 0; s < 2; s++)
            CHECK_REL(mean_error(model, "maximal", solvers[s], steps[i]), minimal, 1e-3, "rad");
    }
    rg_model_destroy(model);
}
