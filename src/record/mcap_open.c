/*
 * mcap_open.c - opens an MCAP file (records: mcap.h).
 *
 *   1. Check the magic at the beginning.
 *   2. If the file ends in a footer and the checksum of the summary is right, read schemas, channels and places of
 *      chunks from the summary.
 *   3. Otherwise walk from record to record, up to the end of the file or the first incomplete record.
 *
 * After a power cut a file may have its full length, but zeros in place of its last bytes. No record begins with a
 * zero, so the walk ends there. If the zeros begin within a chunk, its checksum shows whether they belong to it
 * (mcap_reader.c); any other record in which they begin is left out.
 *
 * The result is a list of segments of the file: chunks, and successive records outside chunks.
 *
 * Failure: not an MCAP; a compression other than LZ4; impossible sizes. Sizes are compared with that of the file before
 * memory is allocated.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/alloc.h"
#include "base/status.h"
#include "record/codec_lz4.h"
#include "record/codec_zlib.h"
#include "record/mcap_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    CHUNK_HEAD = 8 + 8 + 8 + 4 + 4, /* bytes of a chunk before the name of its compression */
    COMPRESSION_MAX = 16,           /* bytes of that name; longer ones are not read */
    TAIL_BLOCK = 65536              /* bytes that are read at once from the end of the file */
};

RgStatus rg_mcap_fail(const RgRecording *r, uint64_t place, const char *what, RgError *error)
{
    return rg_fail(error, RG_ERR_SYNTAX, r->path, 0, "damaged at byte %llu: %s", (unsigned long long)place, what);
}

bool rg_mcap_read(RgRecording *r, uint64_t place, uint64_t bytes, RgBuffer *out)
{
    rg_buffer_clear(out);
    if (place > r->size || bytes > r->size - place || !rg_buffer_reserve(out, (size_t)bytes) ||
        fseeko(r->file, (off_t)place, SEEK_SET) != 0)
        return false;
    out->size = fread(out->data, 1, (size_t)bytes, r->file);
    return out->size == bytes;
}

/* ------------------------------------------------------------------ schemas, channels */

/* False: out of memory. */
static bool set_id(RgIdTable *table, RgArena *arena, uint64_t id, void *thing)
{
    void ***page = &table->page[id / RG_ID_PAGE];
    if (*page == NULL)
        *page = RG_ARENA_ALLOC(arena, void *, RG_ID_PAGE);
    if (*page == NULL || thing == NULL)
        return false;
    (*page)[id % RG_ID_PAGE] = thing;
    return true;
}

static const char *copy_text(RgRecording *r, RgSpan span)
{
    char *text = RG_ARENA_ALLOC(&r->arena, char, span.size + 1);
    if (text != NULL && span.size > 0)
        memcpy(text, span.data, span.size);
    return text;
}

bool rg_mcap_add_schema(RgRecording *r, RgCursor c)
{
    uint64_t id = rg_cursor_uint(&c, 2);
    RgSpan name = rg_cursor_block(&c), encoding = rg_cursor_block(&c), data = rg_cursor_block(&c);
    if (c.failed || id == 0)
        return false;
    if (rg_id_find(&r->schema_of_id, id) != NULL)
        return true;
    RgMcapSchema *schema = RG_ARENA_ALLOC(&r->arena, RgMcapSchema, 1);
    if (schema != NULL)
        *schema = (RgMcapSchema){copy_text(r, name), copy_text(r, encoding), copy_text(r, data), data.size};
    return set_id(&r->schema_of_id, &r->arena, id, schema) && !r->arena.failed;
}

bool rg_mcap_add_channel(RgRecording *r, RgCursor c)
{
    static const RgMcapSchema none = {"", "", "", 0};
    uint64_t id = rg_cursor_uint(&c, 2), schema_id = rg_cursor_uint(&c, 2);
    RgSpan topic = rg_cursor_block(&c), encoding = rg_cursor_block(&c);
    const RgMcapSchema *schema = schema_id > 0 ? rg_id_find(&r->schema_of_id, schema_id) : &none;
    if (c.failed || schema == NULL)
        return false;
    if (rg_id_find(&r->channel_of_id, id) != NULL)
        return true;
    if (r->info.channels == r->room) {
        int room = r->room > 0 ? 2 * r->room : 16;
        void *grown = rg_realloc(NULL, r->channels, (size_t)r->room, (size_t)room, sizeof *r->channels);
        if (grown == NULL)
            return false;
        r->channels = grown;
        r->room = room;
    }
    RgMcapChannel *channel = RG_ARENA_ALLOC(&r->arena, RgMcapChannel, 1);
    if (!set_id(&r->channel_of_id, &r->arena, id, channel))
        return false;
    *channel = (RgMcapChannel){.face = {.topic = copy_text(r, topic),
                                        .encoding = copy_text(r, encoding),
                                        .schema_name = schema->name,
                                        .schema_encoding = schema->encoding,
                                        .schema = schema->data,
                                        .schema_size = schema->size},
                               .index = r->info.channels};
    r->channels[r->info.channels++] = channel;
    return !r->arena.failed;
}

