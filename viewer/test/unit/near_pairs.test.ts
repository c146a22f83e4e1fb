/* Farthest points, planes between convex bodies, and pairs that are near, against known distances and drawn points. */
import { describe, expect, it } from "vitest";
import { scenePoses } from "../../src/data/frame";
import type { JsonMap } from "../../src/data/json_value";
import { NearPairs } from "../../src/data/near_pairs";
import { putPose, toWorld, turnBack, type Pose, type Quat, type Vec3 } from "../../src/data/pose";
import { readScene, type MeshData, type Scene, type Shape } from "../../src/data/scene";
import { separate, type Body } from "../../src/data/separate";
import { convexOf } from "../../src/data/support";
import { difference, dot, lengthOf, scaled, sum } from "../../src/data/vec3";
import { sceneJson } from "../support/small_run";

const TETRAHEDRON: MeshData = {
  vertices: Float32Array.of(0, 0, 0, 0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.75),
  triangles: Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3),
};

const STILL: Pose = { p: [0, 0, 0], q: [1, 0, 0, 0] };
const SHAPES: Shape[] = [
  { kind: "box", size: [0.4, 0.6, 0.2] },
  { kind: "sphere", size: [0.3, 0, 0] },
  { kind: "cylinder", size: [0.2, 0.5, 0] },
  { kind: "capsule", size: [0.15, 0.4, 0] },
  { kind: "ellipsoid", size: [0.1, 0.2, 0.4] },
  { kind: "polytope", size: [1, 1, 1], mesh: 0 },
].map((part) => ({ mesh: -1, pose: STILL, colour: null, ...part }) as Shape);

/** Numbers in [0, 1) that are the same every time (a linear congruence). */
function draw(seed: number): () => number {
  let x = seed;
  return () => (x = (x * 1103515245 + 12345) % 2147483648) / 2147483648;
}

function drawPose(random: () => number, spread: number): Pose {
  const [a, b, c, d] = [random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5];
  const f = 1 / Math.hypot(a, b, c, d);
  const place = (): number => spread * (random() - 0.5);
  return { p: [place(), place(), place()], q: [f * a, f * b, f * c, f * d] as Quat };
}

function placed(shape: Shape, pose: Pose): Body {
  const body = convexOf(shape, [TETRAHEDRON])!;
  return { support: (n) => toWorld(pose, body.support(turnBack(pose.q, n))), skin: body.skin };
}

/** Is a point (in its axes) in the shape? */
function holds({ kind, size: [a, b, c] }: Shape, [x, y, z]: Vec3): boolean {
  if (kind === "box") return Math.abs(x) <= a / 2 && Math.abs(y) <= b / 2 && Math.abs(z) <= c / 2;
  if (kind === "sphere") return Math.hypot(x, y, z) <= a;
  if (kind === "cylinder") return Math.hypot(x, y) <= a && Math.abs(z) <= b / 2;
  if (kind === "capsule") return Math.hypot(x, y, Math.max(0, Math.abs(z) - b / 2)) <= a;
  if (kind === "ellipsoid") return Math.hypot(x / a, y / b, z / c) <= 1;
  return x >= 0 && y >= 0 && z >= 0 && x / 0.5 + y / 0.5 + z / 0.75 <= 1;
}

function drawPoints(shape: Shape, random: () => number): Vec3[] {
  const points = Array.from({ length: 4000 }, () => [1.6 * random() - 0.8, 1.6 * random() - 0.8, 1.6 * random() - 0.8] as Vec3);
  return points.filter((point) => holds(shape, point));
}

describe("farthest points", () => {
  it("are in the shape, beyond all others, and in its ball", () => {
    const random = draw(1);
    for (const shape of SHAPES) {
      const body = convexOf(shape, [TETRAHEDRON])!;
      const points = drawPoints(shape, random);
      expect(points.length, shape.kind).toBeGreaterThan(20);
      for (let i = 0; i < 50; i++) {
        const n: Vec3 = [random() - 0.5, random() - 0.5, random() - 0.5];
        const far = sum(body.support(n), scaled(n, body.skin / lengthOf(n)));
        expect(holds(shape, scaled(far, 1 - 1e-9)), shape.kind).toBe(true);
        expect(Math.max(...points.map((point) => dot(n, point)))).toBeLessThanOrEqual(dot(n, far) + 1e-12);
        expect(lengthOf(difference(far, body.middle))).toBeLessThanOrEqual(body.radius + 1e-12);
      }
    }
  });

  it("are not known of a half-space", () => {
    expect(convexOf({ ...SHAPES[0]!, kind: "halfspace" }, [])).toBeNull();
  });
});

