#!/usr/bin/python3
"""Writes the robots of this folder. Every mass, centre of mass and inertia follows from solid primitives and a density.

    models/generate.py            writes all files beside this script
    models/generate.py --check    exit status 1 if a file differs from what would be written
"""
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def number(x):
    """Shortest text within 14 digits; no negative zero."""
    text = f"{x:.14g}"
    return "0" if text == "-0" else text


def words(values):
    return " ".join(number(v) for v in values)


# ---------------------------------------------------------------------------------------------- rotations and solids


def rotation(rpy):
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = map(math.cos, rpy), map(math.sin, rpy)
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]]


class Solid:
    """A primitive of uniform density, placed in a link."""

    def __init__(self, kind, size, density, xyz=(0, 0, 0), rpy=(0, 0, 0)):
        self.kind, self.size, self.xyz, self.rpy = kind, size, xyz, rpy
        if kind == "box":
            x, y, z = size
            volume = x * y * z
            unit = [(y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12]
        elif kind == "cylinder":
            r, length = size
            volume = math.pi * r * r * length
            unit = [(3 * r * r + length * length) / 12] * 2 + [r * r / 2]
        elif kind == "capsule":
            # A cylinder and two half balls, whose centres lie 3/8 r beyond its ends.
            r, length = size
            rod, ball = math.pi * r * r * length, 4 / 3 * math.pi * r ** 3
            volume = rod + ball
            along = (rod * r * r / 2 + ball * 0.4 * r * r) / volume
            across = (rod * (3 * r * r + length * length) / 12
                      + ball * (0.4 * r * r + length * length / 4 + 3 / 8 * length * r)) / volume
            unit = [across, across, along]
        elif kind == "ellipsoid":
            a, b, c = size
            volume = 4 / 3 * math.pi * a * b * c
            unit = [(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5]
        else:
            (r,) = size
            volume = 4 / 3 * math.pi * r ** 3
            unit = [0.4 * r * r] * 3
        self.mass = density * volume
        R = rotation(rpy)
        self.inertia = [[self.mass * sum(R[i][k] * unit[k] * R[j][k] for k in range(3)) for j in range(3)] for i in range(3)]


class Link:
    """A link of solids welded together: mass, centre of mass, inertia about it along the link's axes."""

    def __init__(self, name, *solids, pose=(0, 0, 0, 0, 0, 0), surface=""):
        self.name, self.solids, self.pose, self.surface = name, solids, pose, surface
        self.mass = sum(s.mass for s in solids)
        self.com = [sum(s.mass * s.xyz[i] for s in solids) / self.mass for i in range(3)] if solids else [0, 0, 0]
        self.inertia = [[0.0] * 3 for _ in range(3)]
        for s in solids:
            d = [s.xyz[i] - self.com[i] for i in range(3)]
            for i in range(3):
                for j in range(3):
                    steiner = (sum(x * x for x in d) if i == j else 0) - d[i] * d[j]
                    self.inertia[i][j] += s.inertia[i][j] + s.mass * steiner

    def moments(self):
        I = self.inertia
        scale = max(I[k][k] for k in range(3))
        entries = (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2))
        return [(name, 0.0 if abs(I[i][j]) < 1e-12 * scale else I[i][j]) for name, i, j in entries]


def box(x, y, z, density, xyz=(0, 0, 0), rpy=(0, 0, 0)):
    return Solid("box", (x, y, z), density, xyz, rpy)


def cylinder(r, length, density, xyz=(0, 0, 0), rpy=(0, 0, 0)):
    return Solid("cylinder", (r, length), density, xyz, rpy)


def sphere(r, density, xyz=(0, 0, 0)):
    return Solid("sphere", (r,), density, xyz)


def capsule(r, length, density, xyz=(0, 0, 0), rpy=(0, 0, 0)):
    return Solid("capsule", (r, length), density, xyz, rpy)


def ellipsoid(a, b, c, density, xyz=(0, 0, 0), rpy=(0, 0, 0)):
    return Solid("ellipsoid", (a, b, c), density, xyz, rpy)


# ---------------------------------------------------------------------------------------------- URDF


def urdf_geometry(solid):
    if solid.kind == "box":
        return f'<box size="{words(solid.size)}"/>'
    if solid.kind == "cylinder":
        return f'<cylinder radius="{number(solid.size[0])}" length="{number(solid.size[1])}"/>'
    return f'<sphere radius="{number(solid.size[0])}"/>'


def urdf_link(link):
    if not link.solids:
        return f'  <link name="{link.name}"/>\n'
    out = f'  <link name="{link.name}">\n    <inertial>\n      <origin xyz="{words(link.com)}"/>\n'
    out += f'      <mass value="{number(link.mass)}"/>\n      <inertia'
    out += "".join(f' {name}="{number(value)}"' for name, value in link.moments()) + "/>\n    </inertial>\n"
    for what in ("visual", "collision"):
        for s in link.solids:
            out += f'    <{what}>\n      <origin xyz="{words(s.xyz)}" rpy="{words(s.rpy)}"/>\n'
            out += f"      <geometry>{urdf_geometry(s)}</geometry>\n    </{what}>\n"
    return out + "  </link>\n"


def urdf_joint(name, parent, child, xyz, axis=None, limits=None, damping=0.0):
    """limits: lower, upper (rad), effort (N m), velocity (rad/s)."""
    kind = "revolute" if axis else "fixed"
    out = f'  <joint name="{name}" type="{kind}">\n    <parent link="{parent}"/>\n    <child link="{child}"/>\n'
    out += f'    <origin xyz="{words(xyz)}"/>\n'
    if axis:
        lower, upper, effort, velocity = limits
        out += f'    <axis xyz="{words(axis)}"/>\n    <limit lower="{number(lower)}" upper="{number(upper)}"'
        out += f' effort="{number(effort)}" velocity="{number(velocity)}"/>\n'
        if damping:
            out += f'    <dynamics damping="{number(damping)}"/>\n'
    return out + "  </joint>\n"


def urdf(name, comment, parts):
    return f'<?xml version="1.0"?>\n<!-- {comment} Written by generate.py. -->\n<robot name="{name}">\n{"".join(parts)}</robot>\n'


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
ARM_DENSITY = 1500  # kg/m^3: a shell of light alloy filled with motors and gears


def arm6():
    parts = [urdf_link(Link("world"))]
    chain = [
        # link, where its joint is on the parent, axis, limits
        (Link("base", cylinder(0.09, 0.14, ARM_DENSITY, (0, 0, 0.07))), "mount", (0, 0, 0), None, None),
        (Link("shoulder", cylinder(0.075, 0.16, ARM_DENSITY, (0, 0, 0.06))), "pan", (0, 0, 0.14), Z, (-6.28, 6.28, 200, 2.5)),
        (Link("upper_arm", box(0.1, 0.1, 0.46, ARM_DENSITY, (0, 0, 0.2))), "lift", (0, 0.09, 0.06), Y, (-2.2, 2.2, 200, 2.5)),
        (Link("forearm", box(0.08, 0.08, 0.4, ARM_DENSITY, (0, 0, 0.17))), "elbow", (0, -0.09, 0.4), Y, (-2.6, 2.6, 120, 3)),
        (Link("wrist", cylinder(0.045, 0.11, ARM_DENSITY, (0, 0, 0.055))), "roll", (0, 0, 0.37), Z, (-6.28, 6.28, 40, 4)),
        (Link("hand", box(0.07, 0.09, 0.1, ARM_DENSITY, (0, 0, 0.04))), "pitch", (0, 0, 0.11), Y, (-2, 2, 40, 4)),
        (Link("flange", cylinder(0.04, 0.05, ARM_DENSITY, (0, 0, 0.025))), "turn", (0, 0, 0.09), Z, (-6.28, 6.28, 20, 5)),
        (Link("tool"), "tool_mount", (0, 0, 0.05), None, None),
    ]
    before = "world"
    for link, joint, xyz, axis, limits in chain:
        parts += [urdf_link(link), urdf_joint(joint, before, link.name, xyz, axis, limits)]
        before = link.name
    return urdf("arm6", "A six-axis arm.", parts)


def humanoid36():
    """30 joints: waist 2, neck 2, two arms of 7, two legs of 6; with the floating pelvis 36 degrees of freedom."""
    d = 900  # kg/m^3
    parts = [urdf_link(Link("pelvis", box(0.18, 0.26, 0.14, d)))]

    def add(link, joint, parent, xyz, axis, lower, upper, effort):
        parts.extend([urdf_link(link), urdf_joint(joint, parent, link.name, xyz, axis, (lower, upper, effort, 8), 0.1)])

    add(Link("waist", cylinder(0.08, 0.08, d, (0, 0, 0.04))), "waist_yaw", "pelvis", (0, 0, 0.07), Z, -1.2, 1.2, 150)
    add(Link("torso", box(0.2, 0.34, 0.42, d, (0, 0, 0.21))), "waist_pitch", "waist", (0, 0, 0.08), Y, -0.6, 1.2, 200)
    add(Link("neck", cylinder(0.055, 0.09, d, (0, 0, 0.045))), "neck_yaw", "torso", (0, 0, 0.42), Z, -1.4, 1.4, 20)
    add(Link("head", box(0.17, 0.16, 0.22, d, (0.01, 0, 0.11))), "neck_pitch", "neck", (0, 0, 0.09), Y, -0.8, 0.8, 20)
    for side, sign in (("left", 1), ("right", -1)):
        def low_high(a, b):
            """A range that mirrors with the side."""
            return (a, b) if sign > 0 else (-b, -a)

        arm = [
            (Link(f"{side}_shoulder", cylinder(0.055, 0.1, d, (0, 0.05 * sign, 0), (math.pi / 2, 0, 0))), "shoulder_pitch",
             (0, 0.17 * sign, 0.36), Y, (-3, 3), 60),
            (Link(f"{side}_collar", sphere(0.06, d)), "shoulder_roll", (0, 0.11 * sign, 0), X, low_high(-0.2, 2.8), 60),
            (Link(f"{side}_upper_arm", cylinder(0.045, 0.26, d, (0, 0, -0.15))), "shoulder_yaw", (0, 0, 0), Z, (-1.5, 1.5), 40),
            (Link(f"{side}_elbow", sphere(0.05, d)), "elbow_pitch", (0, 0, -0.3), Y, (-2.4, 0), 40),
            (Link(f"{side}_forearm", cylinder(0.04, 0.22, d, (0, 0, -0.13))), "forearm_yaw", (0, 0, 0), Z, (-1.5, 1.5), 20),
            (Link(f"{side}_wrist", sphere(0.035, d)), "wrist_roll", (0, 0, -0.26), X, (-1, 1), 15),
            (Link(f"{side}_hand", box(0.08, 0.03, 0.16, d, (0, 0, -0.09))), "wrist_pitch", (0, 0, 0), Y, (-1, 1), 15),
        ]
        leg = [
            (Link(f"{side}_hip", cylinder(0.06, 0.1, d, (0, 0, -0.05))), "hip_yaw", (0, 0.1 * sign, -0.07), Z, low_high(-0.5, 0.8), 100),
            (Link(f"{side}_groin", sphere(0.07, d)), "hip_roll", (0, 0, -0.1), X, low_high(-0.4, 0.7), 150),
            (Link(f"{side}_thigh", cylinder(0.07, 0.36, d, (0, 0, -0.2))), "hip_pitch", (0, 0, 0), Y, (-2, 0.8), 200),
            (Link(f"{side}_shank", cylinder(0.055, 0.36, d, (0, 0, -0.2))), "knee_pitch", (0, 0, -0.4), Y, (0, 2.4), 200),
            (Link(f"{side}_ankle", sphere(0.05, d)), "ankle_pitch", (0, 0, -0.4), Y, (-0.9, 0.7), 120),
            (Link(f"{side}_foot", box(0.24, 0.1, 0.05, d, (0.04, 0, -0.055))), "ankle_roll", (0, 0, 0), X, (-0.4, 0.4), 80),
        ]
        for limb, before in ((arm, "torso"), (leg, "pelvis")):
            for link, joint, xyz, axis, (lower, upper), effort in limb:
                add(link, f"{side}_{joint}", before, xyz, axis, lower, upper, effort)
                before = link.name
    return urdf("humanoid36", "A humanoid: 30 joints and a floating pelvis.", parts)


# ---------------------------------------------------------------------------------------------- SDF


def sdf_geometry(solid):
    if solid.kind == "box":
        return f"<box><size>{words(solid.size)}</size></box>"
    if solid.kind in ("cylinder", "capsule"):
        return f"<{solid.kind}><radius>{number(solid.size[0])}</radius><length>{number(solid.size[1])}</length></{solid.kind}>"
    if solid.kind == "ellipsoid":
        return f"<ellipsoid><radii>{words(solid.size)}</radii></ellipsoid>"
    return f"<sphere><radius>{number(solid.size[0])}</radius></sphere>"


def sdf_link(link, relative_to=None):
    frame = f' relative_to="{relative_to}"' if relative_to else ""
    out = f'    <link name="{link.name}">\n      <pose{frame}>{words(link.pose)}</pose>\n      <inertial>\n'
    out += f"        <pose>{words(link.com)} 0 0 0</pose>\n        <mass>{number(link.mass)}</mass>\n        <inertia>\n"
    out += "".join(f"          <{name}>{number(value)}</{name}>\n" for name, value in link.moments())
    out += "        </inertia>\n      </inertial>\n"
    for what in ("visual", "collision"):
        for k, s in enumerate(link.solids):
            out += f'      <{what} name="{what}{k}">\n        <pose>{words(s.xyz)} {words(s.rpy)}</pose>\n'
            out += f"        <geometry>{sdf_geometry(s)}</geometry>\n{link.surface if what == 'collision' else ''}      </{what}>\n"
    return out + "    </link>\n"


def sdf_axis(tag, xyz, limits=None, spring=None):
    out = f"      <{tag}>\n        <xyz>{words(xyz)}</xyz>\n"
    if limits:
        lower, upper, effort, velocity = limits
        out += f"        <limit>\n          <lower>{number(lower)}</lower>\n          <upper>{number(upper)}</upper>\n"
        out += f"          <effort>{number(effort)}</effort>\n          <velocity>{number(velocity)}</velocity>\n        </limit>\n"
    if spring:
        stiffness, rest = spring
        out += f"        <dynamics>\n          <spring_reference>{number(rest)}</spring_reference>\n"
        out += f"          <spring_stiffness>{number(stiffness)}</spring_stiffness>\n        </dynamics>\n"
    return out + f"      </{tag}>\n"


def sdf_joint(name, kind, parent, child, axes="", pose=None):
    """pose: of the joint in the child link."""
    out = f'    <joint name="{name}" type="{kind}">\n'
    if pose:
        out += f"      <pose>{words(pose)}</pose>\n"
    return out + f"      <parent>{parent}</parent>\n      <child>{child}</child>\n{axes}    </joint>\n"


def sdf(name, comment, parts):
    return (f'<?xml version="1.0"?>\n<!-- {comment} Written by generate.py. -->\n<sdf version="1.9">\n'
            f'  <model name="{name}">\n{"".join(parts)}  </model>\n</sdf>\n')


def sdf_world(name, comment, links, walls=()):
    """A floor with walls (solids), and every link a model of its own."""
    models = "".join(f'  <model name="{link.name}">\n{sdf_link(link)}  </model>\n' for link in links)
    floor = ('  <model name="floor">\n    <static>true</static>\n    <link name="floor">\n      <collision name="plane">\n'
             '        <geometry><plane><normal>0 0 1</normal></plane></geometry>\n      </collision>\n')
    for k, s in enumerate(walls):
        floor += (f'      <collision name="wall{k}">\n        <pose>{words(s.xyz)} {words(s.rpy)}</pose>\n'
                  f"        <geometry>{sdf_geometry(s)}</geometry>\n      </collision>\n")
    floor += "    </link>\n  </model>\n"
    return (f'<?xml version="1.0"?>\n<!-- {comment} Written by generate.py. -->\n<sdf version="1.9">\n<world name="{name}">\n'
            f'{floor}{models}</world>\n</sdf>\n')


def quadruped():
    d = 1200
    parts = [sdf_link(Link("body", box(0.52, 0.22, 0.12, 600), pose=(0, 0, 0.55, 0, 0, 0)))]
    for fore, x in (("front", 0.2), ("hind", -0.2)):
        for side, y in (("left", 1), ("right", -1)):
            leg = f"{fore}_{side}"
            hip = Link(f"{leg}_hip", cylinder(0.04, 0.08, d, (0, 0.02 * y, 0), (0, math.pi / 2, 0)), pose=(x, 0.13 * y, 0, 0, 0, 0))
            thigh = Link(f"{leg}_thigh", box(0.05, 0.03, 0.26, d, (0, 0, -0.12)), pose=(0, 0.075 * y, 0, 0, 0, 0))
            shank = Link(f"{leg}_shank", cylinder(0.015, 0.24, d, (0, 0, -0.12)), sphere(0.025, d, (0, 0, -0.25)),
                         pose=(0, 0, -0.25, 0, 0, 0))
            parts += [sdf_link(hip, "body"), sdf_joint(f"{leg}_roll", "revolute", "body", hip.name, sdf_axis("axis", X, (-0.8, 0.8, 40, 12))),
                      sdf_link(thigh, hip.name),
                      sdf_joint(f"{leg}_pitch", "revolute", hip.name, thigh.name, sdf_axis("axis", Y, (-1.8, 1.8, 40, 12))),
                      sdf_link(shank, thigh.name),
                      sdf_joint(f"{leg}_knee", "revolute", thigh.name, shank.name, sdf_axis("axis", Y, (-2.6, 2.6, 40, 12)))]
    return sdf("quadruped", "A quadruped: 12 joints and a floating body.", parts)


def double_pendulum():
    """Two bars of one density hinged end to end, horizontal; moments of inertia in the ratio 5.7^5 = 6017."""
    d, k = 2700, 5.7
    small = Link("small", box(0.1, 0.01, 0.01, d, (0.05, 0, 0)))
    large = Link("large", box(0.1 * k, 0.01 * k, 0.01 * k, d, (0.05 * k, 0, 0)), pose=(0.1, 0, 0, 0, 0, 0))
    return sdf("double_pendulum", "Two bars with moments of inertia in the ratio 6017, horizontal.",
               [sdf_link(small), sdf_joint("upper", "revolute", "world", "small", sdf_axis("axis", Y)),
                sdf_link(large), sdf_joint("lower", "revolute", "small", "large", sdf_axis("axis", Y))])


def inertia_pendulum():
    """Paper 004's: boxes of one density, the lower five times the upper, hinged about x at their tops, hanging at 45 and 90 degrees."""
    d, eighth = 2700, math.pi / 4
    down = math.sqrt(0.5)
    upper = Link("upper", box(0.01, 0.01, 0.1, d), pose=(0, 0.05 * down, 0.9 - 0.05 * down, eighth, 0, 0))
    lower = Link("lower", box(0.05, 0.05, 0.5, d), pose=(0, 0.1 * down + 0.25, 0.9 - 0.1 * down, 2 * eighth, 0, 0))
    return sdf("inertia_pendulum", "A double pendulum with moments of inertia in the ratio 3125: rigor doctor warns of it, and it is meant.",
               [sdf_link(upper), sdf_joint("upper_hinge", "revolute", "world", "upper", sdf_axis("axis", X), (0, 0, 0.05, 0, 0, 0)),
                sdf_link(lower), sdf_joint("lower_hinge", "revolute", "upper", "lower", sdf_axis("axis", X), (0, 0, 0.25, 0, 0, 0))])


def four_bar():
    """Ground 0.7, crank 0.3, coupler 0.8, rocker 0.6 m in the x-z plane: the crank turns all round. It starts upright."""
    ground, crank, coupler, rocker, d, w = 0.7, 0.3, 0.8, 0.6, 2700, 0.03
    ax, az = 0.0, crank
    # The other end of the coupler: where circles about the crank's end and the rocker's pivot meet, the upper one.
    dx, dz = ground - ax, -az
    apart = math.hypot(dx, dz)
    along = (coupler ** 2 - rocker ** 2 + apart ** 2) / (2 * apart)
    up = math.sqrt(coupler ** 2 - along ** 2)
    bx, bz = ax + (along * dx - up * dz) / apart, az + (along * dz + up * dx) / apart

    def bar(name, length, x, z, toward_x, toward_z):
        """A bar from (x, z) to the other point; pitch turns its x axis there."""
        pitch = -math.atan2(toward_z - z, toward_x - x)
        return Link(name, box(length, w, w, d, (length / 2, 0, 0)), pose=(x, 0, z, 0, pitch, 0))

    hinge = sdf_axis("axis", Y)
    return sdf("four_bar", "A four-bar linkage; the joint between coupler and rocker closes the loop.",
               [sdf_link(bar("crank", crank, 0, 0, ax, az)), sdf_link(bar("coupler", coupler, ax, az, bx, bz)),
                sdf_link(bar("rocker", rocker, ground, 0, bx, bz)), sdf_joint("crank_pivot", "revolute", "world", "crank", hinge),
                sdf_joint("crank_pin", "revolute", "crank", "coupler", hinge),
                sdf_joint("rocker_pivot", "revolute", "world", "rocker", hinge),
                sdf_joint("coupler_pin", "revolute", "rocker", "coupler", hinge, (coupler, 0, 0, 0, 0, 0))])


def stewart():
    """Six legs of universal, sliding and ball joints between two hexagons; springs in the legs carry the platform."""
    low, high, height = 0.5, 0.3, 0.6
    d = 2700
    platform = Link("platform", cylinder(0.34, 0.03, 1500), pose=(0, 0, height, 0, 0, 0))
    parts = [sdf_link(platform)]
    for k in range(6):
        # Feet stand in pairs at the corners of a triangle, heads at the corners of the triangle turned by 60 degrees.
        half = 0.2 if k % 2 == 0 else -0.2
        foot_angle = math.radians(120 * (k // 2)) - half
        head_angle = math.radians(120 * (k // 2) + (60 if k % 2 else -60)) + half
        foot = [low * math.cos(foot_angle), low * math.sin(foot_angle), 0]
        head = [high * math.cos(head_angle), high * math.sin(head_angle), height]
        delta = [h - f for h, f in zip(head, foot)]
        length = math.sqrt(sum(x * x for x in delta))
        pitch, yaw = math.acos(delta[2] / length), math.atan2(delta[1], delta[0])
        lower = Link(f"cylinder{k}", cylinder(0.04, 0.4, d, (0, 0, 0.2)), pose=(*foot, 0, pitch, yaw))
        upper = Link(f"rod{k}", cylinder(0.03, 0.4, d, (0, 0, -0.2)), pose=(0, 0, length, 0, 0, 0))
        ball = [h - c for h, c in zip(head, platform.pose)]
        parts += [sdf_link(lower), sdf_joint(f"foot{k}", "universal", "world", lower.name, sdf_axis("axis", X) + sdf_axis("axis2", Y)),
                  sdf_link(upper, lower.name),
                  sdf_joint(f"slide{k}", "prismatic", lower.name, upper.name, sdf_axis("axis", Z, (-0.2, 0.2, 2000, 1), (1500, 0))),
                  sdf_joint(f"head{k}", "ball", upper.name, "platform", "", (*ball, 0, 0, 0))]
    return sdf("stewart", "A Stewart platform on springs: five of the six ball joints close loops.", parts)


def chain100():
    parts = []
    for k in range(100):
        link = Link(f"link{k}", box(1, 0.05, 0.05, 1 / (1 * 0.05 * 0.05)), pose=(k + 0.5, 0, 0, 0, 0, 0))
        parent = f"link{k - 1}" if k else "world"
        parts += [sdf_link(link), sdf_joint(f"hinge{k}", "revolute", parent, link.name, sdf_axis("axis", Y), (-0.5, 0, 0, 0, 0, 0))]
    return sdf("chain100", "A hundred bars of 1 m and 1 kg, hinged end to end, horizontal; link frames in the middles.", parts)


def tumbling_box():
    return sdf("tumbling_box", "A free box of 0.1 x 0.4 x 0.9 m and 10 kg.",
               [sdf_link(Link("box", box(0.1, 0.4, 0.9, 10 / (0.1 * 0.4 * 0.9))))])


def touching():
    d, quarter = 1000, math.pi / 4
    corner = 0.1 * math.sqrt(3)     # half the diagonal of a cube of 0.2
    edge = 0.1 * math.sqrt(2)       # half that of its face
    tilt = math.atan(math.sqrt(0.5))  # a cube on its edge turned so stands on its corner
    cube = lambda name, *pose: Link(name, box(0.2, 0.2, 0.2, d), pose=pose)
    bar = lambda name, *pose: Link(name, box(0.6, 0.2, 0.2, d), pose=pose)
    links = [cube("lower", 0, 0, 0.1, 0, 0, 0), cube("turned", 0, 0, 0.3, 0, 0, quarter), cube("shifted", 0.1, 0, 0.5, 0, 0, 0),
             cube("on_edge", 1, 0, edge, quarter, 0, 0), cube("on_corner", 2, 0, corner, quarter, tilt, 0),
             bar("bar", 3, 0, edge, quarter, 0, 0), bar("across", 3, 0, 3 * edge, quarter, 0, math.pi / 2),
             Link("can", cylinder(0.1, 0.3, d), pose=(0, 1, 0.15, 0, 0, 0)),
             Link("drum", cylinder(0.1, 0.3, d), pose=(1, 1, 0.1, math.pi / 2, 0, 0)),
             Link("pill", capsule(0.1, 0.3, d), pose=(2, 1, 0.1, 0, math.pi / 2, 0)),
             Link("egg", ellipsoid(0.2, 0.1, 0.15, d), pose=(3, 1, 0.15, 0, 0, 0)),
             Link("ball", sphere(0.1, d), pose=(0, 2, 0.1, 0, 0, 0)),
             Link("above", sphere(0.1, d), pose=(0, 2, 0.35, 0, 0, 0)),
             Link("plate", box(0.5, 0.5, 0.0005, d), pose=(1, 2, 0.00025, 0, 0, 0)),
             cube("on_plate", 1.2, 2, 0.1005, 0, 0, 0)]
    return sdf_world("touching", "Every way to touch: faces, edges, corners, curved shapes, a stack.", links)


def playground():
    """A pyramid of 15 cubes, a ball to knock it over, and 24 solids above a tray, each turned its own way."""
    d, size = 600, 0.2
    links = [Link("ball", sphere(0.15, 1500), pose=(-1.2, 0, 0.15, 0, 0, 0))]
    for row in range(5):
        for k in range(5 - row):
            y = (k - (4 - row) / 2) * 1.05 * size
            links.append(Link(f"cube{row}{k}", box(size, size, size, d), pose=(0, y, (row + 0.5) * size, 0, 0, 0)))
    solids = [lambda: box(0.2, 0.15, 0.1, d), lambda: sphere(0.08, d), lambda: cylinder(0.07, 0.16, d), lambda: capsule(0.06, 0.14, d),
              lambda: ellipsoid(0.12, 0.08, 0.06, d), lambda: box(0.3, 0.06, 0.06, d)]
    for k in range(24):
        angle = 2.4 * k     # near the golden angle: no two lie above each other
        xy = [3 + 0.12 * math.cos(angle), 0.12 * math.sin(angle)]
        links.append(Link(f"thing{k}", solids[k % 6](), pose=(*xy, 0.25 + 0.16 * k, 0.5 * k, 0.3 * k, 0.7 * k)))
    walls = [box(0.9, 0.04, 0.4, d, (3, y, 0.2)) for y in (-0.43, 0.43)] + [box(0.04, 0.82, 0.4, d, (x, 0, 0.2)) for x in (2.57, 3.43)]
    return sdf_world("playground", "A pyramid, a ball, and a heap in a tray.", links, walls)


# Where the pips of a die are on a face, in quarters of its edge.
PIPS = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
        5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)], 6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)]}


