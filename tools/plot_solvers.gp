# Time against residual. Called by tools/make_pictures.sh with the variables data (the CSV file that
# `tools/bench_solvers.py residual FILE` writes) and out. Of each solver the least time to each residual: answers that took longer
# and are worse are left out. What is below 1e-13 stands at 1e-13.
set terminal svg size 860,660 dynamic enhanced font 'sans-serif,12' background '#fbfbfd'
set output out
set logscale xy
set xrange [0.5:5e-14]
set xtics ('10^{-1}' 1e-1, '10^{-4}' 1e-4, '10^{-7}' 1e-7, '10^{-10}' 1e-10, '10^{-13}' 1e-13)
set format y '10^{%T}'
set grid lc rgb '#dde0e6' lw 0.6
set border lc rgb '#666677'
set key off
rows(problem, solver) = '< awk -F, ''$1 == "'.problem.'" && $3 == "'.solver.'" { print ($6 < 1e-13 ? 1e-13 : $6), $8 }'' '.data. \
    ' | sort -g -k1,1 -k2,2 | awk ''NR == 1 || $2 < least { least = $2; print }'''
set multiplot layout 2, 2 margins 0.075, 0.985, 0.085, 0.945 spacing 0.085, 0.105
draw = "plot \
    rows(p, 'cone') w lp lc rgb '#4276be' lw 1.8 pt 7 ps 0.55 t 'cone', \
    rows(p, 'pgs') w lp lc rgb '#d67e2c' lw 1.6 pt 5 ps 0.5 t 'pgs', \
    rows(p, 'dantzig') w lp lc rgb '#2e7d4f' lw 1.4 pt 9 ps 0.7 t 'dantzig', \
    rows(p, 'lemke') w lp lc rgb '#8a56a8' lw 1.4 pt 11 ps 0.7 t 'lemke', \
    rows(p, 'max-dissipation') w lp lc rgb '#b23b4e' lw 1.4 pt 13 ps 0.8 t 'max-dissipation', \
    rows(p, 'siconos') w p lc rgb '#222233' lw 1.4 pt 2 ps 0.9 t 'best of Siconos (fc3d files)'"
set title 'robot that lands: 4 contacts, 12 motors'
set ylabel 'CPU ms'
p = 'robot'
eval draw
set title 'stack of boxes: 52 contacts (BoxesStack1)'
unset ylabel
p = 'BoxesStack1-i100000-32'
eval draw
set title 'falling pile: 184 contacts'
set ylabel 'CPU ms'
set xlabel 'residual of the answer, by the judge'
p = 'pile'
eval draw
set title 'capsules: 276 contacts (Capsules-i100-1090)'
unset ylabel
set key at graph 0.99, 0.04 right bottom spacing 1.1 samplen 2 width -2
p = 'Capsules-i100-1090'
eval draw
unset multiplot
