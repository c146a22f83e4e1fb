#!/usr/bin/python3
"""Draws what `rigor run` computed as stroboscopic pictures: tools/draw_motion.py RIGOR OUT.svg

Each panel runs one of our models, takes the poses of its links from the recording and the shapes of its links from the model
file, and draws them in parallel projection: earlier poses pale, the last one solid, the way of one point as a line.
"""
import dataclasses
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, CAPTION = 244, 296, 46  # of a panel, in pixels
LIGHT = np.array([0.35, -0.55, 0.76])
CORNERS = 16  # of a circle


@dataclasses.dataclass
class Panel:
    title: str
    file: str
    times: list  # s, drawn; the run ends at the last
    eye: tuple  # azimuth and elevation, degrees
    colour: tuple
    trace: tuple  # link, and the point in it whose way is drawn
    sets: tuple = ()  # what --set gets
    line: bool = False  # many thin links: drawn as one line


PANELS = [
    Panel("arm, 6 joints", "arm6.urdf", [0, 0.2, 0.32, 0.4, 0.47, 0.56], (-58, 18), (66, 118, 190), ("tool", (0, 0, 0)),
          ("pan=0.4", "lift=0.9", "elbow=0.7", "pitch=0.5", "roll.rate=1.0")),
    Panel("quadruped, thrown", "quadruped.sdf", [0, 0.18, 0.36, 0.54, 0.72], (-62, 14), (214, 126, 44), ("body", (0, 0, 0)),
          ("body.rate=0.3,2.5,0.2,1.6,0,2.8", "front_left_knee.rate=2", "hind_right_pitch.rate=-1.5")),
    Panel("four-bar linkage, one loop", "four_bar.sdf", [3.0, 3.24, 3.48, 3.72, 3.96], (-90, 0), (70, 146, 92),
          ("coupler", (0.4, 0, 0)), ("crank_pivot.rate=4.0",)),
    Panel("Stewart platform, five loops", "stewart.sdf", [0, 0.1, 0.2], (-66, 16), (150, 84, 160), ("platform", (0, 0, 0))),
    Panel("chain of 100 links, falling", "chain100.sdf", [0, 1, 2, 3, 4, 5, 6], (-90, 0), (190, 62, 66), ("link99", (1, 0, 0)),
          line=True),
]


# ------------------------------------------------------------------------------------------------ recording and shapes

def load(path):
    """Times, and poses (R, p) of every link by name, of a recording."""
    data = np.load(path)
    w, x, y, z = np.moveaxis(data["link_quaternion"], -1, 0)
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    p = data["link_position"]
    return data["t"], {name: (np.moveaxis(R[:, :, :, i], -1, 0), p[:, i]) for i, name in enumerate(data["link_names"])}


