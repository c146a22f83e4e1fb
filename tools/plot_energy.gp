# Energy error against step size. Called by tools/make_pictures.sh with the variables data (a folder with a file for each
# stepper and form: step, worst change of energy, largest kinetic energy) and out.
set terminal svg size 760,430 dynamic enhanced font 'sans-serif,13' background '#fbfbfd'
set output out
set logscale xy
set xrange [0.05:5]
set yrange [1e-15:3]
set xlabel 'step h, ms'
set ylabel 'largest change of energy over largest kinetic energy'
set format y '10^{%T}'
set ytics 1e-14,100,1
set grid lc rgb '#dde0e6' lw 0.6
set border lc rgb '#666677'
set key outside right top Left reverse spacing 1.15 samplen 2.2
set title 'double pendulum, moments of inertia 1 : 6017, 2 s' font ',14'
file(name) = data.'/'.name
plot \
    file('euler.minimal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#b8860b' lw 1.6 pt 7 ps 0.5 t 'euler, minimal', \
    file('euler.maximal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#b8860b' lw 1.2 dt 2 pt 6 ps 0.5 t 'maximal', \
    file('semi-implicit.minimal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#d67e2c' lw 1.6 pt 7 ps 0.5 t 'semi-implicit, minimal', \
    file('semi-implicit.maximal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#d67e2c' lw 1.2 dt 2 pt 6 ps 0.5 t 'maximal', \
    file('semi-implicit-000.minimal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#96549f' lw 1.6 pt 7 ps 0.5 t 'semi-implicit-000, minimal', \
    file('semi-implicit-000.maximal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#96549f' lw 1.2 dt 2 pt 6 ps 0.5 t 'maximal', \
    file('rk4.minimal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#4276be' lw 1.6 pt 7 ps 0.5 t 'rk4, minimal', \
    file('rk4.maximal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#4276be' lw 1.2 dt 2 pt 6 ps 0.5 t 'maximal', \
    file('reference.minimal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#2e7d4f' lw 1.6 pt 7 ps 0.5 t 'reference, minimal', \
    file('reference.maximal') u ($1*1e3):(abs($2)/$3) w lp lc rgb '#2e7d4f' lw 1.2 dt 2 pt 6 ps 0.5 t 'maximal'
