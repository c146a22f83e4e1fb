/*
 * The report of a run: its summary and settings beside the replay.
 */
import type { Json } from "../data/json_value";
import { el } from "./dom";
import { jsonTables } from "./json_table";

export interface Report {
  summary: Json;
  settings: Json;
}

export function reportPanel(report: Report): HTMLElement {
  return el(
    "div",
    { class: "report" },
    el("h2", {}, "Summary"),
    ...jsonTables(report.summary),
    el("h2", {}, "Settings"),
    ...jsonTables(report.settings),
  );
}
