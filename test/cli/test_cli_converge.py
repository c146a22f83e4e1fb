#!/usr/bin/python3
"""`rigor converge`: orders that theory gives, the same numbers by numpy, digits that agree, and bad input."""
import csv
import math
import unittest
import xml.etree.ElementTree

import tap

try:
    import numpy
except ImportError:
    numpy = None

PENDULUM = tap.MODELS / "double_pendulum.yaml"
DIE = tap.MODELS / "die.yaml"


class Orders(tap.CommandTest):
    def test_orders_of_the_methods(self):
        """Semi-implicit Euler has order 1, explicit Euler too, Runge-Kutta 4."""
        for stepper, step, halvings, low, high in (("semi-implicit", 1e-3, 4, 0.9, 1.1), ("euler", 1e-4, 3, 0.8, 1.2),
                                                   ("rk4", 5e-3, 4, 3.6, 5.0)):
            for coords in ("minimal", "maximal"):
                if coords == "maximal" and stepper == "euler":
                    continue
                run = self.json("converge", PENDULUM, "--stepper", stepper, "--step", step, "--halvings", halvings,
                                "--time", "0.3", "--coords", coords)
                self.assertTrue(low < run["order"] < high, (stepper, coords, run["order"]))
                self.assertEqual(len(run["runs"]), halvings + 1)

    def test_richardson_and_reference_agree(self):
        """The error that Richardson gives the finest run is the one against the reference."""
        arguments = ("converge", PENDULUM, "--stepper", "semi-implicit", "--step", "1e-3", "--time", "0.3", "--halvings", "4")
        guess = self.json(*arguments)["finest_error"]
        run = self.json(*arguments, "--reference")
        self.assertEqual(run["yardstick"], "reference")
        self.assertAlmostEqual(run["runs"][-1]["error"] / guess, 1, delta=0.1)

    @unittest.skipUnless(numpy, "no numpy")
    def test_the_same_numbers_by_numpy(self):
        """Differences of two recordings, with the turns by quaternions and reaches by the inertia of the SDF."""
        step = 0.01
        run = self.json("converge", PENDULUM, "--stepper", "rk4", "--step", step, "--time", "0.5", "--halvings", "1",
                        "--samples", "50")
        out = [self.folder / f"{i}.npz" for i in range(2)]
        for i in range(2):
            self.rigor("run", PENDULUM, "--stepper", "rk4", "--step", step / 2 ** i, "--time", "0.5", "--record", out[i],
                       "--every", 2 ** i)
        a, b = (numpy.load(path) for path in out)
        reach = []
        for inertial in xml.etree.ElementTree.parse(tap.MODELS / "double_pendulum.sdf").iter("inertial"):
            pose = inertial.find("pose")
            com = [float(x) for x in pose.text.split()[:3]] if pose is not None else [0, 0, 0]
            trace = sum(float(inertial.find(f"inertia/{k}").text) for k in ("ixx", "iyy", "izz"))
            reach.append(math.hypot(*com) + math.sqrt(5 * trace / 6 / float(inertial.find("mass").text)))
        shift = numpy.linalg.norm(a["link_position"] - b["link_position"], axis=2)
        dot = numpy.abs(numpy.sum(a["link_quaternion"] * b["link_quaternion"], axis=2))
        chord = numpy.minimum(numpy.linalg.norm(a["link_quaternion"] - b["link_quaternion"], axis=2),
                              numpy.linalg.norm(a["link_quaternion"] + b["link_quaternion"], axis=2))
        self.assertTrue(numpy.all(dot > 0.99))
        most = numpy.max(shift + numpy.array(reach) * 4 * numpy.arcsin(chord / 2), axis=1)
        self.assertEqual(len(most), run["samples"])
        self.assertAlmostEqual(run["runs"][0]["error"] / most.max(), 1, 6)
        self.assertAlmostEqual(run["runs"][0]["error_end"] / most[-1], 1, 6)
        for digit, until in enumerate(run["runs"][0]["agrees_until"], 1):
            parted = numpy.nonzero(most > run["motion"] / 10 ** digit)[0]
            self.assertAlmostEqual(until, (parted[0] - 1) * 0.01 if len(parted) else 0.5, 9)

    def test_a_thrown_die(self):
        """It agrees until it has struck a few times, and to fewer digits for longer; finer steps agree for longer."""
        run = self.json("converge", DIE, "--solver", "cone", "--time", "0.6", "--step", "0.0005", "--halvings", "4")
        first, last = run["runs"][0]["agrees_until"], run["runs"][-2]["agrees_until"]
        self.assertEqual(first, sorted(first, reverse=True))
        self.assertGreater(last[3], first[3])
        strikes = [e for e in self.rigor("run", DIE, "--time", "0.6", "--events", "-").stdout.splitlines() if '"impact"' in e]
        self.assertGreaterEqual(len(strikes), 2)
        self.assertGreater(first[0], 0.1)
        self.assertEqual(run["runs"][-1]["agrees_until"], [])

    def test_nothing_moves(self):
        run = self.json("converge", tap.MODELS / "arm6.urdf", "--gravity", "0,0,0", "--time", "0.1", "--halvings", "2")
        self.assertEqual(run["motion"], 0)
        self.assertIsNone(run["order"])
        self.assertEqual(run["runs"][0]["agrees_until"], [run["time"]] * 6)


