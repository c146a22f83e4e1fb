/*
 * mcap_writer.c - writes messages to an MCAP file, chunk by chunk (records: mcap.h).
 *
 *   data section   schemas and channels | chunk, its message indexes | chunk, its message indexes | ...
 *   summary        schemas | channels | statistics | chunk indexes | offsets of these groups
 *
 * Chunks are LZ4 frames (uncompressed if the library was built without LZ4) with a CRC of their content. The file is
 * written from front to back, so that it may be a pipe; without an index file the summary has no chunk indexes, which
 * readers support.
 *
 * Failure: a write fails, or out of memory. Everything after it is left out.
 */
#include "record/mcap_writer.h"

#include "record/codec_lz4.h"
#include "record/codec_zlib.h"
#include "record/mcap.h"

#include <string.h>

enum { COPY_BYTES = 65536 }; /* of one block of the index file */

/* ------------------------------------------------------------------ bytes */

static void write_bytes(RgMcapWriter *w, const void *data, size_t bytes)
{
    if (w->failed)
        return;
    w->failed = fwrite(data, 1, bytes, w->file) != bytes;
    w->crc = rg_crc32(w->crc, data, bytes);
    w->at += bytes;
}

static void write_buffer(RgMcapWriter *w, const RgBuffer *buffer)
{
    w->failed = w->failed || buffer->failed;
    write_bytes(w, buffer->data, buffer->size);
}

static void put_string(RgBuffer *out, const char *text)
{
    rg_buffer_put_uint(out, strlen(text), 4);
    rg_buffer_put_text(out, text);
}

/* Writes the head of a record; close_record fills in its length. Returns the place of the head. */
static size_t open_record(RgBuffer *out, RgMcapOpcode opcode)
{
    size_t place = out->size;
    rg_buffer_put_uint(out, opcode, 1);
    rg_buffer_put_uint(out, 0, 8);
    return place;
}

static void close_record(RgBuffer *out, size_t place)
{
    rg_buffer_set_uint(out, place + 1, out->size - place - RG_MCAP_RECORD_HEAD, 8);
}

/* ------------------------------------------------------------------ schemas, channels */

static void put_schema(RgBuffer *out, const RgMcapChannelState *state)
{
    size_t place = open_record(out, RG_MCAP_SCHEMA);
    rg_buffer_put_uint(out, state->schema, 2);
    put_string(out, state->channel.schema_name);
    put_string(out, state->channel.schema_encoding);
    put_string(out, state->channel.schema);
    close_record(out, place);
}

static void put_channel(RgBuffer *out, const RgMcapChannelState *state, int id)
{
    size_t place = open_record(out, RG_MCAP_CHANNEL);
    rg_buffer_put_uint(out, (uint64_t)id, 2);
    rg_buffer_put_uint(out, state->schema, 2);
    put_string(out, state->channel.topic);
    put_string(out, state->channel.encoding);
    rg_buffer_put_uint(out, 0, 4);
    close_record(out, place);
}

/* Whether a channel is the first one with its schema. */
static bool is_first_of_schema(const RgMcapWriter *w, int channel)
{
    return w->channels[channel].schema == channel + 1;
}

static void put_schemas(RgMcapWriter *w, RgBuffer *out)
{
    for (int i = 0; i < w->nchannels; i++)
        if (is_first_of_schema(w, i))
            put_schema(out, &w->channels[i]);
}

static void put_channels(RgMcapWriter *w, RgBuffer *out)
{
    for (int i = 0; i < w->nchannels; i++)
        put_channel(out, &w->channels[i], i);
}

/* Assigns ids to schemas: the index of the first channel with the schema, plus one. */
static void assign_schema_ids(RgMcapWriter *w)
{
    for (int i = 0; i < w->nchannels; i++) {
        w->channels[i].channel = rg_channel(i);
        for (int k = i; k >= 0; k--)
            if (strcmp(w->channels[k].channel.schema_name, w->channels[i].channel.schema_name) == 0)
                w->channels[i].schema = (uint16_t)(k + 1);
    }
}

bool rg_mcap_begin(RgMcapWriter *w, FILE *file, FILE *indexes, RgArena *arena)
{
    *w = (RgMcapWriter){.file = file, .indexes = indexes, .nchannels = rg_channel_count()};
    w->channels = RG_ARENA_ALLOC(arena, RgMcapChannelState, w->nchannels);
    if (arena->failed)
        return false;
    assign_schema_ids(w);

    RgBuffer *out = &w->packed;
    rg_buffer_put(out, RG_MCAP_MAGIC, RG_MCAP_MAGIC_SIZE);
    size_t place = open_record(out, RG_MCAP_HEADER);
    put_string(out, "");
    rg_buffer_put_uint(out, strlen("rigor ") + strlen(rg_version()), 4);
    rg_buffer_put_text(out, "rigor ");
    rg_buffer_put_text(out, rg_version());
    close_record(out, place);
    put_schemas(w, out);
    put_channels(w, out);
    write_buffer(w, out);
    return !w->failed && fflush(file) == 0;
}

