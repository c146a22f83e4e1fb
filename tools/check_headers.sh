#!/bin/sh
# Each public header compiles alone, twice over, as C17 and as C++17 without a warning.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
count=0
for header in include/rigor/*.h; do
    count=$((count + 1))
    name=rigor/${header##*/}
    printf '#include <%s>\n#include <%s>\nint header_alone(void);\nint header_alone(void)\n{\n    return 0;\n}\n' \
        "$name" "$name" >"$scratch/alone.c"
    cp "$scratch/alone.c" "$scratch/alone.cpp"
    flags="-Iinclude -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only"
    # shellcheck disable=SC2086
    gcc -std=c17 -Wstrict-prototypes $flags "$scratch/alone.c" || { echo "$name: not alone as C17"; failed=1; }
    # shellcheck disable=SC2086
    g++ -std=c++17 $flags "$scratch/alone.cpp" || { echo "$name: not alone as C++17"; failed=1; }
done
[ "$failed" -ne 0 ] || echo "headers: $count compile alone as C17 and C++17"
exit "$failed"
