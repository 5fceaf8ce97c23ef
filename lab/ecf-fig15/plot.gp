set xlabel "size relative to the first (DCF: number of filters)"
set ylabel "buckets read per lookup"
set logscale x 2
set xrange [0.9:9]
set yrange [0:*]
set key top left
set arrow from 7,10 to 9,10 nohead lt 8 lw 1.5
set label "paper: DCF above 10" at 6.8,10 right font ",11"
plot "data.csv" using 1:8:9:10 with yerrorlines lt 4 pt 7 ps 0.6 title "DCF, members", \
     "data.csv" using 1:11:12:13 with yerrorlines lt 4 dt 2 pt 6 ps 0.6 title "DCF, non-members", \
     "data.csv" using 1:2:3:4 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF, members", \
     "data.csv" using 1:5:6:7 with yerrorlines lt 3 dt 2 pt 6 ps 0.6 title "ECF, non-members", \
     "-" using 1:2 with points lt 8 pt 2 title "paper: ECF"
x,y,z
1,1.4
2,1.4
4,1.4
8,1.4
e
