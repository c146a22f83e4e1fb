#!/usr/bin/python3
"""Checks every #include of the project against tools/layers.txt: no upward or sideways include, no cycle."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Include folders of the command, after the file's own folder; other files include from src.
CLI_ROOTS = ("cli", "experiments", "test/support", "bench/scenes")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(rigor/[^>]+)>)', re.M)
# Folders below the top that are layers of their own.
SPLIT = re.compile(r"^(\w+/\w+):", re.M).findall((ROOT / "tools/layers.txt").read_text())


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
            if not name.startswith("<") and name != "public" and name not in layers:
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
    place = find_header(path, quoted)
    return folder_of(place) if place else None


def find_header(path, quoted):
    """The file of the project that a quoted include means, or None."""
    roots = CLI_ROOTS if path.relative_to(ROOT).parts[0] == "cli" else ("src",)
    for root in (path.parent, *(ROOT / root for root in roots)):
        if (root / quoted).exists():
            return (root / quoted).resolve()
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
    if parts[0] == "src":
        return parts[1]
    # Folders of the command, and of experiments those that have a line of their own.
    return "/".join(parts[:2]) if "/".join(parts[:2]) in SPLIT else parts[0]


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
        if match.group(1) and "/" not in match.group(1) and (parts[0] == "src" or folder.startswith("cli/")):
            if find_header(path, match.group(1)) and folder_of(find_header(path, match.group(1))) != "experiments":
                yield f"{path.relative_to(ROOT)}:{number}: write includes from {parts[0]} as \"folder/file.h\""


def find_cycle(path, graph, trail=(), seen=None):
    """A chain of headers or modules that leads back to its start, or None. seen: those known to lead to none."""
    seen = set() if seen is None else seen
    if path in trail:
        return trail[trail.index(path):] + (path,)
    if path in seen:
        return None
    cycles = (find_cycle(target, graph, trail + (path,), seen) for target in sorted(graph.get(path, ())))
    cycle = next((cycle for cycle in cycles if cycle), None)
    seen.add(path)
    return cycle


def header_graph():
    """Header of src -> headers of src it includes."""
    headers = (ROOT / "src").rglob("*.h")
    return {str(path.relative_to(ROOT / "src")): [quoted for quoted, _ in INCLUDE.findall(path.read_text()) if quoted]
            for path in headers}


def module_graph():
    """Module of the command (x.c with x.h) -> modules it includes, itself left out."""
    graph = {}
    for path in (ROOT / "cli").rglob("*.[ch]"):
        module = str(path.relative_to(ROOT).with_suffix(""))
        targets = (quoted.removesuffix(".h") for quoted, _ in INCLUDE.findall(path.read_text()) if quoted)
        graph.setdefault(module, set()).update(f"cli/{target}" for target in targets if f"cli/{target}" != module)
    return graph


def main():
    closed = close(read_layers(ROOT / "tools/layers.txt"))
    files = [p for top in ("include", "src", "cli", "experiments", "bench", "test") for p in sorted((ROOT / top).rglob("*.[ch]"))]
    problems = [problem for path in files for problem in check_file(path, closed)]
    for graph in (header_graph(), module_graph()):
        cycle = next((cycle for cycle in (find_cycle(path, graph) for path in sorted(graph)) if cycle), None)
        if cycle:
            problems.append("include cycle: " + " -> ".join(cycle))
    print("\n".join(problems) if problems else f"layers: {len(files)} files obey")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
