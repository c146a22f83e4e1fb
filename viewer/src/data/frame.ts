/*
 * One moment of a run, put together from the messages that carry its time. Files and the live stream share this code.
 */
import { decodeText } from "../format/bytes";
import { JointReader, TransformReader, decodeContacts, type Contacts, type JointRows } from "../format/cdr";
import { isMap, parseJson, type Json, type JsonMap } from "./json_value";
import { putPose } from "./pose";
import type { Scene } from "./scene";
import type { Series } from "./series";

export const TOPIC = {
  scene: "/rigor/scene",
  tf: "/tf",
  tfStatic: "/tf_static",
  joints: "/joint_states",
  targets: "/rigor/joint_targets",
  contacts: "/rigor/contacts",
  step: "/rigor/step",
  events: "/rigor/events",
} as const;

/** Channels with a message in every frame; /tf counts the frames. */
export const FRAME_TOPICS: readonly string[] = [TOPIC.tf, TOPIC.joints, TOPIC.targets, TOPIC.contacts, TOPIC.step];

export interface Frame {
  time: number;
  poses: Float64Array; // 7 numbers a link
  contacts: Contacts | null;
  joints: JointRows | null;
  targets: JointRows | null;
  step: JsonMap | null;
}

/** Poses of all links as the scene gives them. */
export function scenePoses(scene: Scene): Float64Array {
  const poses = new Float64Array(7 * scene.links.length);
  scene.links.forEach((link, i) => putPose(poses, i, link.pose));
  return poses;
}

export function emptyFrame(time: number, poses: Float64Array): Frame {
  return { time, poses, contacts: null, joints: null, targets: null, step: null };
}

/** Names of all joint velocities, in the order of the scene's joints. */
export function jointRowNames(scene: Scene): string[] {
  return scene.joints.flatMap((joint) => joint.rows);
}

function finder(names: readonly string[]): (name: string) => number {
  const numbers = new Map(names.map((name, i) => [name, i]));
  return (name) => numbers.get(name) ?? -1;
}

/** Puts messages into frames. */
export class FrameDecoder {
  private readonly transforms: TransformReader;
  private readonly joints: JointReader;
  private readonly targets: JointReader;

  constructor(scene: Scene) {
    const links = scene.links.slice(0, -1).map((link) => link.name);
    this.transforms = new TransformReader(finder(links));
    const row = finder(jointRowNames(scene));
    this.joints = new JointReader(row);
    this.targets = new JointReader(row);
  }

  put(frame: Frame, topic: string, data: Uint8Array): void {
    if (topic === TOPIC.tf || topic === TOPIC.tfStatic) this.transforms.read(data, frame.poses);
    else if (topic === TOPIC.joints) frame.joints = this.joints.read(data);
    else if (topic === TOPIC.targets) frame.targets = this.targets.read(data);
    else if (topic === TOPIC.contacts) frame.contacts = decodeContacts(data);
    else if (topic === TOPIC.step) frame.step = readStep(data);
  }
}

function readStep(data: Uint8Array): JsonMap | null {
  const json = parseJson(decodeText(data), TOPIC.step);
  return isMap(json) ? json : null;
}

/**
 * Puts every number of nested objects into a series, by a name like "work.contact". The columns are found once for each
 * member, because the same members come with every frame.
 */
class NumberTree {
  private readonly members = new Map<string, NumberTree>();
  private column = -1;

  constructor(private readonly name: string) {}

  put(json: Json | undefined, series: Series): void {
    if (typeof json === "number") {
      if (this.column < 0) this.column = series.column(this.name);
      series.put(this.column, json);
    } else if (isMap(json)) {
      for (const key in json) this.member(key).put(json[key], series);
    }
  }

  private member(key: string): NumberTree {
    let found = this.members.get(key);
    if (!found) {
      found = new NumberTree(this.name ? `${this.name}.${key}` : key);
      this.members.set(key, found);
    }
    return found;
  }
}

/**
 * Frames to rows of a series: the numbers of /rigor/step by their names, "drift" = energy less the first energy (in
 * double precision, before it is rounded), and with the name of the joint "q:", "v:", "effort:", and where there are any the
 * targets "target q:", "target v:" and the limits of the motor "most:", "least:".
 */
export class SeriesWriter {
  private readonly names: string[];
  private readonly columns = new Map<string, Int32Array>();
  private readonly numbers = new NumberTree("");
  private firstEnergy = NaN;

  constructor(
    scene: Scene,
    readonly series: Series,
  ) {
    this.names = jointRowNames(scene);
  }

  add(frame: Frame): void {
    if (!this.series.begin(frame.time)) return;
    if (frame.step) this.addStep(frame.step);
    if (frame.joints) {
      this.addRows("q:", frame.joints.rows, frame.joints.position);
      this.addRows("v:", frame.joints.rows, frame.joints.velocity);
      this.addRows("effort:", frame.joints.rows, frame.joints.effort);
    }
    if (frame.targets) this.addTargets(frame.targets);
  }

  clear(): void {
    this.firstEnergy = NaN;
    this.series.clear();
  }

  private addStep(step: JsonMap): void {
    this.numbers.put(step, this.series);
    if (typeof step.energy !== "number") return;
    if (Number.isNaN(this.firstEnergy)) this.firstEnergy = step.energy;
    this.series.put(this.series.column("drift"), step.energy - this.firstEnergy);
  }

  private addTargets({ rows, position, velocity, effort }: JointRows): void {
    this.addRows("target q:", rows, position);
    this.addRows("target v:", rows, velocity);
    this.addRows("most:", rows, effort);
    this.addRows(
      "least:",
      rows,
      effort.map((x) => -x),
    );
  }

  private addRows(prefix: string, rows: Int32Array, values: Float64Array): void {
    let columns = this.columns.get(prefix);
    if (!columns) {
      columns = new Int32Array(this.names.length).fill(-1);
      this.columns.set(prefix, columns);
    }
    for (let i = 0; i < Math.min(rows.length, values.length); i++) {
      const row = rows[i]!;
      if (row < 0 || !Number.isFinite(values[i]!)) continue; // no target, or no limit
      if (columns[row]! < 0) columns[row] = this.series.column(prefix + this.names[row]!);
      this.series.put(columns[row]!, values[i]!);
    }
  }
}
