#!/usr/bin/python3
"""Model parameters in run files and on the command line: the same motion as of a file with these numbers."""
import tap

PENDULUM = """<robot name="pendulum"><link name="world"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.25" iyy="0.25" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="bob.1"><inertial><origin xyz="0 0.01 -0.25"/><mass value="1"/>
    <inertia ixx="0.0625" iyy="0.0625" izz="0.01" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="world"/><child link="rod"/><origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="10" velocity="5"/><dynamics damping="0.1" friction="0.01"/></joint>
  <joint name="elbow" type="continuous"><parent link="rod"/><child link="bob.1"/><origin xyz="0 0 -1" rpy="0.1 0 0"/><axis xyz="0 1 0"/>
    <limit effort="3" velocity="7"/><dynamics damping="0.05" friction="0"/></joint>
</robot>
"""
START = ("--set", "hinge=1.2", "--set", "elbow.rate=3", "--time", "0.5")

# What the file says, what it should say, the parameter that says so.
EDITS = [
    ('<mass value="2"/>\n    <inertia ixx="0.25" iyy="0.25" izz="0.01"', '<mass value="4"/>\n    <inertia ixx="0.5" iyy="0.5" izz="0.02"', "links.rod.mass=4"),
    ('<mass value="2"/>\n    <inertia ixx="0.25" iyy="0.25" izz="0.01"', '<mass value="1"/>\n    <inertia ixx="0.125" iyy="0.125" izz="0.005"', "links.rod.mass_scale=0.5"),
    ('ixx="0.25" iyy="0.25" izz="0.01"', 'ixx="0.5" iyy="0.5" izz="0.02"', "links.rod.inertia_scale=2"),
    ('ixx="0.0625" iyy="0.0625" izz="0.01" ixy="0.001" ixz="0" iyz="0"', 'ixx="0.3" iyy="0.2" izz="0.25" ixy="0.01" ixz="0.02" iyz="0.03"',
     "links.bob.1.inertia=0.3,0.2,0.25,0.01,0.02,0.03"),
    ('iyy="0.0625"', 'iyy="0.07"', "links.bob.1.inertia.yy=0.07"),
    ('xyz="0 0.01 -0.25"', 'xyz="0.1 0.2 -0.3"', "links.bob.1.com=0.1,0.2,-0.3"),
    ('xyz="0 0.01 -0.25"', 'xyz="0 0.01 -0.3"', "links.bob.1.com.z=-0.3"),
    ('damping="0.1"', 'damping="0.4"', "joints.hinge.damping=0.4"),
    ('damping="0.1"', 'damping="0.2"', "joints.hinge.damping_scale=2"),
    ('friction="0.01"', 'friction="0.5"', "joints.hinge.friction=0.5"),
    ('upper="1.5"', 'upper="1.1"', "joints.hinge.upper=1.1"),
    ('lower="-1.5"', 'lower="1.1"', "joints.hinge.lower=1.1"),
    ('xyz="0 0 -1"', 'xyz="0 0 -0.7"', "joints.elbow.origin=0,0,-0.7"),
    ('xyz="0 0 -1"', 'xyz="0 0 -0.7"', "joints.elbow.origin.xyz.z=-0.7"),
    ('rpy="0.1 0 0"', 'rpy="0.1 0.2 0.3"', "joints.elbow.origin.rpy=0.1,0.2,0.3"),
    ('rpy="0.1 0 0"/><axis xyz="0 1 0"', 'rpy="0.1 0 0"/><axis xyz="0.6 0.8 0"', "joints.elbow.axis=0.6,0.8,0"),
]

# Told by `rigor info`, of no effect on this motion.
TOLD = [
    ('effort="10"', 'effort="20"', "joints.hinge.effort_limit=20"),
    ('velocity="7"', 'velocity="3.5"', "joints.elbow.velocity_limit_scale=0.5"),
]

