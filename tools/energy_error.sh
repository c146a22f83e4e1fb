#!/bin/sh
# Change of energy over a run, at its end and at its worst: tools/energy_error.sh FILE [options of rigor run]
#
# RIGOR names the command (default build/rigor). Prints three numbers in J: end, worst, and the largest kinetic energy,
# which is the scale to judge them by.
set -eu
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
"${RIGOR:-build/rigor}" run "$@" --csv "$rows" --quiet
awk -F, '
    NR == 2 { first = $(NF - 1) + $NF }
    NR > 1 { e = $(NF - 1) + $NF - first; if (e * e > worst * worst) worst = e; if ($(NF - 1) > scale) scale = $(NF - 1) }
    END { printf "end %.2e J   worst %.2e J   largest kinetic energy %.4g J\n", e, worst, scale }' "$rows"
