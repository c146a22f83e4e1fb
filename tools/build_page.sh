#!/bin/sh
# Builds the viewer's page with npm, and copies it to where the command takes it from.
#
#   tools/build_page.sh VIEWER_FOLDER PAGE
#
# The packages of package-lock.json are installed once, and again when that file changes. Where they cannot be had (no
# network) the page is left empty, with a remark: the command is then built without it, and the next build tries again.
# A page that does not build is an error.
set -eu
viewer=$1 page=$2
folder=$(dirname "$page")
mkdir -p "$folder"
log=$folder/npm.log

# Builds in several folders share viewer/node_modules: one after the other.
exec 9<"$viewer/package-lock.json"
! command -v flock >/dev/null || flock 9

cd "$viewer"
mark=node_modules/.installed
if ! cmp -s package-lock.json "$mark"; then
    if ! npm ci --no-audit --no-fund >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        echo "page: npm cannot install its packages (no network?): rigor is built without the viewer's page" >&2
        : >"$page"
        touch -d '2000-01-01' "$page"
        exit 0
    fi
    cp package-lock.json "$mark"
fi
if ! npm run --silent build -- --outDir "$folder/dist" --emptyOutDir >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
cp "$folder/dist/index.html" "$page"