SCENE = """<sdf version="1.9"><world name="scene">
  <model name="floor"><static>true</static><link name="slab"><collision name="top"><pose>0 0 -0.5 0 0 0</pose><geometry><box><size>9 9 1</size></box></geometry>
    <surface><friction><ode><mu>0.5</mu></ode></friction><bounce><restitution_coefficient>0.9</restitution_coefficient><threshold>0.01</threshold></bounce></surface></collision></link></model>
  <model name="thing"><pose>0 0 0.3 0 0.2 0</pose><link name="body"><inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>
    <collision name="block"><geometry><box><size>0.2 0.3 0.2</size></box></geometry>
      <surface><friction><ode><mu>0.5</mu><mu2>0.4</mu2></ode></friction><bounce><restitution_coefficient>0.2</restitution_coefficient><threshold>0.01</threshold></bounce></surface></collision>
    <collision name="nose"><pose>0.1 0 0 0 0 0</pose><geometry><sphere><radius>0.12</radius></sphere></geometry></collision>
    <visual name="skin"><geometry><box><size>0.2 0.3 0.2</size></box></geometry></visual></link></model>
</world></sdf>
"""
THROW = ("--set", "body.rate=0,1,0,0.5,0.1,-1", "--time", "0.5")
SURFACES = [
    ("<mu>0.5</mu><mu2>", "<mu>0.1</mu><mu2>", "shapes.body/block.mu=0.1"),
    ("<mu2>0.4</mu2>", "<mu2>0.2</mu2>", "shapes.body/block.mu2_scale=0.5"),
    ("<restitution_coefficient>0.2", "<restitution_coefficient>0.8", "shapes.body[0].restitution=0.8"),
    ("<size>0.2 0.3 0.2</size>", "<size>0.3 0.3 0.4</size>", "shapes.body/block.size=0.3,0.3,0.4"),
    ("<size>0.2 0.3 0.2</size>", "<size>0.2 0.3 0.4</size>", "shapes.thing::body/block.size.z=0.4"),
    ("<radius>0.12", "<radius>0.18", "shapes.body.radius=0.18"),
    ("<radius>0.12", "<radius>0.24", "shapes.body[1].size_scale=2"),
    ("<pose>0.1 0 0 0 0 0</pose>", "<pose>0.1 0 -0.1 0.1 0.2 0.3</pose>", "shapes.body/nose.pose=0.1,0,-0.1 shapes.body/nose.pose.rpy=0.1,0.2,0.3"),
    ("<pose>0 0 -0.5 0 0 0</pose>", "<pose>0 0 -0.6 0 0 0</pose>", "shapes.slab/top.pose.xyz.z=-0.6"),
    ('<model name="floor">', '<model name="floor"><pose>0 0 0.1 0 0.05 0</pose>', "links.slab.pose=0,0,0.1 links.slab.pose.rpy=0,0.05,0"),
]


def options(text):
    """--parameter for each word."""
    return [word for parameter in text.split() for word in ("--parameter", parameter)]


def yaml_of(text, lead=""):
    """The section of a run file that says the same as --parameter."""
    out = [lead + "parameters:"]
    path, value = text.split("=")
    kind, name = path.split(".", 1)
    keys = []
    while True:
        name, key = name.rsplit(".", 1)
        keys.insert(0, key)
        if key not in ("x", "y", "z", "xx", "yy", "zz", "xyz", "rpy"):
            break
    value = f"[{value}]" if "," in value else value
    for depth, word in enumerate([kind, f'"{name}"', *keys]):
        out.append(lead + "  " * (depth + 1) + word + ":")
    return "\n".join(out) + f" {value}\n"


