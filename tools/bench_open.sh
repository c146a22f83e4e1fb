#!/bin/sh
# Size of a recording of ten minutes of the quadruped, and time until it is shown: tools/bench_open.sh BUILD
#
# The recording takes half a minute. Fails from 100 MB or 3 s on; the browser draws in software.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
export RIGOR="$build/rigor" RIGOR_PAGE="$build/page/index.html" RIGOR_OPEN_SECONDS=600 RIGOR_OPEN_LIMIT=3
cd viewer
npm run --silent e2e -- long_recording
