/*
 * The list of plots: which columns of a series each one draws.
 */
import type { Scene } from "../data/scene";
import type { Series } from "../data/series";

export interface PlotLine {
  column: string;
  label: string;
  colour: string;
  dash?: boolean;
}

/** A line across the plot at a fixed number, such as a limit. */
export interface PlotLevel {
  value: number;
  label: string;
}

export interface PlotContent {
  lines: PlotLine[];
  levels?: PlotLevel[];
}

export interface PlotKind {
  id: string;
  title: string;
  unit: string;
  log?: boolean;
  joint?: boolean; // of the joint that is chosen
  content(series: Series, scene: Scene, joint: string): PlotContent;
}

const BLUE = "#4a86c5";
const AMBER = "#d9923b";
const GREEN = "#4c9f77";
const RED = "#cf5f52";
const VIOLET = "#8577b8";
const AID_COLOURS = [BLUE, AMBER, GREEN, RED, VIOLET, "#4fa3ad", "#a08b5b", "#8d9c45"];

/** Limits of a joint row, from the joint it belongs to. */
function limitsOf(scene: Scene, row: string, key: "lower" | "upper" | "effort"): number {
  for (const joint of scene.joints) {
    const k = joint.rows.indexOf(row);
    if (k >= 0) return joint[key][k] ?? joint[key][0] ?? Infinity;
  }
  return Infinity;
}

function finite(levels: PlotLevel[]): PlotLevel[] {
  return levels.filter((level) => Number.isFinite(level.value));
}

export const PLOTS: readonly PlotKind[] = [
  {
    id: "energy",
    title: "Energy",
    unit: "J",
    content: () => ({
      lines: [
        { column: "kinetic", label: "kinetic", colour: AMBER },
        { column: "potential", label: "potential", colour: GREEN },
        { column: "energy", label: "total", colour: BLUE },
      ],
    }),
  },
  {
    id: "drift",
    title: "Change of energy since the start",
    unit: "J",
    content: () => ({ lines: [{ column: "drift", label: "change", colour: BLUE }] }),
  },
  {
    id: "aids",
    title: "Energy by stabilisation since the start",
    unit: "J",
    content: (series) => ({
      lines: series.names
        .filter((name) => name.startsWith("aids.") && name.endsWith(".total") && isUsed(series, name))
        .map((column, i) => ({
          column,
          label: column.slice(5, -6),
          colour: AID_COLOURS[i % AID_COLOURS.length]!,
        })),
    }),
  },
  {
    id: "dt",
    title: "Step size",
    unit: "s",
    log: true,
    content: () => ({ lines: [{ column: "dt", label: "dt", colour: VIOLET }] }),
  },
  {
    id: "residual",
    title: "Residual",
    unit: "",
    log: true,
    content: () => ({ lines: [{ column: "residual", label: "residual", colour: RED }] }),
  },
  {
    id: "distance",
    title: "Least distance",
    unit: "m",
    content: () => ({ lines: [{ column: "least_distance", label: "distance", colour: GREEN }] }),
  },
  {
    id: "position",
    title: "Joint position",
    unit: "",
    joint: true,
    content: (_, scene, joint) => ({
      lines: [
        { column: `q:${joint}`, label: "position", colour: BLUE },
        { column: `target q:${joint}`, label: "target", colour: AMBER, dash: true },
      ],
      levels: finite([
        { value: limitsOf(scene, joint, "lower"), label: "lower" },
        { value: limitsOf(scene, joint, "upper"), label: "upper" },
      ]),
    }),
  },
  {
    id: "velocity",
    title: "Joint velocity",
    unit: "",
    joint: true,
    content: (_, __, joint) => ({
      lines: [
        { column: `v:${joint}`, label: "velocity", colour: VIOLET },
        { column: `target v:${joint}`, label: "target", colour: AMBER, dash: true },
      ],
    }),
  },
  {
    id: "effort",
    title: "Joint torque",
    unit: "",
    joint: true,
    content: (_, scene, joint) => ({
      lines: [
        { column: `effort:${joint}`, label: "torque", colour: RED },
        { column: `most:${joint}`, label: "motor limit", colour: AMBER, dash: true },
        { column: `least:${joint}`, label: "", colour: AMBER, dash: true },
      ],
      levels: finite([
        { value: -limitsOf(scene, joint, "effort"), label: "limit" },
        { value: limitsOf(scene, joint, "effort"), label: "limit" },
      ]),
    }),
  },
];

/** Has a column a number other than zero? */
function isUsed(series: Series, name: string): boolean {
  return series.values(name)?.some((x) => Number.isFinite(x) && x !== 0) ?? false;
}

/** Has a column any known number? On a logarithmic axis only those above zero count. */
export function isKnown(series: Series, name: string, log: boolean): boolean {
  return series.values(name)?.some((x) => Number.isFinite(x) && (!log || x > 0)) ?? false;
}