class Twins(tap.CommandTest):
    """A run with a parameter against a run of an edited file."""

    def hashes(self, ending, text, edits, start):
        plain = self.write("plain" + ending, text)
        for old, new, parameter in edits:
            self.assertIn(old, text)
            edited = self.write("edited" + ending, text.replace(old, new))
            for coords in ("minimal", "maximal"):
                with self.subTest(parameter=parameter, coords=coords):
                    run = ("--coords", coords, *start)
                    want = self.json("run", edited, *run)["state_hash"]
                    self.assertEqual(self.json("run", plain, *run, *options(parameter))["state_hash"], want)
                    self.assertNotEqual(self.json("run", plain, *run)["state_hash"], want)

    def test_links_and_joints(self):
        self.hashes(".urdf", PENDULUM, EDITS, START)

    def test_shapes(self):
        self.hashes(".sdf", SCENE, SURFACES, THROW)

    def test_reported_as_from_the_file(self):
        plain = self.write("plain.urdf", PENDULUM)
        for old, new, parameter in EDITS + TOLD:
            with self.subTest(parameter=parameter):
                edited = self.write("edited.urdf", PENDULUM.replace(old, new))
                want, found = self.json("info", edited), self.json("info", plain, *options(parameter))
                self.assertEqual({**found, "file": ""}, {**want, "file": ""})
                if "origin" not in parameter:
                    self.assertNotEqual({**found, "file": ""}, {**self.json("info", plain), "file": ""})

    def test_run_files_say_the_same(self):
        """At the top, and in the model."""
        plain = self.write("plain.urdf", PENDULUM)
        model = "models:\n  - file: plain.urdf\n"
        for _, _, parameter in EDITS:
            with self.subTest(parameter=parameter):
                want = self.json("run", plain, *START, *options(parameter))["state_hash"]
                for text in (model + yaml_of(parameter), model + yaml_of(parameter, "    ")):
                    self.assertEqual(self.json("run", self.write("run.yaml", text), *START)["state_hash"], want)

    def test_mimics(self):
        text = PENDULUM.replace('effort="3" velocity="7"/>', 'effort="3" velocity="7"/><mimic joint="hinge" multiplier="-1.5" offset="0.2"/>')
        self.hashes(".urdf", text, [('multiplier="-1.5"', 'multiplier="0.5"', "couplings.elbow.ratio=0.5"),
                                    ('offset="0.2"', 'offset="0.4"', "couplings.elbow.offset_scale=2")], START[:2] + START[4:])

    def test_drawn_shapes_go_along(self):
        """The scene in a recording is that of a file in which both are changed, not only the one for contact."""
        old, new = "<size>0.2 0.3 0.2</size>", "<size>0.5 0.3 0.2</size>"
        out = self.folder / "x.mcap"
        def scene(text, *more):
            self.rigor("run", self.write("s.sdf", text), "--time", "0", "--record", out, "--quiet", *more)
            return out.read_bytes()
        with_parameter = scene(SCENE, "--parameter", "shapes.body/block.size.x=0.5")
        self.assertEqual(with_parameter, scene(SCENE.replace(old, new)))
        self.assertNotEqual(with_parameter, scene(SCENE.replace(old, new, 1)))


