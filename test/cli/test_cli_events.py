#!/usr/bin/python3
"""Events of a run as a list, their counts, inner steps; and the settings of steppers that choose their own steps."""
import csv
import json
import math
import unittest

import tap

KINDS = {"touch", "break", "stick", "slip", "limit", "impact", "roll", "leave", "manifold",
         "saturate", "recover", "unfinished", "attach", "detach", "broke", "enter", "exit"}
BALL = """<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity>
  <model name="floor"><static>true</static><link name="floor"><collision name="c"><geometry>
    <plane><normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link></model>
  <model name="ball"><pose>0 0 0.6 0 0 0</pose><link name="ball, red"><inertial><mass>2</mass>
    <inertia><ixx>0.008</ixx><iyy>0.008</iyy><izz>0.008</izz></inertia></inertial>
    <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model>
</world></sdf>
"""
STOP = """<robot name="stop"><link name="world"/>
  <link name="bar"><inertial><origin xyz="1 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="world"/><child link="bar"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="0.5" effort="100" velocity="100"/></joint></robot>
"""


class Lists(tap.CommandTest):
    def events(self, *arguments):
        """The lines of --events -."""
        return [json.loads(line) for line in self.rigor("run", *arguments, "--events", "-").stdout.splitlines()]

    def test_a_falling_ball(self):
        """It touches and strikes after sqrt(2 h / g), at sqrt(2 g h), with m v; the list is alone on the output."""
        events = self.events(self.write("b.sdf", BALL), "--time", "1", "--step", "0.001")
        touch = next(e for e in events if e["kind"] == "touch")
        impact = next(e for e in events if e["kind"] == "impact")
        self.assertAlmostEqual(touch["t"], math.sqrt(2 * 0.5 / 9.81), delta=0.003)
        self.assertAlmostEqual(impact["value"], math.sqrt(2 * 0.5 * 9.81), delta=0.05)
        self.assertGreater(impact["impulse"], 0)
        self.assertEqual(impact["normal"], [0, 0, 1])
        self.assertEqual(touch["uncertainty"], 0.001)
        self.assertEqual(touch["b"], "ball, red")

    def test_csv_has_the_same_events(self):
        model, out = self.write("b.sdf", BALL), self.folder / "e.csv"
        events = self.events(model, "--time", "1")
        text = self.rigor("run", model, "--time", "1", "--events", out).stdout
        with open(out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(events))
        self.assertGreater(len(rows), 1)
        for row, event in zip(rows, events):
            self.assertEqual(row["kind"], event["kind"])
            self.assertEqual(row["b"], event["b"])
            for key in ("t", "uncertainty", "value", "impulse"):
                self.assertEqual(float(row[key]), event[key])
            for i, axis in enumerate("xyz"):
                self.assertEqual(float(row[f"point_{axis}"]), event["point"][i])
                self.assertEqual(float(row[f"normal_{axis}"]), event["normal"][i])
        self.assertIn(f"event list     {out}", text)
        self.assertRegex(text, "events +touch 1, impact 1")

    def test_a_joint_reaches_and_leaves_its_limit(self):
        model, out = self.write("s.urdf", STOP), self.folder / "e.csv"
        kinds = [(e["kind"], e["joint"], e["dof"]) for e in self.events(model, "--time", "0.6")]
        self.assertEqual(kinds, [("limit", "hinge", 0)])
        pulled = self.json("run", model, "--time", "0.6", "--set", "hinge=0.5", "--set", "hinge.effort=-20", "--events", out)
        with open(out, newline="", encoding="utf-8") as file:
            self.assertIn(("leave", "hinge", "0"), [(r["kind"], r["joint"], r["dof"]) for r in csv.DictReader(file)])
        self.assertEqual(set(pulled["events"]), KINDS)
        self.assertEqual(pulled["events"]["leave"], 1)

    def test_counts_only_where_somebody_looked(self):
        run = self.json("run", self.write("b.sdf", BALL), "--time", "0.1")
        self.assertIsNone(run["events"])
        self.assertIsNone(run["inner_steps"])
        self.assertEqual(run["stepper_settings"], {"implicit_damping": "true"})

    def test_no_events_no_lines(self):
        self.assertEqual(self.events(tap.MODELS / "tumbling_box.yaml", "--time", "0.1"), [])

    def test_bad_places(self):
        model = self.write("b.sdf", BALL)
        self.refused("run", model, "--json", "-", "--events", "-", says="one of them at a time")
        self.refused("run", model, "--events", self.folder, says="cannot write", code=1)
        self.refused("run", model, "--events", model, says="overwrite an input", code=None)
        self.refused("run", model, "--events", self.folder / "x", "--csv", self.folder / "x", says="two outputs into one file",
                     code=None)


