"""`rigor run --certificate` and `rigor verify`: what a located stepper did, written down and checked."""
import json

import tap

KEYS = {"ok", "steps", "min_distance", "missed", "events", "pairs", "proven", "unproven", "samples", "worst", "fault"}


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001b3) % 2**64
    return value


def ended(text):
    """The text with the line that makes it whole."""
    return text + f"end {text.count(chr(10))} {fnv(text.encode()):016x}\n"


# A bullet that is on one side of a sheet of 1 mm at the start of its only step, on the other at its end.
BULLET = """rigor-certificate 2
model bullet
stepper none
coords minimal
gap 1e-7
counts 1 7 6 2
body 0 -1 0 0 0 free 0 0 0 0 0 1 0 0 0 0 0 0 0 0 bullet
shape 0 -1 -1 0 0 0 1 0 0 0 1 sheet
box 0.001 1 1
shape 1 0 0 0 0 0 1 0 0 0 1 bullet
sphere 0.005
touch 0 1
start 0 0
at 0 -0.6 0 0 1 0 0 0
step 0 0.001 curve whole -1 -1 inf inf 1
body 0 = 1000 0 0 0 0 0 0.4 0 0 1 0 0 0 1000 0 0 0 0 0
taken 1 0 0 0
"""


# A box 5 cm deep in the ground.
OVERLAP = """<sdf version="1.7"><world name="w"><model name="ground"><static>true</static><link name="l"><collision name="c">
<geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
<model name="box"><pose>0 0 0.05 0 0 0</pose><link name="l"><inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy>
<izz>0.01</izz></inertia></inertial><collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
</link></model></world></sdf>
"""


