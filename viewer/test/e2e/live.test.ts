/* The page with rigor view itself: a live run, a replay of a recording, and poses that agree with the CSV of the same run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, launch, open, openScene, picture, until, type Opened } from "../support/browser";
import { runRigor, startView, type View } from "../support/rigor_process";

const BALL = 'große "Kugel" 1';
const MODEL = `<?xml version="1.0"?>
<sdf version="1.9"><world name="drop">
  <model name="floor"><static>true</static><link name="floor"><collision name="plane">
    <geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
  <model name="ball"><pose>0 0 0.6 0 0 0</pose><link name="${BALL.replaceAll('"', "&quot;")}">
    <inertial><mass>1</mass><inertia><ixx>0.016</ixx><iyy>0.016</iyy><izz>0.016</izz></inertia></inertial>
    <collision name="c"><geometry><sphere><radius>0.2</radius></sphere></geometry></collision></link></model>
  <model name="brick"><pose>1 0 0.1 0 0 0</pose><link name="brick">
    <inertial><mass>2</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.4 0.3 0.2</size></box></geometry></collision></link></model>
</world></sdf>`;

let browser: Browser;
let folder: string;
let model: string;

beforeAll(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "rigor-viewer-"));
  model = join(folder, "drop it.sdf");
  writeFileSync(model, MODEL);
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

function height(page: Page, name: string): Promise<number> {
  return page.evaluate((body) => window.rigor!.body(body)!.p[2], name);
}

describe("a live run", () => {
  let view: View;
  let opened: Opened;

  beforeAll(async () => {
    view = await startView(model, "--port", "0", "--paused");
    opened = await open(browser, view.url);
    await until(opened.page, (r) => r.connection === "open" && r.frames > 0 && r.pictures > 0);
  });

  afterAll(async () => {
    await view.stop();
  });

  it("shows the start, paused", async () => {
    const { page } = opened;
    expect(await ask(page, (r) => [r.mode, r.playing, r.time])).toEqual(["live", false, 0]);
    expect(await height(page, BALL)).toBeCloseTo(0.6, 9);
    expect((await picture(page, "canvas.stage")).colours).toBeGreaterThan(300);
  });

  it("makes single steps", async () => {
    const { page } = opened;
    await page.keyboard.press("ArrowRight");
    await until(page, (r) => r.time > 0);
    expect(await ask(page, (r) => r.time)).toBeCloseTo(0.001, 9);
  });

  it("runs, falls and rests; plots grow; pauses", async () => {
    const { page } = opened;
    await page.keyboard.press("Space");
    await until(page, (r) => r.playing && r.time > 1);
    expect(await height(page, BALL)).toBeLessThan(0.3);
    await expect.poll(() => ask(page, (r) => r.plots.find((p) => p.id === "energy")!.points)).toBeGreaterThan(3);
    expect(await ask(page, (r) => r.events)).toBeGreaterThan(0);
    await page.keyboard.press("Space");
    await until(page, (r) => !r.playing);
  });

  it("looks back into what was seen, and returns to the run", async () => {
    const { page } = opened;
    await page.keyboard.press("Home");
    expect(await height(page, BALL)).toBeCloseTo(0.6, 2);
    await page.keyboard.press("End");
    expect(await height(page, BALL)).toBeLessThan(0.3);
  });

  it("changes stepper, solver and step while it runs, and says what it refuses", async () => {
    const { page } = opened;
    await page.keyboard.press("b");
    const selects = page.locator(".run select");
    const [stepper, solver] = await ask(page, (r) => [r.stepper, r.solver]);
    const other = async (index: number, now: string): Promise<string> => {
      const names = await selects.nth(index).locator("option").allTextContents();
      expect(names).toContain(now);
      return names.find((name) => name !== now && name !== "reference")!;
    };
    const newSolver = await other(1, solver!);
    await selects.nth(1).selectOption(newSolver);
    await expect.poll(() => ask(page, (r) => r.solver)).toBe(newSolver);
    const newStepper = await other(0, stepper!);
    await selects.nth(0).selectOption(newStepper);
    await expect
      .poll(() => ask(page, (r) => [r.stepper, ...r.messages].join()))
      .toMatch(new RegExp(`^${newStepper}|The run says`));
    await page.locator(".run input").fill("0.002");
    await page.keyboard.press("Enter");
    await expect.poll(() => ask(page, (r) => r.dt)).toBe(0.002);
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
  });

  it("begins again, also while one looks back at a selected body", async () => {
    const { page } = opened;
    await page.keyboard.press("n");
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+ArrowLeft");
    expect(await ask(page, (r) => r.frame)).toBeGreaterThan(3);
    await page.keyboard.press("r");
    await until(page, (r) => r.time < 0.01);
    await page.keyboard.press("Escape");
    expect(await height(page, BALL)).toBeCloseTo(0.6, 3);
  });

  it("lets a body be dragged by the mouse, and by keys", async () => {
    const { page } = opened;
    await page.keyboard.press("Space");
    await until(page, (r) => r.playing && r.time > 1.2);
    const before = await page.evaluate(() => window.rigor!.body("brick")!.p);
    const [x, y] = (await page.evaluate(() => window.rigor!.onPage("brick")))!;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 150, { steps: 4 });
    await expect.poll(() => height(page, "brick"), { timeout: 10_000 }).toBeGreaterThan(before[2] + 0.1);
    await page.mouse.up();
    // It may come to rest on another side, half as high again.
    await expect.poll(() => height(page, "brick"), { timeout: 10_000 }).toBeLessThan(before[2] + 0.08);
    await page.keyboard.press("Escape");
    while ((await ask(page, (r) => r.selection)) !== "brick") await page.keyboard.press("n");
    await page.keyboard.press("g");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowUp");
    await expect.poll(() => height(page, "brick"), { timeout: 10_000 }).toBeGreaterThan(before[2] + 0.1);
    await page.keyboard.press("g");
    await page.keyboard.press("Escape");
    expect(await ask(page, (r) => r.selection)).toBeNull();
  });

  it("comes back after the connection was lost", async () => {
    const { page, errors } = opened;
    const { port } = view;
    await view.stop();
    await until(page, (r) => r.connection === "lost");
    expect(await ask(page, (r) => r.messages.join())).toMatch(/connection to the run is lost/);
    view = await startView(model, "--port", String(port));
    await until(page, (r) => r.connection === "open" && r.playing && r.time > 0.1, 20_000);
    expect(await ask(page, (r) => r.messages)).toEqual([]);
    expect(errors.filter((text) => !text.includes("ERR_CONNECTION_REFUSED"))).toEqual([]);
  });
});

describe("a recording", () => {
  it("shows every body where the CSV of the same run has it", async () => {
    const [mcap, csv] = [join(folder, "drop.mcap"), join(folder, "drop.csv")];
    await runRigor("run", model, "--time", "1.2", "--record", mcap, "--csv", csv);
    const view = await startView(mcap, "--port", "0");
    const { page, errors } = await openScene(browser, view.url);
    const [head, ...rows] = readFileSync(csv, "utf8").trim().split("\n").map(splitCsv);
    const column = (name: string): number => head!.indexOf(name);
    const times = rows.map((row) => Number(row[column("t")]));
    const names = (await ask(page, (r) => r.names())).filter((name) => column(`link:${name}:x`) >= 0);
    expect(names).toContain(BALL);
    const count = await ask(page, (r) => r.frames);
    expect(count).toBeGreaterThan(20);
    for (const back of [0, 10, 10, 10]) {
      if (back > 0) await page.keyboard.press("Shift+ArrowLeft");
      else await page.keyboard.press("End");
      const time = await ask(page, (r) => r.time);
      const row = rows[times.findIndex((t) => Math.abs(t - time) < 1e-9)];
      expect(row, `a row for t = ${time}`).toBeDefined();
      for (const name of names) {
        const pose = (await page.evaluate((body) => window.rigor!.body(body), name))!;
        const want = ["x", "y", "z", "qw", "qx", "qy", "qz"].map((part) => Number(row![column(`link:${name}:${part}`)]));
        [...pose.p, ...pose.q].forEach((value, k) => expect(value).toBeCloseTo(want[k]!, 9));
      }
    }
    expect(errors).toEqual([]);
    await page.close();
    await view.stop();
  });
});

describe("rigor run --report", () => {
  it("writes a page that needs no server", async () => {
    const html = join(folder, "report.html");
    await runRigor("run", model, "--time", "1", "--report", html);
    const { page, errors } = await openScene(browser, `file://${encodeURI(html)}`);
    expect(await ask(page, (r) => r.mode)).toBe("report");
    const text = (await page.locator(".report").textContent())!;
    expect(text).toMatch(/state hash/i);
    await page.keyboard.press("End");
    expect(await ask(page, (r) => r.time)).toBeCloseTo(1, 3);
    expect(await height(page, BALL)).toBeCloseTo(0.2, 2);
    await page.keyboard.press("b");
    await expect.poll(() => ask(page, (r) => r.plots.filter((p) => p.shown).length)).toBeGreaterThan(3);
    expect(errors).toEqual([]);
    await page.close();
  });
});

/** Fields of a line of CSV; a field in quotes may hold commas and doubled quotes. */
function splitCsv(line: string): string[] {
  const fields = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)!.map((field) => field.replace(/,$/, ""));
  return fields.map((field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field));
}
