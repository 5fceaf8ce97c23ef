set title "(d) empty slots"
set xlabel "empty slots, scaled to a peak of 7,290 items"
set ylabel "fraction of the samples"
set yrange [0:1.05]
plot for [f=0:3] "data.csv" using (column(28+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 lw 0.3 notitle, \
     for [f=0:3] "data.csv" using (column(29+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 lw 0.3 notitle, \
     for [f=0:3] "data.csv" using (column(27+3*f)):1 with lines lt word("4 2 5 1", f+1)+0 title word("DCF CCF\\_B CCF\\_F tidal", f+1), \
     "-" using 1:2:3 with points pt 2 lw 2 lc variable title "printed points"
x,y,z
500,0.62,4
1000,0.84,4
3176,1,4
500,0.93,2
500,0.97,5
e
