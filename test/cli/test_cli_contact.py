#!/usr/bin/python3
"""`rigor run` with contact: the report of forces, solvers and their settings, motors, limits, and what files say of physics."""
import csv
import math

import tap

WORLD = """<sdf version="1.9"><world name="w">{physics}
  <model name="ground"><static>true</static><link name="floor"><collision name="plane">
    <geometry><plane><normal>0 0 1</normal></plane></geometry>{surface}</collision></link></model>
  <model name="box"><pose>0 0 0.5 0 0 0</pose><link name="body">
    <inertial><mass>2</mass><inertia><ixx>0.3333</ixx><iyy>0.3333</iyy><izz>0.3333</izz></inertia></inertial>
    <collision name="cube"><geometry><box><size>1 1 1</size></box></geometry>{surface}</collision></link></model>
</world></sdf>
"""
ODE = """<physics type="ode"><max_step_size>0.002</max_step_size><ode><solver><type>quick</type><iters>17</iters><sor>1.1</sor>
  <friction_model>pyramid_model</friction_model></solver><constraints><cfm>0</cfm><erp>0.3</erp>
  <contact_max_correcting_vel>{speed}</contact_max_correcting_vel><contact_surface_layer>{layer}</contact_surface_layer>
  </constraints></ode></physics>"""
PENDULUM = """<robot name="pendulum">
  <link name="world"/>
  <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="revolute"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="0.5" effort="10" velocity="3"/><dynamics friction="0.1"/></joint>
</robot>
"""


def world(physics="", mu=None):
    surface = f"<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction></surface>" if mu is not None else ""
    return WORLD.format(physics=physics, surface=surface)


def force_sum(run):
    return [math.fsum(c["force"][k] for c in run["contacts"]) for k in range(3)]


