"""A humanoid with the published figures of Atlas as it was in the Virtual Robotics Challenge (2013), without and with hands.

    legs   pelvis -- uhz mhx (one point) -- 0.05 m -- lhy -- 0.374 m -- kny -- 0.422 m -- uay lax (one point) -- foot
    back   pelvis -- lbz -- mby -- ubx -- upper body; neck: ay
    arms   upper body -- usy shx ely elx uwy mwx -- hand

Masses, centres of mass, moments, lengths, limits, efforts and the contact of the feet are the published ones: 89.2 kg without
the head (whose own figures are in no file: a ball of 1.4 kg here), a moment of 0.076 over one of 8.4e-6 kg m^2 across the
ankle. The shapes are ours and simple: moments do not follow from them. Damping is 0.1 N m s/rad in every joint.

The table holds the left side and the middle; the right side is its mirror in y: turns about x and z change their sign.
"""
import math

from generate import Link, Solid, number, urdf, urdf_joint, urdf_link
from generate_hand import LEFT as LEFT_HAND, RIGHT as RIGHT_HAND, hand_urdf

QUARTER = math.pi / 2
DAMPING = 0.1  # N m s/rad
SPEED = 12  # rad/s
FOOT_SURFACE = {"mu1": 1.5, "mu2": 1.5, "kp": 1e6, "kd": 100, "maxVel": 1, "minDepth": 0}
FOOT = (0.26, 0.124887, 0.05)
ALONG_Y = (QUARTER, 0, 0)


def box(size, xyz):
    return Solid("box", size, 0, xyz)


def rod(r, length, xyz, rpy=(0, 0, 0)):
    return Solid("cylinder", (r, length), 0, xyz, rpy)


# Link: mass, centre of mass, (ixx, ixy, ixz, iyy, iyz, izz) about it, shapes.
MIDDLE = {
    "pelvis": (14.2529, (0.0111, 0, 0.0271), (0.1244, 0.0008, -0.0007, 0.0958, -0.0005, 0.1167), [box((0.2, 0.24, 0.18), (0, 0, 0.05))]),
    "ltorso": (1.92, (-0.0112984, -3.15366e-06, 0.0746835), (0.0039092, -5.04491e-08, -0.000342157, 0.00341694, 4.87119e-07, 0.00174492),
               [rod(0.07, 0.06, (0, 0, 0.06))]),
    "mtorso": (0.55, (-0.00816266, -0.0131245, 0.0305974), (0.000454181, -6.10764e-05, 3.94009e-05, 0.000483282, 5.27463e-05, 0.000444215),
               [rod(0.04, 0.05, (0, 0, 0.02))]),
    "utorso": (18.484, (0.02, -0.001, 0.211), (0.395, 0, 0.083, 1.089, -0.003, 0.827), [box((0.32, 0.26, 0.34), (0.03, 0, 0.2)), box((0.1, 0.36, 0.1), (0.024, 0, 0.29))]),
    "head": (1.4, (0, 0, 0.06), (0.0056, 0, 0, 0.0056, 0, 0.0056), [Solid("sphere", (0.1,), 0, (0, 0, 0.06))]),
}
LEFT = {
    "uglut": (0.5166, (0.00529262, -0.00344732, 0.00313046), (0.00074276, -3.79607e-08, -2.79549e-05, 0.000688179, -3.2735e-08, 0.00041242),
              [rod(0.02, 0.08, (0, 0, 0))]),
    "lglut": (0.69, (0.0133341, 0.0170484, -0.0312052), (0.000691326, -2.24344e-05, 2.50508e-06, 0.00126856, 0.000137862, 0.00106487),
              [rod(0.03, 0.06, (0.035, 0.012, -0.045), ALONG_Y)]),
    "uleg": (7.34, (0, 0, -0.21), (0.09, 0, 0, 0.09, 0, 0.02), [rod(0.075, 0.32, (-0.02, 0.01, -0.19))]),
    "lleg": (4.367, (0.001, 0, -0.187), (0.077, 0, -0.003, 0.076, 0, 0.01), [rod(0.06, 0.36, (0.01, 0, -0.19))]),
    "talus": (0.1, (0, 0, 0), (1.01674e-05, 0, 0, 8.42775e-06, 0, 1.30101e-05), [rod(0.0102, 0.03, (0, 0, 0), ALONG_Y)]),
    "foot": (1.634, (0.027, 0, -0.067), (0.002, 0, 0, 0.007, 0, 0.008), [box(FOOT, (0.048, 0, -0.056119))]),
    "clav": (2.369, (0.014, 0.058, 0.029), (0.004, 0.001, 0, 0.006, 0, 0.007), [rod(0.05, 0.13, (0, 0.05, 0.02), ALONG_Y)]),
    "scap": (2.707, (-0.002, 0.108, 0), (0.01, 0, 0, 0.005, 0, 0.013), [rod(0.055, 0.17, (0, 0.1, 0), ALONG_Y)]),
    "uarm": (1.881, (0.007, 0.114, 0.008), (0.002, 0, 0, 0.003, 0, 0.003), [rod(0.05, 0.11, (0, 0.07, 0.005), ALONG_Y)]),
    "larm": (2.148, (-0.003, 0.099, -0.014), (0.005, 0, 0, 0.003, 0, 0.006), [rod(0.05, 0.17, (0, 0.1, 0), ALONG_Y)]),
    "farm": (0.981, (0, 0.041, 0), (0.003, 0, 0, 0.001, 0, 0.003), [rod(0.045, 0.06, (0, 0.03, 0), ALONG_Y)]),
    "hand": (2.263, (0, 0.093, 0), (0.01, 0, 0, 0.002, 0, 0.01), [rod(0.04, 0.09, (0, 0.05, 0), ALONG_Y)]),
}
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
# Joint: parent, child, where on the parent, axis, lower, upper (rad), effort (N m).
MIDDLE_JOINTS = {
    "back_lbz": ("pelvis", "ltorso", (-0.0125, 0, 0), Z, -0.610865, 0.610865, 124.016),
    "back_mby": ("ltorso", "mtorso", (0, 0, 0.09), Y, -1.2, 1.28, 206.843),
    "back_ubx": ("mtorso", "utorso", (0, 0, 0.05), X, -0.790809, 0.790809, 94.91),
    "neck_ay": ("utorso", "head", (0.16555, 0, 0.50823), Y, -0.610865238, 1.13446401, 5),
}
LEFT_JOINTS = {
    "leg_uhz": ("pelvis", "uglut", (0, 0.089, 0), Z, -0.32, 1.14, 110),
    "leg_mhx": ("uglut", "lglut", (0, 0, 0), X, -0.47, 0.495, 180),
    "leg_lhy": ("lglut", "uleg", (0.05, 0, -0.05), Y, -1.75, 0.524, 260),
    "leg_kny": ("uleg", "lleg", (-0.05, 0, -0.374), Y, 0, 2.45, 220),
    "leg_uay": ("lleg", "talus", (0, 0, -0.422), Y, -0.698, 0.698, 220),
    "leg_lax": ("talus", "foot", (0, 0, 0), X, -0.436, 0.436, 90),
    "arm_usy": ("utorso", "clav", (0.024, 0.221, 0.289), (0, 0.5, 0.866025), -1.9635, 1.9635, 212),
    "arm_shx": ("clav", "scap", (0, 0.075, 0.036), X, -1.39626, 1.74533, 170),
    "arm_ely": ("scap", "uarm", (0, 0.185, 0), Y, 0, 3.14159, 114),
    "arm_elx": ("uarm", "larm", (0, 0.121, 0.013), X, 0, 2.35619, 114),
    "arm_uwy": ("larm", "farm", (0, 0.188, -0.013), Y, -1.571, 1.571, 114),
    "arm_mwx": ("farm", "hand", (0, 0.058, 0), X, -0.436, 1.571, 60),
}


