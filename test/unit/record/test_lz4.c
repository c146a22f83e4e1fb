/* test_lz4.c - frames go there and back; frames of other writers; damage is found. */
#include "record/lz4.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint32_t table[RG_LZ4_TABLE];

/* Packs and unpacks; bytes of the frame. */
static size_t there_and_back(const unsigned char *data, size_t size)
{
    RgBuffer frame = {.data = NULL};
    unsigned char *out = malloc(size + 1);
    const char *what = NULL;
    rg_lz4_compress(&frame, data, size, table);
    cr_assert_not(frame.failed);
    RgStatus status = rg_lz4_decompress(frame.data, frame.size, out, size, &what);
    cr_assert_eq(status, RG_OK, "%zu bytes: %s", size, what);
    cr_assert(size == 0 || memcmp(out, data, size) == 0);
    size_t packed = frame.size;
    rg_buffer_free(&frame);
    free(out);
    return packed;
}

/* Runs, copies of what was before and noise, in pieces of drawn lengths. */
static void fill(unsigned char *data, size_t size, RgRandom *random)
{
    size_t n = 0;
    while (n < size) {
        size_t length = 1 + (size_t)rg_random_below(random, 300);
        int kind = rg_random_below(random, 3);
        size_t back = n > 0 ? 1 + (size_t)rg_random_below(random, n < 70000 ? (int)n : 70000) : 0;
        unsigned char letter = (unsigned char)rg_random_bits(random);
        for (; length > 0 && n < size; length--, n++)
            data[n] = kind == 0               ? letter
                      : kind == 1 && back > 0 ? data[n - back]
                                              : (unsigned char)rg_random_bits(random);
    }
}

Test(lz4, there_and_back)
{
    RgRandom random = rg_random_seed(5);
    unsigned char *data = malloc(200000);
    for (size_t size = 0; size < 70; size++) {
        fill(data, size, &random);
        there_and_back(data, size);
        memset(data, 7, size);
        there_and_back(data, size);
    }
    for (int i = 0; i < 60; i++) {
        size_t size = (size_t)rg_random_below(&random, 200000);
        fill(data, size, &random);
        there_and_back(data, size);
    }
    free(data);
}

Test(lz4, several_blocks)
{
    size_t size = ((size_t)9 << 20) + 12345;
    unsigned char *data = calloc(size, 1);
    cr_expect_lt(there_and_back(data, size), size / 200, "zeros pack to almost nothing");
    RgRandom random = rg_random_seed(11);
    fill(data, size, &random);
    there_and_back(data, size);
    free(data);
}

Test(lz4, noise_grows_by_the_head_alone)
{
    unsigned char data[4096];
    RgRandom random = rg_random_seed(3);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)rg_random_bits(&random);
    cr_expect_leq(there_and_back(data, sizeof data), sizeof data + 4 + 11 + 4 + 4 + 4);
}

/* Frames as the format's text has them: "hello" stored; "ab" and a match of 8 that overlaps itself, in a frame without
   sizes and checksums; two frames one behind the other with one to skip between. */
static const unsigned char stored[] = {0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 5, 0, 0,
                                       0x80, 'h',  'e',  'l',  'l',  'o',  0,    0, 0, 0};
static const unsigned char matched[] = {0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 11,  0,   0, 0, 0x24, 'a',
                                        'b',  2,    0,    0x50, 'v',  'w',  'x',  'y', 'z', 0, 0, 0,    0};

Test(lz4, frames_of_other_writers)
{
    unsigned char out[32];
    const char *what = NULL;
    cr_assert_eq(rg_lz4_decompress(stored, sizeof stored, out, 5, &what), RG_OK, "%s", what);
    cr_expect(memcmp(out, "hello", 5) == 0);
    cr_assert_eq(rg_lz4_decompress(matched, sizeof matched, out, 15, &what), RG_OK, "%s", what);
    cr_expect(memcmp(out,
                     "ababababab"
                     "vwxyz",
                     15) == 0);

    unsigned char two[128];
    static const unsigned char skipped[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9};
    memcpy(two, stored, sizeof stored);
    memcpy(two + sizeof stored, skipped, sizeof skipped);
    memcpy(two + sizeof stored + sizeof skipped, stored, sizeof stored);
    cr_assert_eq(rg_lz4_decompress(two, 2 * sizeof stored + sizeof skipped, out, 10, &what), RG_OK, "%s", what);
    cr_expect(memcmp(out, "hellohello", 10) == 0);
}

Test(lz4, no_content_needs_no_place)
{
    RgBuffer frame = {.data = NULL};
    rg_lz4_compress(&frame, stored, 0, table);
    cr_expect_eq(rg_lz4_decompress(frame.data, frame.size, NULL, 0, NULL), RG_OK);
    cr_expect_eq(rg_lz4_decompress(stored, sizeof stored, NULL, 0, NULL), RG_ERR_SYNTAX);
    rg_buffer_free(&frame);
}

Test(lz4, wrong_sizes_are_refused)
{
    unsigned char out[32];
    cr_expect_eq(rg_lz4_decompress(stored, sizeof stored, out, 4, NULL), RG_ERR_SYNTAX);
    cr_expect_eq(rg_lz4_decompress(stored, sizeof stored, out, 6, NULL), RG_ERR_SYNTAX);
    cr_expect_eq(rg_lz4_decompress(stored, 3, out, 5, NULL), RG_ERR_SYNTAX);
    for (size_t i = 0; i < sizeof matched; i++)
        cr_expect_neq(rg_lz4_decompress(matched, i, out, 15, NULL), RG_OK, "cut at %zu", i);
}

/* Any byte changed: it is refused, or the content is what it was. */
Test(lz4, damage_is_found)
{
    unsigned char data[600], out[600];
    RgRandom random = rg_random_seed(8);
    RgBuffer frame = {.data = NULL};
    fill(data, sizeof data, &random);
    rg_lz4_compress(&frame, data, sizeof data, table);
    for (size_t i = 0; i < frame.size; i++) {
        for (int k = 1; k < 256; k = 2 * k + 1) {
            frame.data[i] ^= (unsigned char)k;
            bool good = rg_lz4_decompress(frame.data, frame.size, out, sizeof out, NULL) == RG_OK;
            cr_expect(!good || memcmp(out, data, sizeof out) == 0, "byte %zu", i);
            frame.data[i] ^= (unsigned char)k;
        }
    }
    rg_buffer_free(&frame);
}
