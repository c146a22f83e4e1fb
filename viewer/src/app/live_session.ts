/*
 * A live run on the page: connection, frames, status, and pulling a body by a spring.
 *
 * While the newest frame is shown the page follows the run; looking back leaves it, going to the end returns to it.
 */
import { LiveLink, type LinkListener, type LinkState, type LiveCommand, type LiveStatus } from "../data/live_link";
import { LiveRun } from "../data/live_run";
import { TOPIC } from "../data/frame";
import type { Scene } from "../data/scene";

const QUIET = 15; // ms without a message that end a frame
const PATIENCE = 500; // and one whose last message has not come
const RESEND = 33; // ms between two places of a drag

export interface SessionListener {
  state(state: LinkState, retryIn: number): void;
  version(version: string): boolean; // false: the page must not go on
  scene(run: LiveRun): void;
  status(status: LiveStatus): void;
  refused(text: string): void;
}

/** The same links, joints and shapes; poses and settings may differ. */
function sameScene(a: Scene, b: Scene): boolean {
  const names = (scene: Scene): string =>
    JSON.stringify([
      scene.name,
      scene.links.map((link) => [link.name, link.mass, link.visual.length, link.collision.length]),
      scene.joints.map((joint) => joint.name),
    ]);
  return names(a) === names(b);
}

export class LiveSession implements LinkListener {
  run: LiveRun | null = null;
  lastStatus: LiveStatus | null = null;
  following = true;
  private readonly link: LiveLink;
  private lastMessage = 0;
  private fresh = false;
  private dragged: { link: number; point: number[]; target: number[] } | null = null;
  private lastDrag = 0;

  constructor(
    url: string,
    private readonly listener: SessionListener,
  ) {
    this.link = new LiveLink(url, this);
  }

  get connection(): LinkState {
    return this.link.state;
  }

  get running(): boolean {
    return this.lastStatus?.running ?? false;
  }

  get dragging(): boolean {
    return this.dragged !== null;
  }

  send(command: LiveCommand): boolean {
    return this.link.send(command);
  }

  retry(): void {
    this.link.retry();
  }

  end(): void {
    this.link.end();
  }

  /** Pulls a point of a link (in its axes) towards a point of the world. */
  drag(link: number, point: number[], target: number[]): void {
    this.dragged = { link, point, target };
    this.sendDrag(performance.now());
  }

  release(): void {
    if (!this.dragged) return;
    this.dragged = null;
    this.send({ op: "release" });
  }

  get drawnDrag(): { link: number; point: number[]; target: number[] } | null {
    return this.dragged;
  }

  /** Ends frames that are whole; true if there is a new one. */
  tick(now: number): boolean {
    const fresh = this.fresh;
    this.fresh = false;
    const wait = this.run?.openIsWhole ? QUIET : PATIENCE;
    const ended = now - this.lastMessage > wait && (this.run?.flush() ?? false);
    if (this.dragged && now - this.lastDrag > RESEND) this.sendDrag(now);
    return fresh || ended;
  }

  state(state: LinkState, retryIn: number): void {
    if (state === "lost") this.dragged = null;
    this.listener.state(state, retryIn);
  }

  hello(version: string): void {
    if (!this.listener.version(version)) this.link.end();
  }

  status(status: LiveStatus): void {
    this.lastStatus = status;
    this.listener.status(status);
  }

  refused(text: string): void {
    this.listener.refused(text);
  }

  message(topic: string, frame: number, time: number, data: Uint8Array): void {
    this.lastMessage = performance.now();
    if (topic === TOPIC.scene) {
      this.takeScene(data);
      return;
    }
    const before = this.run?.frameCount;
    this.run?.take(topic, frame, time, data);
    if (this.run?.frameCount !== before) this.fresh = true;
  }

  /** The scene comes again with every connection; the frames are kept if it is the same one. */
  private takeScene(data: Uint8Array): void {
    const run = LiveRun.fromScene(data);
    if (this.run && sameScene(this.run.scene, run.scene)) return;
    this.run = run;
    this.following = true;
    this.listener.scene(run);
  }

  private sendDrag(now: number): void {
    if (!this.dragged || now - this.lastDrag < RESEND) return;
    this.lastDrag = now;
    this.send({ op: "drag", ...this.dragged });
  }
}
