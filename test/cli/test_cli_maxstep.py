#!/usr/bin/python3
"""`rigor maxstep`: limits that theory gives, methods without one, accuracy as the question, outputs, and bad input."""
import csv
import math

import tap

FOLLOWING = tap.MODELS / "following.yaml"
UR10 = tap.MODELS / "ur10.yaml"

HINGE = """<robot name="one">
  <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="base"/>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>{dynamics}</joint>
</robot>
"""
HOLD = """
models: [{{file: one.urdf, base: fixed}}]
contact: false
duration: {duration}
gravity: [0, 0, 0]
state: {{joints: {{hinge: 0.01}}}}
control:
  - kind: pd
    joints: [hinge]
    kp: {kp}
    kd: {kd}
    limits: none
    trajectory: {{kind: constant, position: 0}}
"""


FOUR_BAR = """
models: [{{file: {models}/four_bar.sdf}}]
duration: 3
control:
  - kind: pd
    joints: [crank_pivot]
    kp: 200
    kd: 20
    limits: none
    trajectory: {{kind: sinusoid, amplitude: 0.3, frequency: 3}}
"""


class Limits(tap.CommandTest):
    def hold(self, kp, kd, duration=20, dynamics=""):
        self.write("one.urdf", HINGE.format(dynamics=dynamics))
        return self.write("hold.yaml", HOLD.format(kp=kp, kd=kd, duration=duration))

    def test_one_hinge_by_closed_form(self):
        """h = 4 / (d + sqrt(d^2 + 4 k)) with k = kp / I, d = kd / I; a joint's own damper, taken at the end, helps."""
        inertia = 0.1 + 2 * 0.25
        for kp, kd, damping in ((100, 30, 0), (4000, 1, 0), (0.5, 20, 0), (100, 30, 10)):
            dynamics = f'<dynamics damping="{damping}"/>' if damping else ""
            run = self.json("maxstep", self.hold(kp, kd, dynamics=dynamics), "--probes", "0", "--width", "0.002")
            row = run["methods"][0]
            k, d = kp / inertia, (kd - damping) / inertia
            limit = 4 / (d + math.sqrt(d * d + 4 * k))
            self.assertAlmostEqual(row["mode"]["predicted_max_step"] / limit, 1, 9)
            self.assertAlmostEqual(row["max_step"] / limit, 1, delta=0.05)
            self.assertAlmostEqual(row["mode"]["inertia"], inertia, 9)
            self.assertEqual((row["mode"]["joint"], row["islands"], row["holes"]), ("hinge", 0, 0))
            self.assertLessEqual(row["fails_at"], row["max_step"] * 1.002 * (1 + 1e-9))

    def test_delay(self):
        """Steps that a delay leaves no room for are not tried, and the law without it is not told as the limit."""
        text = self.hold(4000, 1).read_text()
        path = self.write("late.yaml", text.replace("  - kind", "  delay: 0.02\n  controllers:\n  - kind"))
        told = self.rigor("maxstep", path, "--time", "2", code=1).stdout
        self.assertIn("none stable down to 0.0003125 s: has joint velocities of", told)
        self.assertIn("shortest step  0.0003125 s", told)
        self.assertIn("delayed by 0.02 s", told)
        self.assertNotIn("Fastest mode", told)
        run = self.json("maxstep", path, "--no-rate", "--time", "2", "--probes", "0")
        self.assertEqual((run["least"], run["methods"][0]["mode"]["joint"]), (1e-5, "hinge"))
        self.refused("maxstep", path, "--first", "1e-4", "--most", "2e-4", says="needs steps of 0.0003125 s or more")

    def test_method_without_feet(self):
        self.refused("maxstep", FOLLOWING, "--methods", "inverse-dynamics", says="following.yaml:")

    def test_what_helps_helps(self):
        """The limit that is told for a quarter of kd is found with a quarter of kd."""
        first = self.json("maxstep", self.hold(100, 30), "--probes", "0")["methods"][0]
        second = self.json("maxstep", self.hold(100, 7.5), "--probes", "0")["methods"][0]
        self.assertAlmostEqual(first["mode"]["with_a_quarter_of_kd"] / second["max_step"], 1, delta=0.05)

    def test_methods_without_a_limit(self):
        """Implicit and hard drives at gains that explicit control cannot take at any step worth the name."""
        path = self.hold(1e7, 1e3, duration=2)
        run = self.json("maxstep", path, "--methods", "pd,implicit-pd,computed-torque,hard", "--at", "0.01", "--probes", "0")
        pd, *others = run["methods"]
        self.assertLess(pd["max_step"], 1e-3)
        self.assertFalse(pd["at"][0]["stable"])
        self.assertIn("velocities", pd["at"][0]["why"])
        for row in others:
            self.assertEqual((row["max_step"], row["fails_at"], row["mode"]), (0.1, None, None), row["method"])
            self.assertTrue(row["at"][0]["stable"])
            self.assertLess(row["at"][0]["mae"], 1e-3)

    def test_joints_that_stand_for_welds(self):
        """A tool on a hinge with no way between its limits is as good as welded: the arm feels it whole."""
        tool = """<link name="tool"><inertial><mass value="1"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="weld" type="revolute"><parent link="arm"/><child link="tool"/><origin xyz="0 0 -1"/><axis xyz="0 1 0"/>
    <limit lower="-1e-5" upper="1e-5" effort="0" velocity="0"/></joint>
</robot>"""
        path = self.hold(1000, 150)
        self.write("one.urdf", HINGE.format(dynamics="").replace("</robot>", tool))
        row = self.json("maxstep", path, "--probes", "0", "--time", "5")["methods"][0]
        self.assertAlmostEqual(row["mode"]["inertia"], 0.6 + 1 + 0.02, 6)
        self.assertAlmostEqual(row["max_step"] / row["mode"]["predicted_max_step"], 1, delta=0.05)

    def test_gearing(self):
        """A rotor behind a gear adds ratio^2 J to what the hinge feels, and the step grows as that says."""
        run = self.json("maxstep", self.hold(100, 30), "--methods", "pd,pd-geared", "--gear", "5,0.01", "--probes", "0")
        plain, geared = run["methods"]
        inertia = 0.6 + 25 * 0.01
        k, d = 100 / inertia, 30 / inertia
        self.assertAlmostEqual(geared["mode"]["inertia"], inertia, 6)
        self.assertAlmostEqual(geared["max_step"] * (d + math.sqrt(d * d + 4 * k)) / 4, 1, delta=0.05)
        self.assertGreater(geared["max_step"], 1.2 * plain["max_step"])

    def test_gearing_of_a_closed_loop(self):
        """A four-bar linkage, rotors beside the hinges that carry links: the one that closes the loop gets none, and that is told."""
        path = self.write("loop.yaml", FOUR_BAR.format(models=tap.MODELS))
        for coords in ("minimal", "maximal"):
            with self.subTest(coords):
                arguments = (path, "--methods", "pd,pd-geared", "--gear", "3,0.01", "--coords", coords, "--probes", "0", "--repeats", "1")
                self.assertIn("'coupler_pin' closes a loop", self.rigor("maxstep", *arguments).stderr)
                pd, geared = self.json("maxstep", *arguments)["methods"]
                self.assertGreater(geared["max_step"], 1.25 * pd["max_step"])
                self.assertGreater(geared["mode"]["inertia"], pd["mode"]["inertia"] + 0.9 * 9 * 0.01)
                self.assertTrue(geared["at_max_step"]["stable"])

    def test_accuracy_as_the_question(self):
        """--max-error: the largest step that is that accurate, and the next one tried is not."""
        arguments = ("maxstep", FOLLOWING, "--methods", "computed-torque", "--time", "1", "--probes", "0")
        free = self.json(*arguments)["methods"][0]
        bound = free["at_max_step"]["mae"] / 20
        row = self.json(*arguments, "--max-error", bound)["methods"][0]
        self.assertLess(row["max_step"], free["max_step"])
        self.assertLessEqual(row["at_max_step"]["mae"], bound)
        again = self.json(*arguments, "--at", row["fails_at"])["methods"][0]
        self.assertGreater(again["at"][0]["mae"], bound)

    def test_an_arm(self):
        """Near one pose the mode predicts what is found, where the bounds do not let a limit cycle pass as stable. With wide
        bounds, and where poses are only passed, a run survives what begins to grow: the prediction is then the shorter one."""
        text = FOLLOWING.read_text().replace("arm6.urdf", str(tap.MODELS / "arm6.urdf"))
        self.assertIn("amplitude: [1.5, 0.3, 0.4, 1.5, 0.4, 2]", text)
        near = self.write("near.yaml", text.replace("amplitude: [1.5, 0.3, 0.4, 1.5, 0.4, 2]", "amplitude: 0.02"))
        row = self.json("maxstep", near, "--methods", "pd", "--width", "0.01", "--max-error", "0.02")["methods"][0]
        self.assertAlmostEqual(row["max_step"] / row["mode"]["predicted_max_step"], 1, delta=0.05)
        self.assertGreater(row["mode"]["with_twice_the_inertia"], row["mode"]["predicted_max_step"])
        self.assertTrue(0.3 < row["mode"]["share"] <= 1)
        row = self.json("maxstep", FOLLOWING, "--methods", "pd", "--width", "0.01")["methods"][0]
        self.assertTrue(0.98 < row["max_step"] / row["mode"]["predicted_max_step"] < 1.3)

    def test_both_forms_find_the_same(self):
        found = [self.json("maxstep", FOLLOWING, "--methods", "pd", "--time", "1", "--coords", form, "--probes", "0")
                 ["methods"][0]["max_step"] for form in ("minimal", "maximal")]
        self.assertAlmostEqual(found[0] / found[1], 1, delta=0.03)

    def test_ur10(self):
        """Paper 002: methods in its order; kp 1e7 at 10 ms holds by implicit PD and is lost by explicit PD."""
        arguments = ("maxstep", UR10, "--repeats", "1", "--probes", "0", "--width", "0.05", "--quiet")
        rows = {row["method"]: row for row in
                self.json(*arguments, "--methods", "pd,computed-torque,hard", "--time", "1")["methods"]}
        self.assertLess(rows["pd"]["max_step"], rows["computed-torque"]["max_step"])
        self.assertLessEqual(rows["computed-torque"]["max_step"], rows["hard"]["max_step"])
        self.assertEqual(rows["hard"]["max_step"], 0.1)
        stiff = self.write("stiff.yaml", UR10.read_text().replace("kp: [300, 300, 60, 15, 15, 15]", "kp: 1e7").replace("file: ur10.sdf", f"file: {tap.MODELS / 'ur10.sdf'}"))
        rows = self.json("maxstep", stiff, "--methods", "pd,implicit-pd", "--at", "0.01",
                         "--repeats", "1", "--probes", "0", "--first", "0.01", "--least", "0.005", "--quiet", code=1)["methods"]
        self.assertFalse(rows[0]["at"][0]["stable"])
        self.assertTrue(rows[1]["at"][0]["stable"])
        self.assertLess(rows[1]["at"][0]["mae"], 1e-3)


