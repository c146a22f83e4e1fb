/*
 * The card of the body that is selected: mass, pose, velocity, the nearest body that it does not touch, contacts.
 *
 * The velocity is the change of pose between the frames before and behind: (x[k+1] - x[k-1]) / (t[k+1] - t[k-1]).
 */
import type { Contacts } from "../format/cdr";
import { poseAt, velocityBetween, type Vec3 } from "../data/pose";
import type { Frame } from "../data/frame";
import { NearPairs } from "../data/near_pairs";
import { linkOf, type Scene } from "../data/scene";
import type { Source } from "../data/source";
import { el, short, vector } from "./dom";

const STATE_NAMES = ["open", "sticks", "slips"];
const MOST_CONTACTS = 6;
const BY_FRAMES = "By the poses in the frames before and behind this one: the mean over that time";
const BY_PLANE = "The nearest body that it does not touch; a plane between them proves the gap";

export interface BodyContact {
  other: string;
  state: string;
  force: number;
  slip: number;
  gap: number;
}

/** Contacts of a link in a frame. */
export function contactsOf(scene: Scene, contacts: Contacts | null, link: number): BodyContact[] {
  const found: BodyContact[] = [];
  for (let i = 0; contacts && i < contacts.count; i++) {
    const [a, b] = [linkOf(scene, contacts.linkA[i]!), linkOf(scene, contacts.linkB[i]!)];
    if (a !== link && b !== link) continue;
    found.push({
      other: scene.links[a === link ? b : a]!.name,
      state: STATE_NAMES[contacts.state[i]!] ?? "unknown",
      force: Math.hypot(contacts.force[3 * i]!, contacts.force[3 * i + 1]!, contacts.force[3 * i + 2]!),
      slip: contacts.slip[i]!,
      gap: contacts.gap[i]!,
    });
  }
  return found.sort((x, y) => y.force - x.force);
}

/** Velocity of a link at a frame, from its neighbours. */
export function velocityOf(source: Source, frame: number, link: number): { linear: Vec3; angular: Vec3 } {
  const before = Math.max(0, frame - 1);
  const behind = Math.min(source.frameCount - 1, frame + 1);
  const dt = source.timeOf(behind) - source.timeOf(before);
  return velocityBetween(poseAt(source.frame(before).poses, link), poseAt(source.frame(behind).poses, link), dt);
}

function row(name: string, value: string, unit = "", hint = ""): HTMLElement {
  return el(
    "tr",
    hint ? { title: hint } : {},
    el("th", { scope: "row" }, name),
    el("td", {}, value, unit ? el("small", {}, ` ${unit}`) : null),
  );
}

export class BodyCard {
  readonly element: HTMLElement;
  private readonly title = el("strong");
  private readonly content = el("div");
  private near: { scene: Scene; pairs: NearPairs } | null = null;

  constructor(close: () => void, follow: () => void) {
    this.element = el(
      "aside",
      { class: "card body-card", hidden: true, "aria-label": "Selected body" },
      el(
        "header",
        {},
        this.title,
        el("button", { class: "small", title: "Follow this body (F)", onclick: follow }, "Follow"),
        el("button", { class: "small", title: "Close (Esc)", "aria-label": "Close", onclick: close }, "×"),
      ),
      this.content,
    );
  }

  hide(): void {
    this.element.hidden = true;
  }

  show(source: Source, frameNumber: number, link: number): void {
    const frame = source.frame(frameNumber);
    const body = source.scene.links[link]!;
    const pose = poseAt(frame.poses, link);
    this.element.hidden = false;
    this.title.textContent = body.name;
    const rows = [
      row("mass", body.mass > 0 ? short(body.mass) : "–", "kg"),
      row("position", vector(pose.p), "m"),
      row("w x y z", vector(pose.q)),
    ];
    if (body.moving) {
      const { linear, angular } = velocityOf(source, frameNumber, link);
      rows.push(row("velocity", vector(linear), "m/s", BY_FRAMES), row("turning", vector(angular), "rad/s", BY_FRAMES));
    } else {
      rows.push(row("moves", "no"));
    }
    const nearest = this.nearestRow(source.scene, frame, link);
    if (nearest) rows.push(nearest);
    this.content.replaceChildren(el("table", {}, ...rows), this.contactTable(contactsOf(source.scene, frame.contacts, link)));
  }

  private nearestRow(scene: Scene, frame: Frame, link: number): HTMLElement | null {
    if (this.near?.scene !== scene) this.near = { scene, pairs: new NearPairs(scene) };
    const pair = this.near.pairs.nearestTo(link, frame.poses, frame.contacts);
    if (!pair) return null;
    const name = scene.links[pair.a === link ? pair.b : pair.a]!.name;
    return row("nearest", `${name}, ${short(pair.width, 3)}`, "m", BY_PLANE);
  }

  private contactTable(contacts: BodyContact[]): HTMLElement {
    if (contacts.length === 0) return el("p", { class: "quiet" }, "No contact.");
    const head = el("tr", {}, ...["contact with", "", "N", "slip m/s", "gap m"].map((text) => el("th", {}, text)));
    const lines = contacts
      .slice(0, MOST_CONTACTS)
      .map((c) =>
        el(
          "tr",
          {},
          el("td", { class: "name", title: c.other }, c.other),
          el("td", { class: c.state }, c.state),
          el("td", {}, short(c.force, 3)),
          el("td", {}, short(c.slip, 2)),
          el("td", {}, short(c.gap, 2)),
        ),
      );
    const more = contacts.length - lines.length;
    const table = el("table", { class: "contacts" }, head, ...lines);
    return el("div", {}, table, more > 0 ? el("p", { class: "quiet" }, `and ${more} more`) : null);
  }
}
