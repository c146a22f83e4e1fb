/* Poses, inertia boxes, series, decimation, the clock, the window of time, texts of numbers. */
import { describe, expect, it } from "vitest";
import { Player } from "../../src/app/player";
import { principalAxes, boxOfInertia } from "../../src/data/principal_axes";
import {
  compose,
  multiply,
  rotationVector,
  toLocal,
  toWorld,
  turn,
  velocityBetween,
  type Pose,
  type Quat,
  type Vec3,
} from "../../src/data/pose";
import { Series } from "../../src/data/series";
import { decimate } from "../../src/panel/decimate";
import { short, vector } from "../../src/panel/dom";
import { axisTexts, decades, powersOfTen } from "../../src/panel/plot_view";
import { niceStep } from "../../src/panel/time_line";
import { TimeWindow } from "../../src/panel/time_window";
import { gridSpacing } from "../../src/stage/ground";

function close(a: readonly number[], b: readonly number[], digits = 12): void {
  expect(a.length).toBe(b.length);
  a.forEach((x, i) => expect(x).toBeCloseTo(b[i]!, digits));
}

function unit(w: number, x: number, y: number, z: number): Quat {
  const n = Math.hypot(w, x, y, z);
  return [w / n, x / n, y / n, z / n];
}

describe("poses", () => {
  const a: Pose = { p: [1, 2, 3], q: unit(1, 2, -1, 0.5) };
  const b: Pose = { p: [-2, 0.5, 1], q: unit(-0.3, 1, 1, 2) };
  const v: Vec3 = [0.7, -0.2, 1.9];

  it("compose like their maps, and turn back", () => {
    close(toWorld(compose(a, b), v), toWorld(a, toWorld(b, v)));
    close(toLocal(a, toWorld(a, v)), v);
    close(turn(unit(1, 0, 0, 1), [1, 0, 0]), [0, 1, 0]);
  });

  it("give the velocity they were moved with", () => {
    const spin: Vec3 = [0.3, -1.2, 2];
    const dt = 0.01;
    const angle = Math.hypot(...spin) * dt;
    const axis = spin.map((x) => (x * dt) / angle);
    const dq: Quat = [Math.cos(angle / 2), ...(axis.map((x) => x * Math.sin(angle / 2)) as Vec3)];
    const moved: Pose = { p: [1 + 5 * dt, 2, 3 - dt], q: multiply(dq, a.q) };
    const { linear, angular } = velocityBetween(a, moved, dt);
    close(linear, [5, 0, -1], 9);
    close(angular, spin, 9);
    close(rotationVector([-1, 0, 0, 0]), [0, 0, 0]);
    close(velocityBetween(a, moved, 0).linear, [0, 0, 0]);
  });
});

describe("inertia boxes", () => {
  it("of a turned box are the box", () => {
    const [m, size] = [3, [0.2, 0.5, 1.1] as Vec3];
    const d = [0, 1, 2].map((k) => (m / 12) * (size[(k + 1) % 3]! ** 2 + size[(k + 2) % 3]! ** 2));
    const q = unit(1, 0.4, -0.7, 0.2);
    const columns = [0, 1, 2].map((k) => turn(q, [Number(k === 0), Number(k === 1), Number(k === 2)]));
    const entry = (i: number, j: number): number => columns.reduce((s, c, k) => s + d[k]! * c[i]! * c[j]!, 0);
    const inertia = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
    const axes = principalAxes(inertia);
    close([...axes.moments].sort(), [...d].sort());
    close([...boxOfInertia(m, axes.moments)].sort(), [...size].sort());
    // The axes make the matrix diagonal: R' I R.
    const r = [0, 1, 2].map((k) => turn(axes.q, [Number(k === 0), Number(k === 1), Number(k === 2)]));
    const full = [
      [inertia[0]!, inertia[3]!, inertia[4]!],
      [inertia[3]!, inertia[1]!, inertia[5]!],
      [inertia[4]!, inertia[5]!, inertia[2]!],
    ];
    r.forEach((x, i) =>
      r.forEach((y, j) => {
        const value = x.reduce((s, xa, p) => s + xa * y.reduce((t, yb, s2) => t + full[p]![s2]! * yb, 0), 0);
        expect(value).toBeCloseTo(i === j ? axes.moments[i]! : 0, 12);
      }),
    );
  });

  it("of no mass have no size", () => {
    expect(boxOfInertia(0, [1, 1, 1])).toEqual([0, 0, 0]);
    expect(principalAxes([0, 0, 0, 0, 0, 0]).moments).toEqual([0, 0, 0]);
  });
});

describe("series", () => {
  it("stay within their rows, and keep peaks, dips, order and ends", () => {
    const series = new Series(256);
    const column = series.column("x");
    for (let i = 0; i < 10_000; i++) {
      if (series.begin(i)) series.put(column, i === 5000 ? 100 : Math.sin(i / 500));
    }
    expect(series.rows).toBeLessThanOrEqual(256);
    expect(series.rows).toBeGreaterThan(100);
    const times = series.times();
    for (let i = 1; i < times.length; i++) expect(times[i]!).toBeGreaterThan(times[i - 1]!);
    expect(times[0]).toBe(0);
    expect(times[times.length - 1]).toBeGreaterThan(9800);
    expect(Math.min(...series.values("x")!)).toBeLessThan(-0.99);
  });

  it("give unknown numbers as NaN, also in columns that come later", () => {
    const series = new Series();
    series.begin(0);
    series.begin(1);
    series.put(series.column("late"), 5);
    expect([...series.values("late")!]).toEqual([NaN, 5]);
    expect(series.values("never")).toBeUndefined();
  });
});

