/* Making elements in one line, and numbers as texts. */

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element with attributes ("on..." with a function: a listener; true: present; false: absent) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

/** A number with few digits, for a person. */
export function short(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5))
    return value
      .toExponential(Math.max(1, digits - 2))
      .replace(/\.?0+e/, "e")
      .replace("e+", "e")
      .replace(/-/g, "−");
  if (size >= 10 ** digits) return value.toFixed(0).replace("-", "−");
  return trim(value.toPrecision(digits)).replace("-", "−");
}

function trim(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** A time in seconds, with the digits that frames differ by. */
export function seconds(time: number): string {
  return `${time.toFixed(3)} s`;
}

/** Parts that are below 1e-4 of the largest are 0 here. */
export function vector(values: readonly number[], digits = 3): string {
  const least = Math.max(1e-9, 1e-4 * Math.max(...values.map(Math.abs)));
  return values.map((x) => short(Math.abs(x) < least ? 0 : x, digits)).join("  ");
}
