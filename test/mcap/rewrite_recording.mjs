/*
 * rewrite_recording.mjs IN.mcap OUT.mcap KIND - the same messages, written by another library (@mcap/core).
 *
 *   plain     chunks that are not compressed        lz4      chunks of LZ4 frames, packed by lz4js
 *   loose     messages outside chunks, no index     zstd     chunks that say they are compressed by zstd
 *   late      plain, the scene as the last message
 */
import { open, readFile } from "node:fs/promises";

import lz4 from "@foxglove/wasm-lz4";
import { McapStreamReader, McapWriter } from "@mcap/core";
import lz4js from "lz4js";

/** A file to write to as @mcap/core wants it. */
class FileWritable {
  constructor(handle) {
    this.handle = handle;
    this.at = 0;
  }
  position() {
    return BigInt(this.at);
  }
  async write(data) {
    await this.handle.write(data, 0, data.length);
    this.at += data.length;
  }
}

const compressChunk = {
  plain: undefined,
  loose: undefined,
  late: undefined,
  lz4: (data) => ({ compression: "lz4", compressedData: lz4js.compress(data) }),
  zstd: (data) => ({ compression: "zstd", compressedData: data }),
};

await lz4.isLoaded;
const [input, output, kind] = process.argv.slice(2);
const handle = await open(output, "w");
const writer = new McapWriter({
  writable: new FileWritable(handle),
  compressChunk: compressChunk[kind],
  chunkSize: 50000,
  useChunks: kind !== "loose",
});
await writer.start({ profile: "", library: "rewrite" });

const decompressHandlers = { lz4: (buffer, size) => lz4(buffer, Number(size)) };
const reader = new McapStreamReader({ decompressHandlers });
const schemas = new Map();
const channels = new Map();
const scenes = new Set();
const late = [];
reader.append(await readFile(input));
for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
  if (record.type === "Schema" && !schemas.has(record.id)) {
    schemas.set(record.id, await writer.registerSchema(record));
  } else if (record.type === "Channel" && !channels.has(record.id)) {
    const id = await writer.registerChannel({ ...record, schemaId: schemas.get(record.schemaId) });
    channels.set(record.id, id);
    if (kind === "late" && record.topic === "/rigor/scene") {
      scenes.add(record.id);
    }
  } else if (record.type === "Message") {
    const message = { ...record, channelId: channels.get(record.channelId) };
    if (scenes.has(record.channelId)) {
      late.push(message);
    } else {
      await writer.addMessage(message);
    }
  }
}
for (const message of late) {
  await writer.addMessage(message);
}
await writer.end();
await handle.close();
