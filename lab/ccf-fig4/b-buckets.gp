set title "(b) number of buckets (of 3 slots)"
set xlabel "number of buckets (of 3 slots)"
set ylabel "fraction of the samples"
set key outside below maxrows 1
plot for [f=0:3] "data.csv" using (column(4+3*f)):1:(column(5+3*f)) with filledcurves notitle lt word("4 2 5 1", f+1)+0 fs transparent solid 0.2, \
     for [f=0:3] "data.csv" using (column(3+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 title word("DCF CCF\\_B CCF\\_F tidal", f+1)
