/* Contact points: balls, grey where open, green where they stick, red where they slip. */
import * as THREE from "three";
import { Instances } from "./instances";
import { triple, type Overlay, type OverlayView } from "./overlay";
import { STATE_COLOURS } from "./palette";

const matrix = new THREE.Matrix4();
export const STATES = STATE_COLOURS.map((c) => new THREE.Color(c));

export class PointOverlay implements Overlay {
  readonly group: THREE.Object3D;
  private readonly balls = new Instances(new THREE.SphereGeometry(1, 14, 10), { through: true, opacity: 0.95, order: 6 });

  constructor() {
    this.group = this.balls.group;
  }

  update({ frame, size }: OverlayView): void {
    this.balls.begin();
    const contacts = frame.contacts;
    for (let i = 0; contacts && i < contacts.count; i++) {
      const radius = (contacts.state[i] === 0 ? 0.018 : 0.028) * size;
      const [x, y, z] = triple(contacts.point, i);
      matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
      this.balls.add(matrix, STATES[contacts.state[i]!] ?? STATES[0]!);
    }
    this.balls.end();
  }

  dispose(): void {
    this.balls.dispose();
  }
}
