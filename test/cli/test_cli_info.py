#!/usr/bin/python3
"""`rigor info`: the tree as text, and everything as JSON."""
import tap

TREE = """<robot name="tree">
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><origin xyz="0.1 0 0"/><mass value="3"/>
    <inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/></inertial></link>
  <link name="wheel"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="tip"/><axis xyz="0 3 4"/>
    <limit lower="-0.5" upper="0.25" effort="10" velocity="2"/><dynamics damping="0.7" friction="0.2"/></joint>
  <joint name="turn" type="continuous"><parent link="tip"/><child link="wheel"/><axis xyz="0 0 1"/>
    <mimic joint="slide" multiplier="2" offset="0.5"/></joint>
</robot>
"""


class Info(tap.CommandTest):
    def test_json_of_a_small_tree(self):
        info = self.json("info", self.write("tree.urdf", TREE))
        self.assertEqual({k: info[k] for k in ("name", "links", "joint_count", "nq", "nv", "mass", "bodies", "couplings", "loops")},
                         {"name": "tree", "links": 3, "joint_count": 2, "nq": 9, "nv": 8, "mass": 6, "bodies": 3, "couplings": 1,
                          "loops": 0})
        slide = info["joints"]["slide"]
        self.assertEqual((slide["kind"], slide["parent"], slide["child"]), ("prismatic", "base", "tip"))
        self.assertEqual((slide["lower"], slide["upper"], slide["limits"]), (-0.5, 0.25, [-0.5, 0.25]))
        self.assertEqual((slide["effort"], slide["velocity"], slide["damping"], slide["friction"]), (10, 2, 0.7, 0.2))
        for got, expected in zip(slide["axis"], (0, 0.6, 0.8)):
            self.assertAlmostEqual(got, expected, 15)
        tip = next(link for link in info["link_list"] if link["name"] == "tip")
        self.assertEqual((tip["mass"], tip["com"], tip["parent"], tip["joint"]), (3, [0.1, 0, 0], "base", "slide"))
        self.assertEqual(tip["inertia"], {"xx": 1, "yy": 2, "zz": 2.5, "xy": 0.1, "xz": 0, "yz": 0})
        self.assertEqual(info["coupling_list"], [{"joint": "turn", "reference": "slide", "ratio": 2, "offset": 0.5}])

    def test_transmissions(self):
        path = self.write("geared.urdf", TREE.replace("</robot>", """<transmission name="gear"><type>transmission_interface/SimpleTransmission</type>
          <joint name="slide"/><actuator name="motor"><mechanicalReduction>-50</mechanicalReduction><rotorInertia>2e-5</rotorInertia>
          <limit effort="0.1" velocity="200"/></actuator></transmission></robot>"""))
        info = self.json("info", path)
        self.assertEqual(info["transmissions"], [{"name": "gear", "actuator": "motor", "joint": "slide", "ratio": -50, "offset": 0,
                                                  "rotor_inertia": 2e-5, "velocity": 200, "effort": 0.1}])
        slide = info["joints"]["slide"]
        self.assertEqual((slide["effort"], slide["velocity"], slide["gear_ratio"], slide["rotor_inertia"]), (5, 2, -50, 2e-5))
        self.assertIn("transmission  gear: motor turns -50 times as slide, rotor 2e-05 kg m^2, at most 200 rad/s, 0.1 N m",
                      self.rigor("info", path).stdout.splitlines())

    def test_infinite_limits_are_null(self):
        turn = self.json("info", self.write("tree.urdf", TREE))["joints"]["turn"]
        self.assertEqual((turn["kind"], turn["lower"], turn["upper"], turn["limits"]), ("continuous", None, None, [None, None]))

    def test_base_option(self):
        path = self.write("tree.urdf", TREE)
        self.assertEqual(self.json("info", path, "--base", "fixed")["nv"], 2)
        self.assertEqual(self.json("info", path, "--base", "floating")["nv"], 8)

    def test_text_indents_the_tree(self):
        lines = self.rigor("info", self.write("tree.urdf", TREE)).stdout.splitlines()
        depth = {line.split()[0]: len(line) - len(line.lstrip()) for line in lines if line.strip()}
        self.assertEqual((depth["base"], depth["tip"], depth["wheel"]), (2, 4, 6))
        self.assertIn("coupling  turn = 2 slide + 0.5", lines)

    def test_json_file_beside_the_text(self):
        out = self.folder / "out.json"
        self.assertIn("tree: 3 links", self.rigor("info", self.write("tree.urdf", TREE), "--json", out).stdout)
        self.assertIn('"nv": 8', out.read_text())

    def test_json_file_that_cannot_be_written(self):
        self.refused("info", self.write("tree.urdf", TREE), "--json", self.folder / "no" / "x", says="cannot write", code=1)

    def test_loops_and_floating(self):
        info = self.json("info", tap.MODELS / "stewart.sdf")
        self.assertEqual((info["loops"], info["nv"], info["links"]), (5, 21, 13))
        self.assertEqual(sum(joint["loop"] for joint in info["joints"].values()), 5)
        self.assertEqual(info["joints"]["foot0"]["kind"], "universal")
        self.assertEqual(info["joints"]["foot0"]["lower"], [None, None])

    def test_several_models_in_one_run_file(self):
        info = self.json("info", tap.MODELS / "machines.yaml")
        self.assertEqual([m["name"] for m in info["models"]], ["arm", "dog", "linkage", "platform"])
        self.assertAlmostEqual(info["mass"], sum(m["mass"] for m in info["models"]), 9)
        self.assertAlmostEqual(info["models"][0]["mass"], self.json("info", tap.MODELS / "arm6.urdf")["mass"], 12)
        self.assertEqual(info["links"], sum(m["links"] for m in info["models"]))

    def test_shapes_and_pairs(self):
        cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" + "".join(f"o {name}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n" for name in "ab")
        self.write("two.obj", cube)
        path = self.write("shapes.sdf", """<sdf version="1.9"><model name="m">
          <link name="a"><self_collide>true</self_collide>
            <collision name="plain"><geometry><sphere><radius>1</radius></sphere></geometry></collision>
            <collision name="mesh"><geometry><mesh optimization="convex_hull"><uri>two.obj</uri></mesh></geometry></collision></link>
          <link name="b"><collision name="masked"><geometry><sphere><radius>1</radius></sphere></geometry>
            <surface><contact><collide_bitmask>0x0c</collide_bitmask></contact></surface></collision></link>
          <disable_collisions link1="a" link2="b"/><enable_collisions link1="world" link2="b"/></model></sdf>""")
        info = self.json("info", path)
        self.assertEqual([link["self_collide"] for link in info["link_list"]], [True, False])
        plain, mesh, masked = info["shape_list"]
        self.assertEqual((plain["name"], plain["link"], plain["kind"], plain["mask"]), ("plain", "a", "sphere", 0xffffffff))
        self.assertEqual((mesh["mesh_use"], mesh["parts"], mesh["triangles"]), ("hull", 2, 8))
        self.assertEqual((masked["category"], masked["mask"]), (12, 12))
        self.assertEqual(info["collision_pairs"], 2)
        self.assertEqual(info["collision_pair_list"], [{"a": "a", "b": "b", "collide": False}, {"a": "world", "b": "b", "collide": True}])
        lines = self.rigor("info", path).stdout.splitlines()
        self.assertTrue(lines[1].endswith("3 shapes, 0 frames, 2 collision pairs"), lines[1])
        self.assertEqual([line for line in lines if line.startswith("shape")],
                         ["shape  mesh of a (mesh, used as hull, 2 parts)", "shape  masked of b (sphere, category 0xc, touches 0xc)"])

    def test_errors_name_file_and_line(self):
        path = self.write("bad.urdf", TREE.replace('parent link="tip"', 'parent link="top"'))
        self.refused("info", path, says=[f"{path}:8: ", "top"])