class Report(tap.CommandTest):
    def test_forces_carry_the_weight(self):
        for solver in "quick", "pgs", "pgs:jacobi":
            run = self.json("run", self.write("w.sdf", world()), "--time", "1", "--contacts", "--solver", solver)
            self.assertEqual(len(run["contacts"]), 4)
            for got, expected in zip(force_sum(run), (0, 0, 2 * 9.81)):
                self.assertAlmostEqual(got, expected, 5, solver)
            for c in run["contacts"]:
                self.assertEqual((c["shape_a"], c["shape_b"]), ("floor/plane", "body/cube"))
                self.assertEqual(c["state"], "stick")
                self.assertLess(abs(c["gap"]), 1e-5)
            self.assertEqual(run["contact_solver"]["solver"], solver)
            self.assertEqual(run["contact_solver"]["contacts"], 4)

    def test_sweeps_say_when_they_end_before_the_solution(self):
        standing = str(tap.MODELS / "standing.yaml"), "--time", "0.5", "--solver", "pgs"
        few = self.json("run", *standing, "--iterations", "5")
        many = self.json("run", *standing, "--iterations", "3000")
        self.assertGreater(few["contact_solver"]["unfinished_steps"], 400)
        self.assertTrue(any("sweeps ended before the solution" in remark for remark in few["warnings"]))
        self.assertLess(many["contact_solver"]["unfinished_steps"], 50)
        text = self.rigor("run", *standing, "--iterations", "5").stdout
        self.assertRegex(text, r"unfinished +4\d\d of 500 steps \(.* %\); worst residual .* N at t = .* s, .* m/s at t = ")

    def test_energy_out_of_nothing_is_taken_back(self):
        """Rows that are blind to each other diverge: the boxes stay in this world, and the summary tells."""
        heap = (tap.MODELS / "pile.yaml", "--time", "0.5", "--solver", "pgs:jacobi", "--solver-set", "mass_splitting=false",
                "--solver-set", "chunks=24")
        run = self.json("run", *heap)
        self.assertGreater(run["contact_solver"]["guarded_steps"], 100)
        self.assertLess(run["energy_change"], 1e-3)
        self.assertTrue(any("would have added energy" in remark for remark in run["warnings"]))

    def test_friction_holds_and_slips(self):
        """Gravity leans by 1 : 9.81. Friction 0.5 holds with 2 N; friction 0.05 gives m (g_x - mu g_z)."""
        run = self.json("run", self.write("w.sdf", world(mu=0.5)), "--time", "1", "--contacts", "--gravity", "1,0,-9.81")
        self.assertAlmostEqual(force_sum(run)[0], -2.0, 6)
        self.assertTrue(all(c["state"] == "stick" for c in run["contacts"]))
        run = self.json("run", self.write("w.sdf", world(mu=0.05)), "--time", "1", "--contacts", "--gravity", "1,0,-9.81")
        self.assertAlmostEqual(force_sum(run)[0], -0.05 * 2 * 9.81, 5)
        self.assertTrue(all(c["state"] == "slip" for c in run["contacts"]))
        self.assertAlmostEqual(run["floating_links"]["body"]["velocity"][0], 1 - 0.05 * 9.81, 4)

    def test_without_contact_it_falls(self):
        path = self.write("w.sdf", world())
        run = self.json("run", path, "--time", "1", "--no-contact")
        self.assertLess(run["floating_links"]["body"]["position"][2], -4)
        self.assertEqual(run["contact_solver"]["contacts_max"], 0)

    def test_every_stepper_has_contact(self):
        for stepper in ("euler", "semi-implicit", "semi-implicit-000", "rk4", "reference"):
            run = self.json("run", self.write("w.sdf", world()), "--time", "0.2", "--stepper", stepper, "--contacts")
            self.assertAlmostEqual(run["floating_links"]["body"]["position"][2], 0.5, 6, stepper)
            self.assertAlmostEqual(force_sum(run)[2], 2 * 9.81, 5, stepper)

    def test_text_has_the_tables(self):
        text = self.rigor("run", self.write("w.sdf", world()), "--time", "0.1", "--contacts").stdout
        for word in ("4 points in 1 island", "sweeps a step", "4 contact points in the last step", "floor/plane - body/cube",
                     "sum of forces"):
            self.assertIn(word, text)

    def test_sleeping(self):
        """A box at rest falls asleep after half a second; the run file may say after how long."""
        run = self.json("run", self.write("w.sdf", world()), "--time", "1", "--sleeping")
        self.assertEqual(run["contact_solver"]["sleeping"], 1)
        yaml = self.write("r.yaml", "models: [{file: w.sdf}]\nduration: 1\nsleeping: {time: 2}\n")
        self.assertEqual(self.json("run", yaml)["contact_solver"]["sleeping"], 0)

    def test_any_number_of_threads(self):
        path = tap.MODELS / "touching.sdf"
        hashes = {self.json("run", path, "--time", "0.05", "--threads", n)["state_hash"] for n in (1, 2, 3)}
        self.assertEqual(len(hashes), 1)

    def test_recording_has_contacts(self):
        path = self.folder / "run.csv"
        self.rigor("run", self.write("w.sdf", world()), "--time", "0.1", "--csv", path, "--set", "body=1,0,0,0,0,0,0.52")
        with open(path) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual((rows[0]["contact:points"], rows[0]["contact:work"]), ("0", "0"))
        self.assertEqual(rows[-1]["contact:points"], "4")
        self.assertLess(min(float(row["contact:work"]) for row in rows), -0.3)  # the box falls 20 mm: 0.39 J

    def test_work_is_told(self):
        """A box falls 20 cm: the impact takes its energy, and the parts of the work add up."""
        for solver in ("quick", "pgs"):
            run = self.json("run", self.write("w.sdf", world()), "--time", "1", "--solver", solver, "--set", "body=1,0,0,0,0,0,0.7")
            work = run["contact_solver"]["work"]
            self.assertLess(work["impacts"], -1)
            self.assertAlmostEqual(work["total"], math.fsum(value for name, value in work.items() if name not in ("total", "forces", "split")), 9)


