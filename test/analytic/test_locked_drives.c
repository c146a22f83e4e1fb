/*
 * test_locked_drives.c - hard drives of any effort in a mechanism that its loop leaves no motion.
 *
 * A floating base carries two links on hinges whose axes are skew, and a ball joint holds the end of the second to the
 * base: two velocities, three equations. The drives of the hinges ask for what cannot be had; one of an arm beside them
 * is met. Only internal forces act: the momentum stays zero, and with the arm's relative velocity w the energy is I w^2
 * / 2 with the reduced I.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#include <string.h>

#define H 2e-3
#define SPEED 0.7
#define SPIN 2.0 /* kg m^2: base and triangle about the arm's axis are much less certain than the bound below */

static RgModel *locked_triangle(void)
{
    RgBuilder *b = scene_begin("triangle");
    RgLinkId base = link_add(b, "base", inertia_box(3.0, vec(0, 0, 0), vec(0.4, 0.3, 0.2)));
    RgLinkId a = link_add_at(b, "a", inertia_box(1.0, vec(0.15, 0, 0), vec(0.3, 0.05, 0.05)),
                             rg_pose_from_rpy(vec(0.0, 0.0, 0.2), vec(0, 0, 0)));
    RgLinkId c = link_add_at(b, "c", inertia_box(0.8, vec(0, 0.1, 0.1), vec(0.05, 0.2, 0.2)),
                             rg_pose_from_rpy(vec(0.3, 0.0, 0.2), vec(0, 0, 0)));
    RgLinkId arm = link_add_at(b, "arm", inertia_box(0.5, vec(0, 0, -0.1), vec(0.05, 0.05, 0.2)),
                               rg_pose_from_rpy(vec(-0.2, 0.0, -0.1), vec(0, 0, 0)));
    RgJointDef joint = joint_at(RG_JOINT_revolute, "first", base, a, vec(0.0, 0.0, 0.2), vec(0.1, 1.0, 0.3));
    joint_add(b, &joint);
    joint = joint_at(RG_JOINT_revolute, "second", a, c, vec(0.3, 0.0, 0.0), vec(0.9, 0.2, -0.4));
    joint_add(b, &joint);
    joint = joint_at(RG_JOINT_revolute, "free", base, arm, vec(-0.2, 0.0, -0.1), vec(0.0, 1.0, 0.0));
    joint_add(b, &joint);
    joint = joint_at(RG_JOINT_spherical, "ball", base, c, vec(0.3, 0.2, 0.4), vec(0, 0, 1));
    joint.X_CJ.p = vec(0.0, 0.2, 0.2);
    joint.may_close_loop = true;
    joint_add(b, &joint);
    return scene_end(b);
}

static void drive(RgWorld *world, const char *joint, double velocity)
{
    RgDrive law = {.hard = true, .velocity = velocity, .max_effort = (double)INFINITY};
    RgJointId id = rg_model_find_joint(rg_world_model(world), joint);
    cr_assert(rg_world_set_joint_drive(world, id, 0, &law) == RG_OK);
}

/* Conflicts that are told. */
static int conflicts(RgWorld *world)
{
    const RgShortfall *gave;
    int n = rg_world_shortfalls(world, &gave), sum = 0;
    for (int i = 0; i < n; i++) {
        const char *name = rg_model_joint(rg_world_model(world), gave[i].joint).name;
        bool conflict = gave[i].kind == RG_SHORTFALL_CONTRADICTION;
        cr_expect(!conflict || strcmp(name, "free") != 0, "the arm is in no conflict");
        sum += conflict;
    }
    return sum;
}

static void run(const RgModel *model, const char *coords, const char *solver)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    RgPgsOptions pgs = rg_pgs_options_default();
    pgs.iterations = 2000;
    def.solver = solver;
    def.pgs = &pgs;
    def.gravity = vec(0, 0, 0);
    RgWorld *world = world_make(&def);
    drive(world, "first", SPEED);
    drive(world, "second", -1.3);
    drive(world, "free", SPEED);
    for (int i = 0; i < 50; i++) {
        RgStepReport report;
        RgMomentum momentum;
        cr_assert(rg_world_step(world, H, &report) == RG_OK);
        rg_world_momentum(world, &momentum);
        cr_assert(momentum.kinetic < 0.5 * SPIN * SPEED * SPEED, "%s %s step %d: %g J", coords, solver, i,
                  momentum.kinetic);
        cr_assert(fabs(report.work.motors) < SPIN, "%s %s step %d: drives did %g J", coords, solver, i,
                  report.work.motors);
        cr_expect(report.contradictions >= 2 && conflicts(world) == 2, "%s %s step %d: %d told", coords, solver, i,
                  conflicts(world));
    }
    RgDriveReport arm, locked;
    rg_world_joint_drive(world, rg_model_find_joint(model, "free"), 0, &arm);
    rg_world_joint_drive(world, rg_model_find_joint(model, "first"), 0, &locked);
    cr_expect(locked.effort == 0.0, "%s %s: %g N m", coords, solver, locked.effort);
    double spin = rg_world_v(world)[rg_model_joint(model, rg_model_find_joint(model, "free")).v_index];
    cr_expect(fabs(spin - SPEED) < 1e-4, "%s %s: the arm turns at %g rad/s", coords, solver, spin);
    rg_world_destroy(world);
}

Test(locked_drives, take_no_part_and_are_told)
{
    RgModel *model = locked_triangle();
    for (int k = 0; k < 2 * rg_solver_count(); k++)
        run(model, both_forms[k % 2], rg_solver_name(k / 2));
    rg_model_destroy(model);
}
