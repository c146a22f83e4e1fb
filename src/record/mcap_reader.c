/*
 * mcap_reader.c - reads the messages of an open MCAP file (records: mcap.h).
 *
 * The segments of the file are read one after another; a chunk is read completely, unpacked and checked. Memory: the
 * largest chunk.
 *
 * A damaged chunk that ends in the zeros at the end of the file was not written completely: the recording ends before
 * it.
 *
 * Failure: wrong checksums, incomplete records, a message of an unknown channel. The next call continues after the
 * chunk.
 */
#include "base/status.h"
#include "record/codec_lz4.h"
#include "record/codec_zlib.h"
#include "record/mcap_file.h"

#define LZ4_RATIO 255u /* largest ratio of unpacked to packed bytes; bounds the memory of a hostile chunk */

void rg_recording_seek(RgRecording *r, uint64_t time)
{
    r->next = 0;
    r->records = rg_cursor(NULL, 0);
    r->at = r->stop = 0;
    r->from = time;
}

/* ------------------------------------------------------------------ messages */

/* Opens a chunk: reads, unpacks and checks it. */
static RgStatus open_chunk(RgRecording *r, const RgMcapSegment *segment, RgError *error)
{
    if (!rg_mcap_read(r, segment->place, segment->length, &r->raw))
        return rg_mcap_fail(r, segment->place, "a chunk cannot be read", error);
    RgCursor c = rg_cursor(r->raw.data, r->raw.size);
    bool is_chunk = rg_cursor_uint(&c, 1) == RG_MCAP_CHUNK && rg_cursor_uint(&c, 8) == rg_cursor_left(&c);
    rg_cursor_bytes(&c, 8 + 8);
    uint64_t size = rg_cursor_uint(&c, 8);
    uint32_t crc = (uint32_t)rg_cursor_uint(&c, 4);
    RgSpan compression = rg_cursor_block(&c);
    RgSpan packed = rg_cursor_bytes(&c, rg_cursor_uint(&c, 8));
    if (c.failed || !is_chunk)
        return rg_mcap_fail(r, segment->place, "no whole chunk begins here", error);
    RgStatus supported = rg_mcap_check_compression(r, compression, error);
    if (supported != RG_OK)
        return supported;

    bool is_packed = compression.size > 0;
    if (is_packed ? size / LZ4_RATIO > packed.size : size != packed.size)
        return rg_mcap_fail(r, segment->place, "a chunk cannot have the size that it says", error);
    RgSpan records = packed;
    if (is_packed) {
        rg_buffer_clear(&r->unpacked);
        if (!rg_buffer_reserve(&r->unpacked, (size_t)size))
            return rg_fail(error, RG_ERR_MEMORY, r->path, 0, "out of memory");
        const char *wrong = rg_lz4_decompress(packed, r->unpacked.data, (size_t)size);
        if (wrong != NULL)
            return rg_mcap_fail(r, segment->place, wrong, error);
        records = (RgSpan){r->unpacked.data, (size_t)size};
    }
    if (crc != 0 && crc != rg_crc32(0, records.data, records.size))
        return rg_mcap_fail(r, segment->place, "the checksum of a chunk is wrong", error);
    r->records = rg_cursor(records.data, records.size);
    return RG_OK;
}

/* Processes one record: a message not before r->from goes to *out, a schema or channel to the lists. */
static RgStatus read_record(RgRecording *r, uint64_t opcode, RgSpan content, uint64_t place, RgMessage *out,
                            RgError *error)
{
    RgCursor c = rg_cursor(content.data, content.size);
    if (opcode == RG_MCAP_SCHEMA && !rg_mcap_add_schema(r, c))
        return rg_mcap_fail(r, place, "a schema is not as it should be", error);
    if (opcode == RG_MCAP_CHANNEL && !rg_mcap_add_channel(r, c))
        return rg_mcap_fail(r, place, "a channel is not as it should be, or has a schema that nobody announced", error);
    if (opcode != RG_MCAP_MESSAGE)
        return RG_OK;
    uint64_t id = rg_cursor_uint(&c, 2);
    rg_cursor_uint(&c, 4);
    uint64_t time = rg_cursor_uint(&c, 8);
    rg_cursor_uint(&c, 8);
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
        uint64_t opcode = rg_cursor_uint(&r->records, 1);
        RgSpan content = rg_cursor_bytes(&r->records, rg_cursor_uint(&r->records, 8));
        status = r->records.failed ? rg_mcap_fail(r, place, "a record of a chunk is cut off", error)
                                   : read_record(r, opcode, content, place, out, error);
    }
    if (status != RG_OK)
        r->records = rg_cursor(NULL, 0);
    return status;
}

/* The next message of the open segment of other records. */
static RgStatus next_outside_chunk(RgRecording *r, RgMessage *out, RgError *error)
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
        status = there ? read_record(r, opcode, (RgSpan){r->raw.data, r->raw.size}, place, out, error)
                       : rg_mcap_fail(r, place, "a record cannot be read", error);
    }
    return status;
}

RgStatus rg_recording_next(RgRecording *r, RgMessage *out, RgError *error)
{
    *out = (RgMessage){.channel = -1};
    RgStatus status = RG_OK;
    for (;;) {
        /* First the open segment, then the next one. */
        uint64_t place = r->next > 0 ? r->segments[r->next - 1].place : 0;
        status = next_in_chunk(r, place, out, error);
        if (status == RG_OK && out->data == NULL)
            status = next_outside_chunk(r, out, error);
        if (status != RG_OK || out->data != NULL || r->next == r->nsegments)
            return status;

        const RgMcapSegment *segment = &r->segments[r->next++];
        if (!segment->is_chunk) {
            r->at = segment->place;
            r->stop = segment->place + segment->length;
        } else if (segment->last >= r->from || !r->info.has_index) {
            RgError why = {.status = RG_OK};
            status = open_chunk(r, segment, &why);
            if (status == RG_ERR_SYNTAX && segment->place + segment->length > r->written)
                continue;
            if (status != RG_OK && error != NULL)
                *error = why;
            if (status != RG_OK)
                return status;
        }
    }
}