class Settings(tap.CommandTest):
    def test_budget_and_iterations(self):
        path = self.write("w.sdf", world())
        run = self.json("run", path, "--time", "0.1", "--budget", "7")["contact_solver"]
        self.assertLessEqual(run["sweeps_max"], 7)  # a box at rest: later sweeps would change nothing
        run = self.json("run", path, "--time", "0.1", "--solver", "pgs", "--iterations", "9")["contact_solver"]
        self.assertEqual(run["sweeps_max"], 9)

    def test_presets_name_themselves(self):
        for preset in ("ode", "gazebo-vrc"):
            # The engine's 20 sweeps from no guess leave 3e-4 of the weight undone; the law is of the rest.
            run = self.json("run", self.write("w.sdf", world()), "--time", "0.5", "--preset", preset, "--contacts", "--iterations", "200")
            self.assertEqual((run["contact_solver"]["solver"], run["contact_solver"]["preset"]), ("pgs", preset))
            self.assertAlmostEqual(force_sum(run)[2], 2 * 9.81, 2)

    def test_a_run_file_gives_the_same(self):
        self.write("w.sdf", world())
        yaml = self.write("r.yaml", "models: [{file: w.sdf}]\nduration: 0.2\nthreads: 2\n"
                                    "solver: {name: pgs, preset: ode, iterations: 30, sor: 1.2, split_impulse: true}\n")
        other = ("run", self.folder / "w.sdf", "--time", "0.2", "--preset", "ode", "--iterations", "30", "--solver-set", "sor=1.2",
                 "--solver-set", "split-impulse")
        self.assertEqual(self.json("run", yaml)["state_hash"], self.json(*other)["state_hash"])
        off = self.write("off.yaml", "models: [{file: w.sdf}]\nduration: 0.2\ncontact: false\n")
        self.assertFalse(self.json("run", off)["contact_solver"]["contact"])

    def test_bad_settings_in_a_run_file_have_a_line(self):
        self.write("w.sdf", world())
        cases = {"solver: nosuch": "r.yaml:2:9: solver: unknown 'nosuch'; expected one of quick, cone, ",
                 "solver: {name: pgs, sor: 3}": "r.yaml:2:21: solver: sor 3: sor, and sor times friction_sor, must lie between",
                 "solver: {name: quick, sor: 1}": "r.yaml:2:23: solver: 'sor' is no setting of solver quick, only of pgs",
                 "solver: {name: pgs, accelerate: true}": "'accelerate' is no setting of solver pgs, only of quick",
                 "solver: {name: pgs, iteration: 3}": "did you mean 'iterations'?",
                 "solver: {iterations: 2.5}": "r.yaml:2:10: solver: iterations: expected a whole number, found '2.5'",
                 "solver: {name: pgs, friction: oval}": "friction: expected none, box, pyramid or cone",
                 "solver: {name: pgs, poisson: yes}": "poisson: expected false or true",
                 "solver: {name: pgs, preset: bullet}": "preset: unknown 'bullet'; expected one of default, ode",
                 "solver: {name: quick, preset: ode}": "'preset' is no setting of solver quick, only of pgs",
                 "limits: true": "r.yaml:2:9: limits: expected keys",
                 "limits: {position: 3}": "r.yaml:2:20: position: expected true or false",
                 "sleeping: {speed: -1}": "r.yaml:2:19: speed: -1 is not between",
                 "threads: 0": "r.yaml:2:10: threads",
                 "threads: 1.5": "threads: expected a whole number",
                 "contact: maybe": "r.yaml:2:10: contact: expected true or false",
                 "state: {motors: {a: [1]}}": "no joint or floating link 'a'"}
        for line, says in cases.items():
            with self.subTest(line=line):
                self.refused("run", self.write("r.yaml", f"models: [{{file: w.sdf}}]\n{line}\n"), says=says)

    def test_bad_options(self):
        path = self.write("w.sdf", world())
        self.refused_each("run", path, cases={
            ("--solver", "nosuch"): "--solver: unknown 'nosuch'",
            ("--friction", "pyramid"): "solver 'quick' has friction cones, or none",
            ("--solver-set", "sor"): "expected KEY=VALUE",
            ("--budget", "-1"): "--budget: expected a whole number",
            ("--threads", "0"): "--threads"})
        self.refused("run", path, "--solver", "pgs", "--solver-set", "inertia-ratio=0.5", says="inertia_ratio must be 0 or at least 1")


