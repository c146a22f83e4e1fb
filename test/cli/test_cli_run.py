#!/usr/bin/python3
"""`rigor run`: the physics of simple systems, the summary, recordings, and what happens when a run goes wrong."""
import csv
import fcntl
import io
import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import tap

try:
    import numpy
except ImportError:
    numpy = None

ARM = tap.MODELS / "arm6.urdf"
BOX = tap.MODELS / "tumbling_box.sdf"
PENDULUM = """<robot name="pendulum">
  <link name="world"/>
  <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="revolute"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="0.5" effort="10" velocity="3"/><dynamics friction="0.1"/></joint>
</robot>
"""
PROMISED = ("time steps wall_s real_time_factor state_hash energy_initial energy_final dof coords stepper step model nq nv "
            "joint_error_max momentum_initial momentum_final joint_positions warnings limit_violations").split()


class Physics(tap.CommandTest):
    def test_free_fall(self):
        run = self.json("run", BOX, "--time", "2", "--stepper", "rk4", "--set", "box.rate=0,0,0,1,2,3")
        position = run["floating_links"]["box"]["position"]
        for got, expected in zip(position, (2, 4, 6 - 0.5 * 9.81 * 4)):
            self.assertAlmostEqual(got, expected, 9)

    def test_small_swing_has_the_period_of_the_pendulum(self):
        """After a whole period of a small swing the pendulum is back: T = 2 pi sqrt(l / g) (1 + a^2 / 16)."""
        a, period = 0.01, 2 * math.pi * math.sqrt(1 / 9.81) * (1 + 0.01 ** 2 / 16)
        smooth = self.write("p.urdf", PENDULUM.replace('friction="0.1"', 'friction="0"'))
        run = self.json("run", smooth, "--set", f"pivot={a}", "--time", period, "--stepper", "rk4")
        self.assertAlmostEqual(run["joint_positions"]["pivot"], a, 8)
        self.assertAlmostEqual(run["time"], period, 12)

    def test_effort_holds_a_pendulum(self):
        """The torque m g l sin(a) balances gravity."""
        effort = 2 * 9.81 * math.sin(0.3)
        run = self.json("run", self.write("p.urdf", PENDULUM), "--set", "pivot=0.3", "--set", f"pivot.effort={effort}",
                        "--time", "0.5", "--stepper", "rk4")
        self.assertAlmostEqual(run["joint_positions"]["pivot"], 0.3, 9)

    def test_no_gravity_no_motion(self):
        run = self.json("run", ARM, "--gravity", "0,0,0", "--time", "0.1", "--set", "elbow=0.5")
        self.assertEqual(run["joint_positions"]["elbow"], 0.5)
        self.assertEqual(run["momentum_final"]["kinetic"], 0)

    def test_tumbling_box_keeps_energy_and_momentum(self):
        for coords in ("minimal", "maximal"):
            run = self.json("run", tap.MODELS / "tumbling_box.yaml", "--coords", coords)
            self.assertLess(abs(run["energy_drift"] / run["energy_initial"]), 1e-9)
            before, after = run["momentum_initial"]["angular"], run["momentum_final"]["angular"]
            self.assertLess(math.dist(before, after) / math.hypot(*before), 1e-9)

    def test_minimal_equals_maximal(self):
        runs = [self.json("run", ARM, "--stepper", "rk4", "--time", "0.3", "--set", "lift=0.8", "--coords", coords)
                for coords in ("minimal", "maximal")]
        for name, value in runs[0]["joint_positions"].items():
            self.assertAlmostEqual(value, runs[1]["joint_positions"][name], 9)

    def test_closed_loops_stay_closed(self):
        run = self.json("run", tap.MODELS / "closed_loops.yaml", "--time", "1")
        self.assertLess(run["joint_error_max"], 1e-9)
        self.assertLess(abs(run["energy_drift"]), 1e-5)

    def test_joints_that_are_set_stay_so_when_loops_close(self):
        """The crank of the four-bar is asked for; coupler and rocker follow. The bars' ends meet, so their angles add up."""
        run = self.json("run", tap.MODELS / "four_bar.sdf", "--set", "crank_pivot=1", "--set", "crank_pivot.rate=4", "--time", "0")
        q = run["joint_positions"]
        self.assertAlmostEqual(q["crank_pivot"], 1, 9)
        self.assertAlmostEqual(run["joint_rates"]["crank_pivot"], 4, 9)
        self.assertAlmostEqual(q["crank_pivot"] + q["crank_pin"] - q["rocker_pivot"] - q["coupler_pin"], 0, 9)
        self.assertLess(run["assembly_error"], 1e-9)
        self.assertEqual([text for text in run["warnings"] if "contradicts loops" in text], [])

    def test_mimic_joint_follows_the_one_that_is_set(self):
        light = '<mass value="1"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/>'
        heavy = '<mass value="9"/><inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/>'
        text = f"""<robot name="gripper"><link name="world"/>
          <link name="a"><inertial>{light}</inertial></link><link name="b"><inertial>{heavy}</inertial></link>
          <joint name="left" type="continuous"><parent link="world"/><child link="a"/><axis xyz="0 1 0"/></joint>
          <joint name="right" type="continuous"><parent link="world"/><child link="b"/><axis xyz="0 1 0"/>
            <mimic joint="left" multiplier="-2" offset="0.5"/></joint></robot>"""
        run = self.json("run", self.write("g.urdf", text), "--set", "left=0.4", "--set", "left.rate=3", "--time", "0")
        self.assertAlmostEqual(run["joint_positions"]["right"], -0.3, 9)
        self.assertAlmostEqual(run["joint_rates"]["right"], -6, 9)
        self.assertAlmostEqual(run["joint_rates"]["left"], 3, 9)

    def test_joints_that_loops_forbid_are_told(self):
        run = self.json("run", tap.MODELS / "four_bar.sdf", "--set", "crank_pivot=1", "--set", "rocker_pivot=-1", "--time", "0")
        self.assertTrue(any("the initial position of" in text for text in run["warnings"]))

    def test_dissipation_takes_energy(self):
        run = self.json("run", ARM, "--set", "lift=1", "--dissipation", "0.01", "--time", "0.5", "--stepper", "rk4")
        self.assertGreater(run["dissipated"], 0)
        self.assertAlmostEqual(run["energy_drift"], -run["dissipated"], 2)


