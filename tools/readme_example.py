#!/usr/bin/python3
"""Compiles, links and runs the first C block of README.md: tools/readme_example.py BUILD

The example must be a whole program. It runs in the root of the project and must end with status 0. Status 77, which
ctest counts as skipped, where README.md has no C block.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    build = pathlib.Path(sys.argv[1])
    readme = ROOT / "README.md"
    block = re.search(r"^```c\n(.*?)^```", readme.read_text(), re.S | re.M) if readme.exists() else None
    if not block:
        print("skipped: README.md has no C example")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch, "example.c")
        program = pathlib.Path(scratch, "example")
        source.write_text(block[1])
        subprocess.run(["gcc", "-std=c17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", source, "-o", program,
                        build / "librigor.a", "-lexpat", "-lm"], check=True)
        run = subprocess.run([program], cwd=ROOT, timeout=60)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
