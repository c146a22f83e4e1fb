/*
 * When plots, time line, times and the card of the selected body are drawn anew: only when they have changed, and not in
 * every picture, for a person does not read so fast.
 */
import type { Source } from "../data/source";
import type { BodyCard } from "../panel/body_card";
import { seconds } from "../panel/dom";
import type { PlotPanel } from "../panel/plot_panel";
import { cssColour } from "../panel/theme";
import type { TimeLine } from "../panel/time_line";
import type { TimeWindow } from "../panel/time_window";
import { setIcon, showSpeed, type Layout } from "./layout";
import type { Player } from "./player";
import type { Selection } from "./selection";

const PLOT_EVERY = 200; // ms between two drawings of the plots
const CARD_EVERY = 100;

export interface Refreshed {
  readonly layout: Layout;
  readonly plots: PlotPanel;
  readonly timeLine: TimeLine;
  readonly timeWindow: TimeWindow;
  readonly card: BodyCard;
}

/** What of the page is shown in the panels. */
export interface Shown {
  readonly sources: readonly Source[];
  readonly selection: Selection;
  readonly player: Player;
  readonly playing: boolean;
  readonly speed: number;
  frameOf(actor: number): number;
}

export class Refresh {
  private readonly last = { plots: 0, card: 0, values: 0 };
  private readonly stale = { plots: true, line: true, card: true };
  private markedTime = NaN;
  private plotted = -1; // revisions of what is drawn
  private marked = -1;

  constructor(
    private readonly page: Shown,
    private readonly parts: Refreshed,
  ) {}

  /** Plots and time line are out of date. */
  time(): void {
    this.stale.plots = this.stale.line = true;
  }

  line(): void {
    this.stale.line = true;
  }

  /** The card is; at once, or when it is its turn. */
  card(atOnce = false): void {
    this.stale.card = true;
    if (atOnce) this.last.card = 0;
  }

  tick(now: number): void {
    const { sources } = this.page;
    const revision = sources.reduce((sum, source) => sum + source.series.revision, 0);
    const events = sources.reduce((sum, source) => sum + source.events.revision, 0);
    if (revision !== this.plotted) this.stale.plots = true;
    if (events !== this.marked) this.stale.line = true;
    const drawn = now - this.last.plots > PLOT_EVERY && (this.stale.plots || this.stale.line);
    if (drawn) {
      this.last.plots = now;
      [this.plotted, this.marked] = [revision, events];
      this.drawTime();
      this.stale.plots = this.stale.line = false;
    }
    if (this.page.player.time !== this.markedTime || drawn) this.markTime(now, drawn);
    this.drawTransport();
    if (this.stale.card && now - this.last.card > CARD_EVERY) this.drawCard(now);
  }

  /** Moves the marks of the time; the numbers beside the plots follow less often while it plays. */
  private markTime(now: number, drawn: boolean): void {
    const { time } = this.page.player;
    const told = drawn || !this.page.playing || now - this.last.values > CARD_EVERY;
    if (told) this.last.values = now;
    this.parts.plots.setTime(time, told);
    this.parts.timeLine.setTime(time);
    this.markedTime = time;
  }

  private drawTime(): void {
    const { plots, timeLine, timeWindow } = this.parts;
    const text = cssColour("--quiet");
    const line = cssColour("--rule");
    if (this.stale.plots) plots.update(this.page.sources, timeWindow, { text, grid: line });
    timeLine.draw(this.page.sources, { text, line });
  }

  private drawTransport(): void {
    const { layout } = this.parts;
    const { player } = this.page;
    setIcon(layout.play, this.page.playing ? "pause" : "play");
    showSpeed(layout.speed, this.page.speed);
    const text = `${seconds(player.time)} / ${seconds(player.end)}`;
    if (layout.time.textContent !== text) layout.time.textContent = text;
  }

  private drawCard(now: number): void {
    this.last.card = now;
    this.stale.card = false;
    const { body } = this.page.selection;
    const source = this.page.selection.source();
    if (!source || !body || source.frameCount === 0) this.parts.card.hide();
    else this.parts.card.show(source, this.page.frameOf(body.actor), body.link);
  }
}
