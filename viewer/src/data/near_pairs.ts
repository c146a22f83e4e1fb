/*
 * Bodies that come near each other without touching: a plane between every two of them, proven by separate.ts.
 *
 * Looked at are collision shapes of two links, one of which moves at least, that share no contact and are more than two joints apart. Balls
 * round the shapes, sorted along x, tell which pairs come within a reach (sort and sweep); of these the ones whose balls are
 * nearest are tried, and of every two links the nearest shapes count. Where no two are within the reach it is doubled, so that
 * the nearest of all are found.
 */
import type { Contacts } from "../format/cdr";
import { compose, poseAt, toWorld, turn, turnBack, type Pose, type Vec3 } from "./pose";
import { linkOf, type Scene } from "./scene";
import { separate, type Body, type Separation } from "./separate";
import { convexOf, type Convex } from "./support";
import { difference, dot, lengthOf, scaled, sum } from "./vec3";

export interface NearPair extends Separation {
  a: number; // links
  b: number;
}

const MOST_TRIED = 400;
const MOST_FOUND = 64;
const DOUBLINGS = 5;

/** A shape where it is in a frame; a half-space has no body and an endless ball. */
interface Placed {
  link: number;
  pose: Pose;
  body: Convex | null;
  middle: Vec3;
  radius: number;
}

interface Candidate {
  a: Placed;
  b: Placed;
  least: number; // the balls are so far apart
}

function bodyOf({ body, pose }: Placed): Body {
  return { support: (n) => toWorld(pose, body!.support(turnBack(pose.q, n))), skin: body!.skin };
}

/** Half-space A (its z points out of it) and body B: the lowest point of B counts. */
function aboveGround(ground: Placed, shape: Placed): Separation | null {
  const normal = turn(ground.pose.q, [0, 0, 1]);
  const { support, skin } = bodyOf(shape);
  const lowest = sum(support(scaled(normal, -1)), scaled(normal, -skin));
  const width = dot(normal, difference(lowest, ground.pose.p));
  return width > 0 ? { normal, width, middle: sum(lowest, scaled(normal, -width / 2)) } : null;
}

function separated({ a, b }: Candidate): Separation | null {
  if (!a.body) return aboveGround(a, b);
  return separate(bodyOf(a), bodyOf(b), difference(b.middle, a.middle));
}

function apart(a: Placed, b: Placed): number {
  if (!a.body) return dot(turn(a.pose.q, [0, 0, 1]), difference(b.middle, a.pose.p)) - b.radius;
  return lengthOf(difference(b.middle, a.middle)) - a.radius - b.radius;
}

export class NearPairs {
  private readonly shapes: { link: number; local: Pose; body: Convex | null }[] = [];
  private readonly joined = new Set<number>();

  constructor(private readonly scene: Scene) {
    scene.links.forEach((link, i) => {
      for (const shape of link.collision) {
        const body = convexOf(shape, scene.meshes);
        if (body || shape.kind === "halfspace") this.shapes.push({ link: i, local: shape.pose, body });
      }
    });
    this.join();
  }

  /** The pairs within a reach, or else the nearest; the nearest first. */
  find(poses: Float64Array, contacts: Contacts | null, reach: number): NearPair[] {
    const left = this.touching(contacts);
    const placed = this.place(poses);
    let within = reach;
    for (let i = 0; i <= DOUBLINGS; i++, within *= 2) {
      const found = this.nearest(this.candidates(placed, left, within), within);
      if (found.length > 0) return i === 0 ? found : found.slice(0, 1);
    }
    return [];
  }

  /** The body that is nearest to a link without touching it. */
  nearestTo(link: number, poses: Float64Array, contacts: Contacts | null): NearPair | null {
    const left = this.touching(contacts);
    const placed = this.place(poses);
    const pairs: Candidate[] = [];
    for (const own of placed.filter((shape) => shape.link === link)) {
      for (const other of placed) this.consider(own, other, left, Infinity, pairs);
    }
    pairs.sort((x, y) => x.least - y.least);
    let best: NearPair | null = null;
    for (const pair of pairs) {
      if (best && best.width <= pair.least) break;
      const plane = separated(pair);
      if (plane && plane.width < (best?.width ?? Infinity)) best = { ...plane, a: pair.a.link, b: pair.b.link };
    }
    return best;
  }

