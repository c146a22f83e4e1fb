/*
 * window.rigor: what the page shows, for tests and scripts. Reading only.
 */
import { poseAt, type Pose } from "../data/pose";
import type { PlotState } from "../panel/plot_view";
import type { App, Mode } from "./app";

export interface ReadBack {
  readonly version: string;
  readonly mode: Mode;
  readonly time: number;
  readonly frame: number;
  readonly frames: number;
  readonly playing: boolean;
  readonly speed: number;
  readonly connection: "none" | "connecting" | "open" | "lost";
  readonly following: boolean;
  readonly selection: string | null;
  readonly marks: readonly string[];
  readonly theme: string;
  readonly compare: "none" | "side" | "ghost";
  readonly plots: readonly PlotState[];
  readonly events: number;
  readonly messages: readonly string[];
  readonly progress: number;
  readonly pictures: number;
  readonly openedMs: number;
  /** What a picture costs the page itself, in milliseconds; the graphics card works beside it. */
  readonly pictureMs: number;
  /** What decoding a frame and placing everything in it costs, in milliseconds. */
  readonly frameMs: number;
  readonly stepper: string;
  readonly solver: string;
  readonly dt: number;
  /** Names of the bodies of a source. */
  names(source?: number): string[];
  /** Where a body is in the frame that is shown. */
  body(name: string, source?: number): Pose | null;
  /** Where its origin is on the page, in pixels. */
  onPage(name: string): [number, number] | null;
  /** Contacts in the frame that is shown. */
  contacts(source?: number): number;
}

export function readBack(app: App): ReadBack {
  const bodyOf = (name: string, source: number): Pose | null => {
    const from = app.sources[source];
    const link = from?.scene.links.findIndex((candidate) => candidate.name === name) ?? -1;
    const frame = app.frameOf(source);
    return !from || link < 0 || frame < 0 ? null : poseAt(from.frame(frame).poses, link);
  };
  return {
    version: app.version,
    get mode() {
      return app.mode;
    },
    get time() {
      return app.time;
    },
    get frame() {
      return app.frame;
    },
    get frames() {
      return app.sources[0]?.frameCount ?? 0;
    },
    get playing() {
      return app.playing;
    },
    get speed() {
      return app.speed;
    },
    get connection() {
      return app.live?.connection ?? "none";
    },
    get following() {
      return app.selection.following;
    },
    get selection() {
      return app.selection.name();
    },
    get marks() {
      return [...app.marks];
    },
    get theme() {
      return app.theme;
    },
    get compare() {
      return app.sources.length < 2 ? "none" : app.stage.compare;
    },
    get plots() {
      return app.plots.states();
    },
    get events() {
      return app.sources[0]?.events.count ?? 0;
    },
    get messages() {
      return [...app.banner.texts(), ...app.messageTexts()];
    },
    get progress() {
      return Math.min(1, ...app.sources.map((source) => source.progress));
    },
    get pictures() {
      return app.stage.drawn;
    },
    get pictureMs() {
      return app.pictureMs;
    },
    get frameMs() {
      return app.frameMs;
    },
    get openedMs() {
      return app.openedMs;
    },
    get stepper() {
      return app.live?.lastStatus?.stepper ?? app.sources[0]?.scene.stepper ?? "";
    },
    get solver() {
      return app.live?.lastStatus?.solver ?? app.sources[0]?.scene.solver ?? "";
    },
    get dt() {
      return app.live?.lastStatus?.dt ?? app.sources[0]?.scene.dt ?? NaN;
    },
    names: (source = 0) => app.sources[source]?.scene.links.map((link) => link.name) ?? [],
    body: (name, source = 0) => bodyOf(name, source),
    onPage: (name) => {
      const pose = bodyOf(name, 0);
      return pose ? app.stage.toPage(pose.p) : null;
    },
    contacts: (source = 0) => app.sources[source]?.frame(app.frameOf(source)).contacts?.count ?? 0,
  };
}
