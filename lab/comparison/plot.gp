set terminal svg size 760,360 dynamic enhanced font "sans-serif,14" background "#ffffff" linewidth 1.3
set ylabel "bits per item (0.1 %)"
set logscale y 2
set yrange [8:1024]
set style data histograms
set style histogram errorbars gap 1 lw 1
set style fill solid 0.8 border -1
set boxwidth 0.9
set xtics rotate by -35 font ",12"
set key outside above
set grid ytics
plot "data.csv" using 3:3:3:xtic(2) lt 1 title "at one size", "data.csv" using 4:4:4 lt 5 title "grown 16-fold", \
     "data.csv" using 5:6:7 lt 2 title "mean over the trace"
