import { describe, expect, it } from "vitest";
import { EVENT_KINDS, Events } from "../../src/data/events";
import { EVENT_COLOURS, numbersOf } from "../../src/panel/time_line";

const linkName = (index: number): string => `link ${index}`;

describe("events", () => {
  it("of damping fields have the name of the field and of the body", () => {
    const events = new Events();
    events.add({ t: 1, kind: "enter", a: "world", b: "ball", field: "pool", field_index: 0, value: 2 }, linkName);
    events.add({ t: 2, kind: "exit", a: "world", b: "ball", field: "pool", field_index: 0, value: 2 }, linkName);
    expect(events.count).toBe(2);
    expect(events.get(0)).toMatchObject({ kind: "enter", a: "pool", b: "ball", value: 2 });
    expect(events.get(1)).toMatchObject({ kind: "exit", a: "pool", b: "ball" });
  });

  it("of every kind are kept in the order of time, with what was told of them", () => {
    const events = new Events();
    EVENT_KINDS.forEach((kind, i) => {
      events.add(
        { t: 9 - i, kind, a: "a", b: "b", value: i, impulse: 0.5 * i, uncertainty: 0.25, force: 2, contacts: 3 },
        linkName,
      );
    });
    expect(events.count).toBe(EVENT_KINDS.length);
    EVENT_KINDS.forEach((kind, i) => {
      const at = EVENT_KINDS.length - 1 - i;
      const expected = {
        time: 9 - i,
        kind,
        a: "a",
        b: "b",
        value: i,
        impulse: 0.5 * i,
        uncertainty: 0.25,
        force: 2,
        contacts: 3,
      };
      expect(events.get(at)).toEqual(expected);
      expect(EVENT_COLOURS[kind]).toMatch(/^#[0-9a-f]{6}$/);
    });
  });

  it("of unknown kinds, or without numbers, do no harm", () => {
    const events = new Events();
    events.add({ t: 1, kind: "explode" }, linkName);
    events.add(3, linkName);
    events.add({ t: 1, kind: "leave", joint: "hinge" }, linkName);
    expect(events.count).toBe(1);
    expect(events.get(0).a).toBe("hinge");
    expect(numbersOf(events.get(0))).toBe("");
  });

  it("grow beyond their first room", () => {
    const events = new Events();
    for (let i = 0; i < 1000; i++) events.add({ t: i, kind: "impact", a: 1, b: 2, value: 1, impulse: i }, linkName);
    expect(events.get(999)).toMatchObject({ time: 999, impulse: 999, a: "link 1" });
  });

  it("are told with their numbers", () => {
    const base = { time: 0, a: "a", b: "b", force: 0, contacts: 0 };
    const impact = { ...base, kind: "impact" as const, value: 1.5, impulse: 2, uncertainty: 1e-6 };
    expect(numbersOf(impact)).toBe(" (1.5 m/s, impulse 2, ± 1e-6 s)");
    expect(numbersOf({ ...base, kind: "limit", value: 0.5, impulse: 0, uncertainty: 0 })).toBe(" (0.5)");
  });
});