class Outputs(tap.CommandTest):
    def test_text_and_csv(self):
        out = self.folder / "out.csv"
        done = self.rigor("maxstep", FOLLOWING, "--methods", "pd,hard", "--time", "0.5", "--csv", out, "--at", "0.001")
        for word in ("method", "MAE", "CPU", "Fastest mode", "gearing", "implicit-pd", "stable up to the longest step"):
            self.assertIn(word, done.stdout)
        rows = list(csv.DictReader(out.open()))
        self.assertEqual([(r["method"], r["what"]) for r in rows],
                         [("pd", "max"), ("pd", "fails"), ("pd", "at"), ("hard", "max"), ("hard", "at")])
        self.assertEqual([r["stable"] for r in rows], ["1", "0", "1", "1", "1"])

    def test_tries_are_told(self):
        row = self.json("maxstep", FOLLOWING, "--methods", "hard", "--time", "0.2", "--most", "0.05", "--probes", "2")["methods"][0]
        steps = [t["step"] for t in row["tries"]]
        for told, tried in zip((0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.05), steps):
            self.assertAlmostEqual(told, tried, 12)
        self.assertEqual((row["max_step"], len(steps)), (0.05, 9))

    def test_a_sampled_control_is_told(self):
        path = self.write("sampled.yaml", FOLLOWING.read_text().replace("arm6.urdf", str(tap.MODELS / "arm6.urdf"))
                          .replace("  start: true\n", "  start: true\n  rate: 2000\n"))
        done = self.rigor("maxstep", path, "--methods", "pd", "--time", "0.5", "--probes", "0")
        self.assertIn("sampled at 2000 Hz", done.stdout)
        rows = [self.json("maxstep", path, "--methods", "pd", "--time", "0.5", "--probes", "0", *more)["methods"][0]
                for more in ((), ("--no-rate",))]
        plain = self.json("maxstep", FOLLOWING, "--methods", "pd", "--time", "0.5", "--probes", "0")["methods"][0]
        self.assertEqual((rows[0]["max_step"], rows[1]["max_step"]), (0.1, plain["max_step"]))


