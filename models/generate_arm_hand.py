"""An arm that ends in a hand of five fingers, and a capsule to be held: 35 degrees of freedom together.

    arm      5 joints: yaw, pitch, elbow, roll, and along x as it stands; wrist 2 joints
    hand     22 joints: four fingers of 4 (sideways, and three that bend), the little one with a joint in the palm too, a thumb of 5
    frames   x along arm and fingers, z up; the palm looks along y, fingers lie above each other and bend about z

Masses follow from the shapes.
"""
from generate import X, Y, Z, Link, box, capsule, sdf, sdf_joint, sdf_link, sphere

import math

QUARTER = math.pi / 2
BONE, SKIN, METAL = 1200, 1100, 3000  # kg/m^3
ALONG_X, ALONG_Y = (0, QUARTER, 0), (QUARTER, 0, 0)
MINUS_Z = (0, 0, -1)


def bone(name, r, length, rpy=ALONG_X):
    """A capsule from the joint on, along x or y."""
    at = (length / 2, 0, 0) if rpy == ALONG_X else (0, length / 2, 0)
    return Link(name, capsule(r, length, SKIN, at, rpy))


def axis(xyz, low, high, effort):
    return (f"      <axis>\n        <xyz>{xyz[0]} {xyz[1]} {xyz[2]}</xyz>\n"
            f"        <limit><lower>{low}</lower><upper>{high}</upper><effort>{effort}</effort></limit>\n      </axis>\n")


def chain(parts, before, members):
    """members: link, joint, place on the link before, axis, range, effort."""
    for link, joint, place, turn, (low, high), effort in members:
        link.pose = (*place, 0, 0, 0)
        parts += [sdf_link(link, before), sdf_joint(joint, "revolute", before or "world", link.name,
                                                   axis(turn, low, high, effort))]
        before = link.name


def arm_hand():
    parts = []
    chain(parts, None, [
        (Link("shoulder", sphere(0.06, BONE)), "shoulder_yaw", (0, 0, 1), Z, (-2, 2), 100),
        (Link("upper_arm", box(0.28, 0.08, 0.08, BONE, (0.15, 0, 0))), "shoulder_pitch", (0, 0, 0), Y, (-2, 2), 100),
        (Link("elbow", sphere(0.05, BONE)), "elbow_yaw", (0.3, 0, 0), Z, (-2.5, 2.5), 60),
        (Link("forearm", box(0.2, 0.06, 0.06, BONE, (0.11, 0, 0))), "elbow_pitch", (0, 0, 0), Y, (-2.5, 2.5), 60),
        (Link("roll", sphere(0.03, BONE)), "forearm_roll", (0.24, 0, 0), X, (-3, 3), 30),
        (Link("wrist", sphere(0.025, BONE)), "wrist_yaw", (0, 0, 0), Z, (-1, 1), 20),
        (Link("palm", box(0.095, 0.022, 0.09, BONE, (0.0475, 0, 0))), "wrist_pitch", (0.03, 0, 0), Y, (-1, 1), 20),
    ])
    for k in range(4):
        finger, height = f"finger{k}", 0.033 - 0.022 * k
        root, place = "palm", (0.1, 0, height)
        if k == 3:  # the little finger has a joint in the palm
            chain(parts, "palm", [(Link("metacarpal", capsule(0.008, 0.03, SKIN, (0.015, 0, 0), ALONG_X)), "little_palm", (0.06, 0, height), Z,
                                   (-0.1, 0.5), 3)])
            root, place = "metacarpal", (0.04, 0, 0)
        chain(parts, root, [
            (Link(f"{finger}_knuckle", sphere(0.01, METAL)), f"{finger}_side", place, Y, (-0.4, 0.4), 2),
            (bone(f"{finger}_proximal", 0.009, 0.045), f"{finger}_1", (0, 0, 0), Z, (-0.2, 1.7), 3),
            (bone(f"{finger}_middle", 0.008, 0.025), f"{finger}_2", (0.045, 0, 0), Z, (0, 1.7), 3),
            (bone(f"{finger}_distal", 0.008, 0.022), f"{finger}_3", (0.025, 0, 0), Z, (0, 1.7), 3),
        ])
    chain(parts, "palm", [
        (Link("thumb_base", sphere(0.011, METAL)), "thumb_roll", (0.008, 0.011, 0), Y, (-1, 1), 3),
        (Link("thumb_hub", sphere(0.011, METAL)), "thumb_side", (0, 0, 0), X, (-1, 1), 3),
        (bone("thumb_proximal", 0.011, 0.038, ALONG_Y), "thumb_1", (0, 0, 0), MINUS_Z, (-0.8, 1.2), 4),
        (bone("thumb_middle", 0.01, 0.032, ALONG_Y), "thumb_2", (0, 0.038, 0), MINUS_Z, (-0.2, 1.7), 4),
        (bone("thumb_distal", 0.009, 0.022, ALONG_Y), "thumb_3", (0, 0.032, 0), MINUS_Z, (-0.2, 1.7), 4),
    ])
    return sdf("arm_hand", "An arm of 7 joints with a hand of 22.", parts)


def held_capsule():
    return sdf("held_capsule", "A capsule of 0.5 kg, upright.",
               [sdf_link(Link("capsule", capsule(0.025, 0.1, 0.5 / (math.pi * 0.025 ** 2 * 0.1 + 4 / 3 * math.pi * 0.025 ** 3))))])


FILES = {"arm_hand.sdf": arm_hand, "held_capsule.sdf": held_capsule}
