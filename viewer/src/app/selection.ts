/*
 * The body that is selected, and whether the camera follows it.
 */
import { poseAt } from "../data/pose";
import type { Source } from "../data/source";
import type { Stage } from "../stage/stage";

export interface Selected {
  actor: number;
  link: number;
}

/** What of the page a selection depends on. */
export interface Selectable {
  readonly stage: Stage;
  readonly sources: readonly Source[];
  frameOf(actor: number): number;
}

export class Selection {
  body: Selected | null = null;
  following = false;

  constructor(
    private readonly page: Selectable,
    private readonly changed: () => void,
  ) {}

  /** Other sources have come: their bodies are others. */
  forget(): void {
    this.body = null;
    this.following = false;
  }

  select(hit: Selected | null): void {
    this.body = hit ? { actor: hit.actor, link: hit.link } : null;
    if (!hit) this.stopFollowing();
    this.page.stage.mark(hit?.link ?? -1, hit?.actor ?? 0);
    this.changed();
  }

  /** The next body of the first source: those that move first, then those that have a shape at least. */
  next(by: 1 | -1): void {
    const links = this.page.sources[0]?.scene.links ?? [];
    const all = links
      .map((_, i) => i)
      .filter((i) => links[i]!.moving || links[i]!.visual.length + links[i]!.collision.length > 0);
    const order = [...all.filter((i) => links[i]!.moving), ...all.filter((i) => !links[i]!.moving)];
    if (order.length === 0) return;
    const at = this.body ? order.indexOf(this.body.link) : by > 0 ? -1 : 0;
    this.select({ actor: 0, link: order[(at + by + order.length) % order.length]! });
  }

  name(): string | null {
    return this.body ? (this.source()?.scene.links[this.body.link]?.name ?? null) : null;
  }

  source(): Source | null {
    return (this.body && this.page.sources[this.body.actor]) ?? null;
  }

  toggleFollow(): void {
    if (!this.body) return;
    this.following = !this.following;
    if (this.following) this.follow();
    else this.stopFollowing();
  }

  /** Moves the camera with the body, where it follows one. */
  follow(): void {
    const frame = this.body && this.source()?.frame(this.page.frameOf(this.body.actor));
    if (this.following && this.body && frame) this.page.stage.rig.follow(poseAt(frame.poses, this.body.link).p);
  }

  private stopFollowing(): void {
    this.following = false;
    this.page.stage.rig.follow(null);
  }
}
