set xlabel "load"
set ylabel "kicks in total"
set logscale y
set format y "10^{%L}"
set key outside below maxrows 3
plot "data.csv" using 1:2:3:4 with yerrorlines lt 2 pt 7 ps 0.6 title "ECF, random walk", \
     "data.csv" using 1:5 with linespoints lt 5 pt 6 ps 0.6 title "CF, random walk", \
     "data.csv" using 1:6 with linespoints lt 3 pt 7 ps 0.6 title "ECF of the library", \
     "data.csv" using 1:7 with linespoints lt 1 pt 7 ps 0.6 title "tidal", \
     "-" using 1:2 with points lt 8 pt 2 title "paper (32K buckets)"
x,y,z
0.98,350000
e
