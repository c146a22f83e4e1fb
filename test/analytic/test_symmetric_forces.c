/*
 * test_symmetric_forces.c - scenes that are mirror images of themselves have forces that are, to 1e-9 of the largest: a
 * table on four corners, things in two jaws, a quadruped on its feet. By `cone`, `dantzig`, `lemke` and `quick`, in
 * both forms. Forces are those of least norm (docs/solvers.md); the motion does not depend on it.
 */
#include "check_near.h"
#include "scene_grasp.h"
#include "scene_parts.h"
#include "touching.h"
#include "worlds.h"

#include <string.h>

#define H 2e-3
#define SYMMETRIC 1e-9
#define PLACE 1e-6 /* m: contacts are each other's image */

static const char *const solvers[] = {"cone", "dantzig", "lemke", "quick"};

/* Forces are as symmetric as velocities: solver quick is asked to converge. */
static RgQuickOptions converged(void)
{
    RgQuickOptions o = rg_quick_options_default();
    o.tolerance = 1e-12;
    o.motion_slack = 0.0;
    return o;
}

static double part(RgVec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* Largest difference of a force from its image's in the plane across axis k, over the largest force. */
static double asymmetry(RgWorld *world, int axis)
{
    const RgContactForce *c;
    int n = rg_world_contact_forces(world, &c);
    double most = 0.0, worst = 0.0;
    cr_assert(n > 0);
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int j = 0; j < n && !found; j++) {
            double far = 0.0, differ = 0.0;
            for (int k = 0; k < 3; k++) {
                double sign = k == axis ? -1.0 : 1.0;
                far = fmax(far, fabs(part(c[i].point, k) - sign * part(c[j].point, k)));
                differ = fmax(differ, fabs(part(c[i].force, k) - sign * part(c[j].force, k)));
            }
            found = far < PLACE;
            worst = found ? fmax(worst, differ) : worst;
        }
        cr_expect(found, "contact %d has no image", i);
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(part(c[i].force, k)));
    }
    return worst / most;
}

static RgModel *table(void)
{
    RgSurfaceDef s = surface_mu(0.6);
    RgBuilder *b = scene_begin("table");
    ground_add(b, s);
    box_add(b, "table", 4.0, vec(0.6, 0.4, 0.2), vec(0.0, 0.0, 0.1), s);
    return scene_end(b);
}

Test(symmetric_forces, a_table_on_four_corners)
{
    RgModel *model = table();
    RgQuickOptions quick = converged();
    for (int f = 0; f < 2; f++)
        for (int s = 0; s < 4; s++) {
            RgWorldDef def = world_def(model, both_forms[f], "semi-implicit");
            def.solver = solvers[s];
            def.quick = &quick;
            RgWorld *world = world_make(&def);
            world_run(world, 50, H);
            for (int axis = 0; axis < 2; axis++)
                cr_expect(asymmetry(world, axis) < SYMMETRIC, "%s, %s: %.3g", def.coords, def.solver,
                          asymmetry(world, axis));
            rg_world_destroy(world);
        }
    rg_model_destroy(model);
}

/* Things of 2 kg between jaws that press with 60 N. */
static void check_grip(const char *object, const char *coords, const char *solver)
{
    const char *const jaws[] = {"left", "right"};
    Grasp grasp = {.object = object, .hand = "jaws", .mass = 2.0, .force = 60.0};
    RgModel *model = grasp_model(&grasp);
    RgQuickOptions quick = converged();
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.quick = &quick;
    RgWorld *world = world_make(&def);
    for (int i = 0; i < 2; i++)
        rg_world_set_joint_effort(world, rg_model_find_joint(model, jaws[i]), &grasp.force);
    world_run(world, 50, H);
    for (int axis = 0; axis < 2; axis++) {
        double worst = asymmetry(world, axis);
        cr_expect(worst < SYMMETRIC, "%s, %s, %s: axis %d, %.3g", object, coords, solver, axis, worst);
    }
    rg_world_destroy(world);
    rg_model_destroy(model);
}

Test(symmetric_forces, things_in_jaws)
{
    const char *const objects[] = {"box", "cylinder"};
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < 2; f++)
            for (int s = 0; s < 4; s++)
                check_grip(objects[i], both_forms[f], solvers[s]);
}

