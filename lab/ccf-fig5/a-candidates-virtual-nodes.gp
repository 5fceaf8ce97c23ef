set title "candidates k, virtual nodes v"
set xlabel "utilisation of CCF\\_B"
set ylabel "fraction of the samples"
set xrange [0.5:1.01]
set yrange [0:1.05]
plot for [i=1:4] "data.csv" using (column(int(word("3 6 9 18",i)))):1 with lines lt word("1 3 4 2",i)+0 lw 0.3 notitle, \
     for [i=1:4] "data.csv" using (column(int(word("4 7 10 19",i)))):1 with lines lt word("1 3 4 2",i)+0 lw 0.3 notitle, \
     "data.csv" using 2:1 with lines lt 1 title "k = 2, v = 10", "data.csv" using 5:1 with lines lt 3 title "k = 4", \
     "data.csv" using 8:1 with lines lt 4 title "k = 16", "data.csv" using 17:1 with lines lt 2 title "v = 1", \
     "-" using 1:2 with points lt 1 pt 2 lw 2 title "printed, k = 2", "-" using 1:2 with points lt 4 pt 2 lw 2 title "printed, k = 16", \
     "-" using 1:2 with points lt 2 pt 2 lw 2 title "printed, v = 1", \
     "-" using 1:2:3 with points pt 9 lc variable title "printed means"
x,y,z
0.98,0.88
0.95,0.24
e
x,y,z
0.98,0.5
e
x,y,z
0.95,0.84
e
x,y,z
0.9481,0.02,1
0.9599,0.02,4
0.9298,0.02,2
e
