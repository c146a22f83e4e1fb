# Histogram of the lengths of inner steps, on logarithmic axes. Variables: data (a CSV file that `rigor-bench-located --csv FILE
# --histogram` writes), out (an SVG file), name (title); mark (s, 0: none) and marked (its label): a published mean step.
set terminal svg size 760,330 dynamic enhanced font 'sans-serif,13' background '#fbfbfd'
set output out
if (!exists("mark")) mark = 0
if (!exists("marked")) marked = ''
set logscale xy
set yrange [0.5:*]
set xlabel 'length of a step, s'
set ylabel 'steps'
set format x '10^{%T}'
set grid lc rgb '#dde0e6' lw 0.6
set border lc rgb '#666677'
set style fill solid 0.85 noborder
set title name font ',14' noenhanced
if (mark > 0) set arrow from mark, graph 0 to mark, graph 1 nohead lc rgb '#d67e2c' lw 1.6
if (mark > 0) set label marked at mark, graph 0.93 offset 0.6,0 tc rgb '#d67e2c'
rows = '< awk -F, ''$1 == "from" { on = 1; next } NF < 3 { on = 0 } on && $3 > 0 { print ($1 * $2) ^ 0.5, $3, $1, $2 }'' '.data
set xrange [1e-8:0.03]
plot rows u 1:2:3:4:(0.5):2 w boxxyerrorbars lc rgb '#4276be' notitle
