#!/usr/bin/python3
"""Compiles, links and runs the C programs shown in README.md and docs: tools/readme_example.py BUILD

A program is a C block with a main. It runs in the root of the project and must end with status 0; where the text after it says
"It prints", in a line or in a block, it must print that. Status 77 (skipped for ctest) if there is no program.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```c\n(.*?)^```", re.S | re.M)
PRINTS = re.compile(r"^It prints(?: `([^`\n]+)`|:?\n\n```\n(.*?)^```)", re.S | re.M)


def programs(path):
    """Source, and what it is said to print or None, of every program in a file."""
    text = path.read_text()
    blocks = list(BLOCK.finditer(text))
    for block, end in zip(blocks, [b.start() for b in blocks[1:]] + [len(text)]):
        if "main(" in block[1]:
            said = PRINTS.search(text, block.end(), end)
            yield block[1], (said[1] or said[2]).strip() if said else None


def run(build, source):
    """What the program prints."""
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, "example")
        pathlib.Path(scratch, "example.c").write_text(source)
        subprocess.run(["gcc", "-std=c17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", f"{scratch}/example.c", "-o", program,
                        build / "librigor.a", "-lexpat", "-lqhull_r", "-ljansson", "-llz4", "-lz", "-lm", "-fopenmp"], check=True)
        return subprocess.run([program], cwd=ROOT, timeout=60, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main():
    build, found, wrong = pathlib.Path(sys.argv[1]), 0, 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for source, said in programs(path) if path.exists() else ():
            found += 1
            printed = run(build, source)
            if said not in (None, printed):
                wrong += 1
                print(f"{path.relative_to(ROOT)}: said to print\n{said}\nprints\n{printed}")
    print(f"{found} programs, {wrong} print something else")
    return 77 if not found else 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
