/*
 * mcap.h - the records of an MCAP file (MCAP specification, version 0).
 *
 *   file:     magic | header | data section | data end | summary section | summary offsets | footer | magic
 *   record:   opcode: 1 | length: 8 | content
 *   string:   length: 4 | UTF-8         bytes, map: length in bytes: 4 | entries
 *
 *   header          profile | library
 *   schema          id: 2 | name | encoding | bytes
 *   channel         id: 2 | schema: 2 | topic | message encoding | metadata: map of strings
 *   message         channel: 2 | sequence: 4 | log time: 8 | publish time: 8 | data
 *   chunk           first time: 8 | last time: 8 | uncompressed size: 8 | CRC: 4 | compression | length: 8 | records
 *   message index   channel: 2 | map of time: 8, offset within the uncompressed chunk: 8
 *   chunk index     first time: 8 | last time: 8 | chunk's place: 8 | its length: 8 | map of channel: 2, place of its
 *                   message index: 8 | length of these: 8 | compression | compressed size: 8 | uncompressed size: 8
 *   statistics      messages: 8 | schemas: 2 | channels: 4 | attachments: 4 | metadata: 4 | chunks: 4 | first time: 8 |
 *                   last time: 8 | map of channel: 2, messages: 8
 *   summary offset  opcode: 1 | place: 8 | length: 8
 *   data end        CRC of all before: 4
 *   footer          place of the summary: 8 | of the offsets: 8 | CRC of all from the summary on: 4
 *
 * Integers are little-endian; a checksum of 0 means that there is none.
 */
#ifndef RIGOR_MCAP_H
#define RIGOR_MCAP_H

#include "record/buffer.h"

#define RG_MCAP_MAGIC "\x89MCAP0\r\n"

enum {
    RG_MCAP_MAGIC_SIZE = 8,
    RG_MCAP_RECORD_HEAD = 9,
    RG_MCAP_FOOTER_SIZE = 20,
    RG_MCAP_MESSAGE_HEAD = 22,
};

typedef enum RgMcapOpcode {
    RG_MCAP_HEADER = 0x01,
    RG_MCAP_FOOTER = 0x02,
    RG_MCAP_SCHEMA = 0x03,
    RG_MCAP_CHANNEL = 0x04,
    RG_MCAP_MESSAGE = 0x05,
    RG_MCAP_CHUNK = 0x06,
    RG_MCAP_MESSAGE_INDEX = 0x07,
    RG_MCAP_CHUNK_INDEX = 0x08,
    RG_MCAP_ATTACHMENT = 0x09,
    RG_MCAP_ATTACHMENT_INDEX = 0x0a,
    RG_MCAP_STATISTICS = 0x0b,
    RG_MCAP_METADATA = 0x0c,
    RG_MCAP_METADATA_INDEX = 0x0d,
    RG_MCAP_SUMMARY_OFFSET = 0x0e,
    RG_MCAP_DATA_END = 0x0f
} RgMcapOpcode;

#endif
