/* What something costs each time: the newest numbers, and the middle one of them. */

const KEPT = 31;

export class Costs {
  private readonly newest: number[] = [];

  add(milliseconds: number): void {
    this.newest.push(milliseconds);
    if (this.newest.length > KEPT) this.newest.shift();
  }

  /** NaN of none. */
  get median(): number {
    return [...this.newest].sort((a, b) => a - b)[this.newest.length >> 1] ?? NaN;
  }
}