def sdf_pips(edge, colour):
    """The 21 pips of a die as thin discs; opposite faces have 7 together."""
    h, turn = edge / 2, math.pi / 2
    faces = {1: ((0, 0, 1), (0, 0, 0)), 6: ((0, 0, -1), (0, 0, 0)), 2: ((1, 0, 0), (0, turn, 0)), 5: ((-1, 0, 0), (0, turn, 0)),
             3: ((0, 1, 0), (turn, 0, 0)), 4: ((0, -1, 0), (turn, 0, 0))}
    out = ""
    for value, (normal, rpy) in faces.items():
        axes = [k for k in range(3) if normal[k] == 0]
        for k, (a, b) in enumerate(PIPS[value]):
            place = [h * n for n in normal]
            place[axes[0]], place[axes[1]] = 0.5 * h * a, 0.5 * h * b
            out += f'      <visual name="pip{value}_{k}">\n        <pose>{words(place)} {words(rpy)}</pose>\n'
            out += f"        <geometry>{sdf_geometry(cylinder(0.19 * h, 0.02 * h, 1))}</geometry>\n"
            out += f"        <material><diffuse>{colour}</diffuse></material>\n      </visual>\n"
    return out


def die():
    """A die of 4 cm above a floor; its pips are only drawn."""
    edge = 0.04
    text = sdf_world("die", "A die.", [Link("die", box(edge, edge, edge, 1100), pose=(0, 0, 0.25, 0, 0, 0))])
    body = text.index("      </visual>", text.index('name="visual0"'))
    text = text[:body] + "        <material><diffuse>0.93 0.92 0.88 1</diffuse></material>\n" + text[body:]
    end = text.index("    </link>", text.index('<link name="die"'))
    return text[:end] + sdf_pips(edge, "0.12 0.13 0.15 1") + text[end:]


