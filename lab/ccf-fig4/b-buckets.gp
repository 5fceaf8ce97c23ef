set title "(b) number of buckets (of 3 slots)"
set xlabel "number of buckets (of 3 slots)"
set ylabel "fraction of the samples"
plot for [f=0:3] "data.csv" using (column(4+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 lw 0.3 notitle, \
     for [f=0:3] "data.csv" using (column(5+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 lw 0.3 notitle, \
     for [f=0:3] "data.csv" using (column(3+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 title word("DCF CCF\\_B CCF\\_F tidal", f+1)
