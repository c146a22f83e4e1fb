# Error in kinetic energy of 1 ms steps over a period of the gait. Variables: data (a CSV file that `rigor-bench-adaptive control
# --csv FILE` writes: its second table), out (an SVG file).
set terminal svg size 760,330 dynamic enhanced font 'sans-serif,13' background '#fbfbfd'
set output out
set datafile separator ','
set logscale y
set xlabel 'phase of the gait'
set ylabel 'relative error, %'
set xrange [0:1]
set grid lc rgb '#dde0e6' lw 0.6
set border lc rgb '#666677'
set object 1 rectangle from 0, graph 0 to 0.25, graph 1 fc rgb '#e8eef8' fs noborder behind
set object 2 rectangle from 0.5, graph 0 to 0.75, graph 1 fc rgb '#e8eef8' fs noborder behind
set label 'two feet swing' at 0.125, graph 0.94 center tc rgb '#4276be'
set label 'two feet swing' at 0.625, graph 0.94 center tc rgb '#4276be'
set label 'all stand' at 0.375, graph 0.94 center tc rgb '#666677'
set label 'all stand' at 0.875, graph 0.94 center tc rgb '#666677'
plot data index 1 every ::1 u 1:2 w boxes fs solid 0.85 noborder lc rgb '#4276be' notitle
