/*
 * Many rows to few points for drawing: the rows in a window of time are cut into buckets, and each bucket gives two points, one
 * with the least and one with the greatest number of each column. With few rows all are taken as they are.
 * Unknown numbers (NaN) become null, a gap.
 */

export type Points = [number[], ...(number | null)[][]];

import { firstAtOrAfter } from "../data/sorted";

const known = (x: number): number | null => (Number.isFinite(x) ? x : null);

export function decimate(
  times: Float64Array,
  columns: readonly Float32Array[],
  window: readonly [number, number],
  buckets: number,
): Points {
  const begin = Math.max(0, firstAtOrAfter(times, window[0]) - 1);
  const end = Math.min(times.length, firstAtOrAfter(times, window[1]) + 1);
  const rows = end - begin;
  if (rows <= 2 * buckets) {
    const plain = columns.map((column) => Array.from(column.subarray(begin, end), known));
    return [Array.from(times.subarray(begin, end)), ...plain];
  }
  const x: number[] = [];
  const y: (number | null)[][] = columns.map(() => []);
  for (let k = 0; k < buckets; k++) {
    const from = begin + Math.floor((k * rows) / buckets);
    const to = begin + Math.floor(((k + 1) * rows) / buckets);
    x.push(times[from]!, times[(from + to) >> 1]!);
    columns.forEach((column, i) => y[i]!.push(...extremes(column, from, to)));
  }
  return [x, ...y];
}

/** Least and greatest number of a part of a column, in the order in which they come. */
function extremes(column: Float32Array, from: number, to: number): [number | null, number | null] {
  let least = -1;
  let most = -1;
  for (let i = from; i < to; i++) {
    const value = column[i]!;
    if (!Number.isFinite(value)) continue;
    if (least < 0 || value < column[least]!) least = i;
    if (most < 0 || value > column[most]!) most = i;
  }
  if (least < 0) return [null, null];
  return least <= most ? [column[least]!, column[most]!] : [column[most]!, column[least]!];
}
