/*
 * The page as a whole: which sources are shown, at which time, with which marks; what buttons and keys do.
 *
 * Every animation frame: the clock moves on, a new frame is put on the stage, series are read on in the background, and what
 * has changed is drawn.
 */
import type { LiveStatus } from "../data/live_link";
import type { Vec3 } from "../data/pose";
import { firstTime, frameAt, lastTime, type Source } from "../data/source";
import { Banner } from "../panel/banner";
import { BodyCard } from "../panel/body_card";
import { el, short } from "../panel/dom";
import { Help } from "../panel/help";
import { PlotPanel } from "../panel/plot_panel";
import { reportPanel, type Report } from "../panel/report_panel";
import { RunPanel } from "../panel/run_panel";
import { ThemeSwitch } from "../panel/theme";
import { TimeLine } from "../panel/time_line";
import { TimeWindow } from "../panel/time_window";
import { OVERLAYS } from "../stage/overlay_table";
import { chooseQuality } from "../stage/quality";
import { Stage, type Hit } from "../stage/stage";
import { Costs } from "./costs";
import { Grip } from "./grip";
import { KEYS, listenToKeys } from "./keys";
import { buildLayout, type Actions, type Layout } from "./layout";
import type { LiveSession } from "./live_session";
import { Player, SPEEDS } from "./player";
import { listenToPointer } from "./pointer";
import { Refresh } from "./refresh";
import { Selection } from "./selection";
import { SideTabs } from "./side_tabs";

export type Mode = "none" | "live" | "replay" | "report";

const WORK = { playing: 12, paused: 30 }; // ms of reading in the background at a time
const VIEWS: Vec3[] = [
  [0, 0, 0],
  [1, 0, 0.12],
  [0, -1, 0.12],
  [0.001, -0.01, 1],
];

export class App implements Actions {
  readonly stage: Stage;
  readonly player = new Player();
  readonly banner = new Banner();
  readonly plots: PlotPanel;
  readonly grip: Grip;
  mode: Mode = "none";
  sources: readonly Source[] = [];
  live: LiveSession | null = null;
  readonly selection: Selection;
  openedMs = NaN;
  readonly marks = new Set<string>();
  private readonly layout: Layout;
  private readonly timeWindow = new TimeWindow();
  private readonly runPanel: RunPanel;
  private readonly help: Help;
  private readonly themes: ThemeSwitch;
  private readonly tabs: SideTabs;
  private readonly refresh: Refresh;
  private shown: number[] = []; // frame shown of each source
  private view = 0;
  private readonly pictureCosts = new Costs();
  private readonly frameCosts = new Costs();
  private lastTick = 0;

  constructor(
    host: HTMLElement,
    readonly version: string,
  ) {
    this.layout = buildLayout(host, this);
    this.stage = new Stage(this.layout.canvas, chooseQuality(location.search));
    this.grip = new Grip(this);
    this.selection = new Selection(this, () => this.refresh.card(true));
    const timeLine = new TimeLine(
      this.timeWindow,
      (time) => this.seek(time),
      () => this.refresh.time(),
    );
    this.layout.line.replaceWith(timeLine.element);
    this.plots = new PlotPanel(
      (time) => this.seek(time),
      () => this.refresh.time(),
    );
    const card = new BodyCard(
      () => this.escape(),
      () => this.follow(),
    );
    this.runPanel = new RunPanel((command) => this.live?.send(command));
    this.help = new Help(KEYS, version);
    this.tabs = new SideTabs(this.layout, () => this.refresh.time());
    this.refresh = new Refresh(this, { layout: this.layout, plots: this.plots, timeLine, timeWindow: this.timeWindow, card });
    this.layout.view.append(card.element, this.banner.element);
    host.append(this.help.element);
    this.themes = new ThemeSwitch((theme) => {
      this.stage.paint(theme);
      this.refresh.time();
    });
    this.setMark("grid", true);
    listenToKeys(this);
    this.listen();
    requestAnimationFrame((now) => this.tick(now));
  }