class Verify(tap.CommandTest):
    def certified(self, *options):
        path = self.folder / "run.cert"
        summary = self.json("run", tap.MODELS / "die.yaml", "--stepper", "rigid", "--certificate", path, *options)
        return path, summary

    def test_a_thrown_die_holds(self):
        path, summary = self.certified("--step", 0.01)
        result = self.json("verify", path)
        self.assertLessEqual(KEYS, set(result))
        self.assertTrue(result["ok"], result["fault"])
        self.assertEqual((result["missed"], result["unproven"], result["jumps"]), (0, 0, 0))
        self.assertEqual(result["steps"], summary["inner_steps"]["count"])
        self.assertEqual(result["events"], sum(summary["events"].values()))
        self.assertGreater(result["min_distance"], 0)
        self.assertLess(result["min_distance"], 1e-7)
        self.assertAlmostEqual(result["time"], 1.5, 9)
        self.assertEqual(len(result["worst"]["names"]), 2)

    def test_every_stepper_that_locates(self):
        for stepper in ("advance", "c2a", "rigid", "auto"):
            with self.subTest(stepper):
                path = self.folder / stepper
                self.rigor("run", tap.MODELS / "die.yaml", "--stepper", stepper, "--step", 0.01, "--certificate", path)
                result = self.json("verify", path, code=None)
                self.assertTrue(result["ok"], result["fault"])
                self.assertEqual(result["stepper"], stepper)

    def test_text(self):
        path, _ = self.certified("--time", 0.2, "--step", 0.01)
        text = self.rigor("verify", path).stdout
        for word in ("steps", "pairs", "least distance", "missed         0", "proven", "ok"):
            self.assertIn(word, text)
        self.assertEqual(self.rigor("verify", path, "--quiet").stdout, "")

    def test_standard_input_and_output(self):
        run = self.rigor("run", tap.MODELS / "die.yaml", "--stepper", "rigid", "--step", 0.01, "--time", 0.3,
                         "--certificate", "-")
        self.assertTrue(run.stdout.startswith("rigor-certificate 2\n"))
        self.assertTrue(run.stdout.splitlines()[-1].startswith("end "))
        result = json.loads(self.rigor("verify", "-", "--json", "-", text=run.stdout).stdout)
        self.assertTrue(result["ok"], result["fault"])
        self.assertEqual(result["file"], "-")
        self.assertGreater(result["events"], 0)
        path, _ = self.certified("--step", 0.01, "--time", 0.3)
        self.assertEqual(path.read_text(), run.stdout)
        self.refused("verify", "-", text=run.stdout[:-3], says=["stdin", "cut short"])
        self.refused("verify", "-", text="", says="cut short")

    def test_an_event_that_was_left_out_is_missed(self):
        path, _ = self.certified("--step", 0.01, "--time", 0.3)
        lines = path.read_text().split("\n")[:-2]
        for kind in ("touch", "impact", "break"):
            at = next(i for i, line in enumerate(lines) if line.startswith("event") and line.split()[2] == kind)
            taken = next(i for i in range(at, len(lines)) if lines[i].startswith("taken"))
            fewer = lines[:]
            steps, events, pairs, limits = (int(word) for word in lines[taken].split()[1:])
            fewer[taken] = f"taken {steps} {events - 1} {pairs} {limits}"
            del fewer[at]
            result = self.json("verify", self.write("fewer.cert", ended("\n".join(fewer) + "\n")), code=1)
            self.assertFalse(result["ok"], kind)
            self.assertGreater(result["untold"] + result["false_events"], 0, kind)

    def test_plain_steps_of_auto_are_told(self):
        path = self.folder / "pile.cert"
        summary = self.json("run", tap.MODELS / "pile.yaml", "--stepper", "auto", "--time", 0.05, "--certificate", path)
        self.assertGreater(summary["inner_steps"]["plain"], 0)
        self.assertGreater(summary["inner_steps"]["plain_time"], 0)
        result = self.json("verify", path, code=1)
        self.assertEqual((result["ok"], result["holds"]), (False, True), result["fault"])
        self.assertEqual(result["plain"], summary["inner_steps"]["plain"])
        self.assertAlmostEqual(result["plain_time"], summary["inner_steps"]["plain_time"], 12)
        self.assertEqual((result["jumps"], result["missed"], result["unproven"]), (0, 0, 0))
        self.assertIn("steps (", self.rigor("verify", path, code=1).stdout)
        self.assertIn("  plain ", self.rigor("run", tap.MODELS / "pile.yaml", "--stepper", "auto", "--time", 0.05).stdout)

    def test_a_run_that_is_refused_at_its_start(self):
        path = self.folder / "refused.cert"
        sdf = self.write("overlap.sdf", OVERLAP)
        self.rigor("run", sdf, "--stepper", "rigid", "--time", 0.1, "--certificate", path, code=1)
        result = self.json("verify", path, code=1)
        self.assertEqual((result["ok"], result["steps"], result["missed"]), (False, 0, 1))
        self.assertAlmostEqual(result["min_distance"], -0.05, 12)
        self.assertIn("NOT ok: no step was made", self.rigor("verify", path, code=1).stdout)

    def test_several_files(self):
        path, _ = self.certified("--time", 0.1, "--step", 0.01)
        bad = self.write("bullet.cert", ended(BULLET))
        rows = json.loads(self.rigor("verify", path, bad, "--json", "-", code=1).stdout)
        self.assertEqual([row["ok"] for row in rows], [True, False])

    def test_an_overlap_between_steps_is_missed(self):
        result = self.json("verify", self.write("bullet.cert", ended(BULLET)), code=1)
        self.assertEqual((result["ok"], result["missed"], result["steps"]), (False, 1, 1))
        self.assertLess(result["min_distance"], 0)
        self.assertAlmostEqual(result["fault"]["t"], 0.0006, 5)
        self.assertIn("NOT ok", self.rigor("verify", self.folder / "bullet.cert", code=1).stdout)

    def test_altered_and_cut_files(self):
        path, _ = self.certified("--time", 0.1, "--step", 0.01)
        text = path.read_text()
        self.refused("verify", self.write("cut", text[:-5]), says="cut short")
        self.refused("verify", self.write("cut2", "\n".join(text.split("\n")[:-2]) + "\n"), says="cut short")
        self.refused("verify", self.write("altered", text.replace("gap 1", "gap 2", 1)), says="altered")
        lines = BULLET.split("\n")
        lines[14] = lines[14].replace("0.001", "nan")
        self.refused("verify", self.write("nan", ended("\n".join(lines))), says=["not finite", ":15"])
        self.refused("verify", self.write("empty", ""), says="cut short")
        self.refused("verify", tap.MODELS / "die.sdf", says=["die.sdf:1:", "not a certificate"])
        self.refused("verify", self.folder / "none", says="none")

    def test_steppers_that_do_not_locate(self):
        path = self.folder / "run.cert"
        self.refused("run", tap.MODELS / "die.yaml", "--certificate", path,
                     says=["--certificate", "semi-implicit", "rigid", "rigid-001", "advance", "c2a", "auto"])
        self.assertFalse(path.exists())

    def test_wrong_options(self):
        path = self.write("bullet.cert", ended(BULLET))
        self.refused("verify", says="certificate")
        self.refused("verify", path, "--max-intervals", 0, says="max-intervals")
        self.refused("verify", path, "--tolerance", "x", says="tolerance")
        for other in ("--json", "--events"):
            self.refused("run", tap.MODELS / "die.yaml", "--stepper", "rigid", "--certificate", "-", other, "-",
                         says="one of them at a time")
        same = self.folder / "both"
        self.refused("run", tap.MODELS / "die.yaml", "--stepper", "rigid", "--certificate", same, "--json", same,
                     says="two outputs")

    def test_help(self):
        self.assertIn("verify", self.rigor("help").stdout)
        self.assertIn("docs/certificate.md", self.rigor("help", "verify").stdout)
        self.assertIn("--certificate", self.rigor("help", "run").stdout)


if __name__ == "__main__":
    tap.main()
