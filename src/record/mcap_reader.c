/*
 * mcap_reader.c - messages out of an MCAP file that is open (records: mcap.h).
 *
 * Messages are read from one stretch of the file after the other; a chunk is read whole, unpacked and checked. Memory:
 * the largest chunk.
 *
 * A chunk that is damaged and ends in the zeros at the end of a file was not written whole: the recording ends before
 * it.
 *
 * Failure: wrong checksums, records that are cut off, a message of a channel that nobody announced. Reading goes on
 * behind the chunk.
 */
#include "base/status.h"
#include "record/codec_lz4.h"
#include "record/codec_zlib.h"
#include "record/mcap_file.h"

#define LZ4_RATIO 255u /* bytes that a byte of LZ4 can stand for */

void rg_recording_seek(RgRecording *r, uint64_t time)
{
    r->next = 0;
    r->records = rg_cursor(NULL, 0);
    r->at = r->stop = 0;
    r->from = time;
}

/* ------------------------------------------------------------------ messages */

/* Reads, unpacks and checks a chunk. */
static RgStatus open_chunk(RgRecording *r, const RgStretch *stretch, RgError *error)
{
    if (!rg_mcap_read(r, stretch->place, stretch->length, &r->raw))
        return rg_mcap_fail(r, stretch->place, "a chunk cannot be read", error);
    RgCursor c = rg_cursor(r->raw.data, r->raw.size);
    bool is_chunk = rg_take_uint(&c, 1) == RG_MCAP_CHUNK && rg_take_uint(&c, 8) == rg_cursor_left(&c);
    rg_take_bytes(&c, 8 + 8);
    uint64_t size = rg_take_uint(&c, 8);
    uint32_t crc = (uint32_t)rg_take_uint(&c, 4);
    RgSpan compression = rg_take_block(&c);
    RgSpan packed = rg_take_bytes(&c, rg_take_uint(&c, 8));
    if (c.failed || !is_chunk)
        return rg_mcap_fail(r, stretch->place, "no whole chunk begins here", error);
    RgStatus known = rg_mcap_check_compression(r, compression, error);
    if (known != RG_OK)
        return known;

    bool is_packed = compression.size > 0;
    if (is_packed ? size / LZ4_RATIO > packed.size : size != packed.size)
        return rg_mcap_fail(r, stretch->place, "a chunk cannot have the size that it says", error);
    RgSpan records = packed;
    if (is_packed) {
        rg_buffer_clear(&r->unpacked);
        if (!rg_buffer_reserve(&r->unpacked, (size_t)size))
            return rg_fail(error, RG_ERR_MEMORY, r->path, 0, "out of memory");
        const char *wrong = rg_lz4_decompress(packed, r->unpacked.data, (size_t)size);
        if (wrong != NULL)
            return rg_mcap_fail(r, stretch->place, wrong, error);
        records = (RgSpan){r->unpacked.data, (size_t)size};
    }
    if (crc != 0 && crc != rg_crc32(0, records.data, records.size))
        return rg_mcap_fail(r, stretch->place, "the checksum of a chunk is wrong", error);
    r->records = rg_cursor(records.data, records.size);
    return RG_OK;
}

/* One record: a message goes to *out if it is late enough, a schema or channel to the lists. */
static RgStatus take_record(RgRecording *r, uint64_t opcode, RgSpan content, uint64_t place, RgMessage *out,
                            RgError *error)
{
    RgCursor c = rg_cursor(content.data, content.size);
    if (opcode == RG_MCAP_SCHEMA && !rg_mcap_add_schema(r, c))
        return rg_mcap_fail(r, place, "a schema is not as it should be", error);
    if (opcode == RG_MCAP_CHANNEL && !rg_mcap_add_channel(r, c))
        return rg_mcap_fail(r, place, "a channel is not as it should be, or has a schema that nobody announced", error);
    if (opcode != RG_MCAP_MESSAGE)
        return RG_OK;
    uint64_t id = rg_take_uint(&c, 2);
    rg_take_uint(&c, 4);
    uint64_t time = rg_take_uint(&c, 8);
    rg_take_uint(&c, 8);
    if (c.failed)
        return rg_mcap_fail(r, place, "a message is cut off", error);
    const RgMcapChannel *channel = rg_id_find(&r->channel_of_id, id);
    if (channel == NULL)
        return rg_mcap_fail(r, place, "a message of a channel that nobody announced", error);
    if (time >= r->from)
        *out = (RgMessage){.channel = channel->index, .time = time, .data = c.at, .size = rg_cursor_left(&c)};
    return RG_OK;
}

/* The next message of the open chunk. */
static RgStatus next_in_chunk(RgRecording *r, uint64_t place, RgMessage *out, RgError *error)
{
    RgStatus status = RG_OK;
    while (status == RG_OK && out->data == NULL && rg_cursor_left(&r->records) > 0) {
        uint64_t opcode = rg_take_uint(&r->records, 1);
        RgSpan content = rg_take_bytes(&r->records, rg_take_uint(&r->records, 8));
        status = r->records.failed ? rg_mcap_fail(r, place, "a record of a chunk is cut off", error)
                                   : take_record(r, opcode, content, place, out, error);
    }
    if (status != RG_OK)
        r->records = rg_cursor(NULL, 0);
    return status;
}

/* The next message of the open run. */
static RgStatus next_in_run(RgRecording *r, RgMessage *out, RgError *error)
{
    RgStatus status = RG_OK;
    while (status == RG_OK && out->data == NULL && r->at < r->stop) {
        uint64_t place = r->at, length = 0, opcode = 0;
        bool there = rg_mcap_read(r, place, RG_MCAP_RECORD_HEAD, &r->raw);
        if (there) {
            opcode = r->raw.data[0];
            length = rg_read_uint(r->raw.data + 1, 8);
            there = rg_mcap_read(r, place + RG_MCAP_RECORD_HEAD, length, &r->raw);
        }
        r->at = there ? place + RG_MCAP_RECORD_HEAD + length : r->stop;
        status = there ? take_record(r, opcode, (RgSpan){r->raw.data, r->raw.size}, place, out, error)
                       : rg_mcap_fail(r, place, "a record cannot be read", error);
    }
    return status;
}

RgStatus rg_recording_next(RgRecording *r, RgMessage *out, RgError *error)
{
    *out = (RgMessage){.channel = -1};
    RgStatus status = RG_OK;
    for (;;) {
        /* What is open first. */
        uint64_t place = r->next > 0 ? r->stretches[r->next - 1].place : 0;
        status = next_in_chunk(r, place, out, error);
        if (status == RG_OK && out->data == NULL)
            status = next_in_run(r, out, error);
        if (status != RG_OK || out->data != NULL || r->next == r->nstretches)
            return status;

        const RgStretch *stretch = &r->stretches[r->next++];
        if (!stretch->is_chunk) {
            r->at = stretch->place;
            r->stop = stretch->place + stretch->length;
        } else if (stretch->last >= r->from || !r->info.has_index) {
            RgError why = {.status = RG_OK};
            status = open_chunk(r, stretch, &why);
            if (status == RG_ERR_SYNTAX && stretch->place + stretch->length > r->written)
                continue;
            if (status != RG_OK && error != NULL)
                *error = why;
            if (status != RG_OK)
                return status;
        }
    }
}
