/* LZ4 frames: another compressor's output is decoded to what went in; every damage is noticed. */
import { compress } from "lz4js";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/format/crc32";
import { decodeLz4Block, decodeLz4Frame } from "../../src/format/lz4_frame";
import { xxh32 } from "../../src/format/xxh32";

/** Numbers that look random but are the same every time. */
function noise(count: number, seed: number, values: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 24) % values;
  });
}

const text = (s: string): Uint8Array => new TextEncoder().encode(s);

describe("lz4 frames", () => {
  it("come back as they went in", () => {
    const cases = [
      text("a"),
      text("a".repeat(100_000)),
      text("abcabcabcabc, the same again, the same again and again".repeat(50)),
      noise(70_000, 1, 256),
      noise(300_000, 2, 3),
      new Uint8Array(5_000_000),
    ];
    for (const plain of cases) {
      const found = decodeLz4Frame(compress(plain), plain.length);
      expect(Buffer.compare(found, plain)).toBe(0);
    }
  });

  it("blocks with long literals and overlapping matches", () => {
    // 16 literals "0123456789abcdef", then 24 bytes at offset 1: the last letter repeated.
    const block = Uint8Array.from([0xff, 1, ...text("0123456789abcdef"), 1, 0, 5, 0x50, ...text("vwxyz")]);
    const output = new Uint8Array(16 + 24 + 5);
    expect(decodeLz4Block(block, output, 0)).toBe(45);
    expect(new TextDecoder().decode(output)).toBe(`0123456789abcdef${"f".repeat(24)}vwxyz`);
  });

  it("says what is wrong", () => {
    const plain = noise(10_000, 3, 4);
    const frame = compress(plain);
    const changed = (at: number): Uint8Array => frame.map((b, i) => (i === at ? b ^ 0x55 : b));
    expect(() => decodeLz4Frame(changed(0), plain.length)).toThrow(/does not begin/);
    expect(() => decodeLz4Frame(changed(4), plain.length)).toThrow(/version|head/);
    expect(() => decodeLz4Frame(changed(5), plain.length)).toThrow(/head/);
    expect(() => decodeLz4Frame(frame.subarray(0, 200), plain.length)).toThrow(/bytes/);
    expect(() => decodeLz4Frame(frame, plain.length - 1)).toThrow(/more bytes/);
    expect(() => decodeLz4Frame(frame, plain.length + 1)).toThrow(/came out/);
    expect(() => decodeLz4Block(Uint8Array.of(0x10, 65, 9, 0), new Uint8Array(99), 0)).toThrow(/before the start/);
  });

  it("random bytes never do more than throw", () => {
    for (let seed = 0; seed < 300; seed++) {
      const bytes = noise(100, seed, 256);
      const output = new Uint8Array(200);
      try {
        expect(decodeLz4Block(bytes, output, 0)).toBeLessThanOrEqual(200);
      } catch (error) {
        expect((error as Error).name).toBe("FormatError");
      }
    }
  });
});

describe("check sums", () => {
  it("xxh32 gives the known values", () => {
    expect(xxh32(text(""))).toBe(0x02cc5d05);
    expect(xxh32(text("a"))).toBe(0x550d7456);
    expect(xxh32(text("abc"))).toBe(0x32d153ff);
    expect(xxh32(text("Nobody inspects the spammish repetition"))).toBe(0xe2293b2f);
  });

  it("crc32 gives the known value, at every start and length like the slow way", () => {
    expect(crc32(text("123456789"))).toBe(0xcbf43926);
    const bytes = noise(100, 7, 256);
    for (let start = 0; start < 10; start++) {
      for (let end = start; end < 40; end++) expect(crc32(bytes, start, end)).toBe(slowCrc(bytes.subarray(start, end)));
    }
  });
});

function slowCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
