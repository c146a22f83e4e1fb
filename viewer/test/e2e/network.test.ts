/* Without a network: a server that goes away, at the start and later; nothing is asked of any other host. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, launch, until } from "../support/browser";
import { writeRun } from "../support/mcap_writer";
import { serve, type MiniServer, type Served } from "../support/mini_server";
import { ROOT, runRigor, startView } from "../support/rigor_process";
import { projectVersion } from "../../vite.config";

const VERSION = projectVersion();
const REPLAY = { mode: "replay", version: VERSION, recordings: ["small.mcap"] };
let browser: Browser;
let folder: string;
let recording: Uint8Array;
const servers: MiniServer[] = [];

beforeAll(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "rigor-network-"));
  recording = await writeRun({ frames: 100, rate: 50 });
});

afterAll(async () => {
  await browser.close();
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

async function start(served: Served): Promise<MiniServer> {
  const server = await serve(served);
  servers.push(server);
  return server;
}

/** A new page, and the addresses of everything that it asks for. */
async function newPage(): Promise<{ page: Page; asked: string[] }> {
  const page = await browser.newPage({ viewport: { width: 860, height: 520 } });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("websocket", (socket) => asked.push(socket.url()));
  return { page, asked };
}

/** The hosts among addresses; what a page carries in itself has none. */
function hosts(addresses: string[]): string[] {
  const far = addresses.filter((address) => !/^(data|blob|file):/.test(address));
  return [...new Set(far.map((address) => new URL(address).host))];
}

async function words(page: Page): Promise<string> {
  await until(page, (r) => r.messages.length > 0 && !/^(Opening|Waiting)/.test(r.messages[0]!));
  return (await ask(page, (r) => r.messages)).join(" ");
}

describe("a server that goes away", () => {
  it("before the page knows what to show", async () => {
    const server = await start({ config: REPLAY, cut: "/config.json" });
    const { page } = await newPage();
    await page.goto(server.url);
    expect(await words(page)).toMatch(
      /server cannot be reached.*no whole answer from 127\.0\.0\.1:\d+ to \/config\.json.*rigor view/,
    );
    await page.close();
  });

  it("in the middle of a recording", async () => {
    const server = await start({ config: REPLAY, recordings: [recording], cut: "/recording/0" });
    const { page } = await newPage();
    await page.goto(server.url);
    expect(await words(page)).toMatch(/recording cannot be fetched.*to \/recording\/0\. Is rigor view still running/);
    await page.close();
  });

  it("before a live run says anything", async () => {
    const server = await start({ config: { mode: "live", version: VERSION }, connect: (socket) => socket.terminate() });
    const { page } = await newPage();
    await page.goto(server.url);
    await until(page, (r) => r.connection === "lost" && r.messages.some((text) => text.includes("connection")));
    expect(await ask(page, (r) => r.messages.join())).toMatch(
      /connection to the run is lost: is rigor view still running.*again in/,
    );
    await page.close();
  });

  it("after a recording is opened: all of it is still shown", async () => {
    const server = await serve({ config: REPLAY, recordings: [recording] });
    const { page } = await newPage();
    await page.goto(server.url);
    await until(page, (r) => r.frames > 0 && r.pictures > 0);
    await server.close();
    await page.keyboard.press("End");
    expect(await ask(page, (r) => [r.frame, r.messages.length])).toEqual([99, 0]);
    await page.close();
  });
});

describe("nothing is asked of another host", () => {
  it("by a live run", async () => {
    const view = await startView(join(ROOT, "models/die.yaml"), "--port", "0");
    const { page, asked } = await newPage();
    await page.goto(view.url);
    await until(page, (r) => r.connection === "open" && r.time > 0.2 && r.pictures > 0);
    await page.close();
    await view.stop();
    expect(hosts(asked)).toEqual([`127.0.0.1:${view.port}`]);
    expect(asked.some((address) => address.startsWith("ws:"))).toBe(true);
  });

  it("by a replay", async () => {
    const server = await start({ config: REPLAY, recordings: [recording] });
    const { page, asked } = await newPage();
    await page.goto(server.url);
    await until(page, (r) => r.progress === 1 && r.pictures > 0);
    for (const key of ["1", "2", "3", "4", "5", "6", "7", "t", "?"]) await page.keyboard.press(key);
    await page.close();
    expect(hosts(asked)).toEqual([new URL(server.url).host]);
  });

  it("by a report, which works without any network", async () => {
    const html = join(folder, "report.html");
    const model = join(folder, "die.yaml");
    writeFileSync(model, `models:\n  - file: ${join(ROOT, "models/die.sdf")}\n    pose: [0, 0, 0.1]\nduration: 0.2\n`);
    await runRigor("run", model, "--report", html);
    const { page, asked } = await newPage();
    await page.context().setOffline(true);
    await page.goto(`file://${html}`);
    await until(page, (r) => r.mode === "report" && r.frames > 0 && r.pictures > 0);
    await page.close();
    expect(hosts(asked)).toEqual([]);
  });
});
