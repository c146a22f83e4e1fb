"""A hand of four fingers with the published figures of the Sandia hand, and the heavy cylinder that it was shown to hold.

    finger   root on the palm -- j0, turns it sideways -- 28 mm -- j1 -- 50 mm -- j2 -- 61 mm to the tip
             links 0.106, 0.043, 0.043 kg; j1 and j2 bend it; damping 1 N m s/rad everywhere
    palm     1.303 kg, and rigidly with it the bases of the fingers, 0.25 kg each, with a sensor of 0.01 kg
    frames   palm: x along the fingers, z out of the palm; links: x along the finger, origin at the joint

Masses and moments are those that the hand's files give (their sensors, 0.01 kg each, are lumped into the links that carry
them); they do not follow from the shapes. The left hand is the right one mirrored in y: all joints bend alike on both.

    hand(prefix, side)                     links and joints as data
    hand_sdf(prefix, side, parent, pose)   as text for an SDF model: mounted on a link by a fixed joint
    hand_urdf(prefix, side, parent, pose)  as text for a URDF robot
"""
import math

from generate import Link, Solid, number, rotation, sdf_geometry, urdf_link, words

RIGHT, LEFT = 1, -1
QUARTER = math.pi / 2
HAND_SURFACE = {"mu": 1.1, "kp": 1e6, "kd": 10, "max_vel": 0.1, "min_depth": 0}
CYLINDER_SURFACE = {"mu": 1.5, "fdir1": (0, 0, 1), "min_depth": 0.003}
DAMPING = 1.0  # N m s/rad
SENSOR = (0.01, (1e-6,) * 3)

# Roots of the fingers on the right palm: index, middle, little finger; thumb.
ROOTS = [(0.14, 0, 0, 0, 0, 0.3), (0.115, 0.03122, 0, 0, 0, 0.3), (0.09, 0.06245, 0, 0, 0, 0.3),
         (0.03995, -0.04383, 0.014, 0, -QUARTER, -3 * math.pi / 4)]
# Name, effort (N m), where it is on the link before it, axis on the right hand.
JOINTS = [("j0", 11, 0, (0, 0, 1)), ("j1", 28, 0.028, (0, -1, 0)), ("j2", 28, 0.05, (0, -1, 0))]


class Body(Link):
    """A link whose mass is given by lumps (mass, place, principal moments along the link's axes); its shapes weigh nothing."""

    def __init__(self, name, lumps, solids, pose=(0, 0, 0, 0, 0, 0)):
        self.name, self.solids, self.pose = name, solids, pose
        self.mass = sum(m for m, _, _ in lumps)
        self.com = [sum(m * p[i] for m, p, _ in lumps) / self.mass for i in range(3)]
        self.inertia = [[0.0] * 3 for _ in range(3)]
        for m, p, moments in lumps:
            d = [p[i] - self.com[i] for i in range(3)]
            for i in range(3):
                for j in range(3):
                    own = moments[i] + m * sum(x * x for x in d) if i == j else 0
                    self.inertia[i][j] += own - m * d[i] * d[j]


def mirrored(pose, side):
    """A pose as the mirror in y shows it."""
    x, y, z, roll, pitch, yaw = pose
    return (x, side * y, z, side * roll, pitch, side * yaw)


def shape(kind, size, pose, side=RIGHT):
    pose = mirrored(pose, side)
    return Solid(kind, size, 0, pose[:3], pose[3:])


def palm(prefix, side):
    lumps = [(1.303, (0, 0, 0), (1.303e-3,) * 3)]
    for root in (mirrored(r, side) for r in ROOTS):
        R = rotation(root[3:])
        lumps.append((0.25, root[:3], (1e-5,) * 3))
        lumps.append((SENSOR[0], [root[i] - 0.05 * R[i][0] for i in range(3)], SENSOR[1]))
    block = (0.09, 0.03, 0.06)
    solids = [shape("cylinder", (0.013, 0.1), (0.069, 0.016, 0.038, 0, QUARTER, -0.9), side),
              shape("box", (0.09, 0.035, 0.05), (0.064, 0.008, 0.021, 0.41, 0, -0.9), side),
              shape("cylinder", (0.038, 0.05), (0.02, 0, -0.005, 0, QUARTER, 0), side),
              shape("box", block, (0.11, -0.01, -0.005, 0, 0, 0.37), side),
              shape("box", block, (0.09, 0.02, -0.005, 0, 0, 0.37), side),
              shape("box", block, (0.06, 0.05, -0.005, 0, 0, 0.37), side),
              shape("box", block, (0.044, -0.04, -0.005, 0, 0, 0.79), side)]
    return Body(f"{prefix}palm", lumps, solids)


