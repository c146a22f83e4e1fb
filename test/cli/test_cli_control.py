#!/usr/bin/python3
"""The control section of run files: controllers, trajectories, limits; what runs say of them, and where a mistake is."""
import csv
import json
import math
import shutil
import struct
import zipfile

import tap
from view_test import ViewTest, topics

ARM = f"models:\n  - file: {tap.MODELS / 'arm6.urdf'}\n"
JOINTS = ["pan", "lift", "elbow", "roll", "pitch", "turn"]
SINUSOID = "{kind: sinusoid, amplitude: 0.4, frequency: 3, phase: [0, 1, 2, 0, 1, 2], position: 0.1}"


def control(controllers, **keys):
    """A control section of a run file, in its top level; controllers as lines of YAML."""
    text = ARM + "control:\n" + "".join(f"  {key}: {value}\n" for key, value in keys.items()) + "  controllers:\n"
    for keys in controllers:
        lines = [f"{key}: {value}" for key, value in keys.items()]
        text += "    - " + "\n      ".join(lines) + "\n"
    return text + "duration: 0.5\n"


def arm(kind="implicit-pd", trajectory=SINUSOID, joints="all", **keys):
    gains = {"kp": 800, "kd": 40} if kind in ("pd", "implicit-pd") and "kp" not in keys else {}
    return {"kind": kind, "joints": joints, **gains, **keys, "trajectory": trajectory}


