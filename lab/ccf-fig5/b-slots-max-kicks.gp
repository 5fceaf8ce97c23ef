set title "slots b, maximum kicks max"
set xlabel "utilisation of CCF\\_B"
set ylabel "fraction of the samples"
set xrange [0.5:1.01]
set yrange [0:1.05]
plot for [i=1:3] "data.csv" using (column(int(word("3 12 15",i)))):1 with lines lt word("1 3 2",i)+0 lw 0.3 notitle, \
     for [i=1:3] "data.csv" using (column(int(word("4 13 16",i)))):1 with lines lt word("1 3 2",i)+0 lw 0.3 notitle, \
     "data.csv" using 2:1 with lines lt 1 title "reference", "data.csv" using 11:1 with lines lt 3 title "b = 6", \
     "data.csv" using 14:1 with lines lt 2 title "max = 700", \
     "-" using 1:2:3 with points pt 9 lc variable title "printed means"
x,y,z
0.9481,0.02,1
0.9986,0.02,3
e
