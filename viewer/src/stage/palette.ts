/*
 * Colours of the 3D view, light and dark, and which body gets which.
 *
 * Links of a robot that look alike (same shapes) share a colour, so that its legs match; free bodies take turns.
 */
import type { Link, Scene, Shape } from "../data/scene";

export interface StageColours {
  ground: number;
  minorLine: number;
  majorLine: number;
  sky: number;
  earth: number;
  skyStrength: number;
  sunStrength: number;
  shadow: number; // how dark, 0 to 1
}

export const STAGE_COLOURS: Record<"light" | "dark", StageColours> = {
  light: {
    ground: 0xf1f3f5,
    minorLine: 0xd3dae0,
    majorLine: 0xb3bec8,
    sky: 0xffffff,
    earth: 0xc9c2b8,
    skyStrength: 1.75,
    sunStrength: 2.1,
    shadow: 0.75,
  },
  dark: {
    ground: 0x44484e,
    minorLine: 0x585d65,
    majorLine: 0x757c86,
    sky: 0xf2f4f7,
    earth: 0x3b3a3a,
    skyStrength: 1.35,
    sunStrength: 2.2,
    shadow: 0.8,
  },
};

export const ACCENT = 0x2f7de1;
export const GHOST = 0xe8833a;

const MANY = 40; // free bodies from which on colours are paler
const PALER = 0.3;
const BODY_COLOURS = [0x5b8fc0, 0xe3a857, 0x79b296, 0xcf7a6f, 0x8f87bd, 0x64aab5, 0xb9a57a, 0xa3b163];
const STILL_COLOUR = 0xaab4bd;

/** Contact states: open, sticking, slipping. */
export const STATE_COLOURS = [0x8d99a6, 0x2fa36b, 0xe0583e];

function signature(shapes: readonly Shape[]): string {
  return shapes.map((s) => `${s.kind}:${s.size.map((x) => x.toPrecision(6)).join(",")}:${s.mesh}`).join("|");
}

/** A colour with some light grey in it. */
function mixed(colour: number, grey: number): number {
  const part = (shift: number): number => Math.round(((colour >> shift) & 255) * (1 - grey) + 0xc8 * grey) << shift;
  return part(16) | part(8) | part(0);
}

/** A colour a link, for shapes without one of their own. */
export function linkColours(scene: Scene): number[] {
  const jointed = new Set<number>();
  for (const joint of scene.joints) {
    if (joint.parent >= 0) jointed.add(joint.parent).add(joint.child);
  }
  const looks = new Map<string, number>();
  const paler = scene.links.filter((link, i) => link.moving && !jointed.has(i)).length >= MANY;
  let free = 0;
  return scene.links.map((link: Link, i) => {
    if (!link.moving && !jointed.has(i)) return STILL_COLOUR;
    if (!jointed.has(i)) return mixed(BODY_COLOURS[free++ % BODY_COLOURS.length]!, paler ? PALER : 0);
    const look = signature(link.visual.length > 0 ? link.visual : link.collision);
    if (!looks.has(look)) looks.set(look, looks.size);
    return BODY_COLOURS[looks.get(look)! % BODY_COLOURS.length]!;
  });
}
