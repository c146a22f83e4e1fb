#!/usr/bin/python3
"""Checks the shape of the C sources: lines per file, and lines, nesting and parameters per function.

Fails above the limits below. tools/size_exceptions.txt lists the functions that may exceed one, each with a reason;
an exception that is no longer needed fails too, so that the list can only shrink. With -v it also names what
exceeds the aims.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = {"file": 900, "lines": 100, "nesting": 3, "parameters": 6}
AIMS = {"file": 400, "lines": 40, "test": 60}
TOKEN = re.compile(r"[A-Za-z_]\w*|[^\s\w]|\d[\w.]*")
# Comments, strings, characters and preprocessor lines hold no code; their line ends are kept.
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)


def tokens_of(text):
    """(token, line) of the code."""
    bare = NO_CODE.sub(lambda m: ("0" if m[0][0] in "\"'" else " ") + "\n" * m[0].count("\n"), text)
    return [(m[0], line) for line, content in enumerate(bare.split("\n"), 1) for m in TOKEN.finditer(content)]


def skip_group(tokens, i):
    """Index after the bracket group that opens at i."""
    depth = 0
    while i < len(tokens):
        depth += tokens[i][0] in "([{"
        depth -= tokens[i][0] in ")]}"
        i += 1
        if depth == 0:
            break
    return i


def skip_simple(tokens, i):
    """Index after a statement that ends with a semicolon."""
    while i < len(tokens) and tokens[i][0] not in ";}":
        i = skip_group(tokens, i) if tokens[i][0] in "([{" else i + 1
    return i + (i < len(tokens) and tokens[i][0] == ";")


def statement(tokens, i, depth):
    """Reads one statement at i: (index after it, deepest nesting of control statements in it)."""
    word = tokens[i][0]
    if word == "{":
        i, deepest = i + 1, depth
        while i < len(tokens) and tokens[i][0] != "}":
            i, inner = statement(tokens, i, depth)
            deepest = max(deepest, inner)
        return i + 1, deepest
    if word in ("if", "for", "while", "switch"):
        i, deepest = statement(tokens, skip_group(tokens, i + 1), depth + 1)
        # "else if" goes on at the same depth.
        if word == "if" and i < len(tokens) and tokens[i][0] == "else":
            chained = tokens[i + 1][0] == "if"
            i, inner = statement(tokens, i + 1, depth if chained else depth + 1)
            deepest = max(deepest, inner)
        return i, deepest
    if word == "do":
        i, deepest = statement(tokens, i + 1, depth + 1)
        return skip_simple(tokens, i), deepest
    return skip_simple(tokens, i), depth


def count_parameters(tokens):
    """Parameters between the brackets of a declaration."""
    inner = [token for token, _ in tokens[1:-1]]
    if inner in ([], ["void"]):
        return 0
    depth = commas = 0
    for token in inner:
        depth += (token in "([{") - (token in ")]}")
        commas += token == "," and depth == 0
    return commas + 1


def functions_of(text):
    """Name, first line, and measures of each function definition."""
    tokens = tokens_of(text)
    i = start = 0
    brackets = name = None
    while i < len(tokens):
        token = tokens[i][0]
        if token == "(" and brackets is None and i > start:
            end = skip_group(tokens, i)
            brackets, name, i = tokens[i:end], tokens[i - 1][0], end
        elif token == "{" and brackets is not None and tokens[i - 1][0] == ")":
            end, nesting = statement(tokens, i, 0)
            if name in ("Test", "ParameterizedTest", "TestSuite"):
                name = "test_" + "_".join(t for t, _ in brackets if t.isidentifier())
            yield name, tokens[start][1], {"lines": tokens[end - 1][1] - tokens[start][1] + 1, "nesting": nesting,
                                           "parameters": count_parameters(brackets)}
            i = start = end
            brackets = None
        elif token in "{[(":
            i = skip_group(tokens, i)
        else:
            i += 1
            # 'extern "C" {' of a header opens nothing.
            if token in ";}" or (token == "0" and i > 1 and tokens[i - 2][0] == "extern"):
                i += token == "0" and i < len(tokens) and tokens[i][0] == "{"
                start, brackets = i, None


def read_exceptions(path):
    """(place, measure) -> reason; one 'file:function measure reason' a line."""
    exceptions = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            place, measure, reason = line.split(None, 2)
            exceptions[place, measure] = reason
    return exceptions


def measure_tree():
    """(place, line, measure, value) of every file and function."""
    for top in ("include", "src", "cli", "bench", "test", "experiments"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            text = path.read_text()
            where = str(path.relative_to(ROOT))
            yield where, 1, "file", text.count("\n")
            for name, line, measures in functions_of(text):
                for measure, value in measures.items():
                    yield f"{where}:{name}", line, measure, value


def main():
    exceptions = read_exceptions(ROOT / "tools/size_exceptions.txt")
    unused, problems, files, functions = set(exceptions), [], 0, 0
    for place, line, measure, value in measure_tree():
        files += measure == "file"
        functions += measure == "lines"
        if value > LIMITS[measure] and (place, measure) not in exceptions:
            problems.append(f"{place} (line {line}): {measure} {value}, limit {LIMITS[measure]}")
        elif value > LIMITS[measure]:
            unused.discard((place, measure))
        elif "-v" in sys.argv and value > AIMS.get("test" if ":test_" in place and measure == "lines" else measure, value):
            print(f"{place} (line {line}): {measure} {value}, over the aim")
    problems += [f"size_exceptions.txt: {place} {measure} is no longer needed" for place, measure in sorted(unused)]
    print("\n".join(problems) if problems else f"sizes: {files} files, {functions} functions within limits")
    return 1 if problems or functions == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
