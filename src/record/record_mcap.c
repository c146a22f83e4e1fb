/*
 * record_mcap.c - a recording as MCAP: the messages of rigor/message.h.
 *
 * The first row also has the channels that are sent once, and is a chunk of its own; every row has the channels of a
 * frame, every step its events. The file has its name from the beginning and is readable after every chunk, also if the
 * process is killed.
 */
#include "base/output_file.h"
#include "base/status.h"
#include "record/codec_zlib.h"
#include "record/mcap_writer.h"
#include "record/record_table.h"

#include <errno.h>

typedef struct McapRecord {
    RgMessages *messages;
    RgMcapWriter writer;
    RgOutputFile output;
    FILE *indexes;
    bool begun;
} McapRecord;

static RgStatus mcap_fail(McapRecord *record, RgError *error)
{
    return rg_output_fail(record->output.path, "cannot be written", error);
}

static void mcap_free(McapRecord *record)
{
    rg_messages_destroy(record->messages);
    rg_mcap_writer_free(&record->writer);
    if (record->indexes != NULL)
        fclose(record->indexes);
}

static void *mcap_open(const RgRecordSource *source, const char *path, RgArena *arena, RgError *error)
{
    if (rg_need_zlib(path, error) != RG_OK)
        return NULL;
    McapRecord *record = RG_ARENA_ALLOC(arena, McapRecord, 1);
    if (record == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
        return NULL;
    }
    record->messages = rg_messages_create(&source->messages, error);
    if (record->messages == NULL || rg_output_open_now(&record->output, path, arena, error) != RG_OK) {
        mcap_free(record);
        return NULL;
    }

    /* A pipe has no folder for the index file: it gets no index. */
    errno = 0;
    if (record->output.is_regular)
        record->indexes = rg_output_scratch(path, arena, error);
    if ((record->indexes != NULL || !record->output.is_regular) &&
        rg_mcap_begin(&record->writer, record->output.file, record->indexes, arena))
        return record;
    if (record->indexes != NULL || !record->output.is_regular)
        mcap_fail(record, error);
    rg_output_close(&record->output, false, NULL);
    mcap_free(record);
    return NULL;
}

/* Adds a message on every channel of a kind. */
static RgStatus add_channels(McapRecord *record, RgWorld *world, RgChannelWhen when, RgError *error)
{
    for (int i = 0; i < rg_channel_count(); i++) {
        if (rg_channel(i).when != when)
            continue;
        RgMessage message;
        RgStatus status = rg_messages_encode(record->messages, i, world, &message);
        if (status != RG_OK)
            return rg_fail(error, status, record->output.path, 0, "%s: %s", rg_channel(i).topic,
                           rg_status_text(status));
        if (!rg_mcap_add(&record->writer, &message))
            return mcap_fail(record, error);
    }
    return RG_OK;
}

static void add_event(const RgMessage *message, void *context)
{
    McapRecord *record = context;
    rg_mcap_add(&record->writer, message);
}

static RgStatus mcap_step(void *context, RgWorld *world, RgError *error)
{
    McapRecord *record = context;
    errno = 0;
    RgStatus status = rg_messages_encode_events(record->messages, world, add_event, record);
    if (status != RG_OK)
        return rg_fail(error, status, record->output.path, 0, "events: %s", rg_status_text(status));
    return record->writer.failed ? mcap_fail(record, error) : RG_OK;
}

static RgStatus mcap_add(void *context, RgWorld *world, RgError *error)
{
    McapRecord *record = context;
    RgStatus status = mcap_step(record, world, error);
    bool is_first = !record->begun;
    record->begun = true;
    if (status == RG_OK && is_first)
        status = add_channels(record, world, RG_CHANNEL_ONCE, error);
    if (status == RG_OK)
        status = add_channels(record, world, RG_CHANNEL_FRAME, error);
    if (status == RG_OK && is_first && !rg_mcap_flush(&record->writer))
        status = mcap_fail(record, error);
    return status;
}

static RgStatus mcap_finish(void *context, bool keep, RgError *error)
{
    McapRecord *record = context;
    errno = 0;
    RgStatus status = RG_OK;
    if (keep && !rg_mcap_finish(&record->writer))
        status = mcap_fail(record, error);
    RgStatus closed = rg_output_close(&record->output, true, status == RG_OK ? error : NULL);
    mcap_free(record);
    return status != RG_OK ? status : closed;
}

const RgRecordFormat rg_record_mcap = {
    .name = "mcap", .open = mcap_open, .add_world = mcap_add, .add_step = mcap_step, .finish = mcap_finish};
