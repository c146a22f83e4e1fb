/* test_trig_array.c - the vector loop gives the bits of the scalar functions, for ordinary, large and
   impossible angles. */
#include <criterion/criterion.h>

#include "base/random.h"
#include "math/trig.h"
#include "math/trig_array.h"

#include <string.h>

enum { COUNT = 1000 };

static void check_bits(int n, const double *angles)
{
    static double sines[COUNT], cosines[COUNT];
    rg_sincos_array(n, angles, sines, cosines);
    for (int i = 0; i < n; i++) {
        double s, c;
        rg_sincos(angles[i], &s, &c);
        if (isnan(s)) {
            cr_assert(isnan(sines[i]) && isnan(cosines[i]), "angle %g", angles[i]);
            continue;
        }
        cr_assert(memcmp(&s, &sines[i], sizeof s) == 0 && memcmp(&c, &cosines[i], sizeof c) == 0, "angle %.17g",
                  angles[i]);
    }
}

Test(trig_array, same_bits_at_every_length)
{
    static double angles[COUNT];
    RgRandom random = rg_random_seed(1);
    for (int i = 0; i < COUNT; i++)
        angles[i] = rg_random_uniform(&random, -50.0, 50.0);
    for (int n = 0; n < 40; n++)
        check_bits(n, angles);
    check_bits(COUNT, angles);
}

Test(trig_array, one_large_or_impossible_angle_among_ordinary_ones)
{
    const double odd[] = {1e9, -3e20, (double)INFINITY, (double)NAN, 1.0000001e6, 1e6};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        double angles[9] = {0.1, -0.2, 0.3, 4.0, -5.0, 1e5, 0.0, 1e-9, 2.0};
        angles[4] = odd[k];
        check_bits(9, angles);
    }
}
