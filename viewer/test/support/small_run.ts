/*
 * A small made-up run, as messages: a ball that falls on the ground and bounces, and an arm with one joint.
 *
 *   ball: height z(t) = |cos(w t)| scaled to [0.1, 1.1], x drifts by 0.2 m/s;  arm: angle sin(2 t), target sin(2 t + 0.2)
 */
import { stamp, writeRos } from "./ros_writer";

export interface RunMessage {
  topic: string;
  time: number;
  data: Uint8Array;
}

export interface RunShape {
  frames: number;
  rate: number; // frames a second
  offset?: number; // moves the ball along y
  extraBodies?: number;
  name?: string;
}

export const BALL = 'ball "one" <b>&amp;</b>';
export const ARM_JOINT = "arm joint";

export function ballPose(time: number, offset = 0): { p: [number, number, number]; q: [number, number, number, number] } {
  const angle = 0.8 * time;
  return {
    p: [0.2 * time, offset, 0.1 + Math.abs(Math.cos(2.5 * time))],
    q: [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0],
  };
}

function extraNames(shape: RunShape): string[] {
  return Array.from({ length: shape.extraBodies ?? 0 }, (_, i) => `box${i}`);
}

export function sceneJson(shape: RunShape): object {
  const still = { p: [0, 0, 0], q: [1, 0, 0, 0] };
  const body = (name: string, extra: object): object => ({
    name,
    group: "g",
    mass: 1,
    com: [0, 0, 0],
    inertia: [0.004, 0.004, 0.004, 0, 0, 0],
    moving: true,
    pose: still,
    ...extra,
  });
  const sphere = { kind: "sphere", radius: 0.1, pose: still, colour: null };
  const bar = { kind: "box", size: [0.4, 0.05, 0.05], pose: { p: [0.2, 0, 0], q: [1, 0, 0, 0] }, colour: [0.8, 0.5, 0.2, 1] };
  const cube = { kind: "box", size: [0.1, 0.1, 0.1], pose: still, colour: null };
  return {
    version: 1,
    rigor_version: "0",
    name: shape.name ?? "small run",
    gravity: [0, 0, -9.81],
    coords: "minimal",
    stepper: "semi-implicit",
    solver: "quick",
    dt: 0.001,
    world: { visual: [], collision: [{ kind: "halfspace", pose: still, colour: null }] },
    links: [
      body(BALL, { visual: [sphere], collision: [sphere] }),
      body("arm", { visual: [bar], collision: [bar] }),
      ...extraNames(shape).map((name) => body(name, { visual: [cube], collision: [cube] })),
    ],
    joints: [
      {
        name: ARM_JOINT,
        kind: "revolute",
        parent: -1,
        child: 1,
        origin: { p: [-0.5, 0, 0.5], q: [1, 0, 0, 0] },
        axis: [0, 1, 0],
        q_index: 0,
        v_index: 0,
        nq: 1,
        nv: 1,
        lower: [-2],
        upper: [2],
        effort: [5],
        velocity: [null],
      },
    ],
    v_names: [ARM_JOINT],
    meshes: [],
    options: { steppers: ["semi-implicit", "rk4"], solvers: ["quick", "pgs"] },
  };
}

function transform(time: number, name: string, p: number[], q: number[]): object {
  return {
    header: { stamp: stamp(time), frame_id: "world" },
    child_frame_id: name,
    transform: { translation: { x: p[0], y: p[1], z: p[2] }, rotation: { x: q[1], y: q[2], z: q[3], w: q[0] } },
  };
}

function tfMessage(time: number, shape: RunShape): Uint8Array {
  const { p, q } = ballPose(time, shape.offset);
  const angle = Math.sin(2 * time);
  const arm = transform(time, "arm", [-0.5, 0, 0.5], [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0]);
  const extra = extraNames(shape).map((name, i) => {
    const [row, column] = [Math.floor(i / 32), i % 32];
    return transform(time, name, [0.15 * column - 2, 0.15 * row + 0.5, 0.05 + 0.02 * Math.sin(3 * time + i)], [1, 0, 0, 0]);
  });
  return writeRos("tf2_msgs/msg/TFMessage", { transforms: [transform(time, BALL, p, q), arm, ...extra] });
}