/* ------------------------------------------------------------------ chunks */

static const char *compression_name(void)
{
    return rg_lz4_is_available() ? "lz4" : "";
}

static void put_content(RgBuffer *out, RgSpan records)
{
    if (rg_lz4_is_available())
        rg_lz4_compress(out, records);
    else
        rg_buffer_put(out, records.data, records.size);
}

/* Writes the index of a channel's messages in the chunk, and its place to the map of the chunk index. */
static void put_message_index(RgMcapWriter *w, int channel, uint64_t base, RgBuffer *out, RgBuffer *map)
{
    RgBuffer *index = &w->channels[channel].index;
    w->failed = w->failed || index->failed;
    if (index->size == 0)
        return;
    rg_buffer_put_uint(map, (uint64_t)channel, 2);
    rg_buffer_put_uint(map, base + out->size, 8);
    size_t place = open_record(out, RG_MCAP_MESSAGE_INDEX);
    rg_buffer_put_uint(out, (uint64_t)channel, 2);
    rg_buffer_put_uint(out, index->size, 4);
    rg_buffer_put(out, index->data, index->size);
    close_record(out, place);
    rg_buffer_clear(index);
}

typedef struct ChunkPlace {
    uint64_t start, length, compressed;
} ChunkPlace;

static void store_chunk_index(RgMcapWriter *w, const ChunkPlace *chunk, const RgBuffer *map, uint64_t length)
{
    RgBuffer *out = &w->packed;
    rg_buffer_clear(out);
    size_t place = open_record(out, RG_MCAP_CHUNK_INDEX);
    rg_buffer_put_uint(out, w->first, 8);
    rg_buffer_put_uint(out, w->last, 8);
    rg_buffer_put_uint(out, chunk->start, 8);
    rg_buffer_put_uint(out, chunk->length, 8);
    rg_buffer_put_uint(out, map->size, 4);
    rg_buffer_put(out, map->data, map->size);
    rg_buffer_put_uint(out, length, 8);
    put_string(out, compression_name());
    rg_buffer_put_uint(out, chunk->compressed, 8);
    rg_buffer_put_uint(out, w->records.size, 8);
    close_record(out, place);
    w->failed = w->failed || out->failed || map->failed || fwrite(out->data, 1, out->size, w->indexes) != out->size;
}

/* Writes the chunk and its message indexes to the file, and its chunk index to the index file. */
static void end_chunk(RgMcapWriter *w)
{
    if (w->records.size == 0)
        return;
    RgBuffer *out = &w->packed, map = {.data = NULL};
    ChunkPlace chunk = {.start = w->at};
    rg_buffer_clear(out);
    size_t place = open_record(out, RG_MCAP_CHUNK);
    rg_buffer_put_uint(out, w->first, 8);
    rg_buffer_put_uint(out, w->last, 8);
    rg_buffer_put_uint(out, w->records.size, 8);
    rg_buffer_put_uint(out, rg_crc32(0, w->records.data, w->records.size), 4);
    put_string(out, compression_name());
    size_t length = out->size;
    rg_buffer_put_uint(out, 0, 8);
    put_content(out, (RgSpan){w->records.data, w->records.size});
    chunk.compressed = out->size - length - 8;
    rg_buffer_set_uint(out, length, chunk.compressed, 8);
    close_record(out, place);
    chunk.length = out->size;

    for (int i = 0; i < w->nchannels; i++)
        put_message_index(w, i, chunk.start, out, &map);
    write_buffer(w, out);
    w->failed = w->failed || w->records.failed || fflush(w->file) != 0;
    if (w->indexes != NULL)
        store_chunk_index(w, &chunk, &map, out->size - chunk.length);
    rg_buffer_free(&map);
    rg_buffer_clear(&w->records);
    w->chunks++;
}

bool rg_mcap_add(RgMcapWriter *w, const RgMessage *message)
{
    RgBuffer *out = &w->records;
    RgMcapChannelState *state = &w->channels[message->channel];
    uint64_t time = message->time;
    if (out->size == 0)
        w->first = w->last = time;
    if (w->messages == 0)
        w->file_first = w->file_last = time;
    w->first = time < w->first ? time : w->first;
    w->last = time > w->last ? time : w->last;
    w->file_first = time < w->file_first ? time : w->file_first;
    w->file_last = time > w->file_last ? time : w->file_last;
    w->messages++;
    state->messages++;

    rg_buffer_put_uint(&state->index, time, 8);
    rg_buffer_put_uint(&state->index, out->size, 8);
    rg_buffer_put_uint(out, RG_MCAP_MESSAGE, 1);
    rg_buffer_put_uint(out, RG_MCAP_MESSAGE_HEAD + (uint64_t)message->size, 8);
    rg_buffer_put_uint(out, (uint64_t)message->channel, 2);
    rg_buffer_put_uint(out, state->sequence++, 4);
    rg_buffer_put_uint(out, time, 8);
    rg_buffer_put_uint(out, time, 8);
    rg_buffer_put(out, message->data, message->size);
    w->failed = w->failed || out->failed || state->index.failed;
    if (out->size >= RG_MCAP_CHUNK_BYTES || w->last - w->first >= RG_MCAP_CHUNK_TIME)
        end_chunk(w);
    return !w->failed;
}

