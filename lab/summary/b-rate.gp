set title "false-positive rate during the trace"
set xlabel "seconds"
set ylabel "false-positive rate"
set logscale y
set format y "10^{%L}"
set yrange [1e-5:1]
plot "data.csv" using 1:($21>0 ? $21 : NaN) with lines lt 2 title "CCF", \
     "data.csv" using 1:($17>0 ? $17 : NaN) with lines lt 3 title "ECF", \
     "data.csv" using 1:($13>0 ? $13 : NaN) with lines lt 4 title "DCF", \
     "data.csv" using 1:($9>0 ? $9 : NaN) with lines lt 5 title "cuckoo", \
     "data.csv" using 1:($5>0 ? $5 : NaN) with lines lt 1 lw 1.6 title "tidal"
