/*
 * CDR, the encoding of ROS 2 messages (XCDR version 1, little endian), and the messages that Rigor writes in it.
 *
 *   message  = 00 01 00 00 | body;  a number of n bytes begins at a multiple of n (at most 8), counted from the body
 *   text     = length u32, the closing zero counted | bytes | 0;  array = count u32 | elements
 *
 *   std_msgs/String          = data: text
 *   tf2_msgs/TFMessage       = transforms: {stamp i32 u32, frame_id text, child text, xyz f64, quaternion xyzw f64}[]
 *   sensor_msgs/JointState   = stamp, frame_id, name text[], position f64[], velocity f64[], effort f64[]
 *   rigor_msgs/Contacts      = stamp, link_a u32[], link_b u32[], point f64[], normal f64[], force f64[], gap f64[],
 *                              slip f64[], mu f64[], state u8[]
 *
 * Names repeat from message to message. The readers of TFMessage and JointState keep the bytes of the last names and
 * look a name up only where they differ.
 * Failure: FormatError for another encoding, an end too early, arrays of unlike lengths.
 */
import { ByteCursor, FormatError, decodeText } from "./bytes";

const HEAD = 4;

/** A cursor that knows about alignment. */
class CdrCursor extends ByteCursor {
  constructor(bytes: Uint8Array) {
    super(bytes, 0);
    this.take(HEAD);
    if (bytes[0] !== 0 || bytes[1] !== 1) throw new FormatError("CDR: not little-endian XCDR1 (head 00 01 00 00)");
  }

  align(size: number): void {
    const over = (this.at - HEAD) % size;
    if (over !== 0) this.take(size - over);
  }

  count(): number {
    this.align(4);
    return this.u32();
  }

  /** Bytes of a text, without the closing zero. */
  textBytes(): Uint8Array {
    const length = this.count();
    if (length === 0) return this.block(0);
    const bytes = this.block(length);
    return bytes.subarray(0, length - 1);
  }

  f64Array(): Float64Array {
    const count = this.count();
    if (count === 0) return new Float64Array(0);
    this.align(8);
    const place = this.take(count * 8);
    const numbers = new Float64Array(count);
    for (let i = 0; i < count; i++) numbers[i] = this.view.getFloat64(place + 8 * i, true);
    return numbers;
  }

  u32Array(): Uint32Array {
    const count = this.count();
    const place = this.take(count * 4);
    const numbers = new Uint32Array(count);
    for (let i = 0; i < count; i++) numbers[i] = this.view.getUint32(place + 4 * i, true);
    return numbers;
  }

  u8Array(): Uint8Array {
    return this.block(this.count()).slice();
  }

  skipStamp(): void {
    this.align(4);
    this.take(8);
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  if (!b || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Names to numbers, with the answer of the last message tried first at the same place in the list. */
class NameMemory {
  private readonly bytes: Uint8Array[] = [];
  private readonly numbers: number[] = [];

  constructor(private readonly find: (name: string) => number) {}

  number(place: number, name: Uint8Array): number {
    if (sameBytes(name, this.bytes[place])) return this.numbers[place]!;
    const found = this.find(decodeText(name));
    this.bytes[place] = name.slice();
    this.numbers[place] = found;
    return found;
  }
}

export function decodeString(message: Uint8Array): string {
  return decodeText(new CdrCursor(message).textBytes());
}

/** Reads TFMessage into poses: 7 numbers a link (x y z, then w x y z). Frames of unknown names are passed over. */
export class TransformReader {
  private readonly names: NameMemory;

  constructor(find: (name: string) => number) {
    this.names = new NameMemory(find);
  }

  read(message: Uint8Array, poses: Float64Array): number {
    const c = new CdrCursor(message);
    const count = c.count();
    for (let i = 0; i < count; i++) {
      c.skipStamp();
      c.textBytes();
      const link = this.names.number(i, c.textBytes());
      c.align(8);
      const at = c.take(56);
      if (link < 0) continue;
      const to = 7 * link;
      for (let k = 0; k < 3; k++) poses[to + k] = c.view.getFloat64(at + 8 * k, true);
      poses[to + 3] = c.view.getFloat64(at + 48, true);
      for (let k = 0; k < 3; k++) poses[to + 4 + k] = c.view.getFloat64(at + 24 + 8 * k, true);
    }
    return count;
  }
}

/** Numbers of joints; row[i] is the number that `find` gave for the i-th name, -1 for a name it does not know. */
export interface JointRows {
  rows: Int32Array;
  position: Float64Array;
  velocity: Float64Array;
  effort: Float64Array;
}

export class JointReader {
  private readonly names: NameMemory;

  constructor(find: (name: string) => number) {
    this.names = new NameMemory(find);
  }

  read(message: Uint8Array): JointRows {
    const c = new CdrCursor(message);
    c.skipStamp();
    c.textBytes();
    const count = c.count();
    if (count > c.left) throw new FormatError(`JointState: ${count} names do not fit in the message`);
    const rows = new Int32Array(count);
    for (let i = 0; i < count; i++) rows[i] = this.names.number(i, c.textBytes());
    return { rows, position: c.f64Array(), velocity: c.f64Array(), effort: c.f64Array() };
  }
}

/** Contacts of one frame; point, normal and force hold 3 numbers a contact. */
export interface Contacts {
  count: number;
  linkA: Uint32Array;
  linkB: Uint32Array;
  point: Float64Array;
  normal: Float64Array;
  force: Float64Array;
  gap: Float64Array;
  slip: Float64Array;
  mu: Float64Array;
  state: Uint8Array;
}

export function decodeContacts(message: Uint8Array): Contacts {
  const c = new CdrCursor(message);
  c.skipStamp();
  const linkA = c.u32Array();
  const found: Contacts = {
    count: linkA.length,
    linkA,
    linkB: c.u32Array(),
    point: c.f64Array(),
    normal: c.f64Array(),
    force: c.f64Array(),
    gap: c.f64Array(),
    slip: c.f64Array(),
    mu: c.f64Array(),
    state: c.u8Array(),
  };
  const n = found.count;
  const triples = [found.point, found.normal, found.force];
  const singles = [found.linkB, found.gap, found.slip, found.mu, found.state];
  if (triples.some((list) => list.length !== 3 * n) || singles.some((list) => list.length !== n)) {
    throw new FormatError(`Contacts: the lists are not of ${n} contacts each`);
  }
  return found;
}
