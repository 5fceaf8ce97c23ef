set xlabel "buckets per filter, m"
set ylabel "search steps and slots per query"
set logscale x 2
set yrange [0:500]
plot "data.csv" using 1:2 with points lt 8 pt 2 title "counted", \
     "data.csv" using 1:3 with lines lt 1 title "s k (log mv + b)", \
     "data.csv" using 1:4 with lines lt 2 title "Theorem 2: s k b log m"
