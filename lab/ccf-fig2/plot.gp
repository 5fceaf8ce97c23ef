set xlabel "elements n (8 buckets of 3 slots, 2 candidates)"
set ylabel "probability that all fit"
set yrange [0:1.05]
plot "data.csv" using 1:2 with linespoints lt 1 title "Theorem 5, corrected", \
     "data.csv" using 1:3:4 with yerrorlines lt 2 title "measured"
