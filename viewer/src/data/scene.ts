/*
 * The message /rigor/scene: links with their shapes, joints, meshes, and what a live run lets one choose.
 *
 * Shapes fixed to the world itself become one more link, the last, that does not move.
 * Failure: FormatError that names the member.
 */
import { FormatError, fromBase64 } from "../format/bytes";
import { asList, asMap, asNumbers, asText, isMap, numberOr, textOr, texts, type Json, type JsonMap } from "./json_value";
import { IDENTITY, type Pose, type Quat, type Vec3 } from "./pose";

export const WORLD_INDEX = 0xffffffff;

export interface MeshData {
  vertices: Float32Array; // 3 numbers a vertex
  triangles: Uint32Array; // 3 vertices a triangle
}

export type ShapeKind =
  "box" | "sphere" | "cylinder" | "capsule" | "ellipsoid" | "halfspace" | "mesh" | "polytope" | "heightfield";

const KINDS: readonly string[] = [
  "box",
  "sphere",
  "cylinder",
  "capsule",
  "ellipsoid",
  "halfspace",
  "mesh",
  "polytope",
  "heightfield",
];

export interface Shape {
  kind: ShapeKind;
  pose: Pose;
  colour: [number, number, number, number] | null;
  size: Vec3; // box: lengths; sphere: radius; cylinder, capsule: radius, length; ellipsoid: half axes
  mesh: number; // index in Scene.meshes, -1: none
}

export interface Link {
  name: string;
  group: string;
  mass: number;
  com: Vec3;
  inertia: number[]; // xx yy zz xy xz yz about the centre of mass
  moving: boolean;
  pose: Pose; // where it stood when the scene was written
  visual: Shape[];
  collision: Shape[];
}

export interface Joint {
  name: string;
  kind: string;
  parent: number; // -1: the world
  child: number;
  origin: Pose;
  axis: Vec3;
  rows: string[]; // names of its velocities in /joint_states
  lower: number[];
  upper: number[];
  effort: number[];
}

export interface Scene {
  name: string;
  rigorVersion: string;
  gravity: Vec3;
  stepper: string;
  solver: string;
  dt: number;
  coords: string;
  links: Link[];
  joints: Joint[];
  meshes: MeshData[];
  steppers: string[];
  solvers: string[];
}

function readPose(value: Json | undefined, where: string): Pose {
  if (value === undefined || value === null) return IDENTITY;
  const map = asMap(value, where);
  return { p: asNumbers(map.p, 3, `${where}.p`) as Vec3, q: asNumbers(map.q, 4, `${where}.q`) as Quat };
}

/** Numbers of a limit: one, or one a velocity; null is infinite. */
function limits(value: Json | undefined, otherwise: number): number[] {
  const list = Array.isArray(value) ? value : [value ?? null];
  return list.map((x) => numberOr(x, otherwise));
}

function readMesh(value: Json | undefined, where: string): MeshData {
  const map = asMap(value, where);
  const vertices = fromBase64(asText(map.vertices, `${where}.vertices`));
  const triangles = fromBase64(asText(map.triangles, `${where}.triangles`));
  if (vertices.length % 12 !== 0 || triangles.length % 12 !== 0) {
    throw new FormatError(`${where}: expected 12 bytes a vertex and 12 a triangle`);
  }
  const mesh = { vertices: new Float32Array(vertices.buffer), triangles: new Uint32Array(triangles.buffer) };
  const count = mesh.vertices.length / 3;
  if (mesh.triangles.some((v) => v >= count)) throw new FormatError(`${where}: a triangle names a vertex that is not there`);
  return mesh;
}

function sizeOf(map: JsonMap, kind: ShapeKind, where: string): Vec3 {
  if (kind === "box") return asNumbers(map.size, 3, `${where}.size`) as Vec3;
  if (kind === "ellipsoid") return asNumbers(map.radii, 3, `${where}.radii`) as Vec3;
  if (kind === "sphere" || kind === "cylinder" || kind === "capsule") {
    const radius = asNumbers([map.radius ?? null], 1, `${where}.radius`)[0]!;
    return [radius, kind === "sphere" ? 0 : asNumbers([map.length ?? null], 1, `${where}.length`)[0]!, 0];
  }
  return [1, 1, 1];
}

