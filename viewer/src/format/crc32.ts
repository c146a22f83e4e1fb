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

const T = TABLES as [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array];

/** The eight bytes of two words taken into a remainder; the first word is already joined with it. */
function takeEight(low: number, high: number): number {
  return (
    T[7][low & 255]! ^
    T[6][(low >>> 8) & 255]! ^
    T[5][(low >>> 16) & 255]! ^
    T[4][low >>> 24]! ^
    T[3][high & 255]! ^
    T[2][(high >>> 8) & 255]! ^
    T[1][(high >>> 16) & 255]! ^
    T[0][high >>> 24]!
  );
}

function takeBytes(crc: number, bytes: Uint8Array, start: number, end: number): number {
  const table = T[0];
  for (let at = start; at < end; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 255]!;
  return crc;
}

export function crc32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  // Whole words lie at multiples of four of the memory behind the bytes (little endian, as in every browser).
  const first = Math.min(end, start + ((4 - ((bytes.byteOffset + start) & 3)) & 3));
  const pairs = Math.floor((end - first) / 8);
  let crc = takeBytes(-1, bytes, start, first);
  const words = pairs > 0 ? new Int32Array(bytes.buffer, bytes.byteOffset + first, 2 * pairs) : new Int32Array(0);
  for (let i = 0; i < words.length; i += 2) crc = takeEight(words[i]! ^ crc, words[i + 1]!);
  return ~takeBytes(crc, bytes, first + 8 * pairs, end) >>> 0;
}
