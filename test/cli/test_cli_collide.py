#!/usr/bin/python3
"""`rigor collide`: distances, contacts and rays of a model's initial state, as text and as JSON."""
import math

import tap

FLOOR = """<sdf version="1.9"><world name="w">
  <model name="floor"><static>true</static><link name="floor"><collision name="plane"><geometry><plane><normal>0 0 1</normal>
    </plane></geometry></collision></link></model>
  <model name="cube"><pose>0 0 {z} 0 0 0</pose><link name="cube"><inertial><mass>1</mass></inertial>
    <collision name="box"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model>
</world></sdf>
"""

# What touches what in models/touching.sdf, how, and at how many points.
TOUCHING = {
    ("floor", "lower"): ("face_face", 4), ("lower", "turned"): ("face_face", 8), ("turned", "shifted"): ("face_face", None),
    ("floor", "on_edge"): ("edge_face", 2), ("floor", "on_corner"): ("vertex_face", 1), ("floor", "bar"): ("edge_face", 2),
    ("bar", "across"): ("edge_edge", 1), ("floor", "can"): (None, 3), ("floor", "drum"): (None, 2), ("floor", "pill"): (None, 2),
    ("floor", "egg"): ("curved", 1), ("floor", "ball"): ("curved", 1), ("floor", "plate"): ("face_face", 4),
    ("plate", "on_plate"): ("face_face", 4),
}


def link_of(shape):
    return shape.split("/")[0].split("::")[-1]


class Collide(tap.CommandTest):
    def survey(self, z, *arguments, code=0):
        return self.json("collide", self.write("w.sdf", FLOOR.format(z=z)), *arguments, code=code)

    def test_says_what_is_left_out(self):
        two = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision><geometry><sphere radius="1"/></geometry></collision></link>
          <link name="m"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision><geometry><mesh filename="absent.stl"/></geometry></collision></link>
          <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision><geometry><sphere radius="1"/></geometry></collision></link>
          <joint name="j" type="continuous"><parent link="a"/><child link="m"/></joint>
          <joint name="k" type="prismatic"><parent link="m"/><child link="b"/><origin xyz="2.0005 0 0"/>
          <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
        path = self.write("two.urdf", two)
        out = self.rigor("collide", path, "--quiet").stdout
        self.assertIn("2 collision shapes, 0 pairs", out)
        self.assertIn("1 more without geometry", out)
        self.assertIn("--self-collide", out)
        out = self.rigor("collide", path, "--quiet", "--self-collide").stdout
        self.assertIn("within the margin: curved, 1 point", out)
        self.assertNotIn("in contact", out)
        self.assertEqual(self.json("collide", path, "--quiet")["without_geometry"], 1)

    def test_distance_above_the_floor(self):
        pair, = self.survey(0.55)["pairs"]
        self.assertAlmostEqual(pair["distance"], 0.05, 14)
        self.assertEqual(pair["manifolds"], [])
        self.assertEqual({pair["feature_a"]["kind"], pair["feature_b"]["kind"]}, {"face"})

    def test_contact_has_four_points(self):
        pair, = self.survey(0.5005)["pairs"]
        manifold, = pair["manifolds"]
        self.assertEqual((manifold["touch"], manifold["degenerate"], len(manifold["points"])), ("face_face", False, 4))
        for point in manifold["points"]:
            self.assertAlmostEqual(point["gap"], 0.0005, 14)
        self.assertEqual(len({point["id"] for point in manifold["points"]}), 4)

    def test_overlap_is_exit_code_1(self):
        pair, = self.survey(0.49, code=1)["pairs"]
        self.assertAlmostEqual(pair["distance"], -0.01, 14)

    def test_near_and_margin(self):
        self.assertEqual(self.survey(0.7)["pairs"], [])
        self.assertEqual(len(self.survey(0.7, "--near", "0.3")["pairs"]), 1)
        self.assertEqual(len(self.survey(5, "--near", "inf")["pairs"]), 1)
        self.assertEqual(self.survey(0.5005, "--margin", "0.0001")["pairs"][0]["manifolds"], [])

    def test_points_are_reduced(self):
        pairs = self.json("collide", tap.MODELS / "touching.sdf", "--points", "4")["pairs"]
        self.assertLessEqual(max(len(m["points"]) for pair in pairs for m in pair["manifolds"]), 4)

    def test_every_way_to_touch(self):
        found = {}
        for pair in self.json("collide", tap.MODELS / "touching.sdf", "--margin", "1e-6")["pairs"]:
            names = frozenset((link_of(pair["shape_a"]), link_of(pair["shape_b"])))
            if pair["manifolds"]:
                manifold, = pair["manifolds"]
                found[names] = (manifold["touch"], len(manifold["points"]))
                self.assertLess(abs(pair["distance"]), 1e-12, names)
        self.assertEqual(set(found), {frozenset(pair) for pair in TOUCHING})
        for pair, (touch, points) in TOUCHING.items():
            got = found[frozenset(pair)]
            self.assertIn(got[0], (touch or got[0],), pair)
            self.assertIn(got[1], (points or got[1],), pair)

    def test_set_moves_a_link(self):
        path = self.write("w.sdf", FLOOR.format(z=3))
        pair, = self.json("collide", path, "--set", "cube=1,0,0,0,0,0,0.6")["pairs"]
        self.assertAlmostEqual(pair["distance"], 0.1, 14)

    def test_ray(self):
        hit = self.survey(2, "--ray", "0.1,0.2,9,0,0,-3")["hit"]
        self.assertEqual(link_of(hit["shape"]), "cube")
        self.assertAlmostEqual(hit["distance"], 6.5, 13)
        self.assertEqual(hit["normal"], [0, 0, 1])
        self.assertIsNone(self.survey(2, "--ray", "5,0,9,0,0,1")["hit"])

    def test_text(self):
        out = self.rigor("collide", tap.MODELS / "touching.sdf").stdout
        self.assertIn("16 collision shapes", out)
        self.assertIn("in contact: face_face, 8 points", out)
        self.assertIn("the ray hits nothing", self.rigor("collide", tap.MODELS / "touching.sdf", "--ray", "9,9,9,0,0,1").stdout)

    def test_wrong_usage(self):
        path = self.write("w.sdf", FLOOR.format(z=2))
        self.refused("collide", path, "--ray", "1,2,3", says="expected X,Y,Z,DX,DY,DZ")
        self.refused("collide", path, "--ray", "1,2,3,0,0,0", says="not zero")
        self.refused("collide", path, "--points", "2.5", says="whole number")
        self.refused("collide", path, "--near", "-1", says="--near")

    @tap.needs_shared
    def test_shared_robots(self):
        """Every robot that loads has distances; none is NaN, each error is small."""
        for name in ("ur10_rosindustrial/ur10_robot.urdf", "links_quadruped/model.sdf", "pioneer2dx/model.sdf", "ur10_schunk_moby/model.sdf"):
            path = tap.SHARED / name
            done = tap.subprocess.run([tap.COMMAND, "collide", str(path), "--near", "inf", "--json", "-", "--quiet"], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            for pair in tap.json.loads(done.stdout)["pairs"]:
                self.assertTrue(math.isfinite(pair["distance"]))
                self.assertLess(pair["error"], 1e-9)


if __name__ == "__main__":
    tap.main()
