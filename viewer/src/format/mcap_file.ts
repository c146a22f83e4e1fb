/*
 * An MCAP file in memory: what is in it, and its messages when they are asked for.
 *
 * Opening reads the summary at the end (channels and chunk indexes) and no chunk. A file without a whole summary (the
 * run was killed, or the copy cut short) is walked from its start, record by record, up to the last whole one: chunks
 * are stepped over, and opened only where they name new channels or have no message indexes behind them.
 * A chunk is unpacked when a message of it is wanted; its CRC is checked then; the last few stay unpacked.
 *
 * Failure: FormatError for a file that is no MCAP, an unknown compression, a wrong CRC, a place outside the file.
 */
import { ByteCursor, FormatError } from "./bytes";
import { crc32 } from "./crc32";
import { decodeLz4Frame } from "./lz4_frame";
import {
  MAGIC,
  Op,
  RECORD_HEAD,
  nextRecord,
  readChannel,
  readChunk,
  readChunkIndex,
  readMessageIndex,
  readSchema,
  type McapChannel,
  type McapChunk,
  type McapSchema,
  type MessageIndex,
} from "./mcap_records";

const KEPT_CHUNKS = 12;
const FOOTER_SIZE = RECORD_HEAD + 20;
const LARGEST_CHUNK = 1 << 30;
const MESSAGE_HEAD = RECORD_HEAD + 22;

export interface McapMessage {
  channel: number;
  time: number;
  data: Uint8Array;
}

function hasMagic(bytes: Uint8Array, at: number): boolean {
  return at >= 0 && at + MAGIC.length <= bytes.length && MAGIC.every((b, i) => bytes[at + i] === b);
}

function checkMagic(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new FormatError("the file is empty");
  if (hasMagic(bytes, 0)) return;
  const zip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const hint = zip ? " It looks like a ZIP archive: an NPZ recording is not shown here." : "";
  throw new FormatError(`this is no MCAP file: it does not begin with the bytes 89 4D 43 41 50 30 0D 0A.${hint}`);
}

export class McapFile {
  readonly schemas = new Map<number, McapSchema>();
  readonly channels = new Map<number, McapChannel>();
  readonly chunks: McapChunk[] = [];
  /** What is amiss with the file, though it can be read in part. */
  readonly notes: string[] = [];
  private readonly indexes = new Map<number, Map<number, MessageIndex>>();
  private readonly unpacked = new Map<number, Uint8Array>();

  constructor(private readonly bytes: Uint8Array) {
    checkMagic(bytes);
    if (!this.readSummary()) this.walkFile();
  }

  channelOf(topic: string): McapChannel | undefined {
    for (const channel of this.channels.values()) if (channel.topic === topic) return channel;
    return undefined;
  }

  /** Messages of a channel in a chunk, in the order of their times. */
  index(chunk: number, channel: number): MessageIndex | undefined {
    let known = this.indexes.get(chunk);
    if (!known) {
      known = this.readIndexes(chunk);
      this.indexes.set(chunk, known);
    }
    return known.get(channel);
  }

  /** The message at a place in the plain bytes of a chunk. */
  message(chunk: number, offset: number): McapMessage {
    const plain = this.plain(chunk);
    const cursor = new ByteCursor(plain, offset);
    const { op, content } = nextRecord(cursor);
    if (op !== Op.message || content.left < MESSAGE_HEAD - RECORD_HEAD) {
      throw new FormatError(`chunk ${chunk}: its index points at no message (byte ${offset})`);
    }
    const channel = content.u16();
    content.take(4);
    const time = content.seconds();
    content.take(8);
    return { channel, time, data: content.block(content.left) };
  }

  /** The plain bytes of a chunk. */
  plain(number: number): Uint8Array {
    const kept = this.unpacked.get(number);
    if (kept) return kept;
    const plain = this.unpack(number);
    if (this.unpacked.size >= KEPT_CHUNKS) {
      const oldest = this.unpacked.keys().next().value;
      if (oldest !== undefined) this.unpacked.delete(oldest);
    }
    this.unpacked.set(number, plain);
    return plain;
  }

