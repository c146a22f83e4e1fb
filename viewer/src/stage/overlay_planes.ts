/* Separating planes: at each contact a disc through the middle of its gap, across its normal. */
import * as THREE from "three";
import { Instances } from "./instances";
import { alongMatrix, triple, type Overlay, type OverlayKind, type OverlayView } from "./overlay";
import { STATES } from "./overlay_points";

const matrix = new THREE.Matrix4();

class PlaneOverlay implements Overlay {
  readonly group = new THREE.Group();
  private readonly discs = new Instances(new THREE.CircleGeometry(1, 36), { opacity: 0.16, bothSides: true, order: 4 });
  private readonly rims = new Instances(new THREE.RingGeometry(0.97, 1, 48), { opacity: 0.6, bothSides: true, order: 4 });

  constructor() {
    this.group.add(this.discs.group, this.rims.group);
  }

  update({ frame, size }: OverlayView): void {
    this.discs.begin();
    this.rims.begin();
    const contacts = frame.contacts;
    for (let i = 0; contacts && i < contacts.count; i++) {
      const radius = 0.35 * size;
      alongMatrix(matrix, triple(contacts.point, i), triple(contacts.normal, i), [radius, radius, 1]);
      const colour = STATES[contacts.state[i]!] ?? STATES[0]!;
      this.discs.add(matrix, colour);
      this.rims.add(matrix, colour);
    }
    this.discs.end();
    this.rims.end();
  }

  dispose(): void {
    this.discs.dispose();
    this.rims.dispose();
  }
}

export const PLANES: OverlayKind = {
  id: "planes",
  key: "7",
  label: "Separating planes",
  hint: "a disc across the normal of each contact",
  make: () => new PlaneOverlay(),
};
