#!/usr/bin/python3
"""Recordings of `rigor run`, read by the libraries that other programs read MCAP with, against the CSV of the same run.

Needs node and npm; the libraries, in the versions of package-lock.json, are installed into the build folder.
"""
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import tap  # noqa: E402

WORK = pathlib.Path(tap.COMMAND).resolve().parent / "mcap_readers"
TOPICS = {
    "/robot_description": "std_msgs/msg/String", "/rigor/scene": "rigor.Scene", "/tf_static": "tf2_msgs/msg/TFMessage",
    "/tf": "tf2_msgs/msg/TFMessage", "/joint_states": "sensor_msgs/msg/JointState",
    "/rigor/joint_targets": "sensor_msgs/msg/JointState", "/rigor/state": "rigor_msgs/msg/State",
    "/contacts": "visualization_msgs/msg/MarkerArray", "/rigor/contacts": "rigor_msgs/msg/Contacts",
    "/rigor/step": "rigor.Step", "/rigor/events": "rigor.Event",
}
ODD = """<sdf version="1.9"><world name="odd"><model name="a"><link name="two words"><pose>0 0 1 0 0 0</pose>
  <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model>
  <model name="b"><link name="two words"><pose>1 0 1 0 0 0</pose>
  <collision name="c"><geometry><box><size>.1 .2 .3</size></box></geometry></collision></link>
  <link name="Größe &quot;&amp;&lt;&gt; 漢字"><pose>2 0 1 0 0 0</pose></link></model>
  <model name="floor"><static>true</static><link name="plane"><collision name="c"><geometry><plane><normal>0 0 1</normal>
  </plane></geometry></collision></link></model></world></sdf>"""
TARGET_JOINT = """<link name="l_{0}"><pose>{1} 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link>
  <joint name="{0}" type="revolute"><parent>world</parent><child>l_{0}</child><axis><xyz>0 1 0</xyz>{2}</axis></joint>"""
TARGETS = '<sdf version="1.11"><model name="t">' + "".join(
    TARGET_JOINT.format(name, i, more) for i, (name, more) in enumerate((
        ("motor", ""), ("servo", ""), ("plain", ""),
        ("spring", "<dynamics><spring_stiffness>3</spring_stiffness><spring_reference>0.4</spring_reference></dynamics>"),
        ("follower", '<mimic joint="motor"><multiplier>2</multiplier><offset>0.1</offset><reference>0</reference></mimic>'),
    ))) + "</model></sdf>"
WORLD_LINK = """<robot name="r"><link name="world"/><link name="bob"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""


def install():
    """Why the libraries cannot be had; None: they are there."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "node and npm are not installed"
    WORK.mkdir(exist_ok=True)
    lock = (HERE / "package-lock.json").read_text()
    done = WORK / "installed"
    for name in ("package.json", "package-lock.json", "read_recording.mjs", "rewrite_recording.mjs"):
        shutil.copy(HERE / name, WORK / name)
    if done.exists() and done.read_text() == lock:
        return None
    run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=WORK, capture_output=True, text=True)
    if run.returncode != 0:
        return "the libraries cannot be installed from npm"
    done.write_text(lock)
    return None


MISSING = install()


