/*
 * What the keyboard does: one table for the keys and for the help that lists them.
 *
 * A key is written as KeyboardEvent.key, with "Shift+" before names of several letters. Keys typed into a field, or with
 * control, alt or command, are left alone; escape leaves the field.
 */
import type { App } from "./app";
import { OVERLAYS } from "../stage/overlay_table";

export interface KeyEntry {
  keys: string[];
  group: string;
  text: string;
  run(app: App, key: string): void;
}

const TURN = 0.12; // rad a key press
const PAN = 0.06; // parts of the distance

export const KEYS: readonly KeyEntry[] = [
  { keys: [" "], group: "Time", text: "play or pause", run: (app) => app.togglePlay() },
  {
    keys: ["ArrowRight", "ArrowLeft"],
    group: "Time",
    text: "one frame on, back",
    run: (app, key) => app.step(key === "ArrowRight" ? 1 : -1),
  },
  {
    keys: ["Shift+ArrowRight", "Shift+ArrowLeft"],
    group: "Time",
    text: "ten frames on, back",
    run: (app, key) => app.step(key === "Shift+ArrowRight" ? 10 : -10),
  },
  { keys: ["Home"], group: "Time", text: "to the start", run: (app) => app.toStart() },
  { keys: ["End", "l"], group: "Time", text: "to the end, or to the live run", run: (app) => app.toEnd() },
  {
    keys: ["ArrowUp", "ArrowDown"],
    group: "Time",
    text: "faster, slower",
    run: (app, key) => app.changeSpeed(key === "ArrowUp" ? 1 : -1),
  },
  {
    keys: ["e", "E"],
    group: "Time",
    text: "to the next event, the one before",
    run: (app, key) => app.toEvent(key === "e" ? 1 : -1),
  },
  {
    keys: ["x", "X"],
    group: "Time",
    text: "less time, more time on the line",
    run: (app, key) => app.zoomTime(key === "x" ? 0.5 : 2),
  },
  { keys: ["w", "s", "a", "d"], group: "Camera", text: "turn up, down, left, right", run: turnCamera },
  { keys: ["W", "S", "A", "D"], group: "Camera", text: "move up, down, left, right", run: panCamera },
  {
    keys: ["PageUp", "PageDown"],
    group: "Camera",
    text: "nearer, farther",
    run: (app, key) => app.stage.rig.zoom(key === "PageUp" ? 0.85 : 1 / 0.85),
  },
  { keys: ["z"], group: "Camera", text: "bring everything into view", run: (app) => app.fit() },
  { keys: ["v"], group: "Camera", text: "next direction: corner, front, side, top", run: (app) => app.nextView() },
  { keys: ["f"], group: "Camera", text: "follow the selected body", run: (app) => app.follow() },
  {
    keys: ["n", "N"],
    group: "Bodies",
    text: "select the next body, the one before",
    run: (app, key) => app.selectNext(key === "n" ? 1 : -1),
  },
  { keys: ["Escape"], group: "Bodies", text: "let go, select nothing, close the help", run: (app) => app.escape() },
  {
    keys: OVERLAYS.map((kind) => kind.key),
    group: "Show",
    text: OVERLAYS.map((kind) => kind.label.toLowerCase()).join(", "),
    run: (app, key) => app.toggleOverlay(OVERLAYS.find((kind) => kind.key === key)!.id),
  },
  { keys: ["0"], group: "Show", text: "ground and grid", run: (app) => app.toggleGrid() },
  {
    keys: ["+", "-"],
    group: "Show",
    text: "longer, shorter force arrows",
    run: (app, key) => app.zoomForces(key === "+" ? 1.5 : 1 / 1.5),
  },
  { keys: ["o"], group: "Show", text: "the list of what is shown", run: (app) => app.toggleMarks() },
  { keys: ["p"], group: "Page", text: "plots and tables", run: (app) => app.togglePanel() },
  { keys: ["b"], group: "Page", text: "next tab of the panel", run: (app) => app.nextTab() },
  {
    keys: ["j", "J"],
    group: "Page",
    text: "next joint in the plots, the one before",
    run: (app, key) => app.plots.chooseNext(key === "j" ? 1 : -1),
  },
  { keys: ["c"], group: "Page", text: "two recordings: side by side or one over the other", run: (app) => app.toggleCompare() },
  { keys: ["t"], group: "Page", text: "light or dark", run: (app) => app.toggleTheme() },
  { keys: ["?"], group: "Page", text: "this list", run: (app) => app.showHelp() },
  { keys: ["r"], group: "Live run", text: "begin again", run: (app) => app.reset() },
  { keys: ["g"], group: "Live run", text: "grab the selected body, let it go", run: (app) => app.toggleGrab() },
];

function turnCamera(app: App, key: string): void {
  const about = { a: -TURN, d: TURN }[key] ?? 0;
  const up = { w: TURN, s: -TURN }[key] ?? 0;
  app.stage.rig.turn(about, up);
}

function panCamera(app: App, key: string): void {
  app.stage.rig.pan({ A: -PAN, D: PAN }[key] ?? 0, { W: PAN, S: -PAN }[key] ?? 0);
}

export function keyName(event: KeyboardEvent): string {
  return event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
}

/** Is the key meant for a field, or for a button that has the focus? */
function belongsToField(event: KeyboardEvent): boolean {
  const target = event.target;
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter");
}

export function listenToKeys(app: App): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
    else if (belongsToField(event)) return;
    const name = keyName(event);
    if (app.grip.pullByKey(name)) {
      event.preventDefault();
      return;
    }
    const entry = KEYS.find((candidate) => candidate.keys.includes(name));
    if (!entry) return;
    event.preventDefault();
    entry.run(app, name);
  });
}
