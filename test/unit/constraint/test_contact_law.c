/*
 * test_contact_law.c - the law of a point: an overlap that joints hold is corrected less, by hand, and nothing else is
 * changed by them.
 */
#include "check_near.h"
#include "constraint/contact_law.h"

#define STEP 1e-3
#define HELD 0.1 /* m/s: contact_law.h */

/* Of a pair, with all numbers that a surface leaves open. */
static RgSurfaceDef surface_of(double kp, double kd)
{
    return (RgSurfaceDef){.mu = 1.0, .mu2 = 1.0, .kp = kp, .kd = kd, .max_vel = INFINITY};
}

static RgPairLaw pair_of(const RgContactLaw *law, const RgSurfaceDef *surface)
{
    RgPairLaw pair;
    cr_assert(rg_pair_law(law, surface, STEP, INFINITY, &pair));
    pair.gravity = 9.81;
    return pair;
}

/* 1 cm: 0.1 d r^2 / h is 0.69 m/s, a sixth of the weight sqrt(G d / 3) 0.18 m/s. */
Test(contact_law, what_joints_hold_is_corrected_less)
{
    static const double pulls[] = {-5.0, -0.01, 0.0, 0.002, 0.05, 0.0999, 0.1, 3.0};
    RgContactLaw law = rg_contact_law_default();
    RgSurfaceDef surface = surface_of(1e12, 0.0);
    RgPairLaw pair = pair_of(&law, &surface);
    for (int i = 0; i < 8; i++) {
        double free = sqrt(9.81 * 0.01 / 3.0), part = fmin(1.0, fmax(0.0, 1.0 - pulls[i] / HELD));
        RgPointMotion motion = {.gap = -0.01, .pull = pulls[i]};
        RgPointLaw point = rg_point_law(&pair, &motion, NULL);
        CHECK_NEAR(point.target, part * free, 1e-15, "m/s");
        CHECK_NEAR(point.position, point.target, 0.0, "m/s");
        CHECK_NEAR(point.correction, point.target, 0.0, "m/s");
    }
}

/* Gaps, what a stepper asks for, and springs: as without. */
Test(contact_law, only_rigid_overlaps_give_way_to_joints)
{
    RgContactLaw law = rg_contact_law_default();
    RgSurfaceDef surface = surface_of(1e12, 0.0), spring = surface_of(1e4, 10.0);
    RgPairLaw pair = pair_of(&law, &surface), soft = pair_of(&law, &spring);
    double wanted = 0.3;
    for (int i = 0; i < 2; i++) {
        double pull = i == 0 ? 0.0 : 1.0;
        RgPointMotion open = {.gap = 1e-3, .pull = pull}, in = {.gap = -0.01, .pull = pull};
        CHECK_NEAR(rg_point_law(&pair, &open, NULL).target, -rg_gap_closing(&pair, 1e-3) / STEP, 0.0, "m/s");
        CHECK_NEAR(rg_point_law(&pair, &in, &wanted).target, wanted, 0.0, "m/s");
        CHECK_NEAR(rg_point_law(&soft, &in, NULL).target, 1e4 * STEP / (1e4 * STEP + 10.0) * 0.01 / STEP, 1e-14, "m/s");
    }
}
