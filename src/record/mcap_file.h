/*
 * mcap_file.h - an MCAP file that is read: its contents, filled by mcap_open.c, and the state of reading
 * (mcap_reader.c).
 */
#ifndef RIGOR_MCAP_FILE_H
#define RIGOR_MCAP_FILE_H

#include "base/arena.h"
#include "record/cursor.h"
#include "record/mcap.h"

#include <rigor/record.h>

#include <stdio.h>

typedef struct RgMcapSchema {
    const char *name, *encoding;
    const void *data;
    size_t size;
} RgMcapSchema;

typedef struct RgMcapChannel {
    RgRecordedChannel face;
    int index;
} RgMcapChannel;

/* A table of pointers by 16-bit ids, in pages that are allocated when they are needed. */
enum { RG_ID_PAGE = 256 };
typedef struct RgIdTable {
    void **page[RG_ID_PAGE];
} RgIdTable;

/* A part of the file: a chunk record, or successive records of other kinds. */
typedef struct RgMcapSegment {
    bool is_chunk;
    uint64_t place, length; /* bytes, with the heads of the records */
    uint64_t last;          /* ns: time of the last message of a chunk; UINT64_MAX for other records */
} RgMcapSegment;

struct RgRecording {
    RgArena arena;
    const char *path;
    FILE *file;
    uint64_t size;
    uint64_t written; /* bytes before the zeros at the end of the file; of a complete file its size */
    RgRecordingInfo info;
    const RgMcapChannel **channels;
    int room;                /* channels that are allocated */
    RgIdTable channel_of_id; /* RgMcapChannel; NULL: not announced */
    RgIdTable schema_of_id;  /* RgMcapSchema */
    RgMcapSegment *segments;
    size_t nsegments, segment_room;

    /* State of reading. */
    size_t next;            /* index of the next segment */
    RgCursor records;       /* rest of the open chunk */
    uint64_t at, stop;      /* rest of the open segment of other records: places in the file */
    uint64_t from;          /* ns: earlier messages are skipped */
    RgBuffer raw, unpacked; /* bytes of the file, and of the open chunk */
};

static inline void *rg_id_find(const RgIdTable *table, uint64_t id)
{
    void **page = table->page[id / RG_ID_PAGE];
    return page != NULL ? page[id % RG_ID_PAGE] : NULL;
}

/* Fills error with the place in the file. Returns RG_ERR_SYNTAX. */
RgStatus rg_mcap_fail(const RgRecording *recording, uint64_t place, const char *what, RgError *error);

/* Reads bytes of the file into a buffer. False: the file does not have them, or out of memory. */
bool rg_mcap_read(RgRecording *recording, uint64_t place, uint64_t bytes, RgBuffer *out);

/* RG_ERR_UNSUPPORTED: chunks with this compression cannot be read. */
RgStatus rg_mcap_check_compression(const RgRecording *recording, RgSpan name, RgError *error);

/* Adds the content of a schema or channel record to the lists; a repeated record is ignored. False: it is malformed, or
   out of memory. */
bool rg_mcap_add_schema(RgRecording *recording, RgCursor content);
bool rg_mcap_add_channel(RgRecording *recording, RgCursor content);

#endif
