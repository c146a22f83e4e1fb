/*
 * npy.c - writes arrays to an NPZ archive.
 *
 * NPY (numpy format 1.0): magic bytes; a text with type, order and shape, padded with spaces to a multiple of 64 bytes;
 * the numbers in the machine's byte order. Texts are arrays of 32-bit characters, all as wide as the longest.
 *
 * Failure: a write fails; rg_zip_finish reports it.
 */
#include "record/npy.h"

#include <string.h>

#define NPY_ALIGN 64                 /* bytes: of the end of the header, as the format says */
#define REPLACEMENT UINT32_C(0xfffd) /* U+FFFD, for bytes that are not valid UTF-8 */

/* '<' or '>' as numpy names the machine's byte order. */
static char byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? '<' : '>';
}

void rg_npy_begin(RgZip *zip, const char *name, const char *type, const char *shape, uint64_t bytes)
{
    char head[256] = "\x93NUMPY\x01";
    const int start = 10;
    int text = snprintf(head + start, sizeof head - (size_t)start,
                        "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }", byte_order(), type, shape);
    int size = (start + text + NPY_ALIGN) / NPY_ALIGN * NPY_ALIGN;
    memset(head + start + text, ' ', (size_t)(size - start - text - 1));
    head[size - 1] = '\n';
    head[8] = (char)((size - start) & 0xff);
    head[9] = (char)((size - start) >> 8);
    rg_zip_member_begin(zip, name, (uint64_t)size + bytes);
    rg_zip_write(zip, head, (size_t)size);
}

/* Number of bytes after the first byte of a UTF-8 character; -1: no character begins with this byte. */
static int bytes_following(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first < 0xc2 || first >= 0xf5)
        return -1;
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

/* The next character of a UTF-8 text. Invalid bytes, overlong forms, surrogates and values beyond U+10FFFF give the
   replacement character. */
static uint32_t next_character(const char **text)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    int more = bytes_following(s[0]);
    *text += 1;
    if (more <= 0)
        return more == 0 ? s[0] : REPLACEMENT;
    uint32_t c = s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        c = (c << 6) | (s[i] & 0x3fu);
    }
    if (c < least[more] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return REPLACEMENT;
    *text += more;
    return c;
}

static int64_t character_count(const char *text)
{
    int64_t count = 0;
    while (*text != '\0') {
        next_character(&text);
        count++;
    }
    return count;
}

/* Writes a text, padded with zeros to the width (characters). */
static void write_text(RgZip *zip, const char *text, int64_t width)
{
    uint32_t block[256];
    size_t used = 0;
    for (int64_t i = 0; i < width; i++) {
        block[used++] = *text != '\0' ? next_character(&text) : 0;
        if (used == sizeof block / sizeof block[0] || i + 1 == width) {
            rg_zip_write(zip, block, used * sizeof block[0]);
            used = 0;
        }
    }
}

void rg_npy_write_texts(RgZip *zip, const char *member, const char *const *texts, int64_t count)
{
    int64_t widest = 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t wide = texts[i] != NULL ? character_count(texts[i]) : 0;
        widest = wide > widest ? wide : widest;
    }
    char type[32], shape[32];
    snprintf(type, sizeof type, "U%lld", (long long)widest);
    snprintf(shape, sizeof shape, "%lld,", (long long)count);
    rg_npy_begin(zip, member, type, shape, 4 * (uint64_t)widest * (uint64_t)count);
    for (int64_t i = 0; i < count; i++)
        write_text(zip, texts[i] != NULL ? texts[i] : "", widest);
    rg_zip_member_end(zip);
}
