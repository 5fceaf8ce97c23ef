set xlabel "slots per bucket"
set ylabel "load at the first failure"
set yrange [0:1.05]
set xrange [0.8:10]
set logscale x 2
set xtics (1, 2, 4, 8)
plot "data.csv" using 1:2:3:4 with yerrorlines lt 1 pt 7 title "measured", 0.5 with lines lt 2 dt 2 title "claimed by the tutorial"
