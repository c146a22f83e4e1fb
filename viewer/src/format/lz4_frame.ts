/*
 * LZ4 frames to plain bytes (LZ4 frame format 1.6.x, block format of the same project).
 *
 *   frame  = magic 04 22 4D 18 | FLG | BD | [content size u64] | [dictionary u32] | header check u8
 *            | blocks | end mark u32 0 | [content check u32]
 *   block  = size u32 (top bit: stored as it is) | bytes | [block check u32]
 *   FLG    = version 01 (bits 7, 6) | 5 blocks stand alone | 4 block checks | 3 content size | 2 content check | 0 dictionary
 *   coded  = sequences: token (literals << 4 | match - 4) | [255 ...] | literals | offset u16 | [255 ...]
 *
 * A match may reach back into earlier blocks of the frame: all blocks are written one behind the other.
 * Check sums are xxHash-32; the header check is its second byte.
 * Failure: FormatError for a foreign magic, an unknown version, a dictionary, a wrong check, an end too early,
 * a match from before the start, or more bytes than the caller's size.
 */
import { ByteCursor, FormatError } from "./bytes";
import { xxh32 } from "./xxh32";

const MAGIC = 0x184d2204;
const STORED = 0x80000000;

/** Length that goes on while bytes are 255. */
function longer(input: Uint8Array, at: number, end: number): [number, number] {
  let sum = 0;
  for (;;) {
    if (at >= end) throw new FormatError("LZ4: a length runs past its block");
    const byte = input[at++]!;
    sum += byte;
    if (byte !== 255) return [sum, at];
  }
}

/** Copies a match; it may overlap itself, and then repeats what it has just written. */
function copyMatch(output: Uint8Array, to: number, offset: number, length: number): void {
  if (offset >= length && length > 48) {
    output.copyWithin(to, to - offset, to - offset + length);
    return;
  }
  for (let at = to, end = to + length; at < end; at++) output[at] = output[at - offset]!;
}

/** Decodes one coded block to output[to...]; returns the place behind the last byte. */
export function decodeLz4Block(input: Uint8Array, output: Uint8Array, to: number): number {
  const end = input.length;
  let at = 0;
  while (at < end) {
    const token = input[at++]!;
    let literals = token >> 4;
    if (literals === 15) {
      const [more, next] = longer(input, at, end);
      literals += more;
      at = next;
    }
    if (at + literals > end) throw new FormatError("LZ4: literals run past their block");
    if (to + literals > output.length) throw new FormatError("LZ4: more bytes than the stated size");
    if (literals <= 16) {
      for (let k = 0; k < literals; k++) output[to + k] = input[at + k]!;
    } else {
      output.set(input.subarray(at, at + literals), to);
    }
    at += literals;
    to += literals;
    if (at === end) return to; // the last sequence has no match
    if (at + 2 > end) throw new FormatError("LZ4: an offset runs past its block");
    const offset = input[at]! | (input[at + 1]! << 8);
    at += 2;
    if (offset === 0 || offset > to) throw new FormatError("LZ4: a match from before the start");
    let match = (token & 15) + 4;
    if (match === 19) {
      const [more, next] = longer(input, at, end);
      match += more;
      at = next;
    }
    if (to + match > output.length) throw new FormatError("LZ4: more bytes than the stated size");
    copyMatch(output, to, offset, match);
    to += match;
  }
  return to;
}

interface FrameHead {
  blockChecks: boolean;
  contentCheck: boolean;
}

function readHead(cursor: ByteCursor): FrameHead {
  if (cursor.u32() !== MAGIC) throw new FormatError("LZ4: the frame does not begin with 04 22 4D 18");
  const start = cursor.at;
  const flags = cursor.u8();
  cursor.u8();
  if (flags >> 6 !== 1) throw new FormatError(`LZ4: frame version ${flags >> 6} is unknown`);
  if (flags & 1) throw new FormatError("LZ4: frames with a dictionary are not supported");
  if (flags & 8) cursor.size();
  const check = (xxh32(cursor.bytes.subarray(start, cursor.at)) >>> 8) & 255;
  if (cursor.u8() !== check) throw new FormatError("LZ4: the check of the frame's head is wrong");
  return { blockChecks: (flags & 16) !== 0, contentCheck: (flags & 4) !== 0 };
}

/** Decodes one frame whose plain size is known; its content check may be left out where another check follows. */
export function decodeLz4Frame(input: Uint8Array, plainSize: number, checkContent = true): Uint8Array {
  const cursor = new ByteCursor(input);
  const head = readHead(cursor);
  const output = new Uint8Array(plainSize);
  let to = 0;
  for (let size = cursor.u32(); size !== 0; size = cursor.u32()) {
    const block = cursor.block(size & ~STORED);
    if (head.blockChecks && cursor.u32() !== xxh32(block)) throw new FormatError("LZ4: the check of a block is wrong");
    if (size >= STORED) {
      if (to + block.length > plainSize) throw new FormatError("LZ4: more bytes than the stated size");
      output.set(block, to);
      to += block.length;
    } else {
      to = decodeLz4Block(block, output, to);
    }
  }
  if (to !== plainSize) throw new FormatError(`LZ4: ${to} bytes came out, ${plainSize} were stated`);
  if (head.contentCheck && checkContent && cursor.u32() !== xxh32(output))
    throw new FormatError("LZ4: the check of the content is wrong");
  return output;
}
