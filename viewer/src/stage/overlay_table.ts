/* The list of overlays. A new one: a file overlay_x.ts with its class, and an entry here. */
import type { OverlayKind } from "./overlay";
import { AxisOverlay } from "./overlay_axes";
import { CollisionOverlay } from "./overlay_collision";
import { ForceOverlay } from "./overlay_forces";
import { InertiaOverlay } from "./overlay_inertia";
import { MassOverlay } from "./overlay_masses";
import { PlaneOverlay } from "./overlay_planes";
import { PointOverlay } from "./overlay_points";

export const OVERLAYS: readonly OverlayKind[] = [
  {
    id: "points",
    key: "1",
    label: "Contact points",
    hint: "green sticks, red slips, grey is open",
    make: () => new PointOverlay(),
  },
  {
    id: "forces",
    key: "2",
    label: "Forces and cones",
    hint: "contact forces in their friction cones; + and - change the scale",
    make: (scene) => new ForceOverlay(scene),
  },
  {
    id: "masses",
    key: "3",
    label: "Centres of mass",
    hint: "yellow: each link; red: all together",
    make: (scene) => new MassOverlay(scene),
  },
  {
    id: "axes",
    key: "4",
    label: "Joint axes",
    hint: "an arrow along each joint's axis",
    make: (scene) => new AxisOverlay(scene),
  },
  {
    id: "inertia",
    key: "5",
    label: "Inertia boxes",
    hint: "the solid box that has the link's mass and inertia",
    make: (scene) => new InertiaOverlay(scene),
  },
  {
    id: "collision",
    key: "6",
    label: "Collision shapes",
    hint: "what contacts are computed with",
    make: (scene) => new CollisionOverlay(scene),
  },
  {
    id: "planes",
    key: "7",
    label: "Separating planes",
    hint: "at contacts, and (blue) between bodies that are near",
    make: (scene) => new PlaneOverlay(scene),
  },
];
