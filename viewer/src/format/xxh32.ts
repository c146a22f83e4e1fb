/*
 * xxHash, 32 bits, seed 0: the check sum of LZ4 frames (xxHash specification, version 0.1.1).
 *
 * Four lanes take 4 bytes each of every 16:  v = rotl(v + word * P2, 13) * P1;
 * then the rest by words and bytes, then the bits are mixed.
 */

const P1 = 0x9e3779b1;
const P2 = 0x85ebca77;
const P3 = 0xc2b2ae3d;
const P4 = 0x27d4eb2f;
const P5 = 0x165667b1;

function rotl(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

function lane(v: number, word: number): number {
  return Math.imul(rotl((v + Math.imul(word, P2)) | 0, 13), P1);
}

export function xxh32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const n = bytes.length;
  let at = 0;
  let h = P5 | 0;
  if (n >= 16) {
    let [v1, v2, v3, v4] = [(P1 + P2) | 0, P2 | 0, 0, -P1 | 0];
    for (; at + 16 <= n; at += 16) {
      v1 = lane(v1, view.getUint32(at, true));
      v2 = lane(v2, view.getUint32(at + 4, true));
      v3 = lane(v3, view.getUint32(at + 8, true));
      v4 = lane(v4, view.getUint32(at + 12, true));
    }
    h = (rotl(v1, 1) + rotl(v2, 7) + rotl(v3, 12) + rotl(v4, 18)) | 0;
  }
  h = (h + n) | 0;
  for (; at + 4 <= n; at += 4) {
    h = Math.imul(rotl((h + Math.imul(view.getUint32(at, true), P3)) | 0, 17), P4);
  }
  for (; at < n; at++) h = Math.imul(rotl((h + Math.imul(bytes[at]!, P5)) | 0, 11), P1);
  h = Math.imul(h ^ (h >>> 15), P2);
  h = Math.imul(h ^ (h >>> 13), P3);
  return (h ^ (h >>> 16)) >>> 0;
}
