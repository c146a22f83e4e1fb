/*
 * test_long_runs.c - published or known ends of long motions.
 *
 *   chain of 100 rods (1 m, 1 kg) from horizontal: after 2 s the tip is at (93.0065, 0, -19.6200) m; rk4 at 1 ms keeps the energy
 *   double pendulum of inertia ratio 6,000, 18.9 J: 10 s at 1 ms cost rk4 4e-6 J, the reference stepper less than 1e-9 J
 *   a UR10 falling for 5 s: rk4 at 1 ms against the reference stepper
 */
#include "check_near.h"
#include "model_files.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define DT 1e-3

/* Largest change of energy over a run, J. */
static double energy_drift(RgWorld *world, int steps)
{
    double first = world_energy(world), worst = 0.0;
    for (int i = 0; i < steps; i++) {
        world_run(world, 1, DT);
        worst = fmax(worst, fabs(world_energy(world) - first));
    }
    return worst;
}

Test(long_runs, chain_of_100, .timeout = 300)
{
    RgModel *model = scene_chain(100);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        double drift = energy_drift(world, 2000);
        RgVec3 tip = rg_world_frame_pose(world, rg_model_find_frame(model, "tip")).p;
        RgMomentum m;
        rg_world_momentum(world, &m);
        cr_log_info("%s: tip (%.4f, %.4f, %.4f), energy drift %.2g of %.0f J", both_forms[i], tip.x, tip.y,
                    tip.z, drift, m.kinetic);
        CHECK_NEAR(vec_distance(tip, vec(93.0065, 0.0, -19.6200)), 0.0, 1e-4, "m");
        CHECK_NEAR(drift, 0.0, (i == 0 ? 1e-12 : 1e-10) * m.kinetic, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(long_runs, double_pendulum_of_inertia_ratio_6000, .timeout = 300)
{
    RgModel *model = scene_double_pendulum();
    RgInertia small = rg_model_link(model, (RgLinkId){1}).inertia,
              large = rg_model_link(model, (RgLinkId){2}).inertia;
    cr_expect(large.I.yy / small.I.yy > 6000.0);
    for (int i = 0; i < 2; i++) {
        RgWorld *rk4 = world_of(model, both_forms[i], "rk4"),
                *exact = world_of(model, both_forms[i], "reference");
        double rk4_drift = energy_drift(rk4, 10000), exact_drift = energy_drift(exact, 10000);
        cr_log_info("%s: rk4 %.2g J, reference %.2g J", both_forms[i], rk4_drift, exact_drift);
        CHECK_NEAR(rk4_drift, 0.0, 4e-6, "J");
        CHECK_NEAR(exact_drift, 0.0, 1e-9, "J");
        rg_world_destroy(rk4);
        rg_world_destroy(exact);
    }
    rg_model_destroy(model);
}

/* Positions of a falling arm after 5 s. */
static void fall(const RgModel *model, const char *coords, const char *stepper, double *q)
{
    RgWorldDef def = world_def(model, coords, stepper);
    def.tolerance = 1e-13;
    RgWorld *world = world_make(&def);
    world_run(world, 5000, DT);
    memcpy(q, rg_world_q(world), sizeof *q * (size_t)rg_model_info(model).nq);
    rg_world_destroy(world);
}

Test(long_runs, ur10_falls_like_the_reference, .timeout = 300)
{
    static ModelFiles files;
    model_files_find(&files);
    int found = 0;
    while (found < files.count && strstr(files.path[found], "ur10_robot.urdf") == NULL)
        found++;
    if (found == files.count)
        cr_skip_test("no ur10_robot.urdf beside the project");
    RgReadOptions options = rg_read_options_default();
    options.skip_meshes = true;
    options.base = RG_BASE_FIXED;
    RgModel *model = rg_model_load(files.path[found], &options, NULL, NULL);
    cr_assert(model != NULL);
    RgModelInfo info = rg_model_info(model);
    cr_assert(info.nq == 6 && info.nv == 6, "%d positions", info.nq);
    double truth[6], q[6];
    fall(model, "minimal", "reference", truth);
    for (int i = 0; i < 2; i++) {
        fall(model, both_forms[i], "rk4", q);
        double error = 0.0;
        for (int k = 0; k < 6; k++)
            error = fmax(error, fabs(q[k] - truth[k]));
        cr_log_info("%s: %.3g rad from the reference", both_forms[i], error);
        CHECK_NEAR(error, 0.0, 1e-6, "rad");
    }
    rg_model_destroy(model);
}
