/* test_centre_of_mass.c - the centre against a sum over links as they were given, its velocity against
   differences. */
#include "kin_fixture.h"

#include <criterion/criterion.h>

Test(centre_of_mass, is_the_mean_over_moving_links)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        KinCase c = kin_case_drawn(seed);
        double mass = 0.0;
        RgVec3 sum = vec(0.0, 0.0, 0.0);
        for (int i = 0; i < c.model->nlinks; i++) {
            const RgLink *l = &c.model->links[i];
            if (l->body < 0)
                continue;
            mass += l->def.inertia.mass;
            RgVec3 p = place_point(rg_kin_link_pose(c.kin, i), l->def.inertia.com);
            sum = vec_add(sum, vec_scale(l->def.inertia.mass, p));
        }
        RgCentre centre = rg_centre_of_mass(c.kin);
        CHECK_REL(centre.mass, mass, 1e-14, "kg");
        CHECK_NEAR(vec_distance(centre.com, vec_scale(1.0 / mass, sum)), 0.0, 1e-12, "m");
        kin_case_end(&c);
    }
}

Test(centre_of_mass, moves_with_its_velocity)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        KinCase c = kin_case_drawn(seed);
        double h = 1e-5;
        RgVec3 velocity = rg_centre_of_mass(c.kin).velocity;
        kin_case_look(&c, h);
        RgVec3 after = rg_centre_of_mass(c.kin).com;
        kin_case_look(&c, -h);
        RgVec3 before = rg_centre_of_mass(c.kin).com;
        CHECK_NEAR(vec_distance(velocity, vec_scale(0.5 / h, vec_sub(after, before))), 0.0, 1e-6, "m/s");
        kin_case_end(&c);
    }
}