class Following(tap.CommandTest):
    """Joints follow what is wanted, and the summary says how well."""

    def run_it(self, text, *arguments):
        path = self.write("run.yaml", text)
        return self.json("run", path, *arguments)

    def rows(self, text, *arguments):
        """The summary, and the rows of the recording as dictionaries."""
        out = self.folder / "out.csv"
        summary = self.run_it(text, "--csv", out, *arguments)
        with open(out) as file:
            return summary, [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]

    def test_figures_are_those_of_the_rows(self):
        summary, rows = self.rows(control([arm("pd", kp="[200, 400, 200, 2, 10, 0.2]", kd="[10, 20, 10, 0.1, 0.4, 0.01]",
                                               gravity="true")], start="true"))
        told, rows = summary["control"], rows[1:]
        errors = {j: [abs(r[f"control:{j}:wanted"] - r[f"q:{j}"]) for r in rows] for j in JOINTS}
        every = [e for j in JOINTS for e in errors[j]]
        self.assertAlmostEqual(told["mean_error"], sum(every) / len(every), delta=1e-12)
        self.assertAlmostEqual(told["rms_error"], math.sqrt(sum(e * e for e in every) / len(every)), delta=1e-12)
        self.assertAlmostEqual(told["largest_error"], max(every), delta=1e-15)
        self.assertEqual(told["samples"], 500)
        for joint in told["joints"]:
            mine = errors[joint["joint"]]
            self.assertAlmostEqual(joint["mean_error"], sum(mine) / len(mine), delta=1e-12)
            self.assertAlmostEqual(joint["rms_error"], math.sqrt(sum(e * e for e in mine) / len(mine)), delta=1e-12)
            efforts = [abs(r[f"control:{joint['joint']}:effort"]) for r in rows]
            self.assertAlmostEqual(joint["largest_effort"], max(efforts), delta=1e-12)
            self.assertEqual(joint["saturated_s"], 0.0)
        self.assertEqual(told["largest_effort"], max(j["largest_effort"] for j in told["joints"]))

    def test_wanted_is_the_sinusoid(self):
        _, rows = self.rows(control([arm()], start="true"))
        for row in rows[::50]:
            for k, j in enumerate(JOINTS):
                angle = 3 * row["t"] + k % 3
                self.assertAlmostEqual(row[f"control:{j}:wanted"], 0.1 + 0.4 * math.sin(angle), delta=1e-12)
                self.assertAlmostEqual(row[f"control:{j}:wanted_rate"], 1.2 * math.cos(angle), delta=1e-12)

    def test_start_is_on_the_trajectory(self):
        _, rows = self.rows(control([arm()], start="true"))
        for k, j in enumerate(JOINTS):
            self.assertAlmostEqual(rows[0][f"q:{j}"], 0.1 + 0.4 * math.sin(k % 3), delta=1e-14)
            self.assertAlmostEqual(rows[0][f"v:{j}"], 1.2 * math.cos(k % 3), delta=1e-14)
        _, rows = self.rows(control([arm()], start="false"))
        self.assertEqual([rows[0][f"q:{j}"] for j in JOINTS], [0.0] * 6)

    def test_each_kind_follows(self):
        gains = {"pid": {"kp": "[200, 400, 200, 2, 10, 0.2]", "ki": 1, "kd": "[10, 20, 10, 0.1, 0.4, 0.01]", "gravity": "true"},
                 "implicit-pd": {"gravity": "true"}, "computed-torque": {"kp": 400, "kd": 40}}
        for kind, bound in (("implicit-pd", 0.03), ("computed-torque", 0.005), ("hard", 1e-3), ("pid", 0.15)):
            for coords in ("minimal", "maximal"):
                with self.subTest(kind=kind, coords=coords):
                    told = self.run_it(control([arm(kind, limits="none", **gains.get(kind, {}))], start="true"), "--coords", coords)
                    self.assertLess(told["control"]["largest_error"], bound)
                    self.assertEqual(told["control"]["controllers"], [{"kind": kind, "name": None, "trajectory": "sinusoid"}])

    def test_gains_in_three_forms_are_the_same(self):
        by_name = "{" + ", ".join(f"{j}: 500" for j in reversed(JOINTS)) + "}"
        hashes = {self.run_it(control([arm(kp=kp, kd=30)]))["state_hash"] for kp in ("500", str([500] * 6), by_name)}
        self.assertEqual(len(hashes), 1)
        self.assertNotIn(self.run_it(control([arm(kp=501, kd=30)]))["state_hash"], hashes)

    def test_sections_of_models_and_of_the_file(self):
        top = control([arm(kp=300, kd=30)], rate=200)
        lines = top.splitlines()
        begin, end = lines.index("control:"), lines.index("duration: 0.5")
        inside = lines[:begin] + ["    " + line for line in lines[begin:end]] + lines[end:]
        self.assertEqual(self.run_it(top)["state_hash"], self.run_it("\n".join(inside) + "\n")["state_hash"])

    def test_two_robots(self):
        file = tap.MODELS / "arm6.urdf"
        section = "control: [{kind: implicit-pd, joints: all, kp: 500, kd: 50, trajectory: {kind: constant, position: %s}}]"
        text = f"models:\n  - file: {file}\n    name: a\n    {section % 0.3}\n  - file: {file}\n    name: b\n    pose: [0, 3, 0]\n    {section % -0.3}\nduration: 2\n"
        told = self.run_it(text)
        self.assertEqual(len(told["control"]["joints"]), 12)
        self.assertEqual(told["control"]["joints"][0]["joint"], "a::pan")
        self.assertAlmostEqual(told["joint_positions"]["a::pan"], 0.3, delta=1e-3)
        self.assertAlmostEqual(told["joint_positions"]["b::pan"], -0.3, delta=1e-3)

    def test_axes_of_joints_with_several_and_loops(self):
        """A platform on six legs: universal joints have two axes, ball joints close the loops and are left out."""
        text = "models: [{file: %s}]\ncontrol: [{kind: implicit-pd, joints: %s, kp: 100, kd: 10, trajectory: {kind: constant, position: 0}}]\nduration: 0.1\n"
        every = self.run_it(text % (tap.MODELS / "stewart.sdf", "all"))["control"]["joints"]
        self.assertEqual([j["joint"] for j in every[:3]] + [len(every)], ["foot0[0]", "foot0[1]", "slide0", 18])
        two = self.run_it(text % (tap.MODELS / "stewart.sdf", "['foot1[0]', 'foot1[1]']"))["control"]["joints"]
        self.assertEqual([j["joint"] for j in two], ["foot1[0]", "foot1[1]"])
        path = self.write("run.yaml", text % (tap.MODELS / "stewart.sdf", "[foot1]"))
        self.refused("run", path, says=f"{path}:2:40: joints: 'foot1' has 2 axes: say 'foot1[0]' to 'foot1[1]'")

    def test_one_joint_of_six(self):
        told = self.run_it(control([arm(joints="[pan]", trajectory="{kind: constant, position: 0.2}")]))
        self.assertEqual([j["joint"] for j in told["control"]["joints"]], ["pan"])

    def test_limits(self):
        """A motor that is too weak is at its limit, and it is told for how long."""
        free = self.run_it(control([arm("implicit-pd", limits="none")]))["control"]
        weak = self.run_it(control([arm("implicit-pd", limits="{effort: {pan: 1, lift: 5, elbow: none, roll: 1, pitch: 1, turn: 1}}")]))
        tight = weak["control"]
        self.assertEqual((free["saturated_s"], free["shortfalls"]["effort_steps"]), (0.0, 0))
        lift = next(j for j in tight["joints"] if j["joint"] == "lift")
        self.assertAlmostEqual(lift["largest_effort"], 5.0, delta=1e-9)
        self.assertGreater(lift["saturated_s"], 0.3)
        self.assertGreater(lift["mean_error"], 0.05)
        self.assertGreaterEqual(lift["saturations"], 1)
        self.assertTrue(0.0 < lift["first_saturated"] < 0.2)
        self.assertEqual([(j["saturations"], j["first_saturated"]) for j in free["joints"]], [(0, None)] * 6)
        self.assertGreater(tight["shortfalls"]["effort_steps"], 100)
        self.assertAlmostEqual(tight["saturated_s"], sum(j["saturated_s"] for j in tight["joints"]), delta=1e-12)
        self.assertGreater(next(j for j in tight["joints"] if j["joint"] == "elbow")["largest_effort"], 5.0)

    def test_limits_of_the_model_are_the_default(self):
        fast = "{kind: sinusoid, amplitude: 3, frequency: 30}"
        for limits in ({}, {"limits": "model"}):
            told = self.run_it(control([arm("implicit-pd", fast, kp=1e5, kd=1e3, **limits)]))["control"]
            self.assertLessEqual(max(j["largest_effort"] for j in told["joints"] if j["joint"] == "turn"), 20.0 + 1e-9)
            self.assertGreater(told["saturated_s"], 0.1)

    def test_rate_and_delay(self):
        told = self.run_it(control([arm()], rate=100, delay=0.005))["control"]
        self.assertEqual((told["rate"], told["delay"], told["samples"]), (100.0, 0.005, 50))
        prompt = self.run_it(control([arm("pd", kp="[200, 400, 200, 2, 10, 0.2]", kd="[10, 20, 10, 0.1, 0.4, 0.01]", gravity="true")], rate=1000))
        late = self.run_it(control([arm("pd", kp="[200, 400, 200, 2, 10, 0.2]", kd="[10, 20, 10, 0.1, 0.4, 0.01]", gravity="true")], rate=1000, delay=0.004))
        self.assertLess(prompt["control"]["rms_error"], late["control"]["rms_error"])

    def test_spline_goes_through_its_knots(self):
        knots = "[{time: 0, position: 0}, {time: 0.2, position: [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]}, {time: 0.5, position: -0.1}]"
        _, rows = self.rows(control([arm(trajectory=f"{{kind: spline, knots: {knots}}}")]))
        self.assertEqual([rows[0][f"control:{j}:wanted"] for j in JOINTS], [0.0] * 6)
        for j, value in zip(JOINTS, [0.1, 0.2, 0.3] * 2):
            self.assertAlmostEqual(rows[200][f"control:{j}:wanted"], value, delta=1e-9)
            self.assertAlmostEqual(rows[500][f"control:{j}:wanted"], -0.1, delta=1e-9)
            self.assertAlmostEqual(rows[0][f"control:{j}:wanted_rate"], 0.0, delta=1e-12)
            self.assertAlmostEqual(rows[500][f"control:{j}:wanted_rate"], 0.0, delta=1e-9)

    def test_table_is_the_same_as_knots(self):
        times, values = [0, 0.1, 0.3, 0.5], [[0, 0.1], [0.2, 0.3], [-0.1, 0.4], [0, 0]]
        self.write("path.csv", "t,turn,pan\n" + "".join(f"{t},{v[1]},{v[0]}\n" for t, v in zip(times, values)))
        knots = ", ".join(f"{{time: {t}, position: {{pan: {v[0]}, turn: {v[1]}}}}}" for t, v in zip(times, values))
        for ends in ("", ", natural: true", ", periodic: true"):
            if "periodic" in ends:
                knots = knots.replace("pan: 0, turn: 0}", "pan: 0, turn: 0.1}")
                self.write("path.csv", (self.folder / "path.csv").read_text().replace("0.5,0,0", "0.5,0.1,0"))
            hashes = {self.run_it(control([arm(joints="[pan, turn]", trajectory=t)], start="true"))["state_hash"]
                      for t in (f"{{kind: csv, file: path.csv{ends}}}", f"{{kind: spline, knots: [{knots}]{ends}}}")}
            self.assertEqual(len(hashes), 1, ends)

    def test_set_on_the_command_line(self):
        path = self.write("run.yaml", control([arm(name="arm", kp=300, kd=30)], rate=200))
        other = self.write("other.yaml", control([arm(name="arm", kp=700, kd=30)], rate=500))
        want = self.json("run", other)["state_hash"]
        for gain in ("control.kp=700", "control.arm.kp=700", "control.kp=700,700,700,700,700,700"):
            self.assertEqual(self.json("run", path, "--set", gain, "--set", "control.rate=500")["state_hash"], want)

    def test_energy_is_not_called_drift(self):
        path = self.write("run.yaml", control([arm()]))
        out = self.rigor("run", path).stdout
        self.assertIn("done by controllers", out)
        self.assertNotIn("drift", out)
        for word in ("control        implicit-pd on 6 joints: 500 samples", "tracking       error", "effort  ", "  turn "):
            self.assertIn(word, out)

    def test_without_control_it_is_null(self):
        self.assertIsNone(self.run_it(ARM + "duration: 0.01\n")["control"])

    def test_same_again_and_restarted(self):
        text = control([arm("pid", kp="[200, 400, 200, 2, 10, 0.2]", ki=5, kd="[10, 20, 10, 0.1, 0.4, 0.01]")], rate=300, delay=0.004)
        self.assertEqual(self.run_it(text)["state_hash"], self.run_it(text)["state_hash"])

    def test_converges(self):
        """A control of its own rate is the same for all steps, so the motion converges."""
        path = self.write("run.yaml", control([arm("pd", kp="[200, 400, 200, 2, 10, 0.2]", kd="[10, 20, 10, 0.1, 0.4, 0.01]")], rate=100))
        told = self.json("converge", path, "--time", 0.2, "--step", 0.002, "--halvings", 5)
        self.assertTrue(0.8 < told["order"] < 1.3, told["order"])
        errors = [run["error"] for run in told["runs"] if run["error"] is not None]
        self.assertTrue(all(a > b for a, b in zip(errors, errors[1:])), errors)


