set title "candidates k, virtual nodes v"
set xlabel "utilisation of CCF\\_B"
set ylabel "fraction of the samples"
set xrange [0.6:1]
set key top left
plot "data.csv" using 2:1 with lines lt 1 title "k = 2, v = 10", "data.csv" using 3:1 with lines lt 3 title "k = 4", \
     "data.csv" using 4:1 with lines lt 4 title "k = 16", "data.csv" using 7:1 with lines lt 2 title "v = 1"
