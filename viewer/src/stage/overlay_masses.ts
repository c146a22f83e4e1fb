/* Centres of mass: a ball a moving link, its volume by its mass, and one larger for all of them together. */
import * as THREE from "three";
import { poseAt, toWorld, type Vec3 } from "../data/pose";
import type { Scene } from "../data/scene";
import { scaled, sum } from "../data/vec3";
import { Instances } from "./instances";
import type { Overlay, OverlayView } from "./overlay";

const matrix = new THREE.Matrix4();
const LINK = new THREE.Color(0xf2c14e);
const ALL = new THREE.Color(0xe0583e);

export class MassOverlay implements Overlay {
  readonly group: THREE.Object3D;
  private readonly balls = new Instances(new THREE.SphereGeometry(1, 18, 12), { through: true, opacity: 0.9, order: 6 });
  private readonly heaviest: number;

  constructor(private readonly scene: Scene) {
    this.group = this.balls.group;
    this.heaviest = Math.max(...scene.links.map((link) => (link.moving ? link.mass : 0)));
  }

  update({ frame, size }: OverlayView): void {
    let total = 0;
    let middle: Vec3 = [0, 0, 0];
    this.balls.begin();
    this.scene.links.forEach((link, i) => {
      if (!link.moving || !(link.mass > 0)) return;
      const place = toWorld(poseAt(frame.poses, i), link.com);
      this.ball(place, 0.075 * size * Math.max(0.3, Math.cbrt(link.mass / this.heaviest)), LINK);
      total += link.mass;
      middle = sum(middle, scaled(place, link.mass));
    });
    if (total > 0) this.ball(scaled(middle, 1 / total), 0.1 * size, ALL);
    this.balls.end();
  }

  dispose(): void {
    this.balls.dispose();
  }

  private ball(at: Vec3, radius: number, colour: THREE.Color): void {
    this.balls.add(matrix.makeScale(radius, radius, radius).setPosition(...at), colour);
  }
}
