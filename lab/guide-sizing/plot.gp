set xlabel "items, million"
set ylabel "bits per item at 0.1 %"
set logscale x 2
set xrange [1:16]
set yrange [0:32]
plot "data.csv" using ($1/1e6):2 with lines lt 2 title "cuckoo, power of two", \
     "data.csv" using ($1/1e6):3 with lines lt 1 title "cuckoo, any size", \
     "data.csv" using ($1/1e6):4 with lines lt 5 dt 2 title "Bloom"
