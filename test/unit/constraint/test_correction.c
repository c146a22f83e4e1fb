/* test_correction.c - the law of correcting velocities: odd in the error, a share of it a step, up to the largest. */
#include "check_near.h"
#include "constraint/correction.h"

Test(correction, a_share_up_to_the_largest)
{
    static const double errors[] = {0.0, 1e-6, 4.9e-3, 5.1e-3, 0.3, 1e6};
    for (int i = 0; i < 6; i++) {
        double v = rg_correcting_velocity(errors[i], 0.2, 1e-3, 1.0);
        CHECK_NEAR(v, errors[i] < 5e-3 ? 0.2 * errors[i] / 1e-3 : 1.0, 0.0, "m/s");
        CHECK_NEAR(rg_correcting_velocity(-errors[i], 0.2, 1e-3, 1.0), -v, 0.0, "m/s");
        CHECK_NEAR(rg_correcting_velocity(errors[i], 0.2, 1e-3, INFINITY), 0.2 * errors[i] / 1e-3, 0.0, "m/s");
        CHECK_NEAR(rg_correcting_velocity(errors[i], 0.2, 1e-3, 0.0), 0.0, 0.0, "m/s");
    }
}

/* A step as short as it may be: what remains is the bound. */
Test(correction, no_step_is_too_short)
{
    for (double h = 1e-2; h > 1e-30; h *= 1e-4)
        CHECK_NEAR(rg_correcting_velocity(0.82, 0.02, h, 1.0), 1.0, 0.0, "rad/s");
}
