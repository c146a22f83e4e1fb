# Error against processor time, one panel a scene. Called with the variables data (the CSV file that `rigor-bench-precision --csv
# FILE` writes) and out. Of each method the runs from coarse to fine; what is below 1e-9 stands at 1e-9.
set terminal svg size 1000,980 dynamic enhanced font 'sans-serif,12' background '#fbfbfd'
set output out
set logscale xy
set yrange [1e-9:2]
set format x '10^{%T}'
set format y '10^{%T}'
set grid lc rgb '#dde0e6' lw 0.6
set border lc rgb '#666677'
set key off
rows(scene, method) = '< awk -F, ''$1 == "'.scene.'" && $2 == "'.method.'" && $7 != "" { print $7, ($10 < 1e-9 ? 1e-9 : $10) } END { print ""; print "1e9 1" }'' '.data
set multiplot layout 3, 3 margins 0.075, 0.985, 0.06, 0.965 spacing 0.065, 0.075
draw = "plot [1e-2:3e3] \
    rows(s, 'semi-implicit') w lp lc rgb '#d67e2c' lw 1.4 pt 5 ps 0.5 t 'semi-implicit', \
    rows(s, 'semi-implicit-cone') w lp lc rgb '#e0b080' lw 1.2 pt 4 ps 0.5 t 'semi-implicit, cone', \
    rows(s, 'rk4') w lp lc rgb '#2e7d4f' lw 1.4 pt 9 ps 0.6 t 'rk4', \
    rows(s, 'advance') w lp lc rgb '#9aa54a' lw 1.2 pt 1 ps 0.6 t 'advance', \
    rows(s, 'c2a') w lp lc rgb '#6f8f2f' lw 1.2 pt 2 ps 0.6 t 'c2a', \
    rows(s, 'rigid') w lp lc rgb '#8a56a8' lw 1.4 pt 11 ps 0.6 t 'rigid', \
    rows(s, 'auto') w lp lc rgb '#1f4fa0' lw 2.4 pt 7 ps 0.7 t 'auto', \
    rows(s, 'mujoco') w lp lc rgb '#b23b4e' lw 1.0 dt 2 pt 6 ps 0.5 t 'MuJoCo', \
    rows(s, 'mujoco-rk4') w lp lc rgb '#d08090' lw 1.0 dt 2 pt 6 ps 0.4 t 'MuJoCo RK4', \
    rows(s, 'ode-direct') w lp lc rgb '#555566' lw 1.0 dt 2 pt 8 ps 0.5 t 'ODE direct', \
    rows(s, 'simbody-merson') w lp lc rgb '#999999' lw 1.0 dt 2 pt 12 ps 0.5 t 'Simbody Merson'"
scenes = 'double-pendulum ball ball-bounce ten-balls sliding-sphere box-slope box-stop'
do for [i = 1:7] {
    s = word(scenes, i)
    set title s
    set xlabel (i > 4 ? 'CPU ms' : '')
    set ylabel (i % 3 == 1 ? 'largest error / motion' : '')
    eval draw
}
set title ''
set xlabel ''
set ylabel ''
unset border
unset tics
unset grid
set key at graph 0.95, 0.95 width -4 spacing 1.25
eval 'set yrange [2:3]; '.draw
unset multiplot
