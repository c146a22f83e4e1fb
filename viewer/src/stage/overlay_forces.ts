/*
 * Contact forces as arrows, each in its friction cone.
 *
 * Of a force and its opposite the one is drawn that pushes against gravity; if it acts on a body that cannot move, the other one.
 * The cone has its tip at the point, its axis along the normal, and the half angle atan(mu); it is as high as the normal part of
 * the arrow, but not higher than half a body: the arrow is inside while the contact sticks and lies on it while it slips.
 */
import * as THREE from "three";
import type { Vec3 } from "../data/pose";
import { linkOf, type Scene } from "../data/scene";
import { dot, lengthOf, scaled } from "../data/vec3";
import { Arrows } from "./arrows";
import { Instances } from "./instances";
import { alongMatrix, triple, type Overlay, type OverlayView } from "./overlay";
import { STATES } from "./overlay_points";

const LONGEST = 1.5; // times the size of a body
const HIGHEST_CONE = 0.5;
const STEEPEST = 3; // cones are drawn up to this mu
const matrix = new THREE.Matrix4();

function openCone(): THREE.BufferGeometry {
  return new THREE.ConeGeometry(1, 1, 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
}

export class ForceOverlay implements Overlay {
  readonly group = new THREE.Group();
  private readonly arrows = new Arrows({ through: true, opacity: 0.95, order: 5 });
  private readonly cones = new Instances(openCone(), { opacity: 0.16, bothSides: true, order: 4 });
  private readonly up: Vec3;

  constructor(private readonly scene: Scene) {
    this.up = scaled(scene.gravity, -1);
    this.group.add(this.arrows.group, this.cones.group);
  }

  update({ frame, size, forceScale }: OverlayView): void {
    this.arrows.begin();
    this.cones.begin();
    const contacts = frame.contacts;
    for (let i = 0; contacts && i < contacts.count; i++) {
      const force = this.drawnForce(triple(contacts.force, i), contacts.linkA[i]!, contacts.linkB[i]!);
      const length = forceScale * lengthOf(force);
      if (!(length > 0.01 * size)) continue;
      const shown = Math.min(length, LONGEST * size) / length;
      const arrow = scaled(force, forceScale * shown);
      const point = triple(contacts.point, i);
      const colour = STATES[contacts.state[i]!] ?? STATES[0]!;
      this.arrows.add(point, arrow, 0.009 * size, colour);
      this.addCone(point, arrow, triple(contacts.normal, i), Math.min(contacts.mu[i]!, STEEPEST), HIGHEST_CONE * size, colour);
    }
    this.arrows.end();
    this.cones.end();
  }

  dispose(): void {
    this.arrows.dispose();
    this.cones.dispose();
  }

  private drawnForce(onB: Vec3, linkA: number, linkB: number): Vec3 {
    const moves = (link: number): boolean => this.scene.links[linkOf(this.scene, link)]?.moving ?? false;
    const [a, b] = [moves(linkA), moves(linkB)];
    const useB = a && b ? dot(onB, this.up) >= 0 : b;
    return useB ? onB : scaled(onB, -1);
  }

  private addCone(point: Vec3, arrow: Vec3, normal: Vec3, mu: number, highest: number, colour: THREE.Color): void {
    const along = dot(arrow, normal);
    const height = Math.min(highest, Math.abs(along));
    if (!(mu > 0) || !(height > 0)) return;
    const radius = mu * height;
    this.cones.add(alongMatrix(matrix, point, scaled(normal, Math.sign(along)), [radius, radius, height]), colour);
  }
}
