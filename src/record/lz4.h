/*
 * lz4.h - LZ4 frames (LZ4 Frame Format 1.6.3, LZ4 Block Format), written and read without further memory but a table.
 */
#ifndef RIGOR_LZ4_H
#define RIGOR_LZ4_H

#include "record/buffer.h"

#include <rigor/base.h>

enum { RG_LZ4_TABLE = 1 << 14 }; /* places of the compressor's table */

/* Puts data behind what the buffer holds, as one frame: blocks of up to 4 MiB that do not depend on each other, with
   the content's size and checksum. table: RG_LZ4_TABLE places, whatever they hold. */
void rg_lz4_compress(RgBuffer *out, const unsigned char *data, size_t size, uint32_t *table);

/* Reads all frames in data, any that the format allows, into exactly out_size bytes. RG_ERR_SYNTAX: it is damaged, or
   of another size; what says how (may be NULL). RG_ERR_UNSUPPORTED: it needs a dictionary. */
RgStatus rg_lz4_decompress(const unsigned char *data, size_t size, unsigned char *out, size_t out_size,
                           const char **what);

#endif
