#!/usr/bin/python3
"""Checks every #include of the project against tools/layers.txt: no upward or sideways include, no cycle."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(rigor/[^>]+)>)', re.M)


def read_layers(path):
    """Folder -> what it is directly granted, in the order of the file."""
    layers = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        folder, granted = line.split(":")
        layers[folder] = granted.split()
        for name in layers[folder]:
            if name.isidentifier() and name != "public" and name not in layers:
                sys.exit(f"{path.name}:{number}: {folder} is granted {name}, which is not a lower layer")
    return layers


def close(layers):
    """The same, closed downward."""
    closed = {}
    for folder, granted in layers.items():
        closed[folder] = {folder}
        for name in granted:
            closed[folder] |= closed.get(name, {name})
    return closed


def layer_of_include(path, quoted, public):
    """The layer that an include reaches for; None for a header of the system or of the file's own folder."""
    if public:
        return f"<{public}>"
    for place in (path.parent / quoted, ROOT / "src" / quoted):
        if place.exists():
            return folder_of(place.resolve())
    return None


def allowed(granted, layer):
    """Whether a grant covers the layer, or the one header."""
    if layer.startswith("<"):
        return layer in granted or layer[len("<rigor/"):-len(".h>")] in granted or "public" in granted
    return layer in granted


def folder_of(path):
    """The layer a file belongs to."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "include":
        return path.stem
    return parts[1] if parts[0] == "src" else parts[0]


def check_file(path, closed):
    """The forbidden includes of one file."""
    parts = path.relative_to(ROOT).parts
    folder = folder_of(path)
    if parts[:2] == ("test", "unit") or parts[-1] == "rigor.h":
        return
    if folder not in closed:
        yield f"{path.relative_to(ROOT)}: {folder} is not in tools/layers.txt"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        layer = layer_of_include(path, *match.groups())
        if layer and not allowed(closed[folder], layer):
            yield f"{path.relative_to(ROOT)}:{number}: {folder} may not include {match.group(1) or layer}"
        if match.group(1) and "/" not in match.group(1) and parts[0] == "src":
            yield f"{path.relative_to(ROOT)}:{number}: write includes from src as \"folder/file.h\""


def find_cycle(path, graph, trail=()):
    """A chain of headers that leads back to its start, or None."""
    if path in trail:
        return trail[trail.index(path):] + (path,)
    cycles = (find_cycle(target, graph, trail + (path,)) for target in graph.get(path, ()))
    return next((cycle for cycle in cycles if cycle), None)


def header_graph():
    """Header of src -> headers of src it includes."""
    headers = (ROOT / "src").rglob("*.h")
    return {str(path.relative_to(ROOT / "src")): [quoted for quoted, _ in INCLUDE.findall(path.read_text()) if quoted]
            for path in headers}


def main():
    closed = close(read_layers(ROOT / "tools/layers.txt"))
    files = [p for top in ("include", "src", "cli", "experiments", "bench", "test") for p in sorted((ROOT / top).rglob("*.[ch]"))]
    problems = [problem for path in files for problem in check_file(path, closed)]
    graph = header_graph()
    cycle = next((cycle for cycle in (find_cycle(path, graph) for path in sorted(graph)) if cycle), None)
    if cycle:
        problems.append("include cycle: " + " -> ".join(cycle))
    print("\n".join(problems) if problems else f"layers: {len(files)} files obey")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
