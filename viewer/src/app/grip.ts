/*
 * The hand of the user in a live run: a spring from a point of a body to where the mouse, or the arrow keys, want it.
 */
import { poseAt, toLocal, toWorld, type Vec3 } from "../data/pose";
import type { Source } from "../data/source";
import type { Stage } from "../stage/stage";
import type { LiveSession } from "./live_session";

const PULL = 0.05; // parts of the camera's distance a key press

/** What the grip needs to know of the page: the run, and the frame that is shown. */
export interface GripView {
  readonly stage: Stage;
  readonly live: LiveSession | null;
  readonly sources: readonly Source[];
  readonly frame: number;
}

export class Grip {
  private held: { link: number; point: Vec3; target: Vec3 } | null = null;

  constructor(private readonly view: GripView) {}

  get holds(): boolean {
    return this.held !== null;
  }

  canGrab(link: number): boolean {
    const { live, sources } = this.view;
    return live?.connection === "open" && (sources[0]?.scene.links[link]?.moving ?? false);
  }

  /** Takes hold of a link at a point of the world, or at its centre of mass. */
  grab(link: number, point?: Vec3): void {
    const source = this.view.sources[0]!;
    const pose = poseAt(source.frame(this.view.frame).poses, link);
    const place = point ?? toWorld(pose, source.scene.links[link]!.com);
    this.held = { link, point: toLocal(pose, place), target: place };
  }

  pull(target: Vec3): void {
    if (!this.held || !this.view.live) return;
    this.held.target = target;
    this.view.live.drag(this.held.link, this.held.point, target);
    this.draw();
  }

  release(): void {
    this.held = null;
    this.view.live?.release();
    this.draw();
  }

  /** Grabs a link by key, or lets go. */
  toggle(link: number): void {
    if (this.held) this.release();
    else if (this.canGrab(link)) {
      this.grab(link);
      this.pull(this.held!.target);
    }
  }

  /** Arrow keys move the end of the spring across the view; true if the key was used. */
  pullByKey(key: string): boolean {
    const right = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
    const up = { ArrowUp: 1, ArrowDown: -1 }[key] ?? 0;
    if (!this.held || (right === 0 && up === 0)) return false;
    const { rig } = this.view.stage;
    const axes = rig.viewAxes();
    const length = PULL * rig.distance;
    this.pull(this.held.target.map((x, k) => x + length * (right * axes.right[k]! + up * axes.up[k]!)) as Vec3);
    return true;
  }

  /** Draws the spring where the body is now. */
  draw(): void {
    const source = this.view.sources[0];
    if (!this.held || !source || source.frameCount === 0) {
      this.view.stage.setSpring(null, null);
      return;
    }
    const pose = poseAt(source.frame(this.view.frame).poses, this.held.link);
    this.view.stage.setSpring(toWorld(pose, this.held.point), this.held.target);
  }
}
