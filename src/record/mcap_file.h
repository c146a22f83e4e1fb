/*
 * mcap_file.h - an MCAP file that is read: what is known of it when it is open (mcap_open.c), and where reading stands
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

/* Things by their numbers of two bytes, in pages that are made when they are needed. */
enum { RG_ID_PAGE = 256 };
typedef struct RgIdTable {
    void **page[RG_ID_PAGE];
} RgIdTable;

/* A chunk record, or a run of other records. */
typedef struct RgStretch {
    bool is_chunk;
    uint64_t place, length; /* with the records' heads */
    uint64_t last;          /* ns: of a chunk's messages */
} RgStretch;

struct RgRecording {
    RgArena arena;
    const char *path;
    FILE *file;
    uint64_t size;
    uint64_t written; /* what follows up to the file's end is zeros; the size for a file that ends as it should */
    RgRecordingInfo info;
    const RgMcapChannel **channels;
    int room;                /* for channels */
    RgIdTable channel_of_id; /* RgMcapChannel; NULL: not announced */
    RgIdTable schema_of_id;  /* RgMcapSchema */
    RgStretch *stretches;
    size_t nstretches, stretch_room;

    /* Where reading stands. */
    size_t next;       /* stretch */
    RgCursor records;  /* of the chunk that is open */
    uint64_t at, stop; /* of the run that is open: places in the file */
    uint64_t from;     /* ns: earlier messages are passed over */
    RgBuffer raw, unpacked;
};

static inline void *rg_id_find(const RgIdTable *table, uint64_t id)
{
    void **page = table->page[id / RG_ID_PAGE];
    return page != NULL ? page[id % RG_ID_PAGE] : NULL;
}

/* Fills error with the place in the file, and returns RG_ERR_SYNTAX. */
RgStatus rg_mcap_fail(const RgRecording *recording, uint64_t place, const char *what, RgError *error);

/* Bytes of the file into a buffer. False: they are not there. */
bool rg_mcap_read(RgRecording *recording, uint64_t place, uint64_t bytes, RgBuffer *out);

/* RG_ERR_UNSUPPORTED: chunks compressed like that cannot be read. */
RgStatus rg_mcap_check_compression(const RgRecording *recording, RgSpan name, RgError *error);

/* The content of a schema or channel record into the lists; announced again, it is as it was. False: it is not as it
   should be, or memory is out. */
bool rg_mcap_add_schema(RgRecording *recording, RgCursor content);
bool rg_mcap_add_channel(RgRecording *recording, RgCursor content);

#endif
