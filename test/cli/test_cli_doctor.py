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

    def test_limits(self):
        self.finds('effort="10"', 'effort="0"', "limit", "shoulder")
        self.finds('velocity="3"', 'velocity="0"', "limit", "shoulder")
        self.finds('lower="-1"', 'lower="1"', "limit", "shoulder")

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
        self.assertIn("sick.urdf: 1 errors, 0 warnings", done.stdout)

    def test_own_models_are_healthy(self):
        for path in sorted(tap.MODELS.glob("*.*df")):
            with self.subTest(file=path.name):
                found = self.json("doctor", path)
                expected = ["inertia-ratio"] if path.name == "double_pendulum.sdf" else []
                self.assertEqual([f["check"] for f in found["warnings"]], expected)


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
