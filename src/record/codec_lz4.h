/*
 * codec_lz4.h - LZ4 frames (LZ4 Frame Format 1.6), by liblz4.
 *
 * Built without it (RIGOR_LZ4 off), rg_lz4_is_available is false and the other functions fail.
 */
#ifndef RIGOR_CODEC_LZ4_H
#define RIGOR_CODEC_LZ4_H

#include "record/cursor.h"

#include <rigor/base.h>

bool rg_lz4_is_available(void);

/* Appends data to the buffer as one frame with the content's size and checksum, of blocks of up to 4 MiB that do not
   depend on each other. The bytes may differ between versions of liblz4. */
void rg_lz4_compress(RgBuffer *out, RgSpan data);

/* Unpacks all frames of data, which must give exactly size bytes. Returns what is wrong, or NULL. */
const char *rg_lz4_decompress(RgSpan data, unsigned char *out, size_t size);

#endif