class Given(Link):
    """A link whose mass and moments are given; its shapes weigh nothing."""

    def __init__(self, name, mass, com, moments, solids):
        self.name, self.solids, self.pose = name, solids, (0, 0, 0, 0, 0, 0)
        self.mass, self.com = mass, com
        xx, xy, xz, yy, yz, zz = moments
        self.inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def flip(xyz, sign):
    return (xyz[0], sign * xyz[1], xyz[2])


def side_link(prefix, sign, name):
    mass, com, (xx, xy, xz, yy, yz, zz), solids = LEFT[name]
    shapes = [Solid(s.kind, s.size, 0, flip(s.xyz, sign), s.rpy) for s in solids]
    return Given(prefix + name, mass, flip(com, sign), (xx, sign * xy, xz, yy, sign * yz, zz), shapes)


def side_joint(prefix, sign, name):
    """An axis is mirrored as one of turning: y stays, z of a slanted axis changes; straight ones keep, and their ranges turn round."""
    parent, child, xyz, axis, lower, upper, effort = LEFT_JOINTS[name]
    if axis in (X, Z) and sign < 0:
        lower, upper = -upper, -lower
    elif axis not in (X, Y, Z):
        axis = (axis[0], axis[1], sign * axis[2])
    return urdf_joint(prefix + name, parent if parent in MIDDLE else prefix + parent, prefix + child, flip(xyz, sign), axis,
                      (lower, upper, effort, SPEED), DAMPING)


def foot_surface(link):
    values = "".join(f"    <{key}>{number(value)}</{key}>\n" for key, value in FOOT_SURFACE.items())
    return f'  <gazebo reference="{link}">\n{values}    <fdir1>1 0 0</fdir1>\n  </gazebo>\n'


def body():
    """All of it but what the hands hold."""
    parts = [urdf_link(Given(name, *values)) for name, values in MIDDLE.items()]
    for name, (parent, child, xyz, axis, lower, upper, effort) in MIDDLE_JOINTS.items():
        parts.append(urdf_joint(name, parent, child, xyz, axis, (lower, upper, effort, SPEED), DAMPING))
    for prefix, sign in (("l_", 1), ("r_", -1)):
        parts += [urdf_link(side_link(prefix, sign, name)) for name in LEFT]
        parts += [side_joint(prefix, sign, name) for name in LEFT_JOINTS]
        parts.append(foot_surface(prefix + "foot"))
    return parts


REMARK = "The published figures of Atlas (2013), so small bodies hold large ones: ratios of moments up to 9018 are facts."


def atlas():
    return urdf("atlas", f"A humanoid: 28 joints and a floating pelvis. {REMARK}", body())


def atlas_hands():
    """The hands are mounted where the challenge's robot had them."""
    hands = hand_urdf("l_", LEFT_HAND, "l_hand", (0, 0.1, 0, QUARTER, 0, QUARTER))
    hands += hand_urdf("r_", RIGHT_HAND, "r_hand", (0, -0.1, 0, -QUARTER, 0, -QUARTER))
    return urdf("atlas_hands", f"A humanoid with two hands of four fingers: 52 joints and a floating pelvis. {REMARK}", body() + hands)


FILES = {"atlas.urdf": atlas, "atlas_hands.urdf": atlas_hands}
