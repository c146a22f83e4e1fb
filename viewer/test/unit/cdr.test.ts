/* CDR: what an independent writer of ROS 2 messages wrote is read back; damaged messages are refused. */
import { describe, expect, it } from "vitest";
import { JointReader, TransformReader, decodeContacts, decodeString } from "../../src/format/cdr";
import { stamp, writeRos } from "../support/ros_writer";

const NAMES = ["a", "link two", '"hand" <b>', "x".repeat(300), ""];

function transforms(names: string[]): Uint8Array {
  return writeRos("tf2_msgs/msg/TFMessage", {
    transforms: names.map((name, i) => ({
      header: { stamp: stamp(1.25), frame_id: "world" },
      child_frame_id: name,
      transform: { translation: { x: i, y: -i, z: 0.5 * i }, rotation: { x: 0.1 * i, y: 0.2, z: 0.3, w: 0.9 } },
    })),
  });
}

describe("cdr", () => {
  it("texts", () => {
    for (const text of ["", "a", "<robot name='a'/>", "y".repeat(10_000)]) {
      expect(decodeString(writeRos("std_msgs/msg/String", { data: text }))).toBe(text);
    }
  });

  it("transforms, in any order, of known names only", () => {
    const reader = new TransformReader((name) => NAMES.indexOf(name));
    for (const order of [NAMES, [...NAMES].reverse(), ["unknown", NAMES[2]!], []]) {
      const poses = new Float64Array(7 * NAMES.length).fill(-7);
      expect(reader.read(transforms(order), poses)).toBe(order.length);
      NAMES.forEach((name, link) => {
        const i = order.indexOf(name);
        const want = i < 0 ? Array(7).fill(-7) : [i, -i, 0.5 * i, 0.9, 0.1 * i, 0.2, 0.3];
        expect([...poses.subarray(7 * link, 7 * link + 7)]).toEqual(want);
      });
    }
  });

  it("joint states, with lists that may be empty", () => {
    const reader = new JointReader((name) => NAMES.indexOf(name));
    const message = writeRos("sensor_msgs/msg/JointState", {
      header: { stamp: stamp(3), frame_id: "abc" },
      name: ["link two", "nobody"],
      position: [1.5, 2.5],
      velocity: [],
      effort: [-1, 4],
    });
    const { rows, position, velocity, effort } = reader.read(message);
    expect([...rows]).toEqual([1, -1]);
    expect([...position]).toEqual([1.5, 2.5]);
    expect([...velocity]).toEqual([]);
    expect([...effort]).toEqual([-1, 4]);
  });

  it("contacts", () => {
    const lists = { point: [1, 2, 3, 4, 5, 6], normal: [0, 0, 1, 0, 1, 0], force: [7, 8, 9, 1, 1, 1] };
    const single = { gap: [0.1, -0.2], slip: [0, 2], mu: [0.5, 1] };
    const message = writeRos("rigor_msgs/msg/Contacts", {
      stamp: stamp(0.5),
      link_a: [0, 4294967295],
      link_b: [3, 2],
      ...lists,
      ...single,
      state: [1, 2],
    });
    const contacts = decodeContacts(message);
    expect(contacts.count).toBe(2);
    expect([...contacts.linkA]).toEqual([0, 4294967295]);
    expect([...contacts.linkB]).toEqual([3, 2]);
    for (const key of ["point", "normal", "force"] as const) expect([...contacts[key]]).toEqual(lists[key]);
    for (const key of ["gap", "slip", "mu"] as const) expect([...contacts[key]]).toEqual(single[key]);
    expect([...contacts.state]).toEqual([1, 2]);
  });

  it("contacts of unlike lengths are refused", () => {
    const none = {
      stamp: stamp(0),
      link_a: [1],
      link_b: [2],
      point: [0, 0],
      normal: [],
      force: [],
      gap: [],
      slip: [],
      mu: [],
      state: [],
    };
    expect(() => decodeContacts(writeRos("rigor_msgs/msg/Contacts", none))).toThrow(/not of 1 contacts/);
  });

  it("texts beyond ASCII, whose length counts bytes", () => {
    const bytes = new TextEncoder().encode("größte – 手");
    const message = new Uint8Array(8 + bytes.length + 1);
    message.set([0, 1, 0, 0, bytes.length + 1, 0, 0, 0]);
    message.set(bytes, 8);
    expect(decodeString(message)).toBe("größte – 手");
  });

  it("messages cut off at any byte are refused", () => {
    const message = transforms(NAMES);
    const reader = new TransformReader((name) => NAMES.indexOf(name));
    for (let end = 0; end < message.length; end += 3) {
      expect(() => reader.read(message.subarray(0, end), new Float64Array(99))).toThrow(/bytes/);
    }
    expect(() => decodeString(Uint8Array.of(0, 0, 0, 0, 1, 2, 3, 4))).toThrow(/little-endian/);
  });
});
