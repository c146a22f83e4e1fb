/*
 * test_overlapping_links.c - mechanisms whose links overlap where joints hold them: branches that leave one joint the
 * same way, with shapes of 2 to 5 cm. No velocity opens such overlaps, or only one at which everything else flies.
 * Nothing drives them: what they gain is bounded by what corrections of overlaps may give, less than a fall by 0.5 m,
 * not by 1e30 J as it once was.
 */
#include "check_near.h"
#include "draw.h"
#include "scene_parts.h"
#include "worlds.h"

#define MOST_LINKS 7
#define MECHANISMS 40

/* Where joints of children may sit, and the link that has them. */
typedef struct Place {
    RgLinkId link;
    double at; /* m, along z of the link */
} Place;

/* A rod of a drawn size on a hinge of a drawn axis. */
static Place add_link(RgBuilder *b, Draw *d, Place on, int number)
{
    static const char *const links[MOST_LINKS] = {"a", "b", "c", "d", "e", "f", "g"}, *const joints[MOST_LINKS] = {
                                                                                          "1", "2", "3", "4",
                                                                                          "5", "6", "7"};
    double length = draw_between(d, 0.08, 0.3), radius = draw_between(d, 0.02, 0.05),
           mass = exp(draw_between(d, -2.0, 2.5)), all = length + 3.0 * radius;
    RgShapeDef rod = rg_shape_def_default();
    rod.type = RG_SHAPE_capsule;
    rod.size[0] = radius;
    rod.size[1] = length;
    rod.X_LS = place_at(0.0, 0.0, 0.5 * all);
    rod.link =
        link_add(b, links[number], inertia_box(mass, vec(0.0, 0.0, 0.5 * all), vec(2.0 * radius, 2.0 * radius, all)));
    cr_assert(rg_builder_add_shape(b, &rod).i > 0);
    RgJointDef joint =
        joint_at(RG_JOINT_revolute, joints[number], on.link, rod.link, vec(0.0, 0.0, on.at), draw_direction(d));
    joint_add(b, &joint);
    return (Place){rod.link, all};
}

/* On a stand 1 m above the floor. */
static RgModel *mechanism(uint64_t seed)
{
    Draw d = draw_seed(seed);
    RgBuilder *b = scene_begin("mechanism");
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    cr_assert(rg_builder_add_shape(b, &floor).i > 0);
    Place places[MOST_LINKS + 1] = {{{0}, 1.0}};
    int count = 3 + draw_below(&d, MOST_LINKS - 2);
    for (int i = 0; i < count; i++) {
        bool branch = draw_chance(&d, 0.4);
        places[i + 1] = add_link(b, &d, places[branch ? draw_below(&d, i + 1) : i], i);
    }
    return scene_end(b);
}

/* J: largest rise of the energy over its smallest value so far. */
static double gain_of(const RgModel *model, const char *coords, double h)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    RgWorld *world = world_make(&def);
    double gain = world_gain(world, (int)(1.0 / h), h);
    rg_world_destroy(world);
    return gain;
}

/* The maximal form at any step; in joint angles steps are short: the error of the step itself grows with the squares of
   the rates. */
Test(overlapping_links, do_not_fly_apart)
{
    for (uint64_t seed = 0; seed < MECHANISMS; seed++) {
        RgModel *model = mechanism(seed);
        double weight = 9.81 * rg_model_info(model).mass;
        for (int form = 0; form < 2; form++) {
            double h = form == 0 ? 1e-3 : 1e-3 * (double)(1 + seed % 16), gain = gain_of(model, both_forms[form], h);
            cr_expect(gain <= 5.0 + 0.5 * weight, "mechanism %d, %s, %g s: gained %g J, weighs %g N", (int)seed,
                      both_forms[form], h, gain, weight);
        }
        rg_model_destroy(model);
    }
}