def bullet():
    """A slug of 8 x 10 x 20 mm that flies askew, and a sheet of 1 mm that stands on the floor, held by nothing; of steel."""
    return sdf_world("bullet", "A bullet and a thin sheet.",
                     [Link("bullet", box(0.02, 0.01, 0.008, 7800), pose=(-4, 0.05, 0.6, 0.3, 0.5, 0.2)),
                      Link("sheet", box(0.001, 1, 1, 7800), pose=(0, 0, 0.5 + 5e-8, 0, 0, 0))])


def pile():
    """54 boxes of four sizes in five layers of 16, 16, 9, 9 and 4, each turned its own way, that fall on each other."""
    sizes = [(0.2, 0.2, 0.2), (0.3, 0.15, 0.12), (0.16, 0.16, 0.26), (0.24, 0.2, 0.1)]
    links = []
    for layer, side in enumerate((4, 4, 3, 3, 2)):
        for place in range(side * side):
            k = len(links)
            x, y = (0.27 * (c - (side - 1) / 2) for c in divmod(place, side))
            turn = (0.12 * math.sin(2 * k), 0.12 * math.cos(3 * k), 0.8 * k)
            links.append(Link(f"box{k}", box(*sizes[k * 7 % 4], 500), pose=(x, y, 0.2 + 0.33 * layer, *turn)))
    return sdf_world("pile", "Boxes that fall on each other.", links)


