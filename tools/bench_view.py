#!/usr/bin/python3
"""What a viewer costs the simulation: 1,000 bodies, as fast as they go, with and without somebody who looks.

    tools/bench_view.py [COMMAND] [--bodies N] [--frames N] [--windows N] [--seconds S]

Windows without and with a viewer, which takes every frame over the loopback, follow each other in one run of `rigor view
--speed 0`. The speed of a window is simulated time over the processor time of the thread that simulates, and over the
clock. Each window with a viewer is compared with the mean of the two around it, and the median of these ratios counts.
The slow-down is judged by processor time, which other work of the machine does not change much. Exit code 1: over 10 %.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "cli"))
from viewer_client import View  # noqa: E402

WORLD = """<sdf version="1.7"><world name="stacks"><model name="ground"><static>true</static><link name="floor">
<collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>{}</world></sdf>"""
BOX = """<model name="m{0}"><pose>{1} {2} {3} 0 0 0</pose><link name="box{0}"><inertial><mass>1</mass><inertia><ixx>0.0015</ixx>
<iyy>0.0015</iyy><izz>0.0015</izz></inertia></inertial><collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box>
</geometry></collision></link></model>"""
HEIGHT, ROW, LIMIT = 5, 20, 0.10


def scene(bodies):
    """Stacks of five boxes, at rest."""
    parts = []
    for i in range(bodies):
        stack, level = divmod(i, HEIGHT)
        parts.append(BOX.format(i, 0.3 * (stack % ROW), 0.3 * (stack // ROW), 0.05 + 0.1 * level))
    return WORLD.format("".join(parts))


class Meter:
    """Simulated time, clock and processor time (s) between its making and `speeds`."""

    def __init__(self, view, t):
        self.tasks = pathlib.Path(f"/proc/{view.process.pid}/task")
        self.clock, self.used, self.t = time.monotonic(), self.processor(), t

    def processor(self):
        """Of the busiest thread, which is the one that simulates."""
        return max(int((task / "schedstat").read_text().split()[0]) for task in self.tasks.iterdir()) * 1e-9

    def speeds(self, t):
        return (t - self.t) / (self.processor() - self.used), (t - self.t) / (time.monotonic() - self.clock)


def time_of(view):
    """Simulated time, by a viewer that reads only the first words."""
    with view.viewer() as viewer:
        return viewer.receive()["status"]["t"]


def alone_for(view, seconds):
    """The speeds while nobody looks."""
    meter = Meter(view, time_of(view))
    time.sleep(seconds)
    return meter.speeds(time_of(view))


def watch(view, seconds):
    """Looks for some seconds: the speeds, frames a second, bytes a second, frames lost."""
    with view.viewer(timeout=30.0) as viewer:
        meter = Meter(view, viewer.receive()["status"]["t"])
        frames, volume, last, t, clock, dropped = 0, 0, 0, meter.t, meter.clock, 0
        while clock < meter.clock + seconds:
            message = viewer.receive()
            clock = time.monotonic()
            if isinstance(message, dict):
                t, dropped = message.get("t", t), message.get("dropped", dropped)
                continue
            volume += len(message[3])
            frames += message[1] != last
            last = message[1]
            t = max(t, message[2] * 1e-9)
        return meter.speeds(t), frames / (clock - meter.clock), volume / (clock - meter.clock), dropped


def report(name, alone, seen, which):
    """One line; the slow-down."""
    alone, seen = [a[which] for a in alone], [s[which] for s in seen]
    ratios = [2.0 * s / (a + b) for s, a, b in zip(seen, alone, alone[1:])]
    slower = 1.0 - statistics.median(ratios)
    print(f"{name:18s} nobody looks {statistics.median(alone):.3f} x real time, a viewer looks {statistics.median(seen):.3f}; "
          f"slow-down {100 * slower:.1f} % ({100 - 100 * max(ratios):.1f} to {100 - 100 * min(ratios):.1f})")
    return slower


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="?", default=str(ROOT / "build" / "rigor"))
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=30)
    parser.add_argument("--windows", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=2.0)
    wanted = parser.parse_args()
    alone, seen, rates, volumes, lost = [], [], [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "stacks.sdf"
        file.write_text(scene(wanted.bodies))
        with View(wanted.command, file, "--speed", 0, "--frames", wanted.frames, "--port", 0, "--step", 0.002) as view:
            watch(view, 2.0)
            alone.append(alone_for(view, wanted.seconds))
            for _ in range(wanted.windows):
                speeds, rate, volume, dropped = watch(view, wanted.seconds)
                seen.append(speeds)
                rates.append(rate)
                volumes.append(volume)
                lost += dropped
                alone.append(alone_for(view, wanted.seconds))
            view.end()
    print(f"{wanted.bodies} bodies, {statistics.median(rates):.1f} frames a second (asked for {wanted.frames}, lost {lost}), "
          f"{statistics.median(volumes) / 1e6:.1f} MB/s, {len(seen)} windows of {wanted.seconds:g} s")
    report("by the clock", alone, seen, 1)
    slower = report("by processor time", alone, seen, 0)
    return 0 if slower <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
