/* Two recordings compared; reports; files that are cut, damaged or foreign; a server of another version. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, launch, open, openScene, picture, shoot, until } from "../support/browser";
import { writeRun } from "../support/mcap_writer";
import { serve, type MiniServer, type Served } from "../support/mini_server";
import { BALL, ballPose } from "../support/small_run";
import { projectVersion } from "../../vite.config";

const SHAPE = { frames: 150, rate: 50 };
const VERSION = projectVersion();
let browser: Browser;
const servers: MiniServer[] = [];
const pages: Page[] = [];

async function start(served: Partial<Served>): Promise<string> {
  const config = { mode: "replay", version: VERSION, recordings: (served.recordings ?? []).map((_, i) => `file${i}.mcap`) };
  const server = await serve({ config, ...served });
  servers.push(server);
  return server.url;
}

beforeAll(async () => {
  browser = await launch();
});

afterAll(async () => {
  await browser.close();
  await Promise.all(servers.map((server) => server.close()));
});

/** What the page says instead of a scene. */
async function complaint(served: Partial<Served>): Promise<string> {
  const { page, errors } = await open(browser, await start(served));
  await until(page, (r) => r.messages.length > 0 && !r.messages[0]!.startsWith("Opening"));
  const text = (await ask(page, (r) => r.messages)).join(" ");
  expect(errors.filter((error) => !error.includes("404"))).toEqual([]);
  await page.close();
  return text;
}

