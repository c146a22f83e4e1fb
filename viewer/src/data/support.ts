/*
 * The point of a shape that lies farthest in a direction, in the shape's own axes: s(n) = argmax { n . x : x in the shape }.
 *
 * Spheres and capsules are a point and a line with a skin: support() is that of the core, and the skin is added along n.
 * A mesh or height field stands for the smallest convex body round it. A half-space has no farthest point: null.
 */
import type { Vec3 } from "./pose";
import type { MeshData, Shape } from "./scene";
import { lengthOf, scaled } from "./vec3";

export interface Convex {
  support(n: Vec3): Vec3; // of the core
  skin: number; // m round the core
  middle: Vec3; // of a ball that holds the shape
  radius: number;
}

const ORIGIN: Vec3 = [0, 0, 0];

function side(x: number, length: number): number {
  return x < 0 ? -length : length;
}

function box(size: Vec3): Convex {
  const half = scaled(size, 0.5);
  const support = (n: Vec3): Vec3 => [side(n[0], half[0]), side(n[1], half[1]), side(n[2], half[2])];
  return { support, skin: 0, middle: ORIGIN, radius: lengthOf(half) };
}

/** x = D D n / |D n| with D = diag(half axes). */
function ellipsoid([a, b, c]: Vec3): Convex {
  const support = (n: Vec3): Vec3 => {
    const f = 1 / (Math.hypot(a * n[0], b * n[1], c * n[2]) || 1);
    return [f * a * a * n[0], f * b * b * n[1], f * c * c * n[2]];
  };
  return { support, skin: 0, middle: ORIGIN, radius: Math.max(a, b, c) };
}

function cylinder(radius: number, length: number): Convex {
  const support = (n: Vec3): Vec3 => {
    const f = radius / (Math.hypot(n[0], n[1]) || 1);
    return [f * n[0], f * n[1], side(n[2], length / 2)];
  };
  return { support, skin: 0, middle: ORIGIN, radius: Math.hypot(radius, length / 2) };
}

/** A sphere is one of length 0. */
function capsule(radius: number, length: number): Convex {
  const support = (n: Vec3): Vec3 => [0, 0, side(n[2], length / 2)];
  return { support, skin: radius, middle: ORIGIN, radius: radius + length / 2 };
}

function vertexAt({ vertices }: MeshData, i: number): Vec3 {
  return [vertices[i]!, vertices[i + 1]!, vertices[i + 2]!];
}

function hull(mesh: MeshData): Convex | null {
  const { vertices } = mesh;
  if (vertices.length === 0) return null;
  const support = (n: Vec3): Vec3 => {
    let [best, at] = [-Infinity, 0];
    for (let i = 0; i < vertices.length; i += 3) {
      const height = n[0] * vertices[i]! + n[1] * vertices[i + 1]! + n[2] * vertices[i + 2]!;
      if (height > best) [best, at] = [height, i];
    }
    return vertexAt(mesh, at);
  };
  const ends = [0, 1, 2].map((k) => {
    const axis: Vec3 = [0, 0, 0];
    axis[k] = 1;
    return [support(scaled(axis, -1))[k]!, support(axis)[k]!] as const;
  });
  const middle = ends.map(([a, b]) => (a + b) / 2) as Vec3;
  let radius = 0;
  for (let i = 0; i < vertices.length; i += 3) {
    const [x, y, z] = vertexAt(mesh, i);
    radius = Math.max(radius, Math.hypot(x - middle[0], y - middle[1], z - middle[2]));
  }
  return { support, skin: 0, middle, radius };
}

export function convexOf(shape: Shape, meshes: readonly MeshData[]): Convex | null {
  const [a, b] = shape.size;
  switch (shape.kind) {
    case "halfspace":
      return null;
    case "box":
      return box(shape.size);
    case "sphere":
      return capsule(a, 0);
    case "ellipsoid":
      return ellipsoid(shape.size);
    case "cylinder":
      return cylinder(a, b);
    case "capsule":
      return capsule(a, b);
    default: {
      const mesh = meshes[shape.mesh];
      return mesh ? hull(mesh) : null;
    }
  }
}
