#!/usr/bin/python3
"""Joints made at run time and damping fields in run files: what they do, and where they say a mistake is."""
import csv
import json

import tap

HOSE = tap.MODELS / "hose.yaml"
SEAT = tap.MODELS / "seat.yaml"
BODY = f"models:\n  - file: {tap.MODELS / 'hose.sdf'}\n"


class Runs(tap.CommandTest):
    def test_hose_is_screwed_on_and_let_go(self):
        for form in ("minimal", "maximal"):
            done = self.rigor("run", HOSE, "--coords", form, "--json", "-", "--quiet", "--events",
                              self.folder / "events.csv")
            out = json.loads(done.stdout)
            grip, thread = out["attachments"]
            self.assertEqual((grip["state"], thread["state"]), ("broke", "attached"))
            self.assertAlmostEqual(thread["position"][0], 12.566, delta=0.05)
            self.assertLess(out["attached"], 0)
            with open(self.folder / "events.csv", encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["kind"] in ("attach", "detach", "broke")]
            self.assertEqual([(row["kind"], row["joint"]) for row in rows],
                             [("attach", "grip"), ("attach", "thread"), ("broke", "grip")])
            self.assertGreater(float(rows[2]["value"]), 4)

    def test_lines_and_json_name_the_joint(self):
        done = self.rigor("run", HOSE, "--events", "-")
        made = [json.loads(line) for line in done.stdout.splitlines() if '"attachment"' in line]
        self.assertEqual([event["attachment"] for event in made], ["grip", "thread", "grip"])
        self.assertEqual((made[1]["a"], made[1]["b"]), ("standpipe", "coupling"))
        self.assertIn("grip broke at", self.rigor("run", HOSE).stdout)

    def test_a_body_enters_and_leaves_a_field(self):
        text = BODY + "gravity: [0, 0, 0]\nduration: 0.01\nfields:\n  - {name: pool, sphere: 100, linear: 1}\n"
        done = self.rigor("run", self.write("pool.yaml", text), "--events", "-")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        entered = [row for row in rows if row["kind"] == "enter"]
        self.assertIn(("pool", 0, "world"), [(row["field"], row["field_index"], row["a"]) for row in entered])
        self.assertIn("coupling", [row["b"] for row in entered])
        self.rigor("run", self.write("pool.yaml", text), "--events", self.folder / "e.csv", "--quiet")
        with open(self.folder / "e.csv", encoding="utf-8") as file:
            self.assertIn(("enter", "pool", "world"),
                          [(row["kind"], row["joint"], row["a"]) for row in csv.DictReader(file)])

    def test_a_field_keeps_the_rider_on_the_seat(self):
        text = SEAT.read_text(encoding="utf-8").replace("seat.sdf", str(tap.MODELS / "seat.sdf"))
        without = text[:text.index("fields:")] + "duration: 3\n"
        height = {}
        for name, source in (("with", text), ("without", without)):
            self.rigor("run", self.write(name + ".yaml", source), "--csv", self.folder / "out.csv", "--quiet")
            with open(self.folder / "out.csv", encoding="utf-8") as file:
                last = list(csv.DictReader(file))[-1]
            height[name] = float(last["link:rider:z"])
        self.assertAlmostEqual(height["with"], 0.5, delta=1e-3)
        self.assertLess(height["without"], 0.4)


class Places(tap.CommandTest):
    """Each mistake is answered with file:line:column."""

    def wrong(self, text, place, says):
        path = self.write("run.yaml", BODY + text)
        done = self.rigor("run", path, code=2)
        self.assertIn(f"{path}:{place}: ", done.stderr)
        self.assertIn(says, done.stderr)

    def test_attachments(self):
        self.wrong("attachments:\n  - {parent: hand}\n", "4:5", "'parent' and 'child' are both needed")
        self.wrong("attachments:\n  - {parent: hand, child: pipe}\n", "4:27", "no link 'pipe'")
        self.wrong("attachments:\n  - {parent: hand, child: copling}\n", "4:27", "no link 'copling'; did you mean 'coupling'?")
        self.wrong("attachments:\n  - {parent: hnd, child: coupling}\n", "4:14", "no link 'hnd'; did you mean 'hand'?")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, type: glue}\n", "4:43", "unknown 'glue'; expected fixed")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, type: free}\n", "4:43", "unknown 'free'")
        self.wrong("attachments:\n  - {parent: hand, child: hand}\n", "4:5", "connects a link to itself")
        self.wrong("attachments:\n  - {parent: world, child: standpipe}\n", "4:5", "welded together")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, attach: {within: [1, 1]}}\n", "4:5",
                   "'within' needs a 'parent_frame'")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, attach: soon}\n", "4:45", "expected start, contact")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, detach: {above: 1}}\n", "4:5",
                   "no position that could release it")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, breaks: {force: 0}}\n", "4:53", "above 0")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, type: screw, pitch: 1e-3, axis: [0, 0, 0]}\n", "4:5",
                   "axis must be finite and not zero")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, parent_frame: [1, 0, 0], attach: start}\n", "4:5",
                   "apart, more than")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, type: screw}\n", "4:5", "'pitch' (m/rad) is needed")
        self.wrong("attachments:\n  - {parent: hand, child: coupling, pitch: 1}\n", "4:5", "for nothing else")
        self.wrong("attachments:\n  - {name: a, parent: hand, child: coupling}\n  - {name: a, parent: hand, child: piece0}\n",
                   "5:5", "two have the name 'a'")

    def test_fields(self):
        self.wrong("fields:\n  - {linear: 1}\n", "4:5", "one of box, sphere and cylinder is needed, found 0")
        self.wrong("fields:\n  - {name: a, sphere: 1, linear: 1}\n  - {name: a, sphere: 2, linear: 1}\n", "5:5",
                   "there are two called 'a'")
        self.wrong("fields:\n  - {box: [1, 1, 1]}\n", "4:5", "'linear' or 'angular'")
        self.wrong("fields:\n  - {box: [1, 1], linear: 1}\n", "4:11", "expected 3 numbers above 0")
        self.wrong("fields:\n  - {sphere: 1, linear: -1}\n", "4:25", "not negative")
        self.wrong("fields:\n  - {sphere: 1, linear: 1, link: nowhere}\n", "4:34", "no link 'nowhere'")

    def test_what_does_not_go_together(self):
        path = self.write("run.yaml", BODY + "fields:\n  - {sphere: 1, linear: 1}\nstepper: rigid\n")
        self.assertIn("knows no damping fields", self.rigor("run", path, code=2).stderr)
        path = self.write("run.yaml", BODY + "attachments:\n  - {parent: hand, child: coupling}\nstepper: rigid\n")
        done = self.rigor("run", path, "--certificate", self.folder / "c.rigor", code=1)
        self.assertIn("made at run time", done.stderr)


if __name__ == "__main__":
    tap.main()
