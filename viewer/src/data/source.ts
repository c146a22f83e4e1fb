/*
 * Where frames come from: a recording, or the frames of a live run that are still kept.
 */
import type { Events } from "./events";
import type { Frame } from "./frame";
import type { Scene } from "./scene";
import type { Series } from "./series";

export interface Source {
  readonly name: string;
  readonly scene: Scene;
  readonly series: Series;
  readonly events: Events;
  readonly frameCount: number;
  /** What is amiss with the data, in words for a person. */
  readonly notes: readonly string[];
  /** Part of the series and events that is read, 0 to 1. */
  readonly progress: number;
  timeOf(frame: number): number;
  frame(number: number): Frame;
  /** Reads on for a few milliseconds; true if there is more to do. */
  work(milliseconds: number): boolean;
}

/** The last frame at or before a time; the first one for earlier times. */
export function frameAt(source: Source, time: number): number {
  let low = 0;
  let high = source.frameCount;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (source.timeOf(middle) <= time) low = middle;
    else high = middle;
  }
  return low;
}

export function firstTime(source: Source): number {
  return source.frameCount > 0 ? source.timeOf(0) : 0;
}

export function lastTime(source: Source): number {
  return source.frameCount > 0 ? source.timeOf(source.frameCount - 1) : 0;
}
