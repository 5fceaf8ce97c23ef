set xlabel "items n"
set ylabel "false-positive rate"
set logscale xy
set format y "10^{%L}"
set yrange [1e-5:1]
plot "data.csv" using 1:2:3:4 with yerrorbars lt 8 pt 7 ps 0.6 title "measured", \
     "data.csv" using 1:6 with lines lt 1 title "1 - (1 - 2^{-f})^n", \
     "data.csv" using 1:5 with lines lt 2 title "Theorem 1"