  private unpack(number: number): Uint8Array {
    const chunk = this.chunks[number]!;
    const packed = this.bytes.subarray(chunk.place, chunk.place + chunk.size);
    const where = `chunk ${number} (byte ${chunk.place} of the file)`;
    if (chunk.plainSize > LARGEST_CHUNK) throw new FormatError(`${where} states ${chunk.plainSize} bytes, too many`);
    let plain = packed;
    if (chunk.compression === "lz4") {
      try {
        plain = decodeLz4Frame(packed, chunk.plainSize, chunk.crc === 0);
      } catch (error) {
        throw new FormatError(`${where} is damaged: ${error instanceof Error ? error.message : String(error)}`);
      }
    } else if (chunk.compression !== "") {
      throw new FormatError(`${where} is compressed by "${chunk.compression}"; this page reads lz4 and plain chunks`);
    }
    if (chunk.crc !== 0 && crc32(plain) !== chunk.crc) throw new FormatError(`${where} is damaged: its CRC is wrong`);
    return plain;
  }

  /** Channels and chunks from the summary; false if there is none that is whole. */
  private readSummary(): boolean {
    const end = this.bytes.length - MAGIC.length;
    const footer = end - FOOTER_SIZE;
    if (footer < MAGIC.length || !hasMagic(this.bytes, end)) {
      this.notes.push("The file ends in the middle: the recording was cut short. Shown is what is whole.");
      return false;
    }
    try {
      return this.readFooter(footer);
    } catch {
      this.notes.push("The summary at the end of the file is damaged; the file was read from its start.");
      this.forget();
      return false;
    }
  }

  private readFooter(footer: number): boolean {
    const { op, content } = nextRecord(new ByteCursor(this.bytes, footer));
    if (op !== Op.footer) throw new FormatError("no footer");
    const start = content.size();
    content.size();
    const crcEnd = content.at;
    const crc = content.u32();
    if (start === 0) return false;
    if (crc !== 0 && crc32(this.bytes, start, crcEnd) !== crc) throw new FormatError("CRC of the summary");
    const cursor = new ByteCursor(this.bytes, start, footer);
    while (cursor.left > 0) this.takeSummary(nextRecord(cursor));
    this.sortChunks();
    return this.chunks.length > 0;
  }

  private takeSummary({ op, content }: { op: number; content: ByteCursor }): void {
    this.takeDefinition(op, content);
    if (op !== Op.chunkIndex) return;
    const { place, length, indexLength } = readChunkIndex(content);
    const record = nextRecord(new ByteCursor(this.bytes, place, place + length));
    if (record.op !== Op.chunk) throw new FormatError("a chunk index points at no chunk");
    const chunk = readChunk(record.content);
    if (chunk.indexPlace + indexLength > this.bytes.length) throw new FormatError("a message index lies outside the file");
    chunk.indexSize = indexLength;
    this.chunks.push(chunk);
  }

  private takeDefinition(op: number, content: ByteCursor): void {
    if (op === Op.schema) {
      const schema = readSchema(content);
      this.schemas.set(schema.id, schema);
    } else if (op === Op.channel) {
      const channel = readChannel(content);
      this.channels.set(channel.id, channel);
    }
  }

  /** Reads the file from its start up to the last whole record. */
  private walkFile(): void {
    const cursor = new ByteCursor(this.bytes, MAGIC.length);
    let loose = -1; // where messages outside of chunks began
    let chunk: McapChunk | undefined;
    const endLoose = (at: number): void => {
      if (loose >= 0) this.chunks.push(looseChunk(loose, at));
      loose = -1;
    };
    while (cursor.left >= RECORD_HEAD) {
      const start = cursor.at;
      let record: ReturnType<typeof nextRecord>;
      try {
        record = nextRecord(cursor);
      } catch {
        cursor.at = start;
        break; // the last record is not whole
      }
      if (record.op === Op.dataEnd || record.op === 0) break;
      if (record.op === Op.message) {
        if (loose < 0) loose = start;
        continue;
      }
      endLoose(start);
      if (record.op === Op.messageIndex && chunk) chunk.indexSize = cursor.at - chunk.indexPlace;
      else chunk = this.takeWalked(record);
    }
    endLoose(cursor.at);
    if (chunk) chunk.indexSize = 0; // the file ends within its indexes, maybe: they are not trusted
    this.chunks.forEach((_, number) => this.learnChannels(number));
    this.sortChunks();
  }

