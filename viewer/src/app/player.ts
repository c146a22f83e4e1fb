/*
 * The clock of a replay: which time is shown, and how it moves on.
 *
 *   t <- t + speed * (time that passed), up to the end; playing from the end begins again.
 */

export const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16] as const;
const LONGEST_TICK = 0.25; // s: a page in the background does not jump ahead

export class Player {
  time = 0;
  playing = false;
  speed = 1;
  private first = 0;
  private last = 0;

  setRange(first: number, last: number): void {
    this.first = first;
    this.last = Math.max(first, last);
    this.seek(this.time);
  }

  get start(): number {
    return this.first;
  }

  get end(): number {
    return this.last;
  }

  seek(time: number): void {
    this.time = Math.min(this.last, Math.max(this.first, time));
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.last) this.time = this.first;
  }

  /** One step up or down the list of speeds. */
  changeSpeed(by: 1 | -1): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed - 1e-9);
    const next = Math.min(SPEEDS.length - 1, Math.max(0, (at < 0 ? SPEEDS.length - 1 : at) + by));
    this.speed = SPEEDS[next]!;
  }

  /** Moves on by the seconds that passed; true if the time changed. */
  tick(passed: number): boolean {
    if (!this.playing) return false;
    const before = this.time;
    this.time = Math.min(this.last, this.time + this.speed * Math.min(LONGEST_TICK, Math.max(0, passed)));
    if (this.time >= this.last) this.playing = false;
    return this.time !== before;
  }
}