class BadInput(tap.CommandTest):
    def test_words(self):
        self.refused("maxstep", FOLLOWING, "--methods", "pd,implicit", says=["--methods", "implicit"])
        self.refused("maxstep", FOLLOWING, "--methods", "computed-torqe", says="did you mean 'computed-torque'?")
        self.refused("maxstep", FOLLOWING, "--at", "0.01,x", says="--at")
        self.refused("maxstep", FOLLOWING, "--at", "0", says="not a step")
        self.refused("maxstep", FOLLOWING, "--first", "0.2", says="must not fall")
        self.refused("maxstep", FOLLOWING, "--probes", "1.5", says="whole number")
        self.refused("maxstep", FOLLOWING, "--time", "0", says="--time")
        self.refused("maxstep", FOLLOWING, "--methods", "pd-geared", says="--gear")
        self.refused("maxstep", FOLLOWING, "--methods", "pd-geared", "--gear", "2", says="--gear")
        self.refused("maxstep", FOLLOWING, "--methods", "pd-geared", "--gear", "2,-1", says="--gear")
        every = self.write("all.yaml", "models: [{file: %s}]\ncontrol: [{kind: pd, joints: all, kp: 1, kd: 1, trajectory: "
                           "{kind: constant, position: 0}}]\n" % (tap.MODELS / "arm6.urdf"))
        self.refused("maxstep", every, "--methods", "pd-geared", "--gear", "2,1", says="name them")
        self.refused("maxstep", tap.MODELS / "arm6.urdf", says="nothing is controlled")
        self.refused("maxstep", tap.MODELS / "arm6.urdf", "--model", "x.urdf", says="--model")
        self.refused("maxstep", FOLLOWING, "--model", "nothere.urdf", says="nothere.urdf")

    def test_methods_that_do_not_fit_name_the_line(self):
        text = FOLLOWING.read_text().replace("arm6.urdf", str(tap.MODELS / "arm6.urdf"))
        line = text[:text.index("- kind: pd")].count("\n") + 1
        path = self.write("x.yaml", text)
        self.refused("maxstep", path, "--methods", "pid", says=[f"x.yaml:{line}:", "method pid", "no ki"])
        path.write_text(text.replace("kind: pd", "kind: computed-torque"))
        self.refused("maxstep", path, "--methods", "pd", says=[f"x.yaml:{line}:", "1/s^2"])

    def test_none_stable(self):
        run = self.json("maxstep", FOLLOWING, "--methods", "pd", "--time", "0.2", "--first", "0.05", "--least", "0.01",
                        "--probes", "0", code=1)
        self.assertEqual((run["methods"][0]["found"], run["methods"][0]["max_step"]), (False, None))


