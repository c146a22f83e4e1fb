#!/bin/sh
# clang-tidy (checks in .clang-tidy) over every C file that the build folder compiles: tools/check_tidy.sh BUILD JOBS
set -eu
cd "$(dirname "$0")/.."
build=$1
jobs=$2
find src cli bench -name '*.c' | sort |
    xargs -P "$jobs" -n 4 clang-tidy --quiet --warnings-as-errors='*' -p "$build" 2>/dev/null
echo "clang-tidy: all well"
