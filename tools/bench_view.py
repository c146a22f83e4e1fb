#!/usr/bin/python3
"""Cost of a viewer for the simulation, and the frames that it gets: 1,000 bodies, as fast as possible, with and without a viewer.

    tools/bench_view.py [COMMAND] [--bodies N] [--frames N] [--windows N] [--seconds S]

Windows without and with a viewer, which takes every frame over the loopback, follow each other in one run of `rigor view
--speed 0`. The speed of a window is simulated time over the processor time of the thread that simulates, and over the
clock. Each window with a viewer is compared with the mean of the two around it, and the median of these ratios counts.
The slow-down is measured by processor time, which depends little on other load. Frames are counted as received; a window
can miss one at its ends. The median of the windows must reach the requested rate; if it does not, only windows count in
which the simulation thread had most of a core. Missing frames are listed by cause: dropped by the server for a slow
client, or skipped by the simulation, which may spend only a part of its time on frames.
Exit code 1: over 10 % slow-down or too few frames; 2: the machine was too busy to judge the frames.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "cli"))
from viewer_client import View  # noqa: E402

WORLD = """<sdf version="1.7"><world name="stacks"><model name="ground"><static>true</static><link name="floor">
<collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>{}</world></sdf>"""
BOX = """<model name="m{0}"><pose>{1} {2} {3} 0 0 0</pose><link name="box{0}"><inertial><mass>1</mass><inertia><ixx>0.0015</ixx>
<iyy>0.0015</iyy><izz>0.0015</izz></inertia></inertial><collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box>
</geometry></collision></link></model>"""
HEIGHT, ROW, LIMIT = 5, 20, 0.10
CORE, JUDGED = 0.8, 3  # part of a core that a fair window has; so many are needed


def scene(bodies):
    """Stacks of five boxes, at rest."""
    parts = []
    for i in range(bodies):
        stack, level = divmod(i, HEIGHT)
        parts.append(BOX.format(i, 0.3 * (stack % ROW), 0.3 * (stack // ROW), 0.05 + 0.1 * level))
    return WORLD.format("".join(parts))


class Speeds(typing.NamedTuple):
    """Simulated time over processor time and over the clock; processor time over the clock."""
    processor: float
    clock: float
    core: float


class Window(typing.NamedTuple):
    """What a viewer saw: speeds, frames and bytes a second, frames lost by this client, frames left out by the simulation."""
    speeds: Speeds
    rate: float
    volume: float
    lost: int
    left_out: int


class Meter:
    """Simulated time, clock and processor time (s) between its making and `speeds`."""

    def __init__(self, view, t):
        self.tasks = pathlib.Path(f"/proc/{view.process.pid}/task")
        self.clock, self.used, self.t = time.monotonic(), self.processor(), t

    def processor(self):
        """Of the busiest thread, which is the one that simulates."""
        return max(int((task / "schedstat").read_text().split()[0]) for task in self.tasks.iterdir()) * 1e-9

    def speeds(self, t):
        used, passed = self.processor() - self.used, time.monotonic() - self.clock
        return Speeds((t - self.t) / used, (t - self.t) / passed, used / passed)


def time_of(view):
    """Simulated time, by a viewer that reads only the first words."""
    with view.viewer() as viewer:
        return viewer.receive()["status"]["t"]


def alone_for(view, seconds):
    """The speeds while nobody looks."""
    meter = Meter(view, time_of(view))
    time.sleep(seconds)
    return meter.speeds(time_of(view))


def watch(view, seconds, asked):
    """Looks for some seconds."""
    with view.viewer(timeout=30.0) as viewer:
        status = viewer.receive()["status"]
        meter = Meter(view, status["t"])
        numbers, volume, t, clock, dropped = set(), 0, meter.t, meter.clock, 0
        while clock < meter.clock + seconds:
            message = viewer.receive()
            clock = time.monotonic()
            if isinstance(message, dict):
                t, dropped = message.get("t", t), message.get("dropped", dropped)
                continue
            volume += len(message[3])
            if message[1] > status["frame"]:  # not those that are sent again to whoever comes
                numbers.add(message[1])
            t = max(t, message[2] * 1e-9)
        passed = clock - meter.clock
        missing = round(asked * passed) - len(numbers) - dropped
        return Window(meter.speeds(t), len(numbers) / passed, volume / passed, dropped, max(0, missing))


def report(name, alone, seen, which):
    """One line; the slow-down."""
    alone, seen = [getattr(a, which) for a in alone], [getattr(s, which) for s in seen]
    ratios = [2.0 * s / (a + b) for s, a, b in zip(seen, alone, alone[1:])]
    slower = 1.0 - statistics.median(ratios)
    print(f"{name:18s} nobody looks {statistics.median(alone):.3f} x real time, a viewer looks {statistics.median(seen):.3f}; "
          f"slow-down {100 * slower:.1f} % ({100 - 100 * max(ratios):.1f} to {100 - 100 * min(ratios):.1f})")
    return slower


def enough_frames(windows, seconds, asked):
    """Whether the frames came as they were asked for; None: cannot be said."""
    lost, left_out = sum(w.lost for w in windows), sum(w.left_out for w in windows)
    print(f"frames             {statistics.median(w.rate for w in windows):.1f} a second arrive ({min(w.rate for w in windows):.1f} "
          f"to {max(w.rate for w in windows):.1f}; asked for {asked}); lost by the client {lost}, left out by the simulation {left_out}; "
          f"{statistics.median(w.volume for w in windows) / 1e6:.1f} MB/s")
    least = asked - 1.0 / seconds
    if statistics.median(w.rate for w in windows) >= least:
        return True
    fair = [w.rate for w in windows if w.speeds.core >= CORE]
    if len(fair) < JUDGED:
        print(f"                   not judged: the simulation had {CORE:.0%} of a core in {len(fair)} windows only, {JUDGED} are needed")
        return None
    return statistics.median(fair) >= least


def measure(wanted):
    """The speeds while nobody looks, and the windows between them."""
    alone, windows = [], []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "stacks.sdf"
        file.write_text(scene(wanted.bodies))
        with View(wanted.command, file, "--speed", 0, "--frames", wanted.frames, "--port", 0, "--step", 0.002) as view:
            watch(view, 2.0, wanted.frames)
            alone.append(alone_for(view, wanted.seconds))
            for _ in range(wanted.windows):
                windows.append(watch(view, wanted.seconds, wanted.frames))
                alone.append(alone_for(view, wanted.seconds))
            view.end()
    return alone, windows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="?", default=str(ROOT / "build" / "rigor"))
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=30)
    parser.add_argument("--windows", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=2.0)
    wanted = parser.parse_args()
    alone, windows = measure(wanted)
    print(f"{wanted.bodies} bodies, {len(windows)} windows of {wanted.seconds:g} s with a viewer, between others without")
    seen = [w.speeds for w in windows]
    report("by the clock", alone, seen, "clock")
    slower = report("by processor time", alone, seen, "processor")
    enough = enough_frames(windows, wanted.seconds, wanted.frames)
    if slower > LIMIT or enough is False:
        return 1
    return 2 if enough is None else 0


if __name__ == "__main__":
    sys.exit(main())
