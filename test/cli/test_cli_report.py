#!/usr/bin/python3
"""`rigor run --report`: what is in the page, and what is said where it cannot be made."""
import base64
import csv
import html.parser
import json
import os
import re
import signal
import subprocess

import tap

ROBOT = tap.MODELS / "standing.yaml"
PENDULUM = tap.MODELS / "double_pendulum.yaml"
MAGIC = b"\x89MCAP0\r\n"
ODD = """<robot name="odd &lt;/script&gt;&lt;!--&lt;script&gt; 'name' &quot;x&quot; \\ ünï">
<link name="base 'one'"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm, two"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="joint 'a', &quot;b&quot; {/Bold c}_d \\ &lt;/script&gt; ünï" type="revolute"><parent link="base 'one'"/><child link="arm, two"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="1"/></joint></robot>"""


class Finder(html.parser.HTMLParser):
    """The scripts of a page, as a browser cuts them out: attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.inside = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data):
        if self.inside:
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)

    def handle_endtag(self, tag):
        self.inside = False


class ReportTest(tap.CommandTest):
    def setUp(self):
        super().setUp()
        if "built without" in self.rigor("run", ROBOT, "--time", 0, "--report", self.folder / "try.html", code=None).stderr:
            self.skipTest("built without the viewer's page")

    def report(self, *arguments, code=0, name="report.html"):
        """The JSON in the report of a run, and the run's own."""
        path = self.folder / name
        own = self.json("run", *arguments, "--report", path, code=code)
        return self.read(path), own

    def read(self, path):
        text = path.read_text()
        found = [text for attributes, text in Finder(text).scripts if attributes.get("id") == "rigor-report"]
        self.assertEqual(len(found), 1)
        return json.loads(found[0])


