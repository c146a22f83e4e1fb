/*
 * The time line: a lane for each kind of event with a mark for each event, and the time that is shown.
 *
 * Marks are drawn by columns of pixels: an event lights its column in its lane, more events in a column make it stronger.
 */
import { EVENT_KINDS, type EventKind, type RunEvent } from "../data/events";
import { lastTime, firstTime, type Source } from "../data/source";
import { el, seconds, short } from "./dom";
import type { TimeWindow } from "./time_window";

export const EVENT_COLOURS: Record<EventKind, string> = {
  touch: "#3f8fd0",
  break: "#8a98a8",
  impact: "#d9a52f",
  stick: "#3da36f",
  roll: "#4fb3b8",
  slip: "#e0653f",
  limit: "#9a6fd0",
  leave: "#b59fc9",
  manifold: "#a07850",
  saturate: "#d0508f",
  recover: "#c9a3b7",
  unfinished: "#c0303a",
  attach: "#2f9e8f",
  detach: "#7fb8a8",
  broke: "#e03f6f",
  enter: "#4f7fd0",
  exit: "#9fb4dc",
};

const FEW = 80; // events that are drawn wider
const MARGIN = 10; // px on both sides
const AXIS = 14; // px for the times below
const CATCH = 5; // px: how near an event must be to be told

