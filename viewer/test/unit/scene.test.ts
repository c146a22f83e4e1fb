/* The scene: limits, names of joint rows, the world's shapes, meshes; what is wrong is named with its place. */
import { describe, expect, it } from "vitest";
import type { Json, JsonMap } from "../../src/data/json_value";
import { linkOf, readScene, WORLD_INDEX } from "../../src/data/scene";
import { linkColours } from "../../src/stage/palette";
import { sceneJson } from "../support/small_run";

/** The scene of the small run, changed by a function. */
function scene(change: (json: JsonMap) => void = () => undefined): JsonMap {
  const json = JSON.parse(JSON.stringify(sceneJson({ frames: 1, rate: 1, extraBodies: 3 }))) as JsonMap;
  change(json);
  return json;
}

function shapeOf(json: JsonMap): JsonMap {
  return ((json.links as JsonMap[])[0]!.visual as JsonMap[])[0]!;
}

const base64 = (array: ArrayBufferView): string =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
const TRIANGLE = { vertices: base64(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0)), triangles: base64(Uint32Array.of(0, 1, 2)) };

describe("a scene", () => {
  it("has the world as its last link, and its index in contacts", () => {
    const read = readScene(scene());
    expect(read.links.map((link) => link.name).pop()).toBe("world");
    expect(read.links.at(-1)!.collision[0]!.kind).toBe("halfspace");
    expect(linkOf(read, 2)).toBe(2);
    expect(linkOf(read, WORLD_INDEX)).toBe(read.links.length - 1);
  });

  it("takes null for no limit, and one limit a velocity", () => {
    const read = readScene(
      scene((json) => {
        const joint = (json.joints as JsonMap[])[0]!;
        Object.assign(joint, { nv: 2, v_index: 0, lower: [-1, null], upper: [null, 3], effort: [null, 7] });
        json.v_names = ["a", "b"];
      }),
    );
    const joint = read.joints[0]!;
    expect(joint.rows).toEqual(["a", "b"]);
    expect([joint.lower, joint.upper, joint.effort]).toEqual([
      [-1, -Infinity],
      [Infinity, 3],
      [Infinity, 7],
    ]);
  });

  it("takes meshes in place and by number", () => {
    const read = readScene(
      scene((json) => {
        json.meshes = [TRIANGLE];
        Object.assign(shapeOf(json), { kind: "mesh", mesh: 0 });
        ((json.links as JsonMap[])[1]!.visual as Json[]).push({ kind: "polytope", mesh: TRIANGLE });
      }),
    );
    expect(read.meshes.length).toBe(2);
    expect(read.links[1]!.visual[1]!.mesh).toBe(1);
    expect([...read.meshes[1]!.triangles]).toEqual([0, 1, 2]);
  });

  it("says what is wrong, and where", () => {
    const cases: [(json: JsonMap) => void, RegExp][] = [
      [(json) => delete json.links, /scene\.links: expected a list/],
      [(json) => (shapeOf(json).kind = "torus"), /links\[0\]\.visual\[0\]: the shape "torus" is unknown/],
      [(json) => delete shapeOf(json).radius, /visual\[0\]\.radius: expected 1 numbers/],
      [(json) => (shapeOf(json).mesh = 4), /there is no mesh 4/],
      [(json) => (shapeOf(json).pose = { p: [1, 2], q: [1, 0, 0, 0] }), /pose\.p: expected 3 numbers/],
      [(json) => (json.meshes = [{ ...TRIANGLE, triangles: base64(Uint32Array.of(0, 1, 9)) }]), /a vertex that is not there/],
      [(json) => (json.meshes = [{ ...TRIANGLE, vertices: "!!" }]), /base64/],
      [(json) => (json.meshes = [{ ...TRIANGLE, vertices: "AAAA" }]), /12 bytes a vertex/],
    ];
    for (const [change, words] of cases) expect(() => readScene(scene(change))).toThrow(words);
    expect(() => readScene(null)).toThrow(/expected an object/);
  });

  it("gives links of a robot that look alike one colour, free bodies different ones", () => {
    const colours = linkColours(readScene(scene()));
    expect(new Set(colours.slice(2, 5)).size).toBe(3);
    const jointed = readScene(
      scene((json) => {
        const joint = (json.joints as JsonMap[])[0]!;
        json.joints = [2, 3, 4].map((child) => ({ ...joint, parent: 1, child }));
      }),
    );
    expect(new Set(linkColours(jointed).slice(2, 5)).size).toBe(1);
  });
});
