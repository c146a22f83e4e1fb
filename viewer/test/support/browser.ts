/*
 * Debian's chromium for tests: headless, drawn in software; as root it needs --no-sandbox.
 */
import { chromium, type Browser, type Page } from "playwright-core";
import type { ReadBack } from "../../src/app/read_back";

declare global {
  interface Window {
    rigor?: ReadBack;
  }
}

const CHROMIUM = process.env.RIGOR_CHROMIUM ?? "/usr/bin/chromium";

export function launch(): Promise<Browser> {
  const args = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: CHROMIUM, args });
}

export interface Opened {
  page: Page;
  errors: string[]; // what the page complained about
}

/** A page of a small laptop's size, or smaller to draw faster. */
export async function open(browser: Browser, url: string, size = { width: 860, height: 520 }): Promise<Opened> {
  const page = await browser.newPage({ viewport: size, colorScheme: "light" });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("WebSocket")) errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors };
}

/** Waits until a thing is true of what the page tells. */
export async function until(page: Page, test: (rigor: ReadBack) => boolean, timeout = 15_000): Promise<void> {
  const end = Date.now() + timeout;
  const question = `window.rigor !== undefined && (${test.toString()})(window.rigor)`;
  while (!(await page.evaluate<boolean>(question))) {
    if (Date.now() > end) throw new Error(`still not true after ${timeout} ms: ${test.toString()}`);
    await page.waitForTimeout(50);
  }
}

export function ask<T>(page: Page, question: (rigor: ReadBack) => T): Promise<T> {
  return page.evaluate(`(${question.toString()})(window.rigor)`);
}

/** A page with a scene drawn. */
export async function openScene(browser: Browser, url: string, size?: { width: number; height: number }): Promise<Opened> {
  const opened = await open(browser, url, size);
  await until(opened.page, (r) => r.frames > 0 && r.pictures > 0 && r.progress === 1);
  return opened;
}

export interface Picture {
  colours: number; // how many different ones
  points: number[][]; // red, green, blue at the places asked for
}

/** An element as it looks, as a PNG. */
export async function shoot(page: Page, selector: string): Promise<Buffer> {
  const clip = await page.locator(selector).first().boundingBox();
  if (!clip) throw new Error(`${selector} is not on the page`);
  return page.screenshot({ clip });
}

/** An element as it looks; its pixels are read in the page. */
export async function picture(page: Page, selector: string, places: [number, number][] = []): Promise<Picture> {
  const png = (await shoot(page, selector)).toString("base64");
  return page.evaluate(
    async ([text, asked]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${text}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      const g = canvas.getContext("2d")!;
      g.drawImage(image, 0, 0);
      const words = new Uint32Array(g.getImageData(0, 0, image.width, image.height).data.buffer);
      const at = (x: number, y: number): number[] => [...g.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3);
      return { colours: new Set(words).size, points: asked.map(([x, y]) => at(x, y)) };
    },
    [png, places] as const,
  );
}
