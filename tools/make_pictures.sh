#!/bin/sh
# Makes the pictures of docs/img from runs of the command: tools/make_pictures.sh
#
# RIGOR names the command (default build/rigor). Needs gnuplot and python3-numpy, which the build does not.
set -eu
cd "$(dirname "$0")/.."
RIGOR=${RIGOR:-build/rigor}
export RIGOR
tools/draw_motion.py "$RIGOR" docs/img/motion.svg
tools/draw_scene.py "$RIGOR" docs/img/scene.svg
tools/draw_contact.py "$RIGOR" docs/img/contact.svg

# Energy of the double pendulum: every stepper in both forms, steps from 4 ms down to 1/16 ms. A run that is refused leaves
# out its point.
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
for coords in minimal maximal; do
    for stepper in euler semi-implicit semi-implicit-000 rk4 reference; do
        for step in 0.004 0.002 0.001 0.0005 0.00025 0.000125 0.0000625; do
            if line=$(tools/energy_error.sh models/double_pendulum.sdf --time 2 --stepper $stepper --coords $coords \
                --step $step 2>/dev/null); then
                echo "$step $line" | awk '{ print $1, $6, $11 }'
            fi
        done >"$data/$stepper.$coords"
    done
done
gnuplot -e "data='$data'; out='docs/img/energy.svg'" tools/plot_energy.gp

# Time of a step against contact points: measured anew with GROWTH=1, else the kept measurement.
growth=bench/results/growth.csv
if [ -n "${GROWTH:-}" ]; then
    build/rigor-bench --csv "$growth" growth
fi
gnuplot -e "data='$growth'; out='docs/img/growth.svg'" tools/plot_growth.gp

# Time of solvers against residual: measured anew with RESIDUAL="PROBLEM.dat..." (fc3d files), else the kept measurement.
residual=bench/results/solve-residual.csv
if [ -n "${RESIDUAL:-}" ]; then
    # shellcheck disable=SC2086
    tools/bench_solvers.py residual "$residual" $RESIDUAL
fi
gnuplot -e "data='$residual'; out='docs/img/solvers.svg'" tools/plot_solvers.gp

# Lengths of inner steps, from the papers' experiments.
"$RIGOR" reproduce 001-A-die 001-C-trot --report "$data/papers" > /dev/null
"$RIGOR" sweep models/sweeps/steps.yaml --out "$data/sweep-steps" --quiet --fresh
"$RIGOR" plot "$data/sweep-steps.csv" --x step --y drift --by stepper --log xy --out docs/img/sweep-steps.svg
cp "$data/papers/001-A-die/steps.svg" docs/img/steps-die.svg
cp "$data/papers/001-C-trot/steps.svg" docs/img/steps-trot.svg

# Figures of a run, as rigor run --plots draws them.
"$RIGOR" run models/default.yaml --quiet --plots "$data/plots"
cp "$data/plots/energy.png" docs/img/plots_energy.png

# A table, as rigor plot draws it.
"$RIGOR" plot bench/results/solver-scenes.csv --x scene --y steps_per_s --by solver --log y --style bars --ylabel "steps a second" \
    --out docs/img/plot_scenes.svg --quiet
