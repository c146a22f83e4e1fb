/*
 * The small run as an MCAP file, written by the reference library.
 */
import { McapWriter, TempBuffer } from "@mcap/core";
import { compress } from "lz4js";
import { DEFINITIONS } from "./ros_writer";
import { CHANNELS, runMessages, type RunMessage, type RunShape } from "./small_run";

export interface WriteOptions {
  lz4?: boolean;
  chunkSize?: number;
  chunks?: boolean;
  end?: boolean; // false: the run was killed
}

export async function writeMcap(messages: Iterable<RunMessage>, options: WriteOptions = {}): Promise<Uint8Array> {
  const { lz4 = true, chunkSize = 32 * 1024, chunks = true, end = true } = options;
  const buffer = new TempBuffer();
  const writer = new McapWriter({
    writable: buffer,
    chunkSize,
    useChunks: chunks,
    ...(lz4 ? { compressChunk: (data: Uint8Array) => ({ compression: "lz4", compressedData: compress(data) }) } : {}),
  });
  await writer.start({ profile: "ros2", library: "test" });
  const ids = new Map<string, number>();
  for (const channel of CHANNELS) {
    const data = new TextEncoder().encode(DEFINITIONS[channel.schemaName] ?? "{}");
    const schemaId = await writer.registerSchema({ name: channel.schemaName, encoding: channel.schemaEncoding, data });
    ids.set(
      channel.topic,
      await writer.registerChannel({ schemaId, topic: channel.topic, messageEncoding: channel.encoding, metadata: new Map() }),
    );
  }
  let sequence = 0;
  for (const { topic, time, data } of messages) {
    const logTime = BigInt(Math.round(time * 1e9));
    await writer.addMessage({ channelId: ids.get(topic)!, sequence: sequence++, logTime, publishTime: logTime, data });
  }
  if (end) await writer.end();
  return buffer.get();
}

export function writeRun(shape: RunShape, options: WriteOptions = {}): Promise<Uint8Array> {
  return writeMcap(runMessages(shape), options);
}
