set xlabel "load after halving"
set ylabel "entries in the stash"
set format y "%.0f %%"
plot "data.csv" using 1:(100*$2):(100*$3):(100*$4) with yerrorlines lt 2 pt 5 title "B[i] to B[i/2] or stash", \
     "data.csv" using 1:(100*$5) with linespoints lt 1 pt 7 title "with relocation"
