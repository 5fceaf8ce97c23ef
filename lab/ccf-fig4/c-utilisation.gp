set title "(c) utilisation"
set xlabel "utilisation"
set ylabel "fraction of the samples"
set xrange [0.7:1.01]
set yrange [0:1.05]
plot for [f=0:3] "data.csv" using (column(16+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 lw 0.3 notitle, \
     for [f=0:3] "data.csv" using (column(17+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 lw 0.3 notitle, \
     for [f=0:3] "data.csv" using (column(15+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 title word("DCF CCF\\_B CCF\\_F tidal", f+1), \
     "-" using 1:2:3 with points pt 2 lw 2 lc variable title "printed points", \
     "-" using 1:2:3 with points pt 9 lc variable title "printed means", \
     "-" using 1:2:3 with points pt 11 lc variable title "printed limits"
x,y,z
0.90,0.37,4
0.970,1,4
1.0,1,2
0.999,1,5
e
x,y,z
0.8809,0.02,4
0.9481,0.02,2
0.9425,0.02,5
e
x,y,z
0.90,0.10,2
e
