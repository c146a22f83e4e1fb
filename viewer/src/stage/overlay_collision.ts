/* Collision shapes: what contacts are computed with, as wires over the bodies. */
import type { Scene } from "../data/scene";
import { BodySet } from "./body_set";
import type { Overlay, OverlayView } from "./overlay";

export class CollisionOverlay implements Overlay {
  private readonly bodies: BodySet;

  constructor(scene: Scene) {
    this.bodies = new BodySet(scene, "collision");
  }

  get group(): BodySet["group"] {
    return this.bodies.group;
  }

  update({ frame }: OverlayView): void {
    this.bodies.update(frame.poses);
  }

  dispose(): void {
    this.bodies.dispose();
  }
}
