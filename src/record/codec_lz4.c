/*
 * codec_lz4.c - LZ4 frames, by liblz4.
 *
 * Reading takes what the format allows: blocks of all sizes, dependent ones too, checksums, frames to skip, several
 * frames in a row. liblz4 allocates its memory by malloc: up to 8 MiB, whatever a frame says of itself.
 *
 * Failure of rg_lz4_decompress: wrong magic, checksum or size, data that end too early, matches that reach outside the
 * frame.
 */
#include "record/codec_lz4.h"

#ifdef RIGOR_LZ4

#include <lz4frame.h>

bool rg_lz4_is_available(void)
{
    return true;
}

void rg_lz4_compress(RgBuffer *out, RgSpan data)
{
    const LZ4F_preferences_t preferences = {.frameInfo = {.blockSizeID = LZ4F_max4MB,
                                                          .blockMode = LZ4F_blockIndependent,
                                                          .contentChecksumFlag = LZ4F_contentChecksumEnabled,
                                                          .contentSize = data.size}};
    size_t room = LZ4F_compressFrameBound(data.size, &preferences);
    if (!rg_buffer_reserve(out, room))
        return;
    size_t bytes = LZ4F_compressFrame(out->data + out->size, room, data.data, data.size, &preferences);
    out->failed = out->failed || LZ4F_isError(bytes);
    out->size += out->failed ? 0 : bytes;
}

/* Reads frame after frame, until the data end or a call makes no progress. */
static const char *read_frames(LZ4F_dctx *context, RgSpan data, unsigned char *out, size_t size)
{
    const LZ4F_decompressOptions_t options = {.stableDst = 1};
    size_t read = 0, written = 0, missing = 0; /* missing: 0 at the end of a frame */
    for (bool progress = true; progress && read < data.size;) {
        size_t bytes = data.size - read, room = size - written;
        missing = LZ4F_decompress(context, out + written, &room, data.data + read, &bytes, &options);
        if (LZ4F_isError(missing))
            return "its LZ4 data cannot be unpacked";
        read += bytes;
        written += room;
        progress = bytes > 0 || room > 0;
    }
    if (read < data.size)
        return "its LZ4 data give more bytes than announced";
    return missing == 0 && written == size ? NULL : "its LZ4 data end too early";
}

const char *rg_lz4_decompress(RgSpan data, unsigned char *out, size_t size)
{
    unsigned char nothing; /* an address for no content, which may come without one */
    LZ4F_dctx *context = NULL;
    const char *wrong = "out of memory";
    if (!LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        wrong = read_frames(context, data, size > 0 ? out : &nothing, size);
    LZ4F_freeDecompressionContext(context);
    return wrong;
}

#else

bool rg_lz4_is_available(void)
{
    return false;
}

void rg_lz4_compress(RgBuffer *out, RgSpan data)
{
    (void)data;
    out->failed = true;
}

const char *rg_lz4_decompress(RgSpan data, unsigned char *out, size_t size)
{
    (void)data;
    (void)out;
    (void)size;
    return "this librigor was built without LZ4";
}

#endif
