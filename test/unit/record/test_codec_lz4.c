/* test_codec_lz4.c - frames go there and back; frames of other writers; damage is found. */
#include "record/codec_lz4.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *unpack(const unsigned char *data, size_t size, unsigned char *out, size_t out_size)
{
    return rg_lz4_decompress((RgSpan){data, size}, out, out_size);
}

/* Packs and unpacks; bytes of the frame. */
static size_t there_and_back(const unsigned char *data, size_t size)
{
    RgBuffer frame = {.data = NULL};
    unsigned char *out = malloc(size + 1);
    rg_lz4_compress(&frame, (RgSpan){data, size});
    cr_assert_not(frame.failed);
    const char *wrong = unpack(frame.data, frame.size, out, size);
    cr_assert_null(wrong, "%zu bytes: %s", size, wrong);
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

Test(codec_lz4, there_and_back)
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

Test(codec_lz4, several_blocks)
{
    size_t size = ((size_t)9 << 20) + 12345;
    unsigned char *data = calloc(size, 1);
    cr_expect_lt(there_and_back(data, size), size / 200, "zeros pack to almost nothing");
    RgRandom random = rg_random_seed(11);
    fill(data, size, &random);
    there_and_back(data, size);
    free(data);
}

Test(codec_lz4, noise_grows_by_the_head_alone)
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

Test(codec_lz4, frames_of_other_writers)
{
    unsigned char out[32];
    cr_assert_null(unpack(stored, sizeof stored, out, 5));
    cr_expect(memcmp(out, "hello", 5) == 0);
    cr_assert_null(unpack(matched, sizeof matched, out, 15));
    cr_expect(memcmp(out,
                     "ababababab"
                     "vwxyz",
                     15) == 0);

    unsigned char two[128];
    static const unsigned char skipped[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9};
    memcpy(two, stored, sizeof stored);
    memcpy(two + sizeof stored, skipped, sizeof skipped);
    memcpy(two + sizeof stored + sizeof skipped, stored, sizeof stored);
    cr_assert_null(unpack(two, 2 * sizeof stored + sizeof skipped, out, 10));
    cr_expect(memcmp(out, "hellohello", 10) == 0);
}

Test(codec_lz4, no_content_needs_no_place)
{
    RgBuffer frame = {.data = NULL};
    rg_lz4_compress(&frame, (RgSpan){stored, 0});
    cr_expect_null(unpack(frame.data, frame.size, NULL, 0));
    cr_expect_not_null(unpack(stored, sizeof stored, NULL, 0));
    rg_buffer_free(&frame);
}

Test(codec_lz4, wrong_sizes_are_refused)
{
    unsigned char out[32];
    cr_expect_not_null(unpack(stored, sizeof stored, out, 4));
    cr_expect_not_null(unpack(stored, sizeof stored, out, 6));
    cr_expect_not_null(unpack(stored, 3, out, 5));
    for (size_t i = 0; i < sizeof matched; i++)
        cr_expect_not_null(unpack(matched, i, out, 15), "cut at %zu", i);
}

/* Any byte changed: it is refused, or the content is what it was. */
Test(codec_lz4, damage_is_found)
{
    unsigned char data[600], out[600];
    RgRandom random = rg_random_seed(8);
    RgBuffer frame = {.data = NULL};
    fill(data, sizeof data, &random);
    rg_lz4_compress(&frame, (RgSpan){data, sizeof data});
    for (size_t i = 0; i < frame.size; i++) {
        for (int k = 1; k < 256; k = 2 * k + 1) {
            frame.data[i] ^= (unsigned char)k;
            bool good = unpack(frame.data, frame.size, out, sizeof out) == NULL;
            cr_expect(!good || memcmp(out, data, sizeof out) == 0, "byte %zu", i);
            frame.data[i] ^= (unsigned char)k;
        }
    }
    rg_buffer_free(&frame);
}
