set xlabel "elements n (50 buckets of 2 slots)"
set ylabel "fraction of the slots"
plot "data.csv" using 1:2 with lines lt 8 title "needed", \
     for [k=2:5] "data.csv" using 1:k+1 with lines lt k-1 title sprintf("usable, k = %d", k)
