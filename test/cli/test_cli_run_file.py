#!/usr/bin/python3
"""YAML run files: what they set, and where they say a mistake is."""
import resource

import tap

ARM = f"models:\n  - file: {tap.MODELS / 'arm6.urdf'}\n"
TWO_ARMS = f"""
models:
  - &arm
    file: {tap.MODELS / 'arm6.urdf'}
    name: left
    pose: {{xyz: [0, 1, 0], rpy: [0, 0, 1.5]}}
    state:
      joints: {{lift: 0.5}}
  - file: {tap.MODELS / 'arm6.urdf'}
    name: right
    pose: [0, -1, 0]
    state:
      joints: {{lift: -0.5}}
duration: 0
"""


class Places(tap.PlacesTest):
    def test_unknown_key(self):
        self.wrong(ARM + "duraton: 5\n", "3:1", "unknown key 'duraton'; did you mean 'duration'?")

    def test_unknown_key_of_a_model(self):
        self.wrong(ARM + "    poze: [0, 0, 0]\n", "3:5", "did you mean 'pose'?")

    def test_unknown_key_without_neighbour_lists_all(self):
        self.wrong(ARM + "stepper: {speeeeed: 1}\n", "3:11", "expected one of name, dissipation")

    def test_repeated_key(self):
        self.wrong(ARM + "duration: 1\nduration: 2\n", "4:1", "'duration' is given twice, first in line 3")

    def test_wrong_type(self):
        self.wrong(ARM + "duration: [1]\n", "3:11", "expected a number, found a list")
        self.wrong(ARM + "gravity: 9.81\n", "3:10", "expected three numbers, found 1")
        self.wrong(ARM + "coords: {a: 1}\n", "3:9", "expected a word, found a mapping")
        self.wrong("models: 3\n", "1:9", "expected a list")
        self.wrong("[1, 2]\n", "1:1", "expected keys with values, found a list")
        self.wrong("just words\n", "1:1", "expected keys with values")

    def test_bad_number(self):
        for word in ("fast", "1,5", ".inf", ".nan", "'1'", "1e999", "0x1F"):
            self.wrong(ARM + f"duration: {word}\n", "3:11", "expected a finite number")
        self.wrong(ARM + "gravity: [0, 0, x]\n", "3:17", "expected a finite number, found 'x'")

    def test_out_of_range(self):
        self.wrong(ARM + "duration: -1\n", "3:11", "is not between")
        self.wrong(ARM + "stepper: {step: 0}\n", "3:17", "is not between")
        self.wrong(ARM + "outputs: {every: 1.5}\n", "3:18", "whole number")

    def test_unknown_words(self):
        self.wrong(ARM + "stepper: rk5\n", "3:10", "unknown 'rk5'")
        self.wrong(ARM + "coords: polar\n", "3:9", "unknown 'polar'")
        self.wrong(ARM + "    base: loose\n", "3:11", "expected auto, fixed or floating")
        self.wrong(ARM + "stepper: {implicit_damping: maybe}\n", "3:29", "expected true or false")

    def test_missing_keys(self):
        self.wrong("duration: 1\n", "1:1", "'models' is missing or empty")
        self.wrong("models:\n  - name: a\n", "2:5", "'file' is missing")

    def test_two_models_need_two_names(self):
        again = f"  - file: {tap.MODELS / 'arm6.urdf'}\n"
        self.wrong(ARM + again, "3:5", "give each model another 'name'")
        self.wrong(ARM + again.replace("models/", "models/./"), "3:5", "give each model another 'name'")
        self.wrong(ARM + "    name: a\n" + again + "    name: a\n", "4:5", "give each model another 'name'")

    def test_missing_model_file(self):
        self.wrong("models:\n  - file: nothing.urdf\n", "2:5", "nothing.urdf")

    def test_unknown_joint(self):
        self.wrong(ARM + "state:\n  joints: {elbo: 1}\n", "4:12", "no joint or floating link 'elbo'; did you mean 'elbow'?")

    def test_wrong_count_of_numbers(self):
        self.wrong(ARM + "state:\n  joints: {elbow: [1, 2]}\n", "4:12", "takes 1 number, not 2")

    def test_ambiguous_joint(self):
        self.wrong(TWO_ARMS + "state:\n  joints: {elbow: 1}\n", "16:12", "2 joints are called 'elbow'")

    def test_collision(self):
        self.wrong(ARM + "    self_collide: maybe\n", "3:19", "expected true or false")
        self.wrong(ARM + "collision: [a, b]\n", "3:12", "expected keys with values")
        self.wrong(ARM + "collision: {excludes: []}\n", "3:13", "did you mean 'exclude'?")
        self.wrong(ARM + "collision: {exclude: [a, b]}\n", "3:23", "expected a list")
        self.wrong(ARM + "collision:\n  exclude: [[base]]\n", "4:13", "expected two links, found 1")
        self.wrong(ARM + "collision:\n  include: [[base, a, b]]\n", "4:23", "a third link 'b'")
        self.wrong(ARM + "collision: {include: [[base, [a]]]}\n", "3:30", "expected a word, found a list")
        self.wrong(ARM + "collision: {include: [[base, han]]}\n", "3:23", "no link 'han'; did you mean 'hand'?")
        self.wrong(ARM + "collision: {include: [[base, xxxxxxxx]]}\n", "3:23", "no link 'xxxxxxxx'")
        self.wrong(ARM + "collision: {include: [[base, base]]}\n", "3:23", "with itself")
        self.wrong(TWO_ARMS + "collision: {include: [[base, world]]}\n", "15:23", "2 links are called 'base': say MODEL::base")

    def test_malformed_yaml(self):
        self.wrong(ARM + "duration: [1\n", "4:1", "")
        self.wrong(ARM + "a: b: c\n", "3:5", "")
        self.wrong(ARM + "duration: *nobody\n", "3:11", "undefined alias")
        self.wrong(ARM + "\tduration: 1\n", "3:1", "found a tab character")
        self.wrong(ARM + "stepper:\n\tname: rk4\n", "4:1", "(a tab? indent with spaces)")

    def test_second_document(self):
        self.wrong(ARM + "---\nduration: 1\n", "4:1", "a second document")


