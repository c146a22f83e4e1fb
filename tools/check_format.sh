#!/bin/sh
# clang-format over all sources: names the files it would change, or rewrites them with -i.
set -eu
cd "$(dirname "$0")/.."
folders=
for folder in include src cli bench test experiments; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done
# shellcheck disable=SC2086
files=$(find $folders -name '*.[ch]' | sort)
if [ "${1:-}" = -i ]; then
    # shellcheck disable=SC2086
    clang-format -i $files
    exit 0
fi
# shellcheck disable=SC2086
changed=$(clang-format --dry-run $files 2>&1 | sed -n 's/^\([^:]*\):.*clang-format-violations.*/\1/p' | sort -u)
if [ -n "$changed" ]; then
    echo "$changed" | sed 's/$/: not as clang-format writes it (make format)/'
    exit 1
fi
echo "format: all well"
