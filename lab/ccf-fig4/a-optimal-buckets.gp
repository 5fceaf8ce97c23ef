set title "(a) optimal number of buckets"
set xlabel "buckets, items / 3"
set ylabel "fraction of the samples"
set key off
plot "data.csv" using 2:1 with lines lt 8
