/*
 * test_grasps.c - two jaws squeeze a thing (scene_grasp.h), solver `quick` with its defaults, both forms: 5 g to 2 kg,
 * 1 to 200 N, 1 to 20 ms. Friction could carry twice the weight, so by Coulomb's law nothing slips: bound 1e-6 m a
 * second. `rigor-bench-grasps` prints every case.
 */
#include "check_near.h"
#include "scene_grasp.h"
#include "worlds.h"

#define TIME 0.4  /* s */
#define SLIP 4e-7 /* m, in that time */

static void check_steps(const Grasp *grasp, const RgModel *model, const char *coords)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = "quick";
    for (const double *h = grasp_steps; *h > 0.0; h++) {
        GraspSlip run = grasp_run(grasp, model, &def, *h, TIME);
        cr_expect(run.status == RG_OK && run.slip < SLIP,
                  "%s, %s, %s, %g kg, %g N, %g s: slip %.3g m, %d steps unfinished, %.3g N left", grasp->object,
                  grasp->hand, coords, grasp->mass, grasp->force, *h, run.slip, run.unfinished, run.residual_force);
    }
}

/* All forces that hold it. */
static void check_forces(Grasp grasp, const char *coords)
{
    for (const double *force = grasp_forces; *force > 0.0; force++) {
        grasp.force = *force;
        if (!grasp_holds(&grasp))
            continue;
        RgModel *model = grasp_model(&grasp);
        check_steps(&grasp, model, coords);
        rg_model_destroy(model);
    }
}

static void check_grasps(const char *hand, const char *coords)
{
    for (int i = 0; grasp_objects[i] != NULL; i++)
        for (const double *mass = grasp_masses; *mass > 0.0; mass++)
            check_forces((Grasp){.object = grasp_objects[i], .hand = hand, .mass = *mass}, coords);
}

Test(grasps, held_by_efforts_in_joint_coordinates)
{
    check_grasps("jaws", "minimal");
}

Test(grasps, held_by_efforts_in_body_coordinates)
{
    check_grasps("jaws", "maximal");
}

Test(grasps, lifted_by_a_hand_in_joint_coordinates)
{
    check_grasps("hand", "minimal");
}

Test(grasps, lifted_by_a_hand_in_body_coordinates)
{
    check_grasps("hand", "maximal");
}