/** What is told of an event beside its time and who took part. */
export function numbersOf(event: RunEvent): string {
  const parts: string[] = [];
  if (event.kind === "unfinished")
    return ` (residual ${short(event.force, 3)} N, ${short(event.value, 3)} m/s, ${event.contacts} contact points)`;
  if (event.kind === "broke") return ` (${short(event.force, 3)} N, ${short(event.value, 3)} N m)`;
  if (event.kind === "attach" || event.kind === "detach") return ` (${short(event.value, 3)} J)`;
  if (Number.isFinite(event.value) && (event.value !== 0 || event.kind === "limit")) {
    const unit = event.kind === "limit" ? "" : " m/s";
    parts.push(`${short(event.value, 3)}${unit}`);
  }
  if (event.impulse !== 0) parts.push(`impulse ${short(event.impulse, 3)}`);
  if (event.uncertainty > 0) parts.push(`± ${event.uncertainty.toExponential(0)} s`);
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

/** Rows of the second recording are drawn below the first one's. */
export class TimeLine {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", { class: "timeline-canvas" });
  private readonly head = el("div", { class: "timeline-now" });
  private readonly tip = el("div", { class: "tip", hidden: true });
  private sources: readonly Source[] = [];
  private text = "#666";
  private width = 0;

  constructor(
    private readonly window: TimeWindow,
    private readonly seek: (time: number) => void,
    private readonly zoomed: () => void,
  ) {
    this.element = el(
      "div",
      { class: "timeline", role: "slider", tabindex: "0", "aria-label": "Time line", "aria-valuemin": 0 },
      this.canvas,
      this.head,
      this.tip,
    );
    this.listen();
  }

  draw(sources: readonly Source[], colours: { text: string; line: string }): void {
    this.sources = sources;
    this.text = colours.text;
    const { clientWidth: width, clientHeight: height } = this.element;
    this.width = width;
    if (width === 0 || sources.length === 0) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const g = this.canvas.getContext("2d")!;
    g.scale(ratio, ratio);
    this.drawAxis(g, width, height, colours.line);
    const lanes = EVENT_KINDS.length * sources.length;
    const lane = (height - AXIS - 2) / lanes;
    sources.forEach((source, k) => this.drawEvents(g, source, width, 2 + k * EVENT_KINDS.length * lane, lane));
  }

  setTime(time: number): void {
    this.head.style.transform = `translateX(${this.toPixel(time).toFixed(1)}px)`;
    const [first] = this.sources;
    this.element.setAttribute("aria-valuenow", time.toFixed(3));
    this.element.setAttribute("aria-valuetext", seconds(time));
    if (first) this.element.setAttribute("aria-valuemax", lastTime(first).toFixed(3));
    if (first) this.element.setAttribute("aria-valuemin", firstTime(first).toFixed(3));
  }

  /** Pixels between the margins, as measured when it was last drawn: asking the page for it is slow. */
  private span(): number {
    return Math.max(1, this.width - 2 * MARGIN);
  }

  private toPixel(time: number): number {
    const { first, last } = this.window;
    return MARGIN + ((time - first) / (last - first)) * this.span();
  }

  private toTime(pixel: number): number {
    const { first, last } = this.window;
    return first + ((pixel - MARGIN) / this.span()) * (last - first);
  }

  private drawAxis(g: CanvasRenderingContext2D, width: number, height: number, line: string): void {
    const { first, last } = this.window;
    const step = niceStep((last - first) / Math.max(2, width / 90));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    g.font = "10px system-ui, sans-serif";
    g.textAlign = "center";
    g.textBaseline = "bottom";
    for (let k = Math.ceil(first / step - 1e-9); k * step <= last + 1e-9; k++) {
      const x = Math.round(this.toPixel(k * step)) + 0.5;
      g.strokeStyle = line;
      g.beginPath();
      g.moveTo(x, 0);
      g.lineTo(x, height - AXIS);
      g.stroke();
      g.fillStyle = this.text;
      g.fillText((k * step).toFixed(digits), Math.min(width - 14, Math.max(12, x)), height - 1);
    }
  }

  private drawEvents(g: CanvasRenderingContext2D, source: Source, width: number, top: number, lane: number): void {
    const counts = new Float32Array(EVENT_KINDS.length * (width + 1));
    const { events } = source;
    let seen = 0;
    for (let i = events.after(this.window.first); i < events.count; i++) {
      const time = events.timeOf(i);
      if (time > this.window.last) break;
      const x = Math.round(this.toPixel(time));
      seen++;
      if (x >= 0 && x <= width) counts[events.kindOf(i) * (width + 1) + x]!++;
    }
    const half = seen <= FEW ? 2 : 1; // of a mark's width
    EVENT_KINDS.forEach((kind, k) => {
      g.fillStyle = EVENT_COLOURS[kind];
      for (let x = 0; x <= width; x++) {
        const count = counts[k * (width + 1) + x]!;
        if (count === 0) continue;
        g.globalAlpha = seen <= FEW ? 1 : Math.min(1, 0.6 + 0.1 * count);
        g.fillRect(x - half, top + k * lane + 0.5, 2 * half, Math.max(2, lane - 1));
      }
      g.globalAlpha = 1;
    });
  }

  private listen(): void {
    const place = (event: PointerEvent | WheelEvent): number => event.clientX - this.element.getBoundingClientRect().left;
    this.element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.element.setPointerCapture(event.pointerId);
      this.seek(this.toTime(place(event)));
    });
    this.element.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.seek(this.toTime(place(event)));
      this.tell(place(event), event.offsetY);
    });
    this.element.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.window.zoom(Math.exp(Math.sign(event.deltaY) * 0.25), this.toTime(place(event)));
        this.zoomed();
      },
      { passive: false },
    );
  }

  /** Tells the event nearest to the pointer, in the lane under it first. */
  private tell(x: number, y: number): void {
    const lanes = EVENT_KINDS.length * this.sources.length;
    const lane = Math.floor(((y - 2) / (this.element.clientHeight - AXIS - 2)) * lanes);
    const source = this.sources[Math.floor(lane / EVENT_KINDS.length)] ?? this.sources[0];
    const found = source ? this.nearest(source, x, lane % EVENT_KINDS.length) : -1;
    this.tip.hidden = found < 0;
    if (!source || found < 0) return;
    const event = source.events.get(found);
    const who = [event.a, event.b].filter((name) => name !== "").join(" – ");
    this.tip.textContent = `${seconds(event.time)}  ${event.kind}: ${who}${numbersOf(event)}`;
    const room = this.element.clientWidth - this.tip.offsetWidth - 4;
    this.tip.style.left = `${Math.max(4, Math.min(room, x - 40))}px`;
  }

  private nearest(source: Source, x: number, lane: number): number {
    const { events } = source;
    let best = -1;
    let least = Infinity;
    for (let i = events.after(this.toTime(x - CATCH)); i < events.count; i++) {
      const distance = Math.abs(this.toPixel(events.timeOf(i)) - x);
      if (events.timeOf(i) > this.toTime(x + CATCH)) break;
      const cost = distance + (events.kindOf(i) === lane ? 0 : 2 * CATCH);
      if (cost < least) [best, least] = [i, cost];
    }
    return best;
  }
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1e-9, least)));
  for (const digit of [1, 2, 5, 10]) if (digit * power >= least * (1 - 1e-9)) return digit * power;
  return 10 * power;
}
