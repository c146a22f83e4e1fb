#!/bin/sh
# Change of energy over a run, at its end and at its worst: tools/energy_error.sh FILE [options of rigor run]
#
# RIGOR names the command (default build/rigor). Prints three numbers in J: end, worst, and the largest kinetic energy,
# which is their scale.
set -eu
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
"${RIGOR:-build/rigor}" run "$@" --csv "$rows" --quiet
awk -F, '
    { kinetic = $(NF - 4); potential = $(NF - 3) } # then come three columns of contact
    NR == 2 { first = kinetic + potential }
    NR > 1 { e = kinetic + potential - first; if (e * e > worst * worst) worst = e; if (kinetic > scale) scale = kinetic }
    END { printf "end %.2e J   worst %.2e J   largest kinetic energy %.4g J\n", e, worst, scale }' "$rows"
