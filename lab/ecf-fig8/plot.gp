set xlabel "load"
set ylabel "insertions per second, relative"
set yrange [0:*]
plot "data.csv" using 1:2:3:4 with yerrorlines lt 6 lw 3 pt 4 ps 1 title "ECF model, 24K", \
     "data.csv" using 1:5:6:7 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF model, 32K", \
     "data.csv" using 1:8:9:10 with yerrorlines lt 5 pt 7 ps 0.6 title "CF model, 32K", \
     "data.csv" using 1:11:12:13 with yerrorlines lt 2 dt 2 pt 6 ps 0.6 title "ECF, library", \
     "data.csv" using 1:14:15:16 with yerrorlines lt 1 dt 2 pt 6 ps 0.6 title "tidal", \
     "-" using 1:2 with points lt 8 pt 2 title "paper"
x,y,z
0.60,1
0.98,0.375
e
