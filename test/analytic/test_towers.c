/*
 * test_towers.c - what stands only if forces are exact: the wall and the column of 20 cubes that carry 1,000 times
 * their own weight on top, and the tower of 102 planks, with solver cone (bench/scenes/scene_towers.c); what comes to
 * rest only if a step leaves no errors behind, with solver quick.
 *
 * RIGOR_TOWER_STEPS in the environment: so many steps of the tower instead of a few (make towers: 60,000).
 */
#include "check_near.h"
#include "pgs_scene.h"

#include <math.h>
#include <stdlib.h>

static PgsOutcome stand(const char *scene, const char *coords, const char *solver, int steps)
{
    PgsScene what = {.name = scene, .coords = coords, .solver = solver, .steps = steps};
    PgsOutcome out = pgs_scene_run(&what);
    cr_log_info("%s, %s, %s: %.3g mm down, %.3g mm aside, residual %.2g m/s", scene, solver, coords, out.error[0],
                out.error[1], out.residual);
    return out;
}

/* Cubes of 1 m: they neither sink nor walk. */
Test(towers, wall_of_20_with_mass_ratio_1000)
{
    for (int form = 0; form < 2; form++) {
        PgsOutcome out = stand("W20", form == 0 ? "minimal" : "maximal", "cone", 300);
        CHECK_NEAR(out.error[0], 0.0, 1e-3, "mm");
        CHECK_NEAR(out.error[1], 0.0, 1e-3, "mm");
    }
}

Test(towers, column_of_20_with_mass_ratio_1000)
{
    PgsOutcome out = stand("C20", "minimal", "cone", 0);
    CHECK_NEAR(out.error[0], 0.0, 1e-3, "mm");
    CHECK_NEAR(out.error[1], 0.0, 1e-3, "mm");
}

/* Sweeps alone let the column go: the test above says something. */
Test(towers, sweeps_let_the_column_go)
{
    RgPgsOptions o = rg_pgs_options_default();
    PgsScene what = {.name = "C20", .coords = "minimal", .solver = "pgs", .options = &o, .steps = 300};
    PgsOutcome out = pgs_scene_run(&what);
    cr_expect(out.error[0] > 1.0, "%g mm", out.error[0]);
}

/* Solver quick by default: a row of ten cubes is kicked through the pyramid of 210, which sways, and must come to rest;
   the wall must not walk. */
Test(towers, kicked_pyramid_comes_to_rest)
{
    PgsOutcome out = stand("S3k", "minimal", "quick", 500);
    CHECK_NEAR(out.error[1], 0.0, 2e-3, "m/s");
}

Test(towers, wall_rests_by_sweeps)
{
    PgsOutcome out = stand("W20", "minimal", "quick", 1000);
    CHECK_NEAR(out.error[1], 0.0, 0.05, "mm");
}

static int tower_steps(void)
{
    const char *asked = getenv("RIGOR_TOWER_STEPS");
    return asked != NULL ? (int)strtol(asked, NULL, 10) : 200;
}

Test(towers, of_102_planks)
{
    PgsOutcome out = stand("K102", "minimal", "cone", tower_steps());
    CHECK_NEAR(out.error[0], 0.0, 1e-6, "mm");
    CHECK_NEAR(out.error[1], 0.0, 1e-6, "mm");
}

/* The gaps of 34 levels close by the law's part of what is left, step by step, and that is all. */
Test(towers, of_102_planks_set_down_carelessly)
{
    PgsOutcome out = stand("K102j", "minimal", "cone", tower_steps());
    RgContactLaw law = rg_contact_law_default();
    double left = 1e-4;
    for (int i = 0; i < tower_steps(); i++)
        left -= law.contact_erp * left * left / (left + law.soft_length);
    CHECK_NEAR(out.error[0], 34 * (0.1 - 1e3 * left), 1e-4, "mm");
    CHECK_NEAR(out.error[1], 0.0, 1e-4, "mm");
}
