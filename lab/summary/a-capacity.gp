set title "capacity during the trace"
set xlabel "seconds"
set ylabel "slots"
stats "data.csv" using 2 nooutput
set yrange [0:1.3*STATS_max]
plot "data.csv" using 1:2 with filledcurves x1 lc rgb "#dddddd" title "items", \
     "data.csv" using 1:7 with lines lt 5 title "cuckoo", "data.csv" using 1:15 with lines lt 3 title "ECF", \
     "data.csv" using 1:11 with lines lt 4 title "DCF", "data.csv" using 1:19 with lines lt 2 title "CCF", \
     "data.csv" using 1:3 with lines lt 1 lw 1.6 title "tidal"
