/*
 * test_locked_contacts.c - contacts along which joints leave no motion.
 *
 * Two hinges with parallel axes hold an arm to a floating base, and a ball on the arm overlaps the base's top, whose
 * normal is the hinges' axis: the two cannot leave each other. No impulse there moves anything, and the overlap stays:
 * at rest without gravity all stays at rest, whatever the solver.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#define DEEP 0.005 /* m */
#define RADIUS 0.03

static void shape_add(RgBuilder *b, RgLinkId link, RgShapeType type, RgVec3 size, RgVec3 p)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = type;
    shape.link = link;
    shape.size[0] = size.x;
    shape.size[1] = size.y;
    shape.size[2] = size.z;
    shape.X_LS.p = p;
    rg_builder_add_shape(b, &shape);
}

/* Tilted, so that round-off is not zero. */
static RgModel *flat_arm(void)
{
    RgBuilder *b = scene_begin("flat");
    RgVec3 size = vec(0.4, 0.3, 0.2), axis = vec(0, 0, 1);
    RgPose X = rg_pose_from_rpy(vec(0.1, -0.2, 1.3), vec(0.3, -0.5, 0.7)), there = X;
    RgLinkId base = link_add_at(b, "base", inertia_box(3.0, vec(0.01, 0.02, 0.03), size), X);
    there.p = rg_pose_apply(&X, vec(0.1, 0.05, 0.15));
    RgLinkId a = link_add_at(b, "a", inertia_box(1.0, vec(-0.05, 0.01, 0.02), vec(0.2, 0.05, 0.05)), there);
    there.p = rg_pose_apply(&X, vec(0.0, 0.1, 0.15));
    RgLinkId c = link_add_at(b, "c", inertia_box(0.5, vec(-0.04, 0.02, 0.01), vec(0.1, 0.1, 0.1)), there);
    RgJointDef joint = joint_at(RG_JOINT_revolute, "first", base, a, vec(0.1, 0.05, 0.15), axis);
    joint_add(b, &joint);
    joint = joint_at(RG_JOINT_revolute, "second", a, c, vec(-0.1, 0.05, 0.0), axis);
    joint_add(b, &joint);
    shape_add(b, base, RG_SHAPE_box, size, vec(0, 0, 0));
    shape_add(b, c, RG_SHAPE_sphere, vec(RADIUS, 0, 0), vec(-0.03, -0.05, 0.1 + RADIUS - DEEP - 0.15));
    return scene_end(b);
}

Test(locked_contacts, move_nothing)
{
    RgModel *model = flat_arm();
    for (int k = 0; k < rg_solver_count(); k++) {
        const char *solver = rg_solver_name(k);
        RgWorldDef def = world_def(model, "minimal", "semi-implicit");
        def.solver = solver;
        def.gravity = vec(0, 0, 0);
        RgWorld *world = world_make(&def);
        for (int i = 0; i < 20; i++) {
            RgStepReport report;
            RgMomentum momentum;
            cr_assert(rg_world_step(world, 1e-3, &report) == RG_OK);
            cr_assert(report.contacts > 0, "%s: the ball overlaps the base", solver);
            rg_world_momentum(world, &momentum);
            cr_assert(momentum.kinetic < 1e-12 && fabs(report.work.erp) < 1e-6, "%s step %d: %g J, corrections %g J",
                      solver, i, momentum.kinetic, report.work.erp);
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