class Files(tap.CommandTest):
    def test_physics_of_the_file(self):
        path = self.write("w.sdf", world(ODE.format(speed=100, layer=0)))
        run = self.json("run", path, "--time", "0.1", "--solver", "pgs")
        self.assertEqual(run["contact_solver"]["sweeps_max"], 17)
        self.assertEqual(run["step"], 0.002)
        self.assertFalse(any("<physics>" in text for text in run["warnings"]))
        run = self.json("run", path, "--time", "0.1")
        self.assertTrue(any("gives iters, sor, friction_model, which solver quick does not use" in text
                            for text in run["warnings"]))

    def test_law_of_the_file_is_that_of_every_solver(self):
        """What a step removes of an overlap is the file's erp, whoever solves; the option has the last word."""
        path = self.write("w.sdf", world(ODE.format(speed=100, layer=0)))
        deep = ("run", path, "--set", "body=1,0,0,0,0,0,0.4999", "--time", "0.002")
        for solver in ("quick", "pgs", "cone", "dantzig"):
            with self.subTest(solver=solver):
                own, same, less = (self.json(*deep, "--solver", solver, *more)["state_hash"]
                                   for more in ((), ("--solver-set", "contact-erp=0.3"), ("--solver-set", "contact-erp=0.02")))
                self.assertEqual(own, same)
                self.assertNotEqual(own, less)

    def test_surface_layer_is_left(self):
        """A box that stands 2 mm deep comes up to the layer of 1 mm, pgs with a small hop; without a layer, to the surface."""
        deep = ("--set", "body=1,0,0,0,0,0,0.498", "--time", "3")
        for layer in (0, 0.001):
            for solver in ("quick", "pgs"):
                path = self.write("w.sdf", world(ODE.format(speed=100, layer=layer)))
                run = self.json("run", path, *deep, "--solver", solver)
                height = run["floating_links"]["body"]["position"][2]
                self.assertGreater(height, 0.5 - layer - 1e-5, f"{solver} {layer}")
                self.assertLess(height, 0.5 - 0.5 * layer + 1e-5, f"{solver} {layer}")

    def test_correcting_velocity_is_kept(self):
        """No overlap is left faster than the file allows."""
        path = self.write("w.sdf", world(ODE.format(speed=0.001, layer=0)))
        for solver in ("quick", "pgs"):
            run = self.json("run", path, "--set", "body=1,0,0,0,0,0,0.49", "--time", "1", "--solver", solver)
            self.assertAlmostEqual(run["floating_links"]["body"]["position"][2], 0.491, 5, solver)


