set xlabel "items N (8 buckets of 1 slot)"
set ylabel "probability"
set logscale y
set format y "10^{%L}"
set yrange [1e-4:1]
plot "data.csv" using 1:6 with linespoints lt 8 pt 7 title "measured P_{fail}", \
     "data.csv" using 1:3 with lines lt 1 title "C(N, 2M+1) ...", \
     "data.csv" using 1:4:5 with yerrorbars lt 3 pt 6 title "measured: 2M+1 items collide", \
     "data.csv" using 1:2 with lines lt 2 dt 2 title "as printed, C(n, 2M+1)"
