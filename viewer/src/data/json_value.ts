/*
 * Taking values out of parsed JSON whose shape is not known: each function says what it expected, and where.
 */
import { FormatError } from "../format/bytes";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonMap = { [key: string]: Json };

export function parseJson(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new FormatError(`${where}: not valid JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asMap(value: Json | undefined, where: string): JsonMap {
  if (!isMap(value)) throw new FormatError(`${where}: expected an object`);
  return value;
}

export function asList(value: Json | undefined, where: string): Json[] {
  if (!Array.isArray(value)) throw new FormatError(`${where}: expected a list`);
  return value;
}

export function asText(value: Json | undefined, where: string): string {
  if (typeof value !== "string") throw new FormatError(`${where}: expected a text`);
  return value;
}

export function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

export function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** A list of exactly `count` numbers. */
export function asNumbers(value: Json | undefined, count: number, where: string): number[] {
  const list = asList(value, where);
  if (list.length !== count || !list.every((x) => typeof x === "number")) {
    throw new FormatError(`${where}: expected ${count} numbers`);
  }
  return list;
}

/** Texts of a list; everything else in it is left out. */
export function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((x): x is string => typeof x === "string") : [];
}
