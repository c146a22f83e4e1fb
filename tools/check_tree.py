#!/usr/bin/python3
"""Checks names: base names unique within src, no empty words as file or folder names, a short README in each folder."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EMPTY_WORDS = {"util", "utils", "misc", "common", "helper", "helpers", "manager", "core"}
OTHERS = {".git", "build", "dist", "node_modules"}
README_LINES = 40


def project_paths():
    """Every file and folder of the project."""
    for path in sorted(ROOT.rglob("*")):
        if not OTHERS & set(path.relative_to(ROOT).parts):
            yield path


def empty_words():
    for path in project_paths():
        word = next((w for w in re.split(r"[^a-z]+", path.name.lower()) if w in EMPTY_WORDS), None)
        if word:
            yield f"{path.relative_to(ROOT)}: the name says nothing ('{word}')"


def repeated_names():
    """alloc.c and alloc.h belong together; model/check.c and scene/check.c do not."""
    seen = {}
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        other = seen.setdefault(path.stem, path)
        if other.parent != path.parent:
            yield f"{path.relative_to(ROOT)}: the base name is taken by {other.relative_to(ROOT)}"


def readmes():
    for folder in sorted(p for p in (ROOT / "src").iterdir() if p.is_dir()):
        readme = folder / "README.md"
        if not readme.exists():
            yield f"{folder.relative_to(ROOT)}: no README.md"
        elif len(readme.read_text().splitlines()) > README_LINES:
            yield f"{readme.relative_to(ROOT)}: more than {README_LINES} lines"


def main():
    problems = [*empty_words(), *repeated_names(), *readmes()]
    print("\n".join(problems) if problems else "names: all well")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
