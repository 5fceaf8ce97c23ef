set xlabel "memory, KiB"
set ylabel "items"
set key top left
plot "data.csv" using 1:2 with linespoints lt 3 pt 7 ps 0.6 title "ECF", "data.csv" using 1:3 with steps lt 5 title "CF", \
     "data.csv" using 1:4 with linespoints lt 1 pt 6 ps 0.6 title "tidal"
