/*
 * The page: top bar, 3D view with its cards, side panel with tabs, transport with time line.
 */
import { EVENT_KINDS } from "../data/events";
import { el } from "../panel/dom";
import { EVENT_COLOURS } from "../panel/time_line";
import { OVERLAYS } from "../stage/overlay_table";
import { SPEEDS } from "./player";

/** What the buttons of the page ask for. */
export interface Actions {
  togglePlay(): void;
  step(frames: number): void;
  toStart(): void;
  toEnd(): void;
  setSpeed(speed: number): void;
  toggleOverlay(id: string): void;
  toggleGrid(): void;
  fit(): void;
  follow(): void;
  nextView(): void;
  toggleTheme(): void;
  togglePanel(): void;
  toggleMarks(): void;
  toggleCompare(): void;
  reset(): void;
  showHelp(): void;
}

export interface Layout {
  root: HTMLElement;
  title: HTMLElement;
  chip: HTMLElement;
  canvas: HTMLCanvasElement;
  view: HTMLElement;
  marks: HTMLElement;
  markButtons: Map<string, HTMLButtonElement>;
  side: HTMLElement;
  tabs: HTMLElement;
  sideBody: HTMLElement;
  play: HTMLButtonElement;
  end: HTMLButtonElement;
  reset: HTMLButtonElement;
  compare: HTMLButtonElement;
  speed: HTMLSelectElement;
  time: HTMLElement;
  line: HTMLElement;
  scale: HTMLElement;
  message: HTMLElement;
  hover: HTMLElement;
  names: HTMLElement;
}

const ICON = {
  play: "M5 3l9 5-9 5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  end: "M11 3h2v10h-2zM3 3v10l7-5z",
  back: "M10 3v10L3 8zM11 3h2v10h-2z",
  next: "M6 3v10l7-5zM3 3h2v10H3z",
} as const;

export function setIcon(button: HTMLElement, name: keyof typeof ICON): void {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", ICON[name]);
  svg.append(path);
  button.replaceChildren(svg);
}

function button(label: string, title: string, run: () => void, classes = ""): HTMLButtonElement {
  return el("button", { type: "button", class: classes, title, "aria-label": title, onclick: run }, label);
}

function iconButton(icon: keyof typeof ICON, title: string, run: () => void): HTMLButtonElement {
  const made = button("", title, run, "icon");
  setIcon(made, icon);
  return made;
}

function markPanel(actions: Actions): { marks: HTMLElement; buttons: Map<string, HTMLButtonElement> } {
  const buttons = new Map<string, HTMLButtonElement>();
  const add = (id: string, key: string, label: string, hint: string, run: () => void): HTMLButtonElement => {
    const made = el(
      "button",
      { type: "button", class: "mark", title: hint, "aria-pressed": "false", "data-mark": id, onclick: run },
      el("kbd", {}, key),
      label,
    );
    buttons.set(id, made);
    return made;
  };
  const list = OVERLAYS.map((kind) => add(kind.id, kind.key, kind.label, kind.hint, () => actions.toggleOverlay(kind.id)));
  list.push(add("grid", "0", "Ground and grid", "the ground and its lines", () => actions.toggleGrid()));
  return { marks: el("div", { class: "card marks", "aria-label": "What is shown" }, ...list), buttons };
}

function topBar(actions: Actions, parts: Pick<Layout, "title" | "chip" | "compare">): HTMLElement {
  return el(
    "header",
    { class: "top" },
    el("span", { class: "brand" }, "Rigor"),
    parts.title,
    parts.chip,
    el("span", { class: "spring" }),
    parts.compare,
    button("Show", "What is shown (O)", () => actions.toggleMarks()),
    button("Fit", "Bring everything into view (Z)", () => actions.fit()),
    button("View", "Next direction: corner, front, side, top (V)", () => actions.nextView()),
    button("Panel", "Plots and tables (P)", () => actions.togglePanel()),
    button("◐", "Light or dark (T)", () => actions.toggleTheme(), "icon"),
    button("?", "Keys (?)", () => actions.showHelp(), "icon"),
  );
}

function transport(actions: Actions, parts: Pick<Layout, "play" | "end" | "reset" | "speed" | "time" | "line">): HTMLElement {
  const legend = EVENT_KINDS.map((kind) => el("span", { style: `--line:${EVENT_COLOURS[kind]}` }, kind));
  return el(
    "footer",
    { class: "transport" },
    el(
      "div",
      { class: "buttons" },
      iconButton("start", "To the start (Home)", () => actions.toStart()),
      iconButton("back", "One frame back (left arrow)", () => actions.step(-1)),
      parts.play,
      iconButton("next", "One frame or step on (right arrow)", () => actions.step(1)),
      parts.end,
      parts.speed,
      parts.reset,
      parts.time,
    ),
    el("div", { class: "legend" }, ...legend),
    parts.line,
  );
}

export function buildLayout(host: HTMLElement, actions: Actions): Layout {
  const { marks, buttons } = markPanel(actions);
  const speed = el(
    "select",
    { "aria-label": "Speed", title: "Speed (arrows up and down)", onchange: () => actions.setSpeed(Number(speed.value)) },
    ...SPEEDS.map((s) => el("option", { value: s }, `${s}×`)),
  );
  const layout: Omit<Layout, "root"> = {
    title: el("span", { class: "title" }),
    chip: el("span", { class: "chip" }),
    canvas: el("canvas", { class: "stage", tabindex: "0", "aria-label": "3D view" }),
    view: el("main", { class: "view" }),
    marks,
    markButtons: buttons,
    side: el("aside", { class: "side", "aria-label": "Plots and tables" }),
    tabs: el("nav", { class: "tabs", role: "tablist" }),
    sideBody: el("div", { class: "side-body" }),
    play: iconButton("play", "Play or pause (space)", () => actions.togglePlay()),
    end: iconButton("end", "To the end (End)", () => actions.toEnd()),
    reset: button("Reset", "Begin again (R)", () => actions.reset()),
    compare: button("Ghost", "Side by side or one over the other (C)", () => actions.toggleCompare()),
    speed,
    time: el("output", { class: "time" }),
    line: el("div", { class: "line" }),
    scale: el("div", { class: "scale" }),
    message: el("div", { class: "message", hidden: true }),
    hover: el("div", { class: "tip hover", hidden: true }),
    names: el("div", { class: "names", hidden: true }),
  };
  layout.view.append(layout.canvas, layout.names, marks, layout.scale, layout.hover, layout.message);
  layout.side.append(layout.tabs, layout.sideBody);
  const root = el("div", { class: "page" }, topBar(actions, layout), layout.view, layout.side, transport(actions, layout));
  host.replaceChildren(root);
  return { ...layout, root };
}

/** Shows a speed in its list, where it is put if it is a new one. */
export function showSpeed(list: HTMLSelectElement, speed: number): void {
  const value = String(speed);
  if (document.activeElement === list || list.value === value) return;
  if (![...list.options].some((option) => option.value === value))
    list.append(el("option", { value }, speed === 0 ? "max" : `${value}×`));
  list.value = value;
}
