#!/usr/bin/python3
"""Draws what `rigor collide` found in models/touching.sdf: tools/draw_contact.py RIGOR OUT.svg

One panel for each group of bodies, in parallel projection: bodies glassy, contact points and the area between them red, normals
as arrows from the first shape of a pair to the second, witness points of a pair that is apart blue. Points, normals and captions
come from the command's JSON, shapes and poses from the file.
"""
import dataclasses
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np

from draw_motion import LIGHT, ROOT, camera, faces, numbers, rotation, shaded

FILE = ROOT / "models" / "touching.sdf"
WIDTH, HEIGHT, CAPTION, COLUMNS = 236, 272, 70, 5  # of a panel, in pixels; panels in a row
EYE = (-62, 24)  # azimuth and elevation, degrees
BODY, RED, BLUE = (92, 136, 190), "#c8202c", "#1450c8"
ARROW = 0.09  # m, length of a normal
ROUND = 48  # points of a circle


@dataclasses.dataclass
class Panel:
    title: str
    links: tuple


PANELS = [
    Panel("a stack of cubes", ("lower", "turned", "shifted")), Panel("cube on an edge", ("on_edge",)),
    Panel("cube on a corner", ("on_corner",)), Panel("bars across each other", ("bar", "across")),
    Panel("sheet of 0.5 mm, cube on it", ("plate", "on_plate")), Panel("cylinder, standing", ("can",)),
    Panel("cylinder, lying", ("drum",)), Panel("capsule, lying", ("pill",)), Panel("ellipsoid", ("egg",)),
    Panel("two balls, one apart", ("ball", "above")),
]


# ------------------------------------------------------------------------------------------------ the scene

def bodies():
    """R, p, kind and sizes of the collision shape of every link."""
    out = {}
    for link in ET.parse(FILE).getroot().iter("link"):
        pose, kind = link.find("pose"), link.find("collision/geometry")[0]
        if pose is not None:
            xyz, rpy = np.split(numbers(pose.text), 2)
            out[link.get("name")] = rotation(rpy), xyz, kind.tag, {c.tag: numbers(c.text) for c in kind}
    return out


def smooth_points(kind, size):
    """Points all over the surface of a round shape; their hull in the picture is its outline."""
    angle = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
    height = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)
    ball = np.array([(np.cos(h) * np.cos(a), np.cos(h) * np.sin(a), np.sin(h)) for h in height for a in angle])
    if kind == "ellipsoid":
        return ball * size["radii"]
    ball, half = ball * size["radius"][0], np.array([0, 0, size.get("length", [0])[0] / 2])
    if kind == "cylinder":
        ball = ball[ball[:, 2] == 0]  # the rims alone
    return np.vstack([ball + half, ball - half])


def flat_faces(kind, size):
    """The sides of a box, the caps of a cylinder, corners counter-clockwise seen from outside."""
    if kind == "box":
        return [face for face, _ in faces(kind, size)]
    if kind != "cylinder":
        return []
    upper, lower = np.split(smooth_points(kind, size), 2)
    return [upper, lower[::-1]]


def hull(points):
    """Convex hull in the plane: the monotone chain."""
    def chain(ordered):
        out = []
        for p in ordered:
            while len(out) > 1 and np.cross(out[-1] - out[-2], p - out[-2]) <= 1e-12:
                out.pop()
            out.append(p)
        return out[:-1]
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    return np.array(chain(ordered) + chain(ordered[::-1]))


def contacts(pairs, panel):
    """Pairs whose second link stands in the panel: that is where the first one is too, or the floor."""
    return [pair for pair in pairs if pair["shape_b"].split("/")[0] in panel.links]


# ------------------------------------------------------------------------------------------------ drawing

class Canvas:
    """World points into a panel of the picture."""

    def __init__(self, left, top, low, high):
        self.scale = min((WIDTH - 30) / (high[0] - low[0]), (HEIGHT - CAPTION - 26) / (high[1] - low[1]))
        self.shift = np.array([left + WIDTH / 2, top + (HEIGHT - CAPTION) / 2 + 8]) - (low + high) / 2 * [self.scale, -self.scale]

    def place(self, seen):
        return np.atleast_2d(seen)[:, :2] * [self.scale, -self.scale] + self.shift

    def text(self, seen):
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.place(seen))


def draw_body(canvas, view, R, p, kind, size):
    """Far edges thin, then the faces that face the eye, glassy."""
    world = lambda x: (x @ R.T + p) @ view.T
    back, front = [], []
    for face in flat_faces(kind, size):
        seen = world(face)
        normal = np.cross(seen[1] - seen[0], seen[2] - seen[1])
        light = abs(normal @ view @ LIGHT) / np.linalg.norm(normal)
        if normal[2] > 0:
            fill = shaded(BODY, light) if kind == "box" else "#eef3fb"  # a cap lies over the outline, which is filled
            front.append(f'<polygon points="{canvas.text(seen)}" fill="{fill}" fill-opacity="0.42" stroke="#345" '
                         'stroke-width="0.9"/>')
        else:
            back.append(f'<polygon points="{canvas.text(seen)}" fill="none" stroke="#345" stroke-width="0.6" '
                        'stroke-opacity="0.55" stroke-dasharray="2.5,2"/>')
    if kind != "box":
        outline = hull(world(smooth_points(kind, size))[:, :2])
        back.append(f'<polygon points="{canvas.text(outline)}" fill="url(#{"side" if kind == "cylinder" else "ball"})" '
                    'fill-opacity="0.5" stroke="#345" stroke-width="0.9"/>')
    return back + front