class Meaning(tap.CommandTest):
    def test_poses_names_and_states(self):
        run = self.json("run", self.write("two.yaml", TWO_ARMS))
        self.assertEqual(run["joint_positions"]["left::lift"], 0.5)
        self.assertEqual(run["joint_positions"]["right::lift"], -0.5)
        self.assertEqual(run["dof"], 12)
        self.assertEqual(run["model"], "two")
        info = self.json("info", self.write("two.yaml", TWO_ARMS))
        self.assertEqual([m["name"] for m in info["models"]], ["left", "right"])
        self.assertAlmostEqual(info["mass"], 2 * self.json("info", tap.MODELS / "arm6.urdf")["mass"], 12)

    def test_collision_pairs_and_self_collide(self):
        text = TWO_ARMS.replace("    name: left\n", "    name: left\n    self_collide: true\n    collision: {exclude: [[base, hand]]}\n")
        text += 'collision:\n  include: [["left::hand", "right::hand"], [world, "left::hand"]]\n'
        info = self.json("info", self.write("two.yaml", text))
        self.assertEqual({link["self_collide"] for link in info["link_list"] if link["model"] == "left"}, {True})
        self.assertEqual({link["self_collide"] for link in info["link_list"] if link["model"] == "right"}, {False})
        self.assertEqual([(p["a"], p["b"], p["collide"]) for p in info["collision_pair_list"]],
                         [("left::base", "left::hand", False), ("left::hand", "right::hand", True), ("world", "left::hand", True)])
        self.assertEqual(self.json("run", self.write("two.yaml", text))["dof"], 12)

    def test_remarks_are_made_once(self):
        """Pairs make a second model of the same builder."""
        robot = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent>a</parent>
          <child>b</child><axis><xyz>0 0 1</xyz></axis></joint><plugin name="x"/></model></sdf>"""
        self.write("m.sdf", robot)
        warned = [len(self.json("info", self.write("run.yaml", "models: [{file: m.sdf}]\n" + more))["warnings"])
                  for more in ("", "collision: {exclude: [[a, b]]}\n")]
        self.assertEqual(warned[0], warned[1])

    def test_group_and_name_address_one_of_two(self):
        run = self.json("run", self.write("two.yaml", TWO_ARMS), "--set", "left::elbow=0.25")
        self.assertEqual((run["joint_positions"]["left::elbow"], run["joint_positions"]["right::elbow"]), (0.25, 0))

    def test_command_line_overrides(self):
        path = self.write("run.yaml", ARM + "duration: 2\nstepper: {name: rk4, step: 0.01}\nstate: {joints: {elbow: 1}}\n")
        run = self.json("run", path)
        self.assertEqual((run["steps"], run["stepper"], run["step"], run["duration"]), (200, "rk4", 0.01, 2))
        run = self.json("run", path, "--time", "0", "--stepper", "euler", "--set", "elbow=0.5")
        self.assertEqual((run["steps"], run["stepper"], run["joint_positions"]["elbow"]), (0, "euler", 0.5))

    def test_anchors_and_aliases(self):
        text = ARM + "gravity: &g [0, 0, -5]\nstate:\n  joints: &s {elbow: 0.5}\n  rates: *s\nduration: 0\n"
        run = self.json("run", self.write("alias.yaml", text))
        self.assertEqual((run["joint_positions"]["elbow"], run["joint_rates"]["elbow"]), (0.5, 0.5))
        self.assertEqual(run["gravity"], [0, 0, -5])

    def test_cycle_of_aliases_ends(self):
        self.refused("run", self.write("cycle.yaml", "models: &m [*m]\n"), says="cycle.yaml:1:9")

    def test_deep_nesting_ends(self):
        for opening in ("[", "{", "- ", "? ", "{a: "):
            start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.refused("run", self.write("deep.yaml", "a:\n " + opening * 100000), says=["deep.yaml:2:", "nested too deeply"])
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start, 20, "not linear in the length")

    def test_paths_are_relative_to_the_file(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub" / "arm.urdf").write_text((tap.MODELS / "arm6.urdf").read_text())
        path = self.write("sub/run.yaml", "models: [{file: arm.urdf}]\nduration: 0.01\noutputs: {csv: out.csv, every: 5}\n")
        self.rigor("run", path)
        self.assertEqual(len((self.folder / "sub" / "out.csv").read_text().splitlines()), 1 + 3)

    def test_from_standard_input(self):
        self.assertEqual(self.json("run", "-", text=ARM + "duration: 0\n")["dof"], 6)

    def test_gravity_of_the_file(self):
        run = self.json("run", self.write("g.yaml", ARM + "gravity: [1, 2, 3]\nduration: 0\n"))
        self.assertEqual(run["gravity"], [1, 2, 3])


if __name__ == "__main__":
    tap.main()
