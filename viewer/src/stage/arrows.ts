/*
 * Arrows: a shaft that is stretched and a head that is not.
 */
import * as THREE from "three";
import type { Vec3 } from "../data/pose";
import { lengthOf, scaled, sum } from "../data/vec3";
import { Instances, type InstanceLook } from "./instances";
import { alongMatrix } from "./overlay";

const HEAD_LENGTH = 5; // times the width of the shaft
const HEAD_WIDTH = 2.1;
const matrix = new THREE.Matrix4();

export class Arrows {
  readonly group = new THREE.Group();
  private readonly shafts: Instances;
  private readonly heads: Instances;

  constructor(look: InstanceLook) {
    this.shafts = new Instances(new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), look);
    this.heads = new Instances(new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5), look);
    this.group.add(this.shafts.group, this.heads.group);
  }

  begin(): void {
    this.shafts.begin();
    this.heads.begin();
  }

  /** An arrow from a point along a vector; width is the radius of its shaft. */
  add(from: Vec3, vector: Vec3, width: number, colour: THREE.Color): void {
    const length = lengthOf(vector);
    if (!(length > 0)) return;
    const head = Math.min(HEAD_LENGTH * width, 0.6 * length);
    const headWidth = (HEAD_WIDTH * width * head) / (HEAD_LENGTH * width);
    const shaft = length - head;
    this.shafts.add(alongMatrix(matrix, from, vector, [width, width, shaft]), colour);
    const neck = sum(from, scaled(vector, shaft / length));
    this.heads.add(alongMatrix(matrix, neck, vector, [Math.max(headWidth, width), Math.max(headWidth, width), head]), colour);
  }

  end(): void {
    this.shafts.end();
    this.heads.end();
  }

  dispose(): void {
    this.shafts.dispose();
    this.heads.dispose();
    this.group.removeFromParent();
  }
}
