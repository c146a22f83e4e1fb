/*
 * Events of a run (/rigor/events): EVENT_KINDS, see docs/events.md. Kept as columns, because there may be very many; names are
 * kept once. In the order of their times, which is not that of the messages: that two bodies have parted, or begun to slip,
 * is told some time later where events are found by watching.
 */
import { isMap, numberOr, textOr, type Json } from "./json_value";
import { firstAtOrAfter } from "./sorted";

export const EVENT_KINDS = [
  "touch",
  "break",
  "impact",
  "stick",
  "roll",
  "slip",
  "limit",
  "leave",
  "manifold",
  "saturate",
  "recover",
  "unfinished",
  "attach",
  "detach",
  "broke",
  "enter",
  "exit",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface RunEvent {
  time: number;
  kind: EventKind;
  a: string;
  b: string;
  value: number;
  /** N s or N m s; 0: none. */
  impulse: number;
  /** s: how far the time may be off; 0: not known. */
  uncertainty: number;
  /** N, of an unfinished solve, or that a broken joint carried; 0: not known. */
  force: number;
  /** Contact points, of an unfinished solve. */
  contacts: number;
}

const MOST = 1 << 20;

export class Events {
  count = 0;
  revision = 0;
  /** Events that found no room. */
  leftOut = 0;
  private time = new Float64Array(256);
  private kind = new Uint8Array(256);
  private a = new Uint32Array(256);
  private b = new Uint32Array(256);
  private value = new Float32Array(256);
  private impulse = new Float32Array(256);
  private uncertainty = new Float32Array(256);
  private force = new Float32Array(256);
  private contacts = new Uint32Array(256);
  private readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(private readonly most = MOST) {}

  /** Takes the JSON of one event; unknown kinds are passed over. */
  add(json: Json, linkName: (index: number) => string): void {
    if (!isMap(json)) return;
    const kind = EVENT_KINDS.indexOf(textOr(json.kind, "") as EventKind);
    if (kind < 0) return;
    if (this.count >= this.most) {
      this.leftOut++;
      return;
    }
    const name = (value: Json | undefined): string => (typeof value === "number" ? linkName(value) : textOr(value, ""));
    if (this.count >= this.time.length) this.grow();
    const i = this.count++;
    this.time[i] = numberOr(json.t, NaN);
    this.kind[i] = kind;
    this.a[i] = this.number(textOr(json.field, "") || name(json.a) || textOr(json.joint, ""));
    this.b[i] = this.number(name(json.b));
    this.value[i] = numberOr(json.value, NaN);
    this.impulse[i] = numberOr(json.impulse, 0);
    this.uncertainty[i] = numberOr(json.uncertainty, 0);
    this.force[i] = numberOr(json.force, 0);
    this.contacts[i] = numberOr(json.contacts, 0);
    this.settle(i);
    this.revision++;
  }

  clear(): void {
    this.count = 0;
    this.leftOut = 0;
    this.revision++;
  }

  timeOf(i: number): number {
    return this.time[i]!;
  }

  kindOf(i: number): number {
    return this.kind[i]!;
  }

  get(i: number): RunEvent {
    return {
      time: this.time[i]!,
      kind: EVENT_KINDS[this.kind[i]!]!,
      a: this.names[this.a[i]!]!,
      b: this.names[this.b[i]!]!,
      value: this.value[i]!,
      impulse: this.impulse[i]!,
      uncertainty: this.uncertainty[i]!,
      force: this.force[i]!,
      contacts: this.contacts[i]!,
    };
  }

  /** The first event at or after a time. */
  after(time: number): number {
    return firstAtOrAfter(this.time, time, this.count);
  }

  /** Moves the last event to its place. */
  private settle(last: number): void {
    const to = Math.min(last, this.afterAll(this.time[last]!, last));
    if (to === last) return;
    const columns = [this.time, this.kind, this.a, this.b, this.value, this.impulse, this.uncertainty, this.force, this.contacts];
    for (const column of columns) {
      const moved = column[last]!;
      column.copyWithin(to + 1, to, last);
      column[to] = moved;
    }
  }

  /** The first of the events before `end` that is later than a time. */
  private afterAll(time: number, end: number): number {
    let at = end;
    while (at > 0 && this.time[at - 1]! > time) at--;
    return at;
  }

  private number(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.push(name) - 1;
    this.numbers.set(name, number);
    return number;
  }

  private grow(): void {
    const length = 2 * this.time.length;
    const f64 = new Float64Array(length);
    f64.set(this.time);
    this.time = f64;
    for (const key of ["value", "impulse", "uncertainty", "force"] as const) {
      const f32 = new Float32Array(length);
      f32.set(this[key]);
      this[key] = f32;
    }
    const u8 = new Uint8Array(length);
    u8.set(this.kind);
    this.kind = u8;
    for (const key of ["a", "b", "contacts"] as const) {
      const u32 = new Uint32Array(length);
      u32.set(this[key]);
      this[key] = u32;
    }
  }
}