def draw_arrow(canvas, view, start, way):
    a, b = canvas.place(np.array([start, start + ARROW * np.array(way)]) @ view.T)
    along = (b - a) / np.linalg.norm(b - a)
    across = np.array([-along[1], along[0]])
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in (b, b - 7 * along + 2.8 * across, b - 7 * along - 2.8 * across))
    stem = b - 5 * along
    return [f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{stem[0]:.1f}" y2="{stem[1]:.1f}" stroke="{RED}" stroke-width="1.3"/>',
            f'<polygon points="{head}" fill="{RED}"/>']


def draw_dot(canvas, view, point, colour):
    x, y = canvas.place(np.array(point) @ view.T)[0]
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.7" fill="{colour}" stroke="#fff" stroke-width="0.7"/>'


def draw_pair(canvas, view, pair):
    """Contact points of a pair, or where there are none the two witness points."""
    if not pair["manifolds"]:
        ends = np.array([pair["point_a"], pair["point_b"]])
        x, y = canvas.place(ends.mean(axis=0) @ view.T)[0]
        return [f'<polyline points="{canvas.text(ends @ view.T)}" stroke="{BLUE}" stroke-width="1.5"/>',
                *(draw_dot(canvas, view, end, BLUE) for end in ends),
                f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" font-size="12" text-anchor="start" fill="{BLUE}">'
                f'{pair["distance"]:.3g} m</text>']
    areas, arrows, dots = [], [], []
    for manifold in pair["manifolds"]:
        points = np.array([point["point_a"] for point in manifold["points"]])
        if len(points) > 1:
            areas.append(f'<polygon points="{canvas.text(points @ view.T)}" fill="{RED}" fill-opacity="0.25" stroke="{RED}" '
                         'stroke-width="0.8"/>')
        for point in points:
            arrows += draw_arrow(canvas, view, point, manifold["normal"])
            dots.append(draw_dot(canvas, view, point, RED))
    return areas + arrows + dots


def caption(pair):
    a, b = (pair[key].split("/")[0] for key in ("shape_a", "shape_b"))
    found = pair["manifolds"]
    if not found:
        return f"{a} - {b}: {pair['distance']:.3g} m apart"
    count = sum(len(m["points"]) for m in found)
    points = f"{count} point{'s' * (count != 1)}"
    if pair["distance"] > 1e-9:
        return f"{a} - {b}: {points}, gap {1e3 * pair['distance']:.3g} mm"
    return f"{a} - {b}: {found[0]['touch'].replace('_', '-')}, {points}"


def draw_panel(panel, scene, pairs, left, top):
    view = camera(*EYE)
    parts = [scene[name] for name in panel.links]
    corners = [np.vstack(flat_faces(k, s)) if k == "box" else smooth_points(k, s) for _, _, k, s in parts]
    world = np.vstack([x @ R.T + p for x, (R, p, _, _) in zip(corners, parts)])

    # A part of the floor below the bodies.
    (x0, y0, _), (x1, y1, _) = world.min(axis=0) - 0.08, world.max(axis=0) + 0.08
    floor = np.array([(x0, y0, 0), (x1, y0, 0), (x1, y1, 0), (x0, y1, 0)])
    seen = np.vstack([floor, world]) @ view.T
    canvas = Canvas(left, top, seen[:, :2].min(axis=0), seen[:, :2].max(axis=0))
    out = [f'<polygon points="{canvas.text(floor @ view.T)}" fill="#d9dbe2" stroke="#b6bac6" stroke-width="0.7"/>']
    near = contacts(pairs, panel)
    for name in panel.links:  # from below: what a body stands on, the body
        out += draw_body(canvas, view, *scene[name])
    for pair in near:
        out += draw_pair(canvas, view, pair)

    middle, line = left + WIDTH / 2, top + HEIGHT - CAPTION + 14
    out.append(f'<text x="{middle}" y="{line}" font-size="13.5">{panel.title}</text>')
    for number, pair in enumerate(sorted(near, key=lambda p: panel.links.index(p["shape_b"].split("/")[0]))):
        out.append(f'<text x="{middle}" y="{line + 16 + 14 * number}" font-size="11.5" fill="#667">{caption(pair)}</text>')
    return out


def gradient(kind, name, *stops):
    """stops: place and light."""
    inside = "".join(f'<stop offset="{place}" stop-color="{shaded(BODY, light)}"/>' for place, light in stops)
    return f"<{kind} {name}>{inside}</{kind}>"


def main():
    rigor, target = sys.argv[1], pathlib.Path(sys.argv[2])
    found = subprocess.run([rigor, "collide", FILE, "--json", "-"], capture_output=True, check=True, text=True)
    pairs, scene = json.loads(found.stdout)["pairs"], bodies()
    width, height = WIDTH * COLUMNS, HEIGHT * -(-len(PANELS) // COLUMNS)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" text-anchor="middle" fill="#223" stroke-linejoin="round">',
           "<defs>" + gradient("radialGradient", 'id="ball" cx="0.4" cy="0.3" r="0.75"', (0, 1), (1, 0.1)) +
           gradient("linearGradient", 'id="side"', (0, 0.6), (0.35, 1), (1, 0.1)) + "</defs>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#fbfbfd"/>']
    for place, panel in enumerate(PANELS):
        out += draw_panel(panel, scene, pairs, place % COLUMNS * WIDTH, place // COLUMNS * HEIGHT)
    target.write_text("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