def record(rigor, panel):
    """Times, and poses (R, p) of every link by name."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out.npz")
        sets = [word for s in panel.sets for word in ("--set", s)]
        subprocess.run([rigor, "run", ROOT / "models" / panel.file, "--stepper", "rk4", "--no-contact", "--no-limits", "--step",
                        "0.001", "--time", str(panel.times[-1]), "--quiet", "--record", out, *sets], check=True)
        return load(out)


def rotation(rpy):
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]])


def numbers(text):
    return np.array([float(word) for word in text.split()])


def shapes(path):
    """Visual shapes by link: a list of (R, p, kind, sizes)."""
    out = {}
    for link in ET.parse(path).getroot().iter("link"):
        for visual in link.findall("visual"):
            origin, pose = visual.find("origin"), visual.find("pose")
            xyz, rpy = np.zeros(3), np.zeros(3)
            if origin is not None:
                xyz, rpy = numbers(origin.get("xyz", "0 0 0")), numbers(origin.get("rpy", "0 0 0"))
            if pose is not None:
                xyz, rpy = np.split(numbers(pose.text), 2)
            kind = visual.find("geometry")[0]
            sizes = {**kind.attrib, **{child.tag: child.text for child in kind}}
            out.setdefault(link.get("name"), []).append(
                (rotation(rpy), xyz, kind.tag, {k: numbers(v) for k, v in sizes.items()}))
    return out


def faces(kind, size):
    """Polygons of a box or cylinder, corners counter-clockwise seen from outside, and whether their edges are sharp."""
    if kind == "box":
        half, out = size["size"] / 2, []
        for axis in range(3):
            for side in (-1, 1):
                a, b = (axis + 1) % 3, (axis + 2) % 3
                face = np.zeros((4, 3))
                face[:, axis] = side * half[axis]
                face[:, [a, b]] = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)][::side]) * half[[a, b]]
                out.append((face, True))
        return out
    angle = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    r, half = size["radius"][0], size["length"][0] / 2
    top = np.stack([r * np.cos(angle), r * np.sin(angle), np.full(CORNERS, half)], axis=1)
    low, next_ = top * [1, 1, -1], np.roll(np.arange(CORNERS), -1)
    sides = [(np.array([low[i], low[j], top[j], top[i]]), False) for i, j in enumerate(next_)]
    return sides + [(top, True), (low[::-1], True)]


# ------------------------------------------------------------------------------------------------ drawing

def camera(azimuth, elevation):
    """Rows: right, up, towards the eye."""
    a, e = np.radians([azimuth, elevation])
    eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0])
    return np.array([right, np.cross(eye, right), eye])


def shaded(colour, light):
    base = np.array(colour) * (0.58 + 0.42 * light) + 26 * max(light, 0) ** 3
    return "#%02x%02x%02x" % tuple(int(c) for c in np.clip(base, 0, 255))


def seen_faces(shape, R_W, p_W, view, faces=faces):
    """(depth, points in the picture, radius or None, light, sharp) of what of a shape faces the eye."""
    R, p, kind, size = shape
    if kind == "sphere":
        centre = view @ (R_W @ p + p_W)
        yield centre[2], centre[None, :2], size["radius"][0], 0.75, True
        return
    for face, sharp in faces(kind, size):
        world = (face @ R.T + p) @ R_W.T + p_W
        normal = np.cross(world[1] - world[0], world[2] - world[1])
        normal /= np.linalg.norm(normal)
        if normal @ view[2] > 1e-6:
            points = world @ view.T
            yield points[:, 2].mean(), points[:, :2], None, abs(normal @ LIGHT), sharp


def seen_shapes(parts, poses, frame, view, colour):
    """(depth, points in the picture, radius or None, fill, sharp) of everything that faces the eye, far things first."""
    out = []
    for link, items in parts.items():
        R_W, p_W = poses[link][0][frame], poses[link][1][frame]
        for shape in items:
            out += [(depth, points, radius, shaded(colour, light), sharp)
                    for depth, points, radius, light, sharp in seen_faces(shape, R_W, p_W, view)]
    return sorted(out, key=lambda item: item[0])


def svg_frame(items, text, scale, solid, strength):
    """One pose. Edges are drawn on the solid one only."""
    out = [f'<g opacity="{strength:.2f}" stroke="{"#223" if solid else "none"}" stroke-width="0.5" stroke-linejoin="round">']
    for _, points, radius, fill, sharp in items:
        edge = f' stroke="{fill}"' if solid and not sharp else ""
        if radius is None:
            out.append(f'<polygon points="{text(points)}" fill="{fill}"{edge}/>')
        else:
            x, y = text(points).split(",")
            out.append(f'<circle cx="{x}" cy="{y}" r="{radius * scale:.1f}" fill="{fill}"/>')
    return out + ["</g>"]


def svg_panel(rigor, panel, left):
    path = ROOT / "models" / panel.file
    t, poses = record(rigor, panel)
    view = camera(*panel.eye)
    frames = [int(np.argmin(abs(t - time))) for time in panel.times]
    link, point = panel.trace
    trace = ((poses[link][0] @ np.array(point, dtype=float) + poses[link][1]) @ view.T)[:, :2]
    if panel.line:
        lines = [np.vstack([(p[f] @ view.T)[:2] for _, p in poses.values()] + [trace[f]]) for f in frames]
        drawn, everything = None, lines + [trace]
    else:
        drawn = [seen_shapes(shapes(path), poses, f, view, panel.colour) for f in frames]
        everything = [item[1] for items in drawn for item in items] + [trace]

    # Fit everything into the panel.
    low, high = np.vstack(everything).min(axis=0), np.vstack(everything).max(axis=0)
    scale = min((WIDTH - 28) / (high[0] - low[0]), (HEIGHT - CAPTION - 30) / (high[1] - low[1]))
    shift = np.array([left + WIDTH / 2, (HEIGHT - CAPTION) / 2 + 8]) - (low + high) / 2 * [scale, -scale]
    text = lambda x: " ".join(f"{a:.1f},{b:.1f}" for a, b in x * [scale, -scale] + shift)

    step = max(1, len(trace) // 300)
    out = [f'<polyline points="{text(trace[::step])}" fill="none" stroke="{shaded(panel.colour, 0.3)}" stroke-width="0.8" '
           'stroke-opacity="0.65"/>']
    for number, time in enumerate(panel.times):
        solid = number == len(panel.times) - 1
        strength = 1 if solid else 0.16 + 0.24 * number / len(panel.times)
        if panel.line:
            out.append(f'<polyline points="{text(lines[number])}" fill="none" stroke="{shaded(panel.colour, 0.5)}" '
                       f'stroke-width="{2.2 if solid else 1.8}" stroke-linejoin="round" stroke-opacity="{strength:.2f}"/>')
        else:
            out += svg_frame(drawn[number], text, scale, solid, strength)
    middle = left + WIDTH / 2
    return out + [f'<text x="{middle}" y="{HEIGHT - 27}" font-size="13.5">{panel.title}</text>',
                  f'<text x="{middle}" y="{HEIGHT - 10}" font-size="11.5" fill="#667">models/{panel.file}</text>']


def main():
    rigor, target = sys.argv[1], pathlib.Path(sys.argv[2])
    width = WIDTH * len(PANELS)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" '
           'font-family="sans-serif" text-anchor="middle" fill="#223">',
           f'<rect width="{width}" height="{HEIGHT}" rx="8" fill="#fbfbfd"/>']
    for place, panel in enumerate(PANELS):
        out += svg_panel(rigor, panel, place * WIDTH)
    target.write_text("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
