/*
 * read_recording.mjs FILE.mcap - everything in a recording, as JSON on the standard output, read by the libraries that
 * Foxglove reads recordings with: @mcap/core for the file, @foxglove/rosmsg for the definitions,
 * @foxglove/rosmsg2-serialization for the messages. With --stream the file is read from front to back, without its
 * index, and may end anywhere. Definitions of ROS 2's own messages are compared with those that its releases have
 * (@foxglove/rosmsg-msgs-common): a type of another name, order or kind of fields is "different".
 *
 *   {"chunks", "messages", "channels": {topic: {"encoding", "schemaName", "ros": {type: "same" | "different" | "unknown"},
 *                                               "messages": [{"time", "value"}]}}}
 */
import { open, readFile } from "node:fs/promises";

import { parse } from "@foxglove/rosmsg";
import { ros2humble, ros2jazzy } from "@foxglove/rosmsg-msgs-common";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import lz4 from "@foxglove/wasm-lz4";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";

const decompressHandlers = {
  lz4: (buffer, size) => lz4(buffer, Number(size)),
};

/** A file on the disk as @mcap/core wants it. */
class FileReadable {
  constructor(handle, size) {
    this.handle = handle;
    this.bytes = size;
  }
  async size() {
    return this.bytes;
  }
  async read(offset, size) {
    const out = new Uint8Array(Number(size));
    await this.handle.read(out, 0, out.length, Number(offset));
    return out;
  }
}

/** From bytes to values, by what the channel and its schema say. */
function decoderOf(channel, schema) {
  const text = new TextDecoder();
  if (channel.messageEncoding === "json") {
    JSON.parse(text.decode(schema.data));
    return (data) => JSON.parse(text.decode(data));
  }
  const reader = new MessageReader(parse(text.decode(schema.data), { ros2: true }));
  return (data) => reader.readMessage(data);
}

/** The fields of a definition, as far as they make bytes. */
function fieldsOf(definition) {
  return JSON.stringify(
    definition.definitions
      .filter((field) => !field.isConstant)
      .map((field) => [field.name, field.type, field.isArray ?? false, field.arrayLength ?? null]),
  );
}

/** What ROS 2 says of the types that a schema defines. */
function compareWithRos(channel, schema) {
  const found = {};
  if (channel.messageEncoding !== "cdr") {
    return found;
  }
  for (const definition of parse(new TextDecoder().decode(schema.data), { ros2: true })) {
    const name = (definition.name ?? schema.name).replace("/msg/", "/");
    const theirs = [ros2humble[name], ros2jazzy[name]];
    const same = theirs.every((other) => other && fieldsOf(other) === fieldsOf(definition));
    found[name] = theirs.includes(undefined) ? "unknown" : same ? "same" : "different";
  }
  return found;
}

/** Collects messages by topic. */
class Collector {
  constructor() {
    this.channels = {};
    this.decoders = new Map();
  }
  add(message, channel, schema) {
    if (!this.decoders.has(channel.id)) {
      this.decoders.set(channel.id, decoderOf(channel, schema));
      this.channels[channel.topic] = {
        encoding: channel.messageEncoding,
        schemaName: schema.name,
        ros: compareWithRos(channel, schema),
        messages: [],
      };
    }
    if (message.logTime !== message.publishTime) {
      throw new Error("log time and publish time differ");
    }
    this.channels[channel.topic].messages.push({
      time: message.logTime,
      sequence: message.sequence,
      value: this.decoders.get(channel.id)(message.data),
    });
  }
}

async function readIndexed(path) {
  const handle = await open(path);
  const { size } = await handle.stat();
  const readable = new FileReadable(handle, BigInt(size));
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const collector = new Collector();
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    const channel = reader.channelsById.get(message.channelId);
    collector.add(message, channel, reader.schemasById.get(channel.schemaId));
  }
  await handle.close();
  return {
    chunks: reader.chunkIndexes.length,
    messages: reader.statistics.messageCount,
    channels: collector.channels,
  };
}

async function readStream(path) {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  const collector = new Collector();
  const channels = new Map();
  const schemas = new Map();
  let messages = 0n;
  reader.append(await readFile(path));
  for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
    if (record.type === "Schema") {
      schemas.set(record.id, record);
    } else if (record.type === "Channel") {
      channels.set(record.id, record);
    } else if (record.type === "Message") {
      const channel = channels.get(record.channelId);
      collector.add(record, channel, schemas.get(channel.schemaId));
      messages++;
    }
  }
  return { messages, whole: reader.done(), channels: collector.channels };
}

/** JSON has neither big integers nor typed arrays. */
function plain(_key, value) {
  if (typeof value === "bigint") {
    return Number(value);
  }
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}

await lz4.isLoaded;
const stream = process.argv.includes("--stream");
const path = process.argv.at(-1);
const result = stream ? await readStream(path) : await readIndexed(path);
process.stdout.write(JSON.stringify(result, plain));
