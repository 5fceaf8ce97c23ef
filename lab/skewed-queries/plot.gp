set xlabel "skew of the queries (exponent of Zipf's law)"
set ylabel "false positives per query"
set logscale y
set format y "10^{%L}"
plot "data.csv" using 1:2:3:4 with yerrorlines lt 5 pt 7 ps 0.6 title "CF, 8 bits", \
     "data.csv" using 1:5:6:7 with yerrorlines lt 4 pt 7 ps 0.6 title "ACF, 8 bits", \
     "data.csv" using 1:8:9:10 with yerrorlines lt 2 dt 2 pt 6 ps 0.6 title "CF + list", \
     "data.csv" using 1:11:12:13 with yerrorlines lt 1 pt 7 ps 0.6 title "tidal, 12 bits", \
     "data.csv" using 1:14:15:16 with yerrorlines lt 6 dt 2 pt 6 ps 0.6 title "tidal + list"
