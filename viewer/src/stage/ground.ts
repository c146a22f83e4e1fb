/*
 * Ground: a plane with grid lines that fades out with the distance, at every half-space of the scene, or at z = 0.
 *
 * Line strength at a point: with c the coordinate over the spacing and w its change over a pixel,
 *   1 - min(|fract(c - 1/2) - 1/2| / w, 1)   along both axes, so that lines are one pixel wide and smooth.
 * Every fifth line is stronger. The spacing is 1, 2 or 5 times a power of ten near a third of the scene's size.
 */
import * as THREE from "three";
import { IDENTITY, compose, turn, type Pose } from "../data/pose";
import type { Scene } from "../data/scene";
import { sphereRound } from "./actor";
import type { StageColours } from "./palette";

export function gridSpacing(size: number): number {
  const wanted = Math.max(1e-6, size) / 3;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const digit = wanted / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

const FALL = 15; // radii of the scene: a ground farther below is not looked at

const VERTEX = `
varying vec2 vGrid;
#include <common>`;
const VERTEX_MAIN = `
#include <begin_vertex>
vGrid = position.xy;`;
const FRAGMENT = `
varying vec2 vGrid;
uniform float spacing, fadeStart, fadeEnd;
uniform vec2 middle;
uniform vec3 minorLine, majorLine;
float lines(vec2 place) {
  vec2 c = place / spacing;
  vec2 w = fwidth(c) * 1.2;
  vec2 near = abs(fract(c - 0.5) - 0.5) / w;
  vec2 fine = clamp(0.5 / w - 1.0, 0.0, 1.0); // lines nearer than two pixels are left out
  vec2 strength = (1.0 - min(near, 1.0)) * fine;
  return max(strength.x, strength.y);
}
#include <common>`;
const FRAGMENT_COLOUR = `
#include <color_fragment>
{
  float minor = lines(vGrid);
  float major = lines(vGrid / 5.0);
  diffuseColor.rgb = mix(diffuseColor.rgb, minorLine, 0.8 * minor);
  diffuseColor.rgb = mix(diffuseColor.rgb, majorLine, major);
  diffuseColor.a *= 1.0 - smoothstep(fadeStart, fadeEnd, distance(vGrid, middle));
}`;

interface GridUniforms {
  [name: string]: THREE.IUniform;
  spacing: { value: number };
  fadeStart: { value: number };
  fadeEnd: { value: number };
  middle: { value: THREE.Vector2 };
  minorLine: { value: THREE.Color };
  majorLine: { value: THREE.Color };
}

function gridUniforms(): GridUniforms {
  return {
    spacing: { value: 1 },
    fadeStart: { value: 5 },
    fadeEnd: { value: 20 },
    middle: { value: new THREE.Vector2() },
    minorLine: { value: new THREE.Color() },
    majorLine: { value: new THREE.Color() },
  };
}

/** One plane of the ground. */
class GroundPlane {
  readonly mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshLambertMaterial>;
  private readonly uniforms = gridUniforms();

  constructor(pose: Pose) {
    const material = new THREE.MeshLambertMaterial({ transparent: true, depthWrite: false });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", VERTEX)
        .replace("#include <begin_vertex>", VERTEX_MAIN);
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", FRAGMENT)
        .replace("#include <color_fragment>", FRAGMENT_COLOUR);
    };
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.mesh.position.set(...pose.p);
    this.mesh.quaternion.set(pose.q[1], pose.q[2], pose.q[3], pose.q[0]);
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = -1;
    this.mesh.frustumCulled = false;
  }

  place(size: number, spacing: number, target: THREE.Vector3): void {
    const reach = 30 * size;
    const { geometry } = this.mesh;
    const local = this.mesh.worldToLocal(target.clone());
    const corners = geometry.attributes.position as THREE.BufferAttribute;
    for (let i = 0; i < 4; i++) {
      corners.setXY(i, local.x + (i % 2 === 0 ? -reach : reach), local.y + (i < 2 ? reach : -reach));
    }
    corners.needsUpdate = true;
    this.uniforms.spacing.value = spacing;
    this.uniforms.fadeStart.value = 3 * size;
    this.uniforms.fadeEnd.value = 20 * size;
    this.uniforms.middle.value.set(local.x, local.y);
  }

  paint(colours: StageColours): void {
    this.mesh.material.color.set(colours.ground);
    this.uniforms.minorLine.value.set(colours.minorLine);
    this.uniforms.majorLine.value.set(colours.majorLine);
  }
}

/** Poses of the half-spaces of a scene; z <= 0 of each is solid. */
function halfspaces(scene: Scene): Pose[] {
  const found: Pose[] = [];
  for (const link of scene.links) {
    const shapes = [...link.collision, ...link.visual].filter((shape) => shape.kind === "halfspace");
    for (const shape of shapes) found.push(compose(link.pose, shape.pose));
  }
  const unlike = (a: Pose, b: Pose): boolean => [...a.p, ...a.q].some((x, i) => Math.abs(x - [...b.p, ...b.q][i]!) > 1e-9);
  return found.filter((pose, i) => found.slice(0, i).every((before) => unlike(pose, before)));
}

export class Ground {
  readonly group = new THREE.Group();
  spacing = 1;
  private readonly planes: GroundPlane[];
  private readonly solid: Pose[];

  constructor(scene: Scene) {
    this.solid = halfspaces(scene);
    this.planes = (this.solid.length > 0 ? this.solid : [IDENTITY]).map((pose) => new GroundPlane(pose));
    for (const plane of this.planes) this.group.add(plane.mesh);
    this.group.updateMatrixWorld(true);
  }

  /** Where spheres would lie that fell straight on a ground that is not far below all of them. */
  below(spheres: readonly THREE.Sphere[]): THREE.Sphere[] {
    const most = FALL * sphereRound(spheres).radius;
    return this.solid.flatMap((pose) => {
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
        new THREE.Vector3(...turn(pose.q, [0, 0, 1])),
        new THREE.Vector3(...pose.p),
      );
      if (plane.normal.z < 0.7) return [];
      const near = spheres.filter((sphere) => plane.distanceToSphere(sphere) > 0 && plane.distanceToSphere(sphere) < most);
      return near.map((sphere) => {
        const centre = sphere.center.clone().addScaledVector(plane.normal, -plane.distanceToSphere(sphere));
        return new THREE.Sphere(centre, sphere.radius);
      });
    });
  }

  place(size: number, target: THREE.Vector3): void {
    this.spacing = gridSpacing(size);
    for (const plane of this.planes) plane.place(size, this.spacing, target);
  }

  paint(colours: StageColours): void {
    for (const plane of this.planes) plane.paint(colours);
  }

  dispose(): void {
    for (const { mesh } of this.planes) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.group.removeFromParent();
  }
}
