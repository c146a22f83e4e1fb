#!/usr/bin/python3
"""The calls of one step of a standing quadruped with four contacts: how many, of what, across which folders, in what order.

    tools/trace_step.py [--case quick,rigid] [--step 400] [--depth 3] [--demand quick=120,rigid=500]

Builds the preset `trace` (library at -O1 -fno-inline with -finstrument-functions, tools/trace_calls.c) and runs
models/standing.yaml with it; recorded is one step of 1 ms after the robot has come to rest, on the main thread.

What is counted:
  calls      entries of functions that stand in src/**/*.c; inline functions of headers are arithmetic and left out: what they
             call counts as called by their caller
  folder     the top folder of src: src/solver/quick is solver
  changes    calls whose caller stands in another folder. Neither inlining nor the order of calls changes this number. The
             return is not counted again.

--demand fails (exit code 1) where a case has more changes of folder than given.
"""
import argparse
import collections
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ROOT / "build" / "trace" / "rigor"
SCENE = "models/standing.yaml"
STEP_SECONDS = 0.001
CASES = {
    "quick": ["--solver", "quick"],
    "cone": ["--solver", "cone"],
    "pgs": ["--solver", "pgs"],
    "maximal": ["--solver", "quick", "--coords", "maximal"],
    "rigid": ["--stepper", "rigid"],
    "auto": ["--stepper", "auto"],
}
BROKEN = 2**64 - 1  # last word of a record that did not fit


class Call:
    """One call: its function, and the calls that it makes."""

    __slots__ = ("address", "calls")

    def __init__(self, address):
        self.address = address
        self.calls = []


def record_words(options, step):
    """Runs the scene and returns the record of its step."""
    with tempfile.NamedTemporaryFile(suffix=".calls") as record:
        environment = dict(os.environ, RIGOR_TRACE_STEP=str(step), RIGOR_TRACE_FILE=record.name)
        line = [COMMAND, "run", SCENE, "--quiet", "--step", str(STEP_SECONDS), "--time", str((step + 1) * STEP_SECONDS), *options]
        subprocess.run(line, env=environment, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        data = record.read()
    words = struct.unpack(f"<{len(data) // 8}Q", data)
    if not words or words[-1] == BROKEN:
        sys.exit(f"trace_step: step {step} left no record")
    return words


def call_tree(words):
    """The root of the calls."""
    root = Call(words[0])
    open_calls = [root]
    for word in words[1:]:
        if word == 0:
            open_calls.pop()
            continue
        call = Call(word)
        open_calls[-1].calls.append(call)
        open_calls.append(call)
    return root


def places_of(addresses):
    """Address -> (function, file relative to src); of header functions None."""
    listing = "".join(f"{address:#x}\n" for address in addresses)
    line = ["addr2line", "-f", "-e", COMMAND]
    answer = subprocess.run(line, input=listing, capture_output=True, text=True, check=True).stdout.splitlines()
    places = {}
    for address, function, where in zip(addresses, answer[0::2], answer[1::2]):
        file = where.rsplit(":", 1)[0]
        if "/src/" not in file:
            sys.exit(f"trace_step: no source file of {function} ({where})")
        places[address] = (function, file.rsplit("/src/", 1)[1]) if file.endswith(".c") else None
    return places


def without_headers(call, places):
    """The same tree; the calls of a header function become its caller's."""
    calls = []
    for inner in call.calls:
        without_headers(inner, places)
        calls.extend([inner] if places[inner.address] else inner.calls)
    call.calls = calls


def top_folder(place):
    return place[1].split("/")[0]


def measure(root, places):
    """Numbers of calls by function, and of changes by (from, to)."""
    functions, changes = collections.Counter(), collections.Counter()
    todo = [root]
    while todo:
        call = todo.pop()
        functions[call.address] += 1
        here = top_folder(places[call.address])
        for inner in call.calls:
            there = top_folder(places[inner.address])
            if there != here:
                changes[here, there] += 1
        todo.extend(call.calls)
    return functions, changes


def size(call):
    return 1 + sum(size(inner) for inner in call.calls)


def merged(calls):
    """Consecutive calls of one function become one row: (times, all their calls)."""
    rows = []
    for call in calls:
        if rows and rows[-1][1][0].address == call.address:
            rows[-1][1].append(call)
        else:
            rows.append((call.address, [call]))
    return rows


def outline(rows, places, depth, indent=1):
    """The stages of the step: the tree of calls down to a depth."""
    for address, calls in rows:
        function, file = places[address]
        times = f" x{len(calls)}" if len(calls) > 1 else ""
        below = sum(size(call) for call in calls) - len(calls)
        print(f"{'  ' * indent}{function}{times}".ljust(58), f"{file:<40} {below:>7}")
        if depth > 1:
            outline(merged([inner for call in calls for inner in call.calls]), places, depth - 1, indent + 1)


def trace(case, arguments):
    """Prints one case and returns its changes of folder."""
    words = record_words(CASES[case], arguments.step)
    root = call_tree(words)
    places = places_of(sorted(set(words) - {0}))
    without_headers(root, places)
    functions, changes = measure(root, places)
    files = {places[address][1] for address in functions}
    total = sum(changes.values())
    print(f"{case}: {sum(functions.values())} calls of {len(functions)} functions in {len(files)} files, "
          f"{total} changes of folder")
    for (here, there), count in changes.most_common(arguments.edges):
        print(f"  {count:5}  {here} -> {there}")
    if arguments.depth > 0:
        print("  outline".ljust(58), f"{'file':<40} {'calls below':>7}")
        outline([(root.address, [root])], places, arguments.depth)
    print()
    return total


def parse_demands(text):
    demands = {}
    for part in filter(None, text.split(",")):
        case, _, most = part.partition("=")
        if case not in CASES or not most.isdigit():
            sys.exit(f"trace_step: --demand {part}: expected CASE=NUMBER, CASE one of {', '.join(CASES)}")
        demands[case] = int(most)
    return demands


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", default="quick,rigid", help=f"comma-separated, of {', '.join(CASES)}")
    parser.add_argument("--step", type=int, default=400, help="which step is recorded (default 400: at rest)")
    parser.add_argument("--depth", type=int, default=3, help="of the outline; 0: none")
    parser.add_argument("--edges", type=int, default=12, help="pairs of folders listed, most changes first")
    parser.add_argument("--demand", default="", metavar="CASE=N,...", help="largest numbers of changes of folder")
    arguments = parser.parse_args()
    demands = parse_demands(arguments.demand)
    cases = arguments.case.split(",")
    unknown = [case for case in cases if case not in CASES]
    if unknown:
        sys.exit(f"trace_step: no case {unknown[0]}; there are {', '.join(CASES)}")

    sys.setrecursionlimit(100000)
    subprocess.run([ROOT / "tools" / "build.sh", "trace", "rigor_command"], cwd=ROOT, check=True)
    changes = {case: trace(case, arguments) for case in dict.fromkeys([*cases, *demands])}
    above = {case: most for case, most in demands.items() if changes[case] > most}
    for case, most in above.items():
        print(f"trace_step: {case} changes folder {changes[case]} times, {most} allowed")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
