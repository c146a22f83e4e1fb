"""`rigor solve`: problems alone, their judge, the ladder, and steps dumped by `rigor run`."""
import json
import pathlib
import unittest

import tap

PROBLEMS = tap.SHARED.parent / "problems"
needs_problems = unittest.skipUnless(PROBLEMS.is_dir(), "no folder of shared problems")

# One contact over the unit matrix that slides: r = (2, -0.6, -0.8).
SLIDES = "3 1 0 3 3 3 3\n1 0 0\n0 1 0\n0 0 1\n-2 1.8 2.4\n.5\n"
# z = (4/3, 7/3).
LCP = "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n"
# A motor and a contact on one velocity, two joints on another.
ARM = ("rigor-step 1\nrows 4 unknowns 2 blocks 0 entries 4 patches 0\nblocks\nvelocities -4 -1\n"
       "row bounded 0 0 -1 -1.5 1.5 0 0 0 1 0 1\nrow normal 0 0 -1 0 inf 0 0 0 1 0 0.5\n"
       "row bilateral 0 0 -1 -inf inf 0 0 0 1 1 1\nrow bilateral 0 0 -1 -inf inf 0 0 0 1 1 1\nend\n")
KEYS = {"problem", "solver", "status", "residual", "iterations", "seconds", "contacts"}


