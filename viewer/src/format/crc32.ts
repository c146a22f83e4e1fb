/*
 * CRC-32 as in zlib and MCAP: polynomial 0x04C11DB7 reflected (0xEDB88320), start and end inverted.
 *
 * Eight tables let eight bytes be taken at once: table[k][b] is the remainder of byte b followed by k zero bytes.
 */

const TABLES = makeTables();

function makeTables(): Uint32Array[] {
  const first = new Uint32Array(256);
  for (let b = 0; b < 256; b++) {
    let c = b;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    first[b] = c >>> 0;
  }
  const tables = [first];
  for (let k = 1; k < 8; k++) {
    const before = tables[k - 1]!;
    tables.push(before.map((c) => (c >>> 8) ^ first[c & 255]!));
  }
  return tables;
}

export function crc32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = 0xffffffff;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const low = view.getUint32(at, true) ^ crc;
    const high = view.getUint32(at + 4, true);
    crc =
      t7[low & 255]! ^
      t6[(low >>> 8) & 255]! ^
      t5[(low >>> 16) & 255]! ^
      t4[low >>> 24]! ^
      t3[high & 255]! ^
      t2[(high >>> 8) & 255]! ^
      t1[(high >>> 16) & 255]! ^
      t0[high >>> 24]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!;
  return (crc ^ 0xffffffff) >>> 0;
}
