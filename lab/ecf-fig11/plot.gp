set xlabel "load"
set ylabel "slots"
set yrange [0:*]
set key top left
plot "data.csv" using 1:2 with linespoints lt 3 pt 7 ps 0.6 title "ECF, read", \
     "data.csv" using 1:3 with linespoints lt 5 pt 6 ps 0.8 title "CF, read", \
     "data.csv" using 1:4 with linespoints lt 3 dt 2 pt 7 ps 0.6 title "ECF, written", \
     "data.csv" using 1:5 with linespoints lt 5 dt 2 pt 6 ps 0.8 title "CF, written"
