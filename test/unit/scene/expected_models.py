#!/usr/bin/python3
"""Writes test/data/expected_models.csv: what a second, separate reading of the shared model files finds.

    expected_models.py FOLDER > test/data/expected_models.csv

Plain XML and 4x4 matrices; knows only what those files use. test_shared_models.c compares the readers with
it. Lines:

    model,file,links,joints,couplings,nv,mass
    joint,file,group,name,kind,parent,child,axis x,y,z in the joint frame,place x,y,z in the parent
"""
import math
import os
import sys
import xml.etree.ElementTree as ET

DOF = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "universal": 2}


def numbers(text, count, default=0.0):
    return [float(w) for w in text.split()] if text and text.strip() else [default] * count


def matrix(xyz, rpy):
    (sr, sp, sy), (cr, cp, cy) = [math.sin(a) for a in rpy], [math.cos(a) for a in rpy]
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, xyz[0]],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, xyz[1]],
            [-sp, cp * sr, cp * cr, xyz[2]], [0, 0, 0, 1]]


def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def inverse(a):
    r = [[a[j][i] for j in range(3)] for i in range(3)]
    return [r[i] + [-sum(r[i][k] * a[k][3] for k in range(3))] for i in range(3)] + [[0, 0, 0, 1]]


def turn_back(a, v):
    w = [sum(a[k][i] * v[k] for k in range(3)) for i in range(3)]
    n = math.sqrt(sum(x * x for x in w))
    return [x / n for x in w]


def unit(v):
    n = math.sqrt(sum(x * x for x in v))
    return [x / n for x in v]


def put(kind, *fields):
    print(",".join([kind] + [f"{f:.12g}" if isinstance(f, float) else str(f) for f in fields]))


def urdf(name, root):
    links = {link.get("name"): link for link in root.findall("link")}
    weights = {n: e.find("inertial/mass") for n, e in links.items()}
    mass = {n: float(e.get("value")) if e is not None else 0.0 for n, e in weights.items()}
    joints = [j for j in root.findall("joint") if j.find("child").get("link") in links]
    roots = set(links) - {j.find("child").get("link") for j in joints}
    fixed = {r for r in roots if r == "world" or mass[r] == 0.0}
    nv = sum(DOF[j.get("type")] for j in joints) + 6 * len(roots - fixed)
    put("model", name, len(links), len(joints), 0, nv, sum(mass.values()) - sum(mass[r] for r in fixed))
    for j in joints:
        axis = unit(numbers(j.find("axis").get("xyz"), 3)) if j.find("axis") is not None else [1.0, 0.0, 0.0]
        put("joint", name, root.get("name"), j.get("name"), j.get("type"), j.find("parent").get("link"),
            j.find("child").get("link"), *axis, *numbers(j.find("origin").get("xyz"), 3))


def pose(element):
    v = numbers(element.findtext("pose"), 6)
    return matrix(v[:3], v[3:])


def flag(element, path, default):
    text = element.findtext(path)
    return default if text is None else text.strip() in ("1", "true")


def sdf(name, root):
    version = [int(p) for p in root.get("version").split(".")]
    models = root.findall("model") + root.findall("world/model")
    count = [0, 0, 0, 0]
    mass, lines = 0.0, []
    for model in models:
        links = {link.get("name"): link for link in model.findall("link")}
        gears = [j for j in model.findall("joint") if j.get("type") == "gearbox"]
        joints = [j for j in model.findall("joint") if j.get("type") != "gearbox"]
        static = flag(model, "static", False)
        children = {j.findtext("child") for j in joints}
        count[0] += len(links)
        count[1] += len(joints)
        count[2] += len(gears)
        count[3] += sum(DOF[j.get("type")] for j in joints)
        count[3] += 0 if static else 6 * len(set(links) - children)
        mass += 0.0 if static else sum(float(e.findtext("inertial/mass")) for e in links.values())
        for j in joints:
            child, parent = links[j.findtext("child")], j.findtext("parent")
            place = mul(pose(child), pose(j))
            carrier = pose(model) if parent == "world" else inverse(pose(links[parent]))
            in_parent = mul(carrier, place)
            axis = unit(numbers(j.findtext("axis/xyz"), 3))
            if flag(j, "axis/use_parent_model_frame", version <= [1, 4]):
                axis = turn_back(place, axis)
            ends = (parent, child.get("name"))
            lines.append(("joint", name, model.get("name"), j.get("name"), j.get("type"), *ends, *axis,
                          *[in_parent[i][3] for i in range(3)]))
    put("model", name, *count, mass)
    for line in lines:
        put(*line)


def main():
    folder = sys.argv[1]
    for path, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            if file.endswith((".urdf", ".sdf", ".world")):
                name = os.path.relpath(os.path.join(path, file), folder)
                root = ET.parse(os.path.join(path, file)).getroot()
                (urdf if root.tag == "robot" else sdf)(name, root)


main()