@tap.needs_shared
class SharedModels(tap.CommandTest):
    # Collections of other people's models, some of which no reader can take as they are.
    COLLECTIONS = ("drake_models", "example_robot_data", "gazebo_models", "gz_worlds")

    def files(self, inside):
        """Those of the collections, or the others."""
        return [p for p in sorted(tap.SHARED.rglob("*")) if p.suffix in (".urdf", ".sdf", ".world")
                and (p.relative_to(tap.SHARED).parts[0] in self.COLLECTIONS) == inside]

    def test_every_file_loads(self):
        self.assertGreater(len(self.files(False)), 15)
        for path in self.files(False):
            with self.subTest(file=str(path)):
                info = self.json("info", path, "--quiet")
                self.assertGreater(info["links"], 0)

    def test_collections_load_or_are_refused_with_a_line(self):
        refused = 0
        for path in self.files(True):
            with self.subTest(file=str(path)):
                done = self.rigor("info", path, "--quiet", "--json", "-", code=None)
                self.assertIn(done.returncode, (0, 2))
                if done.returncode == 2:
                    refused += 1
                    self.assertRegex(done.stderr, r"^rigor: [^\n]+:\d+: .+")
        self.assertLess(refused, 0.5 * len(self.files(True)))

    def test_known_sizes(self):
        quadruped = self.json("info", tap.SHARED / "links_quadruped" / "model.sdf")
        self.assertEqual(quadruped["nv"], 18)
        self.assertAlmostEqual(quadruped["mass"], 4.8, 9)
        atlas = self.json("info", tap.SHARED / "atlas_drcsim" / "atlas.urdf")
        self.assertAlmostEqual(atlas["mass"], 89.2, 0)


if __name__ == "__main__":
    tap.main()
