set ylabel "false-positive rate"
set xlabel "relative size - load"
set yrange [0:*]
set xrange [-0.4:6.4]
plot "data.csv" using 1:3:4:5:xtic(2) with yerrorlines lt 3 pt 7 ps 0.6 title "ECF", \
     "data.csv" using 1:6:7:8 with yerrorlines lt 4 pt 6 ps 0.6 title "DCF", \
     "data.csv" using 1:9:10:11 with yerrorlines lt 1 pt 7 ps 0.6 title "tidal", \
     "data.csv" using 1:12 with lines lt 8 dt 3 title "ECF, theory"
