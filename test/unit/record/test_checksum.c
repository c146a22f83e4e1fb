/* test_checksum.c - CRC-32 and xxHash32 against published values, and by parts. */
#include "record/checksum.h"

#include <criterion/criterion.h>
#include <string.h>

Test(checksum, crc_of_known_texts)
{
    cr_expect_eq(rg_crc32(0, "", 0), 0u);
    cr_expect_eq(rg_crc32(0, "123456789", 9), 0xcbf43926u, "the check value of CRC-32");
    cr_expect_eq(rg_crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414fa339u);
}

Test(checksum, crc_by_parts_is_that_of_the_whole)
{
    const char text[] = "It was the best of times, it was the worst of times";
    uint32_t whole = rg_crc32(0, text, sizeof text);
    for (size_t i = 0; i <= sizeof text; i++)
        cr_expect_eq(rg_crc32(rg_crc32(0, text, i), text + i, sizeof text - i), whole);
}

/* The polynomial division bit by bit. */
static uint32_t plain_crc(const unsigned char *data, size_t bytes)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

Test(checksum, crc_is_the_division)
{
    unsigned char data[256];
    for (int i = 0; i < 256; i++)
        data[i] = (unsigned char)(i * 7 + i / 3);
    for (size_t i = 0; i <= sizeof data; i += 17)
        cr_expect_eq(rg_crc32(0, data, i), plain_crc(data, i));
}

Test(checksum, xxhash_of_known_texts)
{
    cr_expect_eq(rg_xxhash32("", 0), 0x02cc5d05u);
    cr_expect_eq(rg_xxhash32("a", 1), 0x550d7456u);
    cr_expect_eq(rg_xxhash32("abc", 3), 0x32d153ffu);
    const char *text = "Nobody inspects the spammish repetition";
    cr_expect_eq(rg_xxhash32(text, strlen(text)), 0xe2293b2fu, "over 16 bytes: stripes");
}
