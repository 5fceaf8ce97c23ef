set xlabel "buckets L"
set ylabel "false negatives"
set format y "%.0f %%"
set xtics 4096
set yrange [0:20]
plot "data.csv" using 1:(100*$2):(100*$3):(100*$4) with yerrorlines lt 2 pt 5 title "mod 2^n, as printed", \
     "data.csv" using 1:(100*$5) with linespoints lt 1 pt 7 title "mod L"
