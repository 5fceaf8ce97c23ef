set xlabel "false-positive rate"
set ylabel "bits per item"
set logscale x
set format x "10^{%L}"
set xrange [1e-6:0.1]
set arrow from 0.03, graph 0 to 0.03, graph 1 nohead dt 3 lc rgb "#999999"
set label "3 %" at 0.033, graph 0.06 font ",11"
plot "data.csv" using 1:2 with lines lt 2 title "Bloom", "data.csv" using 1:3 with lines lt 1 title "cuckoo, b = 4, load 0.95"
