/* The list of overlays. A new one: a file overlay_x.ts that ends in its OverlayKind, and a line here. */
import type { OverlayKind } from "./overlay";
import { AXES } from "./overlay_axes";
import { COLLISION } from "./overlay_collision";
import { FORCES } from "./overlay_forces";
import { INERTIA } from "./overlay_inertia";
import { MASSES } from "./overlay_masses";
import { PLANES } from "./overlay_planes";
import { POINTS } from "./overlay_points";

export const OVERLAYS: readonly OverlayKind[] = [POINTS, FORCES, MASSES, AXES, INERTIA, COLLISION, PLANES];
