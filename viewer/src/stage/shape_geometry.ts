/*
 * Geometry of a shape kind, made once for all shapes that can share it.
 *
 * Spheres, ellipsoids and cylinders are unit shapes, stretched by each instance. Boxes are cut to size, because their edges
 * are rounded a little (2.5 % of the least length) to catch the light; where very many sizes are about, they are stretched
 * cubes. Scenes of many shapes get coarser ones, and sharp boxes. Capsules are shared by those of one ratio of radius and length. Axis of cylinder and capsule: z.
 */
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { MeshData, Shape } from "../data/scene";

const MOST_BOX_SIZES = 48;
const ROUNDING = 0.025;

export interface PlacedGeometry {
  key: string;
  geometry: THREE.BufferGeometry;
  scale: [number, number, number];
}

function meshGeometry(mesh: MeshData): THREE.BufferGeometry {
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute("position", new THREE.BufferAttribute(mesh.vertices, 3));
  indexed.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
  const flat = indexed.toNonIndexed(); // flat shading: edges of convex parts stay sharp
  flat.computeVertexNormals();
  return flat;
}

function capsuleGeometry(radius: number, length: number, coarse: boolean): THREE.BufferGeometry {
  return new THREE.CapsuleGeometry(radius, length, coarse ? 5 : 10, coarse ? 14 : 28).rotateX(Math.PI / 2);
}

/** Makes and keeps geometries. */
export class GeometryStore {
  private readonly made = new Map<string, THREE.BufferGeometry>();
  private boxSizes = 0;

  constructor(
    private readonly meshes: readonly MeshData[],
    private readonly coarse: boolean,
  ) {}

  /** Geometry of a shape; null for half-spaces and shapes without triangles. */
  of(shape: Shape): PlacedGeometry | null {
    const [a, b] = shape.size;
    switch (shape.kind) {
      case "halfspace":
        return null;
      case "box":
        return this.box(shape.size);
      case "sphere":
        return this.place("sphere", [a, a, a], () => this.sphere());
      case "ellipsoid":
        return this.place("sphere", shape.size, () => this.sphere());
      case "cylinder":
        return this.place("cylinder", [a, a, b], () =>
          new THREE.CylinderGeometry(1, 1, 1, this.coarse ? 20 : 36).rotateX(Math.PI / 2),
        );
      case "capsule": {
        const ratio = a > 0 ? b / a : 0;
        return this.place(`capsule ${ratio.toPrecision(6)}`, [a, a, a], () => capsuleGeometry(1, ratio, this.coarse));
      }
      default: {
        const mesh = this.meshes[shape.mesh];
        return mesh ? this.place(`mesh ${shape.mesh}`, [1, 1, 1], () => meshGeometry(mesh)) : null;
      }
    }
  }

  dispose(): void {
    for (const geometry of this.made.values()) geometry.dispose();
    this.made.clear();
  }

  private sphere(): THREE.BufferGeometry {
    return this.coarse ? new THREE.SphereGeometry(1, 16, 10) : new THREE.SphereGeometry(1, 32, 20);
  }

  private box(size: [number, number, number]): PlacedGeometry {
    const key = `box ${size.map((x) => x.toPrecision(6)).join(" ")}`;
    if (this.coarse || (!this.made.has(key) && this.boxSizes++ >= MOST_BOX_SIZES)) {
      return this.place("cube", size, () => new THREE.BoxGeometry(1, 1, 1));
    }
    const radius = ROUNDING * Math.min(...size);
    return this.place(key, [1, 1, 1], () => new RoundedBoxGeometry(size[0], size[1], size[2], 2, radius));
  }

  private place(key: string, scale: [number, number, number], make: () => THREE.BufferGeometry): PlacedGeometry {
    let geometry = this.made.get(key);
    if (!geometry) {
      geometry = make();
      this.made.set(key, geometry);
    }
    return { key, geometry, scale };
  }
}