class Settings(tap.CommandTest):
    def steppers(self):
        text = self.rigor("run", "--help").stdout
        return text[text.index("Steppers:"):text.index("Coordinates:")]

    def test_help_lists_them(self):
        text = self.rigor("run", "--help").stdout
        for key in ("gap", "h_min", "h_max", "accuracy", "energy_relative", "energy_absolute", "event_time", "order",
                    "separate", "locate_friction", "explicit_forces", "hold_input"):
            self.assertRegex(text, rf"\n  stepper.{key} +\S")

    def test_a_stepper_without_such_settings(self):
        self.refused("run", tap.MODELS / "die.yaml", "--stepper", "rk4", "--stepper-set", "gap=1e-6",
                     says=["--stepper-set: 'gap' is no setting of stepper rk4, only of advance, c2a, rigid, auto, rigid-001"], code=None)
        self.refused("run", tap.MODELS / "die.yaml", "--stepper", "rk4", "--accuracy", "1e-4",
                     says="'accuracy' is no setting of stepper rk4, only of auto", code=None)

    def test_unknown_and_malformed(self):
        die = tap.MODELS / "die.yaml"
        self.refused("run", die, "--stepper-set", "acuracy=1", says="did you mean 'accuracy'?", code=None)
        self.refused("run", die, "--stepper-set", "zzzzzz=1", says=["unknown 'zzzzzz'; expected one of dissipation"], code=None)
        self.refused("run", die, "--stepper-set", "gap", says="expected KEY=VALUE")
        self.refused("run", die, "--stepper-set", "=1", says="expected KEY=VALUE")

    def test_values(self):
        die = tap.MODELS / "die.yaml"
        for stepper, setting, says in (
                ("rigid", "gap=0", "gap 0: gap must be above 0"), ("rigid", "gap=x", "gap: expected a number, found 'x'"),
                ("rigid", "gap=nan", "expected a number"), ("rigid", "h_min=0", "h_min 0: h_min must be above 0"),
                ("rigid", "h_max=1e-12", "h_max must not be below h_min"), ("auto", "order=3", "order must be 1 or 2"),
                ("auto", "order=1.5", "expected a whole number"), ("auto", "accuracy=-1", "accuracy must be above 0"),
                ("rigid", "separate=maybe", "expected true or false"), ("rigid", "order=2", "only of auto")):
            self.refused("run", die, "--stepper", stepper, "--stepper-set", setting, says=says, code=None)

    def test_run_file(self):
        text = "models: [{file: %s}]\nstepper: {name: rk4, %s}\nduration: 0.01\n"
        pendulum = tap.MODELS / "double_pendulum.sdf"
        self.refused("run", self.write("a.yaml", text % (pendulum, "gap: 1e-6")),
                     says=["a.yaml:2:", "stepper: 'gap' is no setting of stepper rk4"], code=None)
        self.refused("run", self.write("b.yaml", text % (pendulum, "gapp: 1e-6")),
                     says=["b.yaml:2:", "unknown key 'gapp'; did you mean 'gap'?"], code=None)
        self.refused("run", self.write("c.yaml", text % (pendulum, "qqqqqqqq: 1")), says="expected one of name, dissipation", code=None)
        self.rigor("run", self.write("d.yaml", text % (pendulum, "step: 0.002")))

    def test_another_stepper_by_option_passes_over_the_files_settings(self):
        text = "models: [{file: %s}]\nstepper: {name: auto, accuracy: 1e-4}\nduration: 0.01\n"
        file = self.write("a.yaml", text % (tap.MODELS / "double_pendulum.sdf"))
        run = self.json("run", file)
        self.assertEqual(run["stepper"], "auto")
        self.assertEqual(run["stepper_settings"]["accuracy"], "0.0001")
        done = self.rigor("run", file, "--stepper", "rk4")
        self.assertIn("'accuracy' is no setting of stepper rk4", done.stderr)

    def test_accuracy_alone_chooses_auto(self):
        run = self.json("run", tap.MODELS / "double_pendulum.sdf", "--accuracy", "1e-4", "--time", "0.5")
        self.assertEqual(run["stepper"], "auto")
        self.assertEqual(run["step"], 0.01)
        run = self.json("run", tap.MODELS / "double_pendulum.yaml", "--accuracy", "1e-2", "--time", "0.1")
        self.assertEqual(run["stepper"], "auto")

    def test_a_files_step_is_for_its_own_stepper(self):
        die = tap.MODELS / "die.yaml"
        run = self.json("run", die, "--stepper", "rigid", "--time", "0.1")
        self.assertEqual(run["step"], 0.01)
        self.assertIn("for steppers with fixed steps", self.rigor("run", die, "--stepper", "rigid", "--time", "0.02").stderr)
        self.assertEqual(self.json("run", die, "--stepper", "rigid", "--time", "0.1", "--step", "0.002")["step"], 0.002)
        self.assertEqual(self.json("run", die, "--stepper", "rk4", "--time", "0.1")["step"], 0.0005)
        text = "models: [{file: %s}]\nstepper: {name: rigid, step: 0.005}\nduration: 0.1\n"
        self.assertEqual(self.json("run", self.write("a.yaml", text % (tap.MODELS / "die.sdf")))["step"], 0.005)


class InnerSteps(tap.CommandTest):
    def test_a_stepper_that_locates(self):
        text = self.rigor("run", "--help").stdout
        model, out = self.write("b.sdf", BALL), self.folder / "e.jsonl"
        run = self.json("run", model, "--stepper", "rigid", "--time", "1", "--events", out)
        events = [json.loads(line) for line in out.read_text().splitlines()]
        self.assertEqual(run["contact_solver"]["solver"], "cone")
        for kind in KINDS:
            self.assertEqual(run["events"][kind], sum(e["kind"] == kind for e in events), kind)
        times = [e["t"] for e in events]
        self.assertEqual(times, sorted(times))
        inner = run["inner_steps"]
        self.assertEqual(sum(b["steps"] for b in inner["histogram"]), inner["count"])
        self.assertEqual(sum(inner["ended_by"].values()), inner["count"])
        self.assertEqual(sum(inner["rejected"].values()), inner["rejections"])
        self.assertAlmostEqual(inner["mean"] * inner["count"], 1, 9)
        self.assertLessEqual(inner["least"], inner["mean"])
        self.assertGreater(inner["least_distance"], 0)
        touch = next(e for e in events if e["kind"] == "touch")
        self.assertAlmostEqual(touch["t"], math.sqrt(2 * 0.5 / 9.81), delta=1e-5)
        impact = next(e for e in events if e["kind"] == "impact")
        self.assertAlmostEqual(impact["impulse"], 2 * math.sqrt(2 * 0.5 * 9.81), delta=0.2)


if __name__ == "__main__":
    tap.main()
