set xlabel "shrunk to 1/x of the first size"
set ylabel "false-positive rate"
set yrange [0:*]
set logscale x 2
plot "data.csv" using 1:2:3:4 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF", \
     "data.csv" using 1:5:6:7 with yerrorlines lt 1 pt 7 ps 0.6 title "tidal"