/* 60 N hold 2 kg at every step, and so does every other grip that friction allows twice over. */
Test(symmetric_forces, firm_grasps_are_held)
{
    const char *const objects[] = {"box", "cylinder"};
    for (int k = 0; k < 2 * 2 * 3; k++) {
        Grasp grasp = {.object = objects[k / 6], .hand = "jaws", .mass = 2.0, .force = 60.0};
        RgModel *model = grasp_model(&grasp);
        RgWorldDef def = world_def(model, both_forms[k / 3 % 2], "semi-implicit");
        def.solver = solvers[k % 3];
        for (const double *h = grasp_steps; *h > 0.0; h++) {
            GraspSlip run = grasp_run(&grasp, model, &def, *h, 0.3);
            cr_expect(run.status == RG_OK && run.slip < 1e-7, "%s, %s, %s, %g s: slips %.3g m", grasp.object,
                      def.coords, def.solver, *h, run.slip);
        }
        rg_model_destroy(model);
    }
}

/* A quadruped whose joints are held, its legs straight. */
static RgWorld *stand(const RgModel *model, const RgWorldDef *def)
{
    RgWorld *world = world_make(def);
    RgModelInfo info = rg_model_info(model);
    for (int j = 1; j <= info.joints; j++) {
        double none[7] = {0.0};
        if (rg_model_joint(model, (RgJointId){j}).type == RG_JOINT_revolute)
            rg_world_set_joint_motor(world, (RgJointId){j}, 0, none[0], 200.0);
    }
    return world;
}

/* The same forces by all solvers in both forms, left as right; and efforts of its motors. */
Test(symmetric_forces, a_standing_quadruped)
{
    RgModel *model = model_on_floor("models/quadruped.sdf");
    RgQuickOptions quick = converged();
    double first[4] = {0.0}, effort[2] = {0.0};
    for (int k = 0; k < 8; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 4], "semi-implicit");
        def.solver = solvers[k % 4];
        def.quick = &quick;
        RgWorld *world = stand(model, &def);
        world_run(world, 1500, 1e-3);
        const RgContactForce *c;
        int n = rg_world_contact_forces(world, &c);
        cr_assert_eq(n, 4);
        cr_expect(asymmetry(world, 1) < SYMMETRIC, "%s, %s: %.3g", def.coords, def.solver, asymmetry(world, 1));
        for (int i = 0; i < 4; i++) {
            first[i] = k == 0 ? c[i].force.z : first[i];
            CHECK_NEAR(c[i].force.z, first[i], 2e-3, "N");
        }
        for (int side = 0; side < 2; side++) {
            RgMotorReport motor;
            RgJointId knee = rg_model_find_joint(model, side == 0 ? "front_left_knee" : "front_right_knee");
            cr_assert(rg_world_joint_motor(world, knee, 0, &motor) == RG_OK);
            effort[side] = motor.effort;
        }
        CHECK_NEAR(effort[0], effort[1], 1e-7, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Whether and when forces are asked for changes no motion; as solved they are others, with the same sum. */
Test(symmetric_forces, the_motion_is_the_same)
{
    RgModel *model = model_on_floor("models/quadruped.sdf");
    RgExactOptions raw = rg_exact_options_default();
    raw.least_norm = false;
    uint64_t hash[3];
    double up[3] = {0.0}, norm[3] = {0.0};
    for (int k = 0; k < 3; k++) {
        RgWorldDef def = world_def(model, "minimal", "semi-implicit");
        def.solver = "cone";
        def.exact = k == 2 ? &raw : NULL;
        def.threads = k == 1 ? 3 : 1;
        RgWorld *world = stand(model, &def);
        const RgContactForce *c;
        for (int i = 0; i < 600; i++) {
            world_run(world, 1, 1e-3);
            if (k == 1)
                rg_world_contact_forces(world, &c);
        }
        int n = rg_world_contact_forces(world, &c);
        for (int i = 0; i < n; i++) {
            up[k] += c[i].force.z;
            norm[k] += vec_dot(c[i].force, c[i].force);
        }
        hash[k] = rg_world_hash(world);
        rg_world_destroy(world);
    }
    cr_expect(hash[0] == hash[1] && hash[0] == hash[2]);
    cr_expect_eq(norm[0], norm[1]);
    cr_expect(norm[0] < norm[2] * (1.0 - 1e-6), "%.15g, as solved %.15g", norm[0], norm[2]);
    CHECK_NEAR(up[0], up[2], 1e-9, "N");
    rg_model_destroy(model);
}
