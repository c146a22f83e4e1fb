#!/usr/bin/python3
"""`rigor run --plots`: the figures, the numbers behind them, and what is said where they cannot be made."""
import csv
import os
import subprocess
import xml.etree.ElementTree as ET

import tap

ROBOT = tap.MODELS / "standing.yaml"
PENDULUM = tap.MODELS / "double_pendulum.yaml"
BOX = """<sdf version="1.7"><world name="w"><model name="ground"><static>true</static><link name="floor"><collision name="c">
<geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model><model name="b"><pose>0 0 0.6 0.4 0.3 0</pose>
<link name="box"><inertial><mass>2</mass><inertia><ixx>0.05</ixx><iyy>0.05</iyy><izz>0.05</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.5 0.5 0.5</size></box></geometry></collision></link></model></world></sdf>"""
ODD = """<robot name="odd &lt;/script&gt;&lt;!--&lt;script&gt; 'name' &quot;x&quot; \\ ünï">
<link name="base 'one'"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm, two"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="joint 'a', &quot;b&quot; {/Bold c}_d \\ &lt;/script&gt; ünï" type="revolute"><parent link="base 'one'"/><child link="arm, two"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="1"/></joint></robot>"""


class Plots(tap.CommandTest):
    def plots(self, *arguments, name="plots"):
        folder = self.folder / name
        done = self.rigor("run", *arguments, "--plots", folder)
        self.assertIn(f"plots          {folder}", done.stdout)
        return folder

    def rows(self, folder):
        with open(folder / "run.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_figures_and_numbers(self):
        folder = self.plots(ROBOT)
        names = {"energy", "step", "residual", "sweeps", "contacts", "positions", "rates", "efforts"}
        self.assertEqual({p.stem for p in folder.iterdir()}, names | {"run", "plots"})
        for name in names:
            self.assertEqual((folder / f"{name}.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            pdf = (folder / f"{name}.pdf").read_bytes()
            self.assertEqual(pdf[:5], b"%PDF-")
            self.assertIn(b"%%EOF", pdf[-16:])
            root = ET.parse(folder / f"{name}.svg").getroot()
            self.assertGreater(len(list(root.iter())), 20, name)

        rows, own = self.rows(folder), self.json("run", ROBOT)
        self.assertEqual(len(rows), 2001)
        self.assertAlmostEqual(float(rows[-1]["drift"]), own["energy_drift"], places=6)
        self.assertAlmostEqual(float(rows[-1]["front_left_knee position"]), own["joint_positions"]["front_left_knee"], places=8)
        self.assertEqual(int(float(rows[-1]["contacts"])), own["contact_solver"]["contacts"])
        self.assertEqual(max(int(float(r["sweeps"])) for r in rows[1:]), own["contact_solver"]["sweeps_max"])
        for row in rows:
            self.assertLessEqual(abs(float(row["front_left_knee effort"])), 40.0 + 1e-9)

    def test_long_runs_have_few_rows_and_no_peak_is_lost(self):
        scene = self.write("box.sdf", BOX)
        folder = self.plots(scene, "--time", 11.3)
        rows, own = self.rows(folder), self.json("run", scene, "--time", 11.3)
        self.assertLessEqual(len(rows), 4002)
        self.assertAlmostEqual(float(rows[-1]["t"]), 11.3)
        self.assertEqual(max(int(float(r["sweeps"])) for r in rows[1:]), own["contact_solver"]["sweeps_max"])
        self.assertEqual(max(int(float(r["contacts"])) for r in rows[1:]), own["contact_solver"]["contacts_max"])

    def test_what_would_be_empty_is_not_drawn(self):
        folder = self.plots(tap.MODELS / "tumbling_box.yaml", "--time", 0.1)
        self.assertEqual({p.stem for p in folder.glob("*.png")}, {"energy", "step"})
        folder = self.plots(tap.MODELS / "tumbling_box.yaml", "--time", 0, name="none")
        self.assertEqual({p.stem for p in folder.glob("*.png")}, {"energy"})

    def test_odd_names(self):
        path = self.write("odd.urdf", ODD)
        folder = self.plots(path, "--time", 0.1, name="a 'folder' \"ü\" %s")
        text = "".join(ET.parse(folder / "positions.svg").getroot().itertext())
        self.assertIn("""joint 'a', "b" {/Bold c}_d \\ </script> ünï""", text)
        self.assertIn("""joint 'a', "b" {/Bold c}_d \\ </script> ünï position""", self.rows(folder)[0])

    def test_drawn_again(self):
        folder = self.plots(PENDULUM, "--time", 1)
        before = (folder / "energy.svg").read_bytes()
        (folder / "energy.svg").unlink()
        subprocess.run(["gnuplot", "plots.gp"], cwd=folder, check=True, timeout=tap.PATIENCE)
        self.assertEqual((folder / "energy.svg").read_bytes(), before)
        self.plots(PENDULUM, "--time", 2)

    def test_many_joints_make_pages(self):
        links = "".join(f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
                        f'iyz="0"/></inertial></link>' for i in range(31))
        joints = "".join(f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/><origin '
                         f'xyz="0 0 0.1"/><axis xyz="1 0 0"/></joint>' for i in range(30))
        path = self.write("chain.urdf", f'<robot name="chain">{links}{joints}</robot>')
        folder = self.plots(path, "--time", 0.01, "--base", "fixed")
        self.assertEqual({p.stem for p in folder.glob("*.png")},
                         {"energy", "step", "positions", "positions_2", "positions_3", "rates", "rates_2", "rates_3"})

    def test_without_gnuplot(self):
        done = subprocess.run([tap.COMMAND, "run", str(ROBOT), "--plots", str(self.folder / "p")], env={"PATH": str(self.folder)},
                              capture_output=True, text=True, timeout=tap.PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gnuplot-nox", done.stderr)
        self.assertFalse((self.folder / "p").exists())

    def test_gnuplot_that_fails(self):
        program = self.write("gnuplot", "#!/bin/sh\necho something is wrong >&2\nexit 3\n")
        program.chmod(0o755)
        done = subprocess.run([tap.COMMAND, "run", str(ROBOT), "--time", "0.1", "--plots", str(self.folder / "p")],
                              env=dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"), capture_output=True, text=True,
                              timeout=tap.PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gnuplot: something is wrong", done.stderr)
        self.assertIn("exit code 3", done.stderr)

    def test_refused(self):
        self.refused("run", ROBOT, "--plots", ROBOT, says="run.csv", code=1)
        self.refused("run", ROBOT, "--plots", self.folder / "no" / "where", says="cannot make the folder", code=1)


if __name__ == "__main__":
    tap.main()
