/*
 * One source on the stage: its bodies and overlays, at the frame that is shown.
 */
import * as THREE from "three";
import type { Frame } from "../data/frame";
import type { Scene } from "../data/scene";
import { lengthOf } from "../data/vec3";
import { BodySet } from "./body_set";
import type { Overlay } from "./overlay";
import { OVERLAYS } from "./overlay_table";

/** Middle of a list of numbers by rank; 0 of none. */
function median(list: number[]): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * What one contact of each robot or free body may have to carry: the mass of a free body, a third of that of links
 * that hang together by joints.
 */
function carriedMasses(scene: Scene): number[] {
  const owner = scene.links.map((_, i) => i);
  const find = (i: number): number => (owner[i] === i ? i : (owner[i] = find(owner[i]!)));
  for (const { parent, child } of scene.joints) {
    if (scene.links[parent]?.moving && scene.links[child]?.moving) owner[find(child)] = find(parent);
  }
  const sums = new Map<number, { mass: number; links: number }>();
  scene.links.forEach((link, i) => {
    if (!link.moving) return;
    const sum = sums.get(find(i)) ?? { mass: 0, links: 0 };
    sums.set(find(i), { mass: sum.mass + link.mass, links: sum.links + 1 });
  });
  return [...sums.values()].filter((s) => s.mass > 0).map((s) => s.mass / (s.links > 1 ? 3 : 1));
}

/** A sphere round the box of others; a unit sphere for none. */
export function sphereRound(spheres: readonly THREE.Sphere[]): THREE.Sphere {
  const box = new THREE.Box3();
  const corner = new THREE.Vector3();
  for (const { center, radius } of spheres) {
    box.expandByPoint(corner.copy(center).addScalar(-radius)).expandByPoint(corner.copy(center).addScalar(radius));
  }
  return box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 1) : box.getBoundingSphere(new THREE.Sphere());
}

export class Actor {
  readonly group = new THREE.Group();
  private bodies: BodySet;
  private readonly overlays = new Map<string, Overlay>();
  private shown: Frame | null = null;
  private ghost = false;
  /** About the size of a body, and the weight to scale arrows by. */
  readonly size: number;
  private readonly weight: number;

  constructor(readonly scene: Scene) {
    this.bodies = new BodySet(scene, "solid");
    this.group.add(this.bodies.group);
    const moving = scene.links.map((link, i) => ({ link, i })).filter(({ link }) => link.moving);
    const reaches = moving.map(({ i }) => this.bodies.reach[i]!).filter((r) => r > 0);
    this.size = 2 * (median(reaches) || 0.25);
    const g = lengthOf(scene.gravity) || 9.81;
    this.weight = g * median(carriedMasses(scene)) || 1;
  }

  show(frame: Frame, forceZoom: number): void {
    this.shown = frame;
    this.bodies.update(frame.poses);
    for (const overlay of this.overlays.values()) this.fill(overlay, forceZoom);
  }

  setOverlay(id: string, on: boolean, forceZoom: number): void {
    const present = this.overlays.get(id);
    if (on === (present !== undefined)) return;
    if (present) {
      present.group.removeFromParent();
      present.dispose();
      this.overlays.delete(id);
      return;
    }
    const overlay = OVERLAYS.find((kind) => kind.id === id)?.make(this.scene);
    if (!overlay) return;
    this.overlays.set(id, overlay);
    this.group.add(overlay.group);
    this.fill(overlay, forceZoom);
  }

  setGhost(ghost: boolean): void {
    if (ghost === this.ghost) return;
    this.ghost = ghost;
    this.bodies.dispose();
    this.bodies = new BodySet(this.scene, ghost ? "ghost" : "solid");
    this.group.add(this.bodies.group);
    if (this.shown) this.bodies.update(this.shown.poses);
  }

  mark(link: number): void {
    this.bodies.mark(link);
  }

  pick(ray: THREE.Raycaster): ReturnType<BodySet["pick"]> {
    return this.bodies.pick(ray);
  }

  /** Spheres round the shapes that move, and round those at rest that are not larger than all of these together. */
  spheres(): THREE.Sphere[] {
    const moving: THREE.Sphere[] = [];
    const still: THREE.Sphere[] = [];
    if (this.shown) {
      this.bodies.eachSphere((link, x, y, z, radius) => {
        const list = this.scene.links[link]!.moving ? moving : still;
        list.push(new THREE.Sphere(new THREE.Vector3(x, y, z), radius));
      });
    }
    if (moving.length === 0) return still;
    const { radius } = sphereRound(moving);
    return moving.concat(still.filter((sphere) => sphere.radius <= radius));
  }

  dispose(): void {
    this.bodies.dispose();
    for (const overlay of this.overlays.values()) overlay.dispose();
    this.group.removeFromParent();
  }

  private fill(overlay: Overlay, forceZoom: number): void {
    if (!this.shown) return;
    overlay.update({ frame: this.shown, size: this.size, forceScale: (0.6 * this.size * forceZoom) / this.weight });
  }
}