function jointMessage(time: number, phase: number): Uint8Array {
  const header = { stamp: stamp(time), frame_id: "" };
  const angle = 2 * time + phase;
  return writeRos("sensor_msgs/msg/JointState", {
    header,
    name: [ARM_JOINT],
    position: [Math.sin(angle)],
    velocity: [2 * Math.cos(angle)],
    effort: [3 * Math.cos(angle)],
  });
}

function contactMessage(time: number, shape: RunShape): Uint8Array {
  const { p } = ballPose(time, shape.offset);
  const touches = p[2] < 0.15;
  const point = touches ? [p[0], p[1], 0] : [];
  return writeRos("rigor_msgs/msg/Contacts", {
    stamp: stamp(time),
    link_a: touches ? [0xffffffff] : [],
    link_b: touches ? [0] : [],
    point,
    normal: touches ? [0, 0, 1] : [],
    force: touches ? [2, 0, 9.81] : [],
    gap: touches ? [0.0001] : [],
    slip: touches ? [0.01] : [],
    mu: touches ? [0.7] : [],
    state: touches ? [1] : [],
  });
}

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

export function stepJson(time: number): Record<string, unknown> {
  const kinetic = 1 + Math.sin(time);
  return {
    t: time,
    dt: 0.001,
    kinetic,
    potential: 3 - kinetic,
    energy: 3 + 1e-9 * time,
    residual: 1e-6 * (1.5 + Math.sin(5 * time)),
    least_distance: Math.abs(Math.cos(2.5 * time)),
    aids: { erp: { step: 0, total: 0.01 * time } },
    sweeps: 20,
    contacts: 1,
  };
}

/** Messages of one frame. */
export function frameMessages(frame: number, shape: RunShape): RunMessage[] {
  const time = Math.round((frame / shape.rate) * 1e9) / 1e9;
  const messages: RunMessage[] = [
    { topic: "/tf", time, data: tfMessage(time, shape) },
    { topic: "/joint_states", time, data: jointMessage(time, 0) },
    { topic: "/rigor/joint_targets", time, data: jointMessage(time, 0.2) },
    { topic: "/rigor/contacts", time, data: contactMessage(time, shape) },
    { topic: "/rigor/step", time, data: json(stepJson(time)) },
  ];
  if (frame % 20 === 10) {
    const kind = frame % 40 === 10 ? "touch" : "impact";
    messages.push({ topic: "/rigor/events", time, data: json({ t: time, kind, a: BALL, b: "world", value: 1.5 }) });
  }
  return messages;
}

/** The whole run. */
export function* runMessages(shape: RunShape): Generator<RunMessage> {
  yield { topic: "/robot_description", time: 0, data: writeRos("std_msgs/msg/String", { data: "<robot/>" }) };
  yield { topic: "/rigor/scene", time: 0, data: json(sceneJson(shape)) };
  for (let frame = 0; frame < shape.frames; frame++) yield* frameMessages(frame, shape);
}

export const CHANNELS: { topic: string; encoding: string; schemaName: string; schemaEncoding: string }[] = [
  { topic: "/robot_description", encoding: "cdr", schemaName: "std_msgs/msg/String", schemaEncoding: "ros2msg" },
  { topic: "/rigor/scene", encoding: "json", schemaName: "rigor.Scene", schemaEncoding: "jsonschema" },
  { topic: "/tf", encoding: "cdr", schemaName: "tf2_msgs/msg/TFMessage", schemaEncoding: "ros2msg" },
  { topic: "/joint_states", encoding: "cdr", schemaName: "sensor_msgs/msg/JointState", schemaEncoding: "ros2msg" },
  { topic: "/rigor/joint_targets", encoding: "cdr", schemaName: "sensor_msgs/msg/JointState", schemaEncoding: "ros2msg" },
  { topic: "/rigor/contacts", encoding: "cdr", schemaName: "rigor_msgs/msg/Contacts", schemaEncoding: "ros2msg" },
  { topic: "/rigor/step", encoding: "json", schemaName: "rigor.Step", schemaEncoding: "jsonschema" },
  { topic: "/rigor/events", encoding: "json", schemaName: "rigor.Event", schemaEncoding: "jsonschema" },
];
