set xlabel "size relative to the first (DCF: number of filters)"
set ylabel "buckets read per lookup"
set logscale x 2
set xrange [0.9:9]
set yrange [0:*]
plot "data.csv" using 1:8:9:10 with yerrorlines lt 4 pt 7 ps 0.6 title "DCF, members", \
     "data.csv" using 1:11:12:13 with yerrorlines lt 4 dt 2 pt 6 ps 0.6 title "DCF, non-members", \
     "data.csv" using 1:2:3:4 with yerrorlines lt 3 pt 7 ps 0.6 title "ECF, members", \
     "data.csv" using 1:5:6:7 with yerrorlines lt 3 dt 2 pt 6 ps 0.6 title "ECF, non-members", \
     "-" using 1:2 with points lt 8 pt 2 title "paper: ECF", \
     "-" using 1:2 with lines lt 8 title "paper: DCF"
x,y,z
1,1.4
2,1.4
4,1.4
8,1.4
e
x,y,z
7,10
9,10
e
