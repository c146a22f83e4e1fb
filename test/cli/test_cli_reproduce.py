#!/usr/bin/python3
"""`rigor reproduce`: names, JSON, results that are used again, pages, and bad input. The experiments themselves: make reproduce."""
import csv
import os
import shutil
import signal
import subprocess
import time
import unittest

import tap

EXPERIMENTS = tap.ROOT / "experiments"
SHORT = "004-a-box-correction"


def folders():
    return sorted(path.parent.name for path in EXPERIMENTS.glob("*/run.c"))


class Names(tap.CommandTest):
    def test_list_names_every_folder(self):
        listed = self.rigor("reproduce", "LIST").stdout
        named = {line.split()[0] for line in listed.splitlines() if line.startswith("  ")}
        self.assertEqual(named, set(folders()))

    def test_every_folder_is_whole(self):
        """README and a table in which each row has a name of its own, a source and a range."""
        for name in folders():
            with self.subTest(name):
                text = (EXPERIMENTS / name / "README.md").read_text()
                self.assertIn("Claim", text)
                with open(EXPERIMENTS / name / "expected.csv", newline="") as file:
                    rows = list(csv.DictReader(file))
                self.assertTrue(rows)
                names = [row["name"] for row in rows]
                self.assertEqual(len(names), len(set(names)), "a row stands twice")
                for row in rows:
                    self.assertTrue(row["source"], row["name"])
                    self.assertIn(row["form"], ("both", "whole"))
                    self.assertTrue(row["low"] or row["high"], row["name"])

    def test_unknown_names(self):
        self.refused("reproduce", "004-a-box-corection", says=["no experiment is called", f"did you mean '{SHORT}'"])
        self.refused("reproduce", "00", says="no experiment is called '00'")
        self.refused("reproduce", says="expected LIST, the name of an experiment, or --all")
        self.refused("reproduce", SHORT, "--jobs", "0", says="jobs")

    def test_names_begin_in_any_case(self):
        self.assertEqual(self.json("reproduce", "004-A", "--quick")["experiment"], SHORT)


class Results(tap.CommandTest):
    def test_json(self):
        run = self.json("reproduce", SHORT, "--quick")
        self.assertEqual(run["experiment"], SHORT)
        for row in run["rows"]:
            self.assertLessEqual({"name", "published", "measured", "low", "high", "verdict"}, set(row))
            low = -float("inf") if row["low"] is None else row["low"]
            high = float("inf") if row["high"] is None else row["high"]
            self.assertEqual(row["verdict"] == "inside", low <= row["measured"] <= high)

    def test_results_are_used_again(self):
        out = self.folder / "out"
        self.rigor("reproduce", SHORT, "--quick", "--report", out)
        file = out / SHORT / "measured.csv"
        first = file.stat().st_mtime_ns
        again = self.rigor("reproduce", SHORT, "--quick", "--report", out).stdout
        self.assertEqual(file.stat().st_mtime_ns, first, "it was run again")
        self.assertIn("inside", again)
        self.rigor("reproduce", SHORT, "--quick", "--report", out, "--fresh")
        self.assertNotEqual(file.stat().st_mtime_ns, first)

        # Results of another program, or of the other form, are not those of this one.
        text = file.read_text()
        file.write_text(text.replace("quick", "whole", 1))
        self.rigor("reproduce", SHORT, "--quick", "--report", out)
        self.assertTrue(file.read_text().startswith("# rigor") and " quick " in file.read_text().splitlines()[0])

    def test_pages(self):
        out = self.folder / "out"
        self.rigor("reproduce", SHORT, "--quick", "--report", out)
        page = (out / SHORT / "index.html").read_text()
        self.assertIn("speed gained with projection", page)
        self.assertIn("<h2>004-a: position projection</h2>", page)
        self.assertIn(f"{SHORT}/index.html", (out / "index.html").read_text())
        if shutil.which("gnuplot"):
            self.assertIn("<svg", page)
        if "iframe" in page:
            self.assertIn("rigor-report", (out / SHORT / "correction.html").read_text())

    def test_other_ranges(self):
        """The verdict is the table's: with another range the same value lies outside, which is told and demanded of."""
        data = self.folder / "data"
        data.mkdir()
        (data / "models").symlink_to(tap.MODELS)
        shutil.copytree(EXPERIMENTS / SHORT, data / "experiments" / SHORT)
        table = data / "experiments" / SHORT / "expected.csv"
        table.write_text(table.read_text().replace("speed gained without projection,,9.9,10.1,,", "speed gained without projection,,1,2,,"))
        os.environ["RIGOR_DATA"] = str(data)
        self.addCleanup(os.environ.pop, "RIGOR_DATA")
        run = self.json("reproduce", SHORT, "--quick")
        verdicts = {row["name"]: row["verdict"] for row in run["rows"]}
        self.assertEqual(verdicts["speed gained without projection"], "outside")
        self.refused("reproduce", SHORT, "--quick", "--demand", "90", code=1, says="--demand is 90 %")
        table.write_text(table.read_text() + "broken,1,2\n")
        lines = len(table.read_text().splitlines())
        self.refused("reproduce", SHORT, "--quick", says=f"expected.csv:{lines}: expected 9 fields")

    def test_interrupted_runs_go_on(self):
        """SIGINT ends the processes; what was finished is there, and the same command does the rest."""
        out = self.folder / "out"
        command = [tap.COMMAND, "reproduce", "001", SHORT, "--quick", "--jobs", "1", "--report", str(out)]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while run.poll() is None and not list(out.glob("*/measured.part")):
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=tap.PATIENCE)[1]
        self.assertEqual(run.returncode, 1)
        self.assertIn("the same command resumes", said)
        self.assertFalse((out / SHORT / "measured.csv").exists(), "the shortest is begun last")
        self.rigor("reproduce", SHORT, "--quick", "--report", out)
        self.assertTrue((out / SHORT / "measured.csv").exists())

    def test_places_that_cannot_be_written(self):
        self.refused("reproduce", SHORT, "--report", self.folder / "no" / "such", says="No such file")


if __name__ == "__main__":
    tap.main()
