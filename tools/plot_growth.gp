# Time of a step against contact points. Called by tools/make_pictures.sh with the variables data (the CSV file that
# `rigor-bench --csv FILE growth` writes) and out.
set terminal svg size 760,430 dynamic enhanced font 'sans-serif,13' background '#fbfbfd'
set output out
set logscale xy
set xrange [80:130000]
set xlabel 'contact points'
set ylabel 'time of a step, ms'
set format x '10^{%T}'
set format y '10^{%T}'
set grid lc rgb '#dde0e6' lw 0.6
set border lc rgb '#666677'
set key left top Left reverse spacing 1.15 samplen 2.2
set title 'a step of cubes at rest, one thread' font ',14'
rows(kind, way) = '< awk -F, ''$2 == "\"'.way.'\"" && sub(/^'.kind.'-/, "", $1) { print $1, $4 / 1000 }'' '.data
plot \
    rows('growth', 'quick') w lp lc rgb '#4276be' lw 1.6 pt 7 ps 0.5 t 'quick, separate stacks', \
    rows('wall', 'quick') w lp lc rgb '#4276be' lw 1.2 dt 2 pt 6 ps 0.5 t 'one island', \
    rows('growth', 'quick 50') w lp lc rgb '#2e7d4f' lw 1.6 pt 7 ps 0.5 t 'quick, budget of 50, separate stacks', \
    rows('wall', 'quick 50') w lp lc rgb '#2e7d4f' lw 1.2 dt 2 pt 6 ps 0.5 t 'one island', \
    rows('growth', 'pgs') w lp lc rgb '#d67e2c' lw 1.6 pt 7 ps 0.5 t 'pgs, 50 sweeps, separate stacks', \
    rows('wall', 'pgs') w lp lc rgb '#d67e2c' lw 1.2 dt 2 pt 6 ps 0.5 t 'one island', \
    x * 1e-3 w l lc rgb '#999999' lw 1 dt 3 t '1 µs a point'
