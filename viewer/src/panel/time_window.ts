/*
 * The part of the time that time line and plots show: all of it, or a part after zooming in.
 */

const LEAST = 1e-4; // s

export class TimeWindow {
  private whole: [number, number] = [0, 1];
  private part: [number, number] | null = null;

  setWhole(first: number, last: number): void {
    this.whole = [first, Math.max(last, first + LEAST)];
    if (this.part) this.set(this.part[0], this.part[1]);
  }

  get first(): number {
    return (this.part ?? this.whole)[0];
  }

  get last(): number {
    return (this.part ?? this.whole)[1];
  }

  get zoomed(): boolean {
    return this.part !== null;
  }

  /** Makes the window `factor` times as long, with `about` at the same place in it. */
  zoom(factor: number, about: number): void {
    const length = Math.max(LEAST, (this.last - this.first) * factor);
    const share = (about - this.first) / (this.last - this.first);
    const first = about - share * length;
    this.set(first, first + length);
  }

  /** Moves the window so that a time is in it. */
  reveal(time: number): boolean {
    if (!this.part || (time >= this.part[0] && time <= this.part[1])) return false;
    const length = this.part[1] - this.part[0];
    const first = time > this.part[1] ? time - 0.1 * length : time - 0.9 * length;
    this.set(first, first + length);
    return true;
  }

  all(): void {
    this.part = null;
  }

  private set(first: number, last: number): void {
    const [a, b] = this.whole;
    const length = last - first;
    if (length >= b - a) {
      this.part = null;
      return;
    }
    const start = Math.min(b - length, Math.max(a, first));
    this.part = [start, start + length];
  }
}
