#!/bin/sh
# Every check of `make check`; continues after a failure and reports at the end: tools/check_all.sh BUILD JOBS
set -u
cd "$(dirname "$0")/.." || exit
failed=
check() {
    name=$1
    shift
    "$@" || failed="$failed $name"
}
check format tools/check_format.sh
check layers tools/check_layers.py
check names tools/check_tree.py
check sizes tools/check_sizes.py
check structs tools/check_structs.py --most-fields 20 --no-foreign-writes
check headers tools/check_headers.sh
check symbols tools/check_symbols.sh "$1"
check clang-tidy tools/check_tidy.sh "$1" "$2"
if [ -n "$failed" ]; then
    echo "check failed:$failed"
    exit 1
fi
echo "check: all well"
