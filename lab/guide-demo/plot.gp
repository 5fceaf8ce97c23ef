set xtics 0.1
set xlabel "load"
set ylabel "failed insertions"
set y2label "kicks per insertion"
set y2tics
set border 11
set arrow from 0.9, graph 0 to 0.9, graph 1 nohead dt 3 lc rgb "#999999"
set label "alert" at 0.895, graph 0.5 right font ",11"
plot for [i=3:4] "data.csv" using 1:i with lines lt 2 lw 0.3 notitle, \
     for [i=6:7] "data.csv" using 1:i axes x1y2 with lines lt 1 lw 0.3 notitle, \
     "data.csv" using 1:2 with lines lt 2 title "failures (left)", \
     "data.csv" using 1:5 axes x1y2 with lines lt 1 title "kicks (right)"