describe("a plane between two bodies", () => {
  it("has all of one behind it and all of the other before it", () => {
    const random = draw(7);
    let found = 0;
    for (let i = 0; i < 300; i++) {
      const [one, two] = [SHAPES[i % 6]!, SHAPES[Math.floor(i / 6) % 6]!];
      const [poseA, poseB] = [drawPose(random, 1.2), drawPose(random, 1.2)];
      const plane = separate(placed(one, poseA), placed(two, poseB), difference(poseB.p, poseA.p));
      if (!plane) continue;
      found++;
      const height = (pose: Pose, point: Vec3): number => dot(plane.normal, difference(toWorld(pose, point), plane.middle));
      for (const point of drawPoints(one, random)) expect(height(poseA, point)).toBeLessThanOrEqual(-plane.width / 2 + 1e-9);
      for (const point of drawPoints(two, random)) expect(height(poseB, point)).toBeGreaterThanOrEqual(plane.width / 2 - 1e-9);
    }
    expect(found).toBeGreaterThan(80);
  });

  it("has the width of the gap: balls, faces, an edge over an edge", () => {
    const at = (x: number, y: number, z: number, q: Quat = [1, 0, 0, 0]): Pose => ({ p: [x, y, z], q });
    const [box, ball] = [SHAPES[0]!, SHAPES[1]!];
    const width = (one: Shape, a: Pose, two: Shape, b: Pose): number =>
      separate(placed(one, a), placed(two, b), difference(b.p, a.p))!.width;
    expect(width(ball, at(0, 0, 0), ball, at(1, 1, 1))).toBeCloseTo(Math.sqrt(3) - 0.6, 3);
    expect(width(box, at(0, 0, 0), box, at(0.05, 0.1, 0.31))).toBeCloseTo(0.11, 4);
    expect(width(ball, at(0, 0, 0), box, at(0.6, 0.1, 0))).toBeCloseTo(0.1, 4);
    const cube: Shape = { ...box, size: [1, 1, 1] };
    const [c, s] = [Math.cos(Math.PI / 8), Math.sin(Math.PI / 8)]; // turned by 45 degrees
    expect(width(cube, at(0, 0, 0, [c, s, 0, 0]), cube, at(0, 0, 1.5, [c, 0, s, 0]))).toBeCloseTo(1.5 - Math.SQRT2, 3);
  });

  it("is not there where they overlap or touch", () => {
    const random = draw(3);
    for (let i = 0; i < 36; i++) {
      const [one, two] = [SHAPES[i % 5]!, SHAPES[Math.floor(i / 6) % 5]!]; // all of them hold their origin
      const [poseA, poseB] = [drawPose(random, 0), drawPose(random, 0.1)];
      expect(separate(placed(one, poseA), placed(two, poseB), [0, 0, 1])).toBeNull();
    }
  });
});

describe("pairs that are near", () => {
  const json = JSON.parse(JSON.stringify(sceneJson({ frames: 1, rate: 1, extraBodies: 3 }))) as JsonMap;
  const scene: Scene = readScene(json);
  const index = (name: string): number => scene.links.findIndex((link) => link.name === name);
  const world = scene.links.length - 1;

  function posed(places: Record<string, Vec3>): Float64Array {
    const poses = scenePoses(scene);
    scene.links.forEach((link, i) => {
      if (link.moving) putPose(poses, i, { p: places[link.name] ?? [0, 100 * (i + 1), 50], q: [1, 0, 0, 0] });
    });
    return poses;
  }

  it("are found above the ground and beside each other, the nearest first", () => {
    const poses = posed({ box0: [0, 0, 0.1], box1: [0.13, 0, 0.3] });
    const found = new NearPairs(scene).find(poses, null, 0.3);
    const names = found.map((pair) => [scene.links[pair.a]!.name, scene.links[pair.b]!.name].sort().join());
    expect(names).toEqual(["box0,world", "box0,box1", "box1,world"]);
    [0.05, Math.hypot(0.03, 0.1), 0.25].forEach((width, i) => expect(found[i]!.width).toBeCloseTo(width, 4));
    expect(found[0]!.middle[2]).toBeCloseTo(0.025, 9);
    expect(found[0]!.normal[2]).toBeCloseTo(1, 9);
  });

  it("are the nearest of all where none is within reach", () => {
    const poses = posed({ box0: [0, 0, 1], box1: [1, 0, 5], box2: [30, 0, 9] });
    const found = new NearPairs(scene).find(poses, null, 0.1);
    expect(found.map((pair) => [pair.a, pair.b])).toEqual([[world, index("box0")]]);
    expect(found[0]!.width).toBeCloseTo(0.95, 9);
  });

  it("leave out those that touch, and links of one joint", () => {
    const poses = posed({ box0: [0, 0, 0.1], box1: [0.13, 0, 0.3] });
    const one = (value: number): Float64Array => Float64Array.of(value, value, value);
    const contacts = {
      count: 1,
      linkA: Uint32Array.of(index("box0")),
      linkB: Uint32Array.of(index("box1")),
      ...{ point: one(0), normal: one(0), force: one(0), gap: one(0), slip: one(0), mu: one(0), state: Uint8Array.of(1) },
    };
    const pairs = new NearPairs(scene);
    expect(pairs.find(poses, contacts as never, 0.3).length).toBe(2);
    expect(pairs.nearestTo(index("box1"), poses, contacts as never)!.a).toBe(world);
    expect(pairs.nearestTo(index("box1"), poses, null)!.width).toBeCloseTo(Math.hypot(0.03, 0.1), 4);
  });
});
