/* A replay in the browser: what is drawn, where bodies are, plots, time, keys, marks. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, launch, openScene, picture, shoot, until, type Opened } from "../support/browser";
import { writeRun } from "../support/mcap_writer";
import { serve, type MiniServer } from "../support/mini_server";
import { ARM_JOINT, BALL, ballPose } from "../support/small_run";
import { projectVersion } from "../../vite.config";

let browser: Browser;
let server: MiniServer;
let opened: Opened;

beforeAll(async () => {
  browser = await launch();
  const recording = await writeRun({ frames: 300, rate: 50 });
  server = await serve({
    config: { mode: "replay", version: projectVersion(), recordings: ["small.mcap"] },
    recordings: [recording],
  });
  opened = await openScene(browser, server.url);
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

describe("a replay", () => {
  it("opens and draws", async () => {
    const { page, errors } = opened;
    expect(await ask(page, (r) => r.mode)).toBe("replay");
    expect(await ask(page, (r) => r.frames)).toBe(300);
    expect(await page.title()).toContain("small.mcap");
    const shot = await picture(page, "canvas.stage");
    expect(shot.colours).toBeGreaterThan(500);
    expect(errors).toEqual([]);
  });

  it("shows bodies where the state says, on the stage and on the canvas", async () => {
    const { page } = opened;
    for (const frame of [0, 40, 155]) {
      await page.keyboard.press("Home");
      for (let i = 0; i < Math.floor(frame / 10); i++) await page.keyboard.press("Shift+ArrowRight");
      for (let i = 0; i < frame % 10; i++) await page.keyboard.press("ArrowRight");
      await until(page, (r) => r.pictures > 0);
      expect(await ask(page, (r) => r.frame)).toBe(frame);
      const pose = await page.evaluate((name) => window.rigor!.body(name), BALL);
      const want = ballPose(frame / 50);
      pose!.p.forEach((x, k) => expect(x).toBeCloseTo(want.p[k]!, 9));
      pose!.q.forEach((x, k) => expect(x).toBeCloseTo(want.q[k]!, 9));
    }
    await page.keyboard.press("Home");
    await page.waitForTimeout(200);
    const [x, y] = (await page.evaluate((name) => window.rigor!.onPage(name), BALL))!;
    await page.mouse.move(x, y);
    await page.waitForTimeout(200);
    await page.mouse.move(x + 1, y);
    await expect.poll(() => page.locator(".hover").textContent()).toBe(BALL);
    const box = (await page.locator("canvas.stage").boundingBox())!;
    const shot = await picture(page, "canvas.stage", [[x - box.x - 8, y - box.y - 8]]);
    const [red, , blue] = shot.points[0]!;
    expect(blue! - red!).toBeGreaterThan(30); // the ball is blue, the ground is grey
  });

  it("tells about a body that is clicked: mass, pose, velocity, contacts", async () => {
    const { page } = opened;
    const card = page.locator(".body-card");
    const [x, y] = (await page.evaluate((name) => window.rigor!.onPage(name), BALL))!;
    await page.mouse.click(x, y);
    expect(await ask(page, (r) => r.selection)).toBe(BALL);
    await expect.poll(() => card.textContent()).toContain("No contact");
    expect(await card.locator("strong").textContent()).toBe(BALL);
    for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => card.textContent()).toContain("sticks");
    expect(await card.textContent()).toContain("world");
    const velocity = await card.locator("tr", { hasText: "velocity" }).locator("td").textContent();
    expect(velocity).toMatch(/^0\.2 {2}0 {2}/);
    await page.keyboard.press("Escape");
    expect(await ask(page, (r) => r.selection)).toBeNull();
    await expect.poll(() => card.isVisible()).toBe(false);
  });

  it("draws its plots, and a press in one moves time", async () => {
    const { page } = opened;
    await expect.poll(() => ask(page, (r) => r.plots.filter((p) => p.shown).length)).toBe(9);
    const plots = await ask(page, (r) => r.plots);
    for (const plot of plots) {
      expect(plot.points, plot.id).toBe(300);
      expect(plot.x, plot.id).toEqual([0, 5.98]);
    }
    const drift = plots.find((plot) => plot.id === "drift")!;
    expect(drift.y[1]).toBeGreaterThan(5e-9);
    expect(drift.y[1]).toBeLessThan(8e-9);
    expect((await picture(page, '[data-plot="energy"] canvas')).colours).toBeGreaterThan(20);
    const over = page.locator('[data-plot="energy"] .u-over');
    const box = (await over.boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    expect(await ask(page, (r) => r.time)).toBeCloseTo(2.99, 1);
    await page.keyboard.press("t"); // the plots are built anew
    await page.waitForTimeout(500);
    for (const { id, mark } of await ask(page, (r) => r.plots)) expect(Math.abs(mark - box.width / 2), id).toBeLessThan(3);
    await page.keyboard.press("t");
    for (const id of ["position", "velocity"]) {
      const plot = page.locator(`[data-plot="${id}"]`);
      expect(await plot.locator(".plot-title").textContent()).toContain(ARM_JOINT);
      await expect.poll(() => plot.locator(".plot-values").textContent()).toMatch(new RegExp(`${id} .*target `));
    }
  });

  it("plays, pauses, steps, changes speed, goes from event to event", async () => {
    const { page } = opened;
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    await until(page, (r) => r.playing && r.time > 0.3);
    await page.keyboard.press("Space");
    expect(await ask(page, (r) => r.playing)).toBe(false);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    expect(await ask(page, (r) => r.frame)).toBe(1);
    await page.keyboard.press("Shift+ArrowRight");
    expect(await ask(page, (r) => r.frame)).toBe(11);
    await page.keyboard.press("ArrowUp");
    expect(await ask(page, (r) => r.speed)).toBe(2);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await ask(page, (r) => r.speed)).toBe(0.5);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("End");
    expect(await ask(page, (r) => r.time)).toBe(5.98);
    await page.keyboard.press("Home");
    expect(await ask(page, (r) => r.events)).toBe(15);
    const times: number[] = [];
    for (const key of ["e", "e", "E"]) {
      await page.keyboard.press(key);
      times.push(await ask(page, (r) => r.time));
    }
    expect(times).toEqual([0.2, 0.6, 0.2]);
  });

  it("moves time by the time line, and zooms it", async () => {
    const { page } = opened;
    const box = (await page.locator(".timeline").boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 3 });
    await page.mouse.up();
    expect(await ask(page, (r) => r.time)).toBeCloseTo(2.99, 2);
    expect((await picture(page, ".timeline")).colours).toBeGreaterThan(10);
    await page.keyboard.press("x");
    await expect.poll(() => ask(page, (r) => r.plots[0]!.x[1] - r.plots[0]!.x[0])).toBeCloseTo(2.99, 2);
    await page.keyboard.press("X");
    await expect.poll(() => ask(page, (r) => r.plots[0]!.x[0])).toBe(0);
  });

  it("shows and hides each mark, and the picture changes", async () => {
    const { page } = opened;
    await page.keyboard.press("Home");
    for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await ask(page, (r) => r.contacts())).toBe(1);
    const ids = ["points", "forces", "masses", "axes", "inertia", "collision", "planes", "grid"];
    const shot = async (): Promise<string> => (await shoot(page, "canvas.stage")).toString("base64");
    let before = await shot();
    for (const [i, id] of ids.entries()) {
      const on = await ask(page, (r) => r.marks);
      await page.keyboard.press(String((i + 1) % 8));
      const now = await ask(page, (r) => r.marks);
      expect(now.includes(id)).toBe(!on.includes(id));
      await page.waitForTimeout(120);
      const after = await shot();
      expect(after, id).not.toBe(before);
      before = after;
    }
    for (let key = 0; key < 8; key++) await page.keyboard.press(String(key));
    expect(await ask(page, (r) => r.marks)).toEqual(["grid"]);
  });

  it("works from the keyboard: camera, bodies, panel, theme, help", async () => {
    const { page } = opened;
    const where = (): Promise<[number, number] | null> => page.evaluate((name) => window.rigor!.onPage(name), BALL);
    await page.keyboard.press("Escape"); // nothing is selected, whatever came before
    for (const key of ["a", "w", "D", "PageUp", "v", "z"]) {
      const before = await where();
      await page.keyboard.press(key);
      expect(await where(), key).not.toEqual(before);
    }
    await page.keyboard.press("n");
    expect(await ask(page, (r) => r.selection)).toBe(BALL);
    await page.keyboard.press("n");
    expect(await ask(page, (r) => r.selection)).toBe("arm");
    await page.keyboard.press("N");
    await page.keyboard.press("f");
    expect(await ask(page, (r) => r.following)).toBe(true);
    const before = await where();
    await page.keyboard.press("Shift+ArrowRight");
    const after = await where();
    expect(Math.hypot(after![0] - before![0], after![1] - before![1])).toBeLessThan(1);
    await page.keyboard.press("Escape");
    expect(await ask(page, (r) => r.following)).toBe(false);
    await page.keyboard.press("t");
    expect(await ask(page, (r) => r.theme)).toBe("dark");
    await page.keyboard.press("t");
    await page.keyboard.press("p");
    expect(await page.locator(".side").isVisible()).toBe(false);
    await page.keyboard.press("p");
    await page.keyboard.press("?");
    expect(await page.locator("dialog.help").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog.help").isVisible()).toBe(false);
    expect(opened.errors).toEqual([]);
  });
});