class Solve(tap.CommandTest):
    def test_result_as_json(self):
        path = self.write("slides.dat", SLIDES)
        result = self.json("solve", path, "--solver", "pgs", "--tolerance", "1e-10")
        self.assertLessEqual(KEYS, set(result))
        self.assertEqual((result["problem"], result["solver"], result["status"]), (str(path), "pgs", "solved"))
        self.assertEqual((result["kind"], result["contacts"]), ("fc3d", 1))
        self.assertLessEqual(result["residual"], 1e-10)
        self.assertGreater(result["seconds"], 0)
        self.assertGreater(result["iterations"], 0)

    def test_solution_one_value_a_line(self):
        path, out = self.write("slides.dat", SLIDES), self.folder / "r.txt"
        self.rigor("solve", path, "--solver", "pgs", "--tolerance", "1e-12", "--out", out)
        values = [float(line) for line in out.read_text().splitlines()]
        self.assertEqual(len(values), 3)
        for found, expected in zip(values, (2, -0.6, -0.8)):
            self.assertAlmostEqual(found, expected, 9)

    def test_all_is_a_table(self):
        text = self.rigor("solve", self.write("slides.dat", SLIDES), "--solver", "all").stdout
        self.assertIn("1 contacts", text)
        for word in ("solver", "status", "residual", "iterations", "CPU ms", "pgs", "solved"):
            self.assertIn(word, text)
        rows = self.json("solve", self.write("a.dat", SLIDES), "--solver", "all")
        for solver in ("quick", "pgs", "cone"):
            self.assertIn((solver, "solved"), {(row["solver"], row["status"]) for row in rows})

    def test_several_files(self):
        paths = [self.write("a.dat", SLIDES), self.write("b.dat", LCP)]
        rows = self.json("solve", *paths, "--solver", "pgs")
        self.assertEqual([row["kind"] for row in rows], ["fc3d", "lcp"])
        self.assertEqual([row["problem"] for row in rows], list(map(str, paths)))

    def test_standard_input(self):
        self.assertEqual(self.json("solve", "-", "--solver", "pgs", text=SLIDES)["status"], "solved")

    def test_exit_code_says_whether_it_was_solved(self):
        self.rigor("solve", self.write("a.dat", SLIDES), "--solver", "pgs", code=0)
        self.rigor("solve", self.write("none.dat", "1 0 1 1 1 1 0 -1\n"), "--solver", "pgs", "--max-iterations", 50, code=1)
        coupled = self.write("b.dat", "2 0 2 2 2 2 2 1.9 1.9 2 -5 -6\n")
        self.rigor("solve", coupled, "--solver", "pgs", "--max-iterations", 1, "--tolerance", "1e-12", code=1)

    def test_kind_can_be_said(self):
        path = self.write("a.dat", LCP)
        self.assertEqual(self.json("solve", path, "--solver", "pgs", "--kind", "lcp")["kind"], "lcp")
        self.refused("solve", path, "--kind", "fc3d", says=["a.dat:1", "dimension"])
        self.refused("solve", path, "--kind", "qp", says=["qp", "fc3d, lcp, mlcp or step"])

    def test_refusals_in_words(self):
        path = self.write("a.dat", SLIDES)
        self.refused("solve", path, "--solver", "pgx", says=["unknown 'pgx'", "did you mean 'pgs'", "all"])
        self.refused("solve", self.folder / "nowhere", says="no such file")
        self.refused("solve", self.write("b.dat", "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 x 0\n0 0 1\n0 0 0\n1\n"), says=["b.dat:8", "found 'x'"])
        self.refused("solve", self.write("c.dat", "3 1000000 0 3000000 3000000 3000000 3000000\n1"), says="are promised")
        self.refused("solve", self.write("d.dat", "<robot/>"), says="no problem that is known")
        self.refused("solve", path, path, "--solver", "pgs", "--out", self.folder / "x", says="--out")
        self.refused("solve", path, "--tolerance", "-1", says="--tolerance")
        self.refused("solve", path, "--sides", "3", says="--sides")
        self.refused("solve", says="no file given")

    def test_warns_of_asymmetry(self):
        path = self.write("a.dat", SLIDES.replace("1 0 0\n", "1 .01 0\n", 1))
        self.assertIn("not symmetric", self.rigor("solve", path, "--solver", "pgs").stderr)
        self.assertEqual(self.rigor("solve", path, "--solver", "pgs", "--quiet").stderr, "")

    def test_forces_that_are_not_unique(self):
        # Two contacts in one place, sliding: normals share 2 in any way, tangents follow.
        rows = "1 0 0 1 0 0  0 1 0 0 1 0  0 0 1 0 0 1\n"
        path = self.write("two.dat", f"3 2 0 6 6 6 6\n{rows}{rows}-2 1.8 2.4 -2 1.8 2.4\n.5 .5\n")
        report = self.json("solve", path, "--solver", "pgs", "--indeterminacy")["indeterminacy"]
        self.assertEqual((report["rank"], report["rows"], report["sliding"]), (3, 6, 2))
        self.assertEqual((report["not_unique"], report["unbounded"], report["solution"]), (2, 0, "proven"))
        for force in report["forces"]:
            for found, expected in zip(force["low"] + force["high"], (0, -0.6, -0.8, 2, 0, 0)):
                self.assertAlmostEqual(found, expected, 5)
        self.assertIn("rank 3 of 6", self.rigor("solve", path, "--solver", "pgs", "--indeterminacy").stdout)
        one = self.json("solve", self.write("one.dat", SLIDES), "--solver", "pgs", "--indeterminacy")["indeterminacy"]
        self.assertEqual((one["rank"], one["not_unique"]), (3, 0))
        self.refused("solve", self.write("a.lcp", LCP), "--solver", "pgs", "--indeterminacy", code=1, says="fc3d or a step")

    def test_ranges_of_motors_and_joints(self):
        # An arm under a load of 4: 0.5 n + motor = 4 with a motor within 1.5. A second velocity is held by two joints.
        path = self.write("arm.problem", ARM)
        report = self.json("solve", path, "--solver", "cone", "--indeterminacy")["indeterminacy"]
        self.assertEqual((report["rank"], report["rows"], report["held"], report["at_bound"]), (2, 6, 3, 0))
        self.assertEqual((report["not_unique"], report["unbounded"], report["freedoms"]), (4, 2, 2))
        contact, (motor, first, second) = report["forces"][0], report["lone_rows"]
        for found, expected in zip((contact["low"][0], contact["high"][0], *motor["low"], *motor["high"]), (5, 11, -1.5, 1.5)):
            self.assertAlmostEqual(found, expected, 5)
        self.assertEqual([row["row"] for row in (contact, motor, first, second)], [1, 0, 2, 3])
        self.assertEqual((first["low"], first["high"], second["state"]), ([None], [None], "held"))
        text = self.rigor("solve", path, "--solver", "cone", "--indeterminacy").stdout
        self.assertRegex(text, r"2 +held +any")
        self.assertRegex(text, r"0 +held +-1.5 .. +1.5")
        rolls = ARM.replace("entries 4", "entries 5").replace("rows 4", "rows 5").replace("end", "row friction 0 0 1 -1 1 0 0 0 1 0 1\nend")
        lines = rolls.splitlines(keepends=True)
        lines.insert(6, lines.pop(8))
        self.refused("solve", self.write("b.problem", "".join(lines)), "--solver", "pgs", "--indeterminacy", code=1, says="pyramids")

    def test_painleve_is_flagged(self):
        # W_nn - mu W_nt = 1 - 1.2 < 0 and q_n < 0: no force lets the sliding go on.
        path = self.write("p.dat", "3 1 0 3 3 3 3\n1 1.2 0\n1.2 2 0\n0 0 1\n-1 5 0\n1\n")
        rows = self.json("solve", path, "--indeterminacy")
        report = next(row["indeterminacy"] for row in rows if "indeterminacy" in row)
        self.assertEqual((report["sliding_goes_on"], report["jamming"], report["solution"]), ("refuted", 1, "proven"))
        self.assertIn("Painleve", self.rigor("solve", path, "--indeterminacy").stdout)

    def test_help(self):
        text = self.rigor("help", "solve").stdout
        for word in ("rigor solve FILE...", "--solver NAME|all", "--tolerance", "--out", "natural map", "pgs"):
            self.assertIn(word, text)

    @needs_problems
    def test_shared_contacts(self):
        rows = self.json("solve", *sorted((PROBLEMS / "fc3d").glob("Rover*.dat")), "--solver", "pgs", "--quiet")
        self.assertEqual(len(rows), 5)
        for row in rows:
            self.assertEqual(row["status"], "solved", row)
            self.assertLessEqual(row["residual"], 1e-8)