describe("decimation", () => {
  const times = Float64Array.from({ length: 10_000 }, (_, i) => i / 100);
  const values = Float32Array.from(times, (t) => Math.sin(t));

  it("keeps few rows as they are, with gaps for what is not known", () => {
    const [x, y] = decimate(times.subarray(0, 4), [Float32Array.of(1, NaN, 3, 4)], [0, 1], 100);
    expect(x).toEqual([0, 0.01, 0.02, 0.03]);
    expect(y).toEqual([1, null, 3, 4]);
  });

  it("keeps a single peak among many rows", () => {
    const peaked = values.slice();
    peaked[7777] = 50;
    const [x, y] = decimate(times, [peaked], [0, 100], 200);
    expect(x.length).toBe(400);
    expect(Math.max(...(y as number[]))).toBe(50);
    for (let i = 1; i < x.length; i++) expect(x[i]!).toBeGreaterThan(x[i - 1]!);
  });

  it("takes the rows of the window and one beyond each end", () => {
    const [x] = decimate(times, [values], [50, 50.1], 200);
    expect(x[0]).toBe(49.99);
    expect(x[x.length - 1]).toBe(50.1);
  });
});

describe("the clock", () => {
  it("moves by its speed, stops at the end, begins again from there", () => {
    const player = new Player();
    player.setRange(1, 3);
    expect(player.time).toBe(1);
    player.toggle();
    player.speed = 2;
    expect(player.tick(0.1)).toBe(true);
    expect(player.time).toBeCloseTo(1.2, 12);
    for (let i = 0; i < 20; i++) player.tick(0.2);
    expect(player.time).toBe(3);
    expect(player.playing).toBe(false);
    player.toggle();
    expect(player.time).toBe(1);
  });

  it("does not jump after a pause of the page, and keeps speeds in its list", () => {
    const player = new Player();
    player.setRange(0, 100);
    player.toggle();
    player.tick(60);
    expect(player.time).toBeLessThanOrEqual(0.25);
    for (let i = 0; i < 30; i++) player.changeSpeed(1);
    expect(player.speed).toBe(16);
    for (let i = 0; i < 30; i++) player.changeSpeed(-1);
    expect(player.speed).toBe(0.02);
  });
});

describe("the window of time", () => {
  it("zooms about a time, stays inside, follows", () => {
    const window = new TimeWindow();
    window.setWhole(0, 10);
    window.zoom(0.5, 5);
    expect([window.first, window.last]).toEqual([2.5, 7.5]);
    expect(window.reveal(5)).toBe(false);
    expect(window.reveal(9)).toBe(true);
    expect(window.last).toBeGreaterThanOrEqual(9);
    expect(window.last).toBeLessThanOrEqual(10);
    window.zoom(100, 5);
    expect([window.first, window.last, window.zoomed]).toEqual([0, 10, false]);
  });
});

describe("texts of numbers", () => {
  it("are short", () => {
    expect(short(0)).toBe("0");
    expect(short(1000, 3)).toBe("1000");
    expect(short(-1234.5678)).toBe("−1235");
    expect(short(0.5)).toBe("0.5");
    expect(short(1e-4)).toBe("1e−4");
    expect(short(1.25e-7)).toBe("1.25e−7");
    expect(short(1.27e-7, 3)).toBe("1.3e−7");
    expect(vector([1, 2e-5, -0.25])).toBe("1  0  −0.25");
    expect(vector([2e-6, -3e-7, 0])).toBe("2e−6  −3e−7  0");
    expect(short(NaN)).toBe("–");
    expect(short(-Infinity)).toBe("−∞");
  });

  it("come at round steps", () => {
    expect(niceStep(0.13)).toBeCloseTo(0.2, 12);
    expect(niceStep(4)).toBe(5);
    expect(gridSpacing(3)).toBe(1);
    expect(gridSpacing(0.7)).toBeCloseTo(0.2, 12);
    expect(axisTexts([2.5, 2.505, 2.51])).toEqual(["2.5", "2.505", "2.51"]);
    expect(axisTexts([-750, -725, null])).toEqual(["−750", "−725", ""]);
    expect(axisTexts([0, 0.005, 0.01])).toEqual(["0", "0.005", "0.01"]);
    expect(decades(0.002, 0.002)).toEqual([1e-3, 1e-2]);
    expect(decades(0.001, 0.001)).toEqual([1e-4, 1e-2]);
    expect(decades(3e-9, 0.2)).toEqual([1e-9, 1]);
    expect(decades(null, null)).toEqual([1, 10]);
    expect(powersOfTen(1e-10, 1e-4).length).toBeLessThanOrEqual(5);
    expect(powersOfTen(0.0001, 0.1)).toEqual([1e-4, 1e-3, 1e-2, 1e-1]);
  });
});