def floor():
    return sdf_world("floor", "A floor.", [])


# ---------------------------------------------------------------------------------------------- paper 003


def of_mass(solid, mass):
    """The same solid, of that mass."""
    return Solid(solid.kind, solid.size, mass / solid.mass, solid.xyz, solid.rpy)


def hose():
    """A hand on a slide along x that turns about x, a hose of eight pieces that hangs on a coupling, and a standpipe."""
    carriage = Link("carriage", of_mass(box(0.06, 0.1, 0.1, 1), 2), pose=(-0.15, 0, 1, 0, 0, 0))
    hand = Link("hand", of_mass(box(0.06, 0.08, 0.08, 1), 0.5), pose=(-0.07, 0, 1, 0, 0, 0))
    coupling = Link("coupling", of_mass(cylinder(0.05, 0.06, 1), 0.4), pose=(0, 0, 1, 0, math.pi / 2, 0))
    pipe = Link("standpipe", of_mass(cylinder(0.05, 0.1, 1), 3), pose=(0.5, 0, 1, 0, math.pi / 2, 0))
    parts = [sdf_link(carriage), sdf_joint("slide", "prismatic", "world", "carriage", sdf_axis("axis", X)),
             sdf_link(hand), sdf_joint("roll", "continuous", "carriage", "hand", sdf_axis("axis", X)), sdf_link(coupling)]
    last = "coupling"
    for k in range(8):
        piece = Link(f"piece{k}", of_mass(capsule(0.02, 0.06, 1), 0.15), pose=(0, 0, 0.86 - 0.1 * k, 0, 0, 0))
        parts += [sdf_link(piece), sdf_joint(f"ball{k}", "ball", last, piece.name, pose=(0, 0, 0.05 if k else 0.14, 0, 0, 0))]
        last = piece.name
    parts += [sdf_link(pipe), sdf_joint("stands", "fixed", "world", "standpipe")]
    return sdf("hose", "A hand on a slide, a hose with a coupling, a standpipe.", parts)