class Dump(tap.CommandTest):
    def dump(self, solver, step=400, model="default.yaml", coords="minimal", **options):
        path = self.folder / f"{solver}.problem"
        self.rigor("run", tap.MODELS / model, "--time", 1, "--solver", solver, "--dump-step", step, "--dump", path,
                   "--quiet", "--coords", coords, **options)
        return path

    def test_a_step_is_solved_alone(self):
        """A step before the solids tip over: sweeps over single rows of Coulomb's law need not converge, and later on do not in every step."""
        for solver in ("quick", "pgs"):
            with self.subTest(solver):
                result = self.json("solve", self.dump(solver, step=400 if solver == "quick" else 300), "--solver", solver, "--tolerance", "1e-5")
                self.assertEqual((result["kind"], result["status"]), ("step", "solved"))
                self.assertGreater(result["contacts"], 10)

    def test_rows_of_a_dumped_step_have_names(self):
        """A planar four-bar linkage in space: three of its loop's five rows only strain it. The same in both forms."""
        for coords, named in (("minimal", {"loop:coupler_pin"}),
                              ("maximal", {"loop:coupler_pin", "joint:crank_pin", "joint:crank_pivot", "joint:rocker_pivot"})):
            with self.subTest(coords):
                path = self.dump("cone", step=100, model="closed_loops.yaml", coords=coords)
                report = self.json("solve", path, "--solver", "cone", "--tolerance", "1e-7", "--indeterminacy")["indeterminacy"]
                self.assertEqual((report["freedoms"], report["unknown"]), (3, 0))
                open_rows = [row for row in report["lone_rows"] if not row["unique"]]
                self.assertEqual({row["name"] for row in open_rows}, named)
                self.assertEqual({(*row["low"], *row["high"]) for row in open_rows}, {(None, None)})

    def test_a_dump_changes_nothing(self):
        for solver in ("quick", "pgs"):
            with self.subTest(solver):
                arguments = ("run", tap.MODELS / "default.yaml", "--time", 1, "--solver", solver)
                plain = self.json(*arguments)["state_hash"]
                dumped = self.json(*arguments, "--dump-step", 300, "--dump", self.folder / "x.problem")["state_hash"]
                self.assertEqual(plain, dumped)

    def test_a_step_without_rows_is_an_empty_problem(self):
        self.rigor("run", tap.MODELS / "double_pendulum.yaml", "--stepper", "rk4", "--time", 0.1, "--dump-step", 1, "--dump",
                   self.folder / "x")
        self.assertIn("solved", self.rigor("solve", self.folder / "x").stdout)

    def test_refusals_in_words(self):
        model = tap.MODELS / "default.yaml"
        self.refused("run", model, "--time", 0.1, "--dump-step", 100000, "--dump", self.folder / "x", code=1, says="steps")
        self.refused("run", model, "--dump", self.folder / "x", says="--dump-step N")
        self.refused("run", model, "--dump-step", 0, says="--dump-step")
        self.refused("run", model, "--time", 0.1, "--dump-step", 1, "--dump", "/nowhere/x", code=1, says="cannot be written")
        copy = self.write("model.sdf", (tap.MODELS / "die.sdf").read_text())
        self.refused("run", copy, "--dump-step", 1, "--dump", copy, says="overwrite")


if __name__ == "__main__":
    tap.main()