  /** Pairs of moving links that one joint connects, or two with a link between them; and a link with what it is mounted on. */
  private join(): void {
    const { links, joints } = this.scene;
    const others = links.map((): number[] => []);
    for (const joint of joints) {
      const [parent, child] = [joint.parent < 0 ? links.length - 1 : joint.parent, joint.child];
      others[parent]!.push(child);
      others[child]?.push(parent);
      this.joined.add(this.key(parent, child));
    }
    others.forEach((near, i) => {
      if (!links[i]!.moving) return;
      for (const a of near) for (const b of near) if (links[a]!.moving && links[b]!.moving) this.joined.add(this.key(a, b));
    });
  }

  private key(a: number, b: number): number {
    return Math.min(a, b) * this.scene.links.length + Math.max(a, b);
  }

  /** Pairs of links that joints or contacts connect. */
  private touching(contacts: Contacts | null): Set<number> {
    const left = new Set(this.joined);
    for (let i = 0; contacts && i < contacts.count; i++) {
      left.add(this.key(linkOf(this.scene, contacts.linkA[i]!), linkOf(this.scene, contacts.linkB[i]!)));
    }
    return left;
  }

  private place(poses: Float64Array): Placed[] {
    return this.shapes.map(({ link, local, body }) => {
      const pose = compose(poseAt(poses, link), local);
      return { link, pose, body, middle: body ? toWorld(pose, body.middle) : pose.p, radius: body?.radius ?? Infinity };
    });
  }

  /** Takes a pair up if it may be within the reach; half-spaces come first in it. */
  private consider(x: Placed, y: Placed, left: Set<number>, reach: number, out: Candidate[]): void {
    const { links } = this.scene;
    if (x.link === y.link || !(links[x.link]!.moving || links[y.link]!.moving)) return;
    const [a, b] = y.body ? [x, y] : [y, x];
    if (!b.body || left.has(this.key(a.link, b.link))) return;
    const least = apart(a, b);
    if (least < reach) out.push({ a, b, least });
  }

  private candidates(placed: readonly Placed[], left: Set<number>, reach: number): Candidate[] {
    const pairs: Candidate[] = [];
    const bodies = placed.filter((shape) => shape.body && Number.isFinite(shape.middle[0]));
    bodies.sort((x, y) => x.middle[0] - x.radius - (y.middle[0] - y.radius));
    bodies.forEach((shape, i) => {
      const end = shape.middle[0] + shape.radius + reach;
      for (let k = i + 1; k < bodies.length; k++) {
        const other = bodies[k]!;
        if (other.middle[0] - other.radius > end) break;
        this.consider(shape, other, left, reach, pairs);
      }
    });
    for (const ground of placed.filter((shape) => !shape.body)) {
      for (const shape of bodies) this.consider(ground, shape, left, reach, pairs);
    }
    return pairs;
  }

  /** Of every two links the shapes that are nearest. No pair is nearer than its balls are. */
  private nearest(pairs: Candidate[], reach: number): NearPair[] {
    const found = new Map<number, NearPair>();
    pairs.sort((x, y) => x.least - y.least);
    for (const pair of pairs.slice(0, MOST_TRIED)) {
      const key = this.key(pair.a.link, pair.b.link);
      const known = found.get(key);
      if (known && known.width <= pair.least) continue;
      const plane = separated(pair);
      if (!plane || plane.width >= (known?.width ?? reach)) continue;
      found.set(key, { ...plane, a: pair.a.link, b: pair.b.link });
    }
    return [...found.values()].sort((x, y) => x.width - y.width).slice(0, MOST_FOUND);
  }
}
