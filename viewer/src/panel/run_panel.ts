/*
 * Controls of a live run: stepper, solver, step size, reset, and how it is going.
 */
import type { LiveCommand, LiveStatus } from "../data/live_link";
import type { Scene } from "../data/scene";
import { el, seconds, short } from "./dom";

function fill(select: HTMLSelectElement, names: readonly string[], chosen: string): void {
  const all = names.includes(chosen) || chosen === "" ? names : [chosen, ...names];
  const same = all.length === select.options.length && all.every((name, i) => select.options[i]!.value === name);
  if (!same) select.replaceChildren(...all.map((name) => el("option", { value: name }, name)));
  if (document.activeElement !== select) select.value = chosen;
}

export class RunPanel {
  readonly element: HTMLElement;
  private readonly stepper: HTMLSelectElement;
  private readonly solver: HTMLSelectElement;
  private readonly dt: HTMLInputElement;
  private readonly facts = el("table", { class: "pairs" });
  private steppers: readonly string[] = [];
  private solvers: readonly string[] = [];

  constructor(send: (command: LiveCommand) => void) {
    this.stepper = el("select", { onchange: () => send({ op: "set", stepper: this.stepper.value }) });
    this.solver = el("select", { onchange: () => send({ op: "set", solver: this.solver.value }) });
    this.dt = el("input", {
      type: "number",
      step: "any",
      min: "0",
      onchange: () => {
        const value = Number(this.dt.value);
        if (value > 0) send({ op: "set", dt: value });
      },
    });
    this.element = el(
      "div",
      { class: "run" },
      el("label", {}, "Stepper", this.stepper),
      el("label", {}, "Solver", this.solver),
      el("label", {}, "Step (s)", this.dt),
      this.facts,
      el(
        "p",
        { class: "quiet" },
        "Drag a body with the mouse to pull it by a spring; on the keyboard N selects, G grabs, arrows pull.",
      ),
    );
  }

  setScene(scene: Scene): void {
    [this.steppers, this.solvers] = [scene.steppers, scene.solvers];
  }

  setStatus(status: LiveStatus): void {
    fill(this.stepper, this.steppers, status.stepper);
    fill(this.solver, this.solvers, status.solver);
    if (document.activeElement !== this.dt) this.dt.value = Number.isFinite(status.dt) ? String(status.dt) : "";
    const rows: [string, string][] = [
      ["state", status.running ? "running" : "paused"],
      ["simulated time", seconds(status.time)],
      ["real-time factor", short(status.realTimeFactor, 3)],
      ["frames left out", String(status.dropped)],
    ];
    if (status.droppedEvents > 0) rows.push(["events left out", String(status.droppedEvents)]);
    this.facts.replaceChildren(
      ...rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value))),
    );
  }
}
