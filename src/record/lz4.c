/*
 * lz4.c - LZ4 frames.
 *
 *   frame:    04 22 4d 18 | FLG BD [content size: 8] [dictionary: 4] HC | blocks | 0: 4 | [xxHash32 of the content]
 *   block:    size: 4 (top bit: stored as it is) | bytes | [xxHash32 of them]
 *   sequence: token (literals: 4 bits, match - 4: 4 bits; 15: more follows in bytes of 255) | literals |
 *             offset: 2, back from here | ...       the last one has literals only
 *
 * Matches have at least four bytes and lie at most 65535 back; the last five bytes of a block are literals, and no
 * match begins within the last twelve. The compressor is greedy: the four bytes at a place are looked up in a table of
 * where their hash was last seen; after many misses it takes longer steps. Integers are low byte first.
 *
 * Failure of the decompressor: sequences that read or write outside, a wrong magic, checksum or size.
 */
#include "record/lz4.h"

#include "record/checksum.h"

#include <string.h>

#define MAGIC 0x184d2204u
#define MAGIC_SKIPPABLE 0x184d2a50u /* and the next fifteen */

/* FLG: version 1 in the upper two bits, and what follows. */
enum {
    FLAG_VERSION = 0x40,
    FLAG_INDEPENDENT = 0x20,
    FLAG_BLOCK_CHECKSUM = 0x10,
    FLAG_SIZE = 0x08,
    FLAG_CHECKSUM = 0x04,
    FLAG_RESERVED = 0x02,
    FLAG_DICTIONARY = 0x01
};

#define BLOCK_MAX ((size_t)4 << 20)
#define BLOCK_CODE 0x70 /* BD: blocks of up to 4 MiB */
#define STORED 0x80000000u

enum { MATCH_MIN = 4, LITERALS_AT_END = 5, NO_MATCH_AT_END = 12, OFFSET_MAX = 65535, HASH_BITS = 14, MISSES_BITS = 6 };

/* ------------------------------------------------------------------ writing */

