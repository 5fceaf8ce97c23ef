set xlabel "load"
set ylabel "insertions per second, CF at 0.60 = 1"
set yrange [0:*]
set key bottom left
plot "data.csv" using 1:2 with linespoints lt 6 pt 7 ps 0.6 title "ECF, 24K buckets", \
     "data.csv" using 1:3 with linespoints lt 3 pt 7 ps 0.6 title "ECF, 32K buckets", \
     "data.csv" using 1:4 with linespoints lt 5 pt 7 ps 0.6 title "CF, 32K buckets", \
     "data.csv" using 1:5 with linespoints lt 1 pt 6 ps 0.6 title "tidal"
