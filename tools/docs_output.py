#!/usr/bin/python3
"""Commands shown in the docs, run again: tools/docs_output.py [--write] [FILE...]

FILE: by default every chapter of docs. A block that starts with "$ " holds commands ("> " goes on with one) and what they print.
Compares, all but lines with wall times and progress; --write puts in what was printed now. A C block that begins with its name, "/* x.c",
is put to /tmp/x.c first. Run it from anywhere, after `make build`.
"""
import glob
import os
import re
import subprocess
import sys


def commands(block):
    """[command, printed lines] of a block."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1][1].append(line)
    return found


def without_times(lines):
    return [line for line in lines if not line.startswith("wall time")]


def put_sources(text):
    for source, name in re.findall(r"```c\n(/\* (\w+\.c).*?)```", text, flags=re.S):
        with open(os.path.join("/tmp", name), "w", encoding="utf-8") as file:
            file.write(source)


def rerun(match):
    text = ""
    for command, expected in commands(match.group(2)):
        run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=600, check=False)
        printed = [line for line in (run.stdout + run.stderr).splitlines() if not re.match(r"rigor: +\d+ %", line)]
        if without_times(printed) == without_times(expected):
            printed = expected
        else:
            rerun.differences += 1
            print(f"differs: {command.splitlines()[0]}")
        text += "$ " + command.replace("\n", "\n> ") + "\n" + "".join(line + "\n" for line in printed)
    return match.group(1) + text + "```"


def main():
    write = "--write" in sys.argv
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    rerun.differences = 0
    for path in [a for a in sys.argv[1:] if a != "--write"] or sorted(glob.glob("docs/*.md")):
        text = open(path, encoding="utf-8").read()
        put_sources(text)
        text = re.sub(r"(```[a-z]*\n)(\$ .*?)```", rerun, text, flags=re.S)
        if write:
            open(path, "w", encoding="utf-8").write(text)
    return 1 if rerun.differences and not write else 0


if __name__ == "__main__":
    sys.exit(main())
