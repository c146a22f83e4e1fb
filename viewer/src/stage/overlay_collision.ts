/* Collision shapes: what contacts are computed with, as wires over the bodies. */
import type { Scene } from "../data/scene";
import { BodySet } from "./body_set";
import type { Overlay, OverlayKind, OverlayView } from "./overlay";

class CollisionOverlay implements Overlay {
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

export const COLLISION: OverlayKind = {
  id: "collision",
  key: "6",
  label: "Collision shapes",
  hint: "what contacts are computed with",
  make: (scene) => new CollisionOverlay(scene),
};
