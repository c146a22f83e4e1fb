/*
 * test_drives_pressing.c - hard drives of finite effort that press an arm into the floor: solver quick finds the same
 * in both coordinate forms, efforts keep to their bounds, and the arm gains no more energy than these efforts can give
 * on their way,
 *
 *   E(t) <= E(0) + sum over steps and joints of max_effort |dq|
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#define NJOINTS 6
#define MOST 500.0 /* N m */

static const char *const joints[NJOINTS] = {"pan", "lift", "elbow", "roll", "pitch", "turn"};
static const double from[NJOINTS] = {0, 0.5, 0.5, 0, 0, 0}, to[NJOINTS] = {0, 1.9, 0.9, 0, 0, 0};

static RgModel *arm_over_floor(void)
{
    RgBuilder *b = scene_begin("pressing");
    RgError error = {.status = RG_OK};
    cr_assert(rg_read_file(b, "models/floor.sdf", NULL, &error) == RG_OK, "%s", error.text);
    cr_assert(rg_read_file(b, "models/arm6.urdf", NULL, &error) == RG_OK, "%s", error.text);
    return scene_end(b);
}

/* From one pose to the other within a second, at rest at both ends; the target then is in the floor. */
static void aim(RgWorld *world, const RgModel *model, double h)
{
    double t = fmin(rg_world_time(world) + h, 1.0);
    for (int k = 0; k < NJOINTS; k++) {
        double way = to[k] - from[k];
        RgDrive drive = {.hard = true,
                         .position = from[k] + way * t * t * (3.0 - 2.0 * t),
                         .velocity = way * 6.0 * t * (1.0 - t),
                         .time = rg_world_time(world) + h,
                         .rate = (double)INFINITY,
                         .max_effort = MOST};
        cr_assert(rg_world_set_joint_drive(world, rg_model_find_joint(model, joints[k]), 0, &drive) == RG_OK);
    }
}

/* Presses; angles at the end. Returns in how many steps efforts were at their bounds. */
static int press(const RgModel *model, const char *coords, double h, double *q)
{
    RgWorld *world = world_of(model, coords, "semi-implicit");
    for (int k = 0; k < NJOINTS; k++)
        rg_world_set_joint_position(world, rg_model_find_joint(model, joints[k]), &from[k]);
    double most = world_energy(world);
    int bounded = 0;
    for (int k = 0; k < NJOINTS; k++)
        q[k] = from[k];
    while (rg_world_time(world) < 1.2) {
        RgStepReport report;
        aim(world, model, h);
        cr_assert(rg_world_step(world, h, &report) == RG_OK);
        bounded += report.saturated_efforts > 0;
        for (int k = 0; k < NJOINTS; k++) {
            RgDriveReport drive;
            rg_world_joint_drive(world, rg_model_find_joint(model, joints[k]), 0, &drive);
            cr_assert(fabs(drive.effort) <= MOST * (1.0 + 1e-9), "%s: %g N m", joints[k], drive.effort);
            most += MOST * fabs(world_angle(world, joints[k]) - q[k]);
            q[k] = world_angle(world, joints[k]);
        }
        cr_assert(world_energy(world) < most, "%s, step %g s: %g J at %g s, efforts can give %g", coords, h,
                  world_energy(world), rg_world_time(world), most);
    }
    rg_world_destroy(world);
    return bounded;
}

Test(drives_pressing, forms_agree_and_efforts_bound_the_energy)
{
    const double steps[] = {5e-4, 1e-3, 2e-3, 5e-3};
    RgModel *model = arm_over_floor();
    for (int i = 0; i < 4; i++) {
        double minimal[NJOINTS], maximal[NJOINTS];
        int pressed = press(model, "minimal", steps[i], minimal);
        cr_expect(pressed * steps[i] > 0.3, "nothing was pressed: %d steps", pressed);
        press(model, "maximal", steps[i], maximal);
        for (int k = 0; k < NJOINTS; k++)
            CHECK_NEAR(maximal[k], minimal[k], 1e-2, "rad");
    }
    rg_model_destroy(model);
}
