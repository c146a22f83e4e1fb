/*
 * Any JSON as tables for a person: objects of single values become rows, lists of objects a table with a column a member,
 * nested objects get a heading.
 */
import { isMap, type Json, type JsonMap } from "../data/json_value";
import { el, short } from "./dom";

function isSingle(value: Json): boolean {
  return typeof value !== "object" || value === null || (Array.isArray(value) && value.every((x) => typeof x === "number"));
}

export function words(name: string): string {
  return name.replace(/_/g, " ");
}

function valueText(value: Json): string {
  if (value === null) return "–";
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : short(value, 5);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(valueText).join("  ");
  return typeof value === "string" ? value : "";
}

function rowsTable(entries: [string, Json][]): HTMLElement {
  const rows = entries.map(([key, value]) =>
    el("tr", {}, el("th", { scope: "row" }, words(key)), el("td", {}, valueText(value))),
  );
  return el("table", { class: "pairs" }, ...rows);
}

function listTable(list: JsonMap[]): HTMLElement {
  const columns = [...new Set(list.flatMap((item) => Object.keys(item)))].filter((c) =>
    list.every((i) => isSingle(i[c] ?? null)),
  );
  const head = el("tr", {}, ...columns.map((c) => el("th", { scope: "col" }, words(c))));
  const rows = list.map((item) => el("tr", {}, ...columns.map((c) => el("td", {}, valueText(item[c] ?? null)))));
  return el("div", { class: "wide" }, el("table", { class: "list" }, head, ...rows));
}

/** Elements that show a JSON object. */
export function jsonTables(json: Json, level = 3): HTMLElement[] {
  if (!isMap(json)) return [el("p", {}, valueText(json))];
  const parts: HTMLElement[] = [];
  const single = Object.entries(json).filter(([, value]) => isSingle(value));
  if (single.length > 0) parts.push(rowsTable(single));
  for (const [key, value] of Object.entries(json)) {
    if (isSingle(value)) continue;
    parts.push(el(level === 3 ? "h3" : "h4", {}, words(key)));
    if (Array.isArray(value) && value.every(isMap)) parts.push(listTable(value));
    else if (isMap(value)) parts.push(...jsonTables(value, 4));
    else if (Array.isArray(value)) parts.push(el("p", {}, value.map(valueText).join(", ")));
  }
  return parts;
}