class Accuracies(tap.CommandTest):
    def test_of_the_reference(self):
        run = self.json("converge", PENDULUM, "--stepper", "reference", "--step", "0.1", "--time", "1", "--accuracies",
                        "1e-3,1e-5,1e-7,1e-9")
        self.assertEqual(run["by"], "accuracy")
        errors = [r["error"] for r in run["runs"][:-1]]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertLess(errors[-1], errors[0] / 10)
        self.assertEqual([r["accuracy"] for r in run["runs"]], [1e-3, 1e-5, 1e-7, 1e-9])

    def test_of_auto(self):
        run = self.json("converge", PENDULUM, "--stepper", "auto", "--step", "0.5", "--time", "1", "--halvings", "4", "--reference")
        errors = [r["error"] for r in run["runs"]]
        self.assertLess(errors[-1], errors[0])
        self.assertGreater(run["runs"][-1]["inner_steps"], run["runs"][0]["inner_steps"])

    def test_events_converge(self):
        run = self.json("converge", DIE, "--stepper", "rigid", "--time", "0.4", "--step", "0.01", "--halvings", "3")
        for r in run["runs"][:-1]:
            self.assertGreaterEqual(r["events_common"], 1)
            self.assertGreaterEqual(r["event_edits"], 0)
            self.assertLess(r["event_time_difference"], 0.1)


class Outputs(tap.CommandTest):
    def test_text_and_csv(self):
        out = self.folder / "c.csv"
        text = self.rigor("converge", PENDULUM, "--time", "0.2", "--step", "0.01", "--halvings", "3", "--csv", out).stdout
        self.assertIn("agrees with the finest", text)
        self.assertRegex(text, r"order \d\.\d+ by the three finest runs")
        with open(out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(r["step"]) for r in rows], [0.01, 0.005, 0.0025, 0.00125])
        self.assertEqual(rows[-1]["error"], "")
        self.assertGreater(float(rows[0]["error"]), float(rows[1]["error"]))

    def test_a_run_that_is_refused(self):
        """Explicit Euler with a stiff damper flies apart with large steps: told, the others are compared."""
        stiff = self.write("s.urdf", """<robot name="s"><link name="world"/><link name="bar"><inertial><origin xyz="1 0 0"/>
          <mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
          <joint name="j" type="continuous"><parent link="world"/><child link="bar"/><axis xyz="0 1 0"/>
          <dynamics damping="2000"/></joint></robot>""")
        run = self.json("converge", stiff, "--stepper", "euler", "--step", "0.01", "--time", "3", "--halvings", "6")
        self.assertEqual(run["runs"][0]["status"], "refused")
        self.assertIn("refused at t =", run["runs"][0]["error_text"])
        self.assertIsNone(run["runs"][0]["error"])
        self.assertEqual(run["runs"][-1]["status"], "ok")
        self.assertIsNotNone(run["runs"][-2]["error"])
        bad = self.rigor("converge", stiff, "--stepper", "euler", "--step", "0.01", "--time", "3", "--halvings", "1", code=1)
        self.assertIn("refused at t =", bad.stderr)

    def test_bad_input(self):
        for arguments, says in ((("--halvings", "0"), "--halvings"), (("--halvings", "2.5"), "whole number"),
                                (("--halvings", "99"), "--halvings"), (("--by", "size"), "not step or accuracy"),
                                (("--by", "accuracy"), "has no accuracy"), (("--accuracies", "1e-3,1e-4"), "has no accuracy"),
                                (("--samples", "0"), "--samples"), (("--step", "0"), "--step"),
                                (("--time", "1e7", "--step", "1e-6"), "steps"), (("--time", "-1"), "--time"),
                                (("--stepper", "nonsense"), "expected one of")):
            self.refused("converge", PENDULUM, *arguments, says=says)
        for list_, says in (("1e-3", "2 to"), ("1e-3,x", "2 to"), ("1e-3,1e-2", "decreasing"), ("1e-3,0", "above 0"),
                            ("1e-3,-1", "above 0")):
            self.refused("converge", PENDULUM, "--stepper", "reference", "--accuracies", list_, says=says)
        self.refused("converge", PENDULUM, "--stepper", "reference", "--by", "step", "--accuracies", "1,0.1", says="exclude")
        self.refused("converge", self.folder / "none.urdf", says="none.urdf")
        self.refused("converge", PENDULUM, "--json", PENDULUM, says="overwrite an input", code=None)


if __name__ == "__main__":
    tap.main()
