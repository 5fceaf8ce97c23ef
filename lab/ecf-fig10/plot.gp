set xlabel "load"
set ylabel "kicks in total"
set logscale y
set format y "10^{%L}"
set key top left
plot "data.csv" using 1:2 with linespoints lt 2 pt 7 ps 0.6 title "ECF, random walk", \
     "data.csv" using 1:3 with linespoints lt 5 pt 6 ps 0.6 title "CF, random walk", \
     "data.csv" using 1:4 with linespoints lt 3 pt 7 ps 0.6 title "ECF of the library", \
     "data.csv" using 1:5 with linespoints lt 1 pt 7 ps 0.6 title "tidal"
