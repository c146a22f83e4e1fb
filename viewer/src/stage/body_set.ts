/*
 * The bodies of one scene, drawn in few calls: all shapes with the same geometry are instances of one mesh.
 *
 * The matrix of an instance is  T(link in the world) * T(shape in the link) * scale.
 */
import * as THREE from "three";
import type { Scene, Shape } from "../data/scene";
import { ACCENT, GHOST, linkColours } from "./palette";
import { GeometryStore } from "./shape_geometry";

export type BodyLook = "solid" | "ghost" | "collision";

interface Instance {
  link: number;
  local: THREE.Matrix4;
  colour: THREE.Color;
}

interface Batch {
  mesh: THREE.InstancedMesh;
  instances: Instance[];
  radius: number; // of the geometry about its middle
}

const COARSE_FROM = 250; // shapes

const position = new THREE.Vector3();
const rotation = new THREE.Quaternion();
const UNIT = new THREE.Vector3(1, 1, 1);
const matrix = new THREE.Matrix4();

/** Matrix of a link from its 7 numbers. */
export function linkMatrix(poses: Float64Array, link: number, out: THREE.Matrix4): THREE.Matrix4 {
  const i = 7 * link;
  position.set(poses[i]!, poses[i + 1]!, poses[i + 2]!);
  rotation.set(poses[i + 4]!, poses[i + 5]!, poses[i + 6]!, poses[i + 3]!);
  return out.compose(position, rotation, UNIT);
}

export function shapeMatrix(shape: Shape, scale: readonly [number, number, number]): THREE.Matrix4 {
  const { p, q } = shape.pose;
  return new THREE.Matrix4().compose(
    new THREE.Vector3(...p),
    new THREE.Quaternion(q[1], q[2], q[3], q[0]),
    new THREE.Vector3(...scale),
  );
}

function materialOf(look: BodyLook, opacity: number): THREE.Material {
  if (look === "collision") {
    return new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.55, depthWrite: false });
  }
  const ghost = look === "ghost";
  const clear = ghost || opacity < 1;
  return new THREE.MeshLambertMaterial({
    transparent: clear,
    opacity: ghost ? 0.38 : opacity,
    depthWrite: !clear,
  });
}

export class BodySet {
  readonly group = new THREE.Group();
  private readonly batches: Batch[] = [];
  private readonly store: GeometryStore;
  private readonly matrices: THREE.Matrix4[];
  /** Radius of each link's shapes about its origin. */
  readonly reach: Float64Array;
  private marked = -1;

  constructor(
    private readonly scene: Scene,
    private readonly look: BodyLook,
  ) {
    const shapes = scene.links.reduce((n, link) => n + Math.max(link.visual.length, link.collision.length), 0);
    this.store = new GeometryStore(scene.meshes, shapes > COARSE_FROM);
    this.matrices = scene.links.map(() => new THREE.Matrix4());
    this.reach = new Float64Array(scene.links.length);
    this.build();
  }

