#!/usr/bin/python3
"""The robots and scenes of models/: as generated, with inertias of solid primitives, and running."""
import math
import subprocess
import sys
import xml.etree.ElementTree as xml

import tap

# Second moment of a solid of volume 1 along its own axes: the mean of x^2, y^2, z^2.
MEAN_SQUARES = {
    "box": lambda x, y, z: (x * x / 12, y * y / 12, z * z / 12),
    "cylinder": lambda r, length: (r * r / 4, r * r / 4, length * length / 12),
    "sphere": lambda r: (r * r / 5, r * r / 5, r * r / 5),
    "ellipsoid": lambda a, b, c: (a * a / 5, b * b / 5, c * c / 5),
    "capsule": lambda r, length: capsule_squares(r, length),
}

# Robots of papers: their masses and inertias are the papers'.
PAPERS = {
    "hand.sdf": (18, 0), "heavy_cylinder.sdf": (6, 0),
    "atlas.urdf": (34, 0), "atlas_hands.urdf": (58, 0),
    "links.sdf": (18, 0),
    "ur10.sdf": (8, 0),
    "ur10_geared.sdf": (14, 0),
    "walker.sdf": (7, 0),
}


def boole(f, low, high):
    """Integral by Boole's rule: exact for polynomials up to the fifth degree."""
    h = (high - low) / 4
    return 2 * h / 45 * sum(weight * f(low + k * h) for k, weight in enumerate((7, 32, 12, 32, 7)))


def capsule_squares(r, length):
    """By slices across the axis, half the rod and one half ball: the square of the slice's radius is a polynomial."""
    total = [0.0, 0.0, 0.0]
    for low, high, square in ((0, length / 2, lambda z: r * r),
                              (length / 2, length / 2 + r, lambda z: r * r - (z - length / 2) ** 2)):
        for i, moment in enumerate((lambda z: square(z), lambda z: square(z) ** 2 / 4, lambda z: square(z) * z * z)):
            total[i] += boole(moment, low, high)
    volume, xx, zz = total
    return xx / volume, xx / volume, zz / volume


def floats(text):
    return tuple(float(word) for word in text.split())


def shape_size(geometry):
    """Kind and sizes of a URDF or SDF geometry."""
    solid = geometry[0]
    if solid.tag == "ellipsoid":
        return "ellipsoid", floats(solid.findtext("radii"))
    values = {key: float(value) for key, value in solid.attrib.items() if key != "size"}
    values.update({child.tag: float(child.text) for child in solid if child.tag != "size"})
    if solid.tag == "box":
        return "box", floats(solid.get("size") or solid.findtext("size"))
    return solid.tag, (values["radius"], values["length"]) if solid.tag in ("cylinder", "capsule") else (values["radius"],)


def links_with_one_solid(path):
    """Name, mass, centre and diagonal inertia of links that are one solid along the link's axes, and that solid."""
    root = xml.parse(path).getroot()
    for link in root.iter("link"):
        shapes, inertial = link.findall("collision"), link.find("inertial")
        if inertial is None or len(shapes) != 1:
            continue
        if path.suffix == ".urdf":
            place = floats(shapes[0].find("origin").get("xyz") + " " + shapes[0].find("origin").get("rpy"))
            centre, mass = floats(inertial.find("origin").get("xyz")), float(inertial.find("mass").get("value"))
            moments = [float(inertial.find("inertia").get(key)) for key in ("ixx", "iyy", "izz")]
        else:
            place, centre = floats(shapes[0].findtext("pose")), floats(inertial.findtext("pose"))[:3]
            mass = float(inertial.findtext("mass"))
            moments = [float(inertial.findtext("inertia/" + key)) for key in ("ixx", "iyy", "izz")]
        if any(place[3:]):
            continue
        yield link.get("name"), mass, centre, moments, place[:3], shape_size(shapes[0].find("geometry"))


