/*
 * The mouse in the 3D view: names on hover, a click selects, and in a live run dragging a body pulls it by a spring.
 *
 * A press that moves less than a few pixels is a click. With shift held the camera gets the drag, also on a body.
 */
import type { Vec3 } from "../data/pose";
import type { Hit, Stage } from "../stage/stage";

const STILL = 4; // px
const HOVER_EVERY = 60; // ms

export interface PointerListener {
  hover(hit: Hit | null, x: number, y: number): void;
  select(hit: Hit | null): void;
  /** May this hit be pulled? Called on press. */
  grab(hit: Hit): boolean;
  pull(target: Vec3): void;
  release(): void;
}

export function listenToPointer(stage: Stage, listener: PointerListener): void {
  const { canvas } = stage;
  let pressed: { x: number; y: number; hit: Hit | null; pulls: boolean } | null = null;
  let lastHover = 0;

  canvas.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      const hit = stage.pick(event.clientX, event.clientY);
      const pulls = hit !== null && !event.shiftKey && listener.grab(hit);
      pressed = { x: event.clientX, y: event.clientY, hit, pulls };
      if (!pulls) return;
      stage.rig.enabled = false;
      canvas.setPointerCapture(event.pointerId);
    },
    { capture: true },
  );
  canvas.addEventListener("pointermove", (event) => {
    if (pressed?.pulls && pressed.hit) {
      listener.pull(stage.onViewPlane(event.clientX, event.clientY, pressed.hit.point));
      return;
    }
    if (event.buttons !== 0 || event.timeStamp - lastHover < HOVER_EVERY) return;
    lastHover = event.timeStamp;
    listener.hover(stage.pick(event.clientX, event.clientY), event.clientX, event.clientY);
  });
  const end = (event: PointerEvent): void => {
    if (!pressed || event.button !== 0) return;
    const { x, y, hit, pulls } = pressed;
    pressed = null;
    if (pulls) {
      stage.rig.enabled = true;
      listener.release();
    }
    if (event.type === "pointerup" && Math.hypot(event.clientX - x, event.clientY - y) < STILL) listener.select(hit);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => listener.hover(null, 0, 0));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
}