  // What is shown

  /** Shows one or two sources, from their start or, live, at their end. */
  open(mode: Mode, sources: readonly Source[], report: Report | null = null): void {
    this.mode = mode;
    this.sources = sources;
    this.shown = sources.map(() => -1);
    this.selection.forget();
    this.message("");
    this.stage.setScenes(sources.map((source) => source.scene));
    for (const kind of OVERLAYS) this.stage.setOverlay(kind.id, this.marks.has(kind.id));
    this.plots.setSources(sources);
    this.setTabs(report);
    this.describe();
    this.timeWindow.all();
    this.updateRange();
    this.player.time = this.player.start;
    this.showFrames();
    this.stage.fit();
    this.showNotes();
    this.refresh.time();
    setTimeout(() => this.readOn(sources));
  }

  /** A text in the middle of the page instead of a scene; "" removes it. */
  message(text: string, title = ""): void {
    this.layout.message.hidden = text === "";
    this.layout.message.replaceChildren(...(title ? [el("h1", {}, title)] : []), el("p", {}, text));
  }

  messageTexts(): string[] {
    return this.layout.message.hidden ? [] : [this.layout.message.textContent ?? ""];
  }

  setStatus(status: LiveStatus): void {
    this.runPanel.setStatus(status);
    if (status.error) this.banner.set("run", "error", `The run stopped: ${status.error}`);
    else this.banner.clear("run");
    this.describe();
  }

  private describe(): void {
    const names = this.sources.map((source) => source.name);
    this.layout.title.textContent = names.join("  |  ");
    document.title = names.length > 0 ? `${names.join(" | ")} – Rigor` : "Rigor";
    const words = { none: "", live: "live", replay: "recording", report: "report" }[this.mode];
    const status = this.live?.lastStatus;
    const state = this.mode === "live" && status ? `${words} · ${status.running ? "running" : "paused"}` : words;
    this.layout.chip.textContent = state;
    this.layout.chip.hidden = state === "";
    this.layout.reset.hidden = this.mode !== "live";
    this.layout.compare.hidden = this.sources.length < 2;
    this.layout.compare.textContent = this.stage.compare === "side" ? "Ghost" : "Side by side";
    this.layout.names.hidden = this.sources.length < 2;
    this.layout.names.className = `names ${this.stage.compare === "side" ? "beside" : "over"}`;
    this.layout.names.replaceChildren(...names.map((name) => el("span", {}, name)));
    this.layout.root.dataset.mode = this.mode;
  }

  private setTabs(report: Report | null): void {
    const tabs: [string, HTMLElement][] = [["Plots", this.plots.element]];
    if (report) tabs.push(["Report", reportPanel(report)]);
    if (this.mode === "live") {
      tabs.push(["Run", this.runPanel.element]);
      this.runPanel.setScene(this.sources[0]!.scene);
      if (this.live?.lastStatus) this.runPanel.setStatus(this.live.lastStatus);
    }
    this.tabs.set(tabs, report ? "Report" : "Plots");
  }

  nextTab(): void {
    this.tabs.next();
  }

  // Time

  get time(): number {
    return this.player.time;
  }

  get playing(): boolean {
    return this.live ? this.live.running : this.player.playing;
  }

  get speed(): number {
    return this.live ? (this.live.lastStatus?.speed ?? 1) : this.player.speed;
  }

  get frame(): number {
    return this.shown[0] ?? -1;
  }

  frameOf(actor: number): number {
    return this.shown[actor] ?? -1;
  }

  togglePlay(): void {
    if (this.live) this.live.send({ op: this.live.running ? "pause" : "play" });
    else this.player.toggle();
  }

