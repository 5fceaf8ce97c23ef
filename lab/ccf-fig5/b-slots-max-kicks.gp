set title "slots b, maximum kicks max"
set xlabel "utilisation of CCF\\_B"
set ylabel "fraction of the samples"
set xrange [0.6:1]
set key top left
plot "data.csv" using 2:1 with lines lt 1 title "b = 3, max = 1200", "data.csv" using 5:1 with lines lt 3 title "b = 6", \
     "data.csv" using 6:1 with lines lt 2 title "max = 700"
