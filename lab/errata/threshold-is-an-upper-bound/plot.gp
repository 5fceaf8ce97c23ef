set xlabel "slots per bucket, b (two candidates)"
set ylabel "load"
set xtics 1
set xrange [0.8:4.2]
plot "data.csv" using 1:2 with linespoints lt 2 pt 5 title "Theorem 4", \
     "data.csv" using 1:3 with linespoints lt 1 pt 7 title "core threshold", \
     "data.csv" using 1:4:5:6 with yerrorbars lt 8 pt 2 title "measured first failure"
