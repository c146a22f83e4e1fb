#!/bin/sh
# Tests of the viewer's page: types, style, decoders, and the page in a browser with rigor view: tools/test_viewer.sh BUILD
#
# The build has installed the packages of viewer/package-lock.json and made BUILD/page/index.html.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
if [ ! -s "$build/page/index.html" ]; then
    echo "test-viewer: the page was not built: $build/page/npm.log says why" >&2
    exit 1
fi
export RIGOR="$build/rigor" RIGOR_PAGE="$build/page/index.html"
cd viewer
npm run --silent types
npm run --silent lint
npm run --silent test
npm run --silent e2e