bool rg_mcap_flush(RgMcapWriter *w)
{
    end_chunk(w);
    return !w->failed;
}

/* ------------------------------------------------------------------ summary */

static void put_statistics(RgMcapWriter *w, RgBuffer *out)
{
    uint64_t schemas = 0, used = 0;
    for (int i = 0; i < w->nchannels; i++) {
        schemas += is_first_of_schema(w, i);
        used += w->channels[i].messages > 0;
    }
    size_t place = open_record(out, RG_MCAP_STATISTICS);
    rg_buffer_put_uint(out, w->messages, 8);
    rg_buffer_put_uint(out, schemas, 2);
    rg_buffer_put_uint(out, (uint64_t)w->nchannels, 4);
    rg_buffer_put_uint(out, 0, 4);
    rg_buffer_put_uint(out, 0, 4);
    rg_buffer_put_uint(out, w->chunks, 4);
    rg_buffer_put_uint(out, w->file_first, 8);
    rg_buffer_put_uint(out, w->file_last, 8);
    rg_buffer_put_uint(out, 10 * used, 4);
    for (int i = 0; i < w->nchannels; i++) {
        if (w->channels[i].messages == 0)
            continue;
        rg_buffer_put_uint(out, (uint64_t)i, 2);
        rg_buffer_put_uint(out, w->channels[i].messages, 8);
    }
    close_record(out, place);
}

/* Copies the chunk indexes from their file. */
static void copy_indexes(RgMcapWriter *w)
{
    RgBuffer *out = &w->packed;
    rg_buffer_clear(out);
    if (w->indexes == NULL || w->failed || !rg_buffer_reserve(out, COPY_BYTES))
        return;
    w->failed = fflush(w->indexes) != 0 || fseek(w->indexes, 0, SEEK_SET) != 0;
    size_t bytes = 1;
    while (bytes > 0 && !w->failed) {
        bytes = fread(out->data, 1, COPY_BYTES, w->indexes);
        write_bytes(w, out->data, bytes);
    }
    w->failed = w->failed || ferror(w->indexes) != 0;
}

static void put_offset(RgBuffer *out, RgMcapOpcode group, uint64_t start, uint64_t end)
{
    if (end == start)
        return;
    size_t place = open_record(out, RG_MCAP_SUMMARY_OFFSET);
    rg_buffer_put_uint(out, group, 1);
    rg_buffer_put_uint(out, start, 8);
    rg_buffer_put_uint(out, end - start, 8);
    close_record(out, place);
}

/* Writes one group of the summary. Returns its end in the file. */
static uint64_t write_group(RgMcapWriter *w, void (*put)(RgMcapWriter *, RgBuffer *))
{
    rg_buffer_clear(&w->packed);
    put(w, &w->packed);
    write_buffer(w, &w->packed);
    return w->at;
}

static void write_end(RgMcapWriter *w)
{
    RgBuffer *out = &w->packed;
    rg_buffer_clear(out);
    size_t place = open_record(out, RG_MCAP_DATA_END);
    rg_buffer_put_uint(out, w->crc, 4);
    close_record(out, place);
    write_buffer(w, out);

    w->crc = 0;
    uint64_t start = w->at;
    uint64_t schemas = write_group(w, put_schemas), channels = write_group(w, put_channels);
    uint64_t statistics = write_group(w, put_statistics);
    copy_indexes(w);
    uint64_t offsets = w->at;
    rg_buffer_clear(out);
    put_offset(out, RG_MCAP_SCHEMA, start, schemas);
    put_offset(out, RG_MCAP_CHANNEL, schemas, channels);
    put_offset(out, RG_MCAP_STATISTICS, channels, statistics);
    put_offset(out, RG_MCAP_CHUNK_INDEX, statistics, offsets);

    /* The checksum takes in the footer up to itself. */
    rg_buffer_put_uint(out, RG_MCAP_FOOTER, 1);
    rg_buffer_put_uint(out, RG_MCAP_FOOTER_SIZE, 8);
    rg_buffer_put_uint(out, start, 8);
    rg_buffer_put_uint(out, offsets, 8);
    write_buffer(w, out);
    rg_buffer_clear(out);
    rg_buffer_put_uint(out, w->crc, 4);
    rg_buffer_put(out, RG_MCAP_MAGIC, RG_MCAP_MAGIC_SIZE);
    write_buffer(w, out);
}

bool rg_mcap_finish(RgMcapWriter *w)
{
    end_chunk(w);
    write_end(w);
    return !w->failed && fflush(w->file) == 0;
}

void rg_mcap_writer_free(RgMcapWriter *w)
{
    for (int i = 0; i < w->nchannels && w->channels != NULL; i++)
        rg_buffer_free(&w->channels[i].index);
    rg_buffer_free(&w->records);
    rg_buffer_free(&w->packed);
}
