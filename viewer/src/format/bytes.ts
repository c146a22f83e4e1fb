/*
 * Reading little-endian numbers out of a block of bytes, with bounds checked in clear words.
 *
 * Failure: reading past the end throws FormatError with the place.
 */

/** What is wrong with a file or message, in words for a person. */
export class FormatError extends Error {
  override name = "FormatError";
}

const TEXT = new TextDecoder("utf-8");

/** A place in a block of bytes that moves on with every read. */
export class ByteCursor {
  readonly view: DataView;
  at: number;

  constructor(
    readonly bytes: Uint8Array,
    start = 0,
    readonly end = bytes.length,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = start;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** Place of the next `count` bytes; moves past them. */
  take(count: number): number {
    const place = this.at;
    if (count < 0 || place + count > this.end) {
      throw new FormatError(`needs ${count} bytes at byte ${place}, but only ${this.end - place} are left`);
    }
    this.at = place + count;
    return place;
  }

  u8(): number {
    return this.view.getUint8(this.take(1));
  }

  u16(): number {
    return this.view.getUint16(this.take(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  i32(): number {
    return this.view.getInt32(this.take(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.take(8), true);
  }

  /** A 64-bit count or place as a number; sizes above 2^53 are no sizes of files. */
  size(): number {
    const place = this.take(8);
    const high = this.view.getUint32(place + 4, true);
    if (high >= 0x200000) throw new FormatError(`a size of 2^53 or more at byte ${place}`);
    return high * 4294967296 + this.view.getUint32(place, true);
  }

  /** A time of 64 bits in nanoseconds, as seconds. */
  seconds(): number {
    const place = this.take(8);
    return secondsAt(this.view, place);
  }

  block(count: number): Uint8Array {
    const place = this.take(count);
    return this.bytes.subarray(place, place + count);
  }

  /** A text with a 32-bit length before it. */
  text(): string {
    return TEXT.decode(this.block(this.u32()));
  }
}

/** Nanoseconds (u64, little endian) at a place, as seconds; rounded to the nearest double. */
export function secondsAt(view: DataView, place: number): number {
  return (view.getUint32(place + 4, true) * 4294967296 + view.getUint32(place, true)) / 1e9;
}

export function decodeText(bytes: Uint8Array): string {
  return TEXT.decode(bytes);
}

/** Bytes of a base64 text; white space is allowed. */
export function fromBase64(text: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new FormatError("not a base64 text");
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
