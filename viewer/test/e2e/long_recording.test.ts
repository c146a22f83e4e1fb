/*
 * A long recording of the quadruped: its size, and how long it takes until it is on the screen.
 *
 * RIGOR_OPEN_SECONDS: how much is recorded (600 for the figure of the docs: make bench-view). RIGOR_OPEN_LIMIT: s that
 * opening may take; much by default, for a machine that draws in software and has other work.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, launch, open, until } from "../support/browser";
import { ROOT, runRigor, startView, type View } from "../support/rigor_process";

const SECONDS = Number(process.env.RIGOR_OPEN_SECONDS ?? 240);
const LIMIT = Number(process.env.RIGOR_OPEN_LIMIT ?? 15);
const MOST_BYTES = (SECONDS / 600) * 100e6; // 100 MB in 10 minutes
const RECORDING_TIME = 300_000; // ms

let browser: Browser;
let folder: string;
let file: string;
let view: View;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rigor-long-"));
  file = join(folder, "quadruped.mcap");
  await runRigor("run", join(ROOT, "models/standing.yaml"), "--time", String(SECONDS), "--record", file, "--quiet");
  browser = await launch();
  view = await startView(file, "--port", "0");
}, RECORDING_TIME);

afterAll(async () => {
  await browser.close();
  await view.stop();
  rmSync(folder, { recursive: true });
});

describe(`${SECONDS} s of the quadruped`, () => {
  it("are small, soon on the screen, and then read to the end", async () => {
    const size = statSync(file).size;
    const begun = performance.now();
    const { page, errors } = await open(browser, view.url);
    await until(page, (r) => r.frames > 0 && r.pictures > 0);
    const seen = (performance.now() - begun) / 1000;
    await until(page, (r) => r.progress === 1, 60_000);
    const whole = (performance.now() - begun) / 1000;
    const [frames, opened] = await ask(page, (r) => [r.frames, r.openedMs / 1000]);
    console.log(
      `${SECONDS} s, ${frames} frames, ${(size / 1e6).toFixed(1)} MB: on the screen after ${seen.toFixed(2)} s ` +
        `(fetched and opened in ${opened!.toFixed(2)} s), read to the end after ${whole.toFixed(1)} s`,
    );
    expect(size).toBeLessThan(MOST_BYTES);
    expect(frames).toBeGreaterThan(30 * SECONDS);
    expect(seen).toBeLessThan(LIMIT);
    await page.keyboard.press("End");
    expect(await ask(page, (r) => r.time)).toBeCloseTo(SECONDS, 1);
    expect(errors).toEqual([]);
    await page.close();
  }, 120_000);
});
