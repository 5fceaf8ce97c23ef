set xlabel "size relative to the first (DCF: number of filters)"
set ylabel "buckets read per lookup"
set logscale x 2
set yrange [0:*]
set key top left
plot "data.csv" using 1:4 with linespoints lt 4 pt 7 ps 0.6 title "DCF, members", \
     "data.csv" using 1:5 with linespoints lt 4 dt 2 pt 6 ps 0.6 title "DCF, non-members", \
     "data.csv" using 1:2 with linespoints lt 3 pt 7 ps 0.6 title "ECF, members", \
     "data.csv" using 1:3 with linespoints lt 3 dt 2 pt 6 ps 0.6 title "ECF, non-members"
