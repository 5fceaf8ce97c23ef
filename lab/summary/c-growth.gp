set title "false-positive rate of growing filters"
set xlabel "items"
set ylabel "false-positive rate"
set logscale xy
set format y "10^{%L}"
set yrange [3e-5:1]
plot "growth.csv" using 2:($1==4 ? $3 : NaN):4:5 with yerrorlines lt 2 pt 7 ps 0.5 title "CCF", \
     "growth.csv" using 2:($1==3 ? $3 : NaN):4:5 with yerrorlines lt 3 pt 7 ps 0.5 title "ECF", \
     "growth.csv" using 2:($1==2 ? $3 : NaN):4:5 with yerrorlines lt 4 pt 7 ps 0.5 title "DCF", \
     "growth.csv" using 2:($1==0 ? $3 : NaN):4:5 with yerrorlines lt 1 pt 7 ps 0.5 lw 1.6 title "tidal"
