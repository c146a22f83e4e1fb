/*
 * test_contact_creep.c - what is held by friction stays: a capsule of 45 g and radius 4 mm between two pads that
 * squeeze it, mu 0.7, with the default settings.
 *
 * Friction can hold 2 mu N >= 16.8 N against a weight of 0.44 N. Solvers that soften friction let it sink all
 * the same, at a speed that grows with how soft they are.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define MASS 0.045
#define RADIUS 0.004
#define MU 0.7
#define H 2e-3
#define SECONDS 10.0
#define SETTLED 0.5 /* s: after which the sinking speed is taken */
#define CREEP 1e-6  /* m/s */

typedef struct Grip {
    RgModel *model;
    RgLinkId capsule;
    RgJointId left, right;
} Grip;

/* Two pads on sliders along x, the capsule upright or lying along y between them. */
static Grip grip_of(bool upright, double pad_mass)
{
    const double size[3] = {0.01, 0.03, 0.03}, capsule[3] = {RADIUS, 0.04, 0.0};
    RgSurfaceDef surface = surface_mu(MU);
    Grip g = {0};
    RgBuilder *b = scene_begin("grip");
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1.0 : 1.0;
        RgLinkId pad = link_add(b, side == 0 ? "left" : "right",
                                inertia_box(pad_mass, vec(0, 0, 0), vec(size[0], size[1], size[2])));
        RgJointDef slide = joint_at(RG_JOINT_prismatic, side == 0 ? "slide_left" : "slide_right", (RgLinkId){0}, pad,
                                    vec(sign * (RADIUS + 0.005), 0, 0), vec(-sign, 0, 0));
        RgJointId joint = joint_add(b, &slide);
        *(side == 0 ? &g.left : &g.right) = joint;
        shape_add(b, pad, RG_SHAPE_box, size, place_at(0, 0, 0), surface);
    }
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_capsule;
    shape.size[0] = capsule[0];
    shape.size[1] = capsule[1];
    RgInertia own = {.mass = 0.0};
    cr_assert(rg_shape_inertia(&shape, 1.0, &own) == RG_OK);
    double scale = MASS / own.mass;
    RgVec3 moments = vec(scale * own.I.xx, scale * own.I.yy, scale * own.I.zz);
    if (!upright)
        moments = vec(moments.x, moments.z, moments.y);
    g.capsule = link_add(b, "capsule", inertia_diagonal(MASS, vec(0, 0, 0), moments));
    RgPose lying = place_at(0, 0, 0);
    lying.R = (RgMat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    shape_add(b, g.capsule, RG_SHAPE_capsule, capsule, upright ? place_at(0, 0, 0) : lying, surface);
    g.model = scene_end(b);
    return g;
}

/* Mean sinking speed once it is held. */
static double sinking(const Grip *g, const char *coords, double squeeze)
{
    RgWorld *world = world_of(g->model, coords, "semi-implicit");
    rg_world_set_joint_effort(world, g->left, &squeeze);
    rg_world_set_joint_effort(world, g->right, &squeeze);
    world_run(world, (int)(SETTLED / H), H);
    double z = rg_world_link_pose(world, g->capsule).p.z;
    world_run(world, (int)((SECONDS - SETTLED) / H), H);
    double speed = (z - rg_world_link_pose(world, g->capsule).p.z) / (SECONDS - SETTLED);
    cr_expect(fabs(rg_world_link_pose(world, g->capsule).p.z) < 1e-4, "fell by %g", -z);
    rg_world_destroy(world);
    return speed;
}

static void check_grip(bool upright, double pad_mass)
{
    const double squeeze[4] = {12.0, 20.0, 40.0, 60.0};
    Grip g = grip_of(upright, pad_mass);
    for (int form = 0; form < 2; form++)
        for (int k = 0; k < 4; k++) {
            double speed = sinking(&g, both_forms[form], squeeze[k]);
            cr_expect(fabs(speed) < CREEP, "%s, %g N: sinks at %g m/s", both_forms[form], squeeze[k], speed);
        }
    rg_model_destroy(g.model);
}

Test(contact_creep, an_upright_capsule_between_pads_does_not_sink)
{
    check_grip(true, 0.1);
}

Test(contact_creep, a_lying_capsule_between_pads_does_not_sink)
{
    check_grip(false, 0.1);
}

/* Fingers lighter than what they hold. */
Test(contact_creep, light_pads_hold_it_too)
{
    check_grip(true, 0.01);
}
