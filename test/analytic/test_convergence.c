/*
 * test_convergence.c - observed order of the steppers: halving the step divides the error by 2^p, p = 1, 1,
 * 1, 4.
 *
 * The mechanism swings on a ball joint, a hinge and a universal joint, and a second one floats: so that the
 * exponential map of the
 * rotation group takes part, and the order is not that of plain vectors alone. The truth is the stepper
 * "reference" at 1e-13.
 * Error: max-norm of the difference of positions (as a step) and velocities.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define DURATION 0.4

static void hang(RgBuilder *b, RgJointType type, const char *names[2], RgLinkId *parent, RgVec3 at)
{
    RgInertia in = {1.3, {0.1, -0.05, -0.25}, {0.05, 0.06, 0.03, 0.005, -0.004, 0.003}};
    RgLinkId child = link_add(b, names[0], in);
    RgJointDef def = joint_at(type, names[1], *parent, child, at, vec(0.3, 1.0, 0.2));
    def.axis2 = vec(1.0, -0.2, 0.4);
    joint_add(b, &def);
    *parent = child;
}

static RgModel *mechanism(void)
{
    static const char *names[5][2] = {{"a", "ball"}, {"b", "hinge"}, {"c", "cross"}, {"e", "ball2"}, {"f", "slide"}};
    RgBuilder *b = scene_begin("swing");
    RgLinkId parent = {0};
    hang(b, RG_JOINT_spherical, names[0], &parent, vec(0.0, 0.0, 0.0));
    hang(b, RG_JOINT_revolute, names[1], &parent, vec(0.0, 0.0, -0.5));
    hang(b, RG_JOINT_universal, names[2], &parent, vec(0.1, 0.0, -0.4));
    parent = link_add(b, "d", inertia_box(2.0, vec(0.0, 0.1, 0.0), vec(0.2, 0.4, 0.6)));
    hang(b, RG_JOINT_spherical, names[3], &parent, vec(0.2, 0.0, -0.3));
    hang(b, RG_JOINT_cylindrical, names[4], &parent, vec(0.0, 0.1, -0.2));
    return scene_end(b);
}

/* State after DURATION in n steps: q then v. */
static double *run(const RgModel *model, const char *coords, const char *stepper, int n)
{
    RgModelInfo info = rg_model_info(model);
    RgWorldDef def = world_def(model, coords, stepper);
    RgAdaptOptions adapt = rg_adapt_options_default();
    adapt.tolerance = 1e-13;
    def.adapt = &adapt;
    RgWorld *world = world_make(&def);
    double *end = calloc((size_t)(info.nq + info.nv), sizeof *end);
    for (int i = 0; i < info.nv; i++)
        end[i] = 0.5 * (double)(i * 5 % 7 - 3);
    cr_assert(rg_world_set_state(world, NULL, end) == RG_OK);
    world_run(world, n, DURATION / (double)n);
    memcpy(end, rg_world_q(world), sizeof *end * (size_t)info.nq);
    memcpy(end + info.nq, rg_world_v(world), sizeof *end * (size_t)info.nv);
    rg_world_destroy(world);
    return end;
}

/* Distance of the end of a run from the truth. */
static double run_error(const RgModel *model, const char *coords, const char *stepper, int n, const double *truth)
{
    RgModelInfo info = rg_model_info(model);
    double *end = run(model, coords, stepper, n), *step = calloc((size_t)info.nv, sizeof *step);
    rg_difference_positions(model, truth, end, step);
    double error = check_largest(step, (size_t)info.nv);
    for (int i = 0; i < info.nv; i++)
        error = fmax(error, fabs(end[info.nq + i] - truth[info.nq + i]));
    free(end);
    free(step);
    return error;
}

Test(convergence, observed_orders)
{
    static const struct {
        const char *stepper;
        double order;
        int steps;
    } cases[] = {{"euler", 1.0, 800}, {"semi-implicit", 1.0, 800}, {"semi-implicit-000", 1.0, 800}, {"rk4", 4.0, 80}};
    RgModel *model = mechanism();
    double *truth = run(model, "minimal", "reference", 10);
    for (int i = 0; i < 8; i++) {
        const char *stepper = cases[i % 4].stepper, *coords = both_forms[i / 4];
        int n = cases[i % 4].steps;
        double coarse = run_error(model, coords, stepper, n, truth);
        double fine = run_error(model, coords, stepper, 2 * n, truth);
        double order = log2(coarse / fine);
        cr_log_info("%s, %s: errors %.3g, %.3g, order %.3f", stepper, coords, coarse, fine, order);
        CHECK_NEAR(order, cases[i % 4].order, 0.12, "order");
    }
    free(truth);
    rg_model_destroy(model);
}

/* The two forms and all lengths of the outer step give one truth: the error control of the reference
   stepper works. */
Test(convergence, reference_does_not_depend_on_form_or_outer_step)
{
    static const int steps[3] = {1, 7, 100};
    RgModel *model = mechanism();
    double *truth = run(model, "minimal", "reference", 10);
    for (int i = 0; i < 6; i++) {
        double error = run_error(model, both_forms[i % 2], "reference", steps[i / 2], truth);
        cr_expect(error < 1e-10, "%s, %d outer steps: %.3g", both_forms[i % 2], steps[i / 2], error);
    }
    free(truth);
    rg_model_destroy(model);
}
