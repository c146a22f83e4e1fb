#!/usr/bin/python3
"""The mutable structs of a step by their number of fields, and what steppers write in structs of other folders.

    tools/check_structs.py [--most-fields 20] [--no-foreign-writes] [--all]

Structs are those that src/constraint, src/stepper and src/sim define, in headers and .c files. A field counts 1, whatever
its type; the fields of an unnamed struct or union count each. Mutable: some assignment in src goes to a field of it
through a pointer; a value that is initialised as a whole and then read is none.

A foreign write is an assignment in src/stepper to a field, through a pointer, of a struct that another folder of src
defines; p[i].field too. No such writes: to fields of local values (they are being initialised), to public structs of
include/rigor (a report is there to be filled), and a whole value at once (*p = value). Not seen: what a called function
does with a pointer.

Without arguments it lists and succeeds. --most-fields N fails above N fields, --no-foreign-writes where there is one.
The syntax trees come from clang (-ast-dump=json), so that types are the compiler's.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OF_A_STEP = ("constraint", "stepper", "sim")
READ_TOO = ("solver", "contact")  # may assign to structs of a step
CLANG = ["clang", "-std=c17", "-D_POSIX_C_SOURCE=200809L", '-DRIGOR_VERSION=""', "-Iinclude", "-Isrc", "-fsyntax-only", "-w"]
FILE_WORD = re.compile(r'"file": "([^"]+)"')
ASSIGNING = {"BinaryOperator", "CompoundAssignOperator", "UnaryOperator"}
WRAPPERS = {"ParenExpr", "ImplicitCastExpr", "CStyleCastExpr"}

Struct = collections.namedtuple("Struct", "name file fields")
Write = collections.namedtuple("Write", "struct field file function line")


def declarations(dump):
    """Top-level declarations of a dump as (file in force before it, text). clang prints one at indentation 4, and a file's
    name only where it is another than the last one printed (but always that of the file that includes it)."""
    file, lines, including = "", None, False
    for line in dump.splitlines():
        if line.startswith("    {") and lines is None:
            before, lines = file, [line]
        elif lines is not None:
            lines.append(line)
        found = FILE_WORD.search(line) if '"file"' in line and not including else None
        if found:
            file = found.group(1)
        including = line.endswith('"includedFrom": {')
        if lines is not None and line.startswith("    }"):
            yield before, "\n".join(lines).rstrip(",")
            lines = None


def place(node, file):
    """File of a declaration: of its location, or the one in force."""
    where = node.get("loc", {})
    where = where.get("expansionLoc", where)
    return where.get("file", file)


def count_fields(record):
    """Number of fields; of unnamed structs and unions within it each."""
    count = 0
    for node in record.get("inner", []):
        if node["kind"] == "RecordDecl" and "name" not in node:
            count += count_fields(node)
        elif node["kind"] == "FieldDecl" and not re.search(r"\((unnamed|anonymous)", node["type"]["qualType"]):
            count += 1
    return count


def plain_name(qualified):
    """Name of the struct that a type, or the pointer to it, is of."""
    words = qualified.replace("*", " ").replace("struct ", " ").split()
    words = [word for word in words if word not in ("const", "volatile", "restrict", "*const")]
    return words[0] if len(words) == 1 else ""


def unwrapped(node):
    while node["kind"] in WRAPPERS:
        node = node["inner"][0]
    return node


def written_struct(target):
    """(struct, field) that an assignment to target changes through a pointer; None: a local value or no struct."""
    field = ""
    node = unwrapped(target)
    while True:
        if node["kind"] == "MemberExpr":
            field = f"{node['name']}.{field}" if field else node["name"]
            base = node["inner"][0]
            if node.get("isArrow"):
                return plain_name(base["type"]["qualType"]), field
            node = unwrapped(base)
        elif node["kind"] == "ArraySubscriptExpr":
            array = node["inner"][0]
            decays = array["kind"] == "ImplicitCastExpr" and array.get("castKind") == "ArrayToPointerDecay"
            if not decays:
                # p[i].field: an element of what p points to.
                return (plain_name(array["type"]["qualType"]), field) if field else None
            node = unwrapped(array)
        elif node["kind"] == "UnaryOperator" and node.get("opcode") == "*":
            return (plain_name(node["inner"][0]["type"]["qualType"]), field) if field else None
        else:
            return None


def is_assignment(node):
    if node.get("kind") not in ASSIGNING:
        return False
    opcode = node.get("opcode")
    return node["kind"] == "CompoundAssignOperator" or opcode in ("=", "++", "--")


class Walker:
    """Finds assignments below a function; keeps the line, which clang prints only where it changed."""

    def __init__(self):
        self.line = 0
        self.found = []

    def walk(self, node):
        if isinstance(node, list):
            for item in node:
                self.walk(item)
            return
        if not isinstance(node, dict):
            return
        if "line" in node:
            self.line = node["line"]
        mine = None
        if is_assignment(node):
            written = written_struct(node["inner"][0])
            if written and written[0]:
                mine = len(self.found)
                self.found.append((written, 0))
        for key, value in node.items():
            self.walk(value)
            if key == "range" and mine is not None:
                self.found[mine] = (self.found[mine][0], self.line)


def read_file(path):
    """Structs that the file sees, and the assignments of its own functions."""
    run = subprocess.run([*CLANG, "-Xclang", "-ast-dump=json", path], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{path}: {run.stderr}")
    structs, writes = [], []
    for file, text in declarations(run.stdout):
        head = text[:400]
        if '"RecordDecl"' in head:
            node = json.loads(text)
            if node.get("completeDefinition") and "name" in node:
                structs.append(Struct(node["name"], relative(place(node, file)), count_fields(node)))
        elif '"FunctionDecl"' in head and '"CompoundStmt"' in text:
            node = json.loads(text)
            if relative(place(node, file)) != path:
                continue
            walker = Walker()
            walker.walk(node)
            writes.extend(Write(struct, field, path, node["name"], line) for (struct, field), line in walker.found)
    return structs, writes


def relative(file):
    path = os.path.normpath(os.path.join(ROOT, file))
    return os.path.relpath(path, ROOT)


def folder_of(file):
    """Top folder of src that a file stands in; None: elsewhere."""
    parts = pathlib.PurePath(file).parts
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def read_all():
    """Structs by name, and all assignments."""
    paths = []
    for folder in OF_A_STEP + READ_TOO:
        paths.extend(sorted(str(path.relative_to(ROOT)) for path in (ROOT / "src" / folder).rglob("*.c")))
    structs, writes = {}, []
    jobs = int(os.environ.get("JOBS", "0")) or os.cpu_count()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for path, (seen, written) in zip(paths, pool.map(read_file, paths, chunksize=4)):
            # Two .c files may each have a struct of one name: a file's own definition comes first.
            own = {struct.name: struct for struct in seen if struct.file == path}
            for struct in seen:
                structs.setdefault((struct.name, path if struct.name in own else None), struct)
            for write in written:
                struct = structs.get((write.struct, path)) or structs.get((write.struct, None))
                if struct:
                    writes.append((struct, write))
    return sorted(set(structs.values())), writes


def list_structs(structs, writes, most, everything):
    """Prints the structs of a step, largest first; returns how many mutable ones have too many fields."""
    files = collections.defaultdict(set)
    for struct, write in writes:
        files[struct].add(write.file)
    rows = [struct for struct in structs if folder_of(struct.file) in OF_A_STEP and (files[struct] or everything)]
    rows.sort(key=lambda struct: (-struct.fields, struct.name))
    print("mutable structs of a step: fields, name, files that assign to it, where it is defined")
    for struct in rows if everything else rows[:20]:
        print(f"  {struct.fields:3}  {struct.name:<26} {len(files[struct]):3}  {struct.file}")
    too_large = [struct for struct in rows if files[struct] and most is not None and struct.fields > most]
    return len(too_large)


def list_foreign(writes):
    """Prints the assignments of steppers to structs of other folders; returns how many there are."""
    foreign = [(struct, write) for struct, write in writes
               if folder_of(write.file) == "stepper" and folder_of(struct.file) not in (None, "stepper")]
    print(f"assignments in src/stepper to fields of structs of other folders: {len(foreign)}")
    for struct, write in sorted(foreign, key=lambda pair: (pair[0].file, pair[1].file, pair[1].line)):
        print(f"  {write.file}:{write.line}: {write.function}: {struct.name}.{write.field} ({struct.file})")
    return len(foreign)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-fields", type=int, help="fail where a mutable struct of a step has more fields")
    parser.add_argument("--no-foreign-writes", action="store_true", help="fail where a stepper writes in another folder's struct")
    parser.add_argument("--all", action="store_true", help="list every struct of a step, not the 20 largest mutable ones")
    arguments = parser.parse_args()
    structs, writes = read_all()
    large = list_structs(structs, writes, arguments.most_fields, arguments.all)
    foreign = list_foreign(writes)
    failed = False
    if large:
        print(f"check_structs: {large} mutable structs have more than {arguments.most_fields} fields")
        failed = True
    if foreign and arguments.no_foreign_writes:
        print(f"check_structs: steppers assign {foreign} times to structs of other folders")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