def seat():
    """A cart on a slide along x with a flat seat, and a rider above it."""
    cart = Link("cart", of_mass(box(0.7, 0.5, 0.2, 1), 20), pose=(0, 0, 0.2, 0, 0, 0))
    rider = Link("rider", of_mass(box(0.12, 0.2, 0.4, 1), 5), pose=(0, 0, 0.5, 0, 0, 0))
    return sdf("seat", "A cart with a flat seat and a rider.",
               [sdf_link(cart), sdf_joint("drive", "prismatic", "world", "cart", sdf_axis("axis", X)), sdf_link(rider)])


def sdf_surface(mu, kp=1e8, kd=1, slip=0.01, max_vel=100):
    """Contact as the simulator of 2010 had it: a stiff spring, and friction that creeps by slip m/s per N."""
    return (f"        <surface>\n          <friction><ode><mu>{number(mu)}</mu><mu2>{number(mu)}</mu2><slip1>{number(slip)}</slip1>"
            f"<slip2>{number(slip)}</slip2></ode></friction>\n"
            f"          <contact><ode><kp>{number(kp)}</kp><kd>{number(kd)}</kd><max_vel>{number(max_vel)}</max_vel></ode></contact>\n"
            "        </surface>\n")


def sdf_ground(surface):
    return ('  <model name="ground">\n    <static>true</static>\n    <link name="ground">\n      <collision name="plane">\n'
            f'        <geometry><plane><normal>0 0 1</normal></plane></geometry>\n{surface}      </collision>\n    </link>\n  </model>\n')