static uint32_t four(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint32_t slot_of(const unsigned char *at)
{
    return (four(at) * 2654435761u) >> (32 - HASH_BITS);
}

/* What is beyond the four bits of a token. */
static void put_more(RgBuffer *out, size_t more)
{
    for (; more >= 255; more -= 255)
        rg_buffer_put_uint(out, 255, 1);
    rg_buffer_put_uint(out, more, 1);
}

/* length 0: the last sequence. */
static void put_sequence(RgBuffer *out, const unsigned char *literals, size_t count, size_t offset, size_t length)
{
    size_t match = length > 0 ? length - MATCH_MIN : 0;
    rg_buffer_put_uint(out, (count < 15 ? count : 15) << 4 | (match < 15 ? match : 15), 1);
    if (count >= 15)
        put_more(out, count - 15);
    rg_buffer_put(out, literals, count);
    if (length == 0)
        return;
    rg_buffer_put_uint(out, offset, 2);
    if (match >= 15)
        put_more(out, match - 15);
}

/* Bytes that a and b have in common, up to end. */
static size_t common(const unsigned char *a, const unsigned char *b, const unsigned char *end)
{
    const unsigned char *start = b;
    while (b < end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(b - start);
}

static void compress_block(RgBuffer *out, const unsigned char *data, size_t size, uint32_t *table)
{
    const unsigned char *anchor = data, *at = data, *end = data + size;
    memset(table, 0, RG_LZ4_TABLE * sizeof *table);
    size_t misses = 0;
    while ((size_t)(end - at) > NO_MATCH_AT_END) {
        /* Places are kept plus one: 0 is none. */
        uint32_t *slot = &table[slot_of(at)];
        const unsigned char *seen = *slot > 0 ? data + *slot - 1 : NULL;
        *slot = (uint32_t)(at - data) + 1;
        if (seen == NULL || at - seen > OFFSET_MAX || four(seen) != four(at)) {
            size_t step = 1 + (misses++ >> MISSES_BITS), left = (size_t)(end - at);
            at += step < left ? step : left;
            continue;
        }

        /* The match as far as it goes to both sides. */
        while (at > anchor && seen > data && at[-1] == seen[-1]) {
            at--;
            seen--;
        }
        size_t length = MATCH_MIN + common(seen + MATCH_MIN, at + MATCH_MIN, end - LITERALS_AT_END);
        put_sequence(out, anchor, (size_t)(at - anchor), (size_t)(at - seen), length);
        at += length;
        anchor = at;
        misses = 0;
    }
    put_sequence(out, anchor, (size_t)(end - anchor), 0, 0);
}

void rg_lz4_compress(RgBuffer *out, const unsigned char *data, size_t size, uint32_t *table)
{
    rg_buffer_put_uint(out, MAGIC, 4);
    size_t descriptor = out->size;
    rg_buffer_put_uint(out, FLAG_VERSION | FLAG_INDEPENDENT | FLAG_SIZE | FLAG_CHECKSUM, 1);
    rg_buffer_put_uint(out, BLOCK_CODE, 1);
    rg_buffer_put_uint(out, size, 8);
    if (out->failed)
        return;
    rg_buffer_put_uint(out, rg_xxhash32(out->data + descriptor, out->size - descriptor) >> 8, 1);

    for (size_t from = 0; from < size && !out->failed; from += BLOCK_MAX) {
        size_t bytes = size - from < BLOCK_MAX ? size - from : BLOCK_MAX, place = out->size;
        rg_buffer_put_uint(out, 0, 4);
        compress_block(out, data + from, bytes, table);
        size_t packed = out->size - place - 4;
        bool stored = packed >= bytes;
        if (stored && !out->failed) {
            out->size = place + 4;
            rg_buffer_put(out, data + from, bytes);
            packed = bytes;
        }
        rg_buffer_set_uint(out, place, packed | (stored ? STORED : 0), 4);
    }
    rg_buffer_put_uint(out, 0, 4);
    rg_buffer_put_uint(out, rg_xxhash32(data, size), 4);
}

/* ------------------------------------------------------------------ reading */

typedef struct Reader {
    const unsigned char *at, *end;
    unsigned char *out, *out_at, *out_end; /* out: the first byte that a match may reach */
    const char *what;                      /* NULL: all is well */
} Reader;

static RgStatus damaged(Reader *r, const char *what)
{
    r->what = what;
    return RG_ERR_SYNTAX;
}

/* A number of bytes from the data. False: they end before. */
static bool take(Reader *r, int bytes, uint64_t *value)
{
    if (r->end - r->at < bytes)
        return false;
    *value = rg_read_uint(r->at, bytes);
    r->at += bytes;
    return true;
}

/* The bytes behind a full token field, up to stop. */
static bool take_more(const unsigned char **at, const unsigned char *stop, size_t *length)
{
    unsigned char byte;
    do {
        if (*at == stop)
            return false;
        byte = *(*at)++;
        *length += byte;
    } while (byte == 255);
    return true;
}

static RgStatus read_block(Reader *r, size_t size)
{
    const unsigned char *at = r->at, *stop = at + size;
    while (at < stop) {
        unsigned char token = *at++;
        size_t literals = token >> 4, match = token & 15;
        if (literals == 15 && !take_more(&at, stop, &literals))
            return damaged(r, "a sequence ends too early");
        if (literals > (size_t)(stop - at) || literals > (size_t)(r->out_end - r->out_at))
            return damaged(r, "literals reach beyond the end");
        memcpy(r->out_at, at, literals);
        r->out_at += literals;
        at += literals;
        if (at == stop)
            break;

        if (stop - at < 2)
            return damaged(r, "a sequence ends too early");
        size_t offset = (size_t)rg_read_uint(at, 2);
        at += 2;
        if (match == 15 && !take_more(&at, stop, &match))
            return damaged(r, "a sequence ends too early");
        match += MATCH_MIN;
        if (offset == 0 || offset > (size_t)(r->out_at - r->out) || match > (size_t)(r->out_end - r->out_at))
            return damaged(r, "a match reaches outside");

        /* It may overlap what it writes: byte by byte repeats the pattern. */
        for (size_t i = 0; i < match; i++, r->out_at++)
            *r->out_at = r->out_at[-(ptrdiff_t)offset];
    }
    r->at = stop;
    return RG_OK;
}

static RgStatus read_blocks(Reader *r, unsigned flags)
{
    unsigned char *reach = r->out;
    for (;;) {
        uint64_t head, sum;
        if (!take(r, 4, &head))
            return damaged(r, "the frame ends too early");
        if (head == 0)
            return RG_OK;
        size_t size = (size_t)(head & ~(uint64_t)STORED);
        if (size > (size_t)(r->end - r->at))
            return damaged(r, "a block is longer than its frame");
        const unsigned char *block = r->at;
        if (flags & FLAG_INDEPENDENT)
            reach = r->out_at;
        r->out = reach;
        if (head & STORED) {
            if (size > (size_t)(r->out_end - r->out_at))
                return damaged(r, "literals reach beyond the end");
            memcpy(r->out_at, r->at, size);
            r->out_at += size;
            r->at += size;
        } else {
            RgStatus status = read_block(r, size);
            if (status != RG_OK)
                return status;
        }
        if ((flags & FLAG_BLOCK_CHECKSUM) && (!take(r, 4, &sum) || sum != rg_xxhash32(block, size)))
            return damaged(r, "a block's checksum is wrong");
    }
}

static RgStatus read_frame(Reader *r)
{
    const unsigned char *descriptor = r->at;
    uint64_t flags, code, expected = 0, check, sum;
    if (!take(r, 1, &flags) || !take(r, 1, &code) || (flags & 0xc0) != FLAG_VERSION || (flags & FLAG_RESERVED) ||
        (code & 0x8f) != 0)
        return damaged(r, "the frame's head is wrong");
    if ((flags & FLAG_SIZE) && !take(r, 8, &expected))
        return damaged(r, "the frame ends too early");
    if (flags & FLAG_DICTIONARY) {
        r->what = "the frame needs a dictionary";
        return RG_ERR_UNSUPPORTED;
    }
    uint32_t own = rg_xxhash32(descriptor, (size_t)(r->at - descriptor)) >> 8 & 0xff;
    if (!take(r, 1, &check) || check != own)
        return damaged(r, "the checksum of the frame's head is wrong");

    unsigned char *start = r->out_at;
    r->out = start;
    RgStatus status = read_blocks(r, (unsigned)flags);
    if (status != RG_OK)
        return status;
    size_t size = (size_t)(r->out_at - start);
    if ((flags & FLAG_SIZE) && expected != size)
        return damaged(r, "the content has another size than the frame says");
    if ((flags & FLAG_CHECKSUM) && (!take(r, 4, &sum) || sum != rg_xxhash32(start, size)))
        return damaged(r, "the checksum of the content is wrong");
    return RG_OK;
}

static RgStatus read_frames(Reader *r)
{
    while (r->at < r->end) {
        uint64_t magic, size;
        if (!take(r, 4, &magic))
            return damaged(r, "bytes behind the last frame");
        if ((magic & ~UINT64_C(15)) == MAGIC_SKIPPABLE) {
            if (!take(r, 4, &size) || size > (uint64_t)(r->end - r->at))
                return damaged(r, "the frame ends too early");
            r->at += size;
            continue;
        }
        if (magic != MAGIC)
            return damaged(r, "it does not begin as an LZ4 frame");
        RgStatus status = read_frame(r);
        if (status != RG_OK)
            return status;
    }
    return r->out_at == r->out_end ? RG_OK : damaged(r, "the content is shorter than announced");
}

RgStatus rg_lz4_decompress(const unsigned char *data, size_t size, unsigned char *out, size_t out_size,
                           const char **what)
{
    /* No content may come with no place for it, which must not be reckoned with. */
    unsigned char nothing;
    out = out_size > 0 ? out : &nothing;
    Reader reader = {.at = data, .end = data + size, .out = out, .out_at = out, .out_end = out + out_size};
    RgStatus status = read_frames(&reader);
    if (what != NULL)
        *what = reader.what;
    return status;
}
