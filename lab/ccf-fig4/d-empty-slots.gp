set title "(d) empty slots"
set xlabel "empty slots"
set ylabel "fraction of the samples"
set key bottom right

plot for [f=0:3] "data.csv" using 11+f:1 with lines lt word("4 2 5 1", f+1)+0 title word("DCF CCF\\_B CCF\\_F tidal", f+1)