def sdf_scene(name, comment, ground, models):
    """models: name, parts. Gravity of the world files of 2010."""
    text = "".join(f'  <model name="{model}">\n{"".join(parts)}  </model>\n' for model, parts in models)
    return (f'<?xml version="1.0"?>\n<!-- {comment} Written by generate.py. -->\n<sdf version="1.9">\n<world name="{name}">\n'
            f'  <gravity>0 0 -9.8</gravity>\n{sdf_ground(ground)}{text}</world>\n</sdf>\n')


def pioneer():
    """Chassis, two driven wheels (the one at y < 0 is called left, as in 2010) and a ball as castor; 3.5 kg, origin 0.15 m up."""
    tyre = sdf_surface(0.5)
    wheels = []
    for side, y in (("left", -0.17), ("right", 0.17)):
        wheel = Link(f"{side}_wheel", of_mass(cylinder(0.075, 0.05, 1, rpy=(math.pi / 2, 0, 0)), 0.5), pose=(0.1, y, -0.0725, 0, 0, 0), surface=tyre)
        wheels += [sdf_link(wheel, "chassis"), sdf_joint(f"{side}_axle", "continuous", "chassis", wheel.name, sdf_axis("axis", Y))]
    castor = Link("castor", of_mass(sphere(0.04, 1), 0.5), pose=(-0.2, 0, -0.11, 0, 0, 0), surface=tyre)
    chassis = Link("chassis", of_mass(box(0.445, 0.277, 0.17, 1), 2), pose=(0, 0, 0.15, 0, 0, 0), surface=sdf_surface(1))
    return sdf_scene("pioneer", "The Pioneer 2DX of paper 003 on its ground.", sdf_surface(1e5, kp=1e9),
                     [("pioneer", [sdf_link(chassis), *wheels, sdf_link(castor, "chassis"), sdf_joint("castor_ball", "ball", "chassis", "castor")])])


