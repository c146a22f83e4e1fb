/* test_hash.c - the hash of states: every bit counts, order counts, and the value never changes from one
   build to another. */
#include <criterion/criterion.h>

#include "base/hash.h"
#include "base/random.h"

#include <string.h>

static int count_bits(uint64_t x)
{
    int count = 0;
    for (; x != 0; x &= x - 1)
        count++;
    return count;
}

Test(hash, one_bit_of_the_data_changes_half_the_hash)
{
    enum { BYTES = 43 };
    unsigned char data[BYTES];
    RgRandom random = rg_random_seed(1);
    for (int i = 0; i < BYTES; i++)
        data[i] = (unsigned char)rg_random_below(&random, 256);
    uint64_t whole = rg_hash(RG_HASH_START, data, BYTES);
    double sum = 0.0;
    for (int bit = 0; bit < 8 * BYTES; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        int changed = count_bits(whole ^ rg_hash(RG_HASH_START, data, BYTES));
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        cr_expect(changed > 8 && changed < 56, "bit %d changes %d bits", bit, changed);
        sum += changed;
    }
    cr_expect(sum / (8 * BYTES) > 30.0 && sum / (8 * BYTES) < 34.0, "%g bits on average", sum / (8 * BYTES));
}

Test(hash, length_and_order_count)
{
    const double values[4] = {1.0, 2.0, 0.0, 0.0}, swapped[4] = {2.0, 1.0, 0.0, 0.0};
    uint64_t seen[6];
    for (size_t i = 0; i <= 4; i++)
        seen[i] = rg_hash(RG_HASH_START, values, i * sizeof(double));
    seen[5] = rg_hash(RG_HASH_START, swapped, sizeof swapped);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++)
            cr_expect_neq(seen[i], seen[k], "%d and %d", i, k);
}

Test(hash, alignment_does_not_count)
{
    unsigned char buffer[64 + 8];
    uint64_t first = 0;
    for (int shift = 0; shift < 8; shift++) {
        for (int i = 0; i < 50; i++)
            buffer[shift + i] = (unsigned char)(7 * i);
        uint64_t hash = rg_hash(RG_HASH_START, buffer + shift, 50);
        cr_expect(shift == 0 || hash == first);
        first = hash;
    }
}

Test(hash, drawn_blocks_do_not_collide)
{
    enum { COUNT = 20000 };
    static uint64_t seen[1 << 16];
    int same_slot = 0;
    for (int i = 0; i < COUNT; i++) {
        double state[3] = {i * 1e-9, 1.0, -i * 1e-9};
        uint64_t hash = rg_hash(RG_HASH_START, state, sizeof state);
        uint64_t *slot = &seen[hash >> 48];
        cr_assert_neq(*slot, hash);
        same_slot += *slot != 0;
        *slot = hash;
    }
    /* 20000 balls in 65536 boxes: 2780 +- 50 meetings are expected of an even spread. */
    cr_expect(same_slot > 2500 && same_slot < 3060, "%d meetings", same_slot);
}

Test(hash, the_value_is_frozen)
{
    /* State hashes are written into recordings and compared later: these two must never change
       (little-endian machines). */
    const uint32_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    if (low != 1)
        cr_skip_test("the words of this machine are big-endian");
    const double state[3] = {0.5, -1.25, 3.0};
    cr_expect_eq(rg_hash(RG_HASH_START, state, sizeof state), UINT64_C(0xc03e08e1fa2fb74c));
    cr_expect_eq(rg_hash(RG_HASH_START, "rigor", 5), UINT64_C(0xbc49761309fba76e));
}
