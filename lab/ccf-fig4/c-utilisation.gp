set title "(c) utilisation"
set xlabel "utilisation"
set ylabel "fraction of the samples"
set key top left
set xrange [0.7:1]
plot for [f=0:3] "data.csv" using 7+f:1 with lines lt word("4 2 5 1", f+1)+0 title word("DCF CCF\\_B CCF\\_F tidal", f+1)
