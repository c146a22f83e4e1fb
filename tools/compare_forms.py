#!/usr/bin/python3
"""Runs models in minimal and in maximal coordinates and compares them: tools/compare_forms.py [RIGOR]

For each model, after 1 s in steps of 1 ms: the largest difference of a joint position between the forms with rk4 and with the
reference stepper, the largest joint error that the maximal form left, and how many times as long it took (best of three runs).
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = [
    ("free box", "tumbling_box.sdf", ["box.rate=0.1,5,0.1,-0.9,0.4,0.1"]),
    ("arm", "arm6.urdf", ["lift=0.9", "elbow=0.7"]),
    ("quadruped, floating", "quadruped.sdf", ["body.rate=0.3,1,0.2,0,0,5", "front_left_knee.rate=2"]),
    ("humanoid, floating", "humanoid36.urdf", ["left_shoulder_roll=1.2", "left_hip_pitch.rate=3"]),
    ("chain of 100", "chain100.sdf", []),
    ("four-bar linkage", "four_bar.sdf", ["crank_pivot.rate=4"]),
    ("Stewart platform", "stewart.sdf", ["slide0.rate=0.5"]),
]


def run(rigor, file, sets, coords, stepper):
    words = [word for s in sets for word in ("--set", s)]
    done = subprocess.run([rigor, "run", ROOT / "models" / file, *words, "--coords", coords, "--stepper", stepper, "--no-contact", "--no-limits", "--time", "1",
                           "--step", "0.001", "--quiet", "--json", "-"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def positions(result):
    """All joint positions of the final state, in the order of their names."""
    out = []
    for name in sorted(result["joint_positions"]):
        value = result["joint_positions"][name]
        out += value if isinstance(value, list) else [value]
    for name in sorted(result["floating_links"]):
        out += result["floating_links"][name]["quaternion"] + result["floating_links"][name]["position"]
    return out


def difference(a, b):
    return max(abs(x - y) for x, y in zip(positions(a), positions(b)))


def main():
    rigor = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "rigor"
    print("| model | nv | difference, rk4 | difference, reference | joint error, maximal | time, maximal / minimal |")
    print("|---|---|---|---|---|---|")
    for title, file, sets in CASES:
        minimal, maximal = ([run(rigor, file, sets, coords, "rk4") for _ in range(3)] for coords in ("minimal", "maximal"))
        exact = [run(rigor, file, sets, coords, "reference") for coords in ("minimal", "maximal")]
        slower = min(r["wall_s"] for r in maximal) / min(r["wall_s"] for r in minimal)
        print(f"| {title} | {minimal[0]['nv']} | {difference(minimal[0], maximal[0]):.0e} | {difference(*exact):.0e} "
              f"| {maximal[0]['joint_error_max']:.0e} | {slower:.2g} |")


if __name__ == "__main__":
    main()
