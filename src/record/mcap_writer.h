/*
 * mcap_writer.h - messages to an MCAP file, chunk by chunk.
 *
 * A chunk is closed when it holds RG_MCAP_CHUNK_BYTES or RG_MCAP_CHUNK_TIME, and is then in the hands of the system: a
 * process that is killed leaves a file that can be read up to its last chunk. What grows with the file, the index of
 * its chunks, is kept in a second file until the end.
 */
#ifndef RIGOR_MCAP_WRITER_H
#define RIGOR_MCAP_WRITER_H

#include "base/arena.h"
#include "record/buffer.h"

#include <rigor/message.h>

#include <stdio.h>

#define RG_MCAP_CHUNK_BYTES ((size_t)256 << 10)
#define RG_MCAP_CHUNK_TIME UINT64_C(1000000000) /* ns */

typedef struct RgMcapChannelState {
    RgChannel channel;
    uint16_t schema;   /* number of its schema, from 1 */
    uint32_t sequence; /* of its next message */
    uint64_t messages;
    RgBuffer index; /* time and offset of its messages in the open chunk */
} RgMcapChannelState;

typedef struct RgMcapWriter {
    FILE *file;    /* only written to, never sought */
    FILE *indexes; /* chunk index records until the end; NULL: the file gets no index */
    RgMcapChannelState *channels;
    int nchannels;
    uint64_t at; /* bytes written */
    uint32_t crc;
    bool failed; /* a write went wrong, or memory is out */

    /* The open chunk. */
    RgBuffer records;
    uint64_t first, last; /* ns */
    RgBuffer packed;      /* a chunk, or another record, as it goes to the file */

    uint64_t file_first, file_last; /* ns */
    uint64_t messages;
    uint32_t chunks;
} RgMcapWriter;

/* Writes the head of the file with all channels of rg_channel. False: memory is out or the file refuses. */
bool rg_mcap_begin(RgMcapWriter *writer, FILE *file, FILE *indexes, RgArena *arena);
bool rg_mcap_add(RgMcapWriter *writer, const RgMessage *message);

/* Closes the open chunk before it is full. */
bool rg_mcap_flush(RgMcapWriter *writer);

/* The last chunk, the summary, the end. True if everything went well since begin. */
bool rg_mcap_finish(RgMcapWriter *writer);

/* Gives back what the arena does not hold. */
void rg_mcap_writer_free(RgMcapWriter *writer);

#endif
