#!/bin/sh
# The same state hashes from every compiler and optimisation level: tools/check_same_bits.sh FOLDER VERSION FLAGS...
#
# Compiles the library's sources and test/determinism/hash_main.c with gcc and clang at -O0, -O2 and -O3 into FOLDER
# (by ninja, so that a second run compiles only what has changed), runs the six programs and compares what they print.
set -eu
cd "$(dirname "$0")/.."
folder=$1
version=$2
shift 2
mkdir -p "$folder"

# One rule, one object per variant and source, one program per variant.
{
    echo "rule compile"
    echo "  command = \$compiler -std=c17 \$level $* -DRIGOR_VERSION='\"$version\"' -Iinclude -Isrc -MMD -MF \$out.d -c \$in -o \$out"
    echo "  depfile = \$out.d"
    echo "rule link"
    echo "  command = \$compiler \$in -o \$out -lexpat -lm"
    for compiler in gcc clang; do
        for level in O0 O2 O3; do
            variant=$folder/$compiler-$level
            objects=
            for source in $(find src -name '*.c' | sort) test/determinism/hash_main.c; do
                objects="$objects $variant/$source.o"
                echo "build $variant/$source.o: compile $source"
                echo "  compiler = $compiler"
                echo "  level = -$level"
            done
            echo "build $variant/hashes: link$objects"
            echo "  compiler = $compiler"
        done
    done
} >"$folder/build.ninja"
ninja -f "$folder/build.ninja" --quiet

# The first variant is the measure of the others.
reference=
failed=0
for program in "$folder"/*/hashes; do
    timeout 300 "$program" >"$program.txt"
    if [ -z "$reference" ]; then
        reference=$program.txt
        [ -s "$reference" ] || { echo "no hashes printed by $program"; exit 1; }
        cat "$reference"
    elif ! diff "$reference" "$program.txt"; then
        echo "different: $program"
        failed=1
    fi
done
[ "$failed" -ne 0 ] || echo "same bits: 6 builds agree on $(wc -l <"$reference") hashes"
exit "$failed"
