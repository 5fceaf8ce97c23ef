set xlabel "size relative to the first"
set ylabel "false-positive rate"
set logscale xy 2
set format y "%.4f"
plot "data.csv" using 1:2:3:4 with yerrorbars lt 8 pt 7 ps 0.6 title "measured", \
     "data.csv" using 1:6 with lines lt 1 title "factor times the first rate", \
     "data.csv" using 1:5 with lines lt 2 title "as claimed"
