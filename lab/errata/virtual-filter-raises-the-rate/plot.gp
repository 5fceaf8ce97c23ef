set xlabel "buckets L"
set ylabel "false-positive rate"
set yrange [0:0.0045]
set xtics 8192
plot "data.csv" using 1:2:3:4 with yerrorbars lt 8 pt 7 ps 0.5 title "measured", \
     "data.csv" using 1:6 with lines lt 1 title "L / 2^n times the plain rate", \
     "data.csv" using 1:5 with lines lt 2 title "plain cuckoo filter"
