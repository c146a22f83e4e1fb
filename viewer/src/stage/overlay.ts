/*
 * What every overlay is given and must do. An overlay draws one sort of mark over the bodies of a frame.
 */
import * as THREE from "three";
import type { Frame } from "../data/frame";
import type { Vec3 } from "../data/pose";
import type { Scene } from "../data/scene";

export interface OverlayView {
  frame: Frame;
  /** A length to go by: about the size of a body. */
  size: number;
  /** Metres of arrow for a newton. */
  forceScale: number;
}

export interface Overlay {
  readonly group: THREE.Object3D;
  update(view: OverlayView): void;
  dispose(): void;
}

export interface OverlayKind {
  id: string;
  key: string;
  label: string;
  hint: string;
  make(scene: Scene): Overlay;
}

const Z = new THREE.Vector3(0, 0, 1);
const direction = new THREE.Vector3();
const turned = new THREE.Quaternion();
const place = new THREE.Vector3();
const stretch = new THREE.Vector3();

/** Matrix that puts the z axis along a direction, at a point, with given lengths along its axes. */
export function alongMatrix(out: THREE.Matrix4, at: Vec3, along: Vec3, scale: Vec3): THREE.Matrix4 {
  direction.set(...along);
  if (direction.lengthSq() === 0) direction.copy(Z);
  turned.setFromUnitVectors(Z, direction.normalize());
  return out.compose(place.set(...at), turned, stretch.set(...scale));
}

/** Three numbers of a list. */
export function triple(list: ArrayLike<number>, i: number): Vec3 {
  return [list[3 * i]!, list[3 * i + 1]!, list[3 * i + 2]!];
}
