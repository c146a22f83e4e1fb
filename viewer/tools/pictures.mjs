/*
 * The pictures of the docs, from real runs: node tools/pictures.mjs [NAME...]   (from viewer/, after `make build`)
 *
 * Each is a run that is recorded, opened by rigor view, and brought to its moment by keys. Where pngquant is installed the files
 * get smaller. Writes docs/img/view-NAME.png.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RIGOR = process.env.RIGOR ?? `${ROOT}build/rigor`;
const SIZE = { width: 1280, height: 720 };

/** What is recorded, and the keys that lead to the picture; a number waits so many milliseconds. */
const PICTURES = {
  quadruped: { runs: [["models/standing.yaml"]], keys: ["1", "2", ...times("Shift+ArrowRight", 4), "z", "o"] },
  pile: { runs: [["models/pile.yaml"]], keys: ["End", 300, "z", "1", "2", "o"] },
  die: {
    runs: [["models/die.yaml", "--every", "2"]],
    keys: ["1", "2", ...times("e", 2), 300, "z", ...times("PageDown", 4), "x", "x", "o"],
  },
  compare: {
    runs: [["models/pile.yaml"], ["models/pile.yaml", "--step", "0.004"]],
    keys: [...times("Shift+ArrowRight", 14), 300, "z", "c", "o"],
  },
  dark: { runs: [["models/default.yaml"]], keys: [...times("Shift+ArrowRight", 9), "t", "z", "o"] },
};

function times(key, count) {
  return Array.from({ length: count }, () => key);
}

function startView(files) {
  const child = spawn(RIGOR, ["view", ...files, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((found, failed) => {
    child.stdout.on("data", (data) => {
      const url = /http:\/\/[0-9.:]+\//.exec(String(data))?.[0];
      if (url) found({ child, url });
    });
    child.on("exit", (code) => failed(new Error(`rigor view ended with ${code}`)));
  });
}

async function take(browser, name, folder) {
  const { runs, keys } = PICTURES[name];
  const files = runs.map((args, i) => {
    const file = join(folder, i === 0 ? `${name}.mcap` : `${name}-${i + 1}.mcap`);
    execFileSync(RIGOR, ["run", ...args, "--record", file, "--quiet"], { cwd: ROOT });
    return file;
  });
  const { child, url } = await startView(files);
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
  await page.goto(`${url}?quality=high`);
  await page.waitForFunction(() => window.rigor?.frames > 0 && window.rigor.progress === 1, null, { timeout: 60_000 });
  for (const key of keys) {
    if (typeof key === "number") await page.waitForTimeout(key);
    else await page.keyboard.press(key);
  }
  await page.waitForTimeout(2500);
  const file = `${ROOT}docs/img/view-${name}.png`;
  await page.screenshot({ path: file });
  await page.close();
  child.kill("SIGINT");
  try {
    execFileSync("pngquant", ["--force", "--nofs", "--skip-if-larger", "--output", file, "256", file]);
  } catch {
    console.error(`${file}: left as it is (no pngquant)`);
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PICTURES);
const folder = mkdtempSync(join(tmpdir(), "rigor-pictures-"));
const args = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
if (process.getuid?.() === 0) args.push("--no-sandbox");
const browser = await chromium.launch({ executablePath: process.env.RIGOR_CHROMIUM ?? "/usr/bin/chromium", args });
for (const name of names) await take(browser, name, folder);
await browser.close();
rmSync(folder, { recursive: true });
