set xlabel "slots per bucket, b"
set ylabel "load, elements per slot"
set xrange [0.8:4.2]
set xtics 1
set yrange [0.45:1.02]
plot for [k=2:4] "data.csv" using 2:($1==k ? $5 : NaN) with linespoints lt k-1 pt 7 title sprintf("Theorem 4, k = %d", k), \
     for [k=2:4] "data.csv" using 2:($1==k ? $6 : NaN) with linespoints lt k-1 dt 2 pt 6 title sprintf("true, k = %d", k)
