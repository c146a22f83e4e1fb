#!/usr/bin/python3
"""Axes of `rigor sweep` that are cases, keys that a null takes away, and gaits that begin where the feet are."""
import csv
import json

import tap

DIE = tap.MODELS / "die.yaml"


class CasesTest(tap.CommandTest):
    def sweep(self, text, run=DIE):
        file = self.write("s.yaml", f"run: {run}\n{text}")
        self.rigor("sweep", file, "--out", self.folder / "t", "--quiet")
        with open(self.folder / "t.csv", newline="") as table:
            return list(csv.DictReader(table))

    def bad(self, text, *says):
        self.refused("sweep", self.write("s.yaml", f"run: {DIE}\n{text}"), "--out", self.folder / "t", says=list(says))


class Cases(CasesTest):
    def test_each_case_sets_its_own_keys(self):
        """A column of words; what a case does not set is as in the run file; the next axis is crossed with it."""
        rows = self.sweep("set: {duration: 0.05}\n"
                          "axes:\n"
                          "  - name: how\n"
                          "    cases:\n"
                          "      plain: {}\n"
                          "      on the moon: {gravity: [0, 0, -1.62], solver: {name: pgs, iterations: 20}}\n"
                          "      by quick: {solver.name: quick, solver.iterations: 30}\n"
                          "  - {key: stepper.step, values: [1e-3, 5e-3]}\n"
                          "outputs: [state_hash]\n")
        self.assertEqual([(r["how"], float(r["stepper.step"])) for r in rows],
                         [(how, h) for how in ("plain", "on the moon", "by quick") for h in (1e-3, 5e-3)])
        options = {"plain": [], "on the moon": ["--gravity=0,0,-1.62", "--solver", "pgs", "--iterations", "20"], "by quick": ["--solver", "quick", "--iterations", "30"]}
        for row in rows:
            run = self.json("run", DIE, "--time", "0.05", "--step", row["stepper.step"], *options[row["how"]])
            self.assertEqual(row["state_hash"], run["state_hash"], row)
        axis = json.loads((self.folder / "t.json").read_text())["axes"][0]
        self.assertEqual((axis["columns"], axis["values"]), (["how"], ["plain", "on the moon", "by quick"]))

    def test_bad_cases_are_told(self):
        self.bad("axes: [{cases: {a: {}}}]\n", "s.yaml:2:8", "'cases' need a 'name'")
        self.bad("axes: [{name: x, key: duration, cases: {a: {}}}]\n", "'cases' take a 'name' and nothing else")
        self.bad("axes: [{name: x, cases: {a: {}}, change: times}]\n", "'cases' take a 'name' and nothing else")
        self.bad("axes: [{name: x, cases: {}}]\n", "s.yaml:2:25", "cases: there are none")
        self.bad("axes: [{name: x, cases: [1, 2]}]\n", "cases: expected keys with values")
        self.bad("axes: [{name: x, cases: {a: 3}}]\n", "a: expected keys with values")
        self.bad("axes: [{name: x, cases: {a: {solver..name: 3}}}]\n", "'solver..name' is no path")
        self.bad("axes: [{name: x, cases: {a: {}, wrong: {gravity: up}}}]\n", "axis 'x', value wrong", "gravity")
        self.bad("axes: [{name: x, cases: {a: {models.nobody.pose: 3}}}]\n", "nobody")
        self.bad("axes: [{name: run, cases: {a: {}}}]\n", "two columns have the name 'run'")


class Nulls(CasesTest):
    def test_a_null_takes_the_key_away(self):
        """As a run file without the key has it; sections too, and keys that are not there; in quotes it is a word."""
        file = self.write("two.yaml", f"models: [{{file: {tap.MODELS}/double_pendulum.sdf}}]\nduration: 0.05\nstepper: {{name: rk4, step: 5e-3}}\ngravity: [0, 0, -3]\n")
        rows = self.sweep("axes:\n"
                          "  - {keys: [stepper.name, stepper.step], names: [name, step], values: [[~, 5e-3], [rk4, null], [rk4, 5e-3]]}\n"
                          "  - {key: gravity, values: [~, [0, 0, -3]]}\n"
                          "set: {threads: ~, solver.iterations: ~}\n"
                          "outputs: [state_hash]\n", run=file)
        self.assertEqual([(r["name"], r["step"], r["gravity"]) for r in rows],
                         [(a, b, c) for a, b in (("", "0.005"), ("rk4", "nan"), ("rk4", "0.005")) for c in ("", "[0, 0, -3]")])
        for row in rows:
            stepper = ", ".join(([f"name: {row['name']}"] if row["name"] else []) + ([f"step: {row['step']}"] if row["step"] != "nan" else []))
            gravity = f"gravity: {row['gravity']}\n" if row["gravity"] else ""
            alone = self.write("one.yaml", f"models: [{{file: {tap.MODELS}/double_pendulum.sdf}}]\nduration: 0.05\nstepper: {{{stepper}}}\n{gravity}")
            self.assertEqual(row["state_hash"], self.json("run", alone)["state_hash"], row)
        self.assertEqual(len({r["state_hash"] for r in rows}), 6)
        self.bad("set: {stepper.name: '~'}\n", "unknown '~'")
        self.bad("axes: [{key: duration, values: [1, ~], change: times}]\n", "expected numbers")

    def test_what_a_run_needs_cannot_go(self):
        self.bad("set: {models: ~}\n", "models")


class Gaits(CasesTest):
    def test_feet_wait_where_they_are(self):
        """A trot whose feet begin beside their places: springs of the feet give nothing at the first sample, since all goals are where the feet are."""
        path = "models.links.control.controllers[0].trajectory.from_start"
        rows = self.sweep(f"set: {{duration: 0.001, gravity: [0, 0, 0]}}\naxes: [{{key: '{path}', name: wait, values: [false, true]}}]\n"
                          "outputs: [control.largest_effort, state_hash]\n", run=tap.MODELS / "links_trot.yaml")
        effort = [float(r["control.largest_effort"]) for r in rows]
        self.assertGreater(effort[0], 0.1)
        self.assertLess(effort[1], 1e-12)
        plain = self.json("run", tap.MODELS / "links_trot.yaml", "--time", "0.001", "--gravity=0,0,0")
        self.assertEqual(rows[0]["state_hash"], plain["state_hash"])

    def test_errors(self):
        text = (tap.MODELS / "links_trot.yaml").read_text().replace("file: ", f"file: {tap.MODELS}/")
        self.refused("run", self.write("g.yaml", text.replace("lift: 0.03", "lift: 0.03, from_start: 3")), says=["g.yaml:40:85", "from_start"])
        self.refused("run", self.write("g.yaml", "models: [{file: " + str(tap.MODELS / "arm6.urdf") + "}]\n"
                                       "control: [{kind: pd, joints: all, kp: 1, kd: 1, trajectory: {kind: constant, position: 0, from_start: true}}]\n"),
                     says=["from_start"])


if __name__ == "__main__":
    tap.main()
