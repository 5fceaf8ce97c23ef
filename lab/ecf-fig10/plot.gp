set xlabel "load"
set ylabel "kicks in total"
set logscale y
set format y "10^{%L}"
plot "data.csv" using 1:2:3:4 with yerrorlines lt 2 pt 7 ps 0.6 title "ECF, random walk", \
     "data.csv" using 1:5:6:7 with yerrorlines lt 5 pt 6 ps 0.6 title "CF, random walk", \
     "data.csv" using 1:8:9:10 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF, library", \
     "data.csv" using 1:11:12:13 with yerrorlines lt 1 pt 7 ps 0.6 title "tidal", \
     "-" using 1:2 with points lt 8 pt 2 title "paper"
x,y,z
0.98,350000
e
