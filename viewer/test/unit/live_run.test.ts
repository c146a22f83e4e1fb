/* A live run: frames from messages, bounded memory, a reset forgets. */
import { describe, expect, it } from "vitest";
import { LiveRun } from "../../src/data/live_run";
import { poseAt } from "../../src/data/pose";
import { readScene } from "../../src/data/scene";
import type { Json } from "../../src/data/json_value";
import { ballPose, frameMessages, sceneJson } from "../support/small_run";

const SHAPE = { frames: 0, rate: 30 };

function start(mostBytes?: number): LiveRun {
  return new LiveRun(readScene(sceneJson(SHAPE) as Json), mostBytes);
}

function feed(run: LiveRun, frame: number): void {
  for (const { topic, time, data } of frameMessages(frame, SHAPE)) run.take(topic, frame, time, data);
}

describe("a live run", () => {
  it("makes a frame when the next begins, or when told", () => {
    const run = start();
    feed(run, 0);
    expect(run.frameCount).toBe(0);
    feed(run, 1);
    expect(run.frameCount).toBe(1);
    expect(run.flush()).toBe(true);
    expect(run.flush()).toBe(false);
    expect(run.frameCount).toBe(2);
    expect(poseAt(run.frame(1).poses, 0).p).toEqual(ballPose(run.timeOf(1)).p);
    expect(run.frame(1).step?.dt).toBe(0.001);
    expect(run.series.rows).toBe(2);
  });

  it("knows when a frame is whole, and puts one together that was ended too early", () => {
    const run = start();
    feed(run, 0);
    const messages = frameMessages(1, SHAPE);
    const take = (from: number, to: number): void => {
      for (const { topic, time, data } of messages.slice(from, to)) run.take(topic, 1, time, data);
    };
    take(0, 2);
    expect(run.openIsWhole).toBe(false);
    run.flush();
    take(2, 5);
    expect(run.openIsWhole).toBe(true);
    run.flush();
    expect(run.frameCount).toBe(2);
    const frame = run.frame(1);
    expect([frame.joints, frame.targets, frame.contacts, frame.step].includes(null)).toBe(false);
    expect(poseAt(frame.poses, 0).p).toEqual(ballPose(frame.time).p);
  });

  it("keeps the newest frames within its bound", () => {
    const run = start(50_000);
    for (let frame = 0; frame < 300; frame++) feed(run, frame);
    run.flush();
    expect(run.frameCount).toBeLessThan(30);
    expect(run.frameCount).toBeGreaterThan(5);
    expect(run.timeOf(run.frameCount - 1)).toBeCloseTo(299 / 30, 9);
    expect(run.series.rows).toBe(300);
  });

  it("forgets everything when time goes back, and takes a frame sent again once", () => {
    const run = start();
    for (let frame = 0; frame < 15; frame++) feed(run, frame);
    run.flush();
    feed(run, 14);
    run.flush();
    expect(run.frameCount).toBe(15);
    expect(run.events.count).toBeGreaterThan(0);
    feed(run, 3);
    run.flush();
    expect(run.frameCount).toBe(1);
    expect(run.events.count).toBe(0);
    expect(run.frame(14)).toBe(run.frame(0)); // a number from before the reset
    expect(run.series.rows).toBe(1);
  });

  it("keeps its history when an event comes after a newer frame, and orders events by their own times", () => {
    const run = start();
    const event = (t: number, kind: string): Uint8Array => new TextEncoder().encode(JSON.stringify({ t, kind, a: 0, b: 1 }));
    for (let frame = 0; frame < 4; frame++) feed(run, frame);
    run.flush();
    const newest = run.timeOf(run.frameCount - 1);
    run.take("/rigor/events", 3, newest, event(newest, "touch"));
    run.take("/rigor/events", 3, newest - 0.01, event(newest - 0.02, "break"));
    feed(run, 4);
    run.flush();
    expect(run.frameCount).toBe(5);
    expect(run.events.count).toBe(2);
    expect(run.events.get(0).kind).toBe("break");
    expect(run.events.get(1).kind).toBe("touch");
    expect(run.events.after(newest - 0.015)).toBe(1);
  });

  it("gives events that come before the first frame of a new run to that run", () => {
    const run = start();
    for (let frame = 0; frame < 4; frame++) feed(run, frame);
    run.flush();
    run.take("/rigor/events", 0, 0, new TextEncoder().encode(JSON.stringify({ t: 0, kind: "touch", a: 0, b: 1 })));
    feed(run, 0);
    run.flush();
    expect(run.frameCount).toBe(1);
    expect(run.events.count).toBe(1);
  });
});
