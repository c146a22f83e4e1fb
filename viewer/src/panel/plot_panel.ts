/*
 * The column of plots, and the choice of the joint that the joint plots are about.
 */
import { jointRowNames } from "../data/frame";
import type { Source } from "../data/source";
import { el } from "./dom";
import { PLOTS } from "./plot_table";
import { PlotView, type PlotColours, type PlotState } from "./plot_view";
import type { TimeWindow } from "./time_window";

export class PlotPanel {
  readonly element: HTMLElement;
  joint = "";
  private readonly choice: HTMLSelectElement;
  private readonly choiceRow: HTMLElement;
  private readonly views: PlotView[];
  private names: string[] = []; // joints that have a position
  private all: string[] = [];

  constructor(
    seek: (time: number) => void,
    private readonly changed: () => void,
  ) {
    this.views = PLOTS.map((kind) => new PlotView(kind, seek));
    this.choice = el("select", { "aria-label": "Joint shown in the plots", onchange: () => this.choose(this.choice.value) });
    this.choiceRow = el("label", { class: "joint-choice" }, "Joint ", this.choice, el("kbd", {}, "J"));
    const [general, joints] = [this.views.filter((v) => !v.kind.joint), this.views.filter((v) => v.kind.joint)];
    this.element = el(
      "div",
      { class: "plots" },
      ...general.map((v) => v.element),
      this.choiceRow,
      ...joints.map((v) => v.element),
    );
  }

  setSources(sources: readonly Source[]): void {
    this.all = sources[0] ? jointRowNames(sources[0].scene) : [];
    this.joint = "";
    this.setNames([]);
  }

  private setNames(names: string[]): void {
    this.names = names;
    this.choice.replaceChildren(...this.names.map((name) => el("option", { value: name }, name)));
    this.choiceRow.hidden = this.names.length === 0;
    if (!this.names.includes(this.joint)) this.joint = this.names[0] ?? "";
    this.choice.value = this.joint;
  }

  choose(joint: string): void {
    this.joint = joint;
    this.choice.value = joint;
    this.changed();
  }

  chooseNext(by: 1 | -1): void {
    const count = this.names.length;
    if (count > 0) this.choose(this.names[(this.names.indexOf(this.joint) + by + count) % count]!);
  }

  update(sources: readonly Source[], window: TimeWindow, colours: PlotColours): void {
    const known = this.all.filter((name) => sources[0]?.series.has(`q:${name}`));
    if (known.length !== this.names.length) this.setNames(known);
    for (const view of this.views) view.update(sources, window, this.joint, colours);
  }

  /** Marks a time, and tells the numbers at it. */
  setTime(time: number, told: boolean): void {
    for (const view of this.views) view.setTime(time, told);
  }

  resize(): void {
    for (const view of this.views) view.resize();
  }

  states(): PlotState[] {
    return this.views.map((view) => view.state());
  }
}