  private takeWalked(record: ReturnType<typeof nextRecord>): McapChunk | undefined {
    if (record.op !== Op.chunk) {
      this.takeDefinition(record.op, record.content);
      return undefined;
    }
    try {
      const chunk = readChunk(record.content);
      this.chunks.push(chunk);
      return chunk;
    } catch {
      this.notes.push(`The chunk at byte ${record.start} is damaged and was left out.`);
      return undefined;
    }
  }

  /** Definitions inside a chunk, if it has messages of channels that are not known yet. */
  private learnChannels(number: number): void {
    const chunk = this.chunks[number]!;
    try {
      const unknown = chunk.indexSize === 0 || [...this.readIndexes(number).keys()].some((id) => !this.channels.has(id));
      if (!unknown) return;
      const cursor = new ByteCursor(this.plain(number));
      while (cursor.left > 0) {
        const { op, content } = nextRecord(cursor);
        this.takeDefinition(op, content);
      }
    } catch (error) {
      this.notes.push(error instanceof Error ? error.message : String(error));
    }
  }

  private readIndexes(number: number): Map<number, MessageIndex> {
    const chunk = this.chunks[number]!;
    const found = new Map<number, MessageIndex>();
    if (chunk.indexSize === 0) return walkMessages(this.plain(number));
    const cursor = new ByteCursor(this.bytes, chunk.indexPlace, chunk.indexPlace + chunk.indexSize);
    while (cursor.left > 0) {
      const { op, content } = nextRecord(cursor);
      if (op !== Op.messageIndex) continue;
      const { channel, index } = readMessageIndex(content);
      found.set(channel, inOrder(index));
    }
    return found;
  }

  private sortChunks(): void {
    this.chunks.sort((a, b) => a.start - b.start || a.place - b.place);
    this.indexes.clear();
    this.unpacked.clear();
  }

  private forget(): void {
    this.schemas.clear();
    this.channels.clear();
    this.chunks.length = 0;
  }
}

/** Messages that lie in the file outside of chunks, taken as one plain chunk. */
function looseChunk(place: number, end: number): McapChunk {
  const size = end - place;
  return { start: 0, end: Infinity, place, size, plainSize: size, crc: 0, compression: "", indexPlace: end, indexSize: 0 };
}

/** The message indexes of a chunk that has none, from its messages. */
function walkMessages(plain: Uint8Array): Map<number, MessageIndex> {
  const lists = new Map<number, { times: number[]; offsets: number[] }>();
  const cursor = new ByteCursor(plain);
  while (cursor.left > 0) {
    const { op, content, start } = nextRecord(cursor);
    if (op !== Op.message) continue;
    const channel = content.u16();
    content.take(4);
    const list = lists.get(channel) ?? { times: [], offsets: [] };
    list.times.push(content.seconds());
    list.offsets.push(start);
    lists.set(channel, list);
  }
  const found = new Map<number, MessageIndex>();
  for (const [channel, { times, offsets }] of lists) {
    found.set(channel, inOrder({ times: Float64Array.from(times), offsets: Float64Array.from(offsets) }));
  }
  return found;
}

/** The same index, sorted by time if it is not. */
function inOrder(index: MessageIndex): MessageIndex {
  const { times, offsets } = index;
  let sorted = true;
  for (let i = 1; i < times.length && sorted; i++) sorted = times[i]! >= times[i - 1]!;
  if (sorted) return index;
  const order = Array.from(times.keys()).sort((a, b) => times[a]! - times[b]! || a - b);
  return { times: Float64Array.from(order, (i) => times[i]!), offsets: Float64Array.from(order, (i) => offsets[i]!) };
}
