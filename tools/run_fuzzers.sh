#!/bin/sh
# Runs every built fuzzer for some seconds: tools/run_fuzzers.sh BUILD SECONDS JOBS
#
# Seeds are test/fuzz/corpus/<name>/; what libFuzzer finds interesting goes to BUILD/corpus/<name>/, so the source
# tree stays as it is. An input that breaks a reader is left in BUILD/found/; once the bug is mended it belongs into
# the seeds, where `make test` tries it for ever after.
set -u
cd "$(dirname "$0")/.." || exit
build=$1
seconds=$2
jobs=$3
found=$build/found
mkdir -p "$found"

fuzz_one() {
    name=$1
    mkdir -p "$build/corpus/$name"
    seeds=test/fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=
    # shellcheck disable=SC2086
    if "$build/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="$found/$name-" -print_final_stats=1 "$build/corpus/$name" $seeds >"$found/$name.log" 2>&1; then
        echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$name.log") runs, nothing found"
    else
        echo "fuzz $name: FAILED, inputs in $found:"
        grep -E 'ERROR|runtime error|Test unit written|ALARM' "$found/$name.log" | sed 's/^/    /'
        return 1
    fi
}

# A batch of JOBS fuzzers at a time.
failed=0
running=
count=0
for program in "$build"/fuzz_*; do
    [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    fuzz_one "$name" &
    running="$running $!"
    count=$((count + 1))
    if [ $((count % jobs)) -eq 0 ]; then
        for job in $running; do wait "$job" || failed=1; done
        running=
    fi
done
for job in $running; do wait "$job" || failed=1; done
[ "$count" -gt 0 ] || { echo "fuzz: no fuzzers" >&2; exit 1; }
exit "$failed"