class Joints(tap.CommandTest):
    def test_limit_stops_a_pendulum(self):
        run = self.json("run", self.write("p.urdf", PENDULUM), "--set", "pivot.rate=5", "--time", "0.3", "--gravity", "0,0,0")
        self.assertLess(run["joint_positions"]["pivot"], 0.5 + 1e-9)
        self.assertGreater(run["joint_positions"]["pivot"], 0.5 - 1.1e-4)  # the last tenth of a millimetre closes softly
        run = self.json("run", self.write("p.urdf", PENDULUM), "--set", "pivot.rate=5", "--time", "0.3", "--gravity", "0,0,0",
                        "--no-limits")
        self.assertGreater(run["joint_positions"]["pivot"], 1)

    def test_velocity_limit(self):
        """The limit is 3 rad/s; dry friction takes 0.1 N m of a moment of inertia of 2 kg m^2."""
        path = self.write("p.urdf", PENDULUM.replace('lower="-0.5" upper="0.5"', 'lower="-50" upper="50"'))
        fast = ("run", path, "--set", "pivot.rate=5", "--time", "0.1", "--gravity", "0,0,0")
        self.assertAlmostEqual(self.json(*fast)["joint_rates"]["pivot"], 5 - 0.05 * 0.1, 3)
        self.assertLess(self.json(*fast, "--velocity-limits")["joint_rates"]["pivot"], 3 + 1e-9)

    def test_dry_friction_holds_a_pendulum(self):
        """2 kg at 1 m leans by 0.004: 0.078 N m, below the 0.1 N m of friction; by 0.01 it is above."""
        path = self.write("p.urdf", PENDULUM)
        held = self.json("run", path, "--set", "pivot=0.004", "--time", "0.5")["joint_positions"]["pivot"]
        self.assertAlmostEqual(held, 0.004, 7)
        let_go = self.json("run", path, "--set", "pivot=0.01", "--time", "0.5")["joint_positions"]["pivot"]
        self.assertGreater(abs(let_go - 0.01), 1e-4)

    def test_motor_holds_and_saturates(self):
        """At 0.3 rad gravity pulls with 19.62 sin 0.3 = 5.80 N m; dry friction may carry 0.1 of it."""
        path = self.write("p.urdf", PENDULUM.replace('friction="0.1"', 'friction="0"'))
        run = self.json("run", path, "--set", "pivot=0.3", "--set", "pivot.motor=0,8", "--time", "0.5", "--contacts")
        motor = run["joints"][0]["motors"][0]
        self.assertAlmostEqual(run["joint_positions"]["pivot"], 0.3, 9)
        self.assertAlmostEqual(abs(motor["effort"]), 2 * 9.81 * math.sin(0.3), 6)
        self.assertFalse(motor["saturated"])
        run = self.json("run", path, "--set", "pivot=0.3", "--set", "pivot.motor=0,3", "--time", "0.1", "--contacts")
        motor = run["joints"][0]["motors"][0]
        self.assertTrue(motor["saturated"])
        self.assertAlmostEqual(abs(motor["effort"]), 3, 9)

    def test_motor_of_a_run_file_needs_two_numbers(self):
        """One alone is enough where the joint has an effort limit (test_cli_gears.py)."""
        self.write("p.urdf", PENDULUM.replace('effort="', 'effort="-'))
        for values in ("1", "[1]", "[1, 2, 3]"):
            yaml = self.write("r.yaml", f"models: [{{file: p.urdf}}]\nstate: {{motors: {{pivot: {values}}}}}\n")
            self.refused("run", yaml, says=["r.yaml:2:18", "takes 2 numbers (velocity, largest effort)"])

    def test_servo_goes_to_its_position(self):
        """Against gravity, in both forms, by an option and by a run file; its limits are kept."""
        path = self.write("p.urdf", PENDULUM)
        for form in ("minimal", "maximal"):
            run = self.json("run", path, "--set", "pivot.servo=0.3,30", "--time", "1", "--contacts", "--coords", form)
            motor = run["joints"][0]["motors"][0]
            self.assertAlmostEqual(run["joint_positions"]["pivot"], 0.3, 6)
            self.assertEqual((motor["position"], motor["max_effort"], motor["saturated"]), (0.3, 30, False))
        yaml = self.write("r.yaml", "models: [{file: p.urdf}]\nstate: {servos: {pivot: [0.3, 3000, 0.1, 50]}}\nduration: 1\n")
        run = self.json("run", yaml)
        self.assertAlmostEqual(run["joint_positions"]["pivot"], 0.1, 4)
        self.write("p.urdf", PENDULUM.replace('effort="', 'effort="-'))
        for values in ("1", "[1]", "[1, 2, 3, 4, 5]"):
            yaml.write_text(f"models: [{{file: p.urdf}}]\nstate: {{servos: {{pivot: {values}}}}}\n")
            self.refused("run", yaml, says=["r.yaml:2:18", "takes 2 to 4 numbers"])
        yaml.write_text("models: [{file: p.urdf}]\nstate: {servos: {pivot: [0, 1, 0]}}\n")
        self.refused("run", yaml, says=["r.yaml:2:18", "'pivot'"])


if __name__ == "__main__":
    tap.main()
