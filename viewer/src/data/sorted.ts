/* Looking things up in times that ascend. */

/** First place at or after a time, of the first `count` times. */
export function firstAtOrAfter(times: Float64Array, time: number, count = times.length): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
