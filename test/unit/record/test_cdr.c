/* test_cdr.c - bytes of ROS 2 messages as they are written by hand, and read again. */
#include "record/cdr.h"

#include "record/cursor.h"

#include <criterion/criterion.h>

/* Every number at a multiple of its size, counted from behind the head. */
Test(cdr, bytes)
{
    RgBuffer out = {.data = NULL};
    rg_cdr_begin(&out);
    rg_cdr_u8(&out, 7);
    rg_cdr_u32(&out, 0x01020304);
    rg_cdr_text(&out, "ab");
    rg_cdr_f64(&out, 1.0);
    rg_cdr_f64_list(&out, NULL, 0);
    rg_cdr_u8(&out, 9);
    static const unsigned char by_hand[] = {0x00, 0x01, 0x00, 0x00, /* head */
                                            7,    0,    0,    0,    /* uint8, three to fill */
                                            4,    3,    2,    1,    /* uint32 */
                                            3,    0,    0,    0,    /* length of the text with its zero */
                                            'a',  'b',  0,    0,    /* text, one to fill up to 16 */
                                            0,    0,    0,    0,    0, 0, 0xf0, 0x3f, /* 1.0 */
                                            0,    0,    0,    0,                      /* no numbers: nothing to align */
                                            9};
    cr_assert_eq(out.size, sizeof by_hand);
    cr_expect(memcmp(out.data, by_hand, sizeof by_hand) == 0);
    rg_buffer_free(&out);
}

Test(cdr, is_read_as_it_was_written)
{
    const double numbers[3] = {0.1, -2e300, 5e-324};
    double read[3] = {0.0};
    RgBuffer out = {.data = NULL};
    rg_cdr_begin(&out);
    rg_cdr_header(&out, UINT64_C(3000000007), "frame");
    rg_cdr_u8(&out, 200);
    rg_cdr_f64_list(&out, numbers, 3);
    RgCursor c = rg_cdr_cursor(out.data, out.size);
    cr_expect_eq(rg_cdr_read(&c, 4), 3u);
    cr_expect_eq(rg_cdr_read(&c, 4), 7u);
    cr_expect(rg_span_is(rg_cdr_read_text(&c), "frame"));
    cr_expect_eq(rg_cdr_read(&c, 1), 200u);
    rg_cdr_read_f64_list(&c, read, 3);
    cr_expect(!c.failed && rg_cursor_left(&c) == 0);
    cr_expect(memcmp(read, numbers, sizeof numbers) == 0);

    /* Cut anywhere, it fails and gives what is there. */
    for (size_t i = 0; i < out.size; i++) {
        RgCursor cut = rg_cdr_cursor(out.data, i);
        rg_cdr_read(&cut, 4);
        rg_cdr_read(&cut, 4);
        rg_cdr_read_text(&cut);
        rg_cdr_read(&cut, 1);
        rg_cdr_read_f64_list(&cut, read, 3);
        cr_expect(cut.failed, "cut at %zu", i);
    }
    rg_buffer_free(&out);
}

Test(cdr, other_encodings_are_refused)
{
    static const unsigned char big_endian[8] = {0, 0, 0, 0, 0, 0, 0, 1};
    cr_expect(rg_cdr_cursor(big_endian, sizeof big_endian).failed);
    cr_expect(rg_cdr_cursor(big_endian, 3).failed);
}
