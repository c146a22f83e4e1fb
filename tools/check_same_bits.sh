#!/bin/sh
# The same state hashes from every compiler and optimisation level: tools/check_same_bits.sh FOLDER VERSION FLAGS...
#
# Compiles the library's sources, the scenes and test/determinism/hash_*.c with gcc and clang at -O0, -O2 and -O3 into
# FOLDER, runs the six programs and compares what they print. Ninja does it, so a second run repeats only what changed.
set -eu
cd "$(dirname "$0")/.."
folder=$1
version=$2
shift 2
mkdir -p "$folder"

# One object per variant and source, one program and one list of hashes per variant.
{
    echo "builddir = $folder"
    echo "rule compile"
    echo "  command = \$compiler -std=c17 \$level $* -DRIGOR_VERSION='\"$version\"' -Iinclude -Isrc -Itest/support" \
        "-MMD -MF \$out.d -c \$in -o \$out"
    echo "  depfile = \$out.d"
    echo "rule link"
    echo "  command = \$compiler \$in -o \$out -lexpat -lqhull_r -lm"
    echo "rule run"
    echo "  command = timeout 600 \$in >\$out"
    for compiler in gcc clang; do
        for level in O0 O2 O3; do
            variant=$folder/$compiler-$level
            objects=
            for source in $(find src -name '*.c' | sort) test/support/scene*.c test/determinism/hash_*.c; do
                objects="$objects $variant/$source.o"
                echo "build $variant/$source.o: compile $source"
                echo "  compiler = $compiler"
                echo "  level = -$level"
            done
            echo "build $variant/hashes: link$objects"
            echo "  compiler = $compiler"
            echo "build $variant.txt: run $variant/hashes"
        done
    done
} >"$folder/build.ninja"
ninja -f "$folder/build.ninja" --quiet

# The first variant is the measure of the others.
reference=$folder/gcc-O0.txt
[ -s "$reference" ] || { echo "no hashes printed"; exit 1; }
failed=0
for hashes in "$folder"/*-O?.txt; do
    diff "$reference" "$hashes" || { echo "different: $hashes"; failed=1; }
done
[ "$failed" -ne 0 ] || echo "same bits: 6 builds agree on $(wc -l <"$reference") hashes"
exit "$failed"
