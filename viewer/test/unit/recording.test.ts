/* Recordings: frames are where the run put them; series, events, damage, foreign files. */
import { describe, expect, it } from "vitest";
import { poseAt } from "../../src/data/pose";
import { Recording } from "../../src/data/recording";
import { frameAt } from "../../src/data/source";
import { writeMcap, writeRun } from "../support/mcap_writer";
import { ARM_JOINT, BALL, ballPose, runMessages, stepJson } from "../support/small_run";

const SHAPE = { frames: 200, rate: 50 };

function readAll(recording: Recording): void {
  while (recording.work(5));
}

describe("a recording", () => {
  it("shows the poses of every frame, asked for in any order", async () => {
    const recording = new Recording("x", await writeRun(SHAPE, { chunkSize: 5000 }));
    expect(recording.frameCount).toBe(200);
    for (const number of [0, 199, 3, 100, 99, 101, 50]) {
      const frame = recording.frame(number);
      expect(frame.time).toBe(number / 50);
      const { p, q } = poseAt(frame.poses, 0);
      const want = ballPose(frame.time);
      p.forEach((x, k) => expect(x).toBe(want.p[k]));
      q.forEach((x, k) => expect(x).toBe(want.q[k]));
    }
    expect(recording.scene.links.map((link) => link.name)).toEqual([BALL, "arm", "world"]);
  });

  it("finds frames by time", async () => {
    const recording = new Recording("x", await writeRun(SHAPE));
    expect(frameAt(recording, -1)).toBe(0);
    expect(frameAt(recording, 0.0199)).toBe(0);
    expect(frameAt(recording, 0.02)).toBe(1);
    expect(frameAt(recording, 1e9)).toBe(199);
  });

  it("gives the series of steps, joints and targets, and a drift finer than the energy's digits", async () => {
    const recording = new Recording("x", await writeRun(SHAPE, { chunkSize: 5000 }));
    readAll(recording);
    expect(recording.progress).toBe(1);
    const { series } = recording;
    expect(series.rows).toBe(200);
    const row = 120;
    const time = series.times()[row]!;
    expect(time).toBe(row / 50);
    expect(series.values("kinetic")![row]).toBeCloseTo(stepJson(time).kinetic as number, 6);
    expect(series.values("drift")![row]! / (1e-9 * time)).toBeCloseTo(1, 5);
    expect(series.values("aids.erp.total")![row]).toBeCloseTo(0.01 * time, 8);
    expect(series.values(`q:${ARM_JOINT}`)![row]).toBeCloseTo(Math.sin(2 * time), 6);
    expect(series.values(`v:${ARM_JOINT}`)![row]).toBeCloseTo(2 * Math.cos(2 * time), 6);
    expect(series.values(`target q:${ARM_JOINT}`)![row]).toBeCloseTo(Math.sin(2 * time + 0.2), 6);
    expect(series.values(`target v:${ARM_JOINT}`)![row]).toBeCloseTo(2 * Math.cos(2 * time + 0.2), 6);
    expect(series.values(`most:${ARM_JOINT}`)![row]).toBeCloseTo(3 * Math.cos(2 * time + 0.2), 6);
    expect(series.values(`least:${ARM_JOINT}`)![row]).toBeCloseTo(-3 * Math.cos(2 * time + 0.2), 6);
    expect(series.values(`effort:${ARM_JOINT}`)![row]).toBeCloseTo(3 * Math.cos(2 * time), 5);
  });

  it("gives events in order", async () => {
    const recording = new Recording("x", await writeRun(SHAPE, { chunkSize: 5000 }));
    readAll(recording);
    const { events } = recording;
    expect(events.count).toBe(10);
    expect(events.get(0)).toEqual({
      time: 0.2,
      kind: "touch",
      a: BALL,
      b: "world",
      value: 1.5,
      impulse: 0,
      uncertainty: 0,
      force: 0,
      contacts: 0,
    });
    expect(events.get(1).kind).toBe("impact");
    expect(events.after(0.2)).toBe(0);
    expect(events.after(0.2001)).toBe(1);
    expect(events.after(99)).toBe(10);
  });

  it("with a damaged chunk notes it, and shows the rest", async () => {
    const bytes = await writeRun(SHAPE, { chunkSize: 5000 });
    const { place, size } = chunkOf(new Recording("x", bytes), 4);
    bytes[place + Math.floor(size / 2)]! ^= 0x3c;
    const recording = new Recording("x", bytes);
    readAll(recording);
    expect(recording.notes.join(" ")).toMatch(/chunk 4 .* damaged/);
    expect(recording.frameCount).toBe(200);
    expect(recording.series.rows).toBeLessThan(200);
    expect(recording.series.rows).toBeGreaterThan(150);
    for (let i = 0; i < 200; i++) expect(recording.frame(i).poses.every(Number.isFinite)).toBe(true);
  });

  it("cut off gives the frames before", async () => {
    const bytes = await writeRun(SHAPE, { chunkSize: 5000 });
    const recording = new Recording("x", bytes.slice(0, Math.floor(bytes.length / 2)));
    expect(recording.notes.join(" ")).toMatch(/cut short/);
    expect(recording.frameCount).toBeGreaterThan(50);
    expect(recording.frameCount).toBeLessThan(120);
  });

  it("of another program is named as such", async () => {
    const other = [...runMessages(SHAPE)].filter((message) => message.topic === "/joint_states");
    const bytes = await writeMcap(other);
    expect(() => new Recording("x", bytes)).toThrow(/no message/);
    const text = Buffer.from(bytes).toString("latin1").replaceAll("/rigor/scene", "/other/thing");
    expect(() => new Recording("x", Uint8Array.from(Buffer.from(text, "latin1")))).toThrow(/./);
  });

  it("without a frame, or cut off before its scene, is refused in words", async () => {
    const scene = [...runMessages(SHAPE)].slice(0, 2);
    const onlyScene = await writeMcap(scene);
    expect(() => new Recording("x", onlyScene)).toThrow(/no frame/);
    const bytes = await writeRun(SHAPE);
    expect(() => new Recording("x", bytes.slice(0, 300))).toThrow(/no channel|no message/);
  });
});

/** Place of a chunk, from the file inside the recording. */
function chunkOf(recording: Recording, number: number): { place: number; size: number } {
  const { file } = recording as unknown as { file: { chunks: { place: number; size: number }[] } };
  return file.chunks[number]!;
}