class Report(ReportTest):
    def test_control_is_in_it(self):
        report, own = self.report(tap.MODELS / "arm_sinusoid.yaml", "--time", 0.5)
        summary, told = report["summary"], own["control"]
        self.assertEqual(summary["control"]["mean error, rad or m"], told["mean_error"])
        self.assertEqual(summary["control"]["samples"], told["samples"])
        self.assertEqual([(row["joint"], row["largest effort"]) for row in summary["controlled joints"]],
                         [(joint["joint"], joint["largest_effort"]) for joint in told["joints"]])

    def test_all_is_in_it(self):
        report, own = self.report(ROBOT)
        summary, settings = report["summary"], report["settings"]
        self.assertEqual(report["version"], self.rigor("--version").stdout.split()[1])
        self.assertEqual(summary["state hash"], own["state_hash"])
        self.assertEqual(summary["steps"], own["steps"])
        self.assertEqual(summary["run"], "completed")
        self.assertEqual(summary["energy"]["change, J"], own["energy_drift"])
        self.assertEqual([settings["stepper"], settings["solver"], settings["step, s"]], ["semi-implicit", "quick", own["step"]])
        self.assertEqual(settings["gravity, m/s^2"], own["gravity"])
        self.assertEqual(len(summary["joints at the end"]), 12)

    def test_aids_and_their_energy(self):
        report, own = self.report(ROBOT, "--solver", "pgs", "--solver-set", "contact-erp=0.2", "--dissipation", 0.001)
        aids = {row["what"]: row["energy, J"] for row in report["summary"]["what stabilisation did to the energy"]}
        self.assertEqual(aids["position correction"], own["contact_solver"]["work"]["erp"])
        self.assertEqual(aids["dissipation"], -own["dissipated"])
        self.assertNotEqual(aids["dissipation"], 0.0)
        solver = {row["what"]: row["energy, J"] for row in report["summary"]["what the solver did to the energy"]}
        self.assertEqual(solver["motors"], own["contact_solver"]["work"]["motors"])
        self.assertEqual(report["settings"]["solver pgs"]["contact_erp"], 0.2)

    def test_recording_is_whole(self):
        report, own = self.report(ROBOT)
        recording = base64.b64decode(report["recording"], validate=True)
        self.assertEqual((recording[:8], recording[-8:]), (MAGIC, MAGIC))
        path = self.folder / "out.mcap"
        path.write_bytes(recording)
        self.rigor("export", path, "--csv", self.folder / "out.csv")
        with open(self.folder / "out.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(float(rows[-1]["t"]), own["time"])
        self.assertAlmostEqual(float(rows[-1]["q:front_left_knee"]), own["joint_positions"]["front_left_knee"], places=12)

    def test_frames(self):
        """At most 60 a second, and 6000 in all; others where they are asked for."""
        for arguments, frames in ((("--time", 1), 59), (("--time", 1, "--every", 100), 11), (("--time", 1, "--record-rate", 20), 21)):
            report, _ = self.report(PENDULUM, "--step", 0.001, *arguments)
            path = self.folder / "out.mcap"
            path.write_bytes(base64.b64decode(report["recording"]))
            text = self.rigor("export", path, "--csv", self.folder / "out.csv").stdout
            self.assertAlmostEqual(int(re.search(r"(\d+) rows", text)[1]), frames, delta=2)
        report, _ = self.report(PENDULUM, "--step", 0.01, "--time", 600)
        path.write_bytes(base64.b64decode(report["recording"]))
        text = self.rigor("export", path, "--csv", self.folder / "out.csv").stdout
        self.assertLessEqual(int(re.search(r"(\d+) rows", text)[1]), 6002)

    def test_needs_no_network(self):
        self.report(ROBOT)
        text = (self.folder / "report.html").read_text()
        self.assertIsNone(re.search(r"<(script|img|iframe|link|source)[^>]*\s(src|href)=[\"']?(https?:)?//", text))

    def test_odd_names(self):
        path = self.write("odd.urdf", ODD)
        report, _ = self.report(path, "--time", 0.1, name="re port 'ü' %d.html")
        self.assertIn("</script><!--<script>", report["name"])
        self.assertIn("</script>", report["summary"]["joints at the end"][0]["joint"])

    def test_written_again(self):
        first, _ = self.report(ROBOT, "--time", 0.1)
        second, _ = self.report(ROBOT, "--time", 0.2)
        self.assertNotEqual(first["summary"]["steps"], second["summary"]["steps"])
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.name != "try.html"), ["report.html"])

    def test_written_through_a_link(self):
        (self.folder / "folder").mkdir()
        target = self.folder / "folder" / "real.html"
        target.write_text("<!doctype html>old")
        (self.folder / "report.html").symlink_to(target)
        self.report(ROBOT, "--time", 0.1)
        self.assertTrue((self.folder / "report.html").is_symlink())
        self.assertEqual(self.read(target)["summary"]["steps"], 100)

    def test_nothing_else_is_left_behind(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        for target, code in ((self.folder / "report.html", 0), (self.folder / "no" / "where.html", 1)):
            done = subprocess.run([tap.COMMAND, "run", str(ROBOT), "--time", "0.1", "--report", str(target)],
                                  env=dict(os.environ, TMPDIR=str(temporary)), capture_output=True, text=True, timeout=tap.PATIENCE)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(list(temporary.iterdir()), [])

    def test_interrupted_run_has_a_report(self):
        path = self.folder / "report.html"
        run = subprocess.Popen([tap.COMMAND, "run", str(PENDULUM), "--time", "100000", "--report", str(path)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=str(self.folder)))
        self.wait_until(lambda: any(part.stat().st_size > 10000 for part in self.folder.iterdir()), run)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=tap.PATIENCE)
        self.assertEqual(run.returncode, 130)
        report = self.read(path)
        self.assertEqual(report["summary"]["run"], "interrupted")
        self.assertEqual(base64.b64decode(report["recording"])[-8:], MAGIC)

    def test_refused(self):
        self.refused("run", ROBOT, "--report", "-", says="give a file name")
        self.refused("run", ROBOT, "--report", self.folder, says="directory", code=1)
        self.refused("run", ROBOT, "--report", ROBOT, says="overwrite an input")
        robot = self.write("robot.urdf", ODD)
        self.refused("run", ROBOT, "--report", robot, says="overwrite an XML file")
        self.refused("run", ROBOT, "--report", self.folder / "x.html", "--json", self.folder / "x.html", says="two outputs")
        full = self.folder / "full.html"
        full.symlink_to("/dev/full")
        self.refused("run", ROBOT, "--report", full, says="cannot write the report", code=1)
        self.assertTrue(full.is_symlink())
        temporary = dict(os.environ, TMPDIR=str(self.folder / "nothing"))
        done = subprocess.run([tap.COMMAND, "run", str(ROBOT), "--report", str(self.folder / "x.html")], env=temporary,
                              capture_output=True, text=True, timeout=tap.PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing", done.stderr)


if __name__ == "__main__":
    tap.main()
