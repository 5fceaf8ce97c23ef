set xlabel "virtual nodes per bucket, v"
set ylabel "bits per item, 7,290 items"
set logscale xy
set xtics (1, 2, 5, 10, 20)
set xrange [1:20]
set yrange [20:1000]
plot "data.csv" using 1:3 with linespoints lt 2 pt 7 title "CCF\\_B with its ring", \
     "data.csv" using 1:2 with linespoints lt 2 dt 2 pt 6 title "CCF\\_B, slots alone", \
     "data.csv" using 1:5 with lines lt 1 title "tidal, 32-bit slots", \
     "data.csv" using 1:4 with lines lt 4 title "DCF"
