/* Joint axes: an arrow along the axis at the joint's place; joints without one axis get three thin ones. */
import * as THREE from "three";
import { compose, poseAt, turn, IDENTITY, type Vec3 } from "../data/pose";
import type { Joint, Scene } from "../data/scene";
import { scaled, sum } from "../data/vec3";
import { Arrows } from "./arrows";
import type { Overlay, OverlayView } from "./overlay";

const ONE = new THREE.Color(0x8a63d2);
const THREE_AXES = [new THREE.Color(0xd65a5a), new THREE.Color(0x4fa36b), new THREE.Color(0x4a7fd0)];
const MANY = ["spherical", "ball", "universal", "planar"];
const HIDDEN = ["fixed", "free", "floating"];

export class AxisOverlay implements Overlay {
  readonly group: THREE.Object3D;
  private readonly arrows = new Arrows({ through: true, opacity: 0.9, order: 6 });
  private readonly joints: Joint[];

  constructor(private readonly scene: Scene) {
    this.group = this.arrows.group;
    this.joints = scene.joints.filter((joint) => !HIDDEN.includes(joint.kind));
  }

  update({ frame, size }: OverlayView): void {
    this.arrows.begin();
    for (const joint of this.joints) {
      const parent = joint.parent >= 0 && joint.parent < this.scene.links.length ? poseAt(frame.poses, joint.parent) : IDENTITY;
      const place = compose(parent, joint.origin);
      const put = (axis: Vec3, length: number, colour: THREE.Color): void => {
        const along = scaled(turn(place.q, axis), length);
        this.arrows.add(sum(place.p, scaled(along, -0.5)), along, 0.012 * size, colour);
      };
      if (MANY.includes(joint.kind)) {
        THREE_AXES.forEach((colour, k) => put([Number(k === 0), Number(k === 1), Number(k === 2)], 0.4 * size, colour));
      } else {
        put(joint.axis, 0.45 * size, ONE);
      }
    }
    this.arrows.end();
  }

  dispose(): void {
    this.arrows.dispose();
  }
}
