set xlabel "12 bits of the hash, from bit"
set ylabel "different values (14,000 keys)"
set yrange [0:4500]
set arrow from 32, graph 0 to 32, graph 1 nohead dt 3 lc rgb "#999999"
set label "index" at 31.5, graph 0.5 right font ",11"
plot "data.csv" using 1:3 with linespoints lt 1 pt 7 ps 0.6 title "mixed once more", \
     "data.csv" using 1:2 with linespoints lt 2 pt 7 ps 0.6 title "FNV-1a"
