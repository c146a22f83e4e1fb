/*
 * test_grasps.c - two jaws driven by force squeeze a box, solver `quick` with its defaults, both forms.
 *
 *   box 40 mm, mass m; jaws of 50 g on sliders, each pressed on it with F; mu = 1; |weight| = m g <= mu F: the friction of the
 *   two jaws, 2 mu F, is at least twice the weight. After SETTLE the box must keep its place to SLIP, at any step.
 *
 *        F -> [jaw] [ box ] [jaw] <- F
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#include <math.h>
#include <stdlib.h>

#define SIDE 0.04     /* m, of the box */
#define JAW_MASS 0.05 /* kg */
#define GRAVITY 9.81  /* m/s^2 */
#define SETTLE 0.1    /* s */
#define TIME 1.0      /* s */
#define SLIP 1e-6     /* m */

static const double masses[] = {0.005, 0.02, 0.1, 0.5, 2.0};  /* kg */
static const double forces[] = {1.0, 5.0, 20.0, 60.0, 200.0}; /* N */
static const double steps[] = {1e-3, 5e-3, 10e-3, 20e-3};     /* s */

static void add_box(RgBuilder *b, RgLinkId link, const char *name, RgVec3 size)
{
    RgShapeDef box = rg_shape_def_default();
    box.type = RG_SHAPE_box;
    box.size[0] = size.x;
    box.size[1] = size.y;
    box.size[2] = size.z;
    box.link = link;
    box.name = name;
    box.surface.mu = box.surface.mu2 = 1.0;
    rg_builder_add_shape(b, &box);
}

static void add_jaw(RgBuilder *b, const char *name, double side)
{
    RgVec3 size = vec(0.01, 0.03, 0.03);
    RgLinkId link = link_add(b, name, inertia_box(JAW_MASS, vec(0, 0, 0), size));
    RgJointDef joint = joint_at(RG_JOINT_prismatic, name, (RgLinkId){0}, link,
                                vec(side * 0.5 * (SIDE + size.x), 0, 1), vec(-side, 0, 0));
    joint_add(b, &joint);
    add_box(b, link, name, size);
}

static RgModel *make_grasp(double mass)
{
    RgBuilder *b = scene_begin("grasp");
    add_jaw(b, "left", -1.0);
    add_jaw(b, "right", 1.0);
    RgVec3 size = vec(SIDE, SIDE, SIDE);
    RgPose X = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = vec(0, 0, 1)};
    add_box(b, link_add_at(b, "box", inertia_box(mass, vec(0, 0, 0), size), X), "box", size);
    return scene_end(b);
}

/* m by which the box has moved since it settled, at most; steps that the solver did not finish are counted. */
static double slip_of(const RgModel *model, const char *coords, double force, double h, int *unfinished,
                      double *worst)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = "quick";
    RgWorld *world = world_make(&def);
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "left"), &force);
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "right"), &force);
    RgLinkId box = rg_model_find_link(model, "box");
    int settle = (int)lround(SETTLE / h), all = (int)lround((SETTLE + TIME) / h);
    double slip = 0.0;
    RgVec3 from = {0.0, 0.0, 0.0};
    *unfinished = 0;
    *worst = 0.0;
    for (int i = 0; i < all; i++) {
        RgStepReport report;
        cr_assert_eq(rg_world_step(world, h, &report), RG_OK);
        RgVec3 at = rg_world_link_pose(world, box).p;
        from = i < settle ? at : from;
        slip = fmax(slip, hypot(at.y - from.y, at.z - from.z));
        *unfinished += report.unfinished > 0;
        *worst = fmax(*worst, report.residual_force);
    }
    rg_world_destroy(world);
    return slip;
}

static void check_grasps(const char *coords)
{
    for (size_t m = 0; m < sizeof masses / sizeof *masses; m++) {
        RgModel *model = make_grasp(masses[m]);
        for (size_t f = 0; f < sizeof forces / sizeof *forces; f++)
            for (size_t k = 0; k < sizeof steps / sizeof *steps && masses[m] * GRAVITY <= forces[f]; k++) {
                int unfinished;
                double worst, slip = slip_of(model, coords, forces[f], steps[k], &unfinished, &worst);
                cr_expect(slip < SLIP, "%s, %g kg, %g N, %g s: slip %.3g m, %d steps unfinished, %.3g N left",
                          coords, masses[m], forces[f], steps[k], slip, unfinished, worst);
            }
        rg_model_destroy(model);
    }
}

Test(grasps, held_in_joint_coordinates)
{
    check_grasps("minimal");
}

Test(grasps, held_in_body_coordinates)
{
    check_grasps("maximal");
}