SQUAT = tap.MODELS / "atlas_squat.yaml"
NO_RULES = ("--max-share", "0", "--min-height", "0", "--max-tilt", "180", "--max-energy", "0", "--may-touch", "all")

BESIDE = """
models:
  - file: {models}/floor.sdf
  - file: {models}/tumbling_box.sdf
    pose: [3, 0, 2]
    state: {{rates: {{box: [2, 5, 1, 0, 0, 0]}}}}
  - file: {models}/arm6.urdf
    name: arm
    control:
      - kind: implicit-pd
        joints: all
        kp: 2000
        kd: 100
        trajectory: {{kind: sinusoid, position: 0.5, amplitude: 0.3, frequency: 2}}
duration: 2
"""


class Falls(tap.CommandTest):
    def at(self, *words, step="0.004"):
        """What becomes of the method at a step."""
        run = self.json("maxstep", SQUAT, "--time", "2", "--probes", "0", "--repeats", "1", "--width", "0.2", "--at", step,
                        *words)
        return run["methods"][0]

    def test_explicit_control_does_not_carry_a_humanoid(self):
        """At 4 ms it lies on the floor, limbs spinning: no joint is fast enough to be lost by its speed."""
        row = self.at("--methods", "pd")
        self.assertFalse(row["at"][0]["stable"])
        self.assertLess(row["at"][0]["largest_speed"], 1000)
        self.assertRegex(row["at"][0]["why"], r"^(fell at|tipped over at|touched the ground at|has a kinetic energy) ")
        self.assertLess(row["max_step"], 1e-3)
        rules = row["at"][0]["rules"]
        for rule, says in (("height", r"fell at .* s: base 'pelvis' .* m above its lowest link, below .* m, of"),
                           ("tilt", r"tipped over at .* s: base 'pelvis' by .* degrees, above 60"),
                           ("share", r"missed its motion: joint '.*' is .* rad off in the mean, above .*, of a motion of")):
            self.assertIn(rule, rules)
            self.assertRegex(row["at"][0]["why"], says)
        self.assertEqual(row["at"][0]["why"].count("; "), len(rules) - 1)
        self.assertGreaterEqual(len(row["fails_by"]), 1)
        free = self.at("--methods", "pd", *NO_RULES)
        self.assertTrue(free["at"][0]["stable"], free["at"][0]["why"])
        self.assertGreater(free["at"][0]["largest_error"], 1)

    def test_implicit_control_carries_it_at_any_step(self):
        row = self.at("--methods", "implicit-pd", step="0.1")
        self.assertEqual((row["max_step"], row["fails_at"]), (0.1, None))
        self.assertLess(row["at_max_step"]["largest_error"], 0.1)

    def test_a_fall_by_the_controller(self):
        """Legs too weak for it: it falls at every step, and that is what is told."""
        path = self.write("weak.yaml", SQUAT.read_text().replace("kp: 5000", "kp: 50").replace("kd: 100 ", "kd: 5 ")
                          .replace("file: ", f"file: {tap.MODELS}/"))
        told = self.rigor("maxstep", path, "--time", "3", "--probes", "0", "--least", "0.0005", code=1).stdout
        self.assertIn("at the smallest step tried too, 0.0005 s, it ", told)
        self.assertRegex(told, r"(fell at|tipped over at) [0-9.]+ s: base 'pelvis' ")
        self.assertIn("the controller, not the step", told)

    def test_a_box_may_fall(self):
        """What is not controlled may fall, tumble and lie where it likes: only the arm is judged."""
        path = self.write("beside.yaml", BESIDE.format(models=tap.MODELS))
        row = self.json("maxstep", path, "--first", "0.01", "--most", "0.02", "--probes", "0", "--repeats", "1")["methods"][0]
        self.assertEqual((row["max_step"], row["fails_at"]), (0.02, None), row["fails_because"])

    def test_what_may_touch_must_be_there(self):
        self.refused("maxstep", SQUAT, "--may-touch", "nose", says="no link 'nose'")
        self.refused("maxstep", SQUAT, "--max-tilt", "200", says="--max-tilt")
        self.refused("tune", SQUAT, "--min-height", "2", says="--min-height")


if __name__ == "__main__":
    tap.main()
