#!/usr/bin/python3
"""Sweeps of the papers' experiments: 000-E's dissipation against `rigor reproduce` and `rigor run`, 002-A's largest steps against `rigor maxstep`."""
import csv
import re
import subprocess

import tap

EXPERIMENTS = tap.ROOT / "experiments"
LAMBDAS = "[0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]"
COORDS = "{key: coords, values: [minimal, maximal]}"


class PaperTest(tap.CommandTest):
    def sweep(self, file, *changes):
        """Rows of an experiment's sweep file with some of its texts changed."""
        text = (EXPERIMENTS / file).read_text().replace("../../models", str(tap.MODELS))
        for old, new in changes:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        self.rigor("sweep", self.write("s.yaml", text), "--out", self.folder / "t", "--quiet")
        with open(self.folder / "t.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual({r["status"] for r in rows}, {"ok"})
        return rows


class Dissipation(PaperTest):
    def figure(self, report):
        """Steps until failure by way and lambda, of the experiment's own figure."""
        steps, way = {}, None
        for line in (report / "000-E-dissipation" / "fig5.dat").read_text().splitlines():
            if line.startswith("#"):
                way = line[2:]
            elif line:
                x, y = map(float, line.split())
                steps[way, x] = int(y)
        return steps

    def test_steps_until_failure_are_the_experiments(self):
        """By lambda, as `rigor reproduce` measures them with code of its own. Semi-implicit steps from 0.6 to 0.8 are left to chance:
        round-off alone moves their failures (rounding.yaml)."""
        report = self.folder / "report"
        other = subprocess.Popen([tap.COMMAND, "reproduce", "000-E", "--quick", "--report", report, "--jobs", "1", "--quiet"], stdout=subprocess.DEVNULL)
        rows = self.sweep("000-E-dissipation/sweep.yaml", (COORDS, "{key: coords, values: [minimal]}"))
        self.assertEqual(other.wait(timeout=tap.PATIENCE), 0)
        figure = self.figure(report)
        self.assertEqual(len(rows), 24)
        for row in rows:
            stepper, amount, made = row["stepper"], float(row["lambda"]), int(row["steps"])
            if stepper == "semi-implicit" and amount in (0.6, 0.7, 0.8):
                self.assertGreater(made, 15, row)
                continue
            self.assertEqual(made, figure.get((stepper, amount), 1000), row)
            self.assertEqual(row["stopped"], "failed" if (stepper, amount) in figure else "", row)

    def test_all_motion_stopped_leaves_the_base(self):
        """lambda = 1 by `advance`: nothing moves."""
        row = self.sweep("000-E-dissipation/sweep.yaml", (LAMBDAS, "[1]"))[0]
        self.assertEqual((row["stepper"], float(row["lift"]), float(row["base"])), ("advance", 0.0, 0.185))

    def test_a_row_is_a_run(self):
        """The set-up written out as a run file: the same bits."""
        text = (tap.MODELS / "links_trot.yaml").read_text().replace("file: ", f"file: {tap.MODELS}/")
        for old, new in (("      rate: 1000\n", ""), ("velocity: [0, 0]}", "velocity: [0, 0], from_start: true}"),
                         ("duration: 5", "duration: 0.1\nsolver: {name: dantzig, sides: 4, contact_erp: 0.2}\nparameters: {links: {'*_LEG_2': {inertia: {zz: 1.275e-3}}}}")):
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        file = self.write("trot.yaml", text)
        settings = ["--stepper-set", "gap=1e-6", "--stepper-set", "h-min=0.005", "--stepper-set", "hold-input=true"]
        rows = self.sweep("000-E-dissipation/sweep.yaml", (LAMBDAS, "[0.9]"), ("  stepper.step: 0.005", "  stepper.step: 0.005\n  duration: 0.1"),
                          ("outputs:", "outputs:\n  - state_hash"))
        self.assertEqual(len(rows), 4)
        for row in rows:
            run = self.json("run", file, "--stepper", row["stepper"], "--step", "0.005", "--coords", row["coords"], "--dissipation", "0.9",
                            *(settings if row["stepper"] == "advance" else []))
            self.assertEqual((row["state_hash"], int(row["steps"])), (run["state_hash"], 20))
            self.assertEqual(run["steps"], 20)


class Arm(PaperTest):
    def compare(self, row, found):
        """A row of the sweep and a method of `rigor maxstep`: the same search, to the last digit."""
        self.assertEqual(float(row["stepper.step"]), found["max_step"], row)
        self.assertEqual(row["fails"], "nan" if found["fails_at"] is None else repr(found["fails_at"]), row)
        self.assertEqual(int(row["tries"]), len(found["tries"]), row)
        for name, theirs in (("mean error", "mae"), ("largest error", "largest_error"), ("largest effort", "largest_effort")):
            x = found["at_max_step"][theirs]

            # The last step is what is left of the time, which the two round in their own ways.
            self.assertAlmostEqual(float(row[name]), x, delta=1e-9 * x + 1e-15, msg=row)

    def found(self, file, coords, *arguments):
        """By the criterion of the sweep: speed and mean error alone."""
        every = self.json("maxstep", file, "--time", "0.5", "--solver", "dantzig", "--coords", coords, "--repeats", "1",
                          "--max-error", "10", "--max-share", "0", "--max-energy", "0", *arguments)
        return every["methods"]

    def geared_file(self):
        """The run file of the geared arm with the gains of the sweep."""
        sweep = (EXPERIMENTS / "002-A-arm/sweep.yaml").read_text()
        text = (tap.MODELS / "ur10_geared_tuned.yaml").read_text().replace("file: ", f"file: {tap.MODELS}/")
        for gain in ("kp", "kd"):
            numbers = re.search(rf"arm\.{gain}: (\[.*\])", sweep)[1]
            text, n = re.subn(rf"      {gain}: \[.*\]", f"      {gain}: {numbers}", text)
            self.assertEqual(n, 1)
        return self.write("geared.yaml", text)

    def test_largest_steps_are_those_of_maxstep(self):
        """All methods in both forms, runs of half a second; the geared arm, a case that names another model, as the run file of that model."""
        rows = {(r["method"], r["coords"]): r for r in self.sweep("002-A-arm/sweep.yaml", ("set:", "set:\n  duration: 0.5"))}
        self.assertEqual(len(rows), 14)
        names = ["PD", "PD, gears added", "implicit PD", "ID control", "ID constraint"]
        tuned, geared = tap.MODELS / "ur10_tuned.yaml", self.geared_file()
        for coords in ("minimal", "maximal"):
            found = self.found(tuned, coords, "--rate", "0", "--gear", "1.5,1", "--methods", "pd,pd-geared,implicit-pd,computed-torque,hard")
            for name, method in zip(names, found):
                self.compare(rows[name, coords], method)
            self.compare(rows["ID constraint with positions", coords], self.found(tuned, coords, "--methods", "hard")[0])
            self.compare(rows["PD, geared arm", coords], self.found(geared, coords)[0])
        self.assertLess(float(rows["PD", "minimal"]["stepper.step"]), 0.002)
        self.assertEqual(float(rows["ID constraint", "minimal"]["stepper.step"]), 0.1)
        self.assertLess(float(rows["ID constraint with positions", "minimal"]["mean error"]), 1e-14)


if __name__ == "__main__":
    tap.main()