  /** Moves by frames; at the newest frame of a live run that is paused it asks for steps. */
  step(frames: number): void {
    const [source] = this.sources;
    if (!source) return;
    if (this.live && frames > 0 && this.live.following) {
      this.live.send(this.live.running ? { op: "pause" } : { op: "step", n: frames });
      return;
    }
    this.player.playing = false;
    const next = Math.min(source.frameCount - 1, Math.max(0, this.frame + frames));
    this.seek(source.timeOf(next));
  }

  seek(time: number): void {
    this.player.seek(time);
    if (this.live) this.live.following = this.player.time >= this.player.end;
    this.showFrames();
  }

  toStart(): void {
    this.seek(this.player.start);
  }

  toEnd(): void {
    this.player.playing = false;
    this.seek(this.player.end);
  }

  setSpeed(speed: number): void {
    if (this.live) this.live.send({ op: "speed", value: speed });
    this.player.speed = speed;
  }

  changeSpeed(by: 1 | -1): void {
    this.player.speed = this.speed > 0 ? this.speed : SPEEDS[SPEEDS.length - 1]!;
    this.player.changeSpeed(by);
    this.setSpeed(this.player.speed);
  }

  toEvent(by: 1 | -1): void {
    const events = this.sources[0]?.events;
    if (!events) return;
    const here = this.sources[0]!.timeOf(Math.max(0, this.frame));
    const next = by > 0 ? events.after(here + 1e-9) : events.after(here) - 1;
    if (next < 0 || next >= events.count) return;
    this.player.playing = false;
    this.seek(this.frameTimeFrom(events.timeOf(next)));
  }

  zoomTime(factor: number): void {
    this.timeWindow.zoom(factor, this.time);
    this.refresh.time();
  }

  reset(): void {
    this.live?.send({ op: "reset" });
  }

  /** The first frame at or after an event, where its effect is seen. */
  private frameTimeFrom(time: number): number {
    const source = this.sources[0]!;
    const frame = frameAt(source, time);
    const at = source.timeOf(frame) >= time - 1e-9 ? frame : Math.min(source.frameCount - 1, frame + 1);
    return source.timeOf(at);
  }

  private updateRange(): void {
    const first = Math.min(...this.sources.map(firstTime));
    const last = Math.max(...this.sources.map(lastTime));
    if (!Number.isFinite(first + last)) return;
    if (first === this.player.start && last === this.player.end) return;
    this.player.setRange(first, last);
    this.timeWindow.setWhole(first, last);
    this.refresh.line();
  }

  private showFrames(): void {
    const begun = performance.now();
    this.sources.forEach((source, k) => {
      if (source.frameCount === 0) return;
      const number = frameAt(source, this.player.time + 1e-9);
      this.shown[k] = number;
      this.stage.show(k, source.frame(number));
    });
    this.frameCosts.add(performance.now() - begun);
    this.selection.follow();
    this.grip.draw();
    this.refresh.card();
    if (this.timeWindow.reveal(this.player.time)) this.refresh.time();
  }

  // Bodies

  selectNext(by: 1 | -1): void {
    this.selection.next(by);
  }

  follow(): void {
    this.selection.toggleFollow();
  }

  escape(): void {
    if (this.help.element.open) this.help.close();
    else if (this.grip.holds) this.grip.release();
    else this.selection.select(null);
  }

  toggleGrab(): void {
    const { body } = this.selection;
    if (this.grip.holds || body) this.grip.toggle(body?.link ?? -1);
  }

  // Marks, camera, page

  toggleOverlay(id: string): void {
    this.setMark(id, !this.marks.has(id));
    this.stage.setOverlay(id, this.marks.has(id));
  }

  toggleGrid(): void {
    this.setMark("grid", !this.marks.has("grid"));
    this.stage.gridShown = this.marks.has("grid");
    this.stage.invalidate();
  }

  zoomForces(factor: number): void {
    this.stage.forceZoom = Math.min(1e3, Math.max(1e-3, this.stage.forceZoom * factor));
    this.showFrames();
  }

  fit(): void {
    this.stage.fit();
  }

