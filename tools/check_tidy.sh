#!/bin/sh
# clang-tidy over every C file that the build folder compiles: tools/check_tidy.sh BUILD JOBS
# The checks are in .clang-tidy; of the tests only clang's own warnings count.
set -eu
cd "$(dirname "$0")/.."
build=$1
jobs=$2
tidy() {
    sort | xargs -P "$jobs" -n 4 clang-tidy --quiet --warnings-as-errors='*' -p "$build" "$@" 2>/dev/null
}
find src cli experiments bench -name '*.c' ! -path 'bench/peers/*' | tidy
find test -name 'test_*.c' | tidy --checks='-*,clang-diagnostic-*,readability-misleading-indentation'
echo "clang-tidy: all well"