  /** Moves everything to the poses of a frame. */
  update(poses: Float64Array): void {
    this.matrices.forEach((m, link) => linkMatrix(poses, link, m));
    for (const { mesh, instances } of this.batches) {
      const array = mesh.instanceMatrix.array as Float32Array;
      instances.forEach((instance, i) => {
        matrix.multiplyMatrices(this.matrices[instance.link]!, instance.local).toArray(array, 16 * i);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  /** Spheres round all shapes, where they are now: 4 numbers each, and the link they belong to. */
  eachSphere(take: (link: number, x: number, y: number, z: number, radius: number) => void): void {
    for (const { mesh, instances, radius } of this.batches) {
      const m = mesh.instanceMatrix.array;
      instances.forEach(({ link }, i) => {
        const k = 16 * i;
        const size = (c: number): number => Math.hypot(m[k + c]!, m[k + c + 1]!, m[k + c + 2]!);
        const [x, y, z] = [m[k + 12]!, m[k + 13]!, m[k + 14]!];
        if (Number.isFinite(x + y + z)) take(link, x, y, z, radius * Math.max(size(0), size(4), size(8)));
      });
    }
  }

  /** Marks one link by colour; -1: none. */
  mark(link: number): void {
    if (link === this.marked) return;
    const accent = new THREE.Color(ACCENT);
    for (const { mesh, instances } of this.batches) {
      instances.forEach((instance, i) => {
        if (instance.link !== link && instance.link !== this.marked) return;
        const colour = instance.link === link ? instance.colour.clone().lerp(accent, 0.4) : instance.colour;
        mesh.setColorAt(i, colour);
        if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
      });
    }
    this.marked = link;
  }

  /** The nearest shape that a ray hits. */
  pick(ray: THREE.Raycaster): { link: number; point: THREE.Vector3; distance: number } | null {
    let best: { link: number; point: THREE.Vector3; distance: number } | null = null;
    for (const { mesh, instances } of this.batches) {
      for (const hit of ray.intersectObject(mesh, false)) {
        const instance = hit.instanceId === undefined ? undefined : instances[hit.instanceId];
        if (!instance || (best && hit.distance >= best.distance)) continue;
        best = { link: instance.link, point: hit.point, distance: hit.distance };
      }
    }
    return best;
  }

  dispose(): void {
    for (const { mesh } of this.batches) {
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    this.store.dispose();
    this.group.removeFromParent();
  }

  private shapesOf(link: number): readonly Shape[] {
    const { visual, collision } = this.scene.links[link]!;
    if (this.look === "collision") return collision;
    return visual.length > 0 ? visual : collision;
  }

  private build(): void {
    const colours = linkColours(this.scene);
    const kinds = new Map<string, { geometry: THREE.BufferGeometry; opacity: number; instances: Instance[] }>();
    this.scene.links.forEach((_, link) => {
      for (const shape of this.shapesOf(link)) {
        const placed = this.store.of(shape);
        if (!placed) continue;
        const opacity = shape.colour ? Math.max(0.15, shape.colour[3]) : 1;
        const key = `${placed.key} ${opacity.toFixed(2)}`;
        const kind = kinds.get(key) ?? { geometry: placed.geometry, opacity, instances: [] };
        const local = shapeMatrix(shape, placed.scale);
        kind.instances.push({ link, local, colour: this.colourOf(shape, colours[link]!) });
        kinds.set(key, kind);
        this.extend(link, placed.geometry, local);
      }
    });
    for (const { geometry, opacity, instances } of kinds.values()) this.addBatch(geometry, opacity, instances);
  }

  private colourOf(shape: Shape, otherwise: number): THREE.Color {
    if (this.look === "ghost") return new THREE.Color(GHOST);
    if (this.look === "collision") return new THREE.Color(ACCENT);
    if (!shape.colour) return new THREE.Color(otherwise);
    const [r, g, b] = shape.colour;
    return new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
  }

  private extend(link: number, geometry: THREE.BufferGeometry, local: THREE.Matrix4): void {
    if (!geometry.boundingSphere) geometry.computeBoundingSphere();
    const sphere = geometry.boundingSphere!.clone().applyMatrix4(local);
    this.reach[link] = Math.max(this.reach[link]!, sphere.center.length() + sphere.radius);
  }

  private addBatch(geometry: THREE.BufferGeometry, opacity: number, instances: Instance[]): void {
    const mesh = new THREE.InstancedMesh(geometry, materialOf(this.look, opacity), instances.length);
    instances.forEach((instance, i) => mesh.setColorAt(i, instance.colour));
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.castShadow = this.look === "solid" && opacity === 1;
    mesh.receiveShadow = this.look === "solid";
    mesh.frustumCulled = false;
    if (this.look !== "solid") mesh.renderOrder = 2;
    this.group.add(mesh);
    const { center, radius } = geometry.boundingSphere!;
    this.batches.push({ mesh, instances, radius: center.length() + radius });
  }
}