def pioneer_gripper():
    """Base, lift and two paddles that slide; a light box between them. Paddles begin 72.5 mm off the box; inwards is positive for
    the left one (y < 0) and negative for the right one."""
    skin = sdf_surface(1e5)
    parts = [sdf_link(Link("base", of_mass(box(0.053, 0.123, 0.16, 1), 10.1), pose=(0, 0, 0.08, 0, 0, 0), surface=skin)),
             sdf_link(Link("lift", of_mass(box(0.069, 0.313, 0.063, 1), 0.1), pose=(0.061, 0, 0.0425, 0, 0, 0), surface=skin)),
             sdf_joint("lift_slide", "prismatic", "base", "lift", sdf_axis("axis", Z, (-0.05, 0, 1000, 10)))]
    for side, y, limits in (("left", -0.135, (0, 0.12)), ("right", 0.135, (-0.12, 0))):
        paddle = Link(f"{side}_paddle", of_mass(box(0.095, 0.025, 0.039, 1), 0.1), pose=(0.145, y, 0.0315, 0, 0, 0), surface=skin)
        parts += [sdf_link(paddle), sdf_joint(f"{side}_slide", "prismatic", "lift", paddle.name, sdf_axis("axis", Y, (*limits, 1000, 10)))]
    held = Link("box", of_mass(box(0.1, 0.1, 0.2, 1), 0.01), pose=(0.15, 0, 0.1, 0, 0, 0), surface=skin)
    return sdf_scene("pioneer_gripper", "The gripper of paper 003's Pioneer, free on the ground, with a box between its paddles.", sdf_surface(1e5, kp=1e9),
                     [("gripper", parts), ("held", [sdf_link(held)])])


