set xlabel "load before resizing"
set ylabel "query throughput, after / before"
set yrange [0:1.5]
plot "data.csv" using ($1==0 ? $2 : NaN):3:4:5 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF, halved", \
     "data.csv" using ($1==1 ? $2 : NaN):3:4:5 with yerrorlines lt 2 pt 7 ps 0.6 title "ECF, extended", \
     "data.csv" using ($1==0 ? $2 : NaN):6:7:8 with yerrorlines lt 1 pt 6 ps 0.6 title "tidal, shrunk", \
     "data.csv" using ($1==1 ? $2 : NaN):6:7:8 with yerrorlines lt 6 pt 6 ps 0.6 title "tidal, grown", \
     1 with lines lt 8 dt 3 lw 0.7 notitle
