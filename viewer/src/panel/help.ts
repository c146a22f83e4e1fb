/* The list of keys, as a dialog. */
import { el } from "./dom";

export interface HelpEntry {
  keys: string[];
  group: string;
  text: string;
}

const NAMES: Record<string, string> = {
  " ": "space",
  ArrowRight: "→",
  ArrowLeft: "←",
  ArrowUp: "↑",
  ArrowDown: "↓",
  "Shift+ArrowRight": "⇧ →",
  "Shift+ArrowLeft": "⇧ ←",
  PageUp: "page ↑",
  PageDown: "page ↓",
  Escape: "esc",
};

export class Help {
  readonly element: HTMLDialogElement;

  constructor(entries: readonly HelpEntry[], version: string) {
    const groups = [...new Set(entries.map((entry) => entry.group))];
    const sections = groups.map((group) =>
      el(
        "section",
        {},
        el("h3", {}, group),
        ...entries
          .filter((entry) => entry.group === group)
          .map((entry) => el("p", {}, el("span", { class: "keys" }, ...entry.keys.map(keyElement)), el("span", {}, entry.text))),
      ),
    );
    const mouse =
      "Mouse: drag turns, right drag or shift moves, wheel zooms; click selects; in a live run dragging a body pulls it.";
    this.element = el(
      "dialog",
      { class: "help", "aria-label": "Keys" },
      el("h2", {}, "Keys"),
      el("div", { class: "help-columns" }, ...sections),
      el("p", { class: "quiet" }, `${mouse} Rigor ${version}.`),
    );
    this.element.addEventListener("click", () => this.close());
  }

  toggle(): void {
    if (this.element.open) this.close();
    else this.element.showModal();
  }

  close(): void {
    if (this.element.open) this.element.close();
  }
}

function keyElement(key: string): HTMLElement {
  return el("kbd", {}, NAMES[key] ?? key);
}
