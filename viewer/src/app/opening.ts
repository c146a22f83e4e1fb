/*
 * How the page finds what it shows: a report inside itself, else the server's /config.json, else a file dropped on it.
 */
import { fromBase64 } from "../format/bytes";
import { asMap, asText, isMap, parseJson, textOr, texts, type Json } from "../data/json_value";
import { Recording } from "../data/recording";
import type { App } from "./app";
import { LiveSession } from "./live_session";

const DROP = "Drop a recording (.mcap) on this page to see it, or two to compare them.";

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Says that page and server do not fit; true if they do. */
function checkVersion(app: App, server: string): boolean {
  if (server === app.version) return true;
  app.message(
    `This page is of Rigor ${app.version}, but the server that answers here is Rigor ${server || "(unknown)"}. ` +
      "Reload the page; if that does not help, end the older rigor view and start it again.",
    "Page and server are of different versions",
  );
  return false;
}

/** Opens recordings from bytes; what is wrong with one is said on the page. */
function openRecordings(app: App, files: { name: string; bytes: Uint8Array }[], begun: number): void {
  const recordings: Recording[] = [];
  for (const { name, bytes } of files) {
    try {
      recordings.push(new Recording(name, bytes));
    } catch (error) {
      app.message(`${name}: ${words(error)}`, "This recording cannot be shown");
      return;
    }
  }
  app.open("replay", recordings);
  app.openedMs = performance.now() - begun;
}

/** Asks the server for a path; no answer, or one that breaks off, is told in words. */
async function ask<T>(path: string, read: (answer: Response) => Promise<T>): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path);
    if (answer.ok) return await read(answer);
  } catch {
    throw new Error(
      `There is no whole answer from ${location.host} to ${path}. Is rigor view still running? Start it again and reload this page.`,
    );
  }
  throw new Error(`The server at ${location.host} answers ${answer.status} to ${path}: is it rigor view?`);
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  return new Uint8Array(await ask(url, (answer) => answer.arrayBuffer()));
}

async function openReplay(app: App, names: string[]): Promise<void> {
  const begun = performance.now();
  app.message(`Opening ${names.join(" and ")} …`);
  try {
    const bytes = await Promise.all(names.map((_, i) => fetchBytes(`/recording/${i}`)));
    openRecordings(
      app,
      names.map((name, i) => ({ name, bytes: bytes[i]! })),
      begun,
    );
  } catch (error) {
    app.message(words(error), "The recording cannot be fetched");
  }
}

function openReport(app: App, text: string): void {
  const begun = performance.now();
  try {
    const report = asMap(parseJson(text, "report"), "report");
    const bytes = fromBase64(asText(report.recording, "report.recording"));
    const summary = isMap(report.summary) ? report.summary : {};
    const recording = new Recording(textOr(report.name, textOr(summary.file, "report")), bytes);
    app.open("report", [recording], { summary: report.summary ?? {}, settings: report.settings ?? {} });
    app.openedMs = performance.now() - begun;
  } catch (error) {
    app.message(words(error), "This report cannot be shown");
  }
}

function openLive(app: App): void {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  app.message("Waiting for the run …");
  const session: LiveSession = new LiveSession(`${scheme}://${location.host}/ws`, {
    state: (state, retryIn) => {
      if (state === "open") app.banner.clear("connection");
      if (state !== "lost") return;
      app.grip.release();
      const wait = `Trying again in ${(retryIn / 1000).toFixed(1)} s.`;
      const action = { label: "Try now", run: () => session.retry() };
      app.banner.set("connection", "warning", `The connection to the run is lost: is rigor view still running? ${wait}`, action);
    },
    version: (version) => {
      if (checkVersion(app, version)) return true;
      app.banner.clear("connection");
      return false;
    },
    scene: (run) => app.open("live", [run]),
    status: (status) => app.setStatus(status),
    refused: (text) => app.banner.set("refused", "warning", `The run says: ${text}`),
  });
  app.live = session;
}

/** Files dropped on the page are opened; two at once are compared. */
function listenToDrops(app: App): void {
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])].slice(0, 2);
    if (files.length === 0 || app.mode === "live") return;
    const begun = performance.now();
    void Promise.all(files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })))
      .then((read) => openRecordings(app, read, begun))
      .catch((error: unknown) => app.message(words(error), "The file cannot be read"));
  });
}

async function readConfig(): Promise<Json | null> {
  if (location.protocol === "file:") return null;
  return parseJson(await ask("/config.json", (answer) => answer.text()), "/config.json");
}

export async function openPage(app: App): Promise<void> {
  listenToDrops(app);
  const report = document.getElementById("rigor-report")?.textContent;
  if (report) {
    openReport(app, report);
    return;
  }
  try {
    const json = await readConfig();
    if (json === null) {
      app.message(DROP, "Rigor");
      return;
    }
    const config = asMap(json, "/config.json");
    if (!checkVersion(app, textOr(config.version, ""))) return;
    if (config.mode === "live") openLive(app);
    else await openReplay(app, texts(config.recordings).slice(0, 2));
  } catch (error) {
    app.message(words(error), "The server cannot be reached");
  }
}
