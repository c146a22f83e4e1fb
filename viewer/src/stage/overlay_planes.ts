/*
 * Separating planes: at each contact a disc through the middle of its gap, across its normal; between bodies that are near each
 * other but do not touch, one halfway across the gap, with a line over the gap (near_pairs.ts).
 */
import * as THREE from "three";
import { NearPairs } from "../data/near_pairs";
import type { Vec3 } from "../data/pose";
import type { Scene } from "../data/scene";
import { Instances } from "./instances";
import { alongMatrix, triple, type Overlay, type OverlayView } from "./overlay";
import { STATES } from "./overlay_points";

const REACH = 0.3; // of a body's size: so far apart is near
const CONTACT_RADIUS = 0.35; // of a body's size
const APART_RADIUS = 0.25;
const APART = new THREE.Color(0x4a86c5);

const matrix = new THREE.Matrix4();

export class PlaneOverlay implements Overlay {
  readonly group = new THREE.Group();
  private readonly discs = new Instances(new THREE.CircleGeometry(1, 36), { opacity: 0.16, bothSides: true, order: 4 });
  private readonly rims = new Instances(new THREE.RingGeometry(0.97, 1, 48), { opacity: 0.6, bothSides: true, order: 4 });
  private readonly gaps = new Instances(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2), { opacity: 0.8, order: 4 });
  private readonly near: NearPairs;

  constructor(scene: Scene) {
    this.near = new NearPairs(scene);
    this.group.add(this.discs.group, this.rims.group, this.gaps.group);
  }

  update({ frame, size }: OverlayView): void {
    for (const part of this.parts()) part.begin();
    const contacts = frame.contacts;
    for (let i = 0; contacts && i < contacts.count; i++) {
      const colour = STATES[contacts.state[i]!] ?? STATES[0]!;
      this.disc(triple(contacts.point, i), triple(contacts.normal, i), CONTACT_RADIUS * size, colour);
    }
    for (const { middle, normal, width } of this.near.find(frame.poses, contacts, REACH * size)) {
      this.disc(middle, normal, APART_RADIUS * size, APART);
      this.gaps.add(alongMatrix(matrix, middle, normal, [0.008 * size, 0.008 * size, width]), APART);
    }
    for (const part of this.parts()) part.end();
  }

  dispose(): void {
    for (const part of this.parts()) part.dispose();
  }

  private parts(): Instances[] {
    return [this.discs, this.rims, this.gaps];
  }

  private disc(at: Vec3, normal: Vec3, radius: number, colour: THREE.Color): void {
    alongMatrix(matrix, at, normal, [radius, radius, 1]);
    this.discs.add(matrix, colour);
    this.rims.add(matrix, colour);
  }
}
