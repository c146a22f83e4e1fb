/* MCAP files of the reference library: read whole, cut off at any byte, damaged, foreign. */
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { decompress } from "lz4js";
import { describe, expect, it } from "vitest";
import { McapFile } from "../../src/format/mcap_file";
import { writeMcap, writeRun } from "../support/mcap_writer";
import { runMessages } from "../support/small_run";

const plain = (bytes: Uint8Array): Uint8Array => Uint8Array.from(decompress(bytes));
const SHAPE = { frames: 120, rate: 60 };

/** All messages as texts "topic time hash", in order of channel and time. */
function listMessages(file: McapFile): string[] {
  const found: string[] = [];
  for (const channel of file.channels.values()) {
    for (let chunk = 0; chunk < file.chunks.length; chunk++) {
      const index = file.index(chunk, channel.id);
      index?.offsets.forEach((offset, i) => {
        const message = file.message(chunk, offset);
        expect(message.channel).toBe(channel.id);
        expect(message.time).toBe(index.times[i]);
        found.push(`${channel.topic} ${message.time} ${Buffer.from(message.data).toString("hex")}`);
      });
    }
  }
  return found.sort();
}

function wanted(): string[] {
  return [...runMessages(SHAPE)].map((m) => `${m.topic} ${m.time} ${Buffer.from(m.data).toString("hex")}`).sort();
}

describe("an mcap file", () => {
  it("gives every message, from lz4 chunks, plain chunks, and without chunks", async () => {
    for (const options of [{}, { lz4: false }, { chunks: false }, { chunkSize: 500 }]) {
      const file = new McapFile(await writeRun(SHAPE, options));
      expect(file.notes).toEqual([]);
      expect(listMessages(file)).toEqual(wanted());
    }
  });

  it("says the same as the reference reader", async () => {
    const bytes = await writeRun(SHAPE);
    const readable = {
      size: () => Promise.resolve(BigInt(bytes.length)),
      read: (a: bigint, n: bigint) => Promise.resolve(bytes.subarray(Number(a), Number(a + n))),
    };
    const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: { lz4: plain } });
    const file = new McapFile(bytes);
    expect(file.chunks.length).toBe(reader.chunkIndexes.length);
    expect(file.channels.size).toBe(reader.channelsById.size);
    let count = 0;
    for await (const message of reader.readMessages()) count += message ? 1 : 0;
    expect(listMessages(file).length).toBe(count);
  });

  it("cut off at any byte gives the chunks before, like the reference stream reader", async () => {
    const bytes = await writeRun(SHAPE, { chunkSize: 8000 });
    for (let end = bytes.length - 1; end > 9; end -= 997) {
      const part = bytes.slice(0, end);
      const file = new McapFile(part);
      expect(file.notes.join(" ")).toMatch(/cut short/);
      expect(listMessages(file).length).toBe(countWhole(part));
    }
  });

  it("killed before its end gives all whole chunks", async () => {
    const file = new McapFile(await writeRun(SHAPE, { end: false, chunkSize: 8000 }));
    expect(file.chunks.length).toBeGreaterThan(3);
    const all = wanted();
    const found = listMessages(file);
    expect(found.length).toBeGreaterThan(all.length * 0.8);
    expect(found.every((message) => all.includes(message))).toBe(true);
  });

  it("with a damaged summary is read from its start", async () => {
    const bytes = await writeRun(SHAPE);
    bytes[bytes.length - 60]! ^= 0xff;
    const file = new McapFile(bytes);
    expect(file.notes.join(" ")).toMatch(/summary .* damaged/);
    expect(listMessages(file)).toEqual(wanted());
  });

  it("with a damaged chunk names the chunk, and gives the others", async () => {
    const bytes = await writeRun(SHAPE, { chunkSize: 8000 });
    const whole = new McapFile(bytes);
    const chunk = whole.chunks[2]!;
    bytes[chunk.place + Math.floor(chunk.size / 2)]! ^= 0xff;
    const file = new McapFile(bytes);
    expect(() => file.plain(2)).toThrow(/chunk 2 \(byte \d+ of the file\) is damaged/);
    expect(file.plain(1).length).toBe(whole.chunks[1]!.plainSize);
  });

  it("that is none is refused in words", () => {
    expect(() => new McapFile(new Uint8Array(0))).toThrow(/empty/);
    expect(() => new McapFile(new TextEncoder().encode("hello"))).toThrow(/no MCAP file/);
    expect(() => new McapFile(Uint8Array.of(0x50, 0x4b, 3, 4, 9, 9, 9, 9, 9))).toThrow(/ZIP/);
  });

  it("of an unknown compression is refused when it is read", async () => {
    const bytes = await writeMcap(runMessages(SHAPE), {});
    const name = new TextEncoder().encode("lz4");
    const at = Buffer.from(bytes).indexOf(Buffer.from(name));
    bytes.set(new TextEncoder().encode("zst"), at);
    const file = new McapFile(bytes);
    expect(() => file.plain(0)).toThrow(/"zst"; this page reads lz4/);
  });

  it("with any byte changed never does more than throw a FormatError", async () => {
    const bytes = await writeRun({ frames: 10, rate: 60 }, { chunkSize: 3000 });
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = bytes.slice();
      changed[at]! ^= 0xa5;
      try {
        const file = new McapFile(changed);
        file.chunks.forEach((_, chunk) => file.plain(chunk));
      } catch (error) {
        expect((error as Error).name).toBe("FormatError");
      }
    }
  });
});

/** Messages in the whole chunks of the start of a file, by the reference library. */
function countWhole(bytes: Uint8Array): number {
  const reader = new McapStreamReader({ decompressHandlers: { lz4: plain } });
  reader.append(bytes);
  let count = 0;
  for (let record = reader.nextRecord(); record; record = reader.nextRecord()) count += record.type === "Message" ? 1 : 0;
  return count;
}
