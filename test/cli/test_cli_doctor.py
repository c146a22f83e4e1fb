#!/usr/bin/python3
"""`rigor doctor`: what is impossible, what is doubtful, and the exit code."""
import tap

GOOD = 'ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"'
BODY = f"""<robot name="sick">
  <link name="world"/>
  <link name="arm">
    <inertial><origin xyz="0 0 0.1"/><mass value="2"/><inertia {GOOD}/></inertial>
    <collision><origin xyz="0 0 0.1"/><geometry><box size="0.2 0.2 0.4"/></geometry></collision>
  </link>
  <link name="hand">
    <inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia {GOOD}/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
  <joint name="wrist" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
</robot>
"""


class Doctor(tap.CommandTest):
    def diagnose(self, text, code=0):
        return self.json("doctor", self.write("sick.urdf", text), code=code)

    def finds(self, old, new, check, subject, code=0):
        """The model with one thing changed has exactly one finding, of that check about that subject."""
        self.assertIn(old, BODY)
        found = self.diagnose(BODY.replace(old, new, 1), code)
        kind = "errors" if code else "warnings"
        self.assertEqual([(f["check"], f["subject"]) for f in found["errors"] + found["warnings"]], [(check, subject)])
        self.assertEqual(len(found[kind]), 1)
        return found[kind][0]

    def test_healthy(self):
        found = self.diagnose(BODY)
        self.assertEqual((found["ok"], found["errors"], found["warnings"]), (True, [], []))
        self.assertAlmostEqual(found["inertia_ratio"]["ratio"], 1, 12)

    def test_triangle_inequality(self):
        finding = self.finds('izz="0.02"', 'izz="0.05"', "inertia", "arm", code=1)
        self.assertIn("0.02, 0.02, 0.05", finding["text"])
        self.assertAlmostEqual(finding["value"], 0.01, 12)

    def test_inertia_not_positive_is_refused(self):
        found = self.diagnose(BODY.replace('ixx="0.02"', 'ixx="-0.02"', 1), code=1)
        self.assertEqual((found["ok"], len(found["errors"])), (False, 1))
        self.assertIn("arm", found["errors"][0]["text"])
        self.assertEqual(found["errors"][0]["line"], 3)

    def test_products_of_inertia_count(self):
        found = self.diagnose(BODY.replace('ixy="0"', 'ixy="0.03"', 1), code=1)
        self.assertIn("-0.01", found["errors"][0]["text"])

    def test_neutral_position_outside_of_limits(self):
        found = self.finds('lower="-1" upper="1"', 'lower="0.5" upper="1"', "limit", "shoulder")
        self.assertEqual(found["text"], "its neutral position 0 is 0.5 rad (28.6 deg) below its lower limit of 0.5 rad: "
                         "it starts there unless it is set")
        self.assertAlmostEqual(found["value"], 0.5, 12)

    def test_limits(self):
        self.finds('effort="10"', 'effort="0"', "limit", "shoulder")
        self.finds('velocity="3"', 'velocity="0"', "limit", "shoulder")
        self.finds('lower="-1" upper="1"', 'lower="0" upper="0"', "limit", "shoulder")

    def test_lower_above_upper(self):
        found = self.diagnose(BODY.replace('lower="-1"', 'lower="2"', 1), code=1)
        self.assertIn("shoulder", found["errors"][0]["text"])

    def test_massless_moving_link(self):
        finding = self.finds(f'<inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia {GOOD}/></inertial>', "", "massless", "hand")
        self.assertIn("no mass", finding["text"])

    def test_centre_of_mass_outside(self):
        finding = self.finds('<origin xyz="0 0 0.1"/><mass value="2"/>', '<origin xyz="0 0.3 0.1"/><mass value="2"/>',
                             "centre-of-mass", "arm")
        self.assertAlmostEqual(finding["value"], 0.2, 9)

    def test_missing_mesh(self):
        finding = self.finds('<box size="0.2 0.2 0.4"/>', '<mesh filename="nothing.stl"/>', "mesh", "arm")
        self.assertIn("nothing.stl", finding["text"])

    def test_inertia_ratio_over_1000(self):
        small = 'ixx="1e-5" iyy="1e-5" izz="1.25e-5" ixy="0" ixz="0" iyz="0"'
        text = BODY.replace(f'<mass value="1"/><inertia {GOOD}/>', f'<mass value="1"/><inertia {small}/>')
        found = self.diagnose(text)
        self.assertEqual([f["check"] for f in found["warnings"]], ["inertia-ratio"])
        self.assertAlmostEqual(found["inertia_ratio"]["ratio"], 2000, 6)
        self.assertEqual((found["inertia_ratio"]["heavy"], found["inertia_ratio"]["light"]), ("arm", "hand"))

    def test_ratio_is_along_common_directions(self):
        """Two equal rods at right angles: 1 : 100 about x and 100 : 1 about z, though their principal moments agree."""
        rod = 'ixx="0.01" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"'
        text = BODY.replace(GOOD, rod).replace('<origin xyz="0 0 0.3"/>', '<origin xyz="0 0 0.3" rpy="0 1.5707963267948966 0"/>')
        self.assertAlmostEqual(self.diagnose(text)["inertia_ratio"]["ratio"], 100, 6)

    def test_fast_damper(self):
        """The hand alone turns with I = 0.02 + 1 * 0.1^2; the arm gives way a little, so the rate is above d / I."""
        limit = 'velocity="3"/></joint>\n</robot>'
        text = BODY.replace(limit, 'velocity="3"/><dynamics damping="200"/></joint>\n</robot>')
        found = self.diagnose(text)
        self.assertEqual([(f["check"], f["subject"]) for f in found["warnings"]], [("stiff", "wrist")])
        self.assertLess(found["warnings"][0]["value"], 2.785 * 0.03 / 200)
        self.assertGreater(found["warnings"][0]["value"], 0.3 * 2.785 * 0.03 / 200)

    def test_unreadable_file(self):
        found = self.json("doctor", self.folder / "nothing.urdf", code=2)
        self.assertEqual((found["ok"], len(found["errors"])), (False, 1))
        self.json("doctor", self.write("cut.urdf", BODY[:300]), code=2)

    def test_text(self):
        done = self.rigor("doctor", self.write("sick.urdf", BODY.replace('izz="0.02"', 'izz="0.05"', 1)), code=1)
        self.assertIn("error: inertia: arm: triangle inequality broken", done.stdout)
        self.assertIn("sick.urdf: 1 error, 0 warnings", done.stdout)

    def test_own_models_are_healthy(self):
        for path in sorted(tap.MODELS.glob("*.*df")):
            with self.subTest(file=path.name):
                found = self.json("doctor", path)
                # What the papers' own figures force: ratios of inertia, dampers of the Sandia hand, centres of mass beside the bodies.
                expected = {"double_pendulum.sdf": {"inertia-ratio"}, "inertia_pendulum.sdf": {"inertia-ratio"}, "hand.sdf": {"stiff"},
                            "atlas.urdf": {"inertia-ratio"}, "atlas_hands.urdf": {"inertia-ratio", "stiff"},
                            "links.sdf": {"centre-of-mass"}, "walker.sdf": {"centre-of-mass", "inertia-ratio"}}
                self.assertEqual({f["check"] for f in found["warnings"]}, expected.get(path.name, set()))