def stacks():
    """Four stacks of six boxes of 0.5 x 0.5 x 1 m and 0.1 kg, 1 m apart; friction and stiffness as in a world of three stacks of 2010."""
    skin = sdf_surface(10)
    boxes = [Link(f"box{column}{level}", of_mass(box(0.5, 0.5, 1, 1), 0.1), pose=(column % 2 - 0.5, column // 2 - 0.5, level + 0.5, 0, 0, 0), surface=skin)
             for column in range(4) for level in range(6)]
    return sdf_scene("stacks", "Four stacks of six boxes (paper 003).", skin, [(b.name, [sdf_link(b)]) for b in boxes])


FILES = {"hose.sdf": hose, "seat.sdf": seat, "die.sdf": die, "bullet.sdf": bullet, "pile.sdf": pile, "floor.sdf": floor, "playground.sdf": playground, "touching.sdf": touching, "arm6.urdf": arm6, "humanoid36.urdf": humanoid36, "quadruped.sdf": quadruped, "double_pendulum.sdf": double_pendulum,
         "inertia_pendulum.sdf": inertia_pendulum,
         "four_bar.sdf": four_bar, "stewart.sdf": stewart, "chain100.sdf": chain100, "tumbling_box.sdf": tumbling_box,
         "pioneer.sdf": pioneer, "pioneer_gripper.sdf": pioneer_gripper, "stacks.sdf": stacks}


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    # Which take what they need from this file.
    import generate_arm_hand
    import generate_atlas
    import generate_hand
    differ = []
    for name, make in (FILES | generate_hand.FILES | generate_arm_hand.FILES | generate_atlas.FILES).items():
        path, text = HERE / name, make()
        if check and (not path.exists() or path.read_text() != text):
            differ.append(name)
        elif not check:
            path.write_text(text)
    if differ:
        print("not as generated: " + ", ".join(differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
