/*
 * test_paper_004_grasp.c - a heavy cylinder between light fingers (004, sections 5.3-5.5): friction alone holds it, and
 * every shortcut of an iterative solver shows as drift.
 *
 *   cylinder 5.39 kg, radius 0.0255 m, length 0.33 m, upright; two fingers of 0.03 kg on sliders, pressed on it with
 *   60 N each, mu 1.1: up to 132 N of friction for 52.9 N of weight. Steps of 1 ms, 50 sweeps.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#define SQUEEZE 60.0
#define H 1e-3

static void add_finger(RgBuilder *b, const char *name, double side)
{
    const double radius = 0.0255;
    RgLinkId link = link_add(b, name, inertia_box(0.03, vec(0, 0, 0), vec(0.02, 0.03, 0.03)));
    RgJointDef joint =
        joint_at(RG_JOINT_prismatic, name, (RgLinkId){0}, link, vec(side * (radius + 0.01), 0, 1), vec(-side, 0, 0));
    joint.dof[0].damping = 1.0;
    joint_add(b, &joint);
    RgShapeDef pad = rg_shape_def_default();
    pad.type = RG_SHAPE_box;
    pad.size[0] = 0.02;
    pad.size[1] = pad.size[2] = 0.03;
    pad.link = link;
    pad.name = name;
    pad.surface.mu = pad.surface.mu2 = 1.1;
    rg_builder_add_shape(b, &pad);
}

static RgModel *make_grasp(void)
{
    RgBuilder *b = scene_begin("grasp");
    add_finger(b, "left", -1.0);
    add_finger(b, "right", 1.0);
    RgPose X = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = vec(0, 0, 1)};
    RgShapeDef can = rg_shape_def_default();
    can.type = RG_SHAPE_cylinder;
    can.size[0] = 0.0255;
    can.size[1] = 0.33;
    can.name = "can";
    can.surface.mu = can.surface.mu2 = 1.5;
    can.link = link_add_at(b, "can", inertia_diagonal(5.39, vec(0, 0, 0), vec(0.04979, 0.04979, 0.0017524)), X);
    rg_builder_add_shape(b, &can);
    return scene_end(b);
}

typedef struct Setup {
    RgContactLaw law;
    RgPgsOptions pgs;
} Setup;

/* m/s with which the cylinder sinks, over the last three quarters of the time. */
static double drift(const RgModel *model, const char *coords, const char *solver, const Setup *o, int steps)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.law = o ? &o->law : NULL;
    def.pgs = o ? &o->pgs : NULL;
    RgWorld *world = world_make(&def);
    double squeeze = SQUEEZE;
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "left"), &squeeze);
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "right"), &squeeze);
    RgLinkId can = rg_model_find_link(model, "can");
    world_run(world, steps / 4, H);
    double from = rg_world_link_pose(world, can).p.z;
    world_run(world, steps - steps / 4, H);
    double sunk = from - rg_world_link_pose(world, can).p.z;
    rg_world_destroy(world);
    return sunk / ((steps - steps / 4) * H);
}

/* Both presets hold it, maximal form. */
Test(paper_004_grasp, holds_for_a_minute)
{
    RgModel *model = make_grasp();
    const char *const presets[] = {"gazebo-vrc", "default"};
    for (int k = 0; k < 2; k++) {
        Setup o;
        rg_pgs_preset(presets[k], &o.law, &o.pgs);
        double held = drift(model, "maximal", "pgs", &o, 60000);
        cr_expect(fabs(held) < 1e-5, "%s: %g m/s", presets[k], held);
        o.pgs.order = RG_PGS_JOINTS_LAST;
        o.pgs.smoothing = 0.0;
        o.pgs.friction_sweeps = 0;
        double dropped = drift(model, "maximal", "pgs", &o, 2000);
        cr_expect(dropped > 5e-3, "%s without order, smoothing and friction last: %g m/s", presets[k], dropped);
    }
    rg_model_destroy(model);
}

/* 5.5: half of the last impulses is better than none and than all. */
Test(paper_004_grasp, warm_start_by_half)
{
    RgModel *model = make_grasp();
    double sinks[3];
    for (int k = 0; k < 3; k++) {
        Setup o;
        rg_pgs_preset("gazebo-vrc", &o.law, &o.pgs);
        o.law.warm_start = o.law.joint_warm_start = 0.5 * k;
        sinks[k] = fabs(drift(model, "maximal", "pgs", &o, 8000));
    }
    cr_expect(sinks[1] < sinks[0] && sinks[1] < sinks[2], "%g, %g, %g m/s", sinks[0], sinks[1], sinks[2]);
    cr_expect(sinks[2] > 1e-4, "%g m/s", sinks[2]);
    rg_model_destroy(model);
}

/* Where joints are no rows, there is nothing to fight: no drift, with any solver. */
Test(paper_004_grasp, joint_coordinates_do_not_drift)
{
    RgModel *model = make_grasp();
    cr_expect(fabs(drift(model, "minimal", "pgs", NULL, 8000)) < 1e-8);
    cr_expect(fabs(drift(model, "minimal", "quick", NULL, 8000)) < 1e-8);
    rg_model_destroy(model);
}