class Models(tap.CommandTest):
    def test_files_are_as_generated(self):
        done = subprocess.run([sys.executable, str(tap.MODELS / "generate.py"), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_inertias_are_those_of_the_solids(self):
        """I_xx = m (mean of y^2 + mean of z^2), and so on; the centre of mass is the solid's."""
        checked = 0
        for path in sorted(path for path in tap.MODELS.glob("*.*df") if path.name not in PAPERS):
            for name, mass, centre, moments, place, (kind, size) in links_with_one_solid(path):
                with self.subTest(file=path.name, link=name):
                    x2, y2, z2 = MEAN_SQUARES[kind](*size)
                    for got, expected in zip(moments, (y2 + z2, x2 + z2, x2 + y2)):
                        self.assertTrue(math.isclose(got, mass * expected, rel_tol=1e-12))
                    self.assertLess(math.dist(centre, place), 1e-12)
                checked += 1
        self.assertGreater(checked, 150)

    def test_sizes(self):
        sizes = {"arm6.urdf": (6, 0), "quadruped.sdf": (18, 0), "humanoid36.urdf": (36, 0), "chain100.sdf": (100, 0),
                 "double_pendulum.sdf": (2, 0), "tumbling_box.sdf": (6, 0), "four_bar.sdf": (3, 1), "stewart.sdf": (21, 5),
                 "touching.sdf": (90, 0), "floor.sdf": (0, 0), "playground.sdf": (240, 0),
                 "die.sdf": (6, 0), "bullet.sdf": (12, 0), "pile.sdf": (324, 0), "inertia_pendulum.sdf": (2, 0),
                 "arm_hand.sdf": (29, 0), "held_capsule.sdf": (6, 0), "pioneer.sdf": (11, 0), "pioneer_gripper.sdf": (15, 0),
                 "stacks.sdf": (144, 0), "hose.sdf": (32, 0), "seat.sdf": (7, 0), **PAPERS}
        self.assertEqual(set(sizes), {path.name for path in tap.MODELS.glob("*.*df")})
        for name, expected in sizes.items():
            info = self.json("info", tap.MODELS / name)
            self.assertEqual((info["nv"], info["loops"]), expected, name)

    def test_double_pendulum_ratio(self):
        self.assertAlmostEqual(self.json("doctor", tap.MODELS / "double_pendulum.sdf")["inertia_ratio"]["ratio"], 5.7 ** 5, 6)

    def test_every_run_file_runs(self):
        for path in sorted(tap.MODELS.glob("*.yaml")):
            with self.subTest(file=path.name):
                run = self.json("run", path, "--time", "0.05", "--step", "0.001")
                self.assertEqual((run["status"], run["steps"]), ("ok", 50))
                if run["control"] is not None:
                    self.assertIsNone(run["energy_drift"])
                elif path.name not in ("default.yaml", "standing.yaml", "reaching.yaml", "pile.yaml", "die.yaml", "bullet.yaml", "hose.yaml", "seat.yaml"):
                    self.assertLess(abs(run["energy_drift"]), 1e-6)

    def test_bullet(self):
        """A step of 10 ms is 10 m of the bullet's way, the sheet 1 mm thick: plain steps see it coming, but
        end past where the sheet stood."""
        places = {}
        for name in ("rigid", "semi-implicit"):
            run = self.json("run", tap.MODELS / "bullet.yaml", "--stepper", name, "--time", "0.02", "--csv", self.folder / "out.csv")
            head, *rows = (line.split(",") for line in (self.folder / "out.csv").read_text().splitlines())
            places[name] = float(rows[-1][head.index("q:bullet[4]")])
            self.assertEqual(run["status"], "ok")
            self.assertLess(run["energy_final"], run["energy_initial"])
            if name == "rigid":
                self.assertGreater(run["inner_steps"]["least_distance"], 0.0)
        self.assertLess(places["rigid"], 0.0)
        self.assertGreater(places["semi-implicit"], 0.0)

    def test_default_scene(self):
        """After 3 s the quadruped stands where it was put, the pyramid has been hit, and no solid has left the tray."""
        run = self.json("run", tap.MODELS / "default.yaml", "--time", "3")
        self.assertEqual(run["dof"], 40 * 6 + 18)
        links = run["floating_links"]
        self.assertLess(math.dist(links["body"]["position"], (1.5, 0, 0.55 - 0.132)), 0.02)
        self.assertGreater(links["cube02"]["position"][0], 0.05)
        for name, link in links.items():
            x, y, z = link["position"]
            self.assertGreater(z, 0.02, name)
            if name.startswith("thing"):
                self.assertTrue(2.57 < x < 3.43 and abs(y) < 0.43, name)

    def test_standing_quadruped(self):
        """Its feet carry its weight, no foot slips, and no motor gives all it has."""
        run = self.json("run", tap.MODELS / "standing.yaml", "--contacts")
        self.assertEqual([c["state"] for c in run["contacts"]], ["stick"] * 4)
        total = [math.fsum(c["force"][k] for c in run["contacts"]) for k in range(3)]
        self.assertLess(math.dist(total, (0, 0, 9.81 * run["mass"])), 1e-5)
        self.assertEqual(len([j for j in run["joints"] if j["motors"]]), 12)
        self.assertFalse(any(motor["saturated"] for joint in run["joints"] for motor in joint["motors"]))
        self.assertLess(run["momentum_final"]["kinetic"], 1e-12)

    def test_reaching_arm(self):
        """Its servos bring it where they are told to, in both forms, and then hold its weight."""
        targets = {"pan": 1.2, "lift": -0.6, "elbow": 1.4, "roll": 0.5, "pitch": -0.8, "turn": 2}
        for form in ("minimal", "maximal"):
            run = self.json("run", tap.MODELS / "reaching.yaml", "--contacts", "--coords", form)
            for name, target in targets.items():
                self.assertAlmostEqual(run["joint_positions"][name], target, delta=1e-4)
            self.assertEqual(sum(len(joint["motors"]) for joint in run["joints"]), 6)
            self.assertFalse(any(motor["saturated"] for joint in run["joints"] for motor in joint["motors"]))

    def test_machines(self):
        """Everything in it conserves energy, and the thrown quadruped comes back to its height."""
        run = self.json("run", tap.MODELS / "machines.yaml")
        self.assertEqual(run["dof"], 6 + 18 + 3 + 21)
        self.assertLess(run["joint_error_max"], 1e-9)
        self.assertLess(abs(run["energy_drift"] / run["momentum_initial"]["kinetic"]), 1e-6)

    def test_chain_tip(self):
        run = self.rigor("run", tap.MODELS / "chain100.yaml", "--csv", self.folder / "tip.csv", "--every", "2000")
        self.assertIn("2000 steps", run.stdout)
        head, *rows = (self.folder / "tip.csv").read_text().splitlines()
        place = dict(zip(head.split(","), rows[-1].split(",")))
        tip = [float(place[key]) for key in place if "link99" in key and "quat" not in key][:3]
        self.assertLess(math.dist(tip, (93.0065, 0, -19.62)), 1e-4)


if __name__ == "__main__":
    tap.main()
