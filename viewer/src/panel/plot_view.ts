/*
 * One plot: uPlot draws the lines, a thin element on top marks the time that is shown, and pressing in it moves the time.
 */
import uPlot from "uplot";
import type { Source } from "../data/source";
import { firstAtOrAfter } from "../data/sorted";
import { decimate } from "./decimate";
import { el, short } from "./dom";
import { isKnown, type PlotContent, type PlotKind } from "./plot_table";
import type { TimeWindow } from "./time_window";

const HEIGHT = 96;
const DASH = [5, 4];
const SECOND_DASH = [2, 3];

/** What the page tells about a plot to those who ask. */
export interface PlotState {
  id: string;
  title: string;
  shown: boolean;
  points: number;
  x: [number, number];
  y: [number, number];
  mark: number; // pixels from the left to the mark of the time
}

export interface PlotColours {
  text: string;
  grid: string;
}

export class PlotView {
  readonly element: HTMLElement;
  private readonly host = el("div", { class: "plot-host" });
  private readonly values = el("span", { class: "plot-values" });
  private readonly title: HTMLElement;
  private readonly now = el("div", { class: "plot-now" });
  private plot: uPlot | null = null;
  private content: PlotContent = { lines: [] };
  private structure = "";
  private points = 0;
  private time = 0;
  private sources: readonly Source[] = [];

  constructor(
    readonly kind: PlotKind,
    private readonly seek: (time: number) => void,
  ) {
    this.title = el("span", { class: "plot-title" }, this.titleText(""));
    this.element = el(
      "section",
      { class: kind.joint ? "plot of-joint" : "plot", "data-plot": kind.id },
      el("header", {}, this.title, this.values),
      this.host,
    );
  }

  /** Draws the data of a window of time anew; hides itself where there is none. */
  update(sources: readonly Source[], window: TimeWindow, joint: string, colours: PlotColours): void {
    const [first] = sources;
    if (!first) return;
    this.sources = sources;
    this.content = this.kind.content(first.series, first.scene, joint);
    const log = this.kind.log === true;
    this.content.lines = this.content.lines.filter((l) => sources.some((s) => isKnown(s.series, l.column, log)));
    this.title.textContent = this.titleText(joint);
    this.element.hidden = this.content.lines.length === 0;
    if (this.element.hidden || this.host.clientWidth === 0) return;
    this.build(sources.length, colours);
    const data = this.data(sources, [window.first, window.last]);
    this.points = data[0].length;
    this.plot!.setData(data, false);
    this.plot!.setScale("x", { min: window.first, max: window.last });
  }

  setTime(time: number, tell: boolean): void {
    this.time = time;
    if (!this.plot || this.element.hidden) return;
    this.placeMark(this.plot);
    if (!tell) return;
    const told = this.content.lines.filter((line) => line.label !== "");
    this.values.replaceChildren(...told.map((line) => this.valueAt(line.column, line.label, line.colour, time)));
  }