@unittest.skipIf(MISSING, MISSING)
class Readers(tap.CommandTest):
    def read(self, path, *options):
        run = subprocess.run(["node", str(WORK / "read_recording.mjs"), *options, str(path)], capture_output=True,
                             text=True, timeout=tap.PATIENCE)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def record(self, model, *options, rate=100):
        """A recording and the table of the same run: messages, rows of {column: number}."""
        mcap, table = self.folder / "a.mcap", self.folder / "a.csv"
        self.rigor("run", model, "--record", mcap, "--csv", table, "--record-rate", rate, "--quiet", *options)
        with open(table, newline="") as file:
            rows = [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]
        return self.read(mcap), rows

    def values(self, recording, topic):
        return [message["value"] for message in recording["channels"][topic]["messages"]]

    def check_frames(self, recording, rows):
        """Every frame holds the numbers of its row, to the bit."""
        for topic in ("/tf", "/joint_states", "/rigor/state", "/contacts", "/rigor/contacts", "/rigor/step"):
            self.assertEqual(len(self.values(recording, topic)), len(rows), topic)
        scene = self.values(recording, "/rigor/scene")[0]
        for row, tf, joints, state, step, contacts in zip(
                rows, *(self.values(recording, t) for t in ("/tf", "/joint_states", "/rigor/state", "/rigor/step",
                                                            "/rigor/contacts"))):
            self.assertEqual(state["t"], row["t"])
            self.assertEqual(state["q"], [row["q:" + name] for name in scene["q_names"]])
            self.assertEqual(state["v"], [row["v:" + name] for name in scene["v_names"]])
            for one in tf["transforms"]:
                link, at, turn = one["child_frame_id"], one["transform"]["translation"], one["transform"]["rotation"]
                self.assertEqual([at[a] for a in "xyz"], [row[f"link:{link}:{a}"] for a in "xyz"])
                self.assertEqual([turn[a] for a in "wxyz"], [row[f"link:{link}:q{a}"] for a in "wxyz"])
                self.assertEqual(one["header"]["frame_id"], scene["root"])
            for name, q, v in zip(joints["name"], joints["position"], joints["velocity"]):
                self.assertEqual((q, v), (row["q:" + name], row["v:" + name]))
            self.assertEqual((step["kinetic"], step["potential"]), (row["energy:kinetic"], row["energy:potential"]))
            self.assertEqual((step["contacts"], step["contact_work"], step["residual"]),
                             (row["contact:points"], row["contact:work"], row["contact:residual"]))
            self.assertEqual(len(contacts["link_a"]), row["contact:points"])

    def test_quadruped(self):
        recording, rows = self.record(tap.MODELS / "standing.yaml")
        self.assertEqual({t: c["schemaName"] for t, c in recording["channels"].items()}, TOPICS)
        self.check_frames(recording, rows)
        self.assertGreater(recording["chunks"], 1)

        # Definitions of ROS 2's messages are those of its releases; of the types of rigor it knows nothing.
        for topic, channel in recording["channels"].items():
            for name, answer in channel["ros"].items():
                self.assertEqual(answer, "unknown" if name.startswith("rigor_msgs/") else "same", (topic, name))
        self.assertIn("visualization_msgs/MeshFile", recording["channels"]["/contacts"]["ros"])

        # From front to back it is the same, with all checksums right.
        stream = self.read(self.folder / "a.mcap", "--stream")
        self.assertTrue(stream["whole"])
        self.assertEqual(stream["channels"], recording["channels"])
        self.assertEqual(stream["messages"], recording["messages"])

        # The first /tf has all links, the others those that move.
        tf = self.values(recording, "/tf")
        self.assertEqual((len(tf[0]["transforms"]), len(tf[1]["transforms"])), (14, 13))
        self.assertEqual([x["child_frame_id"] for x in self.values(recording, "/tf_static")[0]["transforms"]], ["floor"])

        # The feet carry the weight at the end, and every force has its arrow.
        last = self.values(recording, "/rigor/contacts")[-1]
        self.assertAlmostEqual(sum(last["force"][2::3]), 13.1675 * 9.81, delta=0.5)
        points, *arrows = self.values(recording, "/contacts")[-1]["markers"]
        self.assertEqual((len(points["points"]), len(arrows)), (4, 4))
        for i, arrow in enumerate(arrows):
            self.assertEqual((arrow["ns"], arrow["id"], arrow["type"], arrow["action"]), ("forces", i, 0, 0))
            self.assertEqual(list(points["points"][i].values()), last["point"][3 * i:3 * i + 3])
            begin, end = (list(point.values()) for point in arrow["points"])
            self.assertEqual(begin, last["point"][3 * i:3 * i + 3])
            for a, b, force in zip(begin, end, last["force"][3 * i:3 * i + 3]):
                self.assertAlmostEqual(b - a, 0.002 * force, 12)

        # Motors: targets are as given, efforts below them.
        targets, states = (self.values(recording, t)[-1] for t in ("/rigor/joint_targets", "/joint_states"))
        self.assertEqual((targets["velocity"], targets["effort"]), ([0] * 12, [40] * 12))
        self.assertTrue(all(abs(x) <= 40 for x in states["effort"]) and any(abs(x) > 1 for x in states["effort"]))

        # Four feet touch once, and hit the floor after a fall of 10 mm.
        events = self.values(recording, "/rigor/events")
        self.assertEqual(sorted(e["b"] for e in events if e["kind"] == "touch"),
                         sorted(f"{e}_{s}_shank" for e in ("front", "hind") for s in ("left", "right")))
        for event in events:
            if event["kind"] == "impact":
                self.assertAlmostEqual(event["value"], (2 * 9.81 * 0.01) ** 0.5, delta=0.02)

    def test_arrows_come_and_go(self):
        """What a viewer that adds and deletes as it is told shows are the forces of the frame."""
        recording, _ = self.record(tap.MODELS / "die.yaml", "--time", "1", rate=1000)
        shown, most, deleted = {}, 0, 0
        frames = list(zip(self.values(recording, "/contacts"), self.values(recording, "/rigor/contacts")))
        for markers, contacts in frames:
            for marker in markers["markers"]:
                key = marker["ns"], marker["id"]
                if marker["action"] == 2:
                    deleted += key in shown and marker["ns"] == "forces"
                    shown.pop(key, None)
                else:
                    self.assertEqual((marker["action"], marker["header"]["frame_id"]), (0, "world"))
                    self.assertTrue(min(marker["scale"].values()) > 0)
                    shown[key] = marker["points"]
            pressing = [contacts["point"][3 * i:3 * i + 3] for i, state in enumerate(contacts["state"]) if state]
            self.assertEqual([list(p.values()) for p in shown.get(("points", 0), [])], pressing)
            arrows = [shown[key] for key in sorted(shown) if key[0] == "forces"]
            self.assertEqual([list(arrow[0].values()) for arrow in arrows], pressing)
            most = max(most, len(pressing))
        self.assertTrue(most > 0 and deleted > 0, (most, deleted))

    def test_description_is_the_file_of_one_urdf(self):
        recording, rows = self.record(tap.MODELS / "arm6.urdf", "--time", "0.2")
        self.check_frames(recording, rows)
        self.assertEqual(self.values(recording, "/robot_description")[0]["data"], (tap.MODELS / "arm6.urdf").read_text())

    def test_description_written_from_the_model_is_read_again(self):
        """The URDF that a recording carries gives links of the same names and masses."""
        recording, _ = self.record(tap.MODELS / "standing.yaml", "--time", "0.05")
        again = self.write("again.urdf", self.values(recording, "/robot_description")[0]["data"])
        scene = self.values(recording, "/rigor/scene")[0]
        info = self.json("info", again)
        masses = {link["name"]: link["mass"] for link in info["link_list"]}
        for link in scene["links"]:
            self.assertAlmostEqual(masses[link["name"]], link["mass"], 12)

    def test_odd_names(self):
        """Blanks, quotes, other scripts, one name in two groups."""
        recording, rows = self.record(self.write("odd.sdf", ODD), "--time", "0.1")
        self.check_frames(recording, rows)
        scene = self.values(recording, "/rigor/scene")[0]
        self.assertEqual([x["name"] for x in scene["links"]],
                         ["a::two words", "b::two words", 'Größe "&<> 漢字', "plane"])

    def test_targets(self):
        """Servos, couplings and springs have positions, motors velocities; NaN (null here) stands for none."""
        scene = self.write("t.yaml", "models: [{file: t.sdf, name: t}]\nstate: {motors: {motor: [0.5, 7]}, "
                           "servos: {servo: [0.2, 9, 2, 10]}}\n")
        self.write("t.sdf", TARGETS)
        recording, rows = self.record(scene, "--time", "0.5", "--gravity", "0,0,0")
        self.check_frames(recording, rows)
        targets, states = (self.values(recording, t) for t in ("/rigor/joint_targets", "/joint_states"))
        for target, state in zip(targets, states):
            now = dict(zip(state["name"], state["position"]))
            aims = {name: values for name, *values in zip(*(target[k] for k in ("name", "position", "velocity", "effort")))}
            self.assertEqual(set(aims), {"motor", "servo", "spring", "follower"})
            self.assertEqual(aims["motor"], [None, 0.5, 7])
            self.assertEqual(aims["spring"], [0.4, None, None])
            self.assertEqual((aims["servo"][0], aims["servo"][2]), (0.2, 9))
            self.assertAlmostEqual(aims["servo"][1], max(-2, min(10 * (0.2 - now["servo"]), 2)), 12)
            self.assertAlmostEqual(aims["follower"][0], 2 * now["motor"] + 0.1, 12)
            self.assertEqual(aims["follower"][1:], [None, None])
        self.assertAlmostEqual(now["follower"], 2 * now["motor"] + 0.1, 4)
        self.assertAlmostEqual(now["servo"], 0.2, delta=0.01)

    def test_a_link_called_world(self):
        """The world's own frame then has another name, so that no frame is its own parent."""
        recording, rows = self.record(self.write("w.urdf", WORLD_LINK), "--time", "0.1")
        self.check_frames(recording, rows)
        self.assertEqual(self.values(recording, "/rigor/scene")[0]["root"], "rigor_world")

    def test_files_of_another_writer(self):
        """The messages of a recording, written by @mcap/core, give the same rows."""
        mcap, other, table, rows = (self.folder / name for name in ("a.mcap", "b.mcap", "a.csv", "b.csv"))
        self.rigor("run", tap.MODELS / "standing.yaml", "--record", mcap, "--csv", table, "--record-rate", "60", "--quiet")
        for kind in ("plain", "lz4", "loose", "late", "zstd"):
            script = [str(WORK / "rewrite_recording.mjs"), str(mcap), str(other), kind]
            run = subprocess.run(["node", *script], capture_output=True, text=True, timeout=tap.PATIENCE)
            self.assertEqual(run.returncode, 0, run.stderr)
            if kind == "zstd":
                self.refused("export", other, "--csv", rows, says=["'zstd'", "mcap compress --compression lz4"])
            else:
                self.rigor("export", other, "--csv", rows)
                self.assertEqual(rows.read_bytes(), table.read_bytes(), kind)

    def test_killed_run(self):
        """kill -9 leaves a file that is read up to the last chunk."""
        out = self.folder / "killed.mcap"
        process = subprocess.Popen([tap.COMMAND, "run", str(tap.MODELS / "standing.yaml"), "--time", "100000",
                                    "--record", str(out), "--quiet"])
        while not out.exists() or out.stat().st_size < 400000:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        recording = self.read(out, "--stream")
        self.assertFalse(recording["whole"])
        times = [m["time"] for m in recording["channels"]["/tf"]["messages"]]
        self.assertGreater(len(times), 100)
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[-1], 2_000_000_000)


if __name__ == "__main__":
    tap.main()