class Legs(tap.CommandTest):
    """The quadruped trots: a gait of feet, followed by the joints."""

    def trot(self, *edits, time=2.0):
        text = (tap.MODELS / "trot.yaml").read_text().replace("file: ", f"file: {tap.MODELS}/")
        for old, new in edits:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.json("run", self.write("trot.yaml", text), "--time", time)

    def test_goes_where_it_shall(self):
        told = self.trot(time=5)
        x, y, z = told["floating_links"]["body"]["position"]
        self.assertTrue(0.7 < x < 1.2 and abs(y) < 0.1 and 0.35 < z < 0.45, (x, y, z))
        self.assertLess(told["control"]["mean_error"], 0.03)
        self.assertEqual(told["control"]["failed"], 0)
        self.assertEqual(told["control"]["controllers"][0]["trajectory"], "gait")

    def test_backwards_and_turning(self):
        self.assertLess(self.trot(("[0.2, 0]", "[-0.2, 0]"))["floating_links"]["body"]["position"][0], -0.15)
        turned = self.trot(("[0.2, 0]", "[0, 0], yaw_rate: 0.5"))["floating_links"]["body"]["quaternion"]
        self.assertGreater(2 * math.atan2(turned[3], turned[0]), 0.3)

    def test_springs_at_the_feet(self):
        told = self.trot(("kind: implicit-pd", "kind: foot-pd"), ("kp: 300", "foot_kp: 2000"), ("kd: 10", "foot_kd: 40"))
        self.assertGreater(told["floating_links"]["body"]["position"][2], 0.33)

    def test_start_puts_feet_where_the_gait_begins(self):
        rows = {}
        for start in ("true", "false"):
            out = self.folder / "out.csv"
            text = (tap.MODELS / "trot.yaml").read_text().replace("file: ", f"file: {tap.MODELS}/").replace("rate: 500", f"start: {start}")
            self.rigor("run", self.write("trot.yaml", text), "--time", 0.001, "--csv", out)
            with open(out) as file:
                first, second = csv.DictReader(file)
            self.assertEqual(first["control:front_left_knee:wanted"], "nan")
            rows[start] = {name: float((first if name.startswith("q:") else second)[name]) for name in first}
        for leg in ("front_left", "front_right", "hind_left", "hind_right"):
            for joint in ("roll", "pitch", "knee"):
                name = f"{leg}_{joint}"
                self.assertAlmostEqual(rows["true"][f"q:{name}"], rows["true"][f"control:{name}:wanted"], delta=0.02)
        self.assertGreater(max(abs(rows["false"][f"q:{n}"] - rows["true"][f"q:{n}"]) for n in ("front_left_pitch", "hind_right_pitch")), 0.01)


