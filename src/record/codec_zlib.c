/*
 * codec_zlib.c - CRC-32 and inflate, by zlib.
 *
 * zlib counts the bytes of one call in 32 bits, so that input and output pass through it in pieces. Its memory (about
 * 40 KiB) comes from base/alloc.h.
 *
 * Failure of rg_inflate: the stream ends too early, is damaged, or gives more or fewer bytes than announced. Deflate
 * makes at most 1032 bytes of one; a larger announced size is refused before memory is allocated for it.
 */
#include "record/codec_zlib.h"

#include "base/status.h"

#ifdef RIGOR_ZLIB

#define ZLIB_CONST /* next_in points to const bytes */

#include "base/alloc.h"

#include <zlib.h>

enum {
    RATIO_MAX = 1032,        /* most bytes that one byte of a deflate stream can stand for: 258 of two bits */
    RATIO_SLACK = 1032,      /* bytes: for the fraction of a byte at the end of the stream */
    RAW_WINDOW_BITS = -15,   /* zlib: 32 KiB of history; negative: a stream without zlib's head and checksum */
    PIECE_BYTES = 128 * 1024 /* of one call; zlib copies 32 KiB of history after each */
};

RgStatus rg_need_zlib(const char *path, RgError *error)
{
    (void)path;
    (void)error;
    return RG_OK;
}

uint32_t rg_crc32(uint32_t crc, const void *data, size_t bytes)
{
    /* zlib restarts at NULL, which no bytes may have as their address. */
    return bytes > 0 ? (uint32_t)crc32_z(crc, data, bytes) : crc;
}

static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return rg_alloc(NULL, count, size);
}

static void zlib_free(void *unused, void *block)
{
    (void)unused;
    rg_free(NULL, block);
}

static unsigned piece_of(size_t left)
{
    return left < PIECE_BYTES ? (unsigned)left : PIECE_BYTES;
}

/* Unpacks all of packed to out. Returns zlib's status: Z_STREAM_END at the end of the stream. */
static int inflate_stream(z_stream *stream, RgSpan packed, unsigned char *out, size_t size)
{
    size_t in_left = packed.size, out_left = size;
    int status = Z_OK;
    stream->next_in = packed.data;
    stream->next_out = out;
    while (status == Z_OK) {
        unsigned in = piece_of(in_left), room = piece_of(out_left);
        stream->avail_in = in;
        stream->avail_out = room;
        status = inflate(stream, Z_NO_FLUSH);
        in_left -= in - stream->avail_in;
        out_left -= room - stream->avail_out;
    }
    return status == Z_STREAM_END && out_left > 0 ? Z_DATA_ERROR : status;
}

const char *rg_inflate(RgSpan packed, uint64_t size, RgArena *arena, RgSpan *out)
{
    static const char damaged[] = "it is damaged: it cannot be unpacked";
    if (size > (uint64_t)packed.size * RATIO_MAX + RATIO_SLACK)
        return damaged;
    unsigned char *bytes = RG_ARENA_ALLOC_RAW(arena, unsigned char, size);
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (bytes == NULL || inflateInit2(&stream, RAW_WINDOW_BITS) != Z_OK)
        return "out of memory";
    int status = inflate_stream(&stream, packed, bytes, (size_t)size);
    inflateEnd(&stream);
    *out = (RgSpan){bytes, (size_t)size};
    return status == Z_STREAM_END ? NULL : status == Z_MEM_ERROR ? "out of memory" : damaged;
}

#else

RgStatus rg_need_zlib(const char *path, RgError *error)
{
    return rg_fail(error, RG_ERR_UNSUPPORTED, path, 0,
                   "this librigor was built without zlib: it neither writes nor reads NPZ and MCAP files");
}

uint32_t rg_crc32(uint32_t crc, const void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
    return crc;
}

const char *rg_inflate(RgSpan packed, uint64_t size, RgArena *arena, RgSpan *out)
{
    (void)packed;
    (void)size;
    (void)arena;
    *out = (RgSpan){.data = NULL};
    return "this librigor was built without zlib";
}

#endif
