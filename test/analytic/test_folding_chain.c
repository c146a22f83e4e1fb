/*
 * test_folding_chain.c - a chain of three capsules falls on the floor and folds: a link comes to lie next to the joint
 * of two others, where contact hardly moves anything and impulses are large.
 *
 * Nothing drives it and nothing bounces: energy comes from the error of the step alone, which for semi-implicit Euler
 * in joint angles is of first order, here about 1 J at 20 ms. In the maximal form joints are closed to second order by
 * a velocity that they do not allow at the step's beginning; contacts that took part in that gained 163 J at 10 ms.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#define LINKS 3
#define LENGTH 0.26
#define HEIGHT 0.516595172914

static RgShapeDef shape_of(RgShapeType type)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = type;
    shape.surface.mu = shape.surface.mu2 = 0.3;
    return shape;
}

/* Links along z of their joints, which turn about y. */
static RgModel *chain(void)
{
    static const double mass[LINKS] = {2.0528, 4.1683, 0.1898};
    static const char *const names[LINKS] = {"upper", "middle", "lower"}, *const joints[LINKS] = {"root", "knee",
                                                                                                  "ankle"};
    RgBuilder *b = scene_begin("chain");
    RgShapeDef floor = shape_of(RG_SHAPE_halfspace), rod = shape_of(RG_SHAPE_capsule);
    cr_assert(rg_builder_add_shape(b, &floor).i > 0);
    rod.size[0] = 0.03;
    rod.size[1] = 0.2;
    rod.X_LS = place_at(0.0, 0.0, 0.5 * LENGTH);
    for (int i = 0; i < LINKS; i++) {
        RgLinkId last = rod.link;
        rod.link = link_add(b, names[i], inertia_box(mass[i], vec(0.0, 0.0, 0.5 * LENGTH), vec(0.06, 0.06, 0.26)));
        cr_assert(rg_builder_add_shape(b, &rod).i > 0);
        RgJointDef joint = joint_at(RG_JOINT_revolute, joints[i], last, rod.link,
                                    vec(0.0, 0.0, i == 0 ? HEIGHT : LENGTH), vec(0.0, 1.0, 0.0));
        joint_add(b, &joint);
    }
    return scene_end(b);
}

/* Largest rise of the energy over its smallest value so far, J, from a start straight and level. */
static double gain_of(const RgModel *model, const char *coords, double h)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    RgWorld *world = world_make(&def);
    const double level = 1.5707963267948966;
    cr_assert(rg_world_set_joint_position(world, rg_model_find_joint(model, "root"), &level) == RG_OK);
    double gain = world_gain(world, (int)(4.0 / h), h);
    rg_world_destroy(world);
    return gain;
}

Test(folding_chain, gains_no_more_than_the_step_errs)
{
    RgModel *model = chain();
    for (int ms = 2; ms <= 20; ms++)
        for (int form = 0; form < 2; form++) {
            double gain = gain_of(model, both_forms[form], 1e-3 * ms);
            cr_expect(gain <= 0.06 * ms, "%s, %d ms: gained %g J", both_forms[form], ms, gain);
        }
    rg_model_destroy(model);
}
