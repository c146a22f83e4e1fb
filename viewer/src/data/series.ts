/*
 * Numbers over time for the plots: one row a frame, one column a quantity, of bounded size.
 *
 * When the rows are as many as allowed, every two neighbours become one: in even pairs the larger number stays, in odd
 * pairs the smaller one, column by column, so that peaks and dips are still seen; from then on a row is kept for every
 * 2, 4, 8 ... frames. The time is that of the first of the two. NaN means unknown.
 */

const MOST_ROWS = 1 << 16;
const MOST_CELLS = 1 << 23;
const FIRST_ROWS = 1024;

export class Series {
  readonly names: string[] = [];
  rows = 0;
  /** Grows with every change. */
  revision = 0;
  private readonly columns: Float32Array[] = [];
  private readonly numbers = new Map<string, number>();
  private time = new Float64Array(FIRST_ROWS);
  private stride = 1;
  private skipped = 0;

  constructor(private readonly mostRows = MOST_ROWS) {}

  /** Number of a column, made if it is new. */
  column(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.push(name) - 1;
    this.numbers.set(name, number);
    this.columns.push(new Float32Array(this.time.length).fill(NaN));
    return number;
  }

  has(name: string): boolean {
    return this.numbers.has(name);
  }

  /** Begins a row; false if this frame is not kept. */
  begin(time: number): boolean {
    this.revision++;
    if (this.rows > 0 && this.skipped + 1 < this.stride) {
      this.skipped++;
      return false;
    }
    this.skipped = 0;
    if (this.rows >= this.limit()) this.halve();
    if (this.rows >= this.time.length) this.grow();
    this.time[this.rows++] = time;
    return true;
  }

  /** Sets a number of the row begun last. */
  put(column: number, value: number): void {
    this.columns[column]![this.rows - 1] = value;
  }

  clear(): void {
    this.rows = 0;
    this.stride = 1;
    this.skipped = 0;
    this.revision++;
    for (const column of this.columns) column.fill(NaN);
  }

  times(): Float64Array {
    return this.time.subarray(0, this.rows);
  }

  values(name: string): Float32Array | undefined {
    const number = this.numbers.get(name);
    return number === undefined ? undefined : this.columns[number]!.subarray(0, this.rows);
  }

  private limit(): number {
    return Math.max(64, Math.min(this.mostRows, Math.floor(MOST_CELLS / Math.max(1, this.names.length))));
  }

  private grow(): void {
    const length = Math.min(2 * this.time.length, Math.max(this.limit(), this.rows + 1));
    const time = new Float64Array(length);
    time.set(this.time);
    this.time = time;
    this.columns.forEach((column, i) => {
      const larger = new Float32Array(length).fill(NaN);
      larger.set(column);
      this.columns[i] = larger;
    });
  }

  private halve(): void {
    const half = Math.floor(this.rows / 2);
    for (let i = 0; i < half; i++) this.time[i] = this.time[2 * i]!;
    for (const column of this.columns) {
      for (let i = 0; i < half; i++) column[i] = kept(column[2 * i]!, column[2 * i + 1]!, i);
      column.fill(NaN, half);
    }
    this.rows = half;
    this.stride *= 2;
  }
}

/** The one of two numbers that stays; a known one before an unknown one. */
function kept(a: number, b: number, pair: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  return pair % 2 === 0 ? Math.max(a, b) : Math.min(a, b);
}
