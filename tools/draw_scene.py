#!/usr/bin/python3
"""Draws models/default.yaml as `rigor run` computed it, at the start, in between and at the end: tools/draw_scene.py RIGOR OUT.svg

Poses of the links from the recording, shapes from the model files; parallel projection, far faces first.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import draw_motion as motion

TIMES = [0.0, 0.6, 5.0]  # s
EYE = (-66, 20)  # azimuth and elevation, degrees
WIDTH, HEIGHT = 400, 330
COLOURS = {"ball": (190, 62, 66), "cube": (214, 160, 70), "wall": (150, 156, 170)}
KINDS = {"box": (66, 118, 190), "sphere": (190, 62, 66), "cylinder": (70, 146, 92), "capsule": (150, 84, 160),
         "ellipsoid": (44, 150, 160)}
DOG = (214, 126, 44)
FLOOR = np.array([(-1.6, -0.8, 0), (3.7, -0.8, 0), (3.7, 0.8, 0), (-1.6, 0.8, 0)], dtype=float)
ROUND = 10  # faces about a round shape


def round_faces(radii, half):
    """An ellipsoid, or a capsule: rings of a ball, drawn apart by half along z."""
    out = []
    v = np.linspace(-np.pi / 2, np.pi / 2, ROUND + 1)
    u = np.linspace(0, 2 * np.pi, ROUND + 1)
    place = lambda a, b: np.array([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)]) * radii + [0, 0, np.copysign(half, b)]
    for i in range(ROUND):
        for k in range(ROUND):
            ring = [place(u[i], v[k]), place(u[i + 1], v[k]), place(u[i + 1], v[k + 1]), place(u[i], v[k + 1])]
            keep = [a for n, a in enumerate(ring) if np.linalg.norm(a - ring[n - 1]) > 1e-9]
            out.append((np.array(keep), False))
    return out


def faces(kind, size):
    if kind == "ellipsoid":
        return round_faces(size["radii"], 0.0)
    if kind == "capsule":
        return round_faces(np.full(3, size["radius"][0]), size["length"][0] / 2)
    return motion.faces(kind, size)


def colour_of(link, kind):
    for start, colour in COLOURS.items():
        if link.startswith(start):
            return colour
    return KINDS[kind] if link.startswith("thing") else DOG


def walls():
    """The tray: boxes of the floor that are there for contact alone."""
    root = motion.ET.parse(motion.ROOT / "models" / "playground.sdf").getroot()
    for shape in root.iter("collision"):
        if shape.get("name").startswith("wall"):
            xyz, rpy = np.split(motion.numbers(shape.find("pose").text), 2)
            yield motion.rotation(rpy), xyz, "box", {"size": motion.numbers(shape.find("geometry")[0][0].text)}


def seen(parts, poses, frame, view):
    """(depth, points, radius or None, fill, sharp, opacity), far things first."""
    items = [("wall", np.eye(3), np.zeros(3), shape) for shape in walls()]
    for link, shapes in parts.items():
        items += [(link, poses[link][0][frame], poses[link][1][frame], shape) for shape in shapes]
    out = []
    for link, R_W, p_W, shape in items:
        colour, strength = colour_of(link, shape[2]), 0.35 if link == "wall" else 1.0
        out += [(depth, points, radius, motion.shaded(colour, light), sharp, strength)
                for depth, points, radius, light, sharp in motion.seen_faces(shape, R_W, p_W, view, faces)]
    return sorted(out, key=lambda item: item[0])


def svg_panel(items, view, left, caption):
    low, high = (FLOOR @ view.T)[:, :2].min(axis=0), (FLOOR @ view.T)[:, :2].max(axis=0)
    scale = (WIDTH - 16) / (high[0] - low[0])
    shift = np.array([left + WIDTH / 2, HEIGHT - 34]) - np.array([(low[0] + high[0]) / 2, low[1]]) * [scale, -scale]
    text = lambda x: " ".join(f"{a:.1f},{b:.1f}" for a, b in x * [scale, -scale] + shift)
    out = [f'<polygon points="{text((FLOOR @ view.T)[:, :2])}" fill="#eceef3"/>']
    for _, points, radius, fill, sharp, strength in items:
        edge = "#223" if sharp else fill
        style = f'fill="{fill}" stroke="{edge}" stroke-width="0.4" opacity="{strength}"'
        if radius is None:
            out.append(f'<polygon points="{text(points)}" {style}/>')
        else:
            x, y = text(points).split(",")
            out.append(f'<circle cx="{x}" cy="{y}" r="{radius * scale:.1f}" {style}/>')
    return out + [f'<text x="{left + WIDTH / 2}" y="{HEIGHT - 10}" font-size="12.5">{caption}</text>']


def main():
    rigor, target = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out.npz")
        subprocess.run([rigor, "run", motion.ROOT / "models" / "default.yaml", "--quiet", "--record", out, "--every", "25"], check=True)
        t, poses = motion.load(out)
    parts = {**motion.shapes(motion.ROOT / "models" / "playground.sdf"), **motion.shapes(motion.ROOT / "models" / "quadruped.sdf")}
    view, width = motion.camera(*EYE), WIDTH * len(TIMES)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" '
           'font-family="sans-serif" text-anchor="middle" fill="#223">',
           f'<rect width="{width}" height="{HEIGHT}" rx="8" fill="#fbfbfd"/>']
    for place, time in enumerate(TIMES):
        frame = int(np.argmin(abs(t - time)))
        out += svg_panel(seen(parts, poses, frame, view), view, place * WIDTH, f"t = {t[frame]:.2f} s")
    target.write_text("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