class Meaning(tap.CommandTest):
    def setUp(self):
        super().setUp()
        self.robot = self.write("p.urdf", PENDULUM)

    def info(self, *parameters):
        return self.json("info", self.robot, *options(" ".join(parameters)))

    def link(self, *parameters, name="rod"):
        return next(link for link in self.info(*parameters)["link_list"] if link["name"] == name)

    def test_inertia_follows_the_mass_unless_it_is_given(self):
        alone, both = self.link("links.rod.mass=3"), self.link("links.rod.mass=3", "links.rod.inertia.xx=0.5")
        self.assertAlmostEqual(alone["inertia"]["zz"], 0.015, 15)
        self.assertEqual((both["mass"], both["inertia"]["xx"], both["inertia"]["zz"]), (3, 0.5, 0.01))
        scaled = self.link("links.rod.mass_scale=2", "links.rod.inertia_scale=0.5", "links.rod.mass=3")
        self.assertEqual(scaled["mass"], 6)
        self.assertAlmostEqual(scaled["inertia"]["xx"], 0.25 * 1.5, 15)
        given = self.link("links.rod.inertia=1,1,1,0,0,0", "links.rod.mass_scale=2", "links.rod.inertia_scale=3")
        self.assertEqual((given["mass"], given["inertia"]["xx"]), (4, 3))
        self.assertEqual(alone["com"], [0, 0, -0.5])

    def test_patterns(self):
        joints = self.info("joints.*.damping=2")["joints"]
        self.assertEqual([joint["damping"] for joint in joints.values()], [2, 2])
        joints = self.info("joints.h*ge.damping=3", "joints.e*.friction=4")["joints"]
        self.assertEqual((joints["hinge"]["damping"], joints["elbow"]["damping"], joints["elbow"]["friction"]), (3, 0.05, 4))
        self.assertEqual(self.link("links.pendulum::*.1.mass=7", name="bob.1")["mass"], 7)

    def test_fixed_joints_have_no_damping_and_are_passed_over(self):
        arm = self.json("info", tap.MODELS / "arm6.urdf", "--parameter", "joints.*.damping=0.5")["joints"]
        self.assertEqual({joint["damping"] for joint in arm.values() if joint["nv"] == 1}, {0.5})
        self.refused("info", tap.MODELS / "arm6.urdf", "--parameter", "joints.mount.damping=0.5", says="'mount' is fixed: it has no damping")

    def test_the_outer_word_is_the_last(self):
        text = """parameters: {links: {"*": {mass: 5}, rod: {mass: 6}}}
models: [{file: p.urdf, parameters: {links: {rod: {mass: 7, com: [0, 0, -1]}}}}]
"""
        path = self.write("run.yaml", text)
        masses = {link["name"]: (link["mass"], link["com"][2]) for link in self.json("info", path)["link_list"]}
        self.assertEqual((masses["rod"], masses["bob.1"]), ((6, -1), (5, -0.25)))
        links = self.json("info", path, "--parameter", "links.rod.mass=8")["link_list"]
        self.assertEqual([link["mass"] for link in links if link["name"] == "rod"], [8])

    def test_of_two_robots(self):
        text = """models:
  - {file: p.urdf, name: left, parameters: {links: {"*": {mass: 3}}}}
  - {file: p.urdf, name: right}
"""
        def masses(more):
            links = self.json("info", self.write("two.yaml", text + more))["link_list"]
            return {link["name"]: link["mass"] for link in links if "rod" in link["name"]}
        self.assertEqual(masses(""), {"left::rod": 3, "right::rod": 2})
        self.assertEqual(masses('parameters: {links: {"right::rod": {mass: 9}}}\n'), {"left::rod": 3, "right::rod": 9})
        self.assertEqual(masses('parameters: {links: {"*::rod": {mass: 4}}}\n'), {"left::rod": 4, "right::rod": 4})
        self.refused("info", self.write("two.yaml", text + "parameters:\n  links: {rod: {mass: 4}}\n"),
                     says=["two.yaml:5:11: ", "2 links are called 'rod': say MODEL::rod, or *::rod for all"])

    def test_axes_of_a_joint(self):
        self.write("ball.sdf", """<sdf version="1.9"><model name="m"><link name="a"/><joint name="u" type="universal"><parent>world</parent><child>a</child>
          <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>""")
        def damping(*parameters):
            return self.json("info", self.folder / "ball.sdf", *options(" ".join(parameters)))["joints"]["u"]["damping"]
        self.assertEqual(damping("joints.u.damping=1"), [1, 1])
        self.assertEqual(damping("joints.u.damping=1,2"), [1, 2])
        self.assertEqual(damping("joints.u.damping=1", "joints.u[1].damping=3"), [1, 3])
        self.assertEqual(damping("joints.u.damping=1", "joints.u[1].damping_scale=3"), [1, 3])
        self.refused("info", self.folder / "ball.sdf", "--parameter", "joints.u[2].damping=3", says="'u' has no axis 2: it has 2")
        self.refused("info", self.folder / "ball.sdf", "--parameter", "joints.u.damping=1,2,3", says="'u' is universal and takes 2 numbers, not 3")

    def test_infinite_limits(self):
        for word in ("inf", ".inf", "+inf"):
            self.assertIsNone(self.info(f"joints.hinge.upper={word}")["joints"]["hinge"]["upper"])
        self.assertIsNone(self.info("joints.hinge.lower=-inf")["joints"]["hinge"]["lower"])
        path = self.write("run.yaml", "models: [{file: p.urdf}]\nparameters: {joints: {hinge: {upper: .inf, effort_limit: inf}}}\n")
        hinge = self.json("info", path)["joints"]["hinge"]
        self.assertEqual((hinge["upper"], hinge["effort"], hinge["lower"]), (None, None, -1.5))

    def test_limits_change_together(self):
        """Neither alone would fit the old one."""
        hinge = self.info("joints.hinge.lower=2", "joints.hinge.upper=3")["joints"]["hinge"]
        self.assertEqual((hinge["lower"], hinge["upper"]), (2, 3))

    def test_transmissions_tell_the_gear_that_moves(self):
        gear = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="hinge"/>
          <actuator name="m"><mechanicalReduction>40</mechanicalReduction></actuator></transmission></robot>"""
        self.robot.write_text(PENDULUM.replace("</robot>", gear))
        info = self.info("joints.hinge.gear_ratio=50", "joints.hinge.rotor_inertia=1e-4")
        self.assertEqual((info["transmissions"][0]["ratio"], info["transmissions"][0]["rotor_inertia"]), (50, 1e-4))
        self.assertEqual((info["joints"]["hinge"]["gear_ratio"], info["joints"]["hinge"]["effort"]), (50, 10))

    def test_all_commands_take_it(self):
        yaml = self.write("run.yaml", "models: [{file: p.urdf}]\nparameters: {links: {rod: {inertia: [1, 1, 3, 0, 0, 0]}}}\n")
        self.assertIn("run.yaml:2: warning: link 'rod': impossible inertia", self.rigor("info", yaml).stderr)
        self.assertIn("error: inertia: rod", self.rigor("doctor", yaml, code=1).stdout)
        self.rigor("collide", yaml)
        finer = self.json("converge", self.robot, "--time", "0.1", "--halvings", "1", "--stepper", "rk4", *options("joints.*.friction=0"))
        self.assertTrue(finer)

    def test_help_lists_the_keys(self):
        text = self.rigor("run", "--help").stdout
        for key in ("mass *", "rotor_inertia *", "restitution_threshold *", "origin.rpy", "mesh_use"):
            self.assertIn("    " + key, text)

    def test_the_readme_has_every_key(self):
        text = self.rigor("run", "--help").stdout.split("Model parameters")[1].split("Exit codes")[0]
        keys = [line.split()[0] for line in text.splitlines() if line.startswith("    ")]
        self.assertGreater(len(keys), 40)
        readme = (tap.MODELS / "README.md").read_text().split("# Parameters")[1]
        self.assertEqual([key for key in keys if f"`{key}`" not in readme], [])
        example = readme.split("```yaml\n")[1].split("```")[0]
        path = self.write("arm.yaml", f"models: [{{file: {tap.MODELS / 'arm6.urdf'}}}]\n" + example)
        masses = {link["name"]: link["mass"] for link in self.json("info", path)["link_list"]}
        self.assertAlmostEqual(masses["upper_arm"], 8.8, 12)


class Wrong(tap.CommandTest):
    """Each mistake is answered with file:line:column, or with the option."""

    def setUp(self):
        super().setUp()
        self.robot = self.write("p.urdf", PENDULUM)
        self.scene = self.write("s.sdf", SCENE)

    def wrong(self, section, place, says, file="p.urdf"):
        path = self.write("run.yaml", f"models: [{{file: {file}}}]\nparameters:\n{section}")
        self.refused("run", path, says=[f"{path}:{place}: ", says])

    def option(self, parameter, says, file=None):
        self.refused("run", file or self.robot, "--time", "0", *options(parameter), says=says)

    def test_keys(self):
        self.wrong("  link: {rod: {mass: 1}}\n", "3:3", "did you mean 'links'?")
        self.wrong("  links: {rod: {mas: 1}}\n", "3:17", "links: unknown key 'mas'; did you mean 'mass'?")
        self.wrong("  links: {rod: {damping: 1}}\n", "3:17", "unknown key 'damping'; expected one of mass, com, inertia")
        self.wrong("  links: {rod: {com: {w: 1}}}\n", "3:23", "unknown key 'com.w'")
        self.wrong("  joints: {hinge: {axis_scale: 2}}\n", "3:20", "unknown key 'axis_scale'")
        self.wrong("  joints: {hinge: {origin: {xyzz: 2}}}\n", "3:29", "did you mean 'origin.xyz'?")
        self.wrong("  links: {rod: {mass: 1, mass: 2}}\n", "3:26", "'mass' is given twice")
        self.wrong("  links: [rod]\n", "3:10", "expected keys with values, found a list")
        self.wrong("  links: {rod: 5}\n", "3:16", "expected keys with values")

    def test_names(self):
        self.wrong("  links: {rodd: {mass: 1}}\n", "3:11", "no link 'rodd'; did you mean 'rod'?")
        self.wrong("  joints:\n    hinges: {damping: 1}\n", "4:5", "no joint 'hinges'; did you mean 'hinge'?")
        self.wrong("  joints:\n    nothing_like_it: {damping: 1}\n", "4:5", "`rigor info` lists the names")
        self.wrong('  joints: {"leg_*": {damping: 1}}\n', "3:12", "no joint fits 'leg_*'")
        self.wrong("  couplings: {hinge: {ratio: 1}}\n", "3:15", "no coupling 'hinge'")
        self.wrong("  shapes: {rod: {mu: 1}}\n", "3:12", "no shape for contact 'rod'")
        self.wrong("  shapes: {body/blok: {mu: 1}}\n", "3:12", "did you mean 'body/block'?", "s.sdf")
        self.wrong("  shapes: {body/skin: {size: [1, 1, 1]}}\n", "3:12", "no shape for contact 'body/skin'", "s.sdf")

    def test_values(self):
        self.wrong("  links: {rod: {mass: much}}\n", "3:23", "mass: expected a number or inf, found 'much'")
        self.wrong("  links: {rod: {mass: '1'}}\n", "3:23", "expected a number or inf")
        self.wrong("  links: {rod: {mass_scale: inf}}\n", "3:29", "mass_scale: expected a number, found 'inf'")
        self.wrong("  links: {rod: {mass: [1, 2]}}\n", "3:23", "mass: expected one value, found 2")
        self.wrong("  links: {rod: {mass: {a: 1}}}\n", "3:23", "mass: expected a number or inf, found a mapping")
        self.wrong("  links: {rod: {com: [1, 2]}}\n", "3:22", "com: expected three numbers, found 2")
        self.wrong("  links: {rod: {com: [1, 2, [3]]}}\n", "3:29", "found a list")
        self.wrong("  links: {rod: {com: []}}\n", "3:22", "expected three numbers, found 0")
        self.wrong("  links: {rod: {inertia: [1, 1, 1]}}\n", "3:26", "inertia: expected six numbers, found 3")
        self.wrong("  joints: {hinge: {damping: [1, 2, 3, 4, 5, 6, 7]}}\n", "3:48", "more than 6 numbers")
        self.wrong("  links: {rod: {self_collide: 1}}\n", "3:31", "expected true or false")
        self.wrong("  shapes: {body: {mask: -1}}\n", "3:25", "a whole number from 0 to 4294967295", "s.sdf")
        self.wrong("  shapes: {body: {mesh_use: thing}}\n", "3:29", "auto, surface, hull or parts", "s.sdf")

    def test_impossible_numbers_have_their_line(self):
        self.wrong("  links:\n    rod:\n      com: [0, 0, 0]\n      mass: -1\n", "6:7", "link 'rod': mass -1 kg is negative")
        self.wrong("  links:\n    rod: {mass: inf}\n", "4:11", "mass and centre of mass must be finite")
        self.wrong("  links: {rod: {inertia: [1, -1, 1, 0, 0, 0]}}\n", "3:17", "inertia is not positive")
        self.wrong("  joints:\n    hinge:\n      damping: 1\n      lower: 2\n", "6:7", "lower limit must not exceed upper limit")
        self.wrong("  joints: {hinge: {axis: [0, 0, 0]}}\n", "3:20", "axis must be finite and not zero")
        self.wrong("  joints: {hinge: {origin: {rpy: [inf, 0, 0]}}}\n", "3:29", "not a finite rigid pose")
        self.wrong("  shapes: {body: {restitution: 2}}\n", "3:19", "restitution must be between 0 and 1", "s.sdf")
        self.wrong("  shapes: {body/block: {size: [-1, 1, 1]}}\n", "3:25", "shape 'block' (box)", "s.sdf")

    def test_what_does_not_fit(self):
        self.wrong("  joints: {elbow: {pitch: 1}}\n", "3:20", "'elbow' is continuous: it has no pitch")
        self.wrong("  joints: {hinge: {damping: [1, 2]}}\n", "3:20", "'hinge' is revolute and takes 1 number, not 2")
        self.wrong("  shapes: {body/nose: {size: [1, 2]}}\n", "3:24", "'body' is sphere and takes 1 number, not 2", "s.sdf")
        self.wrong("  shapes: {body/block: {radius: 1}}\n", "3:25", "'body' is box: it has no radius", "s.sdf")
        self.wrong("  shapes: {body/nose: {mu_scale: 2}}\n", "3:24", "has no mu to scale", "s.sdf")
        self.wrong("  links: {rod: {pose: [1, 2, 3]}}\n", "3:17", "is the child of a joint: change the joint's origin")
        self.write("turned.sdf", """<sdf version="1.9"><model name="m"><link name="a"/><joint name="j" type="revolute"><parent>a</parent><child>world</child>
          <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>""")
        self.wrong("  links: {a: {pose: [1, 2, 3]}}\n", "3:15", "is the child of a joint", "turned.sdf")

    def test_the_command_line(self):
        self.option("links.rod.mass", "expected KIND.NAME.KEY=VALUE")
        self.option("links.mass=1", "expected KIND.NAME.KEY=VALUE")
        self.option("bodies.rod.mass=1", "expected links, joints, shapes or couplings and a dot")
        self.option("rod=1", "expected links, joints, shapes or couplings")
        self.option("links.rod.mas=1", "links have no 'mas'; did you mean 'mass'?")
        self.option("links.rod.mass=", "expected a number or inf, found ''")
        self.option("links.rod.com=1,2", "expected three numbers, found 2")
        self.option("links.rodd.mass=1", "--parameter links.rodd.mass=1: no link 'rodd'; did you mean 'rod'?")
        self.option("links.rod.mass=-1", "--parameter links.rod.mass=-1: link 'rod': mass -1 kg is negative")
        self.refused("doctor", self.robot, *options("links.rod.masss=1"), says="did you mean 'mass'?")

    def test_cycle_of_aliases_ends(self):
        self.refused("run", self.write("cycle.yaml", "models: [{file: p.urdf}]\nparameters: {joints: {hinge: &a {origin: *a}}}\n"),
                     says=["cycle.yaml:2:", "unknown key 'origin.origin'"])


class Gears(tap.CommandTest):
    def test_rotors_beside_the_hinges(self):
        self.write("p.urdf", PENDULUM)
        path = self.write("run.yaml", "models: [{file: p.urdf}]\ngears: {ratio: 20, inertia: 1e-3}\n")
        couplings = self.json("info", path)["coupling_list"]
        self.assertEqual([(c["joint"], c["reference"], c["ratio"]) for c in couplings], [("hinge_gear", "hinge", 20), ("elbow_gear", "elbow", 20)])
        slow, fast = self.json("run", path, *START), self.json("run", self.folder / "p.urdf", *START)
        self.assertLess(abs(slow["joint_rates"]["elbow"] - 3), abs(fast["joint_rates"]["elbow"] - 3))

    def test_mistakes(self):
        self.write("p.urdf", PENDULUM)
        for text, place, says in (("{ratio: 0, inertia: 1}", "2:16", "must not be 0"), ("{ratio: 2}", "2:16", "both needed"),
                                  ("{ratio: 2, inertia: -1}", "2:28", "above 0"), ("{ratios: 2}", "2:9", "did you mean 'ratio'?")):
            path = self.write("run.yaml", f"models: [{{file: p.urdf}}]\ngears: {text}\n")
            self.refused("run", path, says=[f"{path}:{place}: ", says])


class Outputs(tap.CommandTest):
    """Outputs of `rigor run` that had only options."""

    def setUp(self):
        super().setUp()
        self.scene = self.write("s.sdf", SCENE.replace("<restitution_coefficient>0.9", "<restitution_coefficient>0").replace("<restitution_coefficient>0.2", "<restitution_coefficient>0"))

    def run_file(self, outputs):
        return self.write("run.yaml", f"models: [{{file: s.sdf}}]\nduration: 0.05\nstate: {{rates: {{body: [0, 0, 0, 0, 0, -9]}}}}\noutputs: {outputs}\n")

    def test_files(self):
        path = self.run_file("{events: e.csv, dump: {step: 40, file: p.problem}, contacts: true, json: out.json}")
        text = self.rigor("run", path).stdout
        self.assertTrue((self.folder / "e.csv").read_text() and (self.folder / "p.problem").read_text())
        self.assertIn("event list     ", text)
        self.assertIn("normal N", text)
        self.rigor("solve", self.folder / "p.problem")

    def test_certificate(self):
        path = self.run_file("{certificate: c.txt, quiet: true}")
        done = self.rigor("run", path, "--stepper", "rigid")
        self.assertEqual(done.stdout + done.stderr, "")
        self.rigor("verify", self.folder / "c.txt")

    def test_other_commands_leave_them_alone(self):
        path = self.run_file("{events: e.csv, record: r.npz, certificate: c.txt, report: r.html, plots: p, dump: {step: 1}, quiet: true}")
        self.rigor("collide", path, code=None)
        self.rigor("converge", path, "--halvings", "1", "--time", "0.01", code=None)
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["run.yaml", "s.sdf"])

    def test_mistakes(self):
        for outputs, place, says in (("{dump: {file: x}}", "4:24", "dump: 'step' is missing"), ("{dump: {step: 1.5}}", "4:24", "whole number"),
                                     ("{contacts: maybe}", "4:21", "true or false"), ("{reports: x}", "4:11", "did you mean 'report'?")):
            path = self.run_file(outputs)
            self.refused("run", path, says=[f"{path}:{place}: ", says])


if __name__ == "__main__":
    tap.main()
