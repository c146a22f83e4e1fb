#!/bin/sh
# The same state hashes from every compiler and optimisation level: tools/check_same_bits.sh FOLDER VERSION FLAGS...
#
# Compiles the library's sources, the scenes (bench/scenes too) and test/determinism/hash_*.c with gcc and clang at -O0, -O2 and -O3 into
# FOLDER, runs the six programs and compares what they print. Ninja does it, so a second run repeats only what changed.
# No RIGOR_ZLIB, RIGOR_LZ4, RIGOR_JSON: the library is built without the libraries that it can be built without.
# With RIGOR_LONG_RUNS in the environment 2,000 steps of 666 balls are among the runs.
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
    echo "  command = \$compiler -std=c17 \$level $* -DRIGOR_VERSION='\"$version\"' -Iinclude -Isrc -Itest/support -Ibench/scenes" \
        "-MMD -MF \$out.d -c \$in -o \$out"
    echo "  depfile = \$out.d"
    echo "rule link"
    echo "  command = \$compiler \$in -o \$out -lexpat -lqhull_r -lm"
    echo "rule run"
    echo "  command = timeout 1800 \$in >\$out"
    for compiler in gcc clang; do
        for level in O0 O2 O3; do
            variant=$folder/$compiler-$level
            objects=
            for source in $(find src -name '*.c' | sort) test/support/scene*.c bench/scenes/*.c \
                test/determinism/hash_*.c; do
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

# The long runs are requested by the environment, which ninja does not track.
[ -z "${RIGOR_LONG_RUNS:-}" ] || rm -f "$folder"/*-O?.txt
ninja -f "$folder/build.ninja" --quiet

# The others are compared with the first variant.
reference=$folder/gcc-O0.txt
[ -s "$reference" ] || { echo "no hashes printed"; exit 1; }
count=$(wc -l <"$reference")
failed=0
for hashes in "$folder"/*-O?.txt; do
    diff "$reference" "$hashes" || { echo "different: $hashes"; failed=1; }
done
[ -z "${RIGOR_LONG_RUNS:-}" ] || rm -f "$folder"/*-O?.txt
[ "$failed" -ne 0 ] || echo "same bits: 6 builds agree on $count hashes"
exit "$failed"
