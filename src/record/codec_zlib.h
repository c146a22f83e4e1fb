/*
 * codec_zlib.h - CRC-32 and inflate, by zlib.
 *
 * Built without zlib (RIGOR_ZLIB off), rg_need_zlib fails; then the other functions must not be called.
 */
#ifndef RIGOR_CODEC_ZLIB_H
#define RIGOR_CODEC_ZLIB_H

#include "base/arena.h"
#include "record/cursor.h"

/* RG_ERR_UNSUPPORTED where the library was built without zlib. path: the file that needs it. */
RgStatus rg_need_zlib(const char *path, RgError *error);

/* CRC-32 of ZIP, PNG and MCAP (ISO 3309), continued from the CRC of the preceding bytes; 0 at the start. */
uint32_t rg_crc32(uint32_t crc, const void *data, size_t bytes);

/* Unpacks a raw deflate stream (RFC 1951) of exactly size bytes into the arena. Returns what is wrong, or NULL. */
const char *rg_inflate(RgSpan packed, uint64_t size, RgArena *arena, RgSpan *out);

#endif
