/*
 * The 3D view: renderer, lights, ground, camera, and up to two actors.
 *
 * It draws only when asked: `invalidate` marks the picture as old, the next animation frame draws it.
 * Light: a hemisphere (sky above, ground below) and one sun with a soft shadow that covers the bodies in view.
 */
import * as THREE from "three";
import type { Frame } from "../data/frame";
import type { Vec3 } from "../data/pose";
import type { Scene } from "../data/scene";
import { difference } from "../data/vec3";
import { Actor, sphereRound } from "./actor";
import { Arrows } from "./arrows";
import { CameraRig } from "./camera_rig";
import { Ground } from "./ground";
import { ACCENT, STAGE_COLOURS } from "./palette";
import type { Quality } from "./quality";

export type CompareMode = "side" | "ghost";

export interface Hit {
  actor: number;
  link: number;
  point: Vec3;
}

const SUN = new THREE.Vector3(-0.5, -0.5, 1).normalize(); // from the left of the first view
const SPRING = new THREE.Color(ACCENT);
const SPRING_WIDTH = 0.002; // of the distance of the camera

export class Stage {
  readonly rig: CameraRig;
  readonly actors: Actor[] = [];
  compare: CompareMode = "side";
  forceZoom = 1;
  gridShown = true;
  drawn = 0; // pictures so far
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly sky = new THREE.HemisphereLight();
  private readonly sun = new THREE.DirectionalLight();
  private readonly spring = new Arrows({ through: true, opacity: 0.85, order: 8 });
  private ground: Ground | null = null;
  private theme: "light" | "dark" = "light";
  private old = true;
  private fitted = new THREE.Sphere(new THREE.Vector3(), 1);

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly quality: Quality,
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: quality.smooth, alpha: true });
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = quality.smooth ? THREE.PCFShadowMap : THREE.BasicShadowMap;
    this.renderer.setScissorTest(true);
    this.rig = new CameraRig(canvas, () => this.invalidate());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(quality.shadowPixels, quality.shadowPixels);
    this.sun.shadow.radius = 4;
    this.sky.position.set(0, 0, 1);
    this.scene.add(this.sky, this.sun, this.sun.target, this.spring.group);
    this.paint("light");
    canvas.addEventListener("webglcontextrestored", () => this.invalidate());
  }

  /** Puts one or two scenes on the stage. */
  setScenes(scenes: readonly Scene[]): void {
    for (const actor of this.actors.splice(0)) actor.dispose();
    this.ground?.dispose();
    this.ground = null;
    for (const scene of scenes) {
      const actor = new Actor(scene);
      this.actors.push(actor);
      this.scene.add(actor.group);
    }
    if (scenes[0]) {
      this.ground = new Ground(scenes[0]);
      this.scene.add(this.ground.group);
    }
    this.setCompare(this.compare);
    this.paint(this.theme);
  }

  setCompare(mode: CompareMode): void {
    this.compare = mode;
    this.actors[1]?.setGhost(mode === "ghost");
    this.invalidate();
  }

  show(actor: number, frame: Frame): void {
    this.actors[actor]?.show(frame, this.forceZoom);
    this.invalidate();
  }

  setOverlay(id: string, on: boolean): void {
    for (const actor of this.actors) actor.setOverlay(id, on, this.forceZoom);
    this.invalidate();
  }

  mark(link: number, actorNumber: number): void {
    this.actors.forEach((actor, i) => actor.mark(i === actorNumber ? link : -1));
    this.invalidate();
  }

  paint(theme: "light" | "dark"): void {
    this.theme = theme;
    const colours = STAGE_COLOURS[theme];
    this.sky.color.set(colours.sky);
    this.sky.groundColor.set(colours.earth);
    this.sky.intensity = colours.skyStrength;
    this.sun.intensity = colours.sunStrength;
    this.sun.shadow.intensity = colours.shadow;
    this.ground?.paint(colours);
    this.invalidate();
  }

  private spheres(): THREE.Sphere[] {
    return this.actors.flatMap((actor) => actor.spheres());
  }

  /** Everything into view, with the ground below it. */
  fit(): void {
    const spheres = this.spheres();
    this.rig.fit(spheres.concat(this.ground?.below(spheres) ?? []), this.viewAspect());
    this.invalidate();
  }

  /** The spring of a drag as an arrow from the body to the hand, or none. */
  setSpring(from: Vec3 | null, to: Vec3 | null): void {
    this.spring.begin();
    if (from && to) this.spring.add(from, difference(to, from), SPRING_WIDTH * this.rig.distance, SPRING);
    this.spring.end();
    this.invalidate();
  }

  get gridSpacing(): number {
    return this.ground?.spacing ?? 1;
  }

  /** What lies under a point of the canvas (pixels of the page). */
  pick(x: number, y: number): Hit | null {
    const { ray, view } = this.rayAt(x, y);
    let best: (Hit & { distance: number }) | null = null;
    this.actors.forEach((actor, number) => {
      if (this.sideBySide() && number !== view) return;
      const hit = actor.pick(ray);
      if (!hit || (best && hit.distance >= best.distance)) return;
      best = { actor: number, link: hit.link, point: hit.point.toArray() as Vec3, distance: hit.distance };
    });
    return best;
  }

  /** The point on a plane through `through`, across the view, that lies under a point of the canvas. */
  onViewPlane(x: number, y: number, through: Vec3): Vec3 {
    const { ray } = this.rayAt(x, y);
    const normal = this.rig.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...through));
    const hit = ray.ray.intersectPlane(plane, new THREE.Vector3());
    return (hit?.toArray() as Vec3 | undefined) ?? through;
  }

  /** Where a point of the world is on the page, in pixels; in the view of the first actor. */
  toPage(point: Vec3): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const width = this.sideBySide() ? box.width / 2 : box.width;
    this.useAspect(width / box.height);
    const p = new THREE.Vector3(...point).project(this.rig.camera);
    return [box.left + ((p.x + 1) / 2) * width, box.top + ((1 - p.y) / 2) * box.height];
  }

  invalidate(): void {
    this.old = true;
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(this.quality.mostPixelRatio, window.devicePixelRatio));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.invalidate();
  }

  /** Draws if something has changed; true if it did. */
  draw(): boolean {
    if (!this.old || this.canvas.clientWidth === 0) return false;
    this.old = false;
    this.placeLight();
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.ground?.place(this.fitted.radius, this.rig.target);
    if (this.ground) this.ground.group.visible = this.gridShown;
    if (this.sideBySide()) {
      const half = Math.floor(width / 2);
      this.actors.forEach((actor, i) => {
        this.actors.forEach((other) => (other.group.visible = other === actor));
        this.drawView(i * half, half, height);
      });
      this.actors.forEach((actor) => (actor.group.visible = true));
    } else {
      this.drawView(0, width, height);
    }
    this.drawn++;
    return true;
  }

  sideBySide(): boolean {
    return this.actors.length === 2 && this.compare === "side";
  }

  private viewAspect(): number {
    const { clientWidth, clientHeight } = this.canvas;
    return (this.sideBySide() ? clientWidth / 2 : clientWidth) / Math.max(1, clientHeight);
  }

  private useAspect(aspect: number): void {
    const { camera } = this.rig;
    if (Math.abs(camera.aspect - aspect) < 1e-6) return;
    camera.aspect = aspect;
    camera.updateProjectionMatrix();
  }

  private drawView(x: number, width: number, height: number): void {
    this.useAspect(width / height);
    this.renderer.setViewport(x, 0, width, height);
    this.renderer.setScissor(x, 0, width, height);
    this.renderer.render(this.scene, this.rig.camera);
  }

  private rayAt(x: number, y: number): { ray: THREE.Raycaster; view: number } {
    const box = this.canvas.getBoundingClientRect();
    const width = this.sideBySide() ? box.width / 2 : box.width;
    const view = Math.min(this.sideBySide() ? 1 : 0, Math.floor((x - box.left) / width));
    const point = new THREE.Vector2(((x - box.left - view * width) / width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.useAspect(width / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(point, this.rig.camera);
    return { ray, view };
  }

  /** The shadow's square follows the bodies; it is fitted anew only when they have left it, so that it does not flicker. */
  private placeLight(): void {
    const bounds = sphereRound(this.spheres());
    bounds.radius = Math.min(bounds.radius, 3 * this.rig.distance);
    const inside = this.fitted.center.distanceTo(bounds.center) + bounds.radius <= 1.02 * this.fitted.radius;
    if (!inside || bounds.radius < 0.4 * this.fitted.radius) this.fitted.set(bounds.center, 1.25 * bounds.radius);
    const { center, radius } = this.fitted;
    const { camera } = this.sun.shadow;
    this.sun.position.copy(center).addScaledVector(SUN, 4 * radius);
    this.sun.target.position.copy(center);
    this.sun.target.updateMatrixWorld();
    const reach = 1.9 * radius; // shadows fall beside their bodies
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.5 * radius;
    camera.far = 9 * radius;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = (1.5 * 2 * reach) / this.quality.shadowPixels;
    this.sun.shadow.bias = -0.0004;
  }
}