/* ------------------------------------------------------------------ segments */

static bool add_segment(RgRecording *r, RgMcapSegment segment)
{
    if (r->segments == NULL || r->nsegments == r->segment_room) {
        size_t room = r->segment_room > 0 ? 2 * r->segment_room : 64;
        RgMcapSegment *grown = rg_realloc(NULL, r->segments, r->segment_room, room, sizeof *grown);
        if (grown == NULL)
            return false;
        r->segments = grown;
        r->segment_room = room;
    }
    r->segments[r->nsegments++] = segment;
    return true;
}

/* Counts a chunk, and extends the times of the recording by those in its head. */
static void add_times(RgRecording *r, uint64_t first, uint64_t last)
{
    bool is_first = r->info.chunks == 0;
    r->info.first = is_first || first < r->info.first ? first : r->info.first;
    r->info.last = is_first || last > r->info.last ? last : r->info.last;
    r->info.chunks++;
}

RgStatus rg_mcap_check_compression(const RgRecording *r, RgSpan name, RgError *error)
{
    bool is_lz4 = rg_span_is(name, "lz4");
    if (rg_span_is(name, "") || (is_lz4 && rg_lz4_is_available()))
        return RG_OK;
    if (is_lz4)
        return rg_fail(error, RG_ERR_UNSUPPORTED, r->path, 0,
                       "its chunks are compressed by LZ4, and this librigor was built without LZ4: "
                       "convert it with 'mcap decompress'");
    int length = name.size < COMPRESSION_MAX ? (int)name.size : COMPRESSION_MAX;
    return rg_fail(error, RG_ERR_UNSUPPORTED, r->path, 0,
                   "its chunks are compressed by '%.*s'; only lz4 and uncompressed chunks can be read: "
                   "convert it with 'mcap compress --compression lz4'",
                   length, (const char *)name.data);
}

/* ------------------------------------------------------------------ the index */

static RgStatus add_chunk_index(RgRecording *r, RgCursor c, RgError *error)
{
    uint64_t first = rg_cursor_uint(&c, 8), last = rg_cursor_uint(&c, 8);
    uint64_t place = rg_cursor_uint(&c, 8), length = rg_cursor_uint(&c, 8);
    rg_cursor_block(&c);
    rg_cursor_uint(&c, 8);
    RgSpan compression = rg_cursor_block(&c);
    if (c.failed || place > r->size || length > r->size - place || length < RG_MCAP_RECORD_HEAD + CHUNK_HEAD)
        return RG_ERR_SYNTAX;
    RgStatus status = rg_mcap_check_compression(r, compression, error);
    if (status != RG_OK)
        return status;
    add_times(r, first, last);
    return add_segment(r, (RgMcapSegment){true, place, length, last}) ? RG_OK : RG_ERR_MEMORY;
}

/* Reads the records of the summary. RG_ERR_SYNTAX: it is damaged, and the file must be walked. */
static RgStatus read_summary(RgRecording *r, RgCursor c, uint64_t *messages, RgError *error)
{
    RgStatus status = RG_OK;
    while (rg_cursor_left(&c) > 0 && status == RG_OK) {
        uint64_t opcode = rg_cursor_uint(&c, 1);
        RgSpan content = rg_cursor_bytes(&c, rg_cursor_uint(&c, 8));
        if (c.failed)
            return RG_ERR_SYNTAX;
        RgCursor record = rg_cursor(content.data, content.size);
        if (opcode == RG_MCAP_SCHEMA)
            status = rg_mcap_add_schema(r, record) ? RG_OK : RG_ERR_SYNTAX;
        else if (opcode == RG_MCAP_CHANNEL)
            status = rg_mcap_add_channel(r, record) ? RG_OK : RG_ERR_SYNTAX;
        else if (opcode == RG_MCAP_CHUNK_INDEX)
            status = add_chunk_index(r, record, error);
        else if (opcode == RG_MCAP_STATISTICS)
            *messages = rg_cursor_uint(&record, 8);
    }
    return status;
}

/* Discards the contents of a damaged index. */
static void discard_index(RgRecording *r)
{
    r->nsegments = 0;
    r->info = (RgRecordingInfo){.channels = 0};
    r->channel_of_id = r->schema_of_id = (RgIdTable){.page = {NULL}};
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = ((const RgMcapSegment *)a)->place, y = ((const RgMcapSegment *)b)->place;
    return (x > y) - (x < y);
}

