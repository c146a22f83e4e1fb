#!/usr/bin/python3
"""`rigor settings`: the page docs/settings.md is what it prints, and every key of it works in run files and as an option."""
import re

import tap

PAGE = tap.MODELS.parent / "docs" / "settings.md"
BOX = """<robot name="box"><link name="box"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link></robot>"""
ROW = re.compile(r"^\| `([\w.]+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*) \|\s*$", re.M)


def rows():
    """(key, of, values, default) of every line of the page with a default."""
    return [row[:4] for row in ROW.findall(PAGE.read_text()) if row[3]]


def user(key, of):
    """Run-file lines that choose a solver or stepper which has the setting."""
    first = of.split()[0] if of else ""
    return {"quick": "quick", "pgs": "pgs", "exact": "cone"}.get(first, first or ("quick" if key.startswith("solver") else "semi-implicit"))


class Settings(tap.CommandTest):
    def test_the_page_is_up_to_date(self):
        made = self.rigor("settings", "--markdown").stdout
        self.assertEqual(PAGE.read_text(), made, "run: build/rigor settings --markdown >docs/settings.md")

    def test_list_names_every_key(self):
        text = self.rigor("settings").stdout
        for key, *_ in rows():
            self.assertRegex(text, rf"\n  {re.escape(key)} ")

    def test_defaults_may_be_given_in_run_files(self):
        """Nothing changes: the keys mean what the table says."""
        self.write("box.urdf", BOX)
        self.assertGreater(len(rows()), 60)
        for key, of, values, default in rows():
            if "." not in key or key.startswith("sleeping"):
                continue
            with self.subTest(key=key, of=of):
                section, name = key.split(".", 1)
                own = f"name: {user(key, of)}, " if section in ("solver", "stepper") else ""
                path = self.write("run.yaml", f"models: [{{file: box.urdf}}]\nduration: 0.002\n{section}: {{{own}{name}: {default}}}\n")
                plain = self.write("plain.yaml", "models: [{file: box.urdf}]\nduration: 0.002\n"
                                   + (f"{section}: {{{own[:-2]}}}\n" if own else ""))
                self.assertEqual(self.json("run", path)["state_hash"], self.json("run", plain)["state_hash"])

    def test_set_takes_every_key(self):
        box = self.write("box.urdf", BOX)
        for key, of, values, default in rows():
            with self.subTest(key=key, of=of):
                chosen = () if "." not in key or not of else (f"--{key.split('.')[0]}", user(key, of))
                self.json("run", box, "--time", "0.002", *chosen, "--set", f"{key}={default}")

    def test_summary_has_those_used(self):
        box = self.write("box.urdf", BOX)
        used = self.json("run", box, "--time", "0.01", "--solver", "pgs", "--set", "solver.sor=1.25", "--no-limits")["settings"]
        self.assertEqual((used["solver"], used["solver.sor"], used["limits.position"], used["gravity"]), ("pgs", 1.25, False, [0, 0, -9.81]))
        self.assertNotIn("solver.sides", used)

    def test_what_is_not_used_is_said(self):
        box = self.write("box.urdf", BOX)
        told = self.rigor("run", box, "--time", "0.01", "--set", "sleeping.speed=0.01").stderr
        self.assertIn("sleeping.speed has no effect without sleeping: true", told)
        told = self.rigor("run", box, "--time", "0.01", "--solver", "cone", "--solver-set", "sides=6").stderr
        self.assertIn("solver.sides has no effect without solver lemke or qp", told)
        for words, says in ((("--every", "3"), "outputs.every has no effect without a recording, table, report or plots"),
                            (("--set", "gears.ratio=2"), "gears.ratio has no effect without gears.inertia"),
                            (("--set", "gears.inertia=2"), "gears.inertia has no effect without gears.ratio"),
                            (("--no-contact", "--friction", "none"), "solver.friction has no effect without contact: true")):
            self.assertIn(says, self.rigor("run", box, "--time", "0.01", *words).stderr)
        self.assertNotIn("no effect", self.rigor("run", box, "--time", "0.01", "--every", "3", "--csv", self.folder / "x.csv").stderr)
        self.refused("run", box, "--solver", "cone", "--solver-set", "kappa=2", says="'kappa' is no setting of solver cone, only of max-dissipation")
        self.refused("run", box, "--tolerance", "1e-6", says="'tolerance' is no setting of stepper semi-implicit, only of reference")
        plan = self.write("run.yaml", f"models: [{{file: {box}}}]\nduration: 0.01\nsolver: {{name: viscous, viscous: 0.1}}\n")
        told = self.rigor("run", plan, "--solver", "cone").stderr
        self.assertIn("'viscous' is no setting of solver cone, only of viscous: not used", told)

    def test_keys_alone_and_their_errors(self):
        box = self.write("box.urdf", BOX)
        one = self.json("run", box, "--time", "0.01", "--solver", "pgs", "--solver-set", "split-impulse")
        two = self.json("run", box, "--time", "0.01", "--solver", "pgs", "--set", "solver.split_impulse=true")
        self.assertEqual(one["state_hash"], two["state_hash"])
        self.refused("run", box, "--set", "solver.sor=1.2", says="--set: 'sor' is no setting of solver quick, only of pgs")
        self.refused("run", box, "--set", "sleeping.speed=-1", says="--set: sleeping.speed: -1 is not between 0 and 1e+06")
        self.refused("run", box, "--set", "solver.itertions=3", says="did you mean 'solver.iterations'?")
        self.refused("run", box, "--iterations", "-3", says="--iterations: -3 is not between 1 and 1e+09")
        self.refused("run", box, "--set", "limits.position=maybe", says="expected true or false")
        self.refused("run", box, "--aid", "split-impulse", says="unknown option --aid")
        self.refused("settings", box, says="it takes no file")


if __name__ == "__main__":
    tap.main()