  resize(): void {
    const width = this.host.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  state(): PlotState {
    const { x, y } = this.plot?.scales ?? {};
    return {
      id: this.kind.id,
      title: this.title.textContent ?? "",
      shown: !this.element.hidden && this.plot !== null,
      points: this.element.hidden ? 0 : this.points,
      x: [x?.min ?? NaN, x?.max ?? NaN],
      y: [y?.min ?? NaN, y?.max ?? NaN],
      mark: new DOMMatrix(this.now.style.transform).m41,
    };
  }

  dispose(): void {
    this.plot?.destroy();
    this.plot = null;
    this.structure = "";
  }

  /** At the time that is shown; also after a drawing, which is when a new scale counts. */
  private placeMark(plot: uPlot): void {
    const x = plot.valToPos(this.time, "x");
    if (Number.isFinite(x)) this.now.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  private titleText(joint: string): string {
    const { title, unit } = this.kind;
    if (this.kind.joint) return `${title}: ${joint}`;
    return unit ? `${title} (${unit})` : title;
  }

  private valueAt(column: string, label: string, colour: string, time: number): HTMLElement {
    const series = this.sources[0]!.series;
    const times = series.times();
    const row = Math.max(0, Math.min(times.length - 1, firstAtOrAfter(times, time + 1e-9) - 1));
    const value = series.values(column)?.[row] ?? NaN;
    return el("span", { style: `--line:${colour}` }, `${label} ${short(value, 3)}`);
  }

  private data(sources: readonly Source[], window: [number, number]): uPlot.AlignedData {
    const buckets = Math.max(100, this.host.clientWidth);
    const tables = sources.map((source) => {
      const unknown = new Float32Array(source.series.rows).fill(NaN);
      const columns = this.content.lines.map((line) => source.series.values(line.column) ?? unknown);
      const points = decimate(source.series.times(), columns, window, buckets);
      return this.kind.log ? positive(points) : points;
    });
    return tables.length === 1 ? tables[0]! : uPlot.join(tables);
  }

  private build(sourceCount: number, colours: PlotColours): void {
    const structure = JSON.stringify([this.content, sourceCount, colours]);
    if (structure === this.structure) {
      this.resize();
      return;
    }
    this.dispose();
    this.structure = structure;
    const lines = Array.from({ length: sourceCount }, (_, k) => this.content.lines.map((line) => this.lineOptions(line, k)));
    const options: uPlot.Options = {
      width: this.host.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      padding: [6, 8, 0, 0],
      scales: {
        x: { time: false, auto: false },
        y: this.kind.log ? { distr: 3, range: (_, a, b) => decades(a, b) } : { range: (_, a, b) => this.range(a, b) },
      },
      axes: [this.axis(colours, 22), this.valueAxis(colours)],
      series: [{}, ...lines.flat()],
      hooks: { draw: [(u) => this.drawLevels(u, colours), (u) => this.placeMark(u)] },
    };
    this.plot = new uPlot(options, [[]], this.host);
    this.plot.over.append(this.now);
    this.listen(this.plot);
  }

  private lineOptions(line: PlotContent["lines"][number], source: number): uPlot.Series {
    const dash = source > 0 ? SECOND_DASH : line.dash ? DASH : undefined;
    const base: uPlot.Series = {
      stroke: line.colour,
      width: source > 0 ? 1.2 : 1.5,
      spanGaps: source > 0,
      points: { show: false },
    };
    return dash ? { ...base, dash } : base;
  }

  private axis(colours: PlotColours, size: number): uPlot.Axis {
    return {
      size,
      stroke: colours.text,
      font: "10px system-ui, sans-serif",
      gap: 3,
      grid: { stroke: colours.grid, width: 1 },
      ticks: { show: false },
      space: size === 22 ? 60 : 18,
    };
  }

  /** The axis of the numbers; on a logarithmic one only powers of ten are marked, a few of them. */
  private valueAxis(colours: PlotColours): uPlot.Axis {
    const axis: uPlot.Axis = { ...this.axis(colours, 54), values: (_, ticks) => axisTexts(ticks) };
    return this.kind.log
      ? { ...axis, splits: (_u, _axis, least, most) => powersOfTen(least, most), filter: (_u, splits) => splits }
      : axis;
  }

  /** Room for the numbers and the levels near them, never of no height. */
  private range(least: number | null, most: number | null): [number, number] {
    let [a, b] = [least ?? 0, most ?? 1];
    for (const { value } of this.content.levels ?? []) {
      if (this.kind.id !== "effort" && Math.abs(value) > 4 * Math.max(Math.abs(a), Math.abs(b), 1e-9)) continue;
      [a, b] = [Math.min(a, value), Math.max(b, value)];
    }
    const room = b - a > 1e-12 * Math.max(Math.abs(a), Math.abs(b)) ? 0.06 * (b - a) : Math.abs(a) * 0.05 || 1;
    return [a - room, b + room];
  }

  private drawLevels(u: uPlot, colours: PlotColours): void {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.setLineDash([3, 3]);
    ctx.strokeStyle = colours.text;
    ctx.lineWidth = 1;
    for (const { value } of this.content.levels ?? []) {
      const y = u.valToPos(value, "y", true);
      if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  private listen(u: uPlot): void {
    const go = (event: PointerEvent): void => {
      const box = u.over.getBoundingClientRect();
      this.seek(u.posToVal(event.clientX - box.left, "x"));
    };
    u.over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      u.over.setPointerCapture(event.pointerId);
      go(event);
    });
    u.over.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) go(event);
    });
  }
}

/** On a logarithmic axis numbers that are not above zero are gaps. */
function positive(points: ReturnType<typeof decimate>): ReturnType<typeof decimate> {
  const [x, ...columns] = points;
  return [x, ...columns.map((column) => column.map((v) => (v !== null && v > 0 ? v : null)))];
}

/** Numbers of an axis with as many digits as neighbours differ by, three at least. */
export function axisTexts(ticks: readonly (number | null)[]): string[] {
  const known = ticks.filter((tick) => tick !== null);
  const step = known.length > 1 ? Math.abs(known[1]! - known[0]!) : 0;
  const size = Math.max(...known.map(Math.abs));
  const digits = step > 0 ? Math.ceil(Math.log10(size / step) + 1e-9) + 2 : 3;
  return ticks.map((tick) => (tick === null ? "" : short(tick, Math.min(9, Math.max(3, digits)))));
}

/** Whole powers of ten round numbers, at least one; 1 to 10 of none. */
export function decades(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null || !(least > 0)) return [1, 10];
  const [first, last] = [Math.floor(Math.log10(least) + 1e-6), Math.ceil(Math.log10(most) - 1e-6)];
  return first < last ? [Number(`1e${first}`), Number(`1e${last}`)] : [Number(`1e${first - 1}`), Number(`1e${first + 1}`)];
}

/** Powers of ten from `least` to `most`, at most five. */
export function powersOfTen(least: number, most: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(least) - 1e-9), Math.floor(Math.log10(most) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / 5));
  const found: number[] = [];
  for (let power = first; power <= last; power += every) found.push(Number(`1e${power}`));
  return found;
}