/* RG_OK: the index is read. RG_ERR_SYNTAX: there is none, or it is damaged. */
static RgStatus open_index(RgRecording *r, RgError *error)
{
    const uint64_t tail = RG_MCAP_RECORD_HEAD + RG_MCAP_FOOTER_SIZE + RG_MCAP_MAGIC_SIZE;
    if (r->size < RG_MCAP_MAGIC_SIZE + tail || !rg_mcap_read(r, r->size - tail, tail, &r->raw))
        return RG_ERR_SYNTAX;
    RgCursor c = rg_cursor(r->raw.data, r->raw.size);
    bool is_footer = rg_cursor_uint(&c, 1) == RG_MCAP_FOOTER && rg_cursor_uint(&c, 8) == RG_MCAP_FOOTER_SIZE;
    uint64_t start = rg_cursor_uint(&c, 8), crc_place = r->size - RG_MCAP_MAGIC_SIZE - 4;
    rg_cursor_uint(&c, 8);
    uint32_t crc = (uint32_t)rg_cursor_uint(&c, 4);
    if (!is_footer || memcmp(c.at, RG_MCAP_MAGIC, RG_MCAP_MAGIC_SIZE) != 0)
        return RG_ERR_SYNTAX;
    r->info.is_whole = true;
    if (start < RG_MCAP_MAGIC_SIZE || start > r->size - tail || !rg_mcap_read(r, start, crc_place - start, &r->raw) ||
        (crc != 0 && crc != rg_crc32(0, r->raw.data, r->raw.size)))
        return RG_ERR_SYNTAX;

    uint64_t messages = UINT64_MAX;
    size_t size = r->raw.size - (RG_MCAP_RECORD_HEAD + RG_MCAP_FOOTER_SIZE - 4);
    RgStatus status = read_summary(r, rg_cursor(r->raw.data, size), &messages, error);
    if (status == RG_OK && r->nsegments == 0 && messages != 0)
        return RG_ERR_SYNTAX;
    if (r->nsegments > 0)
        qsort(r->segments, r->nsegments, sizeof *r->segments, compare_places);
    r->info.has_index = status == RG_OK;
    return status;
}

/* ------------------------------------------------------------------ the walk */

/* Adds a chunk as a segment, with times and compression from its head. */
static RgStatus walk_chunk(RgRecording *r, uint64_t place, uint64_t length, RgError *error)
{
    uint64_t head = length < CHUNK_HEAD + COMPRESSION_MAX ? length : CHUNK_HEAD + COMPRESSION_MAX;
    if (!rg_mcap_read(r, place + RG_MCAP_RECORD_HEAD, head, &r->raw))
        return rg_mcap_fail(r, place, "a chunk cannot be read", error);
    RgCursor c = rg_cursor(r->raw.data, r->raw.size);
    uint64_t first = rg_cursor_uint(&c, 8), last = rg_cursor_uint(&c, 8);
    rg_cursor_bytes(&c, 8 + 4);
    RgSpan compression = rg_cursor_block(&c);
    uint64_t head_size = c.failed ? head : CHUNK_HEAD + compression.size;
    if (place + RG_MCAP_RECORD_HEAD + head_size > r->written)
        return RG_OK; /* its head is incomplete */
    if (c.failed)
        return rg_mcap_fail(r, place, "a chunk without an end", error);
    RgStatus status = rg_mcap_check_compression(r, compression, error);
    if (status != RG_OK)
        return status;
    add_times(r, first, last);
    return add_segment(r, (RgMcapSegment){true, place, RG_MCAP_RECORD_HEAD + length, last})
               ? RG_OK
               : rg_fail(error, RG_ERR_MEMORY, r->path, 0, "out of memory");
}

/* Adds a record outside chunks to the segment that it follows, or as a new segment. */
static RgStatus walk_other(RgRecording *r, uint64_t place, uint64_t length, RgError *error)
{
    RgMcapSegment *last = r->nsegments > 0 ? &r->segments[r->nsegments - 1] : NULL;
    if (last != NULL && !last->is_chunk && last->place + last->length == place) {
        last->length += RG_MCAP_RECORD_HEAD + length;
        return RG_OK;
    }
    return add_segment(r, (RgMcapSegment){false, place, RG_MCAP_RECORD_HEAD + length, UINT64_MAX})
               ? RG_OK
               : rg_fail(error, RG_ERR_MEMORY, r->path, 0, "out of memory");
}

/* The place where the zeros at the end of the file begin. */
static uint64_t find_zeros(RgRecording *r)
{
    uint64_t end = r->size;
    while (end > 0) {
        uint64_t block = end < TAIL_BLOCK ? end : TAIL_BLOCK;
        if (!rg_mcap_read(r, end - block, block, &r->raw))
            return r->size;
        for (; block > 0 && r->raw.data[block - 1] == 0; block--)
            end--;
        if (block > 0)
            return end;
    }
    return 0;
}

