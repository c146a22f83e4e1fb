#!/usr/bin/python3
"""Gears on the command line: what couplings transmit, motors as strong as their transmissions say."""
import tap

INERTIA = '<inertial><mass value="{m}"/><inertia ixx="0.1" iyy="0.1" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'
RACK = f"""<robot name="rack"><link name="world"/>
  <link name="pinion">{INERTIA.format(m=1, i=0.02)}</link><link name="bar">{INERTIA.format(m=1.2, i=0.1)}</link>
  <joint name="turn" type="continuous"><parent link="world"/><child link="pinion"/><axis xyz="0 0 1"/>
    <limit effort="100" velocity="50"/></joint>
  <joint name="slide" type="prismatic"><parent link="world"/><child link="bar"/><axis xyz="0 0 1"/>
    <limit lower="-10" upper="10" effort="0" velocity="0"/><mimic joint="turn" multiplier="0.05"/></joint>
  <transmission name="gear"><type>transmission_interface/SimpleTransmission</type><joint name="turn"/>
    <actuator name="motor"><mechanicalReduction>40</mechanicalReduction><limit effort="EFFORT" velocity="1000"/></actuator></transmission>
</robot>
"""


class Gears(tap.CommandTest):
    def run_rack(self, effort, motor):
        path = self.write("rack.urdf", RACK.replace("EFFORT", effort))
        return self.json("run", path, "--set", f"turn.motor={motor}", "--time", "0.5", "--contacts")

    def test_efforts_of_couplings_are_told(self):
        path = self.write("rack.urdf", RACK.replace("EFFORT", "1"))
        run = self.json("run", path, "--set", "turn.motor=2,90", "--time", "0.5")
        self.assertEqual([(c["joint"], c["reference"]) for c in run["couplings"]], [("slide", "turn")])
        self.assertAlmostEqual(run["couplings"][0]["joint_effort"], 1.2 * 9.81, 6)
        self.assertAlmostEqual(run["couplings"][0]["reference_effort"], -0.05 * 1.2 * 9.81, 6)
        text = self.rigor("run", path, "--set", "turn.motor=2,90", "--time", "0.5").stdout
        self.assertIn("coupling       11.772 N on slide, -0.5886 N m on turn\n", text)

    def test_a_motor_is_as_strong_as_its_transmission(self):
        weak, strong = self.run_rack("0.01", "2")["joints"][0]["motors"][0], self.run_rack("1", "2")["joints"][0]["motors"][0]
        self.assertEqual((weak["max_effort"], strong["max_effort"]), (0.4, 40))
        self.assertTrue(weak["saturated"])
        self.assertFalse(strong["saturated"])
        self.assertAlmostEqual(strong["effort"], 0.05 * 1.2 * 9.81, 6)

    def test_a_motor_needs_a_limit(self):
        path = self.write("rack.urdf", RACK.replace("EFFORT", "1").replace('<limit effort="100" velocity="50"/>', "")
                          .replace('<limit effort="1" velocity="1000"/>', ""))
        self.refused("run", path, "--set", "turn.motor=2", says="the joint has no effort limit", code=2)

    def test_doctor_misses_the_rotor(self):
        path = self.write("rack.urdf", RACK.replace("EFFORT", "1"))
        self.assertIn("gear ratio 40 without a rotor inertia: the motor's 1600 times its rotor's", self.rigor("doctor", path, code=None).stdout)
        path.write_text(RACK.replace("EFFORT", "1").replace("<mechanicalReduction>", "<rotorInertia>1e-5</rotorInertia><mechanicalReduction>"))
        self.assertNotIn("without a rotor", self.rigor("doctor", path, code=None).stdout)


if __name__ == "__main__":
    tap.main()
