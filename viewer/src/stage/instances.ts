/*
 * A list of equal things (points, arrows, boxes) drawn in one call, filled anew for every frame.
 */
import * as THREE from "three";

const FIRST = 64;

export interface InstanceLook {
  opacity?: number;
  lit?: boolean; // shaded by the lights; otherwise of one flat colour
  through?: boolean; // seen through bodies
  bothSides?: boolean;
  wire?: boolean;
  order?: number;
}

function makeMaterial(look: InstanceLook): THREE.Material {
  const settings = {
    transparent: (look.opacity ?? 1) < 1 || look.through === true,
    opacity: look.opacity ?? 1,
    depthTest: look.through !== true,
    depthWrite: (look.opacity ?? 1) >= 1 && look.through !== true,
    side: look.bothSides ? THREE.DoubleSide : THREE.FrontSide,
    wireframe: look.wire === true,
  };
  return look.lit ? new THREE.MeshStandardMaterial({ ...settings, roughness: 0.6 }) : new THREE.MeshBasicMaterial(settings);
}

export class Instances {
  readonly group = new THREE.Group();
  private mesh: THREE.InstancedMesh;
  private used = 0;

  constructor(
    private readonly geometry: THREE.BufferGeometry,
    private readonly look: InstanceLook,
  ) {
    this.mesh = this.make(FIRST);
  }

  get count(): number {
    return this.used;
  }

  begin(): void {
    this.used = 0;
  }

  add(matrix: THREE.Matrix4, colour: THREE.Color): void {
    if (this.used >= this.mesh.instanceMatrix.count) this.grow();
    this.mesh.setMatrixAt(this.used, matrix);
    this.mesh.setColorAt(this.used, colour);
    this.used++;
  }

  end(): void {
    this.mesh.count = this.used;
    this.mesh.visible = this.used > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.dispose();
    this.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
    this.group.removeFromParent();
  }

  private make(capacity: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, makeMaterial(this.look), capacity);
    mesh.frustumCulled = false;
    mesh.count = 0;
    mesh.renderOrder = this.look.order ?? 3;
    mesh.setColorAt(0, new THREE.Color());
    this.group.add(mesh);
    return mesh;
  }

  private grow(): void {
    const old = this.mesh;
    this.mesh = this.make(2 * old.instanceMatrix.count);
    (this.mesh.instanceMatrix.array as Float32Array).set(old.instanceMatrix.array as Float32Array);
    if (old.instanceColor && this.mesh.instanceColor) {
      (this.mesh.instanceColor.array as Float32Array).set(old.instanceColor.array as Float32Array);
    }
    old.removeFromParent();
    (old.material as THREE.Material).dispose();
    old.dispose();
  }
}
