#!/usr/bin/python3
"""Runs the tests of a build folder with ctest and counts single test cases.

    tools/run_tests.py BUILD [JOBS] [ctest arguments...]

A Criterion executable leaves BUILD/results/<name>.xml with its cases, a script may print TAP lines ("ok 1 - name"),
kept in BUILD/results/<name>.tap; any other test counts as one case. An executable that fails without a failed case (a crash of the runner, a time-out, a leak) counts as one failure.
The last line is "N passed, N failed", with ", N skipped" where there are any; exit status 0 only if all is well
and at least one case has passed.
"""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

RESULT = re.compile(r"^\s*\d+/(\d+) Test\s+#\d+: (\S+) \.*\s*(.*?)\s+([\d.]+) sec")
TAP = re.compile(r"^(not )?ok \d+\b[^#]*(#\s*skip)?", re.I)
NEXT_TEST = re.compile(r"^\s*(Start\s+\d+:|\d+% tests passed)")
SHOWN_LINES = 40
STATUS = {"PASSED": "passed", "FAILED": "failed", "ERRORED": "failed", "SKIPPED": "skipped"}


def criterion_outcomes(path):
    """Outcome of each case in Criterion's results file; none where the file is missing or torn."""
    try:
        return [STATUS.get(case.get("status"), "failed") for case in xml.parse(path).iter("testcase")]
    except (OSError, xml.ParseError):
        return []


def tap_outcomes(path):
    """Outcome of each case in a script's output; none where it speaks no TAP."""
    try:
        with open(path, errors="replace") as file:
            lines = [match for match in map(TAP.match, file) if match]
    except OSError:
        return []
    return ["failed" if line[1] else "skipped" if line[2] else "passed" for line in lines]


def judge(outcome, cases):
    """Counts of one ctest test, from ctest's word on it and the outcomes of its cases."""
    ctest_says = {"Passed": "passed", "***Skipped": "skipped"}.get(outcome, "failed")
    if not cases or (ctest_says == "failed" and "failed" not in cases):
        cases = [*cases, ctest_says]
    return {key: cases.count(key) for key in ("passed", "failed", "skipped")}


class FailedOutput:
    """What ctest prints after the line of a failed test: shown up to a limit."""

    def __init__(self):
        self.shown = None

    def start(self, failed):
        self.shown = 0 if failed else None

    def line(self, text):
        if self.shown is None or text.strip() in ("", "[----]"):
            return
        if NEXT_TEST.match(text):
            self.shown = None
            return
        self.shown += 1
        if self.shown <= SHOWN_LINES:
            print("    " + text.rstrip())
        elif self.shown == SHOWN_LINES + 1:
            print("    ... (all of it: ctest --test-dir BUILD -R NAME --output-on-failure)")


def main():
    build = os.path.abspath(sys.argv[1])
    jobs = sys.argv[2] if len(sys.argv) > 2 else "2"
    results = os.path.join(build, "results")
    os.makedirs(results, exist_ok=True)
    for name in os.listdir(results):
        os.remove(os.path.join(results, name))

    total = {"passed": 0, "failed": 0, "skipped": 0}
    done = 0
    failures = []
    command = ["ctest", "--test-dir", build, "-j", jobs, "--output-on-failure", *sys.argv[3:]]
    ctest = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    output = FailedOutput()
    for line in ctest.stdout:
        match = RESULT.match(line)
        if not match:
            output.line(line)
            continue
        number, name, outcome, seconds = match.groups()
        place = os.path.join(results, name)
        counts = judge(outcome, criterion_outcomes(place + ".xml") or tap_outcomes(place + ".tap"))
        done += 1
        for key, value in counts.items():
            total[key] += value
        output.start(counts["failed"] > 0)
        word = "FAIL" if counts["failed"] else "skip" if counts["passed"] == 0 else "ok"
        if counts["failed"]:
            failures.append(f"{name} ({outcome.lstrip('*').split('  ')[0]})")
        detail = ", ".join(f"{value} {key}" for key, value in counts.items() if value > 0)
        print(f"[{done:3}/{number}] {word:4} {name:40} {detail}, {seconds} s", flush=True)
    ctest.wait()

    if failures:
        print("failed: " + ", ".join(failures))
    if total["skipped"]:
        print(f"skipped: {total['skipped']}")
    print(f"{total['passed']} passed, {total['failed']} failed", flush=True)
    return 0 if ctest.returncode == 0 and total["failed"] == 0 and total["passed"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
