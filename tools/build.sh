#!/bin/sh
# Configures a preset of CMakePresets.json and builds targets of it: tools/build.sh PRESET TARGET...
# Prints only errors, and on a terminal ninja's progress line.
set -eu
preset=$1
shift
folder=build
[ "$preset" = release ] || folder=build/$preset

mkdir -p "$folder"
if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    exit 1
fi
if [ -t 1 ]; then
    exec ninja -C "$folder" ${JOBS:+-j "$JOBS"} "$@"
fi
status=0
ninja -C "$folder" ${JOBS:+-j "$JOBS"} --quiet "$@" >"$folder/build.log" 2>&1 || status=$?
grep -v '^ninja: ' "$folder/build.log" || true
exit "$status"