class Summary(tap.CommandTest):
    def test_json_has_what_is_promised(self):
        run = self.json("run", ARM, "--time", "0.1")
        for key in PROMISED:
            self.assertIn(key, run)
        self.assertRegex(run["state_hash"], r"^[0-9a-f]{16}$")
        self.assertEqual((run["steps"], run["dof"], run["coords"], run["step"]), (100, 6, "minimal", 0.001))

    def test_same_run_same_hash(self):
        first, second = (self.json("run", ARM, "--time", "0.2", "--set", "lift=1")["state_hash"] for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, self.json("run", ARM, "--time", "0.2", "--set", "lift=1.0000001")["state_hash"])

    def test_text_for_people(self):
        text = self.rigor("run", ARM, "--time", "0.1").stdout
        for word in ("model", "stepper", "simulated", "wall time", "energy", "joint error", "state hash"):
            self.assertIn(word, text)

    def test_last_step_is_cut(self):
        run = self.json("run", ARM, "--time", "0.0105")
        self.assertEqual(run["steps"], 11)
        self.assertAlmostEqual(run["time"], 0.0105, 14)

    def test_quiet_says_nothing(self):
        done = self.rigor("run", ARM, "--time", "0.01", "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_json_file_beside_the_text(self):
        out = self.folder / "out.json"
        self.assertIn("state hash", self.rigor("run", ARM, "--time", "0.01", "--json", out).stdout)
        self.assertIn('"state_hash"', out.read_text())

    def test_limits_are_told(self):
        path = self.write("p.urdf", PENDULUM)
        run = self.json("run", path, "--set", "pivot=0.9", "--time", "1", "--no-limits")
        violation = run["limit_violations"][0]
        self.assertEqual(violation["joint"], "pivot")
        self.assertAlmostEqual(violation["excess"], 0.4, 2)
        self.assertTrue(any("1 joint axis passed its" in text and "[-0.5, 0.5] rad" in text and "limits are not enforced" in text
                            for text in run["warnings"]))
        self.assertEqual(self.json("run", path, "--set", "pivot=0.4", "--time", "1")["limit_violations"], [])

    def test_joints_that_start_outside_are_told(self):
        """Which joint, by how much, and what becomes of it: on stderr before all other warnings, and in the summary."""
        path = self.write("p.urdf", PENDULUM)
        says = "joint 'pivot' starts 0.4 rad (22.9 deg) above its upper limit of 0.5 rad; "
        outside = ("run", path, "--set", "pivot=0.9", "--time", "0.01")
        for more, end in (((), "it returns at 1 rad/s at most"), (("--no-limits",), "limits are not enforced"),
                          (("--solver-set", "max_joint_correction=0.2"), "it returns at 0.2 rad/s at most"),
                          (("--solver", "cone", "--solver-set", "max-joint-correction=5", "--velocity-limits"),
                           "it returns at 3 rad/s at most"),
                          (("--solver-set", "max_joint_correction=inf"), "the velocity by which it returns is not bounded (max_joint_correction)")):
            first = self.rigor(*outside, *more).stderr.splitlines()[0]
            self.assertTrue(first.endswith("p.urdf: warning: " + says + end), first)
            run = self.json(*outside, *more)
            self.assertTrue(run["warnings"][0].endswith("p.urdf: " + says + end), run["warnings"][0])
            found, = run["outside_at_start"]
            self.assertEqual((found["joint"], found["axis"], found["position"], found["upper"]), ("pivot", 0, 0.9, 0.5))
            self.assertAlmostEqual(found["excess"], 0.4, 12)
        inside = self.rigor("run", path, "--set", "pivot=0.5", "--time", "0.01")
        self.assertNotIn("starts", inside.stderr)
        self.assertEqual(self.json("run", path, "--time", "0.01")["outside_at_start"], [])
        self.assertEqual(self.rigor(*outside, "--quiet").stderr, "")

    def test_sliders_and_soft_limits_that_start_outside(self):
        slider = PENDULUM.replace("revolute", "prismatic")
        text = self.rigor("run", self.write("s.urdf", slider), "--set", "pivot=-0.75", "--time", "0").stderr
        self.assertIn("joint 'pivot' starts 0.25 m below its lower limit of -0.5 m; it returns at 1 m/s at most", text)
        soft = self.rigor("run", self.write("p.urdf", PENDULUM), "--set", "pivot=0.9", "--time", "0",
                          "--parameter", "joints.pivot.limit_stiffness=100").stderr
        self.assertIn("; the spring of the limit drives it back", soft)

    def test_energy_of_a_start_outside_does_not_depend_on_the_step(self):
        """2 kg at 1 m and 1 rad/s: 1 J."""
        path = self.write("p.urdf", PENDULUM)
        for solver in ("quick", "pgs", "cone"):
            for step in ("1e-2", "1e-3", "1e-4"):
                run = self.json("run", path, "--set", "pivot=1.5", "--gravity", "0,0,0", "--time", "0.1", "--step", step, "--solver", solver)
                self.assertAlmostEqual(run["energy_final"], 1, 5, (solver, step))

    def test_steps_without_velocity_products_are_told(self):
        """Two links that turn by 2 rad a step, and by 5 mrad."""
        model = tap.MODELS / "double_pendulum.sdf"
        for rate, told in ((2000, True), (5, False)):
            run = self.json("run", model, "--set", f"lower.rate={rate}", "--step", "0.001", "--time", "0.01")
            self.assertEqual(run["dropped_product_steps"] > 0, told)
            self.assertEqual(any("velocity products were dropped" in w for w in run["warnings"]), told, run["warnings"])

    def test_what_changes_the_energy_is_told(self):
        path = self.write("p.urdf", PENDULUM.replace("friction=", "damping="))
        run = self.json("run", path, "--set", "pivot.effort=1", "--time", "0")
        self.assertTrue(any("1 joint has dampers: the" in text for text in run["warnings"]))
        self.assertTrue(any("1 joint is driven by efforts" in text for text in run["warnings"]))
        run = self.json("run", path, "--set", "pivot.effort=0", "--time", "0")
        self.assertFalse(any("driven" in text for text in run["warnings"]))

    def test_unknown_joint_suggests(self):
        self.refused_each("run", ARM, "--set", cases={
            "elbo=1": "did you mean 'elbow'?", "elbow": "expected JOINT=VALUE", "elbow=1,2": "takes 1 number, not 2",
            "nosuchthing=1": "lists the names"})
        self.refused_each("run", BOX, "--set", cases={
            "box.rate=1": "takes 6 numbers", "box=0,0,0,0,1,1,1": "quaternion is zero"})


class Recording(tap.CommandTest):
    def test_csv_rows(self):
        out = self.folder / "out.csv"
        self.rigor("run", ARM, "--time", "0.1", "--csv", out, "--every", "30")
        rows = list(csv.reader(io.StringIO(out.read_text())))
        times = [float(row[0]) for row in rows[1:]]
        for got, expected in zip(times, (0, 0.03, 0.06, 0.09, 0.1)):
            self.assertAlmostEqual(got, expected, 12)
        self.assertEqual(len(times), 5)

    @unittest.skipUnless(numpy, "no numpy")
    def test_npz_holds_the_motion(self):
        out = self.folder / "out.npz"
        run = self.json("run", BOX, "--time", "1", "--record", out, "--every", "100", "--stepper", "rk4")
        data = numpy.load(out)
        self.assertEqual(data["q"].shape, (11, 7))
        self.assertTrue(numpy.allclose(data["link_position"][:, 0, 2], -0.5 * 9.81 * data["t"] ** 2, atol=1e-9))
        self.assertEqual(list(data["q"][-1, 4:]), run["floating_links"]["box"]["position"])

    def test_ending_must_be_known(self):
        self.refused("run", ARM, "--record", self.folder / "out.mat", says=".npz")

    def test_place_that_cannot_be_written(self):
        self.refused("run", ARM, "--csv", self.folder / "no" / "out.csv", says="out.csv", code=1)

    def test_standard_output_is_no_place_for_a_recording(self):
        self.refused("run", ARM, "--csv", "-", says="give a file name")

    def test_one_file_for_two_recordings(self):
        out = self.folder / "out.csv"
        self.refused("run", ARM, "--csv", out, "--record", out, says="two outputs into one file")
        self.refused("run", ARM, "--csv", out, "--json", self.folder / "." / "out.csv", says="two outputs into one file")
        self.refused("run", ARM, "--csv", out, "--json", f"{self.folder}/./out.csv", says="two outputs into one file")
        self.assertFalse(out.exists())

    def test_inputs_are_never_overwritten(self):
        model = self.write("x.csv", PENDULUM)
        link = self.folder / "link.csv"
        link.symlink_to(model)
        run_file = self.write("run.yaml", "models: [{file: x.csv}]\nduration: 0\n")
        outputs = self.write("outputs.yaml", "models: [{file: x.csv}]\nduration: 0\noutputs: {csv: link.csv}\n")
        for option in ("--csv", "--record", "--json"):
            for path in (model, link):
                self.refused("run", model, option, path, says="would overwrite an input")
                self.refused("run", run_file, option, path, says="would overwrite an input")
        self.refused("run", outputs, says="would overwrite an input")
        self.refused("run", run_file, "--json", run_file, says="would overwrite an input")
        self.refused("run", BOX, "--csv", model, says="would overwrite an XML file")
        self.assertEqual(model.read_text(), PENDULUM)
        self.assertIn("models", run_file.read_text())

    def test_nowhere_may_take_everything(self):
        self.rigor("run", ARM, "--time", "0", "--csv", "/dev/null", "--json", "/dev/null")

    def test_summary_that_cannot_be_written_is_told_before_the_run(self):
        out = self.folder / "out.csv"
        for path in (self.folder / "no" / "out.json", self.folder):
            done = self.rigor("run", ARM, "--time", "1e6", "--csv", out, "--json", path, code=1)
            self.assertIn("cannot write", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertFalse(out.exists())

    def test_refused_start_leaves_no_file(self):
        out = self.folder / "out.json"
        self.refused("run", ARM, "--json", out, "--csv", self.folder / "no" / "out.csv", says="out.csv", code=1)
        self.assertFalse(out.exists())


class GoesWrong(tap.CommandTest):
    def test_nothing_to_simulate(self):
        text = '<sdf version="1.9"><world name="w"><include><uri>model://nothing</uri></include></world></sdf>'
        self.refused("run", self.write("w.sdf", text), says=["nothing to simulate", "no links"])

    def test_refused_step_keeps_the_recording(self):
        """Explicit Euler with a stiff spring and a large step blows up: the step is refused, the file is whole."""
        text = (tap.MODELS / "stewart.sdf").read_text().replace("1500", "1e9")
        out = self.folder / "out.csv"
        path = self.write("stiff.sdf", text)
        arguments = ("run", path, "--stepper", "euler", "--step", "0.05", "--time", "200", "--csv", out, "--stabilise", "none")
        done = self.rigor(*arguments, "--json", "-", code=1)
        self.assertIn("refused at t =", done.stderr)
        self.assertIn("semi-implicit", done.stderr)
        self.assertIn('"status": "refused"', done.stdout)
        rows = list(csv.reader(io.StringIO(out.read_text())))
        self.assertGreater(len(rows), 1)
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def interrupted(self, *arguments, stderr, under_way):
        """Starts a run that would take hours, interrupts it once under_way() is true; its standard output."""
        command = [tap.COMMAND, "run", str(ARM), "--time", "1e7", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self.wait_until(under_way, process)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=tap.PATIENCE)
        self.assertEqual(process.returncode, 130)
        return text

    def test_interrupt_finishes_the_recording(self):
        out = self.folder / "out.csv"
        text = self.interrupted("--csv", str(out), "--every", "10", stderr=subprocess.DEVNULL,
                                under_way=lambda: any(part.stat().st_size > 10000 for part in self.folder.iterdir()))
        self.assertIn("then interrupted", text)
        self.assertTrue(out.read_text().endswith("\n"))

    def shown_on_a_terminal(self, columns, under_way):
        """What a run shows on a terminal of so many columns until a match of under_way has come."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        shown = ""

        def is_under_way():
            nonlocal shown
            if select.select([ours], [], [], 0)[0]:
                shown += os.read(ours, 100000).decode(errors="replace")
            return re.search(under_way, shown)
        self.interrupted(stderr=theirs, under_way=is_under_way)
        os.close(theirs)
        os.close(ours)
        return shown

    def test_progress_only_on_a_terminal(self):
        self.assertEqual(self.rigor("run", ARM, "--time", "1").stderr, "")
        line = r"\d %  t = .* of 1e\+07 s  .* x real time  [\d:]+( s)? left"
        self.assertRegex(self.shown_on_a_terminal(100, line), line)

    def test_progress_in_a_log_is_a_line_now_and_then(self):
        """The first after five seconds; no bar, no codes of terminals."""
        process = subprocess.Popen([tap.COMMAND, "run", str(ARM), "--time", "1e7"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        begin = time.monotonic()
        first = process.stderr.readline()
        self.assertGreater(time.monotonic() - begin, 4.5)
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=tap.PATIENCE)[1].splitlines()
        self.assertLess(len(rest), (time.monotonic() - begin) / 4.5, rest)
        for line in [first.rstrip("\n"), *rest]:
            self.assertRegex(line, r"^rigor: 0 %  t = \S+ of 1e\+07 s  \S+ x real time  [\d:]+ left$")

    def test_progress_fits_the_terminal(self):
        for columns in (30, 90):
            shown = self.shown_on_a_terminal(columns, r"\d.*\r.*\d.*\r")
            lines = [line.replace("\033[K", "") for line in shown.split("\r")]
            self.assertLess(max(map(len, lines)), columns)
            self.assertEqual(any(line.startswith("[") for line in lines), columns == 90)


if __name__ == "__main__":
    tap.main()
