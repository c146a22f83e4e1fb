#!/usr/bin/python3
"""`rigor tune`: errors that fall, the same bits twice, files in which only gains change, margins, and bad input."""
import re
import unittest

import tap

FOLLOWING = tap.MODELS / "following.yaml"
NUMBER = r"[-+]?[0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?"
HAS_NLOPT = "has no NLopt" not in tap.subprocess.run([tap.COMMAND, "tune", str(FOLLOWING), "--evaluations", "1", "--time", "0.01"],
                                                      capture_output=True, text=True).stderr
QUICK = ("--time", "0.5", "--quiet")


@unittest.skipUnless(HAS_NLOPT, "built without NLopt")
class Tune(tap.CommandTest):
    def copy(self, text=None, name="in.yaml"):
        text = text or FOLLOWING.read_text()
        return self.write(name, text.replace("arm6.urdf", str(tap.MODELS / "arm6.urdf")))

    def test_error_falls_and_the_file_keeps_it(self):
        """What is written tracks as well as was said, to the last bit; all lines but those of gains are as they were."""
        path, out = self.copy(), self.folder / "out.yaml"
        run = self.json("tune", path, *QUICK, "--evaluations", "80", "--write", out)
        self.assertEqual(len(run["gains"]), 12)
        self.assertTrue(run["given"]["stable"] and run["tuned"]["stable"])
        self.assertLess(run["tuned"]["mae"], 0.5 * run["given"]["mae"])
        self.assertEqual(run["cost"], run["tuned"]["mae"])
        self.assertEqual(run["cost_given"], run["given"]["mae"])
        again = self.json("tune", out, *QUICK, "--evaluations", "1")
        self.assertEqual(again["given"]["mae"], run["tuned"]["mae"])
        self.assertEqual([g["given"] for g in again["gains"]], [g["tuned"] for g in run["gains"]])
        before, after = (re.sub(rf"(k[pd]: )\[[^]]*\]", r"\1[]", p.read_text()) for p in (path, out))
        self.assertEqual(before, after)
        self.assertNotEqual(path.read_text(), out.read_text())

    def test_same_bits_twice(self):
        for algorithm in ("sbplx", "bobyqa", "crs"):
            texts = []
            for i in range(2):
                out = self.folder / f"{algorithm}{i}.yaml"
                self.rigor("tune", self.copy(), *QUICK, "--evaluations", "40", "--algorithm", algorithm, "--write", out)
                texts.append(out.read_text())
            self.assertEqual(texts[0], texts[1], algorithm)
        other = self.folder / "seed.yaml"
        self.rigor("tune", self.copy(), *QUICK, "--evaluations", "40", "--algorithm", "crs", "--seed", "9", "--write", other)
        self.assertNotEqual(other.read_text(), texts[0])

    def test_an_unstable_start_is_led_back(self):
        text = FOLLOWING.read_text()
        self.assertIn("kd: [200, 200, 60, 2, 2, 0.2]", text)
        path = self.copy(text.replace("kd: [200, 200, 60, 2, 2, 0.2]", "kd: [2000, 2000, 600, 20, 20, 2]"))
        run = self.json("tune", path, *QUICK, "--evaluations", "300")
        self.assertFalse(run["given"]["stable"])
        self.assertTrue(run["tuned"]["stable"])
        self.assertLess(run["tuned"]["mae"], 0.02)

    def test_margin(self):
        """Gains stay stable at three times the step; without the margin they need not."""
        path, out = self.copy(), self.folder / "out.yaml"
        for margin in ("1", "3"):
            self.rigor("tune", path, *QUICK, "--step", "0.0005", "--evaluations", "150", "--margin", margin, "--write", out)
            row = self.json("maxstep", out, "--time", "0.5", "--at", "0.0015", "--probes", "0", "--most", "0.002", "--repeats", "1")
            self.assertEqual(row["methods"][0]["at"][0]["stable"], margin == "3", margin)

    def test_forms_of_numbers(self):
        """One number for all, numbers by name, aliases and comments with signs beyond ASCII: each is replaced in its place."""
        text = FOLLOWING.read_text()
        text = re.sub(r"kp: \[.*\]", "kp: &all {turn: 4, pan: 2e3, lift: 2000, elbow: 600, roll: 40.0, pitch: +40}", text)
        text = re.sub(r"kd: \[.*\].*", "kd: 0.2   # für alle, ×1", text)
        path, out = self.copy(text), self.folder / "out.yaml"
        run = self.json("tune", path, *QUICK, "--evaluations", "30", "--write", out)
        self.assertEqual(len(run["gains"]), 7)
        self.assertEqual([g["joint"] for g in run["gains"]], ["turn", "pan", "lift", "elbow", "roll", "pitch", "all"])
        line = {p: [l for l in p.read_text().splitlines() if l.strip().startswith(("kp", "kd"))] for p in (path, out)}
        self.assertEqual([re.sub(NUMBER, "0", l.replace("+", "").split("#")[0]) for l in line[path]],
                         [re.sub(NUMBER, "0", l.replace("+", "").split("#")[0]) for l in line[out]])
        self.assertTrue(line[out][1].endswith("   # für alle, ×1"), line[out][1])
        again = self.json("tune", out, *QUICK, "--evaluations", "1")
        self.assertEqual([g["given"] for g in again["gains"]], [g["tuned"] for g in run["gains"]])

    def test_an_alias_is_one_gain(self):
        text = FOLLOWING.read_text()
        text = re.sub(r"kp: \[.*\]", "kp: &one [100, 100, 100, 20, 20, 2]", text)
        text = re.sub(r"kd: \[.*\]", "kd: *one", text)
        path, out = self.copy(text), self.folder / "out.yaml"
        run = self.json("tune", path, "--step", "1e-4", "--time", "0.05", "--quiet", "--evaluations", "20", "--write", out)
        tuned = [g["tuned"] for g in run["gains"]]
        self.assertEqual(tuned[:6], tuned[6:])
        self.assertIn("kd: *one", out.read_text())

    def test_which_gains(self):
        run = self.json("tune", self.copy(), *QUICK, "--evaluations", "20", "--gains", "kd", "--together")
        factors = {round(g["tuned"] / g["given"], 9) for g in run["gains"]}
        self.assertEqual(({g["gain"] for g in run["gains"]}, len(run["gains"]), len(factors)), ({"kd"}, 6, 1))
        run = self.json("tune", self.copy(), *QUICK, "--evaluations", "60", "--range", "2")
        for g in run["gains"]:
            self.assertTrue(0.5 <= g["tuned"] / g["given"] <= 2)

    def test_text(self):
        done = self.rigor("tune", self.copy(), "--time", "0.2", "--evaluations", "5")
        for word in ("as given", "tuned", "MAE", "pan", "kp", "2000"):
            self.assertIn(word, done.stdout)

    def test_bad_input(self):
        path = self.copy()
        self.refused("tune", path, "--gains", "kp,kx", says=["--gains", "kx"])
        self.refused("tune", path, "--gains", "ki", says="no gains ki above 0")
        self.refused("tune", path, "--algorithm", "bobyca", says="did you mean 'bobyqa'?")
        self.refused("tune", path, "--algorithm", "bobyqa", "--gains", "kp", "--together", says="two gains")
        self.refused("tune", path, "--minimise", "most", says="--minimise")
        self.refused("tune", path, "--method", "implicitpd", says="did you mean 'implicit-pd'?")
        self.refused("tune", path, "--margin", "0.5", says="--margin")
        self.refused("tune", path, "--evaluations", "0", says="--evaluations")
        self.refused("tune", path, "--write", path, says="overwrite an input")
        self.refused("tune", tap.MODELS / "arm6.urdf", says="nothing is controlled")
        self.refused("tune", "-", "--write", self.folder / "x.yaml", text=path.read_text(), says="standard input")
        # Before the search: it would take hours.
        self.refused("tune", path, *QUICK, "--evaluations", "1000000", "--write", self.folder / "no" / "x.yaml", says="cannot be written", code=1)
        self.refused("tune", path, *QUICK, "--evaluations", "1000000", "--set", "control.kp=100", "--write", self.folder / "x.yaml",
                     says="--set changed it?", code=1)
        self.assertFalse((self.folder / "x.yaml").exists())
        self.refused("tune", path, *QUICK, "--method", "hard", says="no gains above 0 to tune that count with method hard")
        self.refused("tune", path, *QUICK, "--method", "computed-torque", says="that count with method computed-torque")


if __name__ == "__main__":
    tap.main()
