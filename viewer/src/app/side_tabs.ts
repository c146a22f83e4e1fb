/*
 * The tabs beside the view: plots, and as the source has it a report or the settings of a live run.
 */
import { el } from "../panel/dom";
import type { Layout } from "./layout";

export class SideTabs {
  private readonly tabs = new Map<string, HTMLElement>();

  constructor(
    private readonly layout: Pick<Layout, "side" | "tabs" | "sideBody">,
    private readonly shown: () => void,
  ) {}

  /** Other tabs, of which one is shown. */
  set(tabs: readonly (readonly [string, HTMLElement])[], first: string): void {
    this.tabs.clear();
    for (const [name, panel] of tabs) this.tabs.set(name, panel);
    this.layout.tabs.replaceChildren(...[...this.tabs.keys()].map((name) => this.button(name)));
    this.show(first);
  }

  next(): void {
    const names = [...this.tabs.keys()];
    const name = names[(names.indexOf(this.layout.side.dataset.tab ?? "") + 1) % names.length];
    if (name !== undefined) this.show(name);
  }

  private show(tab: string): void {
    for (const button of this.layout.tabs.children) {
      button.setAttribute("aria-selected", String((button as HTMLElement).dataset.tab === tab));
    }
    this.layout.sideBody.replaceChildren(this.tabs.get(tab) ?? "");
    this.layout.side.dataset.tab = tab;
    this.shown();
  }

  private button(name: string): HTMLElement {
    return el("button", { type: "button", role: "tab", "data-tab": name, onclick: () => this.show(name) }, name);
  }
}