def finger_links(name):
    """Knuckle, middle and tip: x along the finger, symmetric about it."""
    return [Body(f"{name}_0", [(0.106, (0, 0, 0), (1.1925e-5, 1.1505e-4, 1.1505e-4))],
                 [shape("cylinder", (0.015, 0.023), (0, 0, 0.003, 0, 0, 0)),
                  shape("cylinder", (0.01, 0.023), (0.011, 0, 0.003, QUARTER, 0, 0))]),
            Body(f"{name}_1", [(0.033, (0, 0, 0), (1.65e-6, 1.316975e-5, 1.316975e-5)), (SENSOR[0], (0.03, 0, 0), SENSOR[1])],
                 [shape("cylinder", (0.01, 0.067), (0.024, 0, 0, 0, QUARTER, 0))]),
            Body(f"{name}_2", [(0.033, (0, 0, 0), (1.3365e-6, 9.603e-6, 9.603e-6)), (SENSOR[0], (0.04, 0, 0), SENSOR[1])],
                 [shape("cylinder", (0.009, 0.057), (0.024, 0, 0, 0, QUARTER, 0)), shape("sphere", (0.009,), (0.052, 0, 0, 0, 0, 0))])]


def hand(prefix="", side=RIGHT):
    """The palm, and for every joint (name, parent, link, pose of joint and link on the parent, axis, effort)."""
    joints = []
    for k, root in enumerate(ROOTS):
        before = f"{prefix}palm"
        for link, (joint, effort, ahead, axis) in zip(finger_links(f"{prefix}f{k}"), JOINTS):
            pose = mirrored(root, side) if joint == "j0" else (ahead, 0, 0, 0, 0, 0)
            turn = tuple(side * a for a in axis) if joint == "j0" else axis  # a turn about z mirrors in y, one about y does not
            joints.append((f"{prefix}f{k}_{joint}", before, link, pose, turn, effort))
            before = link.name
    return palm(prefix, side), joints


# ---------------------------------------------------------------------------------------------- as SDF


def sdf_surface(surface):
    mu = number(surface["mu"])
    contact = "".join(f"<{key}>{number(value)}</{key}>" for key, value in surface.items() if key not in ("mu", "fdir1"))
    first = f"<fdir1>{words(surface['fdir1'])}</fdir1>" if "fdir1" in surface else ""
    return (f"<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2>{first}</ode></friction>"
            f"<contact><ode>{contact}</ode></contact></surface>")


def sdf_body(body, surface, relative_to=None):
    frame = f' relative_to="{relative_to}"' if relative_to else ""
    out = f'    <link name="{body.name}">\n      <pose{frame}>{words(body.pose)}</pose>\n      <inertial>\n'
    out += f"        <pose>{words(body.com)} 0 0 0</pose>\n        <mass>{number(body.mass)}</mass>\n        <inertia>"
    out += "".join(f"<{name}>{number(value)}</{name}>" for name, value in body.moments()) + "</inertia>\n      </inertial>\n"
    for what in ("visual", "collision"):
        for k, s in enumerate(body.solids):
            out += f'      <{what} name="{what}{k}">\n        <pose>{words(s.xyz)} {words(s.rpy)}</pose>\n'
            out += f"        <geometry>{sdf_geometry(s)}</geometry>\n"
            out += (f"        {sdf_surface(surface)}\n" if what == "collision" else "") + f"      </{what}>\n"
    return out + "    </link>\n"