  nextView(): void {
    this.view = (this.view + 1) % VIEWS.length;
    this.stage.rig.lookFrom(VIEWS[this.view]!);
  }

  toggleMarks(): void {
    this.layout.marks.hidden = !this.layout.marks.hidden;
  }

  togglePanel(): void {
    this.layout.root.classList.toggle("no-side");
    this.resize();
  }

  toggleTheme(): void {
    this.themes.toggle();
  }

  get theme(): string {
    return this.themes.theme;
  }

  toggleCompare(): void {
    this.stage.setCompare(this.stage.compare === "side" ? "ghost" : "side");
    this.showFrames();
    this.describe();
  }

  showHelp(): void {
    this.help.toggle();
  }

  private setMark(id: string, on: boolean): void {
    if (on) this.marks.add(id);
    else this.marks.delete(id);
    this.layout.markButtons.get(id)?.setAttribute("aria-pressed", String(on));
  }

  private resize(): void {
    this.stage.resize();
    this.plots.resize();
    this.refresh.time();
  }

  private hover(hit: Hit | null, x: number, y: number): void {
    const { hover, view } = this.layout;
    hover.hidden = hit === null;
    if (!hit) return;
    hover.textContent = this.sources[hit.actor]?.scene.links[hit.link]?.name ?? "";
    const box = view.getBoundingClientRect();
    hover.style.left = `${x - box.left + 14}px`;
    hover.style.top = `${y - box.top + 14}px`;
  }

  private listen(): void {
    new ResizeObserver(() => this.resize()).observe(this.layout.view);
    listenToPointer(this.stage, {
      hover: (hit, x, y) => this.hover(hit, x, y),
      select: (hit) => this.selection.select(hit),
      grab: (hit) => {
        if (hit.actor !== 0 || !this.grip.canGrab(hit.link)) return false;
        this.grip.grab(hit.link, hit.point);
        this.hover(null, 0, 0);
        return true;
      },
      pull: (target) => this.grip.pull(target),
      release: () => this.grip.release(),
    });
  }

  // Every animation frame

  /** Milliseconds that the page itself worked on a picture, the middle one of the newest. */
  get pictureMs(): number {
    return this.pictureCosts.median;
  }

  /** Milliseconds to decode a frame and to bring all bodies and marks to their places, the middle one of the newest. */
  get frameMs(): number {
    return this.frameCosts.median;
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next)); // first of all: what goes wrong below does not end it
    const begun = performance.now();
    const passed = (now - this.lastTick) / 1000;
    this.lastTick = now;
    if (this.live) this.tickLive();
    else if (this.player.tick(passed)) this.showFrames();
    this.refresh.tick(now);
    if (this.stage.draw()) {
      this.layout.scale.textContent = this.sources.length > 0 ? `grid ${short(this.stage.gridSpacing)} m` : "";
      this.pictureCosts.add(performance.now() - begun);
    }
  }

  private tickLive(): void {
    if (!this.live?.tick(performance.now())) return;
    const first = this.shown[0] === -1;
    const before = this.player.end;
    this.updateRange();
    if (this.player.end < before) this.live.following = true; // it began again
    if (this.live.following) {
      this.player.time = this.player.end;
      this.showFrames();
    } else {
      this.shown[0] = frameAt(this.sources[0]!, this.player.time + 1e-9); // the oldest frames are given up: numbers move
    }
    if (first) this.stage.fit();
  }

  /** Reads series and events on, between the pictures, until all is read. */
  private readOn(sources: readonly Source[]): void {
    if (sources !== this.sources) return; // something else was opened
    let more = false;
    for (const source of sources) more = source.work(this.playing ? WORK.playing : WORK.paused) || more;
    if (more) setTimeout(() => this.readOn(sources));
    else this.showNotes();
  }

  private showNotes(): void {
    this.sources.forEach((source, k) => {
      if (source.notes.length > 0) this.banner.set(`file ${k}`, "warning", `${source.name}: ${source.notes.join(" ")}`);
    });
  }
}
