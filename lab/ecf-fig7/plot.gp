set xlabel "memory, KiB"
set ylabel "items"
plot "data.csv" using 1:2:3:4 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF", "data.csv" using 1:5 with steps lt 5 title "CF", \
     "data.csv" using 1:8:9:10 with yerrorlines lt 1 pt 6 ps 0.6 title "tidal"