def hand_sdf(prefix="", side=RIGHT, parent=None, pose=(0, 0, 0, 0, 0, 0)):
    """Links and joints for an SDF model; a parent's name: on that link, at that pose."""
    root, joints = hand(prefix, side)
    root.pose = pose
    parts = [sdf_body(root, HAND_SURFACE, parent)]
    if parent:
        parts.append(f'    <joint name="{prefix}mount" type="fixed">\n      <parent>{parent}</parent>\n'
                     f"      <child>{root.name}</child>\n    </joint>\n")
    for name, before, link, place, axis, effort in joints:
        link.pose = place
        parts.append(sdf_body(link, HAND_SURFACE, before))
        parts.append(f'    <joint name="{name}" type="revolute">\n      <parent>{before}</parent>\n      <child>{link.name}</child>\n'
                     f"      <axis>\n        <xyz>{words(axis)}</xyz>\n"
                     f"        <limit><lower>{number(-QUARTER)}</lower><upper>{number(QUARTER)}</upper>"
                     f"<effort>{number(effort)}</effort></limit>\n"
                     f"        <dynamics><damping>{number(DAMPING)}</damping></dynamics>\n      </axis>\n    </joint>\n")
    return parts


# ---------------------------------------------------------------------------------------------- as URDF


def urdf_placed(name, kind, parent, child, pose, inner=""):
    return (f'  <joint name="{name}" type="{kind}">\n    <parent link="{parent}"/>\n    <child link="{child}"/>\n'
            f'    <origin xyz="{words(pose[:3])}" rpy="{words(pose[3:])}"/>\n{inner}  </joint>\n')


def urdf_surface(name, surface):
    mu = number(surface["mu"])
    return (f'  <gazebo reference="{name}">\n    <mu1>{mu}</mu1>\n    <mu2>{mu}</mu2>\n    <kp>{number(surface["kp"])}</kp>\n'
            f'    <kd>{number(surface["kd"])}</kd>\n    <maxVel>{number(surface["max_vel"])}</maxVel>\n'
            f'    <minDepth>{number(surface["min_depth"])}</minDepth>\n  </gazebo>\n')


def hand_urdf(prefix="", side=RIGHT, parent=None, pose=(0, 0, 0, 0, 0, 0)):
    """Links and joints for a URDF robot; a parent's name: on that link, at that pose."""
    root, joints = hand(prefix, side)
    parts = [urdf_link(root), urdf_surface(root.name, HAND_SURFACE)]
    if parent:
        parts.append(urdf_placed(f"{prefix}mount", "fixed", parent, root.name, pose))
    for name, before, link, place, axis, effort in joints:
        inner = (f'    <axis xyz="{words(axis)}"/>\n    <limit lower="{number(-QUARTER)}" upper="{number(QUARTER)}"'
                 f' effort="{number(effort)}" velocity="20"/>\n    <dynamics damping="{number(DAMPING)}"/>\n')
        parts += [urdf_link(link), urdf_surface(link.name, HAND_SURFACE),
                  urdf_placed(name, "revolute", before, link.name, place, inner)]
    return parts


# ---------------------------------------------------------------------------------------------- files


def hand_file():
    return (f'<?xml version="1.0"?>\n<!-- A right hand of four fingers: 12 joints. Its published dampers (1 N m s/rad) are fast for '
            f"links this light: a warning of rigor doctor. Written by generate.py. -->\n<sdf version='1.9'>\n"
            f'  <model name="hand">\n{"".join(hand_sdf())}  </model>\n</sdf>\n')


def heavy_cylinder_file():
    """5.39 kg, uniform: moments 0.04979 and 0.0017524 kg m^2, as its file has them. First direction of friction along its axis."""
    r, length = 0.0255, 0.33
    can = Link("cylinder", Solid("cylinder", (r, length), 5.39 / (math.pi * r * r * length)))
    return (f'<?xml version="1.0"?>\n<!-- A cylinder of 5.39 kg, upright. Written by generate.py. -->\n<sdf version="1.9">\n'
            f'  <model name="heavy_cylinder">\n{sdf_body(can, CYLINDER_SURFACE)}  </model>\n</sdf>\n')


FILES = {"hand.sdf": hand_file, "heavy_cylinder.sdf": heavy_cylinder_file}
