set xlabel "load"
set ylabel "slots"
set yrange [0:*]
plot "data.csv" using 1:2:3:4 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF, read", \
     "data.csv" using 1:5:6:7 with yerrorlines lt 5 pt 6 ps 0.8 title "CF, read", \
     "data.csv" using 1:8:9:10 with yerrorlines lt 3 dt 2 pt 7 ps 0.6 title "ECF, written", \
     "data.csv" using 1:11:12:13 with yerrorlines lt 5 dt 2 pt 6 ps 0.8 title "CF, written"
