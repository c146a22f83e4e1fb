/*
 * Messages across the top of the page: what went wrong, in clear words. One a subject; a new one takes the place of the old.
 */
import { el } from "./dom";

export type BannerKind = "error" | "warning" | "note";

export class Banner {
  readonly element = el("div", { class: "banners", role: "status", "aria-live": "polite" });
  private readonly shown = new Map<string, HTMLElement>();

  set(subject: string, kind: BannerKind, text: string, action?: { label: string; run: () => void }): void {
    this.clear(subject);
    const banner = el(
      "div",
      { class: `banner ${kind}`, role: kind === "error" ? "alert" : "status", "data-subject": subject },
      el("span", {}, text),
      action ? el("button", { class: "small", onclick: action.run }, action.label) : null,
      el("button", { class: "small", "aria-label": "Close", onclick: () => this.clear(subject) }, "×"),
    );
    this.shown.set(subject, banner);
    this.element.append(banner);
  }

  clear(subject: string): void {
    this.shown.get(subject)?.remove();
    this.shown.delete(subject);
  }

  texts(): string[] {
    return [...this.shown.values()].map((banner) => banner.querySelector("span")?.textContent ?? "");
  }
}