describe("two recordings", () => {
  it("stand side by side, and one over the other as a ghost", async () => {
    const recordings = [await writeRun(SHAPE), await writeRun({ ...SHAPE, frames: 100, offset: 0.6 })];
    const { page, errors } = await openScene(browser, await start({ recordings }));
    pages.push(page);
    expect(await ask(page, (r) => r.compare)).toBe("side");
    await page.keyboard.press("Shift+ArrowRight");
    for (const [source, offset] of [0, 0.6].entries()) {
      const pose = await page.evaluate(([name, k]) => window.rigor!.body(name, k), [BALL, source] as const);
      pose!.p.forEach((x, k) => expect(x).toBeCloseTo(ballPose(0.2, offset).p[k]!, 9));
    }
    await page.waitForTimeout(200);
    const beside = (await shoot(page, "canvas.stage")).toString("base64");
    await page.keyboard.press("c");
    expect(await ask(page, (r) => r.compare)).toBe("ghost");
    await page.waitForTimeout(200);
    expect((await shoot(page, "canvas.stage")).toString("base64")).not.toBe(beside);
    expect((await picture(page, "canvas.stage")).colours).toBeGreaterThan(500);
    await page.keyboard.press("End");
    expect(await ask(page, (r) => r.time)).toBe(2.98);
    const last = await page.evaluate((name) => window.rigor!.body(name, 1), BALL);
    expect(last!.p[0]).toBeCloseTo(ballPose(1.98).p[0], 9); // the shorter one stays at its end
    expect(await page.locator(".names").textContent()).toBe("file0.mcapfile1.mcap");
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe("a thousand bodies", () => {
  it("cost the page less than a frame of 30 in a second, decoding and placing less than a third of it", async () => {
    const recordings = [await writeRun({ frames: 60, rate: 30, extraBodies: 1000 })];
    const { page, errors } = await openScene(browser, await start({ recordings }));
    expect(await ask(page, (r) => r.names().length)).toBe(1003);
    for (let i = 0; i < 6; i++) {
      const before = await ask(page, (r) => r.pictures);
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => ask(page, (r) => r.pictures), { timeout: 10_000 }).toBeGreaterThan(before);
    }
    expect(await ask(page, (r) => r.pictureMs)).toBeLessThan(33);
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    await until(page, (r) => r.playing && r.frame > 3);
    const [first, begun] = [await ask(page, (r) => r.pictures), performance.now()];
    await until(page, (r) => !r.playing);
    const drawn = (1000 * ((await ask(page, (r) => r.pictures)) - first)) / (performance.now() - begun);
    const [frameMs, pictureMs] = await ask(page, (r) => [r.frameMs, r.pictureMs]);
    console.log(
      `1,000 bodies: ${frameMs!.toFixed(1)} ms to decode and place a frame, ${pictureMs!.toFixed(1)} ms for a whole picture, ` +
        `${drawn.toFixed(0)} pictures a second drawn in software`,
    );
    expect(frameMs).toBeLessThan(10);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe("a report", () => {
  it("shows its summary and settings, and replays", async () => {
    const recording = Buffer.from(await writeRun(SHAPE)).toString("base64");
    const report = {
      name: "run.yaml",
      recording,
      summary: { steps: 1234, state_hash: "abc123", "odd </script><b>key": "<i>text</i>", aids: [{ name: "erp", energy: -0.5 }] },
      settings: { solver: { name: "quick", sweeps: 30 } },
    };
    const json = JSON.stringify(report).replaceAll("<", "\\u003c");
    const script = `<script type="application/json" id="rigor-report">${json}</script>`;
    const url = await start({ page: (html) => html.replace("<!-- rigor-report -->", () => script) });
    const { page, errors } = await openScene(browser, url);
    expect(await ask(page, (r) => r.mode)).toBe("report");
    expect(await page.title()).toContain("run.yaml");
    const text = (await page.locator(".report").textContent())!;
    for (const part of ["steps", "1234", "abc123", "<i>text</i>", "erp", "−0.5", "quick"]) expect(text).toContain(part);
    await page.keyboard.press("b");
    await expect.poll(() => ask(page, (r) => r.plots.filter((p) => p.shown).length)).toBeGreaterThan(5);
    await page.keyboard.press("End");
    expect(await ask(page, (r) => r.frame)).toBe(149);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("that is damaged is refused in words", async () => {
    const script = `<script type="application/json" id="rigor-report">{"recording":"AAAA"}</script>`;
    const text = await complaint({ page: (html) => html.replace("<!-- rigor-report -->", () => script) });
    expect(text).toMatch(/report cannot be shown.*no MCAP/);
  });
});

describe("files that are not whole", () => {
  it("cut short: what is whole is shown, and it is said", async () => {
    const whole = await writeRun(SHAPE, { chunkSize: 5000 });
    const { page } = await openScene(browser, await start({ recordings: [whole.slice(0, whole.length * 0.6)] }));
    expect(await ask(page, (r) => r.frames)).toBeGreaterThan(40);
    expect(await ask(page, (r) => r.frames)).toBeLessThan(150);
    expect(await ask(page, (r) => r.messages.join())).toMatch(/file0.mcap: The file ends in the middle/);
    await page.close();
  });

  it("damaged in the middle: the rest is shown, and the place is named", async () => {
    const bytes = await writeRun(SHAPE, { chunkSize: 5000 });
    bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 40);
    const { page } = await openScene(browser, await start({ recordings: [bytes] }));
    await until(page, (r) => r.messages.length > 0);
    expect(await ask(page, (r) => r.messages.join())).toMatch(/chunk \d+ \(byte \d+ of the file\) is damaged/);
    await page.close();
  });

  it("foreign, empty, missing", async () => {
    const text = new TextEncoder();
    expect(await complaint({ recordings: [text.encode("PK\u0003\u0004 no such thing")] })).toMatch(/file0.mcap: .*ZIP archive/);
    expect(await complaint({ recordings: [text.encode("t,x\n0,1\n")] })).toMatch(/no MCAP file/);
    expect(await complaint({ recordings: [new Uint8Array(0)] })).toMatch(/empty/);
    const missing = { config: { mode: "replay", version: VERSION, recordings: ["gone.mcap"] } };
    expect(await complaint(missing)).toMatch(/answers 404/);
  });
});

describe("a server of another version", () => {
  it("is named, with what to do", async () => {
    const text = await complaint({ config: { mode: "replay", version: "0.0.7", recordings: [] } });
    expect(text).toMatch(/different versions.*page is of Rigor [0-9.]+, .*server .* is Rigor 0\.0\.7/);
  });

  it("is also noticed when it takes the place of the right one, live", async () => {
    const hello = JSON.stringify({ op: "hello", version: "9.9.9", channels: [], mode: "live" });
    const text = await complaintLive((send) => send(hello));
    expect(text).toMatch(/Rigor 9\.9\.9/);
  });

  it("that sends rubbish is told about", async () => {
    const text = await complaintLive((send) => send("{nonsense"));
    expect(text).toMatch(/cannot read/);
  });
});

async function complaintLive(connect: (send: (text: string) => void) => void): Promise<string> {
  const url = await start({
    config: { mode: "live", version: VERSION, recordings: [] },
    connect: (socket) => connect((text) => socket.send(text)),
  });
  const { page } = await open(browser, url);
  await until(page, (r) => r.messages.join().length > 40);
  const text = (await ask(page, (r) => r.messages)).join(" ");
  await page.close();
  return text;
}