function readShape(value: Json, meshes: MeshData[], where: string): Shape {
  const map = asMap(value, where);
  const kind = asText(map.kind, `${where}.kind`);
  if (!KINDS.includes(kind)) throw new FormatError(`${where}: the shape "${kind}" is unknown`);
  let mesh = -1;
  if (isMap(map.mesh)) mesh = meshes.push(readMesh(map.mesh, `${where}.mesh`)) - 1;
  else if (typeof map.mesh === "number") mesh = map.mesh;
  if (mesh >= meshes.length) throw new FormatError(`${where}: there is no mesh ${mesh}`);
  const colour = Array.isArray(map.colour) ? asNumbers(map.colour, 4, `${where}.colour`) : null;
  return {
    kind: kind as ShapeKind,
    pose: readPose(map.pose, `${where}.pose`),
    colour: colour as Shape["colour"],
    size: sizeOf(map, kind as ShapeKind, where),
    mesh,
  };
}

function readShapes(value: Json | undefined, meshes: MeshData[], where: string): Shape[] {
  return asList(value ?? [], where).map((shape, i) => readShape(shape, meshes, `${where}[${i}]`));
}

function readLink(value: Json, meshes: MeshData[], where: string): Link {
  const map = asMap(value, where);
  return {
    name: asText(map.name, `${where}.name`),
    group: textOr(map.group, ""),
    mass: numberOr(map.mass, 0),
    com: asNumbers(map.com ?? [0, 0, 0], 3, `${where}.com`) as Vec3,
    inertia: asNumbers(map.inertia ?? [0, 0, 0, 0, 0, 0], 6, `${where}.inertia`),
    moving: map.moving !== false,
    pose: readPose(map.pose, `${where}.pose`),
    visual: readShapes(map.visual, meshes, `${where}.visual`),
    collision: readShapes(map.collision, meshes, `${where}.collision`),
  };
}

/** Names of the joint's velocities: those of `v_names` from its v_index on, or its own name with a number. */
function rowNames(map: JsonMap, name: string, vNames: string[]): string[] {
  const [first, count] = [numberOr(map.v_index, -1), numberOr(map.nv, 0)];
  return Array.from({ length: Math.max(0, count) }, (_, k) => {
    const given = first >= 0 ? vNames[first + k] : undefined;
    return given ?? (count === 1 ? name : `${name}[${k}]`);
  });
}

function readJoint(value: Json, vNames: string[], where: string): Joint {
  const map = asMap(value, where);
  const name = asText(map.name, `${where}.name`);
  return {
    name,
    kind: textOr(map.kind, ""),
    parent: numberOr(map.parent, -1),
    child: numberOr(map.child, -1),
    origin: readPose(map.origin, `${where}.origin`),
    axis: asNumbers(map.axis ?? [0, 0, 1], 3, `${where}.axis`) as Vec3,
    rows: rowNames(map, name, vNames),
    lower: limits(map.lower, -Infinity),
    upper: limits(map.upper, Infinity),
    effort: limits(map.effort, Infinity),
  };
}

/** The link that carries the shapes fixed to the world. */
function worldLink(value: Json | undefined, meshes: MeshData[]): Link {
  const map = isMap(value) ? value : {};
  return {
    name: "world",
    group: "",
    mass: 0,
    com: [0, 0, 0],
    inertia: [0, 0, 0, 0, 0, 0],
    moving: false,
    pose: IDENTITY,
    visual: readShapes(map.visual, meshes, "scene.world.visual"),
    collision: readShapes(map.collision, meshes, "scene.world.collision"),
  };
}

export function readScene(json: Json): Scene {
  const map = asMap(json, "scene");
  const meshes = asList(map.meshes ?? [], "scene.meshes").map((m, i) => readMesh(m, `scene.meshes[${i}]`));
  const links = asList(map.links, "scene.links").map((l, i) => readLink(l, meshes, `scene.links[${i}]`));
  links.push(worldLink(map.world, meshes));
  const vNames = texts(map.v_names);
  const options = isMap(map.options) ? map.options : {};
  return {
    name: textOr(map.name, "scene"),
    rigorVersion: textOr(map.rigor_version, ""),
    gravity: asNumbers(map.gravity ?? [0, 0, 0], 3, "scene.gravity") as Vec3,
    stepper: textOr(map.stepper, ""),
    solver: textOr(map.solver, ""),
    dt: numberOr(map.dt, NaN),
    coords: textOr(map.coords, ""),
    links,
    joints: asList(map.joints ?? [], "scene.joints").map((j, i) => readJoint(j, vNames, `scene.joints[${i}]`)),
    meshes,
    steppers: texts(options.steppers),
    solvers: texts(options.solvers),
  };
}

/** Index of a link as contacts name it; the world is the last link. */
export function linkOf(scene: Scene, index: number): number {
  return index < scene.links.length - 1 ? index : scene.links.length - 1;
}
