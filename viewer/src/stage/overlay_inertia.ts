/* Inertia boxes: for each moving link the solid box of its mass and inertia. */
import * as THREE from "three";
import { boxOfInertia, principalAxes } from "../data/principal_axes";
import type { Scene } from "../data/scene";
import { linkMatrix } from "./body_set";
import { Instances } from "./instances";
import type { Overlay, OverlayView } from "./overlay";

const matrix = new THREE.Matrix4();
const COLOUR = new THREE.Color(0xb06fd8);

/** Box in the axes of its link. */
function localBox(scene: Scene, i: number): THREE.Matrix4 | null {
  const link = scene.links[i]!;
  if (!link.moving || !(link.mass > 0)) return null;
  const { moments, q } = principalAxes(link.inertia);
  const size = boxOfInertia(link.mass, moments);
  const least = 1e-3 * Math.max(...size);
  if (!(least > 0)) return null;
  return new THREE.Matrix4().compose(
    new THREE.Vector3(...link.com),
    new THREE.Quaternion(q[1], q[2], q[3], q[0]),
    new THREE.Vector3(...size.map((x) => Math.max(x, least))),
  );
}

export class InertiaOverlay implements Overlay {
  readonly group = new THREE.Group();
  private readonly fill = new Instances(new THREE.BoxGeometry(1, 1, 1), { opacity: 0.22, lit: true, through: true, order: 4 });
  private readonly boxes: { link: number; local: THREE.Matrix4 }[] = [];

  constructor(scene: Scene) {
    this.group.add(this.fill.group);
    scene.links.forEach((_, link) => {
      const local = localBox(scene, link);
      if (local) this.boxes.push({ link, local });
    });
  }

  update({ frame }: OverlayView): void {
    this.fill.begin();
    for (const { link, local } of this.boxes) this.fill.add(linkMatrix(frame.poses, link, matrix).multiply(local), COLOUR);
    this.fill.end();
  }

  dispose(): void {
    this.fill.dispose();
  }
}
