/*
 * The records of MCAP (specification of the format, version 0): how each is laid out.
 *
 *   file   = magic | records | magic;  magic = 89 4D 43 41 50 30 0D 0A
 *   record = opcode u8 | length u64 | content
 *   text   = length u32 | UTF-8;  times u64 in nanoseconds; all little endian
 *
 * Failure: FormatError where a content ends too early.
 */
import { ByteCursor, secondsAt } from "./bytes";

export const MAGIC = Uint8Array.of(0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a);
export const RECORD_HEAD = 9;

export const Op = {
  header: 1,
  footer: 2,
  schema: 3,
  channel: 4,
  message: 5,
  chunk: 6,
  messageIndex: 7,
  chunkIndex: 8,
  dataEnd: 15,
} as const;

export interface McapChannel {
  id: number;
  schemaId: number;
  topic: string;
  encoding: string;
}

export interface McapSchema {
  id: number;
  name: string;
  encoding: string;
}

/** Messages of one channel in one chunk: times (s), and places in the plain bytes of the chunk. */
export interface MessageIndex {
  times: Float64Array;
  offsets: Float64Array;
}

/** A chunk: where its bytes are in the file, and where its message indexes are. */
export interface McapChunk {
  start: number;
  end: number;
  place: number; // of the compressed bytes in the file
  size: number;
  plainSize: number;
  crc: number; // of the plain bytes; 0: not known
  compression: string;
  indexPlace: number; // of the message index records
  indexSize: number; // 0: there are none, the chunk must be walked
}

export function readSchema(c: ByteCursor): McapSchema {
  return { id: c.u16(), name: c.text(), encoding: c.text() };
}

export function readChannel(c: ByteCursor): McapChannel {
  return { id: c.u16(), schemaId: c.u16(), topic: c.text(), encoding: c.text() };
}

/** The head of a chunk record; the cursor must run over the whole content. */
export function readChunk(c: ByteCursor): McapChunk {
  const start = c.seconds();
  const end = c.seconds();
  const plainSize = c.size();
  const crc = c.u32();
  const compression = c.text();
  const size = c.size();
  const place = c.take(size);
  return { start, end, place, size, plainSize, crc, compression, indexPlace: c.end, indexSize: 0 };
}

/** What a chunk index says: place and length of the chunk record, length of the message indexes behind it. */
export interface ChunkPlace {
  place: number;
  length: number;
  indexLength: number;
}

export function readChunkIndex(c: ByteCursor): ChunkPlace {
  c.take(16);
  const place = c.size();
  const length = c.size();
  c.take(c.u32());
  return { place, length, indexLength: c.size() };
}

export function readMessageIndex(c: ByteCursor): { channel: number; index: MessageIndex } {
  const channel = c.u16();
  const count = Math.floor(c.u32() / 16);
  const first = c.take(count * 16);
  const times = new Float64Array(count);
  const offsets = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    times[i] = secondsAt(c.view, first + 16 * i);
    offsets[i] = c.view.getUint32(first + 16 * i + 8, true) + 4294967296 * c.view.getUint32(first + 16 * i + 12, true);
  }
  return { channel, index: { times, offsets } };
}

/** One record: its opcode and a cursor over its content; the outer cursor moves behind it. */
export function nextRecord(c: ByteCursor): { op: number; content: ByteCursor; start: number } {
  const start = c.at;
  const op = c.u8();
  const length = c.size();
  const place = c.take(length);
  return { op, content: new ByteCursor(c.bytes, place, place + length), start };
}
