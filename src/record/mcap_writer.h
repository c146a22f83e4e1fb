/*
 * mcap_writer.h - writes messages to an MCAP file, chunk by chunk.
 *
 * A chunk is written when it has RG_MCAP_CHUNK_BYTES or RG_MCAP_CHUNK_TIME, and flushed to the system: if the process
 * is killed, the file is readable up to its last chunk. The index of the chunks, which grows with the file, is in a
 * second file until the end, so that memory does not grow.
 */
#ifndef RIGOR_MCAP_WRITER_H
#define RIGOR_MCAP_WRITER_H

#include "base/arena.h"
#include "record/buffer.h"

#include <rigor/message.h>

#include <stdio.h>

#define RG_MCAP_CHUNK_BYTES ((size_t)256 << 10) /* bounds memory, and what a killed process loses */
#define RG_MCAP_CHUNK_TIME UINT64_C(1000000000) /* ns: bounds the loss where messages are rare */

typedef struct RgMcapChannelState {
    RgChannel channel;
    uint16_t schema;   /* id of its schema, from 1 */
    uint32_t sequence; /* number of its next message */
    uint64_t messages;
    RgBuffer index; /* time and offset of its messages in the open chunk */
} RgMcapChannelState;

typedef struct RgMcapWriter {
    FILE *file;    /* written from front to back, never seeked */
    FILE *indexes; /* temporary file of the chunk index records; NULL: the file gets no index */
    RgMcapChannelState *channels;
    int nchannels;
    uint64_t at; /* bytes written */
    uint32_t crc;
    bool failed; /* a write failed, or out of memory */

    /* The open chunk. */
    RgBuffer records;
    uint64_t first, last; /* ns */
    RgBuffer packed;      /* a chunk, or another record, as written to the file */

    uint64_t file_first, file_last; /* ns */
    uint64_t messages;
    uint32_t chunks;
} RgMcapWriter;

/* Writes the start of the file, with all channels of rg_channel. False: out of memory, or a write failed. */
bool rg_mcap_begin(RgMcapWriter *writer, FILE *file, FILE *indexes, RgArena *arena);
bool rg_mcap_add(RgMcapWriter *writer, const RgMessage *message);

/* Writes the open chunk before it is full. */
bool rg_mcap_flush(RgMcapWriter *writer);

/* Writes the last chunk, the summary and the footer. False: something failed since rg_mcap_begin. */
bool rg_mcap_finish(RgMcapWriter *writer);

/* Frees the memory that is not in the arena. */
void rg_mcap_writer_free(RgMcapWriter *writer);

#endif