# A unit cube as OBJ: two triangles a side.
CUBE_VERTICES = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
CUBE_QUADS = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
CUBE_FACES = [f for a, b, c, d in CUBE_QUADS for f in ((a, b, c), (a, c, d))]


def obj(vertices, faces):
    return "".join("v %g %g %g\n" % v for v in vertices) + "".join("f %d %d %d\n" % tuple(i + 1 for i in f) for f in faces)


class Meshes(tap.CommandTest):
    """What is said of a collision mesh, on what stands still and on what moves."""

    def examine(self, text, moves, code=0):
        self.write("m.obj", text)
        inertial = f'<inertial><origin xyz="0.2 0.2 0.2"/><mass value="1"/><inertia {GOOD}/></inertial>' if moves else ""
        robot = (f'<robot name="r"><link name="base">{inertial}<collision name="part"><geometry><mesh filename="m.obj"/></geometry>'
                 "</collision></link></robot>")
        found = self.json("doctor", self.write("r.urdf", robot), code=code)
        for kind in ("errors", "warnings", "notes"):
            for finding in found[kind]:
                self.assertEqual((finding["check"], finding["subject"]), ("mesh", "base: part"))
        return [[f["text"] for f in found[kind]] for kind in ("errors", "warnings", "notes")]

    def finds(self, vertices, faces, says):
        """A warning where the triangles are touched, a note where their hull is."""
        text = obj(vertices, faces)
        errors, warnings, notes = self.examine(text, moves=False)
        self.assertEqual((errors, len(warnings), notes), ([], 1, []))
        self.assertIn(says, warnings[0])
        errors, warnings, notes = self.examine(text, moves=True)
        self.assertEqual((errors, warnings, len(notes)), ([], [], 1))
        self.assertIn(says, notes[0])

    def test_healthy(self):
        for moves in (False, True):
            self.assertEqual(self.examine(obj(CUBE_VERTICES, CUBE_FACES), moves), [[], [], []])

    def test_open(self):
        self.finds(CUBE_VERTICES, CUBE_FACES[:-1], "mesh is open: 3 edges")

    def test_inside_out(self):
        self.finds(CUBE_VERTICES, [f[::-1] for f in CUBE_FACES], "inside-out")

    def test_turned_face(self):
        self.finds(CUBE_VERTICES, [CUBE_FACES[0][::-1]] + CUBE_FACES[1:], "at 3 edges")

    def test_named_twice_and_without_area(self):
        self.finds(CUBE_VERTICES, CUBE_FACES + CUBE_FACES[:1] + [(1, 1, 2)], "2 triangles without area or named twice")

    def test_vertices_in_one_place(self):
        corners = [CUBE_VERTICES[i] for f in CUBE_FACES for i in f]
        faces = [(i, i + 1, i + 2) for i in range(0, len(corners), 3)]
        for moves in (False, True):
            errors, warnings, notes = self.examine(obj(corners, faces), moves)
            self.assertEqual((errors, warnings, notes), ([], [], ["28 vertices at the place of another are joined to it"]))

    def test_flat_hull_is_an_error(self):
        flat = obj(CUBE_VERTICES, CUBE_FACES[8:10])
        self.assertEqual(self.examine(flat, moves=False)[1], ["mesh is open: 4 edges do not lie between two triangles"])
        errors, warnings, notes = self.examine(flat, moves=True, code=1)
        self.assertEqual((len(errors), warnings, notes), (1, [], []))

    def test_no_triangle_is_an_error(self):
        self.assertEqual(len(self.examine(obj(CUBE_VERTICES, [(0, 1, 1)]), moves=False, code=1)[0]), 1)

    def test_hull_that_covers_a_hollow(self):
        """Two cubes one apart: the hull is three halves of them, the hulls of the parts are they themselves."""
        far = [(x + 2, y, z) for x, y, z in CUBE_VERTICES]
        one = obj(CUBE_VERTICES + far, CUBE_FACES + [tuple(i + 8 for i in f) for f in CUBE_FACES])
        self.assertEqual(self.examine(one, moves=True)[2], ["the convex hull stands for the mesh: volume 1.5 times that of the mesh"])
        self.assertEqual(self.examine(one, moves=False), [[], [], []])
        two = "o a\n" + obj(CUBE_VERTICES, CUBE_FACES) + "o b\n" + obj(far, [tuple(i + 8 for i in f) for f in CUBE_FACES])
        self.assertEqual(self.examine(two, moves=True), [[], [], []])

    def test_text_of_a_note(self):
        self.write("m.obj", obj(CUBE_VERTICES, [f[::-1] for f in CUBE_FACES]))
        done = self.rigor("doctor", self.write("r.sdf", """<sdf version="1.9"><model name="m"><link name="l"><collision name="c">
          <geometry><mesh><uri>m.obj</uri></mesh></geometry></collision></link></model></sdf>"""))
        self.assertIn("note: mesh: l: c: mesh is inside-out", done.stdout)
        self.assertIn("r.sdf: 0 errors, 0 warnings", done.stdout)


@tap.needs_shared
class SharedModels(tap.CommandTest):
    def test_ankle_of_atlas(self):
        """Lower leg 0.076 against talus 8.42775e-6 kg m^2 about y: 9017.8."""
        found = self.json("doctor", tap.SHARED / "atlas_drcsim" / "atlas.urdf")
        worst = found["inertia_ratio"]
        self.assertAlmostEqual(worst["ratio"], 0.076 / 8.42775e-06, 6)
        self.assertEqual(worst["heavy"][1:], "_lleg")
        self.assertEqual(worst["light"][1:], "_talus")
        self.assertAlmostEqual(worst["direction"][1], 1, 9)

    def test_thigh_of_links_is_impossible(self):
        found = self.json("doctor", tap.SHARED / "links_quadruped" / "model.sdf", code=1)
        self.assertEqual({f["check"] for f in found["errors"]}, {"inertia"})


if __name__ == "__main__":
    tap.main()
