/*
 * The camera: it turns about a target, fits a sphere into view, and can follow a body. The z axis points up.
 *
 *   mouse: left turns, right or shift-left moves, wheel zooms;  keys: see keys.ts
 */
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Vec3 } from "../data/pose";
import { sphereRound } from "./actor";

const FIELD = 38; // degrees, upright
const ROOM = 1.12; // round what is fitted
const START = new THREE.Vector3(0.72, -1, 0.52).normalize();

export class CameraRig {
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 1000);
  private readonly orbit: OrbitControls;
  private followed: THREE.Vector3 | null = null;

  constructor(element: HTMLElement, changed: () => void) {
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(START).multiplyScalar(5);
    this.orbit = new OrbitControls(this.camera, element);
    this.orbit.zoomToCursor = false;
    this.orbit.addEventListener("change", () => {
      this.setRange();
      changed();
    });
  }

  get target(): THREE.Vector3 {
    return this.orbit.target;
  }

  get distance(): number {
    return this.camera.position.distanceTo(this.orbit.target);
  }

  set enabled(on: boolean) {
    this.orbit.enabled = on;
  }

  /**
   * Brings spheres into view without turning, in the middle of it. In the axes of the camera, with any origin, a sphere at
   * (x, y, z) of radius r is seen whole by a camera at (u, v, d), a being half the angle across, if
   *
   *   x cos a + z sin a + r <= u cos a + d sin a   and   -x cos a + z sin a + r <= -u cos a + d sin a;
   *
   * with R and L the largest left sides,  d = (R + L) / (2 sin a),  u = (R - L) / (2 cos a).  Likewise upright; the larger d.
   */
  fit(spheres: readonly THREE.Sphere[], aspect: number): void {
    const back = this.camera.position.clone().sub(this.orbit.target).normalize();
    const { center } = sphereRound(spheres);
    const upright = (FIELD * Math.PI) / 360;
    const target = center.clone();
    let distance = 0;
    [Math.atan(Math.tan(upright) * aspect), upright].forEach((angle, k) => {
      const axis = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, k);
      const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
      let [right, left] = [-Infinity, -Infinity];
      for (const sphere of spheres) {
        const at = sphere.center.clone().sub(center);
        const [x, z] = [at.dot(axis), at.dot(back)];
        right = Math.max(right, x * cos + z * sin + sphere.radius);
        left = Math.max(left, -x * cos + z * sin + sphere.radius);
      }
      if (!Number.isFinite(right + left)) return;
      distance = Math.max(distance, (right + left) / (2 * sin));
      target.addScaledVector(axis, (right - left) / (2 * cos));
    });
    this.orbit.target.copy(target);
    this.camera.position.copy(target).addScaledVector(back, ROOM * (distance || 3));
    this.orbit.update();
    this.setRange();
  }

  /** Looks along a direction at the target; [0, 0, 0]: the direction of the start. */
  lookFrom(direction: Vec3): void {
    const back = new THREE.Vector3(...direction);
    if (back.lengthSq() === 0) back.copy(START);
    const distance = this.distance;
    this.camera.position.copy(this.orbit.target).addScaledVector(back.normalize(), distance);
    this.orbit.update();
  }

  /** Turns by angles in radians, about z and up or down. */
  turn(about: number, up: number): void {
    const s = new THREE.Spherical().setFromVector3(swap(this.camera.position.clone().sub(this.orbit.target)));
    s.theta += about;
    s.phi = Math.min(Math.PI - 0.02, Math.max(0.02, s.phi - up));
    this.camera.position.copy(this.orbit.target).add(swapBack(new THREE.Vector3().setFromSpherical(s)));
    this.orbit.update();
  }

  zoom(factor: number): void {
    this.camera.position.sub(this.orbit.target).multiplyScalar(factor).add(this.orbit.target);
    this.orbit.update();
  }

  /** Moves camera and target across the view, by parts of the distance. */
  pan(right: number, up: number): void {
    const x = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const y = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.shift(x.multiplyScalar(right * this.distance).addScaledVector(y, up * this.distance));
  }

  /** Right and up of the view in the world. */
  viewAxes(): { right: Vec3; up: Vec3 } {
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0).toArray();
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1).toArray();
    return { right: right as Vec3, up: up as Vec3 };
  }

  /** Follows a point: call with its place at every frame; null ends it. */
  follow(point: Vec3 | null): void {
    if (!point) {
      this.followed = null;
      return;
    }
    const now = new THREE.Vector3(...point);
    if (!Number.isFinite(now.x + now.y + now.z)) return; // the run has lost it
    this.shift(now.clone().sub(this.followed ?? this.orbit.target));
    this.followed = now;
  }

  private shift(by: THREE.Vector3): void {
    if (by.lengthSq() === 0) return;
    this.orbit.target.add(by);
    this.camera.position.add(by);
    this.orbit.update();
  }

  private setRange(): void {
    const distance = this.distance;
    this.camera.near = distance / 200;
    this.camera.far = distance * 200;
    this.camera.updateProjectionMatrix();
  }
}

/** Between z up and the y up of spherical coordinates. */
function swap(v: THREE.Vector3): THREE.Vector3 {
  return v.set(v.y, v.z, v.x);
}

function swapBack(v: THREE.Vector3): THREE.Vector3 {
  return v.set(v.z, v.x, v.y);
}