/* Walks from record to record. An incomplete record at the end is left out. */
static RgStatus walk_records(RgRecording *r, RgError *error)
{
    uint64_t place = RG_MCAP_MAGIC_SIZE;
    bool is_end = false;
    while (!is_end && rg_mcap_read(r, place, RG_MCAP_RECORD_HEAD, &r->raw)) {
        uint64_t opcode = r->raw.data[0], length = rg_read_uint(r->raw.data + 1, 8);
        if (place + RG_MCAP_RECORD_HEAD > r->written && r->size > r->written)
            break;
        if (opcode == 0)
            return rg_mcap_fail(r, place, "no record begins here", error);
        if (length > r->size - place - RG_MCAP_RECORD_HEAD)
            break;
        uint64_t end = place + RG_MCAP_RECORD_HEAD + length;
        if (opcode != RG_MCAP_CHUNK && end > r->written && end < r->size)
            break;
        RgStatus status = RG_OK;
        if (opcode == RG_MCAP_CHUNK)
            status = walk_chunk(r, place, length, error);
        else if (opcode == RG_MCAP_SCHEMA || opcode == RG_MCAP_CHANNEL || opcode == RG_MCAP_MESSAGE)
            status = walk_other(r, place, length, error);
        if (status != RG_OK)
            return status;
        is_end = opcode == RG_MCAP_DATA_END || opcode == RG_MCAP_FOOTER;
        place = end;
    }
    return RG_OK;
}

/* ------------------------------------------------------------------ opening */

static RgStatus open_file(RgRecording *r, RgError *error)
{
    if (r->path == NULL)
        return rg_fail(error, RG_ERR_MEMORY, r->path, 0, "out of memory");
    errno = 0;
    r->file = fopen(r->path, "rb");
    struct stat file;
    if (r->file == NULL || fstat(fileno(r->file), &file) != 0)
        return rg_fail(error, RG_ERR_FILE, r->path, 0, "cannot be read: %s", strerror(errno));
    if (!S_ISREG(file.st_mode))
        return rg_fail(error, RG_ERR_FILE, r->path, 0, "is no regular file: expected an MCAP recording");
    r->size = r->written = (uint64_t)file.st_size;
    if (r->size == 0)
        return rg_fail(error, RG_ERR_SYNTAX, r->path, 0, "is empty: expected an MCAP recording");
    if (!rg_mcap_read(r, 0, RG_MCAP_MAGIC_SIZE, &r->raw) || memcmp(r->raw.data, RG_MCAP_MAGIC, RG_MCAP_MAGIC_SIZE) != 0)
        return rg_fail(error, RG_ERR_SYNTAX, r->path, 0, "is no MCAP recording: it does not begin with the MCAP magic");

    RgStatus status = open_index(r, error);
    if (status != RG_ERR_SYNTAX)
        return status == RG_ERR_MEMORY ? rg_fail(error, status, r->path, 0, "out of memory") : status;
    bool is_whole = r->info.is_whole;
    discard_index(r);
    r->info.is_whole = is_whole;
    if (!is_whole)
        r->written = find_zeros(r);
    return walk_records(r, error);
}

RgRecording *rg_recording_open(const char *path, RgError *error)
{
    if (rg_need_zlib(path, error) != RG_OK)
        return NULL;
    RgRecording *r = path != NULL ? rg_alloc(NULL, 1, sizeof *r) : NULL;
    if (r == NULL) {
        rg_fail(error, path != NULL ? RG_ERR_MEMORY : RG_ERR_ARGUMENT, path, 0, "a recording needs a path and memory");
        return NULL;
    }
    rg_arena_init(&r->arena, NULL);
    r->path = rg_arena_strdup(&r->arena, path);
    if (open_file(r, error) != RG_OK) {
        rg_recording_close(r);
        r = NULL;
    }
    return r;
}

void rg_recording_close(RgRecording *r)
{
    if (r == NULL)
        return;
    if (r->file != NULL)
        fclose(r->file);
    rg_buffer_free(&r->raw);
    rg_buffer_free(&r->unpacked);
    rg_free(NULL, r->channels);
    rg_free(NULL, r->segments);
    rg_arena_free_with(&r->arena, r);
}

RgRecordingInfo rg_recording_info(const RgRecording *r)
{
    return r->info;
}

RgRecordedChannel rg_recording_channel(const RgRecording *r, int channel)
{
    bool known = channel >= 0 && channel < r->info.channels;
    return known ? r->channels[channel]->face : (RgRecordedChannel){.topic = NULL};
}

int rg_recording_find_channel(const RgRecording *r, const char *topic)
{
    for (int i = 0; i < r->info.channels; i++)
        if (strcmp(r->channels[i]->face.topic, topic) == 0)
            return i;
    return -1;
}
