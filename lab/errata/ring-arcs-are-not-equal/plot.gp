set xlabel "virtual nodes per bucket, v"
set ylabel "load at the first failure"
set logscale x
set yrange [0.5:1]
plot "data.csv" using 1:2:3:4 with yerrorlines lt 1 pt 7 title "ring", \
     "data.csv" using 1:5 with lines lt 2 dt 2 title "uniform choice (Eq. 4)"