class Recordings(tap.CommandTest):
    def test_npz(self):
        path, out = self.write("run.yaml", control([arm()])), self.folder / "out.npz"
        self.rigor("run", path, "--record", out)
        with zipfile.ZipFile(out) as members:
            head, names = members.read("control.npy"), members.read("control_names.npy")
        self.assertIn(b"'shape': (501, 6, 4)", head[:128])
        self.assertEqual(len(head), 128 + 501 * 6 * 4 * 8)
        self.assertEqual([names[at:at + 20].decode("utf-32-le").rstrip("\0") for at in range(128, len(names), 20)], JOINTS)
        self.rigor("run", tap.MODELS / "double_pendulum.yaml", "--time", 0.01, "--record", out)
        with zipfile.ZipFile(out) as members:
            self.assertNotIn("control.npy", members.namelist())

    def test_plots(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        path, folder = self.write("run.yaml", control([arm()])), self.folder / "plots"
        self.rigor("run", path, "--plots", folder)
        with open(folder / "run.csv") as file:
            head = next(csv.reader(file))
        self.assertIn("pan wanted position", head)
        self.assertIn("pan wanted rate", head)
        self.assertIn("pan effort", head)
        self.assertTrue((folder / "efforts.png").stat().st_size > 1000)
        wanted = head.index("pan wanted position") + 1
        self.assertIn(f"using 1:{wanted} ", (folder / "plots.gp").read_text())


class Places(tap.PlacesTest):
    def one(self, **keys):
        """A file with one controller, one key a line from line 5 on; a key of value None is left out."""
        base = {"kind": "pd", "joints": "[pan, lift]", "kp": 10, "kd": 1, "trajectory": "{kind: constant, position: 0}"}
        return control([{k: v for k, v in {**base, **keys}.items() if v is not None}])

    def test_kinds(self):
        self.wrong(self.one(kind="ppd"), "5:13", "unknown kind 'ppd'; did you mean 'pd'?")
        self.wrong(self.one(kind="fuzzy"), "5:13", "expected one of pd, pid, implicit-pd, hard")
        self.wrong(self.one(kind="callback"), "5:13", "is for programs in C")
        self.wrong(self.one(kind=None), "5:7", "'kind' is missing")
        self.wrong(self.one(trajectory="{kind: sinusoidal}"), "9:26", "did you mean 'sinusoid'?")
        self.wrong(self.one(trajectory="{position: 0}"), "9:19", "trajectory: 'kind' is missing")
        self.wrong(self.one(trajectory="5"), "9:19", "expected keys with values")

    def test_keys(self):
        self.wrong(self.one(gain=3), "10:7", "unknown key 'gain'; expected one of kind, name, joints, kp, kd")
        self.wrong(self.one(kpp=3), "10:7", "did you mean 'kp'?")
        self.wrong(control([arm()], rte=3), "4:3", "control: unknown key 'rte'; did you mean 'rate'?")
        self.wrong(self.one(limits="{efort: 3}"), "10:16", "limits: unknown key 'efort'; did you mean 'effort'?")
        self.wrong(self.one(trajectory="{kind: constant, position: 0, fase: 1}"), "9:49", "unknown key 'fase'")

    def test_keys_that_the_kind_has_no_use_for(self):
        self.wrong(self.one(ki=3), "10:7", "kind 'pd' has no use for 'ki'; it takes kind, name, joints, kp, kd, limits")
        self.wrong(self.one(kind="hard"), "7:7", "kind 'hard' has no use for 'kp'")
        self.wrong(self.one(friction=1), "10:7", "has no use for 'friction'")
        self.wrong(self.one(rate=100), "10:7", "has no use for 'rate'")
        self.wrong(self.one(foot_kp=100), "10:7", "has no use for 'foot_kp'")
        self.wrong(self.one(kind="computed-torque", gravity="true"), "10:7", "has no use for 'gravity'")
        self.wrong(self.one(trajectory="{kind: constant, position: 0, phase: 1}"), "9:49",
                   "kind 'constant' has no use for 'phase'; it takes kind, position")
        self.wrong(self.one(trajectory="{kind: sinusoid, amplitude: 1, frequency: 1, file: x}"), "9:64", "no use for 'file'")

    def test_missing(self):
        self.wrong(self.one(kp=None), "5:7", "kind 'pd' needs 'kp'")
        self.wrong(self.one(kd=None), "5:7", "kind 'pd' needs 'kd'")
        self.wrong(self.one(kind="pid"), "5:7", "kind 'pid' needs 'ki'")
        self.wrong(self.one(kind="computed-torque", kd=None), "5:7", "needs 'kd' beside 'kp'")
        self.wrong(self.one(joints=None), "5:7", "kind 'pd' needs 'joints'")
        self.wrong(self.one(trajectory=None), "5:7", "kind 'pd' needs 'trajectory'")
        self.wrong(self.one(trajectory="{kind: sinusoid, amplitude: 1}"), "9:19", "kind 'sinusoid' needs 'frequency'")
        self.wrong(self.one(trajectory="{kind: spline}"), "9:19", "kind 'spline' needs 'knots'")
        self.wrong(self.one(trajectory="{kind: csv}"), "9:19", "kind 'csv' needs 'file'")
        self.wrong(ARM + "control: {rate: 5}\n", "3:10", "'controllers' is missing or empty")
        self.wrong(ARM + "control: []\n", "3:10", "'controllers' is missing or empty")

    def test_numbers(self):
        self.wrong(self.one(kp="x"), "7:11", "kp: expected a finite number, found 'x'")
        self.wrong(self.one(kp=".inf"), "7:11", "kp: expected a finite number")
        self.wrong(self.one(kp=-1), "7:11", "kp: -1 is negative")
        self.wrong(self.one(kp="[1, 2, 3]"), "7:11", "kp: 3 numbers for 2 joints")
        self.wrong(self.one(kp="[1]"), "7:11", "kp: 1 number for 2 joints")
        self.wrong(self.one(kp="[]"), "7:11", "expected numbers, found nothing")
        self.wrong(self.one(kp="{pan: 1}"), "7:11", "kp: 'lift' is missing")
        self.wrong(self.one(kp="{pan: 1, lfit: 2}"), "7:20", "'lfit' is no joint of this controller; did you mean 'lift'?")
        self.wrong(self.one(limits="strong"), "10:15", "limits: expected model, none, or {effort, velocity, base_velocity}")
        self.wrong(self.one(limits="{effort: 0}"), "10:24", "effort: 0 is not above 0; 'none' for no limit")
        self.wrong(self.one(limits="{effort: non}"), "10:24", "expected a number, 'model' or 'none'")
        self.wrong(self.one(limits="{base_velocity: 9}"), "5:7", "base")
        self.wrong(control([arm()], rate=0), "4:9", "rate: 0 is not between")
        self.wrong(control([arm()], delay=-1), "4:10", "delay: -1 is not between")
        self.wrong(control([arm()], rate=1000, delay=1), "5:10", "delay: 1 s are 1000 samples at 1000 Hz: at most 64")
        self.wrong(control([arm()], delay=0.065), "4:10", "delay: 0.065 s are 65 steps of 0.001 s, with a sample each: at most 64")
        self.refused("view", self.folder / "run.yaml", "--port", "0", says="delay: 0.065 s are 65 steps")
        self.rigor("run", self.write("run.yaml", control([arm()], delay=0.064)))
        self.wrong(control([arm()], start="yes"), "4:10", "expected true or false")

    def test_velocity_limit_of_a_kind_without(self):
        """A limit of velocity needs a kind that keeps to it, or a motor's curve."""
        for kind in ("pd", "computed-torque"):
            self.wrong(self.one(kind=kind, limits="{velocity: 0.1}"), "5:7",
                       f"joint 'pan': kind '{kind}' has no use for a limit of velocity without a base velocity")
        self.wrong(self.one(kind="pid", ki=1, limits="{velocity: {pan: none, lift: 2}}"), "5:7", "joint 'lift': kind 'pid' has no use")
        for kind, limits in (("implicit-pd", "{velocity: 0.1}"), ("pd", "{velocity: none}"), ("pd", "{velocity: model}"), ("pd", "model"),
                             ("pd", "{effort: 10, velocity: 1, base_velocity: 0.5}")):
            self.rigor("run", self.write("run.yaml", self.one(kind=kind, limits=limits)), "--time", "0.01")
        path = self.write("run.yaml", self.one(kind="implicit-pd", limits="{velocity: 0.1}"))
        self.json("maxstep", path, "--methods", "pd,hard", "--time", "0.05", "--most", "0.001", "--repeats", "1")

    def test_base_beside_the_legs(self):
        text = (tap.MODELS / "trot.yaml").read_text().replace("file: ", f"file: {tap.MODELS}/")
        for start in ("", "start: true\n      "):
            bad = text.replace("base: body", "base: front_left_shank").replace("rate: 500", start + "rate: 500")
            line = 1 + bad[:bad.index("- kind: implicit-pd")].count("\n")
            self.wrong(bad, f"{line}:11", "base 'front_left_shank' carries no joint that moves foot 'front_left_shank'")

    def test_leg_too_long(self):
        text = (f"models:\n  - file: {tap.MODELS / 'chain100.sdf'}\ncontrol:\n  - kind: implicit-pd\n    joints: all\n    kp: 1\n    kd: 1\n"
                "    base: link0\n    feet: [{link: LINK, touchdown: 0}]\n    trajectory: {kind: gait, period: 1, duty: 0.5, lift: 0.1}\n")
        self.wrong(text.replace("LINK", "link65"), "4:5", "foot 'link65' is too far from its base 'link0'")
        self.rigor("run", self.write("run.yaml", text.replace("LINK", "link64")), "--time", "0.002")

    def test_joints(self):
        self.wrong(self.one(joints="[pan, lfit]"), "6:21", "no joint 'lfit'; did you mean 'lift'?")
        self.wrong(self.one(joints="[pan, xyzzy]"), "6:21", "lists the names")
        self.wrong(self.one(joints="[pan, pan]"), "6:21", "'pan' is given twice")
        self.wrong(self.one(joints="[pan, mount]"), "6:21", "'mount' is fixed")
        self.wrong(self.one(joints="[pan, 'lift[1]']"), "6:21", "'lift' has 1 axis, counted from 0")
        self.wrong(self.one(joints="pan"), "6:15", "expected a list of names, or all")
        self.wrong(self.one(joints="[]"), "6:15", "found an empty list")
        self.wrong(control([arm(joints="[pan]", trajectory="{kind: constant, position: 0}")] * 2), "10:7",
                   "'pan' already has one, in line 5")

    def test_names_of_two_robots(self):
        file = tap.MODELS / "arm6.urdf"
        text = (f"models: [{{file: {file}, name: a}}, {{file: {file}, name: b, pose: [0, 3, 0]}}]\n"
                "control: [{kind: hard, joints: [pan], trajectory: {kind: constant, position: 0}}]\n")
        self.wrong(text, "2:33", "2 joints are called 'pan': say MODEL::pan")
        self.wrong(text.replace("name: a, ", "").replace("[pan]", "[c::pan]"), "2:33", "no joint 'c::pan'")

    def test_two_motors_on_one_joint(self):
        self.wrong(self.one() + "state: {servos: {pan: [0, 10]}}\n", "5:7", "'pan' is given a servo as well")
        self.wrong(self.one() + "state: {efforts: {lift: 1}}\n", "5:7", "'lift' is given an effort as well")

    def test_two_starts(self):
        text = control([arm(joints="[pan]", trajectory="{kind: constant, position: 0}")], start="true")
        self.wrong(text + "state: {joints: {pan: 1}}\n", "10:19", "'pan' is given by the trajectory and by state")
        path = self.write("run.yaml", text)
        self.refused("run", path, "--set", "pan=1", says="by the trajectory and by --set")

    def test_knots(self):
        def knots(text):
            return self.one(trajectory=f"{{kind: spline, knots: {text}}}")
        self.wrong(knots("[{time: 0, position: 0}]"), "9:41", "expected two or more, found 1")
        self.wrong(knots("[{time: 0, position: 0}, {time: 0, position: 1}]"), "9:66", "does not come after")
        self.wrong(knots("[{time: 0}, {time: 1, position: 1}]"), "9:42", "knot: 'position' is missing")
        self.wrong(knots("[{position: 1}, {time: 1, position: 1}]"), "9:42", "knot: 'time' is missing")
        self.wrong(knots("[{time: 0, position: {pan: 0, lit: 1}}, {time: 1, position: 1}]"), "9:71",
                   "'lit' is no joint of this controller; did you mean 'lift'?")
        self.wrong(knots("[{time: 0, position: [1, 2, 3]}, {time: 1, position: 1}]"), "9:62", "3 numbers for 2 joints")
        self.wrong(knots("[{time: 0, position: 1}, {time: 1, position: 1}], natural: true, periodic: true"), "9:19", "exclude each other")

    def test_tables(self):
        table = self.one(trajectory="{kind: csv, file: path.csv}")
        self.wrong(table, "9:19", "path.csv: no such file")
        for text, line, says in (("t,pan,lft\n0,0,0\n1,1,1\n", 1, "no column for axis 'lift'"),
                                 ("t,pan,lift\n0,0,0\n1,1,x\n", 3, "column 'lift': expected a finite number, found 'x'"), ("t,pan,lift\n0,0,0\n1,1\n", 3, ""),
                                 ("t,pan,lift\n1,0,0\n1,1,2\n", 3, ""), ("", 0, "")):
            path, made = self.write("path.csv", text), self.write("run.yaml", table)
            done = self.rigor("run", made, code=2)
            self.assertIn(f"{path}:{line}: {says}" if line else "path.csv", done.stderr, text)

    def test_feet(self):
        gait = "{kind: gait, period: 0.5, duty: 0.5, lift: 0.05}"
        self.wrong(self.one(trajectory=gait), "5:7", "a gait needs 'feet'")
        self.wrong(self.one(trajectory=gait, feet="[{link: pan}]"), "5:7", "foot 1 needs 'touchdown'")
        self.wrong(self.one(feet="[{link: tool}]"), "5:7", "kind 'pd' has no use for 'feet' but with a gait")
        self.wrong(self.one(kind="inverse-dynamics"), "5:7", "kind 'inverse-dynamics' needs 'feet'")
        self.wrong(self.one(trajectory=gait, feet="[{link: tool, touchdown: 1}]"), "10:38", "from 0 to below 1")
        self.wrong(self.one(trajectory=gait, feet="[{link: tool, touchdown: 0}]"), "5:7", "give the base of the feet as 'base'")
        self.wrong(self.one(trajectory=gait, base="base", feet="[{link: forarm, touchdown: 0}]"), "11:21", "no link 'forarm'; did you mean 'forearm'?")
        self.wrong(self.one(trajectory="{kind: gait, duty: 0.5, lift: 0.05}"), "9:19", "kind 'gait' needs 'period'")
        self.wrong(self.one(trajectory=gait.replace("0.5, lift", "1.5, lift")), "9:51", "duty: 1.5")
        self.wrong(self.one(kind="foot-pd", kp=None, kd=None, foot_kp=1, foot_kd=1, feet="[{link: tool}]"), "5:7",
                   "needs a trajectory of kind 'gait'")

    def test_shared_rate(self):
        section = "control: {rate: %d, controllers: [{kind: hard, joints: [%s], trajectory: {kind: constant, position: 0}}]}\n"
        text = ARM + "    " + section % (100, "pan") + section % (200, "lift")
        self.wrong(text, "4:17", "rate: 200 here and 100 in line 3: all controllers have the same one")

    def test_set(self):
        path = self.write("run.yaml", control([arm(name="arm")]))
        self.refused_each("run", path, "--set", cases={
            "control.amr.kp=1": "no controller is called 'amr'; did you mean 'arm'?",
            "control.ki=1": "no controller takes 'ki'",
            "control.kp=-1": "-1 is negative",
            "control.kp=1,x": "expected numbers",
            "control.rate=0": "of Hz above 0",
            "control.kp=1,2": "--set: kp: 2 numbers for 6 joints"})


class Refusals(tap.CommandTest):
    def test_gains_that_are_too_high_are_told(self):
        path = self.write("run.yaml", control([arm("pd", kp=1e9, kd=0, limits="none")]))
        done = self.rigor("run", path, "--json", "-", code=1)
        self.assertIn("rigor maxstep", done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(told["status"], "refused")
        self.assertEqual(told["control"]["samples"], told["steps"])

    def test_motion_that_runs_away_ends_the_run(self):
        text = (f"models:\n  - file: {tap.MODELS / 'double_pendulum.sdf'}\ncontrol:\n  - kind: pd\n    joints: all\n"
                "    kp: 1\n    kd: 1e5\n    limits: none\n    trajectory: {kind: constant, position: 0.1}\n")
        done = self.rigor("run", self.write("run.yaml", text), "--json", "-", "--time", 5, code=1)
        self.assertRegex(done.stderr, "diverged: joint '[a-z]+' moves at .* faster than light")
        self.assertNotIn("nan", done.stdout)
        told = json.loads(done.stdout)
        self.assertEqual(told["status"], "refused")
        self.assertLess(told["steps"], 5000)

    def test_a_step_that_is_taken_out_changes_nothing(self):
        path, problem = self.write("run.yaml", control([arm()])), self.folder / "step.problem"
        plain = self.json("run", path, "--quiet")
        dumped = self.json("run", path, "--quiet", "--dump-step", 3, "--dump", problem)
        self.assertEqual(plain["state_hash"], dumped["state_hash"])
        self.rigor("solve", problem, "--solver", "cone")


class Standing(tap.CommandTest):
    """The run files of Atlas, shortened; what a mistake in them is answered with."""

    def atlas(self, name, **changes):
        text = (tap.MODELS / name).read_text().replace("file: ", f"file: {tap.MODELS}/")
        for old, new in changes.get("changes", []):
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write("atlas.yaml", text)

    def test_atlas_stands(self):
        for coords in ("minimal", "maximal"):
            told = self.json("run", tap.MODELS / "atlas_balance.yaml", "--coords", coords, "--time", 2, "--step", 0.005)
            self.assertEqual((told["control"]["failed"], told["control"]["saturated"]), (0, 0))
            self.assertLess(told["control"]["mean_error"], 1e-3)
            self.assertEqual(told["control"]["controllers"][0]["trajectory"], None)

    def test_atlas_walks(self):
        """Five strides of 0.1 m, the last step brings the other foot level."""
        path = self.atlas("atlas_walk.yaml", changes=[("steps: 30", "steps: 6")])
        for coords in ("minimal", "maximal"):
            table = self.folder / "walk.csv"
            told = self.json("run", path, "--coords", coords, "--time", 9, "--step", 0.005, "--csv", table, "--every", 1800)
            self.assertLess(told["control"]["mean_error"], 5e-3)
            with table.open() as file:
                rows = list(csv.DictReader(file))
            self.assertAlmostEqual(float(rows[-1]["q:pelvis[4]"]) - float(rows[0]["q:pelvis[4]"]), 0.5, delta=0.1)
            self.assertAlmostEqual(float(rows[-1]["q:pelvis[6]"]), 0.87, delta=0.02)

    def test_refusals_in_words(self):
        feet = "feet: [{link: l_foot}, {link: r_foot}]"
        for old, new, says in ((feet, "feet: [{link: l_foot}]", "16:9: controller 'balance': kind 'balance' needs 2 to 8 feet, not 1"),
                               (feet, "feet: [{link: l_foot}, {link: l_foot}]", "foot 'l_foot' is given twice"),
                               (feet, "feet: [{link: l_foot}, {link: r_fot}]", "21:39: no link 'r_fot'; did you mean 'r_foot'?"),
                               (feet, feet + "\n        steps: 4", "22:9: controller: kind 'balance' has no use for 'steps'"),
                               (feet, feet + "\n        capture: 0.9", "capture must be above 1 and at most 10, not 0.9"),
                               (feet, feet + "\n        capture: x", "22:18"),
                               (feet, "feet: [{link: l_foot, point: [0, 0, 1]}, {link: r_foot}]", "has no use for the point of foot 'l_foot'"),
                               (feet, "feet: [{link: l_foot, touchdown: 0}, {link: r_foot}]", "has no use for 'touchdown'"),
                               (feet, feet + "\n        sway: 0.02", "sway and sway_period go together"),
                               ("base: pelvis", "base: utorso", "the base of foot 'l_foot' must float"),
                               ("base: floating", "base: fixed", "the base of foot 'l_foot' must float"),
                               ("joints: all", "joints: [l_leg_kny]", "joint 'l_leg_lax' carries foot 'l_foot', and is none of its joints")):
            with self.subTest(new):
                self.refused("run", self.atlas("atlas_balance.yaml", changes=[(old, new)]), says=says)
        for new, says in (("", "kind 'walk' needs 'steps'"), ("steps: 2.5", "needs steps, a whole number"),
                          ("steps: 1001", "steps must be at least 1 and at most 1000"), ("steps: 2\n        swing: 0", "swing must be above 0")):
            with self.subTest(new):
                self.refused("run", self.atlas("atlas_walk.yaml", changes=[("steps: 30", new)]), says=says)
        for name in ("balance", "walk"):
            path = tap.MODELS / f"atlas_{name}.yaml"
            self.refused("run", path, "--no-contact", says=f"kind '{name}' needs feet that touch something, and this world has no contact")
            for gravity in ("0,0,0", "0,0,9.81", "1,0,-9.81"):
                self.refused("run", path, "--gravity", gravity, says=f"kind '{name}' needs gravity along -z, not ({gravity.replace(',', ', ')})")
        self.refused("maxstep", tap.MODELS / "atlas_balance.yaml", "--methods", "pd", says="this controller, balance, has no trajectory of its own")


class Lists(tap.CommandTest):
    def test_help_lists_kinds(self):
        out = self.rigor("help", "run").stdout
        for word in ("Controllers", "implicit-pd", "computed-torque", "balance", "walk", "Trajectories", "sinusoid", "spline", "csv", "gait"):
            self.assertIn(word, out)
        self.assertNotIn("callback", out)


class Viewed(ViewTest):
    def targets(self, viewer, hello, t):
        """Positions wanted at a time (s), by the next /rigor/joint_targets of that time or later: time, first of them."""
        number = next(i for i, topic in topics(hello).items() if topic == "/rigor/joint_targets")
        m = viewer.until(lambda m: isinstance(m, tuple) and m[0] == number and m[2] >= t * 1e9)
        data = m[3]
        at = 4 + 8 + 4 + 1  # header: stamp, frame_id ""
        at += -(at - 4) % 4
        (names,) = struct.unpack_from("<I", data, at)
        at += 4
        for _ in range(names):
            at += -(at - 4) % 4
            (size,) = struct.unpack_from("<I", data, at)
            at += 4 + size
        at += -(at - 4) % 4
        (count,) = struct.unpack_from("<I", data, at)
        at += 4
        at += -(at - 4) % 8
        return m[2] * 1e-9, struct.unpack_from(f"<{count}d", data, at)

    def test_targets_move_and_begin_again_on_reset(self):
        path = self.write("run.yaml", control([arm(trajectory="{kind: sinusoid, amplitude: 0.4, frequency: 3}")], start="true"))
        view = self.view(path, "--paused")
        viewer, hello = self.join(view)
        for _ in range(2):
            viewer.send("step", n=100)
            t, wanted = self.targets(viewer, hello, 0.1)
            self.assertEqual(len(wanted), 6)
            self.assertAlmostEqual(wanted[0], 0.4 * math.sin(3 * t), delta=1e-9)
            viewer.send("reset")
            t, wanted = self.targets(viewer, hello, 0.0)
            self.assertEqual((t, wanted[0]), (0.0, 0.0))

    def test_another_stepper_goes_on(self):
        path = self.write("run.yaml", control([arm("pd", kp="[200, 400, 200, 2, 10, 0.2]", kd="[10, 20, 10, 0.1, 0.4, 0.01]")], rate=100))
        view = self.view(path, "--paused")
        viewer, hello = self.join(view)
        viewer.send("step", n=55)
        self.targets(viewer, hello, 0.055)
        viewer.send("set", stepper="euler")
        viewer.send("step", n=45)
        t, wanted = self.targets(viewer, hello, 0.1)
        self.assertAlmostEqual(wanted[0], 0.1 + 0.4 * math.sin(3 * t), delta=1e-9)


if __name__ == "__main__":
    tap.main()
