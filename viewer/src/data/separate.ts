/*
 * A plane between two convex bodies A and B, with its proof.
 *
 * With s_A(n), s_B(n) their farthest points in direction n, the plane across n separates them by the width
 *
 *   w(n) = n . s_B(-n) - n . s_A(n),
 *
 * and only if that is above zero: all of A lies behind the one point, all of B before the other. The largest w is the distance.
 * It is looked for by the point v of B - A that is nearest to the origin (n = v / |v|), which is a mean of farthest points; each
 * round moves weight from the point that lies farthest along n to the new one, as much as brings v nearest (pairwise
 * conditional gradients; S. Lacoste-Julien, M. Jaggi, On the global linear convergence of Frank-Wolfe optimization
 * variants, 2015). Skins are left out of the search and then taken off the width. It ends when w is |v| but for TOLERANCE, or after ROUNDS with the best plane so far. None found: null.
 */
import type { Vec3 } from "./pose";
import { difference, dot, lengthOf, scaled, sum } from "./vec3";

/** A body in the world: farthest points of its core, and the skin round that. */
export interface Body {
  support(n: Vec3): Vec3;
  skin: number;
}

export interface Separation {
  normal: Vec3; // unit, from A to B
  middle: Vec3; // a point of the plane halfway, between the places that are nearest to each other
  width: number; // m; the bodies are at least so far apart
}

const ROUNDS = 80;
const TOLERANCE = 1e-4;

/** A point of A, one of B, their difference, and how much of v it is. */
interface Atom {
  a: Vec3;
  b: Vec3;
  d: Vec3;
  weight: number;
}

function mean(atoms: readonly Atom[], of: "a" | "b" | "d"): Vec3 {
  return atoms.reduce<Vec3>((all, atom) => sum(all, scaled(atom[of], atom.weight)), [0, 0, 0]);
}

/** Moves weight from one atom to another; those without any are left out. */
function shift(atoms: Atom[], from: Atom, to: Atom, v: Vec3): Atom[] {
  const way = difference(to.d, from.d);
  const share = Math.min(from.weight, Math.max(0, -dot(v, way) / (dot(way, way) || 1)));
  from.weight -= share;
  const same = atoms.find((atom) => lengthOf(difference(atom.d, to.d)) === 0);
  if (same) same.weight += share;
  else atoms.push({ ...to, weight: share });
  return atoms.filter((atom) => atom.weight > 0);
}

/** `towards`: about the direction from A to B. */
export function separate(a: Body, b: Body, towards: Vec3): Separation | null {
  const reach = (n: Vec3): Atom => {
    const [pa, pb] = [a.support(n), b.support(scaled(n, -1))];
    return { a: pa, b: pb, d: difference(pb, pa), weight: 1 };
  };
  let atoms = [reach(towards)];
  let best: Separation | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const v = mean(atoms, "d");
    const distance = lengthOf(v);
    if (!(distance > 1e-12)) break;
    const normal = scaled(v, 1 / distance);
    const next = reach(normal);
    const core = dot(normal, next.d);
    const width = core - a.skin - b.skin;
    if (width > (best?.width ?? 0)) {
      const level = 0.5 * (dot(normal, next.a) + a.skin + dot(normal, next.b) - b.skin);
      best = { normal, width, middle: halfway(atoms, level, normal) };
    }
    if (distance - core <= TOLERANCE * distance) break;
    const farthest = atoms.reduce((x, y) => (dot(normal, y.d) > dot(normal, x.d) ? y : x));
    atoms = shift(atoms, farthest, next, v);
  }
  return best;
}

/** The point between the nearest places of both cores, moved along the normal to the plane. */
function halfway(atoms: readonly Atom[], level: number, normal: Vec3): Vec3 {
  const between = scaled(sum(mean(atoms, "a"), mean(atoms, "b")), 0.5);
  return sum(between, scaled(normal, level - dot(normal, between)));
}
