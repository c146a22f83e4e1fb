/* test_random.c - random numbers: the published sequences of splitmix64 and xoshiro256++, and an even
   spread. */
#include "check_near.h"

#include "base/random.h"

Test(random, seeding_is_splitmix64)
{
    /* First numbers of splitmix64 from 1234567, as published with it. */
    RgRandom random = rg_random_seed(1234567);
    cr_expect_eq(random.s[0], UINT64_C(6457827717110365317));
    cr_expect_eq(random.s[1], UINT64_C(3203168211198807973));
    cr_expect_eq(random.s[2], UINT64_C(9817491932198370423));
    cr_expect_eq(random.s[3], UINT64_C(4593380528125082431));
}

Test(random, bits_are_xoshiro256_plus_plus)
{
    /* First numbers from the state 1, 2, 3, 4, worked out by the definition. */
    RgRandom random = {{1, 2, 3, 4}};
    const uint64_t expected[6] = {UINT64_C(41943041),
                                  UINT64_C(58720359),
                                  UINT64_C(3588806011781223),
                                  UINT64_C(3591011842654386),
                                  UINT64_C(9228616714210784205),
                                  UINT64_C(9973669472204895162)};
    for (int i = 0; i < 6; i++)
        cr_expect_eq(rg_random_bits(&random), expected[i], "number %d", i);
}

Test(random, uniform_numbers_have_the_right_mean_and_variance)
{
    RgRandom random = rg_random_seed(7);
    enum { COUNT = 1000000 };
    double sum = 0.0, square = 0.0, least = 1e9, most = -1e9;
    for (int i = 0; i < COUNT; i++) {
        double x = rg_random_uniform(&random, -2.0, 4.0);
        sum += x;
        square += (x - 1.0) * (x - 1.0);
        least = fmin(least, x);
        most = fmax(most, x);
    }
    /* Five standard deviations of the mean: 5 sqrt(3 / 1e6); the variance is 3. */
    CHECK_NEAR(sum / COUNT, 1.0, 0.0087, "");
    CHECK_NEAR(square / COUNT, 3.0, 0.015, "");
    cr_expect(least >= -2.0 && least < -1.999 && most < 4.0 && most > 3.999);
}

Test(random, integers_fill_their_range_evenly)
{
    RgRandom random = rg_random_seed(8);
    int counts[10] = {0};
    for (int i = 0; i < 100000; i++) {
        int k = rg_random_below(&random, 10);
        cr_assert(k >= 0 && k < 10);
        counts[k]++;
    }
    for (int k = 0; k < 10; k++)
        CHECK_NEAR(counts[k], 10000.0, 500.0, "");
}

Test(random, seeds_give_different_sequences_and_the_same_seed_the_same)
{
    RgRandom a = rg_random_seed(1), b = rg_random_seed(1), c = rg_random_seed(2);
    int same = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t x = rg_random_bits(&a);
        cr_assert_eq(x, rg_random_bits(&b));
        same += x == rg_random_bits(&c);
    }
    cr_expect_eq(same, 0);
}
